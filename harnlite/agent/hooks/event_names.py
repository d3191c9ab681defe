"""The names of hook events that scripts use, including the one that carries a threshold."""

from __future__ import annotations

from harnlite.reminders.hook_events import (
    ON_BUDGET_THRESHOLD,
    PERSONA_EVENTS,
    REMINDER_EVENTS,
    SESSION_EVENTS,
    TOOL,
    event_named,
    near_event,
)
from harnlite.values.errors import runtime_error

__all__ = ["PERSONA_EVENTS", "REMINDER_EVENTS", "SESSION_EVENTS", "TOOL", "event_hint", "event_named", "persona_event"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_PERCENT = 100


def event_hint(text: str, known: Collection[str]) -> str:
    """Return the end of a message that names the nearest event, or an empty string."""
    near = near_event(text, known)
    return f"; did you mean `{near}`?" if near else ""


def persona_event(function: str, text: str) -> tuple[str, float | None]:
    """Return the event and the threshold in a text such as `OnBudgetThreshold(80)`; the threshold may be omitted."""
    written, opened, rest = text.strip().partition("(")
    name = event_named(written, PERSONA_EVENTS)
    if name is None or (opened and name != ON_BUDGET_THRESHOLD):
        hint = "" if name else event_hint(written, PERSONA_EVENTS)
        raise runtime_error(f"{function}: unknown persona hook event `{text}`{hint}")
    if not opened:
        return name, None
    number = rest.removesuffix(")").strip()
    try:
        percent = float(number)
    except ValueError:
        percent = -1.0
    if not rest.endswith(")") or not 0 <= percent <= _PERCENT:
        raise runtime_error(f"{function}: invalid budget threshold `{number}`")
    return name, percent
