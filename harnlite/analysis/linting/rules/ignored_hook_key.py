"""HARN-LNT-025: a hook returns a dict with a key that its event ignores."""

from __future__ import annotations

from harnlite.analysis.linting.context.closure_results import results_of
from harnlite.analysis.linting.context.reminder_sites import as_dict, hooked
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.suggest import near_name
from harnlite.reminders.effects import CONTROL_KEYS, EFFECT_KEYS, TYPED_KEYS, control_keys
from harnlite.reminders.wire import OPTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting

_ADDING = EFFECT_KEYS | {"body"}
"""A dict with one of these is a reminder effect, in which other unknown keys are errors of reminders."""
_MEANT = {"modify": "args", "args": "modify", "block": "deny", "deny": "block", "output": "result", "result": "output"}
"""The keys with which other events do the same."""


def _finish(linting: Linting) -> None:
    for one in hooked(linting):
        if one.provider_id is not None or not one.events:
            continue
        known = [control_keys(event) for event in one.events]
        used = frozenset().union(*known)
        for result in results_of(one.function):
            found = as_dict(linting.literal(result.node))
            if found is None:
                continue
            ignored = CONTROL_KEYS - used
            if _ADDING.isdisjoint(found.entries):
                ignored = frozenset(found.entries) - used - TYPED_KEYS - OPTIONS.keys()
            for key, entry in found.entries.items():
                if key in ignored:
                    message = f"a {one.event} hook ignores the key `{key}`"
                    linting.report(RULE, entry.key, message, help=_advice(key, sorted(used)))


def _advice(key: str, used: list[str]) -> tuple[str, ...]:
    near = _MEANT.get(key)
    if near not in used:
        near = near_name(key, used)
    if near is not None:
        return (f"did you mean `{near}`?",)
    names = ", ".join(f"`{name}`" for name in [*used, "reminder"])
    return (f"it reads {names}",)


RULE = Rule(
    "HARN-LNT-025", "ignored-hook-key", "a hook returns a dict with a key that its event ignores", finish=_finish
)
