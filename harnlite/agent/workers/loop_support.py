"""What loops need of workers, and workers of each other, loaded on first use: most loops have no workers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop, Stop
    from harnlite.agent.workers.cycles import Cycle, Outcome
    from harnlite.agent.workers.workers import Worker
    from harnlite.runtime.tasks.execution import Execution


class LoopSupport:
    """Carries out what `WorkerSupport` and `Support` ask for."""

    __slots__ = ()

    def tools(self, run: Execution) -> list[dict[str, object]]:
        """Return the tools with which a model pauses, resumes and stops workers."""
        from harnlite.agent.workers.sub_agent_tools import subagent_entries

        return subagent_entries(run, self)

    def park(self, loop: Loop, stop: Stop) -> dict[str, Any]:
        """Keep a suspended loop so that it can be resumed, and return what its result says about that."""
        from harnlite.agent.workers.parking import park_loop

        return park_loop(loop, stop, self)

    def perform(self, run: Execution, worker: Worker, cycle: Cycle) -> Outcome:
        """Carry out one cycle of a worker, as its plan says."""
        from harnlite.agent.workers.performers import perform

        return perform(run, worker, cycle)

    def arm(self, run: Execution, worker: Worker) -> None:
        """Have a paused worker go on when one of its conditions is met."""
        from harnlite.agent.workers.resumption import arm

        arm(run, worker)


LOOP_SUPPORT = LoopSupport()
