"""The dispatch of tool calls: decision, execution, post-call hooks, reminder providers, and result."""

from __future__ import annotations

from harnlite.agent.option_values import dicts_in
from harnlite.agent.reminder_providers.evaluation import fire, is_wanted
from harnlite.agent.sessions.current import entering
from harnlite.agent.tools.capability_policies import under_policy
from harnlite.agent.tools.decision import decide
from harnlite.agent.tools.tool_call import (
    BAD_ARGUMENTS,
    REJECTION,
    Call,
    ToolText,
    cancelled,
    denied,
    has_name,
    provider_payload,
    ran,
    rejection_in,
    threw,
    value_text,
)
from harnlite.agent.tools.tool_caller import call_through
from harnlite.agent.tools.tool_events import announce, announce_end, announce_start, trace_end
from harnlite.agent.tools.tool_execution import execute
from harnlite.agent.tools.tool_hooks import run_post_hooks
from harnlite.llm.errors import error_category
from harnlite.reminders.hook_events import POST_TOOL_USE
from harnlite.runtime.tasks.execution import SPANS_KEY
from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.agent.tools.dispatch_options import DispatchOptions
    from harnlite.agent.tools.tool_call import Decision
    from harnlite.agent.tools.tool_execution import Answer
    from harnlite.runtime.tasks.execution import Execution


def dispatch_batch(
    run: Execution, calls: Sequence[dict[str, object]], tools: Sequence[dict[str, object]], options: DispatchOptions
) -> list[dict[str, object]]:
    """Dispatch the calls of one turn, up to `max_concurrent` at a time; the results have the order of the calls."""
    entries = {display(entry.get("name")): entry for entry in tools}
    prepared = [_read_call(call, number, entries) for number, call in enumerate(calls)]
    if options.max_concurrent <= 1 or len(prepared) <= 1:
        return [dispatch(run, call, options) for call in prepared]
    from harnlite.runtime.concurrency.parallel import parallel_each

    return dicts_in(parallel_each(run, prepared, lambda call: dispatch(run, call, options), options.max_concurrent))


def _read_call(call: dict[str, object], number: int, entries: dict[str, dict[str, object]]) -> Call:
    if not has_name(call):
        raise runtime_error("__host_agent_dispatch_tool_call: call.name must be a non-empty string")
    call_id, name, arguments, rejection = (call.get(key) for key in ("id", "name", "arguments", REJECTION))
    made = Call(
        call_id if isinstance(call_id, str) and call_id else f"tc_{number}",
        display(name),
        arguments if arguments.__class__ is dict else {},
        None if rejection else entries.get(display(name)),
    )
    made.rejection = display(rejection) if rejection else None
    return made


def dispatch(run: Execution, call: Call, options: DispatchOptions) -> dict[str, object]:
    """Dispatch one call, through the option `tool_caller` if it is set, and emit its events."""
    session = options.session
    with entering(run, tool_call_id=call.id):
        announce(run, session, call)
        recorder = run.peek(SPANS_KEY)
        span = None if recorder is None else recorder.begin("tool_call", call.name, run.task)
        try:
            result = _result(run, call, options)
        finally:
            if span is not None:
                recorder.end(span)
        announce_end(run, session, result)
        trace_end(run, result, options.iteration)
    return result


def _result(run: Execution, call: Call, options: DispatchOptions) -> dict[str, object]:
    if call.rejection is not None:
        return denied(call, call.rejection, BAD_ARGUMENTS)
    caller = options.tool_caller
    if caller is None:
        return carry_out(run, call, options)
    return call_through(call, options, caller, lambda changed: carry_out(run, changed, options))


def carry_out(run: Execution, call: Call, options: DispatchOptions) -> dict[str, object]:
    """Decide about a call and execute it; return the result of a denial if the call is refused."""
    session = options.session
    decision = decide(run, call, options)
    if decision.reason is not None:
        return _audited(denied(call, decision.reason, decision.category), decision.reports)
    announce_start(run, session, call)
    with under_policy(run, decision.policy, options.command_policy):
        answer = execute(run, session, call, options.retries, options.backoff_ms)
    if decision.finish is not None and answer.error is None and answer.reason is None:
        answer.value = decision.finish(answer.value)
    result = _finish(run, call, decision, answer)
    result["execution_duration_ms"] = int(answer.seconds * 1000)
    return _audited(result, decision.reports)


def _finish(run: Execution, call: Call, decision: Decision, answer: Answer) -> dict[str, object]:
    """Run the hooks and reminder providers after an execution, and return the result of the call."""
    if answer.reason is not None:
        return cancelled(call, answer.reason, answer.executor)
    if answer.error is None:
        original = value_text(answer.value)
        text = ToolText(original, answer.value)
        run_post_hooks(run, call, decision, text)
        result = ran(call, original, text, answer.executor, rejection_in(answer.value))
    else:
        error = uncaught_text(answer.error)
        text = ToolText(error)
        run_post_hooks(run, call, decision, text)
        result = threw(call, error, error_category(answer.error), text, answer.executor)
    result["reminder_provider_report"] = _remind(run, call, decision.options, text, result)
    return result


def _remind(
    run: Execution, call: Call, options: DispatchOptions, text: ToolText, result: dict[str, object]
) -> dict[str, object] | None:
    """Evaluate the reminder providers for a completed call."""
    session, enabled = options.session, options.enabled
    if session is None or enabled is None or not is_wanted(run, POST_TOOL_USE, enabled):
        return None
    failed = None if result["ok"] else {key: result[key] for key in ("status", "error", "error_category")}
    payload = provider_payload(session.id, POST_TOOL_USE, call, text, failed)
    if options.iteration is not None:
        payload["iteration"] = options.iteration
    return fire(run, session, POST_TOOL_USE, payload, options.options, enabled)


def _audited(result: dict[str, object], reports: list[dict[str, object]]) -> dict[str, object]:
    """Add the reports about reminders from hooks to the audit of a result."""
    if reports:
        audit = result.get("audit")
        known: dict[str, object] = audit if audit.__class__ is dict else {}
        result["audit"] = {**known, "reminders": {"origin": "tool_hook", "lifecycle": list(reports)}}
    return result
