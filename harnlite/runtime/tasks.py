"""How tasks take turns: script code on one thread, each task in a greenlet of its own.

There is no hub: a task that has to wait looks for the next one that is ready and switches to it, or, if there is none,
waits itself for a timer, another thread or the event loop. So a script without tasks needs no greenlet, and one
without real asynchronous I/O no asyncio.
"""

from __future__ import annotations

import _thread
from _contextvars import copy_context
from time import monotonic

from harnlite.runtime.errors import Cancelled, DeadlinePassed, ExitRun, Interrupted, ScriptError, Unwinding, thrown
from harnlite.runtime.interrupts import WATCHDOG, raise_flag, take_flag
from harnlite.runtime.timers import Timers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections import deque
    from collections.abc import Callable, Coroutine
    from typing import Any, TypeVar

    from greenlet import greenlet

    from harnlite.runtime.execution import Execution
    from harnlite.runtime.task import Task
    from harnlite.runtime.timers import Timer
    from harnlite.runtime.workers import Workers

    T = TypeVar("T")
else:
    from _collections import deque

SLICE_SECONDS = 0.010
GRACE_SECONDS = 0.250
LONGEST_WAIT = 1e6
ENTRIES_TO_SKIP = 1000
CANCELLED_TEXT = "kind:cancelled:VM cancelled by host"
DEADLOCK_TEXT = "Deadlock: all tasks are waiting"

_URGENCY: dict[type, int] = {ScriptError: 0, DeadlinePassed: 1, Cancelled: 2, ExitRun: 3, Interrupted: 3}


class Outside:
    """What reaches a run from elsewhere: other threads by a bell with mail, and the event loop."""

    __slots__ = ("_bell", "_loop", "_mail", "expected", "interrupted", "waiting", "workers")

    def __init__(self) -> None:
        self._bell = _thread.allocate_lock()
        self._bell.acquire()
        self._mail: deque[Callable[[], object]] = deque()
        self._loop: AbstractEventLoop | None = None
        self.workers: Workers | None = None
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
            import asyncio

            left = asyncio.all_tasks(loop)
            for task in left:
                task.cancel()
            loop.run_until_complete(asyncio.wait(left) if left else asyncio.sleep(0))
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()


class Scheduler:
    """Says which task of a run goes on, and when."""

    __slots__ = (
        "_entries",
        "_gave_up",
        "_ready",
        "_root",
        "_run",
        "_serial",
        "_slice_started",
        "current",
        "is_running",
        "live",
        "main",
        "outside",
        "timers",
        "unclaimed",
    )

    def __init__(self, run: Execution, main: Task) -> None:
        self._run = run
        self.main = self.current = main
        self.timers = Timers()
        self.live: dict[Task, None] = {}
        self.unclaimed: dict[Task, None] = {}
        self.outside = Outside()
        self._ready: deque[Task] = deque()
        self._gave_up = self.is_running = False
        self._entries = self._serial = 0
        self._slice_started = monotonic()
        self._root: greenlet | None = None

    # Making and ending tasks

    def begin(self, task: Task, body: Callable[..., object], *args: object, parent: Task | None = None) -> None:
        """Let a new task start when the current one gives way; its parent is that one unless given."""
        parent = parent or self.current
        self._serial += 1
        task.serial = self._serial
        task.body = body
        task.args = args
        if parent.context:
            task.context = parent.context.copy()
        task.facts = parent.facts
        task.python_context = copy_context()
        self.live[task] = None
        self._ready.append(task)
        if not self._run.watched:
            WATCHDOG.watch(self._run)

    def cancel(self, task: Task) -> None:
        """End a task where it waits or polls next; one that has not started never does."""
        if task.done or task is self.main:
            return
        task.cancelled = True
        if task.started:
            self.deliver(task, Cancelled())
        else:
            self._end(task)

    def ask_to_end(self, task: Task) -> None:
        """Set the flag of a task; what it waits for just now may still come, for a moment."""
        if not task.done:
            task.cancelled = True
            self.timers.add(monotonic() + GRACE_SECONDS, lambda: self._lose_patience(task))

    def _lose_patience(self, task: Task) -> None:
        if task.blocking:
            self.deliver(task, thrown(CANCELLED_TEXT))

    def cancel_all(self) -> None:
        """End all tasks and wait until their finally and defer blocks have run."""
        while self.live:
            for task in list(self.live):
                self.cancel(task)
            for task in list(self.live):
                try:
                    self.join(task)
                except ScriptError:
                    # What is left waits for what can never come.
                    return

    def _end(self, task: Task) -> None:
        task.done = True
        task.body = task.greenlet = task.python_context = None
        task.args = ()
        del self.live[task]
        error = task.error
        if isinstance(error, Unwinding):
            task.error = None
            if _ends_run(error):
                self.deliver(self.main, error)
        if not task.output:
            self.unclaimed.pop(task, None)
        for waiter in task.waiters:
            self.wake(waiter)
        if task.watcher is not None:
            task.watcher(task)

    def write_unclaimed(self) -> None:
        """Write the output of the tasks that nobody awaited, in the order in which they were made."""
        for task in sorted(self.unclaimed, key=lambda task: task.serial):
            self.main.write("".join(task.output))
        self.unclaimed.clear()

    # Waiting

    def wake(self, task: Task) -> None:
        """Let a task that waits go on when it is its turn; it looks itself whether it has what it waits for."""
        if task.parked:
            task.parked = False
            self._ready.append(task)
            if not self._run.watched and not self.outside.waiting:
                WATCHDOG.watch(self._run)

    def deliver(self, task: Task, error: BaseException) -> None:
        """Raise an error in a task where it waits or polls next; the one that ends more goes first."""
        if task.done:
            return
        if task.pending is None or _outranks(error, task.pending):
            task.pending = error
        if task is self.current and not task.parked:
            raise_flag(self._run)
        if task.parked and _ends_run(error):
            task.parked = False
            self._ready.appendleft(task)
        else:
            self.wake(task)

    def park(self) -> None:
        """Let the others run until somebody wakes the current task."""
        me = self.current
        me.parked = True
        self._give_way(me)
        if me.pending is not None:
            self._raise_pending(me)

    def yield_now(self) -> None:
        """Let all tasks that are ready run first."""
        self._ready.append(self.current)
        self._give_way(self.current)
        if self.current.pending is not None:
            self._raise_pending(self.current)

    def wait(self, until: float | None = None) -> bool:
        """Park as blocking builtins do, at most until a time; say whether it has come.

        A task that was asked to end does not wait any more: it throws.
        """
        me = self.current
        if me.cancelled:
            raise thrown(CANCELLED_TEXT)
        timer = None if until is None else self.timers.add(until, lambda: self.wake(me))
        me.blocking = True
        try:
            self.park()
        finally:
            me.blocking = False
            if timer is not None:
                is_over = timer.is_over
                self.timers.call_off(timer)
        return timer is not None and is_over

    def sleep(self, seconds: float) -> None:
        """Let the current task wait for that long."""
        until = monotonic() + seconds
        while not self.wait(until):
            pass

    def join(self, task: Task, until: float | None = None) -> bool:
        """Wait until a task has ended, at most until a time; say whether it has."""
        me = self.current
        while not task.done:
            if until is not None and monotonic() >= until:
                return False
            task.waiters.append(me)
            try:
                self.wait(until)
            finally:
                task.waiters.remove(me)
        return True

    def at(self, when: float, action: Callable[[], object]) -> Timer:
        """Have something done at a time of the monotonic clock, also while the current task goes on."""
        timer = self.timers.add(when, action)
        if not self._run.watched:
            WATCHDOG.watch(self._run)
        return timer

    # Turns

    def _give_way(self, me: Task) -> None:
        ready = self._ready
        while True:
            if not ready or self.timers.is_due(monotonic()):
                self._look_around(may_wait=not ready)
                continue
            task = ready.popleft()
            if task is me:
                break
            if not task.done:
                self._switch_to(task)
                if self.current is me:
                    break
        self.current = me
        self._take_turn()

    def _take_turn(self) -> None:
        self._slice_started = monotonic()
        self._entries = 0
        if (self._ready or self.timers) and not self._run.watched:
            WATCHDOG.watch(self._run)

    def _switch_to(self, task: Task) -> None:
        self.current = task
        place = task.greenlet
        if place is None:
            place = self._place(task)
        place.switch()

    def _place(self, task: Task) -> greenlet:
        """Make the greenlet of a task; it goes back to the main program's when it ends."""
        from greenlet import getcurrent, greenlet

        if self._root is None:
            self._root = self.main.greenlet = getcurrent()
        place = greenlet(lambda: self._live(task), self._root)
        place.gr_context = task.python_context
        task.greenlet = place
        return place

    def _live(self, task: Task) -> None:
        self._take_turn()
        task.started = True
        try:
            task.value = task.body(*task.args)  # type: ignore[misc]
        except KeyboardInterrupt:
            task.error = Interrupted()
        except BaseException as error:  # noqa: BLE001 - raised again where the task is awaited
            task.error = error
        self._end(task)

    def _raise_pending(self, me: Task) -> None:
        error, me.pending = me.pending, None
        raise error  # type: ignore[misc]

    # What comes from outside: timers, other threads, the event loop

    def _look_around(self, *, may_wait: bool) -> None:
        """Do what is due; if nothing is and it may, wait for something."""
        if may_wait:
            when = self.timers.next_time()
            if when is None and not self.outside.expected and not self.outside.has_news():
                self.deliver(self.main, ScriptError(DEADLOCK_TEXT))
                return
            self._show_output()
            seconds = LONGEST_WAIT if when is None else when - monotonic()
            if seconds > 0:
                self.outside.wait(min(seconds, LONGEST_WAIT))
        self._collect()

    def _show_output(self) -> None:
        try:
            self._run.flush()
        except ExitRun as end:
            self.deliver(self.main, end)

    def _collect(self) -> None:
        outside = self.outside
        outside.take_mail()
        if outside.interrupted:
            outside.interrupted = False
            self.deliver(self.main, Interrupted())
        self.timers.fire(monotonic())

    def interrupt(self) -> None:
        """End the run; any thread may call this, a signal handler too."""
        self.outside.interrupted = True
        raise_flag(self._run)
        self.outside.ring()
        if not self.is_running:
            take_flag(self._run)

    def poll(self, *, may_switch: bool) -> None:
        """Raise what is pending for the current task; let another one go on if its time is over."""
        self._collect()
        me = self.current
        if me is not self.main and _ends_run(self.main.pending):
            me.cancelled = True
            raise Cancelled
        if me.pending is not None:
            self._raise_pending(me)
        if not self._ready or monotonic() - self._slice_started < SLICE_SECONDS:
            return
        if may_switch:
            self.yield_now()
        else:
            self._leave_to_back_edge()

    def skips_entry(self) -> bool:
        """Say whether the flag is only up for the next end of a loop pass; entries of functions need not look then."""
        self._entries -= 1
        return self._entries > 0

    def _leave_to_back_edge(self) -> None:
        """Keep the flag up for a while, then down until the watchdog comes again: there may be no loop at all."""
        self._gave_up = not self._gave_up
        if self._gave_up:
            self._entries = ENTRIES_TO_SKIP
            raise_flag(self._run)

    def is_contended(self) -> bool:
        """Say whether somebody else may come to need the turn; the watchdog asks this."""
        return (
            self.is_running and not self.outside.waiting and bool(self._ready or self.timers or self.outside.expected)
        )

    def is_overdue(self, now: float) -> bool:
        """Say whether the current task has to poll; the watchdog asks this."""
        if self.timers.is_due(now) or self.outside.has_news():
            return True
        return bool(self._ready) and now - self._slice_started >= SLICE_SECONDS

    def await_future(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the event loop while the current task waits; the coroutine never runs script code."""
        loop = self.outside.loop()
        me = self.current
        future = loop.create_task(work)

        def note_end(_: object) -> None:
            self.wake(me)
            loop.stop()

        future.add_done_callback(note_end)
        self.outside.expected += 1
        try:
            while not future.done():
                self.wait()
        except BaseException:
            future.cancel()
            raise
        finally:
            self.outside.expected -= 1
        return future.result()

    def start(self) -> None:
        """Take note that the main program is about to run in this greenlet."""
        self._root = None
        self.is_running = True
        if self.outside.interrupted:
            raise_flag(self._run)

    def stop(self) -> None:
        """Close what reaches the run from elsewhere; the main program and all tasks have ended."""
        self.is_running = self.outside.interrupted = False
        self.current = self.main
        self.outside.close()
        take_flag(self._run)


def _ends_run(error: BaseException | None) -> bool:
    return isinstance(error, (ExitRun, Interrupted))


def _outranks(error: BaseException, other: BaseException) -> bool:
    """Say whether an end takes more with it than another: of two deadlines it is the outer one's, which is older."""
    if isinstance(error, DeadlinePassed) and isinstance(other, DeadlinePassed):
        return error.token.order < other.token.order  # type: ignore[attr-defined, no-any-return]
    return _URGENCY.get(error.__class__, 0) > _URGENCY.get(other.__class__, 0)
