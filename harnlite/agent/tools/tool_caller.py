"""The option `tool_caller`: callbacks that wrap the dispatch of calls, and the checks of their results."""

from __future__ import annotations

from harnlite.agent.hooks.hook_effects import blame
from harnlite.agent.tools.tool_call import ERROR, OK, Call, blank_result
from harnlite.values.data_types import type_name
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent.tools.dispatch_options import DispatchOptions
    from harnlite.values.errors import ScriptError

_GOOD = frozenset({"ok", "success", "completed", "dry_run"})
_OUTCOMES = ("ok", "success", "status")
_ROUTE = ("model", "provider")


def call_through(
    call: Call,
    options: DispatchOptions,
    caller: Callable[..., object],
    carry_out: Callable[[Call], dict[str, object]],
) -> dict[str, object]:
    """Pass a call to the tool caller, which decides whether and with which arguments the call is executed."""
    described = _described(call, options)

    def next_caller(changed: object = None, *_: object) -> dict[str, object]:
        return carry_out(_changed(call, changed))

    result = caller(described, next_caller)
    if result.__class__ is not dict:
        raise _wrong(f"must return a dict; got {type_name(result)}", caller)
    answer: dict[str, object] = result
    problem = _problem(answer)
    if problem is not None:
        raise _wrong(problem, caller)
    return _completed(call, answer)


def _wrong(problem: str, caller: Callable[..., object]) -> ScriptError:
    return blame(thrown(f"agent_loop: tool_caller {problem}"), caller)


def _described(call: Call, options: DispatchOptions) -> dict[str, object]:
    """Return the description of a call for middleware."""
    entry = call.entry or {}
    session = options.session
    turn: dict[str, object] = {
        "iteration": options.iteration,
        "session_id": session.id if session is not None else None,
    }
    turn.update({key: options.options[key] for key in _ROUTE if options.options.get(key) is not None})
    described: dict[str, object] = {
        "tool_name": call.name,
        "tool_args": call.arguments,
        "call_id": call.id,
        "declared_executor": entry.get("executor"),
        "schema": entry.get("parameters"),
        "description": entry.get("description"),
        "turn": turn,
    }
    if entry.get("annotations") is not None:
        described["annotations"] = entry["annotations"]
    return described


def _changed(call: Call, described: object) -> Call:
    """Return the call that middleware passes on: its arguments may differ, and its schema replaces the declared one."""
    if described.__class__ is not dict:
        return Call(call.id, call.name, call.arguments, call.entry)
    given: dict[str, object] = described
    arguments, schema, entry = given.get("tool_args"), given.get("schema"), call.entry
    if entry is not None and schema.__class__ is dict and schema is not entry.get("parameters"):
        entry = {**entry, "parameters": schema}
    changed = Call(call.id, call.name, arguments if arguments.__class__ is dict else call.arguments, entry)
    changed.taken = {name: value for name, value in call.arguments.items() if name not in changed.arguments}
    return changed


def _problem(answer: dict[str, object]) -> str | None:
    """Return what is invalid about the result of a tool caller, or None."""
    if answer.get("tool_name") is None:
        return "result missing `tool_name`"
    if all(answer.get(key) is None for key in _OUTCOMES):
        return "result missing `ok`/`success`/`status`"
    ok = answer.get("ok")
    if ok is not None and ok.__class__ is not bool:
        return f"result `ok` must be a bool; got {type_name(ok)}"
    return None


def _completed(call: Call, answer: dict[str, object]) -> dict[str, object]:
    """Return a result with defaults for the keys that a dispatch would set."""
    ok = answer.get("ok")
    if ok is None:
        success = answer.get("success")
        ok = success is True if success is not None else answer.get("status") in _GOOD
    own = {key: value for key, value in answer.items() if value is not None}
    return {**answer, **blank_result(call, OK if ok else ERROR), **own, "ok": ok}
