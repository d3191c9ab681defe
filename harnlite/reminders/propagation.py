"""Which reminders a child session inherits, and what becomes of them on the way."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnlite.reminders.spec import ReminderSpec

INHERITED = "inherited"


def travels(spec: ReminderSpec) -> bool:
    """Say whether a direct child inherits this reminder: `session` does not travel on from an inherited copy."""
    return spec.propagate == "all" or (spec.propagate == "session" and spec.source != INHERITED)


def inheritable(pending: Iterable[ReminderSpec], session_id: str) -> list[ReminderSpec]:
    """Return the copies that a child of this session inherits; they name the session that first had the reminder."""
    return [
        spec.changed(source=INHERITED, originating_agent_id=spec.originating_agent_id or session_id)
        for spec in pending
        if travels(spec)
    ]
