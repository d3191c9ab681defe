"""Which reminder providers a loop enables: the canonical ones, changed by the list in its option `reminders`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_ENABLED = 8
CANONICAL: dict[str, tuple[str, ...]] = {
    "token_pressure": ("OnBudgetThreshold",),
    "idle_nudge": ("SessionIdle",),
    "tool_output_truncated": ("PostToolUse",),
    "post_compact_recap": ("PostCompact",),
    "resume_continuity": ("WorkerResumed",),
    "project_facts": ("SessionStart", "OnBudgetThreshold"),
    "workspace_anchor": ("SessionStart", "OnBudgetThreshold"),
    "grounded_review": ("PostToolUse", "PostStep", "PostAgentTurn"),
}
"""The canonical ones in their order, with their events, so that a program is only loaded when its event comes."""


class Enabled:
    """What the option `reminders` says: whether there are any, which ones not, and their configurations."""

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


def select(entries: Iterable[str]) -> tuple[frozenset[str], int]:
    """Read the ids of a list: which are removed in the end, and how many are named or canonical and are not."""
    named, removed = set(CANONICAL), set()
    for entry in entries:
        name = entry.strip()
        if name.startswith("-"):
            name = name[1:].strip()
            named.discard(name)
            removed.add(name)
        elif name:
            named.add(name)
            removed.discard(name)
    return frozenset(removed), len(named)


def limit_text(count: int) -> str:
    """Return what is said of a loop that enables too many."""
    return f"agent_loop: HARN-RMD-007: too many reminder providers enabled: {count} (max {MOST_ENABLED})"
