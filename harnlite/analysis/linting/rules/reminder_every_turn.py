"""HARN-LNT-010: a reminder provider that is evaluated every turn returns reminders that do not replace each other."""

from __future__ import annotations

from harnlite.analysis.linting.context.closure_results import results_of
from harnlite.analysis.linting.context.constant_values import Known, LiteralDict, LiteralList
from harnlite.analysis.linting.context.reminder_sites import hooked, lacks
from harnlite.analysis.linting.context.rule import Rule
from harnlite.reminders.effects import CLEAR
from harnlite.reminders.hook_events import (
    LOOP_CHECKPOINT,
    ON_BUDGET_THRESHOLD,
    POST_AGENT_TURN,
    POST_STEP,
    POST_TOOL_USE,
    POST_TURN,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.analysis.linting.context.constant_values import Unknown
    from harnlite.analysis.linting.context.linted_file import Linting

_EVERY_TURN = frozenset({POST_AGENT_TURN, POST_TURN, ON_BUDGET_THRESHOLD, POST_TOOL_USE, POST_STEP, LOOP_CHECKPOINT})
_LASTING = 2
"""With at least this many turns to live, a reminder still exists when the provider returns the next one."""
_INNER = ("reminder", "spec", "effects", "then")


def _finish(linting: Linting) -> None:
    for one in hooked(linting):
        if one.provider_id is None or _EVERY_TURN.isdisjoint(one.events or ()):
            continue
        for result in results_of(one.function):
            for spec in _specs(linting.literal(result.node)):
                turns = spec.get("ttl_turns")
                if lacks(spec, "dedupe_key") and isinstance(turns, Known) and _lasts(turns.value):
                    linting.report(
                        RULE,
                        spec.node_of("ttl_turns"),
                        f"reminder provider `{one.provider_id}` is evaluated every turn, and its reminders pile up",
                        help=(
                            "give the reminder a `dedupe_key`: the newest reminder with a key replaces the older ones",
                        ),
                    )


def _lasts(turns: object) -> bool:
    return isinstance(turns, int) and turns >= _LASTING


def _specs(value: Known | Unknown) -> Iterator[LiteralDict]:
    """Yield the reminders in the result of a closure."""
    pending = [value]
    while pending:
        one = pending.pop()
        found = one.value if isinstance(one, Known) else None
        if isinstance(found, LiteralList):
            pending += [item for _, item in found.items]
        elif isinstance(found, LiteralDict):
            if CLEAR in found.entries:
                # It may clear the reminder of the previous turn.
                continue
            inner = [found.get(key) for key in _INNER if key in found.entries]
            pending += inner
            if not inner and "body" in found.entries:
                yield found


RULE = Rule(
    "HARN-LNT-010",
    "reminder-every-turn-without-key",
    "a reminder provider that is evaluated every turn returns reminders without a `dedupe_key`",
    finish=_finish,
)
