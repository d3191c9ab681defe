"""The listener of a streamed reply: what it is told while the reply arrives."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from harnlite.llm.backend import OnDelta

    class Detail(Protocol):
        """A piece of the thinking or of a tool call; its `kind` says which."""

        kind: str
        text: str
        call_id: str
        call_name: str


class StreamListener:
    """An `on_delta` callback that a backend can tell more than text.

    `on_text` receives pieces of the text, `on_detail` pieces of the thinking and of tool calls. If an attempt breaks
    and another one begins, `on_restart` is called: what was delivered before is not part of the reply. A listener
    without `on_restart` cannot take back what it has received; then an attempt is not repeated after its first text.
    """

    __slots__ = ("_on_detail", "_on_restart", "_on_text", "has_delivered")

    def __init__(
        self,
        on_text: OnDelta,
        on_detail: Callable[[Detail], object] | None = None,
        on_restart: Callable[[], object] | None = None,
    ) -> None:
        self._on_text = on_text
        self._on_detail = on_detail
        self._on_restart = on_restart
        self.has_delivered = False

    def __call__(self, text: str) -> None:
        """Deliver a piece of the text."""
        self.has_delivered = True
        self._on_text(text)

    def detail(self, delta: Detail) -> None:
        """Deliver a piece of the thinking or of a tool call."""
        if self._on_detail is not None:
            self.has_delivered = True
            self._on_detail(delta)

    def can_repeat(self) -> bool:
        """Return whether another attempt may begin."""
        return not self.has_delivered or self._on_restart is not None

    def restart(self) -> None:
        """Tell the listener that another attempt begins, if it has received anything of the last one."""
        if self.has_delivered and self._on_restart is not None:
            self.has_delivered = False
            self._on_restart()


def listener_of(on_delta: OnDelta | None) -> StreamListener | None:
    """Return the listener that a callback is or stands for."""
    return on_delta if on_delta is None or isinstance(on_delta, StreamListener) else StreamListener(on_delta)
