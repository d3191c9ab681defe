"""Builtins that start, await, trigger, suspend, resume and close workers."""

from __future__ import annotations

from harnlite.agent.loop.state.resume_conditions import read_conditions
from harnlite.agent.workers import controls, resumption
from harnlite.agent.workers.cycles import Cycle, is_within, spawn_worker, wait_for
from harnlite.agent.workers.handles import handle_of
from harnlite.agent.workers.loop_support import LOOP_SUPPORT
from harnlite.agent.workers.workers import worker_of, workers_of
from harnlite.agent.workers.workflow_stages import check_config, make_stage
from harnlite.agent.workers.workflows import make_workflow
from harnlite.library.argument_types import dict_argument, expect, expect_dict, optional_text, text_argument
from harnlite.library.dict_shapes import expect_shape
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.workers.workers import Worker
    from harnlite.runtime.tasks.execution import Execution

_SHAPE = {
    "artifacts": "list",
    "audit": "dict",
    "carry": "dict",
    "execution": "dict",
    "graph": "dict",
    "name": "string",
    "node": "dict",
    "options": "dict",
    "permissions": "dict",
    "policy": "dict",
    "task": "string",
    "tools": "list",
    "transcript": "dict",
    "wait": "bool",
}


@native("spawn_agent")
def spawn_agent(run: Execution, config: object = None) -> dict[str, Any]:
    """Start a worker and return its handle."""
    require(run, "llm.call", "spawn_agent")
    function = "spawn_agent"
    given: dict[str, Any] = expect_dict(function, "config", config)
    expect_shape(function, "config", given, _SHAPE, "task")
    check_config(given)
    if given.get("node") is None:
        worker = make_workflow(run, given, LOOP_SUPPORT)
    else:
        worker = make_stage(run, given, LOOP_SUPPORT)
    spawn_worker(run, worker, Cycle(worker.task))
    if given.get("wait") is True:
        wait_for(run, worker)
    return handle_of(worker)


@native("wait_agent")
def wait_agent(run: Execution, worker: object = None) -> object:
    """Wait until one or more workers are no longer running."""
    if isinstance(worker, list):
        found = [worker_of(run, one) for one in worker]
        return [_wait_for_one(run, one) for one in found]
    return _wait_for_one(run, worker_of(run, worker))


def _wait_for_one(run: Execution, worker: Worker) -> dict[str, Any]:
    if is_within(run, worker):
        raise runtime_error(f"wait_agent: worker {worker.id} cannot wait for itself")
    wait_for(run, worker)
    return handle_of(worker)


@native("list_agents")
def list_agents(run: Execution) -> list[object]:
    """Return the handles of all workers."""
    return [handle_of(worker) for worker in workers_of(run).all()]


@native("send_input")
def send_input(run: Execution, worker: object = None, text: object = None) -> dict[str, Any]:
    """Give a worker a further task."""
    require(run, "llm.call", "send_input")
    task = text_argument("send_input", "text", text)
    found = worker_of(run, worker)
    controls.send_input(run, found, task)
    return handle_of(found)


@native("worker_trigger")
def worker_trigger(run: Execution, worker: object = None, payload: object = None) -> dict[str, Any]:
    """Trigger a worker that waits for a trigger."""
    require(run, "llm.call", "worker_trigger")
    found = worker_of(run, worker)
    controls.trigger_worker(run, found, payload)
    return handle_of(found)


@native("agent_stop")
def agent_stop(run: Execution, worker: object = None, options: object = None) -> dict[str, Any]:
    """Stop a worker, immediately or at the end of its turn."""
    given = dict_argument("agent_stop", "options", options)
    found = worker_of(run, worker)
    reason = given.get("reason")
    if given.get("graceful") is True:
        return controls.stop_worker(run, found, None if reason is None else display(reason))
    controls.close_worker(run, found)
    return handle_of(found)


@native("close_agent")
def close_agent(run: Execution, worker: object = None) -> dict[str, Any]:
    """Stop a worker immediately."""
    found = worker_of(run, worker)
    controls.close_worker(run, found)
    return handle_of(found)


@native("suspend_agent")
def suspend_agent(
    run: Execution, worker: object = None, reason: object = None, options: object = None
) -> dict[str, Any]:
    """Suspend a worker at its next turn boundary."""
    function = "suspend_agent"
    why = optional_text(function, "reason", reason) or ""
    given = dict_argument(function, "options", options)
    found = worker_of(run, worker)
    resumption.suspend_worker(run, found, why, read_conditions(given.get("conditions")))
    return handle_of(found)


@native("resume_agent")
def resume_agent(
    run: Execution, worker: object = None, text: object = None, continue_transcript: object = None
) -> dict[str, Any]:
    """Resume a suspended worker."""
    require(run, "llm.call", "resume_agent")
    expect("resume_agent", "continue_transcript", continue_transcript, "bool", optional=True)
    found = resumption.resumable(run, worker, LOOP_SUPPORT)
    resumption.resume_worker(run, found, text, continue_transcript=continue_transcript is not False)
    return handle_of(found)
