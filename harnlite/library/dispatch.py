"""Builtins that dispatch tool calls outside a loop and set the policies that apply to them."""

from __future__ import annotations

from harnlite.agent.option_values import callable_option, int_option, rules_in
from harnlite.agent.reminder_providers.evaluation import enabled_of
from harnlite.agent.sessions.current import current_session_id, entering
from harnlite.agent.sessions.open_sessions import require_session, sessions_of
from harnlite.agent.tools import command_policies
from harnlite.agent.tools.capability_policies import policy_of, under_policy
from harnlite.agent.tools.dispatch import dispatch_batch
from harnlite.agent.tools.dispatch_options import DEFAULT_BACKOFF_MS, DispatchOptions
from harnlite.library.argument_types import dict_argument, expect, expect_closure, expect_dict, expect_list
from harnlite.library.native import native
from harnlite.llm.offered_tools import tool_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution


def _session(run: Execution, function: str, options: dict[str, Any]) -> Session | None:
    named = options.get("session_id")
    if isinstance(named, str) and named:
        return require_session(run, function, named)
    return sessions_of(run).get(current_session_id(run))


def _options(run: Execution, session: Session | None, given: dict[str, Any]) -> DispatchOptions:
    """Return the options of a dispatch outside a loop."""
    iteration = int_option(given, "_iteration", -1)
    return DispatchOptions(
        session=session,
        policy=policy_of(run, given.get("policy")),
        approval_policy=rules_in(given, "approval_policy"),
        command_policy=rules_in(given, "command_policy"),
        permissions=rules_in(given, "permissions"),
        retries=max(0, int_option(given, "tool_retries", 0)),
        backoff_ms=max(0, int_option(given, "tool_backoff_ms", DEFAULT_BACKOFF_MS)),
        max_concurrent=max(1, int_option(given, "max_concurrent_tools", 1)),
        iteration=iteration if iteration >= 0 else None,
        enabled=enabled_of(run, given, is_lenient=True),
        options=given,
        tool_caller=callable_option(given, "tool_caller"),
    )


def _dispatch(
    run: Execution, function: str, calls: Sequence[dict[str, object]], tools: object, options: object
) -> list[dict[str, object]]:
    given = dict_argument(function, "options", options)
    expect(function, "tools", tools, "dict", "list", optional=True)
    session = _session(run, function, given)
    wanted = _options(run, session, given)
    entries = tool_entries(tools)
    if session is None:
        return dispatch_batch(run, calls, entries, wanted)
    before = session.turn
    if session.loop is None and wanted.iteration is not None:
        # Outside a loop, the option stands for the loop's turn number.
        session.turn = wanted.iteration
    try:
        with entering(run, session_id=session.id):
            return dispatch_batch(run, calls, entries, wanted)
    finally:
        if session.loop is None:
            session.turn = before


@native("agent_dispatch_tool_call")
def agent_dispatch_tool_call(
    run: Execution, call: object = None, tools: object = None, options: object = None
) -> dict[str, object]:
    """Dispatch one tool call."""
    function = "agent_dispatch_tool_call"
    return _dispatch(run, function, [expect_dict(function, "call", call)], tools, options)[0]


@native("agent_dispatch_tool_batch")
def agent_dispatch_tool_batch(
    run: Execution, calls: object = None, tools: object = None, options: object = None
) -> list[object]:
    """Dispatch several tool calls and return their results in the same order."""
    function = "agent_dispatch_tool_batch"
    made = [expect_dict(function, "calls", call) for call in expect_list(function, "calls", calls)]
    return [*_dispatch(run, function, made, tools, options)]


@native("with_execution_policy")
def with_execution_policy(run: Execution, policy: object = None, handler: object = None) -> object:
    """Call a closure under a capability policy."""
    function = "with_execution_policy"
    expect(function, "policy", policy, "dict")
    body = expect_closure(function, "handler", handler)
    with under_policy(run, policy_of(run, policy)):
        return body()


@native("command_policy")
def command_policy(config: object = None) -> dict[str, object]:
    """Return a command policy with defaults filled in."""
    return command_policies.normalised(expect_dict("command_policy", "config", config))


@native("command_policy_push")
def command_policy_push(run: Execution, policy: object = None) -> None:
    """Push a command policy, which applies until it is popped."""
    pushed = command_policies.normalised(expect_dict("command_policy_push", "policy", policy))
    command_policies.stack_of(run).append(pushed)


@native("command_policy_pop")
def command_policy_pop(run: Execution) -> None:
    """Remove the command policy that was pushed last."""
    stack = command_policies.stack_of(run)
    if stack:
        stack.pop()
