"""The event log in memory: small tuples that become records when they are read."""

from __future__ import annotations

import marshal

from harnlite.store.listened_log import ListenedLog, record_of
from harnlite.store.topic_rows import Repetition, Series, TopicRows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from harnlite.runtime.tasks.clock import Clock
    from harnlite.store.event_log import Headers, LogRecord, PayloadAt, RepeatedRecords, Row
    from harnlite.store.spilled_records import SpilledRecords

MOST_IN_MEMORY = 20_000
"""The number of records in memory beyond which the older ones are moved to a temporary file."""
_BLOCK = 256
_MOST_REPEATED = 16
_UNLIMITED = 1 << 62


class MemoryLog(ListenedLog):
    """A log that exists as long as its run. It keeps a limited number of records in memory, the others in a file."""

    __slots__ = ("_count", "_limit", "_moved", "_repeated", "_topics")

    def __init__(self, clock: Clock, *, detailed: bool = False, limit: int | None = None) -> None:
        super().__init__(clock, detailed=detailed)
        self._topics: dict[str, TopicRows] = {}
        self._count = 0
        """The records in memory; a repetition of records that are known counts as one."""
        self._repeated: dict[int, Repetition] = {}
        """The first repetitions of the records that may be repeated soon, by the identity of the records."""
        self._limit = MOST_IN_MEMORY if limit is None else limit
        self._moved: SpilledRecords | None = None

    def emit(self, topic: str, kind: str, payload: object, headers: Headers | None = None) -> int:
        """Write a record and return its id."""
        row = (kind, payload, headers, self._clock.now())
        with self._lock:
            kept = self._topics.get(topic)
            if kept is None:
                kept = self._topics[topic] = TopicRows(topic)
            kept.items.append(row)
            kept.last = number = kept.last + 1
            if self._listeners or self._watchers:
                self._tell(topic, number, (row,))
            self._count += 1
            if self._count > self._limit:
                self._move(kept)
        return number

    def _add(self, topic: str, rows: list[Row]) -> int:
        with self._lock:
            kept = self._topics.setdefault(topic, TopicRows(topic))
            first = kept.last + 1
            kept.items += rows
            kept.last += len(rows)
            if self._listeners or self._watchers:
                self._tell(topic, first, rows)
            self._count += len(rows)
            if self._count > self._limit:
                self._move(kept)
        return first

    def emit_series(
        self, topic: str, kinds: Sequence[str], payload_at: PayloadAt, headers: Headers | None = None
    ) -> None:
        """Write records of these kinds at once. Without subscribers, payloads are built when they are read."""
        with self._lock:
            if self._listeners or self._watchers:
                super().emit_series(topic, kinds, payload_at, headers)
            elif kinds:
                self._add_series(topic, Series(kinds, payload_at, headers, self._clock.now()))

    def emit_repeated(
        self, topic: str, records: RepeatedRecords, common: dict[str, object], headers: Headers | None = None
    ) -> None:
        """Write a record for each part. Without subscribers, the cost does not depend on the number of parts."""
        with self._lock:
            if self._listeners or self._watchers:
                super().emit_repeated(topic, records, common, headers)
            elif records.parts:
                first = self._repeated.get(id(records))
                weight = len(records.parts) if first is None else 1
                repetition = Repetition(records, common, headers, self._clock.now(), weight)
                if first is None:
                    self._repeated[id(records)] = repetition
                    if len(self._repeated) > _MOST_REPEATED:
                        del self._repeated[next(iter(self._repeated))]
                else:
                    first.is_shared = repetition.is_shared = True
                self._add_series(topic, repetition)

    def _add_series(self, topic: str, series: Series | Repetition) -> None:
        kept = self._topics.get(topic)
        if kept is None:
            kept = self._topics[topic] = TopicRows(topic)
        kept.append_series(series)
        self._count += series.weight
        if self._count > self._limit:
            self._move(kept)

    def latest(self, topic: str) -> int | None:
        """Return the id of the newest record of a topic, or None."""
        with self._lock:
            kept = self._topics.get(topic)
            return None if kept is None else kept.last or None

    def read(self, topic: str, after: int = 0, kind_prefix: str = "", limit: int | None = None) -> list[LogRecord]:
        """Return the records of a topic after an id, oldest first."""
        found: list[LogRecord] = []
        after = max(after, 0)
        with self._lock:
            kept = self._topics.get(topic)
            if kept is None:
                return found
            while after < kept.last and (limit is None or len(found) < limit):
                records = self._block(kept, after)
                after = records[-1]["id"]
                found += [record for record in records if record["kind"].startswith(kind_prefix)]
        return found if limit is None else found[:limit]

    def _block(self, kept: TopicRows, after: int) -> list[LogRecord]:
        """Return some of the records of a topic after an id."""
        if after < kept.moved and self._moved is not None:
            rows = self._moved.rows(kept.name, after + 1, _BLOCK)
        else:
            rows = kept.rows(after + 1, _BLOCK)
        return [record_of(kept.name, one, row, self._redactor) for one, row in enumerate(rows, after + 1)]

    def _move(self, kept: TopicRows) -> None:
        """Move the oldest records of a topic to the file, or those of a longer one if it has few in memory."""
        try:
            while self._count > self._limit:
                if kept.weight < _BLOCK:
                    kept = max(self._topics.values(), key=lambda topic: topic.weight)
                # If every topic is short, all of them are moved at once, so that not every write looks for one.
                for topic in (kept,) if kept.weight >= _BLOCK else self._topics.values():
                    self._move_block(topic)
        except Exception:  # noqa: BLE001 - a disk is full, or a payload cannot be written; then memory has to do
            self._limit = _UNLIMITED

    def _move_block(self, kept: TopicRows) -> None:
        items = kept.oldest(_BLOCK)
        if not items:
            return
        if self._moved is None:
            from harnlite.store.spilled_records import SpilledRecords

            self._moved = SpilledRecords()
        stored: list[Any] = []
        for item in items:
            if isinstance(item, Repetition) and item.is_shared:
                stored.append(self._stored_repetition(self._moved, item))
            elif isinstance(item, (Series, Repetition)):
                stored += item.rows(0, item.count)
            else:
                stored.append(item)
        self._moved.add(kept.name, kept.moved + 1, self._data(stored))
        self._count -= kept.remove_oldest(len(items))

    def _stored_repetition(self, moved: SpilledRecords, item: Repetition) -> tuple[Any, ...]:
        """Return the form of a repetition in the file, which refers to the parts; they are written only once."""
        records = item.records
        place = moved.place_of(records)
        if place is None:
            place = moved.add_parts(records, self._data([(records.kind, part, None, 0.0) for part in records.parts]))
        return place, item.common, item.headers, item.at, item.count

    def _data(self, rows: Iterable[tuple[Any, ...]]) -> bytes:
        """Return rows as bytes, with secrets redacted. Most rows are plain data without the hint of a secret.

        The second and the third value of a row are its payload and its headers.
        """
        rows = list(rows)
        try:
            data = marshal.dumps(rows)
        except ValueError:
            data = None  # a value that only scripts have
        if data is not None and not self._redactor.may_find_in(data):
            return data
        value = self._redactor.value
        for index in self._redactor.suspects([_plain_data(row[1:3]) for row in rows]):
            row = rows[index]
            rows[index] = (row[0], value(row[1]), value(row[2]), *row[3:])
        return marshal.dumps(rows)

    def close(self) -> None:
        """Forget all records, and remove the file."""
        with self._lock:
            self._topics = {}
            self._repeated = {}
            self._count = 0
            if self._moved is not None:
                self._moved.close()
                self._moved = None


def _plain_data(values: tuple[Any, ...]) -> bytes | None:
    """Return plain data as bytes, or None for a value that only scripts have."""
    try:
        return marshal.dumps(values)
    except ValueError:
        return None
