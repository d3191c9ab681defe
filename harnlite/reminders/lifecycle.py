"""The lifecycle of reminders. Each step returns the new transcript and its records; the caller writes the records."""

from __future__ import annotations

from harnlite.reminders.seams import PRE_COMPACT
from harnlite.reminders.spec import PROVIDER_SOURCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any, TypeAlias

    from harnlite.reminders.selector import Selector
    from harnlite.reminders.spec import ReminderSpec
    from harnlite.reminders.transcript import Transcript
    from harnlite.reminders.transcript_store import Entry

    Payload: TypeAlias = dict[str, Any]

TOPIC, KIND_PREFIX = "transcript.reminder.lifecycle", "transcript.reminder."
DEDUPED, EXPIRED = "deduped", "expired"
TTL, COMPACTION, CLEARED = "ttl", "compaction", "cleared"
INVALID, CAPABILITY_MISMATCH = "invalid", "capability_mismatch"


class Record:
    """One record: its kind without `transcript.reminder.`, its payload without session, task and agent.

    The body of a reminder is not part of the payload. Detailed logs store it next to the payload.
    """

    __slots__ = ("_parts", "_payload", "body", "kind")

    def __init__(
        self,
        kind: str,
        payload: Payload | Callable[..., Payload],
        body: str | None = None,
        parts: tuple[object, ...] = (),
    ) -> None:
        self.kind = kind
        self._payload = payload
        self._parts = parts
        self.body = body

    @property
    def payload(self) -> Payload:
        """Return the payload. It may be built from the parts on first use, because most records are never read."""
        made = self._payload
        if not isinstance(made, dict):
            made = self._payload = made(*self._parts)
        return made

    def __repr__(self) -> str:
        return f"Record({self.kind!r}, {self.payload!r})"


# The records.


def _told(spec: ReminderSpec) -> dict[str, Any]:
    told = {
        "reminder_id": spec.id,
        "tags": list(spec.tags),
        "dedupe_key": spec.dedupe_key,
        "source": spec.source,
        "role_hint": spec.role_hint,
        "ttl_turns": spec.ttl_turns,
        "propagate": spec.propagate,
        "originating_agent_id": spec.originating_agent_id,
    }
    if spec.maker is not None and spec.source == PROVIDER_SOURCE:
        told["provider_id"] = spec.maker
    return told


def injected(spec: ReminderSpec) -> Record:
    """Return the record of a reminder that became pending."""
    return Record("injected", _told, spec.body, (spec,))


def inherited(spec: ReminderSpec, child_id: str) -> Record:
    """Return the record of a copy in a child session."""
    return Record(
        "inherited",
        {
            "reminder_id": spec.id,
            "originating_agent_id": spec.originating_agent_id,
            "sub_agent_id": child_id,
            "propagate": spec.propagate,
        },
    )


def dropped(reminder_id: str, reason: str) -> Record:
    """Return the record of a reminder that the next prompt cannot contain."""
    return Record("dropped", {"reminder_id": reminder_id, "reason": reason})


def _deduped(newest: ReminderSpec, older: Sequence[ReminderSpec]) -> Record:
    return Record(DEDUPED, _told_of_deduped, None, (newest, older))


def _told_of_deduped(newest: ReminderSpec, older: Sequence[ReminderSpec]) -> Payload:
    ids = [spec.id for spec in older]
    return {
        "reminder_id": newest.id,
        "replacing_id": newest.id,
        "replaced_id": ids[0],
        "replaced_ids": ids,
        "dedupe_key": newest.dedupe_key,
        "dropped_reminder_ids": ids,
        "dropped_count": len(ids),
    }


def cleared(spec: ReminderSpec) -> Record:
    """Return the record of a reminder that was cleared, also of one that was still queued."""
    return _expired(spec, CLEARED)


def _expired(spec: ReminderSpec, reason: str, **more: Any) -> Record:  # noqa: ANN401 - fields of a payload
    return Record(EXPIRED, _told_of_expired, None, (spec, reason, more))


def _told_of_expired(spec: ReminderSpec, reason: str, more: dict[str, Any]) -> Payload:
    return {**_told(spec), "reason": reason, **more}


# The steps.


class Change:
    """The result of a step: the new transcript and its records."""

    __slots__ = ("records", "transcript")

    def __init__(self, transcript: Transcript, records: list[Record]) -> None:
        self.transcript = transcript
        self.records = records


class Injection(Change):
    """The result of `inject`."""

    __slots__ = ("deduped_count",)

    def __init__(self, transcript: Transcript, records: list[Record], deduped_count: int) -> None:
        super().__init__(transcript, records)
        self.deduped_count = deduped_count


class Removal(Change):
    """The result of a step that removes pending reminders."""

    __slots__ = ("removed_count",)

    def __init__(self, transcript: Transcript, records: list[Record]) -> None:
        super().__init__(transcript, records)
        self.removed_count = len(records)


class Passing(Change):
    """The result of `post_turn`."""

    __slots__ = ("decremented_count", "expired_count", "remaining_count")

    def __init__(self, transcript: Transcript, records: list[Record], decremented: int, remaining: int) -> None:
        super().__init__(transcript, records)
        self.expired_count = len(records)
        self.decremented_count = decremented
        self.remaining_count = remaining


class Compaction(Change):
    """The result of `compaction_pass`. `survivors` are the payloads that a custom compactor receives."""

    __slots__ = ("decremented", "deduped", "expired", "preserved", "survivors")

    survivors: list[dict[str, Any]]
    preserved: int
    expired: int
    decremented: int
    deduped: int


def inject(transcript: Transcript, spec: ReminderSpec, event_id: str | None = None) -> Injection:
    """Add a pending reminder. It replaces pending reminders with the same key."""
    records = []
    deduped_count = 0
    older: list[Entry] = []
    if spec.dedupe_key is not None:
        transcript = transcript.writable()
        older = transcript.entries_by_key(spec.dedupe_key)
        if older:
            records.append(_deduped(spec, [entry.spec for entry in older if entry.spec is not None]))
            deduped_count = len(older)
    records.append(injected(spec))
    return Injection(transcript.with_reminder(spec, event_id, older), records, deduped_count)


def clear(transcript: Transcript, selector: Selector) -> Removal:
    """Remove the pending reminders that match a selector."""
    transcript = transcript.writable()
    key = selector.dedupe_key
    entries = transcript.entries() if key is None else transcript.entries_by_key(key)
    return _cleared(transcript, [entry for entry in entries if entry.spec is not None and selector.matches(entry.spec)])


def clear_ids(transcript: Transcript, ids: Collection[str]) -> Removal:
    """Remove the pending reminders with these ids."""
    transcript = transcript.writable()
    return _cleared(transcript, [entry for entry in transcript.entries() if entry.id in ids])


def _cleared(transcript: Transcript, meant: list[Entry]) -> Removal:
    if not meant:
        return Removal(transcript, [])
    return Removal(transcript.without(meant), [cleared(transcript.spec_of(entry)) for entry in meant])


def matching_ids(transcript: Transcript, selector: Selector) -> list[str]:
    """Return the ids of the pending reminders that match. Any thread may call this."""
    specs = [entry.spec for entry in transcript.entries()]
    return [spec.id for spec in specs if spec is not None and selector.matches(spec)]


def post_turn(transcript: Transcript, turn: int) -> Passing:
    """Age the pending reminders by one turn, except those that are younger than the turn."""
    left, expired, decremented = transcript.aged(turn)
    records = [_expired(spec, TTL, ttl_turns_before=spec.ttl_turns, expired_at_turn=turn) for spec in expired]
    return Passing(left, records, decremented, left.pending_count)


def restart_turns(transcript: Transcript) -> Change:
    """Set the turn of all pending reminders to 0 for a new loop."""
    pending = transcript.pending()
    if not any(spec.fired_at_turn for spec in pending):
        return Change(transcript, [])
    return Change(transcript.with_pending([spec.changed(fired_at_turn=0) for spec in pending]), [])


def drop_invalid(transcript: Transcript) -> Removal:
    """Remove the reminders that cannot be rendered."""
    transcript = transcript.writable()
    broken = transcript.broken()
    if not broken:
        return Removal(transcript, [])
    return Removal(transcript.without(broken), [dropped(entry.id, INVALID) for entry in broken])


def compaction_pass(transcript: Transcript, exempt: Collection[str] = frozenset()) -> Compaction:
    """Age, dedupe and drop pending reminders before messages are compacted.

    Reminders with an exempt id are neither aged nor dropped, but a custom compactor receives them.
    """
    pending = transcript.pending()
    left: list[ReminderSpec | None] = list(pending)
    by_ttl = _age_all(left, exempt)
    aged = _changes(pending, left) - len(by_ttl)
    collapsed = _collapse(left, exempt)
    survivors = [spec.payload() for spec in left if spec is not None]
    by_compaction = _sift(left, exempt)
    kept = [spec for spec in left if spec is not None and spec.id not in exempt]
    records = [*by_ttl, *by_compaction, *collapsed]
    after = transcript.with_pending(left) if _changes(pending, left) else transcript
    change = Compaction(after, records)
    change.survivors = survivors
    change.decremented = aged
    change.expired = len(by_ttl) + len(by_compaction)
    change.deduped = sum(record.payload["dropped_count"] for record in collapsed)
    change.preserved = len(kept)
    return change


def _changes(before: Sequence[ReminderSpec], after: Sequence[ReminderSpec | None]) -> int:
    return sum(was is not now for was, now in zip(before, after, strict=True))


_AT_BOUNDARY = {"expired_at_boundary": PRE_COMPACT, "phase": PRE_COMPACT}


def _age_all(left: list[ReminderSpec | None], exempt: Collection[str]) -> list[Record]:
    records = []
    for place, spec in enumerate(left):
        if spec is None or spec.ttl_turns is None or spec.id in exempt:
            continue
        if spec.ttl_turns > 1:
            left[place] = spec.changed(ttl_turns=spec.ttl_turns - 1)
            continue
        left[place] = None
        more = {"ttl_turns_before": spec.ttl_turns, "expired_at_turn": None, **_AT_BOUNDARY}
        records.append(_expired(spec, TTL, **more))
    return records


def _collapse(left: list[ReminderSpec | None], exempt: Collection[str]) -> list[Record]:
    """Keep only the newest reminder of each key."""
    groups: dict[str, list[tuple[int, ReminderSpec]]] = {}
    for place, spec in enumerate(left):
        if spec is not None and spec.dedupe_key is not None and spec.id not in exempt:
            groups.setdefault(spec.dedupe_key, []).append((place, spec))
    records = []
    for *older, (_, newest) in groups.values():
        if not older:
            continue
        record = _deduped(newest, [spec for _, spec in older])
        record.payload["boundary"] = PRE_COMPACT
        records.append(record)
        for place, _ in older:
            left[place] = None
    return records


def _sift(left: list[ReminderSpec | None], exempt: Collection[str]) -> list[Record]:
    """Keep only the reminders that survive compaction."""
    records = []
    for place, spec in enumerate(left):
        if spec is None or spec.preserve_on_compact or spec.id in exempt:
            continue
        left[place] = None
        records.append(_expired(spec, COMPACTION, **_AT_BOUNDARY))
    return records
