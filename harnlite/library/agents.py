"""Builtins for agents as values, for sub-agents, and for the std modules that export agent functions."""

from __future__ import annotations

from harnlite.agent.loop.state.lifecycle_tools import added_entries, read_request
from harnlite.agent.loop.state.resume_conditions import read_conditions
from harnlite.agent.reminder_providers.handoffs import make_handoff
from harnlite.agent.workers import sub_agents
from harnlite.agent.workers.cycles import Cycle, spawn_worker
from harnlite.agent.workers.handles import handle_of
from harnlite.agent.workers.loop_support import LOOP_SUPPORT
from harnlite.agent.workers.sub_agents import request_of
from harnlite.library import Natives
from harnlite.library.argument_types import (
    dict_argument,
    expect_dict,
    optional_dict,
    optional_text,
    text_argument,
)
from harnlite.library.dict_shapes import expect_shape
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.llm.offered_tools import tool_entries
from harnlite.values.display import display
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

_AGENT = "agent"
_OPTION_KEYS = (
    "provider",
    "model",
    "model_tier",
    "temperature",
    "top_p",
    "top_k",
    "max_tokens",
    "thinking",
    "reasoning_effort",
    "tools",
    "subagents",
    "max_iterations",
    "max_nudges",
    "turn_policy",
    "tool_format",
    "native_tool_fallback",
    "tool_retries",
    "tool_backoff_ms",
)
_SUB_AGENT_SHAPE = {
    "allowed_tools": "list",
    "background": "bool",
    "carry": "dict",
    "execution": "dict",
    "name": "string",
    "permissions": "dict",
    "policy": "dict",
    "reminder_propagation": "list",
    "returns": "dict",
    "session_id": "string",
    "system": "string",
}


@native("agent")
def agent(name: object = None, config: object = None) -> dict[str, object]:
    """Return an agent as a value."""
    function = "agent"
    return {
        **dict_argument(function, "config", config),
        "_type": _AGENT,
        "name": text_argument(function, "name", name),
    }


@native("agent_name")
def agent_name(agent: object = None) -> object:
    """Return the name of an agent."""
    return expect_dict("agent_name", "agent", agent).get("name")


@native("agent_config")
def agent_config(agent: object = None, prompt: object = None) -> dict[str, object]:
    """Return the arguments of the call that runs an agent on a prompt."""
    config = expect_dict("agent_config", "agent", agent)
    if config.get("_type") != _AGENT:
        raise thrown("agent_config: first argument must be an agent (created with agent())")
    options = {key: config[key] for key in _OPTION_KEYS if config.get(key) is not None}
    return {"prompt": prompt, "system": config.get("system"), "options": options}


# Sub-agents


def _request(run: Execution, function: str, task: object, options: object) -> dict[str, Any]:
    given = dict_argument(function, "options", options)
    if task is None or (isinstance(task, str) and not task.strip()):
        raise thrown("sub_agent_run: task is required")
    expect_shape(function, "options", given, _SUB_AGENT_SHAPE)
    return request_of(run, display(task), given)


@native("sub_agent_run")
def sub_agent_run(run: Execution, task: object = None, options: object = None) -> dict[str, object]:
    """Run a task as a sub-agent: an agent loop with its own session."""
    require(run, "llm.call", "sub_agent_run")
    request = _request(run, "sub_agent_run", task, options)
    if not request["background"]:
        return sub_agents.run_sub_agent(run, request, LOOP_SUPPORT)
    worker = sub_agents.make_sub_agent(run, request, LOOP_SUPPORT)
    spawn_worker(run, worker, Cycle(worker.task))
    return handle_of(worker)


@native("sub_agent_request")
def sub_agent_request(run: Execution, task: object = None, options: object = None) -> dict[str, object]:
    """Return the request that `sub_agent_run` would execute."""
    return _request(run, "sub_agent_request", task, options)


# Lifecycle


@native("parse_resume_conditions")
def parse_resume_conditions(conditions: object = None) -> dict[str, object] | None:
    """Return resume conditions with defaults filled in."""
    return read_conditions(conditions)


@native("agent_await_resumption")
def agent_await_resumption(
    reason: object = None, conditions: object = None, resume_by: object = None
) -> dict[str, object]:
    """Check the arguments of the `agent_await_resumption` tool and return them."""
    optional_text("agent_await_resumption", "reason", reason)
    request = read_request({"reason": reason, "conditions": conditions, "resume_by": resume_by})
    return {"reason": request.reason, "conditions": request.conditions, "resume_by": request.resume_by}


@native("agent_lifecycle_tools")
def agent_lifecycle_tools(run: Execution, registry: object = None, options: object = None) -> dict[str, object]:
    """Return the registry with the lifecycle tools added."""
    function = "agent_lifecycle_tools"
    base = optional_dict(function, "registry", registry)
    given = dict_argument(function, "options", options)
    own = tool_entries(registry)
    base = {"_type": "tool_registry"} if base is None else base
    added = added_entries(run, own, LOOP_SUPPORT, with_subagents=given.get("subagents") is True)
    return {**base, "tools": [*own, *added]}


@native("handoff")
def handoff(run: Execution, handoff: object = None) -> dict[str, object]:
    """Emit a handoff and return its record."""
    return make_handoff(run, expect_dict("handoff", "handoff", handoff))


@native("__host_agent_function")
def agent_function(run: Execution, name: object = None, *given: object) -> object:
    """Call a builtin that a std module exports under its own name."""
    try:
        function: Any = Natives()(display(name))
    except KeyError:
        raise runtime_error(f"agent_function: unknown builtin `{display(name)}`") from None
    first = function.__code__.co_varnames[:1]
    taken = (run, *given) if first == ("run",) else given
    return function(*taken[: function.__code__.co_argcount])
