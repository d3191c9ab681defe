"""Sub-agents: loops with their own sessions, to which a loop or a program delegates a task."""

from __future__ import annotations

from harnlite.agent.hooks.name_globs import first_fit
from harnlite.agent.loop.loop import run_opened
from harnlite.agent.loop.state.loop_state import BUDGET_EXHAUSTED, DONE, SUSPENDED
from harnlite.agent.option_values import names_in
from harnlite.agent.reminder_providers.handoffs import propagated
from harnlite.agent.sessions.current import current_session_id, entering
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.reminding import inherit
from harnlite.agent.sessions.transcript_values import transcript_value
from harnlite.agent.tools.tool_call import DENIED
from harnlite.agent.workers.cycles import Cycle, Outcome, error_message, loop_error, open_worker_loop
from harnlite.agent.workers.handles import handle_of
from harnlite.agent.workers.worker_snapshots import keep
from harnlite.agent.workers.workers import SUB_AGENT, Worker, workers_of
from harnlite.formats.json.extraction import json_part
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import json_text
from harnlite.formats.schemas.forms import SchemaError, canonical
from harnlite.formats.schemas.validation import Validator
from harnlite.llm.errors import BUDGET_EXCEEDED, error_category
from harnlite.llm.offered_tools import tool_entries
from harnlite.llm.tool_definitions import bound_entries
from harnlite.reminders.spec import spec_from_payload
from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.values.catching import CATCHABLE, script_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop
    from harnlite.agent.sessions.session import Session
    from harnlite.agent.workers.workers import Support
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

    Request = dict[str, Any]

NAME = "sub-agent"
RUNTIME = "runtime"
_FOR_LOOP = "options"
_JSON_FORMATS = frozenset({"json", "json_object", "json_schema", "schema"})
_SCHEMA_KEYS = ("json_schema", "output_schema", "schema")
_ANSWER_IN_JSON = "Your final answer is read by a program. It must be one JSON value that matches this JSON Schema:\n"
OWN_KEYS = (
    "name",
    "system",
    "session_id",
    "background",
    "allowed_tools",
    "carry",
    "execution",
    "returns",
    "reminder_propagation",
)
"""The options of a sub-agent that are not options of its loop."""


# Requests


def request_of(run: Execution, task: str, options: dict[str, Any]) -> Request:
    """Return the request for a sub-agent, with defaults for everything that the caller omitted."""
    parent = sessions_of(run).get(current_session_id(run))
    allowed, propagation = options.get("allowed_tools"), options.get("reminder_propagation")
    tools = chosen_tools(run, options.get("tools"), allowed)
    inner = {key: value for key, value in options.items() if key not in OWN_KEYS}
    inner["tools"] = tools
    if allowed is not None:
        inner["policy"] = narrowed_policy(inner.get("policy"), names_in(allowed))
    return {
        "_type": "sub_agent_request",
        "task": task,
        "name": options.get("name") or NAME,
        "system": options.get("system"),
        "session_id": options.get("session_id") or f"sub_agent_session_{run.ids.uuid7()}",
        "parent_session_id": parent.id if parent is not None else None,
        "background": options.get("background") is True,
        "allowed_tools": allowed,
        "carry": options.get("carry") or {},
        "execution": options.get("execution") or {},
        "returns": options.get("returns"),
        "reminder_propagation": propagated(run, parent) if propagation is None else propagation,
        _FOR_LOOP: inner,
    }


def chosen_tools(run: Execution, given: object, names: object) -> list[dict[str, Any]]:
    """Return the given tools, or else those of the caller; if names are given, only the tools with these names."""
    if isinstance(given, list) and given and all(isinstance(one, str) for one in given):
        given, names = None, given
    tools = callers_tools(run) if given is None else tool_entries(given)
    if names is None:
        return tools
    wanted = names_in(names)
    return [tool for tool in tools if tool.get("name") in wanted]


def callers_tools(run: Execution) -> list[dict[str, Any]]:
    """Return the tools of the running loop or, if no loop is running, the bound tools."""
    session = sessions_of(run).get(current_session_id(run))
    loop = session.loop if session is not None else None
    return bound_entries(run) if loop is None else tool_entries(loop.options.given.get("tools"))


def narrowed_policy(policy: object, names: Sequence[str]) -> dict[str, Any]:
    """Return a capability policy that allows no tools except the named ones."""
    given: dict[str, Any] = policy if isinstance(policy, dict) else {}
    ceiling = given.get("tools")
    if isinstance(ceiling, list):
        patterns = names_in(ceiling)
        names = [name for name in names if first_fit(patterns, name) is not None]
    return {**given, "tools": list(names)}


# Sessions


def open_child(run: Execution, session_id: str, parent_id: str | None) -> Session:
    """Return a child session, opening it if necessary; `parent_id` names its parent."""
    return sessions_of(run).open(run, session_id, parent_id=parent_id)


def seed(run: Execution, child: Session, payloads: object) -> None:
    """Add the reminders of an envelope to a child session, omitting those that it already has."""
    known = {spec.id for spec in child.transcript.pending()}
    specs = [spec_from_payload(payload) for payload in (payloads if isinstance(payloads, list) else ())]
    with entering(run, session_id=child.id):
        inherit(run, child, [spec for spec in specs if spec is not None and spec.id not in known])


# Running


def make_sub_agent(run: Execution, request: Request, support: Support) -> Worker:
    """Make the worker for a request, add inherited reminders to its session, and record it in the parent's session."""
    parent = sessions_of(run).get(request["parent_session_id"])
    session = open_child(run, request["session_id"], request["parent_session_id"])
    plan = {"kind": SUB_AGENT, **{key: request[key] for key in ("system", "returns", "parent_session_id", _FOR_LOOP)}}
    worker = Worker(run, request["name"], request["task"], SUB_AGENT, session, plan, support)
    worker.carry = dict(request["carry"])
    worker.execution |= request["execution"]
    worker.request["system"] = request["system"]
    worker.audit = {"approval_policy": request[_FOR_LOOP].get("approval_policy")}
    if parent is not None:
        facts: dict[str, object] = {"name": worker.name, "child_session_id": session.id, "task": worker.task}
        parent.lifecycle(run, "sub_agent_start", worker.name, facts)
    seed(run, session, request["reminder_propagation"])
    return worker


def run_sub_agent(run: Execution, request: Request, support: Support) -> dict[str, Any]:
    """Run a sub-agent to its end and return the envelope with its answer."""
    worker = make_sub_agent(run, request, support)
    envelope = _perform(run, worker, Cycle(worker.task))
    if worker.status == SUSPENDED:
        worker.result = envelope
        workers_of(run).add(worker)
        keep(run, worker)
        support.arm(run, worker)
        envelope = {**envelope, "handle": handle_of(worker)}
    return envelope


def perform_sub_agent(run: Execution, worker: Worker, cycle: Cycle) -> Outcome:
    """Run the loop of a sub-agent; its errors become part of the envelope."""
    envelope = _perform(run, worker, cycle)
    failed = envelope["error"]
    return Outcome(envelope, None if failed is None else failed["message"])


def _perform(run: Execution, worker: Worker, cycle: Cycle) -> dict[str, Any]:
    plan = worker.plan
    schema = _schema_of(plan.get("returns"))
    loop: Loop | None = None
    result: dict[str, Any] | None = None
    try:
        loop = open_worker_loop(run, worker, cycle, _system(plan.get("system"), schema), plan[_FOR_LOOP])
        answer = run_opened(loop)
        result, error = answer, _error_of(answer, loop)
    except CATCHABLE as failure:
        thrown = script_error(failure)
        if thrown is None:
            raise
        result, error = None, {"category": _category(thrown), "message": uncaught_text(thrown)}
    envelope = _envelope(worker, loop, result, error)
    if worker.status != SUSPENDED:
        _read_data(envelope, schema, plan[_FOR_LOOP])
        _report(run, worker, envelope)
    return envelope


def _system(system: object, schema: object) -> object:
    if schema is None:
        return system
    asked = _ANSWER_IN_JSON + json_text(schema)
    return f"{system}\n\n{asked}" if isinstance(system, str) and system else asked


def _category(error: ScriptError) -> str:
    if error.thrown and isinstance(error.value, str):
        return RUNTIME
    return error_category(error)


def _error_of(result: dict[str, Any], loop: Loop) -> dict[str, object] | None:
    error = result.get("error_envelope") or loop_error(result)
    if error is not None:
        category = error.get("category") if isinstance(error, dict) else None
        return {"category": category or "generic", "message": error_message(error)}
    last = loop.last_result
    if last is not None and last.get("error_category") == DENIED and result.get("status") != DONE:
        return {"category": DENIED, "message": str(last.get("error")), "tool": last.get("tool_name")}
    return None


def _envelope(
    worker: Worker, loop: Loop | None, result: dict[str, Any] | None, error: dict[str, object] | None
) -> dict[str, Any]:
    found = result or {}
    totals = loop.totals if loop is not None else None
    is_over_budget = found.get("status") == BUDGET_EXHAUSTED or (error or {}).get("category") == BUDGET_EXCEEDED
    return {
        "ok": error is None,
        "summary": found.get("text") or "",
        "artifacts": list(worker.artifacts),
        "evidence_added": len(totals.successful) if totals is not None else 0,
        "tokens_used": totals.tokens_used if totals is not None else 0,
        "budget_exceeded": is_over_budget,
        "data": None,
        "error": error,
        "session_id": worker.session.id,
        "transcript": transcript_value(worker.session.transcript),
    }


# Answers in JSON


def _schema_of(returns: object) -> dict[str, Any] | None:
    schema = returns.get("schema") if isinstance(returns, dict) else None
    return schema if isinstance(schema, dict) else None


def _wants_json(options: dict[str, Any]) -> bool:
    wanted = options.get("output_format")
    kind = wanted.get("kind") if isinstance(wanted, dict) else wanted
    return (
        kind in _JSON_FORMATS
        or options.get("response_format") in _JSON_FORMATS
        or any(isinstance(options.get(key), dict) for key in _SCHEMA_KEYS)
    )


def _read_data(envelope: dict[str, Any], schema: dict[str, Any] | None, options: dict[str, Any]) -> None:
    """Set the JSON data of the answer in an envelope, or the error if the answer is invalid."""
    if not envelope["ok"] or (schema is None and not _wants_json(options)):
        return
    try:
        data = read_json(json_part(envelope["summary"]))
    except JsonError:
        if schema is not None:
            _set_schema_error(envelope, "child transcript did not contain valid JSON")
        return
    if schema is None:
        envelope["data"] = data
        return
    schema_errors = _schema_errors(data, schema)
    if schema_errors:
        _set_schema_error(envelope, f"return schema validation failed: {'; '.join(schema_errors)}")
    else:
        envelope["data"], envelope["summary"] = data, json_text(data)


def _set_schema_error(envelope: dict[str, Any], text: str) -> None:
    envelope["ok"] = False
    message = f"Error [schema_validation]: sub_agent_run: {text}"
    envelope["error"] = {"category": "schema_validation", "message": message}


def _schema_errors(data: object, schema: dict[str, Any]) -> list[str]:
    try:
        validator = Validator(canonical(schema), "sub_agent_run")
    except SchemaError as error:
        return [str(error)]
    validator.check(data)
    return list(validator.errors)


def _report(run: Execution, worker: Worker, envelope: dict[str, Any]) -> None:
    """Record the result of a child in its parent's session."""
    parent = sessions_of(run).get(worker.plan.get("parent_session_id"))
    if parent is None:
        return
    keys = ("ok", "summary", "evidence_added", "budget_exceeded", "error")
    facts = {"name": worker.name, "child_session_id": worker.session.id, **{key: envelope[key] for key in keys}}
    parent.lifecycle(run, "sub_agent_result", worker.name, facts)
