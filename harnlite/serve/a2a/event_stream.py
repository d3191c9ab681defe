"""The HTTP response for a stream of events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sse_starlette import EventSourceResponse, ServerSentEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import Receive, Scope, Send

    from harnlite.serve.a2a.task_events import TaskStream

KEEP_ALIVE = 15
"""The seconds between two comments on a stream."""


def _comment() -> ServerSentEvent:
    return ServerSentEvent(comment="keep-alive", sep="\n")


class _Behind(Exception):
    """Raised to cut off a reader."""


class EventResponse(EventSourceResponse):
    """A response that ends with the stream. A reader that is too far behind loses its connection."""

    def __init__(self, stream: TaskStream, headers: Mapping[str, str], at_end: Callable[[], object]) -> None:
        super().__init__(
            stream.lines(),
            headers={"Cache-Control": "no-cache", **headers},
            ping=KEEP_ALIVE,
            sep="\n",
            ping_message_factory=_comment,
            data_sender_callable=self._cut,
        )
        self._stream = stream
        self._at_end = at_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until the last one, or until the client goes away."""
        try:
            await super().__call__(scope, receive, send)
        except _Behind:
            pass  # the server closes the connection, because the response is not complete
        finally:
            self._at_end()

    async def _cut(self) -> None:
        await self._stream.cut.wait()
        raise _Behind
