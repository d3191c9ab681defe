"""The state of a session between the events of its agent: pending reminders, what was told, counters and shared values.

It is plain data without files, so that a replay of a recorded session can use it too.
"""

from __future__ import annotations

from harnlite.agent_hooks.calls import agent_calls
from harnlite.agent_hooks.counters import Counters
from harnlite.agent_hooks.state_folder import short_digest
from harnlite.reminders.spec import spec_from_payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.reminders.spec import ReminderSpec

MAIN = ""
"""The actor that is not a sub-agent."""


class KeptReminder:
    """A reminder whose turns are not over."""

    __slots__ = ("first_turn", "is_told", "spec")

    def __init__(self, spec: ReminderSpec, first_turn: int, *, is_told: bool = False) -> None:
        self.spec = spec
        """The reminder with all of its turns."""
        self.first_turn = first_turn
        """The turn from which its turns count."""
        self.is_told = is_told

    @property
    def identity(self) -> tuple[str | None, str]:
        """Return what makes two reminders the same text: the key and the body."""
        return self.spec.dedupe_key, short_digest(self.spec.body)

    def left_at(self, turn: int) -> int | None:
        """Return the number of its turns that are left, or None if they are not limited."""
        given = self.spec.ttl_turns
        return None if given is None else given - max(0, turn - self.first_turn)

    def lives_at(self, turn: int) -> bool:
        """Return whether its turns are not over."""
        left = self.left_at(turn)
        return left is None or left > 0

    def name(self) -> str:
        """Return the name for the log: the key, the provider or event that made it, or its id."""
        return self.spec.dedupe_key or self.spec.maker or self.spec.id

    def fields(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "reminder": self.spec.payload(),
            "maker": self.spec.maker,
            "first_turn": self.first_turn,
            "is_told": self.is_told,
        }


def _kept(fields: object) -> KeptReminder | None:
    if not isinstance(fields, dict):
        return None
    spec, first = spec_from_payload(fields.get("reminder")), fields.get("first_turn")
    if spec is None or not isinstance(first, int):
        return None
    maker = fields.get("maker")
    spec.maker = maker if isinstance(maker, str) else None
    return KeptReminder(spec, first, is_told=fields.get("is_told") is True)


class ActorState:
    """The state of the main conversation or of a sub-agent."""

    __slots__ = ("cells", "counters", "maps", "reminders")

    def __init__(self, counters: Counters | None = None) -> None:
        self.counters = counters or Counters()
        self.reminders: list[KeptReminder] = []
        """The reminders whose turns are not over, in order."""
        self.cells: dict[str, Any] = {}
        """The values of the shared cells whose scope is the session."""
        self.maps: dict[str, dict[str, Any]] = {}

    def expire(self) -> None:
        """Remove the reminders whose turns are over."""
        turn = self.counters.turn
        self.reminders = [one for one in self.reminders if one.lives_at(turn)]

    def compact(self) -> None:
        """Begin a new generation: only preserved reminders live on, and they are told again."""
        counters = self.counters
        self.reminders = [one for one in self.reminders if one.spec.preserve_on_compact]
        for one in self.reminders:
            one.is_told = False
        counters.generation += 1
        counters.fired, counters.compacting = [], []

    def reset(self) -> None:
        """Forget everything but the rules, and the deliveries of this start of the session."""
        before = self.counters
        self.__init__()  # type: ignore[misc]  # the state of a new session
        for name in ("seq", "wanted", "thresholds", "stamp", "window"):
            setattr(self.counters, name, getattr(before, name))
        self.counters.recent = [entry for entry in before.recent if entry[0].startswith(agent_calls.SESSION_START)]

    @property
    def untold(self) -> list[KeptReminder]:
        """Return the reminders that no event has shown, those that survive compactions first."""
        found = [one for one in self.reminders if not one.is_told]
        return sorted(found, key=lambda one: not one.spec.preserve_on_compact)

    def fields(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "counters": self.counters.fields(),
            "reminders": [one.fields() for one in self.reminders],
            "cells": self.cells,
            "maps": self.maps,
        }

    @staticmethod
    def from_fields(fields: dict[str, Any]) -> ActorState:
        """Return the state with this JSON form; parts that are not valid are left out."""
        counters = fields.get("counters")
        state = ActorState(Counters(counters if isinstance(counters, dict) else None))
        reminders = fields.get("reminders")
        found = map(_kept, reminders if isinstance(reminders, list) else [])
        state.reminders = [one for one in found if one is not None]
        cells, maps = fields.get("cells"), fields.get("maps")
        state.cells = cells if isinstance(cells, dict) else {}
        entries = maps.items() if isinstance(maps, dict) else ()
        state.maps = {key: value for key, value in entries if isinstance(value, dict)}
        return state


class SessionState:
    """The state of a session for one set of rules: that of the main conversation and those of its sub-agents."""

    __slots__ = ("actors",)

    def __init__(self) -> None:
        self.actors: dict[str, ActorState] = {}

    def actor(self, name: str = MAIN) -> ActorState:
        """Return the state of an actor; it is created on first use."""
        found = self.actors.get(name)
        if found is None:
            found = self.actors[name] = ActorState()
        return found
