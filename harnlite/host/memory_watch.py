"""The limit on the memory of a run: a thread that measures it while the run goes on."""

from __future__ import annotations

import _thread
import sys

from harnlite.values.interrupts import MEASURED
from harnlite.values.limits import Limits
from harnlite.values.memory import END, FINE, RAISE, MemoryGauge, data_bytes, is_measurable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.runtime.tasks.execution import Execution

LOOK_SECONDS = 0.02
"""The time between two looks at the memory of a run."""
CLEANUP_SECONDS = 2.0
SPARE_BYTES = 64_000_000
"""What the system grants such a run in addition to five quarters of its limit, for stacks of threads and reports."""


class MemoryWatch:
    """A thread that looks at the memory of a run, and makes the run raise an error when it uses too much.

    A run that goes on to use more is ended, then without its cleanup.
    """

    __slots__ = ("_ended", "_gauge", "_lift", "_run")

    def __init__(self, run: Execution, gauge: MemoryGauge, lift: Callable[[], None]) -> None:
        self._run = run
        self._gauge = gauge
        self._lift = lift
        self._ended = _thread.allocate_lock()
        self._ended.acquire()
        _thread.start_new_thread(self._watch, ())

    def _watch(self) -> None:
        run = self._run
        while not self._ended.acquire(timeout=LOOK_SECONDS):
            wanted = self._gauge.look()
            if wanted == RAISE:
                run.scheduler.entries.to_skip = 0
                run.reach()
            elif wanted != FINE:
                self._lift()
                run.interrupt(CLEANUP_SECONDS if wanted == END else 0.0)

    def stop(self) -> None:
        """Stop looking."""
        self._ended.release()


def watch_memory(run: Execution, limit: int, *, owns_process: bool) -> None:
    """Limit the memory of a run until it ends; on Windows, memory cannot be measured and is not limited."""
    if is_measurable():
        gauge = MemoryGauge(limit)
        run.limits = Limits(run.limits.given, gauge=gauge)
        lift = _limit_process(run, limit) if owns_process else _nothing
        MEASURED.add(run)
        run.endings += [lambda: MEASURED.discard(run), MemoryWatch(run, gauge, lift).stop]


def _nothing() -> None:
    """Lift no limit."""


def _limit_process(run: Execution, limit: int) -> Callable[[], None]:
    """Let the system refuse memory to this process, in case the run allocates much between two looks.

    The refusal is a MemoryError, which scripts catch as `Value too large`. Return a function that lifts the limit:
    Python crashes if a run that is being ended is refused memory for its last exceptions.
    """
    if sys.platform != "linux":
        return _nothing
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = data_bytes() + limit + limit // 4 + SPARE_BYTES
    lowest = min((one for one in before if one != resource.RLIM_INFINITY), default=wanted)
    if wanted > lowest:
        return _nothing
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, before[1]))

    def lift() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, before)

    run.endings.append(lift)
    return lift
