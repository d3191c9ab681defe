"""The store behind transcripts. It is append-only, and only the newest transcript on it may change it.

One log contains all items in order. A removed reminder stays in the log with the version that removed it, so that older
transcripts still see it. A pass ages all reminders by incrementing a counter: each reminder records the count at which
it started to age, and is in the bucket of the count at which it expires.
"""

from __future__ import annotations

from harnlite.reminders.spec import KIND, PUBLIC, spec_from_payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias

    from harnlite.reminders.spec import Event, Payload, ReminderSpec

    Item: TypeAlias = "Event | Entry"

NEVER = 1 << 62
"""A version or count that is never reached."""
WASTE = 256
"""The number of removed entries that a log may always contain. Beyond it, they may be at most half of the log."""


class Entry:
    """A reminder in the log. The spec is None if the reminder cannot be read."""

    __slots__ = ("_aged", "_event", "_event_id", "_written", "before", "died", "place", "since", "spec")

    def __init__(self, spec: ReminderSpec | None, event_id: str | None = None, event: Event | None = None) -> None:
        self.spec = spec
        self.place = 0
        self.before = 0
        """The number of other events before it in the log."""
        self.died = NEVER
        self.since = NEVER
        self._event_id = event_id
        self._event = event
        self._aged = spec
        self._written: tuple[ReminderSpec, Event] | None = None

    @property
    def is_broken(self) -> bool:
        """Return whether the reminder cannot be rendered."""
        return self.spec is None or not self.spec.body.strip()

    @property
    def id(self) -> str:
        """Return the id for reports about a broken reminder: its own id, or else the id of its event."""
        payload = (self._event or {}).get("reminder")
        given = (self.spec.id if self.spec else payload.get("id") if payload.__class__ is dict else None, self.event_id)
        return next((id_ for id_ in given if id_.__class__ is str and id_), "invalid-reminder")

    @property
    def event_id(self) -> Any:  # noqa: ANN401 - whatever a hand-made event has
        """Return the id of the event."""
        return self._event_id if self._event is None else self._event.get("id")

    def spec_at(self, count: int) -> ReminderSpec:
        """Return the reminder at its age after `count` passes."""
        spec = self.spec
        if spec is None or spec.ttl_turns is None or count <= self.since:
            return spec  # type: ignore[return-value]  # None for an event without a reminder: no caller uses it as one
        left = spec.ttl_turns - (count - self.since)
        aged = self._aged
        if aged is None or aged.ttl_turns != left:
            self._aged = aged = spec.changed(ttl_turns=left)
        return aged

    def event_at(self, count: int) -> Event:
        """Return the event of the reminder at its age after `count` passes."""
        spec = self.spec_at(count)
        if self._event is not None and spec is self.spec:
            return self._event
        written = self._written
        if written is None or written[0] is not spec:
            self._written = written = (spec, self._write(spec))
        return written[1]

    def forget_event(self) -> None:
        """Drop the built event, because the event of a removed reminder is rarely read."""
        self._written = None

    def _write(self, spec: ReminderSpec) -> Event:
        """Build the event. Extra keys of an event that a script made are kept."""
        if self._event is None:
            return spec.event(self._event_id)
        payload: Payload = {**self._event["reminder"], **spec.payload()}
        return {**self._event, "reminder": payload, "metadata": payload}

    def copy(self, count: int, spec: ReminderSpec | None = None) -> Entry:
        """Return a copy for another log, at the age after `count` passes or with another spec."""
        spec = spec or self.spec_at(count)
        if self._event is None or spec is self.spec:
            return Entry(spec, self._event_id, self._event)
        return Entry(spec, self._event_id, self._write(spec))


class LazyEvent:
    """An event that is built when it is read; until then, its parts need less memory."""

    __slots__ = ("_build", "_parts")

    def __init__(self, build: Callable[..., Event], *parts: object) -> None:
        self._build = build
        self._parts = parts

    @property
    def event(self) -> Event:
        """Return the event."""
        return self._build(*self._parts)


def item_of(event: Event) -> Item:
    """Return the log item of an event: an entry for a public reminder, otherwise the event itself."""
    if event.__class__ is not dict or event.get("kind") != KIND or event.get("visibility", PUBLIC) != PUBLIC:
        return event
    return Entry(spec_from_payload(event.get("reminder")), None, event)


class Chronicle:
    """The log of events, the messages, and the indexes that make changes to reminders cheap."""

    __slots__ = (
        "_added",
        "_changes",
        "_expiring",
        "_specs",
        "alive",
        "broken",
        "by_key",
        "count",
        "dead",
        "floor",
        "late",
        "log",
        "messages",
        "settled",
        "version",
    )

    def __init__(self, messages: list[Any], items: Iterable[Item], floor: int = 0) -> None:
        self.messages = messages
        self.log: list[Item | LazyEvent] = []
        self.version = 0
        self.dead = 0
        self.alive: dict[int, Entry] = {}
        self.broken: dict[int, Entry] = {}
        self.by_key: dict[str, dict[int, Entry]] = {}
        # The number of passes, and the lowest turn for which a pass reaches all settled reminders.
        self.count = 0
        self.floor = floor
        self.settled = 0
        self.late: dict[int, list[Entry]] = {}
        self._expiring: dict[int, list[Entry]] = {}
        self._added = 0
        self._changes = 0
        self._specs: tuple[int, list[ReminderSpec]] = (-1, [])
        for item in items:
            self.append(item)

    def append(self, item: Item | LazyEvent) -> None:
        """Append an item to the log."""
        if item.__class__ is Entry:
            self._add(item)
        self.log.append(item)

    def _add(self, entry: Entry) -> None:
        entry.place = place = len(self.log)
        entry.before = place - self._added
        self._added += 1
        if entry.is_broken:
            self.broken[place] = entry
            self._changes += 1
        spec = entry.spec
        if spec is None:
            return
        self.alive[place] = entry
        self._changes += 1
        if spec.dedupe_key is not None:
            self.by_key.setdefault(spec.dedupe_key, {})[place] = entry
        if spec.ttl_turns is None:
            return
        if spec.fired_at_turn <= self.floor:
            self._settle(entry, spec.ttl_turns)
        else:
            self.late.setdefault(spec.fired_at_turn, []).append(entry)

    def _settle(self, entry: Entry, ttl: int) -> None:
        """Start to age a reminder."""
        entry.since = self.count
        self.settled += 1
        self._expiring.setdefault(self.count + max(ttl, 1), []).append(entry)

    def remove(self, entries: Iterable[Entry]) -> None:
        """Remove reminders from this version; older versions keep them."""
        for entry in entries:
            entry.died = self.version
            entry.forget_event()
            self.dead += 1
            if self.broken.pop(entry.place, None) is not None:
                self._changes += 1
            spec = entry.spec
            if spec is None:
                continue
            del self.alive[entry.place]
            self._changes += 1
            self.settled -= entry.since != NEVER
            if spec.dedupe_key is not None:
                same = self.by_key[spec.dedupe_key]
                del same[entry.place]
                if not same:
                    del self.by_key[spec.dedupe_key]

    def age(self, turn: int) -> list[Entry]:
        """Run one pass for a turn not below the floor. Remove the expired reminders and return them in order."""
        for fired in [fired for fired in self.late if fired <= turn]:
            self.floor = max(self.floor, fired)
            for entry in self.late.pop(fired):
                spec = entry.spec
                if entry.died == NEVER and spec is not None and spec.ttl_turns is not None:
                    self._settle(entry, spec.ttl_turns)
        self.count += 1
        expired = [entry for entry in self._expiring.pop(self.count, ()) if entry.died == NEVER]
        expired.sort(key=_place)
        self.remove(expired)
        return expired

    def specs(self) -> list[ReminderSpec]:
        """Return the live reminders with their original TTL. The list is cached until they change."""
        changes, specs = self._specs
        if changes != self._changes:
            changes = self._changes
            specs = [entry.spec for entry in list(self.alive.values()) if entry.spec is not None]
            self._specs = changes, specs
        return specs

    @property
    def reminder_mark(self) -> tuple[int, int]:
        """Return a value that is the same as long as no reminder is added, removed or aged."""
        return self._changes, self.count

    @property
    def is_wasteful(self) -> bool:
        """Return whether more than half of the log are removed entries."""
        return self.dead > WASTE and self.dead * 2 > len(self.log)

    def items(self, length: int, version: int) -> Iterator[Item]:
        """Yield the items of a version whose log has this length."""
        for place in range(length):
            item = self.log[place]
            if isinstance(item, LazyEvent):
                yield item.event
            elif item.__class__ is not Entry or item.died > version:
                yield item


def _place(entry: Entry) -> int:
    return entry.place
