"""Model calls in recordings: the call is written to a file, or answered from one, instead of being made."""

from __future__ import annotations

from itertools import accumulate

from harnlite.llm.backend import ChatReply
from harnlite.llm.errors import error_fields
from harnlite.llm.stream_listener import StreamListener
from harnlite.values.catching import CATCHABLE, script_error
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, Protocol

    from harnlite.llm.backend import ChatRequest, OnDelta
    from harnlite.runtime.tasks.execution import Execution

    class Recording(Protocol):
        """A recording that a run writes, or is answered from."""

        is_replay: bool

        def exchange(self, kind: str, request: dict[str, Any], perform: Callable[[], dict[str, Any]]) -> dict[str, Any]:
            """Return the reply to a request: a recorded one, or what `perform` returns."""
            ...

        def upcoming(self, kind: str) -> Mapping[str, Any] | None:
            """Return the next recorded request of a kind."""
            ...


KIND = "llm"
_REPLY = ChatReply.__slots__
_NOT_SENT = frozenset({"timeout", "idle_timeout", "user_visible"})
"""Options that do not change what a model is asked."""


def recording_of(run: Execution) -> Recording | None:
    """Return the recording of a run, or None."""
    make = run.context.get("recording")
    return None if make is None else make(run)  # type: ignore[operator]  # set by the host alone


def replayed_route(recording: Recording, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a call; if they name no route, they get the recorded one, so that no key decides."""
    if not recording.is_replay or options.get("provider") or options.get("model"):
        return options
    request = recording.upcoming(KIND)
    if request is None:
        return options
    return {**options, "provider": request.get("provider"), "model": request.get("model")}


def complete(
    run: Execution,
    recording: Recording,
    request: ChatRequest,
    listener: StreamListener | None,
    call: Callable[[OnDelta], ChatReply],
) -> ChatReply:
    """Answer a request with `call` and record both, or answer it from the recording."""
    pieces: list[str] = []

    def hear(text: str) -> None:
        pieces.append(text)
        if listener is not None:
            listener(text)

    def perform() -> dict[str, Any]:
        try:
            reply = call(StreamListener(hear, None if listener is None else listener.detail))
        except CATCHABLE as error:
            found = script_error(error)
            if found is None:
                raise
            return {"error": error_fields(run, found)}
        fields = {name: getattr(reply, name) for name in _REPLY}
        found_fields = {name: value for name, value in fields.items() if value not in (None, "", (), [], 0)}
        if len(pieces) > 1:
            found_fields["pieces"] = [len(piece) for piece in pieces] if "".join(pieces) == reply.text else pieces
        return found_fields

    answer = recording.exchange(KIND, _request_fields(request), perform)
    if "error" in answer:
        raise thrown(answer["error"])
    if recording.is_replay and listener is not None:
        for piece in _cut(answer.get("text") or "", answer.get("pieces") or []):
            listener(piece)
    return ChatReply(**{name: value for name, value in answer.items() if name in _REPLY})


def _cut(text: str, pieces: list[Any]) -> Iterator[str]:
    """Yield the pieces in which a text arrived; they are given by their lengths if they were parts of the text.

    So a secret that was split between two pieces is not recorded.
    """
    if pieces and isinstance(pieces[0], str):
        yield from pieces
        return
    at = 0
    for end in [*accumulate(pieces[:-1]), len(text)]:
        if text[at:end]:
            yield text[at:end]
        at = end


def _request_fields(request: ChatRequest) -> dict[str, Any]:
    options = {name: value for name, value in request.options.items() if name not in _NOT_SENT}
    fields = {
        "provider": request.provider,
        "model": request.model,
        "system": request.system,
        "messages": list(request.messages),
        "tools": request.tools,
        "tool_choice": request.tool_choice,
        "options": options,
    }
    return {name: value for name, value in fields.items() if value is not None}
