"""The events of a task on its streams, and the subscribers that receive them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from harnlite.serve.json_rpc import encoded, result_message

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from harnlite.serve.a2a.dialects import Dialect, Json
    from harnlite.serve.json_rpc import Id

MOST_WAITING = 1000
"""The number of events by which the reader of a stream may be behind."""
_MANY = 100
_PAUSE = 0.0005
"""The number of waiting events from which on the sender pauses after each, and the seconds of such a pause."""
_LAST_CHANCE = 2
"""The seconds in which a reader that is too far behind may still take the events that wait."""


class TaskEvent:
    """An event. Its JSON is the same on all streams of one version except for the id of the request."""

    __slots__ = ("_texts", "is_last", "kind", "value")

    def __init__(self, kind: str, value: Json, *, is_last: bool = False) -> None:
        self.kind = kind
        self.value = value
        self.is_last = is_last
        """Whether a stream ends with it: the state is terminal or interrupted."""
        self._texts: dict[str, bytes] = {}

    def line(self, dialect: Dialect, opening: bytes) -> bytes:
        """Return the event for a stream of a version; `opening` is the JSON before the result."""
        found = self._texts.get(dialect.name)
        if found is None:
            found = encoded(dialect.event(self.kind, self.value, self.is_last))
            self._texts[dialect.name] = found
        return b"data: " + opening + found + b"}\n\n"


class TaskNotice:
    """A notification for streams that have opted in."""

    __slots__ = ("_line",)
    is_last = False

    def __init__(self, method: str, params: Json) -> None:
        self._line = b"data: " + encoded({"jsonrpc": "2.0", "method": method, "params": params}) + b"\n\n"

    def line(self, _dialect: Dialect, _opening: bytes) -> bytes:
        """Return the notification, which is the same on all streams."""
        return self._line


class Subscriber(Protocol):
    """Receives the events of a task, on the threads where they happen, one after the other."""

    def push(self, event: TaskEvent | TaskNotice) -> None:
        """Receive an event."""
        ...

    def close(self) -> None:
        """Receive no more events, because the server stops."""
        ...


class EndOfTurn:
    """A subscriber that lets a coroutine wait for the next terminal or interrupted state."""

    __slots__ = ("_ended", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._ended: asyncio.Future[None] = loop.create_future()

    def push(self, event: TaskEvent | TaskNotice) -> None:
        """Wake the coroutine at the last event."""
        if event.is_last:
            self.wake()

    def close(self) -> None:
        """Wake the coroutine, because the server stops."""
        self.wake()

    def wake(self) -> None:
        """Wake the coroutine."""
        with suppress(RuntimeError):  # raised if the loop is closed
            self._loop.call_soon_threadsafe(self._settle)

    def _settle(self) -> None:
        if not self._ended.done():
            self._ended.set_result(None)

    async def wait(self) -> None:
        """Wait for the end of the turn."""
        await self._ended


class TaskStream:
    """The events for one reader. One that is too far behind is cut off."""

    __slots__ = (
        "_dialect",
        "_events",
        "_is_behind",
        "_is_closed",
        "_is_scheduled",
        "_loop",
        "_opening",
        "_takes_notices",
        "_thread",
        "_wake",
        "cut",
    )

    def __init__(
        self, loop: asyncio.AbstractEventLoop, dialect: Dialect, request_id: Id, *, takes_notices: bool
    ) -> None:
        self._loop = loop
        self._dialect = dialect
        self._thread = threading.get_ident()
        self._opening = opening_of(request_id)
        self._takes_notices = takes_notices
        self._events: deque[TaskEvent | TaskNotice] = deque()
        self._wake = asyncio.Event()
        self._is_scheduled = False
        self._is_behind = self._is_closed = False
        self.cut = asyncio.Event()
        """Set when the reader is too far behind."""

    def push(self, event: TaskEvent | TaskNotice) -> None:
        """Queue an event for the reader."""
        if self._is_closed or (isinstance(event, TaskNotice) and not self._takes_notices):
            return
        self._events.append(event)
        if len(self._events) > MOST_WAITING:
            self._is_closed = self._is_behind = True
        elif len(self._events) > _MANY and threading.get_ident() != self._thread:
            time.sleep(_PAUSE)  # without it, a script that sends many events at once outruns every reader
        self._notify()

    def close(self) -> None:
        """End the stream after the events that wait."""
        self._is_closed = True
        self._notify()

    def _notify(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            try:
                self._loop.call_soon_threadsafe(self._rouse)
            except RuntimeError:  # the loop is closed, since the server stops
                self._is_closed = True

    def _rouse(self) -> None:
        self._is_scheduled = False
        if self._is_behind:
            self._loop.call_later(_LAST_CHANCE, self.cut.set)
        self._wake.set()

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield the lines of the stream until the last event."""
        while True:
            while self._events:
                event = self._events.popleft()
                yield event.line(self._dialect, self._opening)
                if event.is_last:
                    return
            if self._is_closed:
                return
            self._wake.clear()
            if not self._events and not self._is_closed:
                await self._wake.wait()


def opening_of(request_id: Id) -> bytes:
    """Return the JSON of an answer up to its result, which a closing brace follows."""
    return encoded(result_message(request_id, 0))[:-2]
