"""Interrupts of running code: one flag in the builtins of all compiled modules.

Compiled code checks `_hintr` at the end of each loop iteration and at the entry of functions. Only if the flag is set
does it call its Execution, which checks whether the interrupt is for this run. So another thread reaches all running
code with a single store, and the check costs almost nothing.
"""

from __future__ import annotations

import _thread
import sys
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol, TypeVar

    A = TypeVar("A")
    B = TypeVar("B")

    from harnlite.values.limits import Limits

    class Run(Protocol):
        """A run that can be interrupted: in practice an Execution."""

        watched: bool
        limits: Limits

        def __hash__(self) -> int: ...

        def reach(self) -> None:
            """Make the code of the run poll soon, from any thread."""

        def poll_entry(self) -> None:
            """Raise if the run has to stop."""

        def is_contended(self) -> bool:
            """Return whether anything else needs, or may soon need, the thread of the current task."""

        def seconds_left(self) -> float:
            """Return the time until a deadline ends the run or a part of it."""

        def is_overdue(self, now: float, /) -> bool:
            """Return whether the current task has to poll."""


FLAG = "_hintr"
TICK_SECONDS = 0.004
QUIET_TICKS = 25
ENTRIES_TO_SKIP = 1000

BUILTINS: dict[str, object] = {FLAG: False}
"""The `__builtins__` of compiled modules: it holds only those builtins of Python that the compiler's code needs."""

MEASURED: set[object] = set()
"""The runs whose memory is limited; while there are any, builtins poll more often."""

_flagged: dict[Run, None] = {}
_here = _thread._local()  # noqa: SLF001 - `threading` would cost a millisecond at start


def raise_flag(run: Run) -> None:
    """Make the code of a run poll soon; any thread or signal handler may call this function."""
    _flagged[run] = None
    BUILTINS[FLAG] = True


def take_flag(run: Run) -> bool:
    """Return whether the flag was raised for this run; clear it unless it is also raised for another run."""
    # One step: between a look and a removal, another thread could raise the flag, which would be lost.
    found = _flagged.pop(run, False) is None
    if not _flagged:
        BUILTINS[FLAG] = False
        if _flagged:
            BUILTINS[FLAG] = True
    return found


def current() -> Run | None:
    """Return the run that this thread executes, or None."""
    return getattr(_here, "run", None)


def enter(run: Run | None) -> Run | None:
    """Set the run that this thread executes, and return the previous one."""
    previous = current()
    _here.run = run
    return previous


def poll_here() -> None:
    """Raise if the run of this thread has to stop; never switch tasks."""
    run = current()
    if run is not None:
        run.poll_entry()


def interruptible(work: Callable[[A], B], argument: A) -> B:
    """Call a function of another package, written in Python, so that an interrupt of the run can end it."""
    if sys.getprofile() is not None or current() is None:
        return work(argument)
    sys.setprofile(_poll_at_call)
    try:
        return work(argument)
    finally:
        sys.setprofile(None)


def _poll_at_call(_frame: object, _event: str, _argument: object) -> None:
    if BUILTINS[FLAG]:
        poll_here()


def seconds_left() -> float:
    """Return the time until a deadline ends the run of this thread or a part of it."""
    run = current()
    return float("inf") if run is None else run.seconds_left()


class EntryPolls:
    """Keeps the flag raised for the end of the next loop iteration, because tasks never switch at a function entry.

    There may be no loop at all, so after many entries the flag stays cleared until the watchdog raises it again.
    """

    __slots__ = ("_gave_up", "to_skip")

    def __init__(self) -> None:
        self.to_skip = 0
        self._gave_up = False

    def skip(self) -> bool:
        """Return whether this function entry ignores the flag."""
        self.to_skip -= 1
        return self.to_skip > 0

    def leave_to_loops(self, run: Run) -> None:
        """Raise the flag again for the next loop, on every other call."""
        self._gave_up = not self._gave_up
        if self._gave_up:
            self.to_skip = ENTRIES_TO_SKIP
            raise_flag(run)


class Watchdog:
    """Raises the flag for runs whose current task has to yield or stop; its thread ends when it watches no run."""

    __slots__ = ("_alive", "_lock", "_runs")

    def __init__(self) -> None:
        self._alive = False
        self._lock = _thread.allocate_lock()
        self._runs: dict[Run, int] = {}

    @property
    def is_idle(self) -> bool:
        """Return whether its thread has ended."""
        return not self._alive

    def watch(self, run: Run) -> None:
        """Watch a run until nothing else has needed its thread for a while."""
        run.watched = True
        with self._lock:
            self._runs[run] = 0
            if not self._alive:
                try:
                    _thread.start_new_thread(self._patrol, ())
                except RuntimeError:
                    del self._runs[run]
                    run.watched = False
                    raise MemoryError from None  # the system has no memory for the stack
                self._alive = True

    def _patrol(self) -> None:
        while True:
            sleep(TICK_SECONDS)
            now = monotonic()
            with self._lock:
                for run, quiet in list(self._runs.items()):
                    self._look_at(run, quiet, now)
                if not self._runs:
                    self._alive = False
                    return

    def _look_at(self, run: Run, quiet: int, now: float) -> None:
        if run.is_contended():
            self._runs[run] = 0
            if run.is_overdue(now):
                raise_flag(run)
                if not run.is_contended():
                    # The run ended in the meantime and will not poll again.
                    take_flag(run)
            return
        self._runs[run] = quiet + 1
        if quiet > QUIET_TICKS:
            run.watched = False
            # The run sets its own fields before it checks `watched`, so at least one side sees the other's change.
            if run.is_contended():
                run.watched = True
            else:
                del self._runs[run]


WATCHDOG = Watchdog()
