"""Dispatch of tool calls: what may be done, hooks, execution, reminder providers, and what the model sees."""

from __future__ import annotations

from harnlite.agent.reminder_providers.evaluation import fire, is_wanted
from harnlite.agent.sessions.current import entering
from harnlite.agent.tools import tool_hooks
from harnlite.agent.tools.approvals import approval_refusal
from harnlite.agent.tools.command_policies import command_of_tool
from harnlite.agent.tools.permissions import permission_refusal
from harnlite.agent.tools.policies import policy_in_force, policy_refusal, under_policy
from harnlite.agent.tools.tool_call import BAD_ARGUMENTS, Call, cancelled, denied, ran, rejection_in, threw
from harnlite.agent.tools.tool_events import announce, announce_end, announce_start, trace_end
from harnlite.agent.tools.tool_execution import execute
from harnlite.agent.tools.tool_hooks import ToolText
from harnlite.llm.errors import error_category
from harnlite.llm.offered_tools import normalise_arguments, validate_arguments
from harnlite.reminders.hook_events import POST_TOOL_USE
from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnlite.agent.sessions.session import Session
    from harnlite.agent.tools.policies import Policy
    from harnlite.agent.tools.tool_execution import Answer
    from harnlite.reminders.enabled_providers import Enabled
    from harnlite.runtime.tasks.execution import Execution

DEFAULT_BACKOFF_MS = 1000


class DispatchOptions:
    """On whose behalf calls are made, and by which rules; `iteration` is 1-based, nil outside of a loop."""

    __slots__ = (
        "approval_policy",
        "backoff_ms",
        "command_policy",
        "enabled",
        "iteration",
        "max_concurrent",
        "options",
        "permissions",
        "policy",
        "retries",
        "session",
        "tool_caller",
    )

    def __init__(  # noqa: PLR0913 - each is a keyword with a default
        self,
        *,
        session: Session | None = None,
        policy: Policy | None = None,
        approval_policy: object = None,
        command_policy: object = None,
        permissions: object = None,
        retries: int = 0,
        backoff_ms: int = DEFAULT_BACKOFF_MS,
        max_concurrent: int = 1,
        iteration: int | None = None,
        enabled: Enabled | None = None,
        options: dict[str, object] | None = None,
        tool_caller: Callable[..., object] | None = None,
    ) -> None:
        self.session = session
        self.policy = policy
        self.approval_policy = approval_policy
        self.command_policy = command_policy
        self.permissions = permissions
        self.retries = retries
        self.backoff_ms = backoff_ms
        self.max_concurrent = max_concurrent
        self.iteration = iteration
        self.enabled = enabled
        self.options = options or {}
        self.tool_caller = tool_caller


def dispatch_batch(
    run: Execution, calls: Sequence[dict[str, object]], tools: Sequence[dict[str, object]], options: DispatchOptions
) -> list[dict[str, object]]:
    """Dispatch the calls of one turn, so many at a time as the options say; the results keep their order."""
    entries = {display(entry.get("name")): entry for entry in tools}
    made = [_read_call(call, number, entries) for number, call in enumerate(calls)]
    if options.max_concurrent <= 1 or len(made) <= 1:
        return [dispatch(run, call, options) for call in made]
    from harnlite.runtime.concurrency.parallel import parallel_each

    return parallel_each(run, made, lambda call: dispatch(run, call, options), options.max_concurrent)  # type: ignore[return-value]


def _read_call(call: dict[str, object], number: int, entries: dict[str, dict[str, object]]) -> Call:
    name = call.get("name")
    if not isinstance(name, str) or not name.strip():
        raise runtime_error("__host_agent_dispatch_tool_call: call.name must be a non-empty string")
    call_id, arguments = call.get("id"), call.get("arguments")
    return Call(
        call_id if isinstance(call_id, str) and call_id else f"tc_{number}",
        name,
        arguments if arguments.__class__ is dict else {},
        entries.get(name),
    )


def dispatch(run: Execution, call: Call, options: DispatchOptions) -> dict[str, object]:
    """Dispatch one call, through the caller of the options if there is one, and tell of it."""
    session = options.session
    with entering(run, tool_call_id=call.id):
        announce(run, session, call)
        if options.tool_caller is None:
            result = carry_out(run, call, options)
        else:
            from harnlite.agent.tools.tool_caller import call_through

            made = options.tool_caller
            result = call_through(call, options, made, lambda changed: carry_out(run, changed, options))
        announce_end(run, session, result)
        trace_end(run, result, options.iteration)
    return result


def carry_out(run: Execution, call: Call, options: DispatchOptions) -> dict[str, object]:
    """Take the steps of one call; a refusal ends it where it is found."""
    session = options.session
    call.arguments = normalise_arguments(call.entry, call.arguments)
    refusal = (
        policy_refusal(run, call, options)
        or permission_refusal(run, call, options)
        or approval_refusal(run, call, options)
    )
    command = command_of_tool(run, call, options) if refusal is None else None
    if command is not None:
        refusal = command.refusal()
    if refusal is not None:
        return denied(call, refusal)
    reports: list[dict[str, object]] = []
    deny = tool_hooks.before(run, session, call, reports)
    if deny is not None:
        return _audited(denied(call, deny), reports)
    missing = validate_arguments(call.entry, {**call.taken, **call.arguments})
    if missing is not None:
        return _audited(denied(call, missing, BAD_ARGUMENTS), reports)
    announce_start(run, session, call)
    with under_policy(run, policy_in_force(run, options.policy), command_policy=options.command_policy):
        answer = execute(run, session, call, options.retries, options.backoff_ms)
    if command is not None and answer.error is None and answer.reason is None:
        answer.value = command.outcome(answer.value)
    result = _finish(run, call, options, answer, reports)
    result["execution_duration_ms"] = int(answer.seconds * 1000)
    return _audited(result, reports)


def _finish(
    run: Execution, call: Call, options: DispatchOptions, answer: Answer, reports: list[dict[str, object]]
) -> dict[str, object]:
    """Run what comes after an execution, and make the result."""
    if answer.reason is not None:
        return cancelled(call, answer.reason, answer.executor)
    if answer.error is None:
        original = answer.value if isinstance(answer.value, str) else display(answer.value)
        is_cut = answer.value.__class__ is dict and answer.value.get("truncated") is True
        text = ToolText(original, is_cut=is_cut)
        tool_hooks.after(run, options.session, call, text, reports)
        result = ran(call, original, text, answer.executor, rejection_in(answer.value))
    else:
        error = uncaught_text(answer.error)
        text = ToolText(error)
        tool_hooks.after(run, options.session, call, text, reports)
        result = threw(call, error, error_category(answer.error), text, answer.executor)
    result["reminder_provider_report"] = _remind(run, call, options, text, result)
    return result


def _remind(
    run: Execution, call: Call, options: DispatchOptions, text: ToolText, result: dict[str, object]
) -> dict[str, object] | None:
    """Evaluate the reminder providers for the end of a call."""
    session, enabled = options.session, options.enabled
    if session is None or enabled is None or not is_wanted(run, POST_TOOL_USE, enabled):
        return None
    facts = text.facts()
    payload: dict[str, object] = {
        "event": POST_TOOL_USE,
        "session": {"id": session.id},
        "tool": {"name": call.name, "args": call.arguments},
        "tool_name": call.name,
        "result": facts,
        "truncated": facts["truncated"],
        "original_size": facts["original_size"],
        "final_size": facts["final_size"],
    }
    if options.iteration is not None:
        payload["iteration"] = options.iteration
    if not result["ok"]:
        failed = {key: result[key] for key in ("status", "error", "error_category")}
        payload.update(failed, ok=False)
    return fire(run, session, POST_TOOL_USE, payload, options.options, enabled)


def _audited(result: dict[str, object], reports: list[dict[str, object]]) -> dict[str, object]:
    """Add what hooks have left behind in the session."""
    if reports:
        audit = result.get("audit")
        known: dict[str, object] = audit if audit.__class__ is dict else {}
        result["audit"] = {**known, "reminders": {"origin": "tool_hook", "lifecycle": list(reports)}}
    return result
