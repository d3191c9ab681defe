"""The lives of the reminders of a replay as records of an event log, for the timeline."""

from __future__ import annotations

from harnlite.agent_hooks.calls import agent_calls
from harnlite.reminders.lifecycle import KIND_PREFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent_hooks.calls.agent_calls import AgentCall
    from harnlite.agent_hooks.rule_runs import Reply
    from harnlite.agent_hooks.session_state import ActorState, KeptReminder
    from harnlite.store.event_log import LogRecord

_DEDUPED, _EXPIRED, _DROPPED, _INJECTED, _FIRED = "deduped", "expired", "dropped", "injected", "fired"


class Watched:
    """The reminders of an actor before a call."""

    __slots__ = ("call", "generation", "reminders", "told")

    def __init__(self, call: AgentCall, actor: ActorState) -> None:
        self.call = call
        self.generation = actor.counters.generation
        self.reminders = {one.spec.id: one for one in actor.reminders}
        self.told = {one.spec.id for one in actor.reminders if one.is_told}


class Lives:
    """What has happened to the reminders: made, shown, and gone."""

    __slots__ = ("_made", "_shown", "records")

    def __init__(self) -> None:
        self.records: list[LogRecord] = []
        self._made: set[tuple[str, str]] = set()
        self._shown: set[tuple[str, str]] = set()

    @property
    def unseen(self) -> int:
        """Return the number of reminders that no event has shown."""
        return len(self._made - self._shown)

    def watch(self, call: AgentCall, actor: ActorState) -> Watched:
        """Return the state of the reminders before a call."""
        return Watched(call, actor)

    def note(self, before: Watched, actor: ActorState, reply: Reply, now: float) -> None:
        """Record what has changed."""
        place = _Place(before.call, actor, now)
        after = {one.spec.id: one for one in actor.reminders}
        told = {one.spec.id: one for one in reply.told}
        fresh = [one for one in {**told, **after}.values() if one.spec.id not in before.reminders]
        for one in fresh:
            self._made.add((place.session, one.spec.id))
            self._add(place, _INJECTED, one, {**_about(one)}, body=one.spec.body)
        is_compacted = actor.counters.generation != before.generation
        for name, one in before.reminders.items():
            if name not in after:
                self._add_end(place, one, fresh, is_compacted=is_compacted)
        for one in told.values():
            self._shown.add((place.session, one.spec.id))
            self._add(place, _FIRED, one, {"rendered_role": before.call.native})

    def _add_end(self, place: _Place, one: KeptReminder, fresh: list[KeptReminder], *, is_compacted: bool) -> None:
        key = one.spec.dedupe_key
        newer = next((other for other in fresh if key and other.spec.dedupe_key == key), None)
        if is_compacted:
            self._add(place, _DROPPED, one, {"reason": "compaction"})
        elif not one.lives_at(place.turn):
            self._add(place, _EXPIRED, one, {"reason": "ttl"})
        elif newer is not None:
            self._add(place, _DEDUPED, one, {"replaced_ids": [one.spec.id], "replacing_id": newer.spec.id})
        else:
            self._add(place, _DROPPED, one, {"reason": "cleared"})

    def _add(self, place: _Place, kind: str, one: KeptReminder, about: dict[str, Any], body: str = "") -> None:
        number = len(self.records) + 1
        payload = {"session_id": place.session, "reminder_id": one.spec.id, "turn_number": place.turn, **about}
        headers = {"harn.seam": place.seam, "harn.turn": str(place.turn), **({"harn.body": body} if body else {})}
        self.records.append(
            {
                "id": number,
                "cursor": number,
                "topic": "replay",
                "kind": KIND_PREFIX + kind,
                "payload": payload,
                "headers": headers,
                "occurred_at_ms": int(place.time * 1000),
            }
        )


class _Place:
    """Where in the session a call is."""

    __slots__ = ("seam", "session", "time", "turn")

    def __init__(self, call: AgentCall, actor: ActorState, now: float) -> None:
        name = call.actor_type or call.actor
        self.session = f"{call.session} {name}".strip() if call.actor else call.session
        self.turn = actor.counters.turn
        is_new = call.event == agent_calls.SESSION_START
        self.seam = "" if is_new else call.native
        self.time = now


def _about(one: KeptReminder) -> dict[str, Any]:
    spec = one.spec
    found = {name: getattr(spec, name) for name in ("tags", "dedupe_key", "ttl_turns", "propagate")}
    return {**found, "source": str(spec.source), "originating_agent_id": spec.originating_agent_id}
