"""The functions that loops and workers need from this package, imported on first use: most loops have no workers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop, Stop
    from harnlite.agent.workers.cycles import Cycle, Outcome
    from harnlite.agent.workers.workers import Worker
    from harnlite.runtime.tasks.execution import Execution


class LoopSupport:
    """The implementation of the protocols `WorkerSupport` and `Support`."""

    __slots__ = ()

    def tools(self, run: Execution) -> list[dict[str, object]]:
        """Return the tools with which a model pauses, resumes and stops workers."""
        from harnlite.agent.workers.sub_agent_tools import subagent_entries

        return subagent_entries(run, self)

    def park(self, loop: Loop, stop: Stop) -> dict[str, Any]:
        """Keep a suspended loop so that it can be resumed, and return the additional entries of its result."""
        from harnlite.agent.workers.parking import park_loop

        return park_loop(loop, stop, self)

    def perform(self, run: Execution, worker: Worker, cycle: Cycle) -> Outcome:
        """Run one cycle of a worker according to its plan."""
        from harnlite.agent.workers.performers import perform

        return perform(run, worker, cycle)

    def arm(self, run: Execution, worker: Worker) -> None:
        """Register the conditions that resume a suspended worker."""
        from harnlite.agent.workers.resumption import arm

        arm(run, worker)


LOOP_SUPPORT = LoopSupport()
