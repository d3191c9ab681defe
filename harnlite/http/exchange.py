"""One request on the thread of the pool, and its answer on the way to the task that waits for it."""

from __future__ import annotations

from harnlite.http.failures import TIMEOUT, Failure, broken
from harnlite.http.pool import CHUNKS_AHEAD, DRAIN_SECONDS, DRAINED_BYTES, POOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future, Task, TimerHandle
    from collections import deque
    from collections.abc import Callable, Sequence

    from harnlite.http.request import HttpRequest
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.runtime.tasks.task import Task as RunTask
else:
    from _collections import deque

OPEN_KEY = "http_exchanges"


class Head:
    """The status and the headers of an answer."""

    __slots__ = ("headers", "status")

    def __init__(self, status: int, headers: Sequence[tuple[bytes, bytes]]) -> None:
        self.status = status
        self.headers = headers


class End:
    """The end of an answer, and the failure that caused it, if any."""

    __slots__ = ("failure",)

    def __init__(self, failure: Failure | None) -> None:
        self.failure = failure


class Exchange:
    """A request and the buffer of its answer.

    The thread of the pool puts pieces into the buffer, and a task of a run takes them out of it. The task is woken only
    if it waits. If the buffer is full, the thread of the pool stops reading.
    """

    __slots__ = (
        "_drained",
        "_is_draining",
        "_is_expired",
        "_items",
        "_limit",
        "_loop",
        "_open",
        "_reader",
        "_room",
        "_run",
        "is_closed",
        "job",
        "request",
    )

    def __init__(self, run: Execution, request: HttpRequest) -> None:
        self._run = run
        self.request = request
        self._open = run.state(OPEN_KEY, OpenExchanges)
        self._items: deque[Head | bytes | End] = deque()
        self._reader: RunTask | None = None
        self._loop: AbstractEventLoop | None = None
        self._room: Future[None] | None = None
        self._limit: TimerHandle | None = None
        """The timer that ends the draining. It keeps the whole run in memory until it is cancelled."""
        self.job: Task[None] | None = None
        self.is_closed = self._is_expired = self._is_draining = False
        self._drained = 0

    # On the thread of the run

    def start(self) -> None:
        """Send the request. The end of the run closes the connection if nothing else has done so."""
        self._loop = POOL.loop()
        self._open.add(self._run, self)
        POOL.start(self)

    def take(self, until: float | None = None) -> Head | bytes | None:
        """Return the next piece, or None after the last one or at a time of the monotonic clock; raise a failure."""
        items = self._items
        while not items:
            if self._wait(until):
                return None
        item = items.popleft()
        room = self._room
        if room is not None and len(items) <= CHUNKS_AHEAD // 2:
            self._room = None
            self._call(_release, room)
        if not isinstance(item, End):
            return item
        items.append(item)
        self.is_closed = True
        self._open.remove(self)
        if item.failure is not None:
            raise item.failure.error()
        return None

    def head(self) -> Head:
        """Return the status and the headers as soon as they have arrived."""
        found = self.take()
        if isinstance(found, Head):
            return found
        raise broken(self.request.address.place, "no answer")

    def _wait(self, until: float | None) -> bool:
        """Wait for a piece; return whether the time has come."""
        scheduler = self._run.scheduler
        outside = scheduler.outside
        outside.expected += 1
        self._reader = scheduler.current
        try:
            # A piece that was put into the buffer before the reader was set has woken no task.
            return False if self._items else scheduler.wait(until) and not self._items
        finally:
            self._reader = None
            outside.expected -= 1

    def close(self) -> None:
        """End the request; its connection is closed at once unless the whole answer has arrived."""
        if not self.is_closed:
            self.is_closed = True
            self._open.remove(self)
            self._call(self._cancel)

    def drain(self) -> None:
        """End the request as its answer is complete: read the short rest of it and keep the connection open."""
        if not self.is_closed:
            self.is_closed = self._is_draining = True
            self._open.remove(self)
            self._call(self._drain)

    def _call(self, action: Callable[..., object], *args: object) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            try:
                loop.call_soon_threadsafe(action, *args)
            except RuntimeError:
                # The pool has been closed between the check and the call.
                return

    # On the thread of the pool

    def begin(self, status: int, headers: Sequence[tuple[bytes, bytes]]) -> None:
        """Pass on the status and the headers."""
        self._put(Head(status, headers))

    def put(self, chunk: bytes) -> None:
        """Pass on a piece of the body."""
        if not self._is_draining:
            self._put(chunk)
            return
        self._drained += len(chunk)
        if self._drained > DRAINED_BYTES:
            self._cancel()

    def end(self, failure: Failure | None) -> None:
        """Pass on the end of the answer."""
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
        self._put(End(failure))

    def _put(self, item: Head | bytes | End) -> None:
        self._items.append(item)
        reader = self._reader
        if reader is not None:
            self._reader = None
            scheduler = self._run.scheduler
            scheduler.outside.post(lambda: scheduler.wake(reader))

    def is_full(self) -> bool:
        """Return whether the reader is too far behind."""
        return len(self._items) > CHUNKS_AHEAD

    async def room(self) -> None:
        """Wait until the reader has caught up."""
        room = self._loop.create_future()  # type: ignore[union-attr]  # set by start
        self._room = room
        # The reader may have taken the last piece before it could see the future.
        if len(self._items) > CHUNKS_AHEAD // 2:
            await room

    def expire(self) -> None:
        """End the request because its time is over."""
        self._is_expired = True
        self._cancel()

    def time_failure(self) -> Failure | None:
        """Return the failure of a request that took too long, or None if it was cancelled otherwise."""
        if not self._is_expired:
            return Failure("cancelled", f"the request to {self.request.address.place} was cancelled")
        return Failure(TIMEOUT, f"{self.request.address.place} did not answer in {self.request.timeout:g} s: timed out")

    def _cancel(self) -> None:
        if self.job is not None:
            self.job.cancel()

    def _drain(self) -> None:
        if self.job is not None:
            room, self._room = self._room, None
            if room is not None:
                _release(room)
            self._limit = self._loop.call_later(DRAIN_SECONDS, self._cancel)  # type: ignore[union-attr]  # set by start


def _release(room: Future[None]) -> None:
    if not room.done():
        room.set_result(None)


class OpenExchanges:
    """The requests of a run that have not ended; the end of the run closes them."""

    __slots__ = ("_exchanges", "_is_watched")

    def __init__(self) -> None:
        self._exchanges: dict[Exchange, None] = {}
        self._is_watched = False

    def add(self, run: Execution, exchange: Exchange) -> None:
        """Add a request that begins."""
        if not self._is_watched:
            self._is_watched = True
            run.endings.append(self._close)
        self._exchanges[exchange] = None

    def remove(self, exchange: Exchange) -> None:
        """Remove a request that has ended."""
        self._exchanges.pop(exchange, None)

    def _close(self) -> None:
        self._is_watched = False
        for exchange in list(self._exchanges):
            exchange.close()
