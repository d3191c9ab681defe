"""The scheduler of tasks: script code runs on one thread, and each task runs in its own greenlet.

There is no hub. A task that has to wait switches to the next ready task; if there is none, it waits for a timer,
another thread or the event loop itself. So a script without tasks needs no greenlet.
"""

from __future__ import annotations

from _contextvars import copy_context
from time import monotonic

from harnlite.runtime.tasks.ending import Ending
from harnlite.runtime.tasks.event_loop import Outside
from harnlite.runtime.tasks.timers import NEVER, Timers
from harnlite.values.catching import script_error
from harnlite.values.errors import (
    STACK_OVERFLOW,
    Cancelled,
    DeadlinePassed,
    ExitRun,
    Interrupted,
    ScriptError,
    Unwinding,
    thrown,
)
from harnlite.values.interrupts import WATCHDOG, EntryPolls, raise_flag, take_flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable

    from greenlet import greenlet

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.runtime.tasks.task import Task
    from harnlite.runtime.tasks.timers import Timer
    from harnlite.values.memory import MemoryGauge
else:
    from _collections import deque

SLICE_SECONDS = 0.010
MOST_RESTING = 64
MOST_NESTED, MOST_LIVING = 10_000, 100_000
_FRAMES_OF_A_POLL = 50
CANCELLED_TEXT = "kind:cancelled:VM cancelled by host"
DEADLOCK_TEXT = "Deadlock: all tasks are waiting"

_URGENCY: dict[type, int] = {ScriptError: 0, DeadlinePassed: 1, Cancelled: 2, ExitRun: 3, Interrupted: 3}


class Scheduler:
    """Decides which task of a run continues, and when."""

    __slots__ = (
        "_ready",
        "_resting",
        "_root",
        "_run",
        "_serial",
        "_slice_started",
        "current",
        "ending",
        "entries",
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
        self.entries = EntryPolls()
        self.ending = Ending(run, self)
        self.is_running = False
        self._serial = 0
        self._slice_started = monotonic()
        self._root: greenlet | None = None
        self._resting: list[greenlet] = []

    # Starting and ending tasks

    def begin(self, task: Task, body: Callable[..., object], *args: object, parent: Task | None = None) -> None:
        """Queue a new task, which starts when the current task yields; its parent is the current task by default."""
        task.parent = parent = parent or self.current
        if len(self.live) >= MOST_NESTED:
            _refuse_too_many(parent, len(self.live))
        self._serial += 1
        task.serial = self._serial
        task.body = body
        task.args = args
        if parent.context:
            task.context = parent.context.copy()
        task.facts = parent.facts
        task.python_context = copy_context()
        if self.ending.is_forced:
            task.cancelled = task.abandoned = True
        self.live[task] = None
        self._ready.append(task)
        if not self._run.watched:
            WATCHDOG.watch(self._run)

    def cancel(self, task: Task) -> None:
        """Cancel a task the next time it waits or polls; a task that has not started never starts."""
        if task not in self.live:
            return
        task.cancelled = task.abandoned = True
        if task.started:
            self.deliver(task, Cancelled())
        else:
            self._end(task)

    def _end(self, task: Task) -> None:
        task.end()
        del self.live[task]
        error = task.error
        if isinstance(error, Unwinding):
            task.error = None
            if _ends_run(error):
                self.deliver(self.main, error)
        if task.abandoned:
            task.error = task.value = None
        if task.error is not None and script_error(task.error) is None:
            self.unclaimed[task] = None
        elif not task.output:
            self.unclaimed.pop(task, None)
        for waiter in task.waiters:
            self.wake(waiter)
        if task.watcher is not None:
            task.watcher(task)

    # Waiting

    def wake(self, task: Task) -> None:
        """Make a waiting task ready; the task itself checks whether its condition holds."""
        if task.parked:
            task.parked = False
            self._ready.append(task)
            if not self._run.watched and not self.outside.waiting:
                WATCHDOG.watch(self._run)

    def deliver(self, task: Task, error: BaseException) -> None:
        """Raise an error in a task the next time it waits or polls; of several errors, the one that ends more wins."""
        if task.done:
            return
        if task.pending is None or _outranks(error, task.pending):
            task.pending = error
        if task is self.current and not task.parked:
            raise_flag(self._run)
        if not _ends_run(error):
            self.wake(task)
            return
        if task.parked:
            task.parked = False
            self._ready.appendleft(task)
        for other in list(self.live):
            if not other.abandoned:
                self.cancel(other)

    def park(self) -> None:
        """Run other tasks until the current task is woken."""
        me = self.current
        if me.away:
            # A finalizer runs in the middle of a switch.
            raise thrown(CANCELLED_TEXT)
        if self.ending.is_forced:
            self.ending.refuse(me)
        me.parked = True
        self._give_way(me)

    def yield_now(self) -> None:
        """Run all other ready tasks before the current task continues."""
        self._ready.append(self.current)
        self._give_way(self.current)

    def wait(self, until: float | None = None) -> bool:
        """Park the current task in a blocking builtin, at most until a time; return whether that time has come.

        A cancelled task does not wait: it throws.
        """
        me = self.current
        if me.cancelled and not self.ending.is_forced:
            raise thrown(CANCELLED_TEXT)
        timer = None if until is None else self.timers.add(until, self.wake, me)
        me.blocking = True
        try:
            self.park()
        finally:
            me.blocking = False
            is_over = timer is not None and (timer.action is None or not self.timers.call_off(timer))
        return is_over

    def at(self, when: float, action: Callable[[], object]) -> Timer:
        """Run an action at a time of the monotonic clock, even if the current task does not yield."""
        timer = self.timers.add_urgent(when, action)
        if not self._run.watched:
            WATCHDOG.watch(self._run)
        return timer

    # Switching

    def _give_way(self, me: Task) -> None:
        me.away = True
        while True:
            task = self._next_task()
            if task is me:
                break
            self.current = task
            place = task.greenlet
            if place is not None:
                asked = place.switch()
            elif self._resting:
                asked = self._resting.pop().switch(task)
            elif me is self.main or self._root is None:
                asked = task
            else:
                # A new greenlet starts with the call depth of its creator, so all are created in the root greenlet.
                asked = self._root.switch(task)
            while asked:
                asked = self._new_place().switch(asked)
            if self.current is me:
                break
        self.current = me
        me.away = False
        if not self._run.watched:
            _watch(self._run, self._ready, self.timers)
        if me.pending is not None:
            _raise_pending(me)

    def _next_task(self) -> Task:
        """Return the next ready task, whose time slice begins; wait if there is none."""
        ready, timers = self._ready, self.timers
        while True:
            now = monotonic()
            if not ready:
                self._look_around()
            elif timers.soonest <= now:
                timers.fire(now)
            else:
                task = ready.popleft()
                if not task.done:
                    self._slice_started, self.entries.to_skip = now, 0
                    return task

    def _new_place(self) -> greenlet:
        """Create a greenlet for tasks; when it ends, the greenlet of the main program continues."""
        import greenlet

        if self._root is None:
            self._root = self.main.greenlet = greenlet.getcurrent()
        place = greenlet.greenlet(None, self._root)
        place.run = lambda task: self._work(place, task)
        return place

    def _work(self, place: greenlet, task: Task | None) -> None:
        """Run one task after another, because creating a greenlet takes several times as long as creating a task."""
        while task is not None:
            task.greenlet = place
            place.gr_context = task.python_context
            if not self._run.watched:
                _watch(self._run, self._ready, self.timers)
            task.started = True
            _run_body(task)
            self._end(task)
            task = None
            if len(self._resting) < MOST_RESTING:
                task = self._next_task()
                self.current = task
                other = task.greenlet
                if other is not None:
                    self._resting.append(place)
                    task = None  # while this greenlet rests, it must not keep the task and its error alive
                    task = other.switch()

    # Events from outside: timers, other threads, the event loop

    def _look_around(self) -> None:
        """Wait for a timer or an event, because no task is ready, and handle all that have come."""
        when = self.timers.next_time()
        if not self.outside.expected and not self.outside.has_news() and (when is None or self.ending.is_alone()):
            _break_standstill(self)
            return
        try:
            self._run.flush()
        except ExitRun as end:
            self.deliver(self.main, end)
        self.outside.wait_until(when)
        self._collect()

    def _collect(self) -> None:
        outside = self.outside
        outside.take_mail()
        if outside.interrupted:
            self.ending.begin(outside.take_interrupt())
        self.timers.fire(monotonic())

    def poll(self, *, may_switch: bool) -> None:
        """Raise the pending error of the current task; switch to another task if the time slice is over."""
        _require_room(self._run)
        self._collect()
        me = self.current
        if self.ending.is_forced:
            self.ending.refuse(me)
        if me is not self.main and _ends_run(self.main.pending):
            me.cancelled = True
            raise Cancelled
        _raise_due(me, self._run.limits.gauge)
        if me.away or not self._ready or monotonic() - self._slice_started < SLICE_SECONDS:
            return
        if may_switch:
            self.yield_now()
        else:
            self.entries.leave_to_loops(self._run)

    def is_contended(self) -> bool:
        """Return whether anything else needs, or may soon need, the thread; the watchdog calls this method."""
        if not self.is_running or self.outside.waiting:
            return False
        return bool(self._ready or self.timers.soonest < NEVER or self.outside.expected)

    def is_overdue(self, now: float) -> bool:
        """Return whether the current task has to poll; the watchdog calls this method."""
        if self.timers.is_due(now) or self.outside.has_news():
            return True
        return bool(self._ready) and now - self._slice_started >= SLICE_SECONDS

    def start(self) -> None:
        """Prepare for the main program to run in this greenlet."""
        self._root = None
        self.is_running = True
        if self.outside.interrupted:
            raise_flag(self._run)

    def stop(self) -> None:
        """Close timers, threads and the event loop after the main program and all tasks have ended."""
        self.is_running = self.outside.interrupted = False
        self.current = self.main
        self._ready.clear()  # tasks that were woken when they had ended
        while self._resting:
            self._resting.pop().throw()
        self.outside.close(self.ending)
        take_flag(self._run)


def _watch(run: Execution, ready: deque[Task], timers: Timers) -> None:
    """Let the watchdog watch a run whose current task may have to yield."""
    if ready or timers.soonest < NEVER:
        WATCHDOG.watch(run)


def _require_room(run: Execution) -> None:
    """Raise RecursionError if a poll would lose a timer halfway; the calling functions poll again."""
    try:
        _descend(_FRAMES_OF_A_POLL)
    except RecursionError:
        raise_flag(run)
        raise


def _descend(frames: int) -> None:
    """Raise RecursionError if there is no room for that many nested calls."""
    if frames:
        _descend(frames - 1)


def _raise_pending(task: Task) -> None:
    error, task.pending = task.pending, None
    if error is not None:
        raise error


def _raise_due(task: Task, gauge: MemoryGauge | None) -> None:
    """Raise the pending error of a task, or the error of a run that uses too much memory."""
    if task.pending is not None:
        _raise_pending(task)
    if gauge is not None:
        gauge.poll()


def _break_standstill(scheduler: Scheduler) -> None:
    """Wake the newest listening task, because no event can reach it any more; without one, report a deadlock."""
    listening = scheduler.outside.listening
    if listening:
        task = max(listening, key=lambda listener: listener.serial)
        del listening[task]
        scheduler.wake(task)
    else:
        scheduler.deliver(scheduler.main, ScriptError(DEADLOCK_TEXT))


def _run_body(task: Task) -> None:
    body = task.body
    try:
        task.value = None if body is None or task.abandoned else body(*task.args)
    except KeyboardInterrupt:
        task.error = Interrupted()
    except BaseException as error:  # noqa: BLE001 - raised again where the task is awaited
        task.error = error


def _refuse_too_many(parent: Task, living: int) -> None:
    """Raise an error for endlessly nested tasks, and for more tasks than a machine can handle."""
    depth = 0
    ancestor: Task | None = parent
    while ancestor is not None:
        depth += 1
        ancestor = ancestor.parent
    if depth >= MOST_NESTED:
        raise ScriptError(STACK_OVERFLOW)
    if living > MOST_LIVING:
        raise ScriptError("Value too large")


def _ends_run(error: BaseException | None) -> bool:
    return isinstance(error, (ExitRun, Interrupted))


def _outranks(error: BaseException, other: BaseException) -> bool:
    """Return whether an error ends more than another does; of two deadlines, the older one is the outer one."""
    if isinstance(error, DeadlinePassed) and isinstance(other, DeadlinePassed):
        return error.token.order < other.token.order
    return _URGENCY.get(error.__class__, 0) > _URGENCY.get(other.__class__, 0)
