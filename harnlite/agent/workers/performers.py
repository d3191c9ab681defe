"""What the kinds of workers do in a cycle."""

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
    """Carry out one cycle of a worker, as its plan says: a kind without a row of its own is a loop."""
    return PERFORMERS.get(worker.plan["kind"], perform_loop)(run, worker, cycle)
