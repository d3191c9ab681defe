"""The reminder providers of a loop: the canonical ones, as changed by the list in the option `reminders`."""

from __future__ import annotations

from harnlite.reminders.hook_events import (
    ON_BUDGET_THRESHOLD,
    POST_AGENT_TURN,
    POST_COMPACT,
    POST_STEP,
    POST_TOOL_USE,
    SESSION_IDLE,
    SESSION_START,
    WORKER_RESUMED,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_ENABLED = 8
CANONICAL: dict[str, tuple[str, ...]] = {
    "token_pressure": (ON_BUDGET_THRESHOLD,),
    "idle_nudge": (SESSION_IDLE,),
    "tool_output_truncated": (POST_TOOL_USE,),
    "post_compact_recap": (POST_COMPACT,),
    "resume_continuity": (WORKER_RESUMED,),
    "project_facts": (SESSION_START, ON_BUDGET_THRESHOLD),
    "workspace_anchor": (SESSION_START, ON_BUDGET_THRESHOLD),
    "grounded_review": (POST_TOOL_USE, POST_STEP, POST_AGENT_TURN),
}
"""The canonical reminder providers in order, with their events. A provider is loaded when one of its events occurs."""


class Enabled:
    """The value of the option `reminders`: whether providers run at all, the removed ones, and their configurations."""

    __slots__ = ("_config", "_options", "is_on", "removed")

    def __init__(self, *, is_on: bool, removed: frozenset[str] = frozenset(), options: object = None) -> None:
        self.is_on = is_on
        self.removed = removed
        self._options: dict[str, object] = options if options.__class__ is dict else {}
        config = self._options.get("config")
        self._config: dict[str, object] = config if config.__class__ is dict else {}

    def config_of(self, provider_id: str) -> object:
        """Return the configuration of a reminder provider, or nil."""
        found = self._config.get(provider_id)
        return self._options.get(provider_id) if found is None else found


def select(entries: Iterable[str]) -> tuple[frozenset[str], dict[str, None]]:
    """Read a list of ids. Return the removed ids, and the providers, canonical or named, that remain, in order."""
    kept, removed = dict.fromkeys(CANONICAL), set()
    for entry in entries:
        name = entry.strip()
        if name.startswith("-"):
            name = name[1:].strip()
            kept.pop(name, None)
            removed.add(name)
        elif name:
            kept[name] = None
            removed.discard(name)
    return frozenset(removed), kept


def limit_text(count: int) -> str:
    """Return the text about a loop that enables too many providers."""
    return f"agent_loop: HARN-RMD-007: too many reminder providers enabled: {count} (max {MOST_ENABLED})"
