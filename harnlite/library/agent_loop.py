"""The builtins that run agents: `agent_loop` and `agent_turn`."""

from __future__ import annotations

from harnlite.agent.loop.loop import run_loop
from harnlite.agent.workers.loop_support import LOOP_SUPPORT
from harnlite.library.argument_types import dict_argument, expect
from harnlite.library.native import native
from harnlite.runtime.access_control import require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution


def _options(function: str, options: object) -> dict[str, Any]:
    return dict(dict_argument(function, "options", options))


@native("agent_loop")
def agent_loop(run: Execution, task: object = None, system: object = None, options: object = None) -> dict[str, object]:
    """Run an agent loop on a task and return its result."""
    require(run, "llm.call", "agent_loop")
    expect("agent_loop", "system", system, "string", optional=True)
    return run_loop(run, task, system, _options("agent_loop", options), LOOP_SUPPORT)


@native("agent_turn")
def agent_turn(run: Execution, prompt: object = None, options: object = None) -> dict[str, object]:
    """Run an agent loop on a prompt until a judge accepts the answer."""
    from harnlite.agent.loop.judged_turn import run_turn

    require(run, "llm.call", "agent_turn")
    return run_turn(run, prompt, _options("agent_turn", options), LOOP_SUPPORT)
