"""One call of the client: its params, and its answer, which it gets exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.serve.acp.errors import RpcError, invalid

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from harnlite.serve.acp.peer import Peer
    from harnlite.serve.json_rpc import Id

LATER = object()
"""What a handler returns if the call is answered later."""


class Call:
    """A request or a notification. The answer to a notification is dropped, its error is reported to `complain`."""

    __slots__ = (
        "_complain",
        "_peer",
        "_request_id",
        "is_answered",
        "is_cancelled",
        "is_request",
        "method",
        "on_answer",
        "on_cancel",
        "params",
    )

    def __init__(
        self,
        peer: Peer,
        method: str,
        params: dict[str, Any],
        request_id: Id,
        *,
        is_request: bool,
        complain: Callable[[str], None],
    ) -> None:
        self._peer = peer
        self._complain = complain
        self._request_id = request_id
        self.method = method
        """The plain name of the method, without the prefix of an alias."""
        self.params = params
        self.is_request = is_request
        self.is_answered = False
        self.is_cancelled = False
        """Whether the client has cancelled the call before it was answered."""
        self.on_cancel: Callable[[], object] | None = None
        """What stops the work of the call."""
        self.on_answer: Callable[[], object] | None = None

    def answer(self, result: object) -> None:
        """Answer the call."""
        if self._settle() and self.is_request:
            self._peer.answer(self._request_id, result)

    def refuse(self, error: RpcError) -> None:
        """Answer the call with an error."""
        if not self._settle():
            return
        if self.is_request:
            self._peer.refuse(self._request_id, error)
        else:
            text = error.message.removeprefix(f"{self.method}: ")
            self._complain(f"{self.method}: {text}{_reason(error)}")

    def _settle(self) -> bool:
        if self.is_answered:
            return False
        self.is_answered = True
        if self.on_answer is not None:
            self.on_answer()
        return True

    def cancel(self) -> None:
        """Cancel the call, which may not have started yet."""
        self.is_cancelled = True
        if self.on_cancel is not None:
            self.on_cancel()

    # Params

    def text(self, key: str) -> str:
        """Return a param that must be a string."""
        value = self.params.get(key)
        if not isinstance(value, str):
            raise invalid("missing_field" if value is None else "invalid_field", field=key)
        return value

    def require_known(self, keys: Collection[str]) -> None:
        """Raise RpcError for a param with another key; `_meta` is always allowed."""
        for key in self.params:
            if key not in keys and key != "_meta":
                raise invalid("unknown_key", field=key)

    @property
    def meta(self) -> dict[str, Any]:
        """Return the `_meta` of the params, or an empty object."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}


def _reason(error: RpcError) -> str:
    reason = error.data.get("reason") if error.data else None
    return f" ({reason})" if reason else ""
