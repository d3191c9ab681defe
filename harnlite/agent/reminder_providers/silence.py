"""Checks that a canonical reminder provider would return no reminder, so that its program need not be loaded and run.

Most providers return no reminder at most events. If a check is not certain, the program of the provider decides.
"""

from __future__ import annotations

import stat

from harnlite.agent.reminder_providers.context_usage import context_usage
from harnlite.reminders.hook_events import POST_AGENT_TURN, SESSION_START
from harnlite.runtime.access_control import kind_at, readable_place
from harnlite.store.memory_folder import memory_root
from harnlite.values.data_types import MISSING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent.reminder_providers.context_usage import Usage
    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution

_LEAST_PRESSURE = 0.70
_TURN_KEYS = frozenset({"event", "session", "session_id", "iteration", "turn", "verifier_signals", "verifier_outcome"})


class Occasion:
    """An event for which reminder providers are about to be evaluated."""

    __slots__ = ("_usage", "event", "options", "payload", "run", "session")

    def __init__(
        self, run: Execution, session: Session, event: str, payload: dict[str, object], options: dict[str, object]
    ) -> None:
        self.run = run
        self.session = session
        self.event = event
        self.payload = payload
        self.options = options
        self._usage: Usage | None = MISSING

    @property
    def has_room(self) -> bool:
        """Return whether the usage of the context window is low or unknown."""
        if self._usage is MISSING:
            self._usage = context_usage(self.run, self.payload, self.options)
        usage = self._usage
        return usage is None or usage["ratio"] < _LEAST_PRESSURE

    def is_silent(self, provider_id: str, config: object) -> bool:
        """Return whether a canonical provider with this configuration certainly returns no reminder."""
        check = _CHECKS.get(provider_id)
        return check is not None and check(self, config)


def _without_pressure(occasion: Occasion, _config: object) -> bool:
    return occasion.has_room


def _without_facts(occasion: Occasion, config: object) -> bool:
    if config is not None:
        return False
    if occasion.event == SESSION_START:
        return not stat.S_ISDIR(kind_at(readable_place(occasion.run, "recall_facts", memory_root(occasion.run, {}))))
    return occasion.has_room


def _without_anchor(occasion: Occasion, _config: object) -> bool:
    return occasion.session.workspace_anchor is None


def _without_truncation(occasion: Occasion, _config: object) -> bool:
    result = occasion.payload.get("result")
    parts = [occasion.payload, result if isinstance(result, dict) else {}]
    return all(part.get("truncated") in (None, False) for part in parts)


def _without_evidence(occasion: Occasion, config: object) -> bool:
    payload = occasion.payload
    if occasion.event == POST_AGENT_TURN and _TURN_KEYS.issuperset(payload):
        return not payload.get("verifier_signals") and not payload.get("verifier_outcome")
    from harnlite.agent.reminder_providers.grounded_review import review

    return review(occasion.event, payload, config) is None


_CHECKS: dict[str, Callable[[Occasion, object], bool]] = {
    "token_pressure": _without_pressure,
    "project_facts": _without_facts,
    "workspace_anchor": _without_anchor,
    "tool_output_truncated": _without_truncation,
    "grounded_review": _without_evidence,
}
