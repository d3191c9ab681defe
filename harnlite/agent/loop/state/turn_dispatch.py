"""The dispatch of the calls of a turn, and the placeholder results of calls that do not run."""

from __future__ import annotations

from harnlite.agent.loop.state.loop_options import DEFAULTS
from harnlite.agent.loop.state.totals import note_tools
from harnlite.agent.option_values import declared_int
from harnlite.agent.sessions.recording import record_tool_results
from harnlite.agent.tools.dispatch import dispatch_batch
from harnlite.agent.tools.dispatch_options import DispatchOptions
from harnlite.agent.tools.plans import note_plans
from harnlite.agent.tools.tool_call import INTERRUPTED, kind_of, not_dispatched, readable_call
from harnlite.reminders.seams import INTERRUPT_IMMEDIATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harnlite.agent.loop.state.loop_state import Loop, Turn

_SKIPPED = "the turn ended before this tool call was dispatched"


def carry_out(loop: Loop, turn: Turn) -> None:
    """Run the calls of the turn and record their results."""
    turn.results = dispatch_batch(loop.run, turn.calls, loop.offered, _dispatch_options(loop, turn))
    _take_results(loop, turn)
    note_plans(loop.run, loop.session, turn.results)
    if loop.stall is not None:
        loop.stall.note(turn.results)
    loop.has_tool_result = True


def _dispatch_options(loop: Loop, turn: Turn) -> DispatchOptions:
    options = loop.options
    given = options.given
    return DispatchOptions(
        session=loop.session,
        policy=options.policy,
        approval_policy=options.approval_policy,
        command_policy=options.command_policy,
        permissions=options.permissions,
        retries=options.numbers["tool_retries"],
        backoff_ms=declared_int(given, "tool_backoff_ms", DEFAULTS),
        max_concurrent=options.max_concurrent_tools,
        iteration=turn.number,
        enabled=options.enabled,
        options=given,
        tool_caller=options.tool_caller,
    )


def _take_results(loop: Loop, turn: Turn) -> None:
    record_tool_results(loop.run, loop.session, turn.results, loop.mode, loop.wire)
    note_tools(loop.totals, turn.calls, turn.results)
    loop.last_result = turn.results[-1]
    loop.succeeded_tools.update(str(result.get("tool_name")) for result in turn.results if result.get("ok"))


def interrupt_calls(loop: Loop, turn: Turn) -> None:
    """Record placeholder results for the calls of an interrupted turn; none of them runs."""
    turn.skip_reason = INTERRUPT_IMMEDIATE
    if turn.calls:
        turn.results = [_placeholder(call, number, INTERRUPTED) for number, call in enumerate(turn.calls)]
        if loop.session.keeper is not None:
            loop.session.keeper.skipped(_with_kinds(loop, turn.calls), turn.results)
        _take_results(loop, turn)
        loop.has_tool_result = True


def _with_kinds(loop: Loop, calls: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return calls with the kinds of their tools."""
    offered = {str(entry.get("name")): entry for entry in loop.offered}
    return [{**call, "kind": kind_of(offered.get(str(call.get("name"))))} for call in calls]


def answer_with_placeholders(loop: Loop, turn: Turn) -> None:
    """Record placeholder results for native calls that do not run."""
    calls = turn.reply.get("native_tool_calls") or ()
    results = [_placeholder(call, number, _SKIPPED) for number, call in enumerate(calls)]
    record_tool_results(loop.run, loop.session, results, loop.mode, loop.wire)


def _placeholder(call: dict[str, Any], number: int, reason: str) -> dict[str, Any]:
    call_id, arguments = call.get("id"), call.get("arguments")
    return not_dispatched(
        call_id if isinstance(call_id, str) and call_id else f"tc_{number}",
        str(readable_call(call)["name"]),
        arguments if isinstance(arguments, dict) else {},
        reason,
    )
