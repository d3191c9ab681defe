"""What reaches a run from elsewhere: other threads, and the event loop.

The loop is asyncio's; it is made when a coroutine is awaited for the first time, and runs only while no task is ready.
"""

from __future__ import annotations

import _thread

from harnlite.runtime.tasks.clock import waiting_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections import deque
    from collections.abc import Callable, Coroutine
    from typing import Any, TypeVar

    from harnlite.runtime.tasks.scheduler import Scheduler
    from harnlite.runtime.tasks.task import Task
    from harnlite.runtime.tasks.threads import Workers

    T = TypeVar("T")
else:
    from _collections import deque

_PATIENCE_SECONDS = 5.0
_LONGEST_WAIT = 1e6


class Outside:
    """A bell that other threads ring, the mail they leave, and the event loop."""

    __slots__ = ("_bell", "_loop", "_mail", "expected", "interrupted", "listening", "waiting", "workers")

    def __init__(self) -> None:
        self._bell = _thread.allocate_lock()
        self._bell.acquire()
        self._mail: deque[Callable[[], object]] = deque()
        self._loop: AbstractEventLoop | None = None
        self.workers: Workers | None = None
        self.listening: dict[Task, None] = {}
        self.expected = 0
        self.interrupted = False
        self.waiting = False

    def has_news(self) -> bool:
        """Say whether there is anything to look at."""
        return bool(self._mail) or self.interrupted or (self._loop is not None and self.expected > 0)

    def post(self, action: Callable[[], object]) -> None:
        """Have something done on the thread of the run; any thread may call this."""
        self._mail.append(action)
        self.ring()

    def ring(self) -> None:
        """Wake the run if it waits; any thread may call this, a signal handler too."""
        try:
            self._bell.release()
        except RuntimeError:
            # It rings already.
            return
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(loop.stop)

    def take_mail(self) -> None:
        """Do what other threads have asked for, and let the event loop go around once."""
        self._bell.acquire(False)  # noqa: FBT003 - positional only
        while self._mail:
            self._mail.popleft()()
        if self._loop is not None:
            self._loop.call_soon(self._loop.stop)
            self._loop.run_forever()

    def wait_until(self, when: float | None) -> None:
        """Wait for news until a time of the monotonic clock, or without end."""
        seconds = _LONGEST_WAIT if when is None else min(when - waiting_time(), _LONGEST_WAIT)
        if seconds > 0:
            self.wait(seconds)

    def wait(self, seconds: float) -> None:
        """Wait for news, for at most that long."""
        if self._mail or self.interrupted:
            return
        self.waiting = True
        try:
            if self._loop is None:
                self._bell.acquire(True, seconds)  # noqa: FBT003 - positional only
            else:
                limit = self._loop.call_later(seconds, self._loop.stop)
                self._loop.run_forever()
                limit.cancel()
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            self.waiting = False

    def loop(self) -> AbstractEventLoop:
        """Return the event loop, made when real I/O is awaited for the first time: asyncio takes long to import."""
        if self._loop is None:
            import asyncio

            self._loop = asyncio.new_event_loop()
        return self._loop

    def close(self) -> None:
        """End the threads and whatever the event loop still does."""
        workers, self.workers = self.workers, None
        if workers is not None:
            workers.stop()
        loop, self._loop = self._loop, None
        if loop is not None:
            end = loop.create_task(_wind_up(loop))
            end.add_done_callback(lambda _: loop.stop())
            while not end.done():
                # A stop that was asked for earlier may end this early.
                loop.run_forever()
            loop.close()


async def _wind_up(loop: AbstractEventLoop) -> None:
    """Cancel whatever a loop still does and give it some time to end."""
    import asyncio

    left = asyncio.all_tasks(loop) - {asyncio.current_task(loop)}
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=_PATIENCE_SECONDS)
    await loop.shutdown_asyncgens()


def await_future(scheduler: Scheduler, work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the event loop while the current task waits; the coroutine never runs script code."""
    outside, me = scheduler.outside, scheduler.current
    loop = outside.loop()
    future = loop.create_task(work)

    def note_end(_: object) -> None:
        scheduler.wake(me)
        loop.stop()

    future.add_done_callback(note_end)
    outside.expected += 1
    try:
        while not future.done():
            scheduler.wait()
    except BaseException:
        future.cancel()
        raise
    finally:
        outside.expected -= 1
    return future.result()
