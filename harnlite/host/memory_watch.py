"""The limit on the memory of a run: a thread that measures it while the run goes on."""

from __future__ import annotations

import _thread

from harnlite.values.interrupts import raise_flag
from harnlite.values.limits import Limits
from harnlite.values.memory import END, FINE, RAISE, MemoryGauge, is_measurable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

LOOK_SECONDS = 0.02
"""The time between two looks at the memory of a run."""
CLEANUP_SECONDS = 2.0


class MemoryWatch:
    """A thread that looks at the memory of a run, and makes the run raise an error when it uses too much.

    A run that goes on to use more is ended, then without its cleanup.
    """

    __slots__ = ("_ended", "_gauge", "_run")

    def __init__(self, run: Execution, gauge: MemoryGauge) -> None:
        self._run = run
        self._gauge = gauge
        self._ended = _thread.allocate_lock()
        self._ended.acquire()
        _thread.start_new_thread(self._watch, ())

    def _watch(self) -> None:
        run = self._run
        while not self._ended.acquire(timeout=LOOK_SECONDS):
            wanted = self._gauge.look()
            if wanted == RAISE:
                run.scheduler.entries.to_skip = 0
                raise_flag(run)
            elif wanted != FINE:
                run.interrupt(CLEANUP_SECONDS if wanted == END else 0.0)

    def stop(self) -> None:
        """Stop looking."""
        self._ended.release()


def watch_memory(run: Execution, limit: int) -> None:
    """Limit the memory of a run until it ends; on Windows, memory cannot be measured and is not limited."""
    if is_measurable():
        gauge = MemoryGauge(limit)
        run.limits = Limits(run.limits.given, gauge=gauge)
        run.endings.append(MemoryWatch(run, gauge).stop)
