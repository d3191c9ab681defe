"""How running code is stopped from outside: one flag in the builtins of all compiled modules.

Compiled code looks at `_hintr` at the end of each loop pass and at the entry of functions; only if it is up does it ask
its Execution, which knows whether it is meant. So one store by another thread reaches all running code, and looking
costs it next to nothing.
"""

from __future__ import annotations

import _thread
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Run(Protocol):
        """What can be interrupted: in practice an Execution."""

        watched: bool

        def __hash__(self) -> int: ...

        def poll_entry(self) -> None:
            """Stop if the run is to stop."""

        def is_contended(self) -> bool:
            """Return whether another task waits for the current one to give way."""

        def is_overdue(self, now: float, /) -> bool:
            """Return whether the current task has to poll."""


FLAG = "_hintr"
TICK_SECONDS = 0.004
QUIET_TICKS = 25
ENTRIES_TO_SKIP = 1000

BUILTINS: dict[str, object] = {FLAG: False}
"""What compiled modules have as their builtins: nothing of Python's own unless the compiler's code needs it."""

_meant: dict[Run, None] = {}
_here = _thread._local()  # noqa: SLF001 - `threading` would cost a millisecond at start


def raise_flag(run: Run) -> None:
    """Make the code of a run poll soon; any thread may call this, a signal handler too."""
    _meant[run] = None
    BUILTINS[FLAG] = True


def take_flag(run: Run) -> bool:
    """Say whether this run was meant, and lower the flag unless another one is."""
    found = run in _meant
    _meant.pop(run, None)
    if not _meant:
        BUILTINS[FLAG] = False
        if _meant:
            BUILTINS[FLAG] = True
    return found


def current() -> Run | None:
    """Return the run that this thread is inside of."""
    return getattr(_here, "run", None)


def enter(run: Run | None) -> Run | None:
    """Make a run the one this thread is inside of, and return the one before it."""
    previous = current()
    _here.run = run
    return previous


def poll_here() -> None:
    """Stop here if the run of this thread is to stop; tasks never change places here."""
    run = current()
    if run is not None:
        run.poll_entry()


class EntryPolls:
    """Leaves the flag up for the next end of a loop pass: entries of functions, where tasks never switch, pass it by.

    There may be no loop at all, so after many entries the flag stays down until the watchdog comes again.
    """

    __slots__ = ("_gave_up", "to_skip")

    def __init__(self) -> None:
        self.to_skip = 0
        self._gave_up = False

    def skip(self) -> bool:
        """Say whether the flag is up for somebody else."""
        self.to_skip -= 1
        return self.to_skip > 0

    def leave_to_loops(self, run: Run) -> None:
        """Pass the flag on, every other time."""
        self._gave_up = not self._gave_up
        if self._gave_up:
            self.to_skip = ENTRIES_TO_SKIP
            raise_flag(run)


class Watchdog:
    """Raises the flag for runs whose current task has to give way or to stop; its thread lives while it watches any."""

    __slots__ = ("_alive", "_lock", "_runs")

    def __init__(self) -> None:
        self._alive = False
        self._lock = _thread.allocate_lock()
        self._runs: dict[Run, int] = {}

    @property
    def is_idle(self) -> bool:
        """Say whether its thread has ended."""
        return not self._alive

    def watch(self, run: Run) -> None:
        """Watch a run until it has had nothing to do for a while."""
        run.watched = True
        with self._lock:
            self._runs[run] = 0
            if not self._alive:
                self._alive = True
                _thread.start_new_thread(self._patrol, ())

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
                    # It has ended meanwhile and will not poll any more.
                    take_flag(run)
            return
        self._runs[run] = quiet + 1
        if quiet > QUIET_TICKS:
            run.watched = False
            # The run sets its own fields first and looks at `watched` then, so one of both sides sees the other.
            if run.is_contended():
                run.watched = True
            else:
                del self._runs[run]


WATCHDOG = Watchdog()
