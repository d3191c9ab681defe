"""HARN-LNT-009: a loop injects reminders that do not replace each other."""

from __future__ import annotations

from itertools import pairwise

from harnlite.analysis.linting.context.closure_results import OWN_BODIES
from harnlite.analysis.linting.context.reminder_sites import (
    BRIDGE,
    CLEARING,
    INJECT,
    SESSION_INJECT,
    argument,
    as_dict,
    calls_of,
    dict_argument,
    lacks,
)
from harnlite.analysis.linting.context.rule import Rule
from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.constant_values import LiteralDict
    from harnlite.analysis.linting.context.linted_file import Linting
    from harnlite.analysis.linting.context.reminder_sites import Call

_INJECTING = frozenset({INJECT, SESSION_INJECT, BRIDGE})
_LOOPS = (nodes.ForStmt, nodes.WhileStmt)
_LEAVING = (nodes.BreakStmt, nodes.ReturnStmt, nodes.ThrowStmt)
_TARGET, _OPTIONS = 0, 1
_CLEARING = CLEARING | {"agent_session_reset"}
_AGING = frozenset({"agent_loop", "agent_session_apply_reminder_post_turn"})
"""The calls after which a turn has passed."""


def _finish(linting: Linting) -> None:
    for name, call in calls_of(linting):
        given = dict_argument(linting, call, _OPTIONS) if name in _INJECTING else None
        if given is None:
            continue
        given = as_dict(given.get("reminder")) or given if name == BRIDGE else given
        loop = _loop_around(linting, call) if "body" in given.entries and lacks(given, "dedupe_key") else None
        if loop is None or _is_enumerated(linting, given, loop) or _is_emptied(given, loop):
            continue
        if _piles_up(linting, name, call, loop):
            linting.report(
                RULE,
                given.node,
                "this loop injects a new reminder in each iteration, and none replaces the previous one",
                help=("give the reminder a `dedupe_key`: the newest reminder with a key replaces the older ones",),
            )


def _loop_around(linting: Linting, call: Call) -> nodes.Node | None:
    """Return the loop that repeats a call; None if the loop ends right after the call."""
    way: list[nodes.Node] = [call]
    above = linting.parents.get(call)
    while above is not None and not isinstance(above, OWN_BODIES):
        if isinstance(above, _LOOPS) and way[-1] is above.body:
            return None if any(_leaves(one, below) for below, one in pairwise(way)) else above
        way.append(above)
        above = linting.parents.get(above)
    return None


def _leaves(block: nodes.Node, below: nodes.Node) -> bool:
    """Return whether a statement at or after a node ends the block."""
    return isinstance(block, nodes.Block) and any(
        isinstance(one, _LEAVING) and one.start >= below.start for one in block.statements
    )


def _is_enumerated(linting: Linting, given: LiteralDict, loop: nodes.Node) -> bool:
    """Return whether the reminders of a loop differ in more than their text, so that each one is intended."""
    fields = [entry.node for key, entry in given.entries.items() if key != "body"]
    return any(_is_made_within(linting, field, loop) for field in fields)


def _is_emptied(given: LiteralDict, loop: nodes.Node) -> bool:
    """Return whether a loop also removes reminders: it clears some, or they expire because turns pass in it."""
    called = {_name(one) for one in walk(loop) if isinstance(one, (nodes.CallExpr, nodes.MethodCallExpr))}
    return not _CLEARING.isdisjoint(called) or not (lacks(given, "ttl_turns") or _AGING.isdisjoint(called))


def _name(call: Call) -> str | None:
    if isinstance(call, nodes.MethodCallExpr):
        return f"{call.receiver.name}.{call.name.text}" if isinstance(call.receiver, nodes.NameExpr) else None
    return call.callee.name if isinstance(call.callee, nodes.NameExpr) else None


def _is_made_within(linting: Linting, node: nodes.Node, loop: nodes.Node) -> bool:
    """Return whether an expression reads a name that is bound again in each iteration."""
    bindings = [linting.resolution.bindings.get(one) for one in walk(node) if isinstance(one, nodes.NameExpr)]
    return any(binding is not None and _is_within(binding.decl, loop) for binding in bindings)


def _piles_up(linting: Linting, name: str, call: Call, loop: nodes.Node) -> bool:
    """Return whether a call adds to the same session or transcript in each iteration, which keeps the reminders."""
    target = argument(call, _TARGET)
    if target is None:
        return False
    if _is_made_within(linting, target, loop):
        return False
    if name != INJECT:
        return True
    # The call itself changes nothing; reminders accumulate if the loop assigns its result to a variable that it reads.
    bindings = [linting.resolution.bindings.get(one) for one in walk(target) if isinstance(one, nodes.NameExpr)]
    return any(
        isinstance(value, nodes.AssignStmt) and _is_within(value, loop)
        for binding in bindings
        if binding is not None
        for value in binding.values
        if isinstance(value, nodes.Node)
    )


def _is_within(node: nodes.Node, loop: nodes.Node) -> bool:
    return loop.start <= node.start and node.end <= loop.end


RULE = Rule(
    "HARN-LNT-009",
    "reminder-in-loop-without-key",
    "a loop injects reminders without a `dedupe_key`",
    finish=_finish,
)
