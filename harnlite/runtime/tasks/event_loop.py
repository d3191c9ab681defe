"""Events from outside a run: actions from other threads, and the event loop.

The loop is an asyncio event loop. It is created when a coroutine is first awaited, and runs only while no task is
ready.
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

    from harnlite.runtime.tasks.ending import Ending
    from harnlite.runtime.tasks.pace import Pace
    from harnlite.runtime.tasks.scheduler import Scheduler
    from harnlite.runtime.tasks.task import Task
    from harnlite.runtime.tasks.threads import Workers

    T = TypeVar("T")
else:
    from _collections import deque

_PATIENCE_SECONDS = 5.0
_LONGEST_WAIT = 1e6


class Outside:
    """A bell that other threads ring, a mailbox for their actions, and the event loop."""

    __slots__ = (
        "_bell",
        "_grace",
        "_loop",
        "_mail",
        "expected",
        "interrupted",
        "listening",
        "pace",
        "waiting",
        "workers",
    )

    def __init__(self) -> None:
        self._bell = _thread.allocate_lock()
        self._bell.acquire()
        self._mail: deque[Callable[[], object]] = deque()
        self._loop: AbstractEventLoop | None = None
        self.workers: Workers | None = None
        self.listening: dict[Task, None] = {}
        self.expected = 0
        self.interrupted = False
        self._grace: float | None = None
        self.waiting = False
        self.pace: Pace | None = None
        """What the thread of the run leaves while it waits, if it has entered it."""

    def has_news(self) -> bool:
        """Return whether there may be events to handle."""
        return bool(self._mail) or self.interrupted or (self._loop is not None and self.expected > 0)

    def post(self, action: Callable[[], object]) -> None:
        """Queue an action for the thread of the run; any thread may call this method."""
        self._mail.append(action)
        self.ring()

    def ring(self) -> None:
        """Wake the run if it waits; any thread or signal handler may call this method."""
        try:
            self._bell.release()
        except RuntimeError:
            # The bell is already ringing.
            return
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(loop.stop)

    def set_interrupt(self, grace: float | None) -> None:
        """Request the end of the run; any thread or signal handler may call this method."""
        if grace is not None:
            self._grace = grace
        self.interrupted = True

    def take_interrupt(self) -> float | None:
        """Return the grace of the requested end, or None if it has none."""
        self.interrupted = False
        grace, self._grace = self._grace, None
        return grace

    def take_mail(self) -> None:
        """Run the queued actions of other threads, and one iteration of the event loop."""
        if not self._mail and self._loop is None:
            # A bell that still rings only ends the next wait at once.
            return
        self._bell.acquire(False)  # noqa: FBT003 - positional only
        while self._mail:
            self._mail.popleft()()
        if self._loop is not None:
            self._loop.call_soon(self._loop.stop)
            self._loop.run_forever()

    def wait_until(self, when: float | None) -> None:
        """Wait for an event until a time of the monotonic clock (None: without a limit)."""
        seconds = _LONGEST_WAIT if when is None else min(when - waiting_time(), _LONGEST_WAIT)
        if seconds > 0:
            self.wait(seconds)

    def wait(self, seconds: float) -> None:
        """Wait for an event for at most the given time."""
        if self._mail or self.interrupted:
            return
        self.waiting = True
        pace = self.pace
        if pace is not None:
            pace.leave()
        try:
            if self._loop is None:
                self._bell.acquire(True, seconds)  # noqa: FBT003 - positional only
            elif not self._bell.acquire(False):  # noqa: FBT003 - positional only
                # The bell may still ring for an event that was handled already, and then `ring` stops no loop.
                limit = self._loop.call_later(seconds, self._loop.stop)
                self._loop.run_forever()
                limit.cancel()
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            if pace is not None:
                pace.enter()
            self.waiting = False

    def loop(self) -> AbstractEventLoop:
        """Return the event loop; it is created when a coroutine is first awaited, because importing asyncio is slow."""
        if self._loop is None:
            import asyncio

            self._loop = asyncio.new_event_loop()
        return self._loop

    def close(self, ending: Ending) -> None:
        """Stop the worker threads, cancel the remaining tasks of the event loop, and close it."""
        workers, self.workers = self.workers, None
        if workers is not None:
            workers.stop()
        loop, self._loop = self._loop, None
        if loop is not None:
            ended = loop.create_task(_wind_up(loop, ending.patience(_PATIENCE_SECONDS)))
            ended.add_done_callback(lambda _: loop.stop())
            while not ended.done():
                # A stop that was requested earlier may end this call early.
                loop.run_forever()
            loop.close()


async def _wind_up(loop: AbstractEventLoop, patience: float) -> None:
    """Cancel the remaining tasks of a loop and give them some time to end."""
    import asyncio

    left = asyncio.all_tasks(loop) - {asyncio.current_task(loop)}
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=patience)
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
