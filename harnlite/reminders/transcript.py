"""Transcripts: immutable values over a store that a transcript shares with its predecessors and successors.

The cost of a new transcript is the cost of the change. Only the newest transcript on a store may change it; a change to
an older transcript copies the store first. The lists are built on first use.
"""

from __future__ import annotations

from harnlite.reminders.messages import is_message_event
from harnlite.reminders.transcript_store import NEVER, Chronicle, Entry, LazyEvent, item_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any

    from harnlite.reminders.spec import Event, ReminderSpec
    from harnlite.reminders.transcript_store import Item

    Message = dict[str, Any]

TYPE, VERSION = "transcript", 2


class Transcript:
    """Messages, events and a few fields. Callers must not change the returned lists and dicts."""

    __slots__ = (
        "_chronicle",
        "_count",
        "_dict",
        "_events",
        "_fields",
        "_length",
        "_messages",
        "_pending",
        "_version",
        "event_count",
        "message_count",
    )

    def __init__(self, chronicle: Chronicle, fields: dict[str, Any], same_as: Transcript | None = None) -> None:
        self._chronicle = chronicle
        self._fields = fields
        if same_as is None:
            self._version = chronicle.version
            self._count = chronicle.count
            self._length = len(chronicle.log)
            self.message_count = len(chronicle.messages)
            self.event_count = self._length - chronicle.dead
        else:
            for name in ("_version", "_count", "_length", "message_count", "event_count"):
                setattr(self, name, getattr(same_as, name))
        self._messages: list[Message] | None = None
        self._events: list[Event] | None = None
        self._pending: list[ReminderSpec] | None = None
        self._dict: dict[str, Any] | None = None

    @staticmethod
    def new(
        id: str,  # noqa: A002 - as the transcript calls it
        messages: Iterable[Message] = (),
        events: Iterable[Event] = (),
        assets: Iterable[Any] = (),
        summary: str | None = None,
        metadata: dict[str, Any] | None = None,
        state: str | None = None,
    ) -> Transcript:
        """Make a transcript without the fields that are None."""
        fields: dict[str, Any] = {"_type": TYPE, "version": VERSION, "id": id, "assets": list(assets)}
        rest = {"summary": summary, "metadata": metadata, "state": state}
        fields.update({key: value for key, value in rest.items() if value is not None})
        return Transcript(Chronicle(list(messages), map(item_of, events)), fields)

    @staticmethod
    def from_dict(value: object) -> Transcript | None:
        """Read a transcript dict of a script, or return None if the value is not a transcript."""
        if value.__class__ is not dict or value.get("_type") != TYPE:
            return None
        fields: dict[str, Any] = dict(value)
        messages, events = fields.pop("messages", None), fields.pop("events", None)
        if any(part is not None and part.__class__ is not list for part in (messages, events)):
            return None
        return Transcript(Chronicle(list(messages or ()), map(item_of, events or ())), fields)

    # Contents

    @property
    def id(self) -> str:
        """Return the id, or an empty string if a script left it out."""
        given = self._fields.get("id")
        return given if isinstance(given, str) else ""

    @property
    def assets(self) -> list[Any]:
        """Return the assets."""
        given = self._fields.get("assets")
        return given if isinstance(given, list) else []

    @property
    def summary(self) -> str | None:
        """Return the summary of the compacted messages."""
        given = self._fields.get("summary")
        return given if isinstance(given, str) else None

    @property
    def metadata(self) -> dict[str, Any] | None:
        """Return the metadata."""
        given = self._fields.get("metadata")
        return given if isinstance(given, dict) else None

    @property
    def state(self) -> str | None:
        """Return the state, such as `archived`."""
        given = self._fields.get("state")
        return given if isinstance(given, str) else None

    def messages(self) -> list[Message]:
        """Return the messages."""
        if self._messages is None:
            self._messages = self._chronicle.messages[: self.message_count]
        return self._messages

    def messages_from(self, start: int) -> list[Message]:
        """Return the messages from an index on."""
        return self._chronicle.messages[start : self.message_count]

    def events(self) -> list[Event]:
        """Return the events."""
        if self._events is None:
            self._events = [self.event_of(item) if isinstance(item, Entry) else item for item in self.items()]
        return self._events

    def pending(self) -> list[ReminderSpec]:
        """Return the pending reminders, in order."""
        if self._pending is None:
            self._pending = [self.spec_of(entry) for entry in self.entries()]
        return self._pending

    def shown(self) -> list[ReminderSpec]:
        """Return the pending reminders, in order, with their original TTL. The list is cached until they change."""
        if self.is_newest:
            found = self._chronicle.specs()
            if self.is_newest:
                return found
        return [entry.spec for entry in self.entries() if entry.spec is not None]

    def pending_by_key(self, dedupe_key: str) -> list[ReminderSpec]:
        """Return the pending reminders with this key, in order."""
        return [self.spec_of(entry) for entry in self.entries_by_key(dedupe_key)]

    @property
    def pending_count(self) -> int:
        """Return how many reminders are pending."""
        count = len(self._chronicle.alive)
        return count if self.is_newest else len(self.entries())

    def invalid(self) -> list[tuple[str | None, str]]:
        """Return the reminders that cannot be rendered: the ids of their events, and the ids for reports."""
        return [(entry.event_id, entry.id) for entry in self.broken()]

    def as_dict(self) -> dict[str, Any]:
        """Return the dict that scripts see."""
        if self._dict is None:
            self._dict = {**self._fields, "messages": self.messages(), "events": self.events()}
        return self._dict

    # Changed transcripts

    def with_message(self, message: Message, event: Event) -> Transcript:
        """Return a transcript with one more message and its event."""
        chronicle = self._begin()
        chronicle.messages.append(message)
        chronicle.append(item_of(event))
        return Transcript(chronicle, self._fields)

    def with_event(self, event: Event | LazyEvent) -> Transcript:
        """Return a transcript with one more event. A lazy event is not that of a reminder."""
        chronicle = self._begin()
        chronicle.append(event if isinstance(event, LazyEvent) else item_of(event))
        return Transcript(chronicle, self._fields)

    def with_reminder(
        self, spec: ReminderSpec, event_id: str | None = None, replaced: Sequence[Entry] = ()
    ) -> Transcript:
        """Return a transcript with one more pending reminder, whose event is built on first use.

        This transcript must be writable if `replaced` contains entries; they must be its own.
        """
        if not replaced:
            chronicle = self._begin()
        elif self._chronicle.is_wasteful:
            return self.without(replaced).with_reminder(spec, event_id)
        else:
            chronicle = self._chronicle
            chronicle.version += 1
            chronicle.remove(replaced)
        chronicle.append(Entry(spec, event_id))
        return Transcript(chronicle, self._fields)

    def with_fields(self, **fields: Any) -> Transcript:  # noqa: ANN401 - whatever a transcript may have beside its lists
        """Return a transcript with changed fields. None removes a field."""
        merged = {**self._fields, **fields}
        kept = {key: value for key, value in merged.items() if value is not None}
        return Transcript(self._chronicle, kept, self)

    def with_messages(self, messages: Iterable[Message], message_events: Iterable[Event]) -> Transcript:
        """Return a transcript with other messages. Their events come first, all other events follow."""
        rest = [item for item in self._copies() if not is_message_event(item)]
        return Transcript(Chronicle(list(messages), [*map(item_of, message_events), *rest]), self._fields)

    def with_pending(self, specs: Sequence[ReminderSpec | None]) -> Transcript:
        """Return a transcript that replaces each pending reminder with the given one. None removes it."""
        changed = dict(zip((entry.place for entry in self.entries()), specs, strict=True))
        items: list[Item] = []
        for item in self.items():
            if item.__class__ is not Entry:
                items.append(item)
                continue
            entry: Entry = item
            spec = changed.get(entry.place)
            if spec is not None or entry.spec is None:
                items.append(entry.copy(self._count, spec))
        return Transcript(Chronicle(self.messages()[:], items), self._fields)

    def without_events(self, ids: Collection[str]) -> Transcript:
        """Return a transcript without the events with these ids."""
        kept = [item for item in self._copies() if _event_id(item) not in ids]
        return Transcript(Chronicle(self.messages()[:], kept), self._fields)

    # Operations for the lifecycle of reminders. Entries belong to a store, so callers look them up in `writable()`.

    def writable(self) -> Transcript:
        """Return an equal transcript that is the newest on its store."""
        return self if self.is_newest else Transcript(self._own(), self._fields)

    def entries(self) -> list[Entry]:
        """Return the entries of the pending reminders, in order."""
        if self.is_newest:
            found = list(self._chronicle.alive.values())
            # Another thread may have started a newer transcript in the meantime.
            if self.is_newest:
                return found
        return [entry for entry in _entries_in(self.items()) if entry.spec is not None]

    def entries_by_key(self, dedupe_key: str) -> list[Entry]:
        """Return the entries of the pending reminders with this key, in order."""
        if self.is_newest:
            found = list(self._chronicle.by_key.get(dedupe_key, {}).values())
            if self.is_newest:
                return found
        return [entry for entry in self.entries() if entry.spec is not None and entry.spec.dedupe_key == dedupe_key]

    def broken(self) -> list[Entry]:
        """Return the entries of the reminders that cannot be rendered."""
        if self.is_newest:
            found = list(self._chronicle.broken.values())
            if self.is_newest:
                return found
        return [entry for entry in _entries_in(self.items()) if entry.is_broken]

    def spec_of(self, entry: Entry) -> ReminderSpec:
        """Return the reminder of an entry at its current age."""
        return entry.spec_at(self._count)

    def without(self, entries: Sequence[Entry]) -> Transcript:
        """Return a transcript without these entries. This transcript must be writable."""
        self._chronicle.version += 1
        self._chronicle.remove(entries)
        return Transcript(self._chronicle, self._fields)

    def aged(self, turn: int) -> tuple[Transcript, list[ReminderSpec], int]:
        """Run one post-turn pass: return the new transcript, the expired reminders, and the number of aged ones."""
        chronicle = self._begin(turn)
        before = chronicle.count
        expired = [entry.spec_at(before) for entry in chronicle.age(turn)]
        return Transcript(chronicle, self._fields), expired, chronicle.settled

    # Storage

    @property
    def fields(self) -> dict[str, Any]:
        """Return everything but messages and events."""
        return self._fields

    @property
    def extent(self) -> tuple[Chronicle, int, int]:
        """Return the store, the number of messages, and the length of the log.

        Of two transcripts on one store, the newer one has the messages and items of the older one at its beginning;
        only reminders may have been removed.
        """
        return self._chronicle, self.message_count, self._length

    def event_of(self, entry: Entry) -> Event:
        """Return the event of an entry, with the reminder at its current age."""
        return entry.event_at(self._count)

    @property
    def is_newest(self) -> bool:
        """Return whether no newer transcript is on the same store."""
        return self._chronicle.version == self._version

    def _own(self, turn: int = NEVER) -> Chronicle:
        """Return a store that may be changed. A pass for `turn` reaches all settled reminders on it."""
        chronicle = self._chronicle
        if chronicle.version == self._version and turn >= chronicle.floor and not chronicle.is_wasteful:
            return chronicle
        return Chronicle(self.messages()[:], self._copies(), min(turn, 0))

    def _begin(self, turn: int = NEVER) -> Chronicle:
        """Return such a store with a new version, so that readers in other threads see this one as outdated."""
        chronicle = self._own(turn)
        chronicle.version += 1
        return chronicle

    def items(self) -> Iterator[Item]:
        """Yield the events and the entries of reminders, in order."""
        return self._chronicle.items(self._length, self._version)

    def _copies(self) -> Iterator[Item]:
        """Yield all items; reminders are copied for another store."""
        for item in self.items():
            yield item.copy(self._count) if item.__class__ is Entry else item


def _event_id(item: Item) -> Any:  # noqa: ANN401 - whatever a hand-made event has
    if item.__class__ is Entry:
        return item.event_id
    return item.get("id") if item.__class__ is dict else None


def _entries_in(items: Iterable[Item]) -> Iterator[Entry]:
    return (item for item in items if item.__class__ is Entry)
