"""The functions that run a cycle, one for each kind of worker."""

from __future__ import annotations

from harnlite.agent.workers.cycles import perform_loop
from harnlite.agent.workers.sub_agents import perform_sub_agent
from harnlite.agent.workers.workers import STAGE, SUB_AGENT, WORKFLOW
from harnlite.agent.workers.workflow_stages import perform_stage
from harnlite.agent.workers.workflows import perform_workflow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harnlite.agent.workers.cycles import Cycle, Outcome
    from harnlite.agent.workers.workers import Worker
    from harnlite.runtime.tasks.execution import Execution

    Performer = Callable[[Execution, Worker, Cycle], Outcome]

PERFORMERS: Mapping[str, Performer] = {
    SUB_AGENT: perform_sub_agent,
    STAGE: perform_stage,
    WORKFLOW: perform_workflow,
}


def perform(run: Execution, worker: Worker, cycle: Cycle) -> Outcome:
    """Run one cycle of a worker according to its plan; a kind that is not in the table is a plain loop."""
    return PERFORMERS.get(worker.plan["kind"], perform_loop)(run, worker, cycle)
