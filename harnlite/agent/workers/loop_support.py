"""What loops need of workers, imported when a loop first needs it: most loops neither have workers nor suspend."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop, Stop
    from harnlite.runtime.tasks.execution import Execution


class LoopSupport:
    """Carries out what `WorkerSupport` asks for."""

    __slots__ = ()

    def tools(self, run: Execution) -> list[dict[str, object]]:
        """Return the tools with which a model pauses, resumes and stops workers."""
        from harnlite.agent.workers.sub_agent_tools import subagent_entries

        return subagent_entries(run)

    def park(self, loop: Loop, stop: Stop) -> dict[str, Any]:
        """Keep a suspended loop so that it can be resumed, and return what its result says about that."""
        from harnlite.agent.workers.parking import park_loop

        return park_loop(loop, stop)


LOOP_SUPPORT = LoopSupport()
