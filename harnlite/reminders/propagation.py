"""Inheritance: which reminders a child session receives, and how its copies differ."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnlite.reminders.spec import ReminderSpec

INHERITED = "inherited"


def travels(spec: ReminderSpec) -> bool:
    """Return whether a direct child inherits this reminder. Inherited copies with `session` are not passed on."""
    return spec.propagate == "all" or (spec.propagate == "session" and spec.source != INHERITED)


def inheritable(pending: Iterable[ReminderSpec], session_id: str) -> list[ReminderSpec]:
    """Return the copies for a child of this session. They name the session that created the reminder."""
    return [
        spec.changed(source=INHERITED, originating_agent_id=spec.originating_agent_id or session_id, maker=None)
        for spec in pending
        if travels(spec)
    ]
