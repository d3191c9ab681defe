"""The event log in memory: small tuples that become records when they are read."""

from __future__ import annotations

import marshal

from harnlite.store.listened_log import ListenedLog, record_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.runtime.tasks.clock import Clock
    from harnlite.store.event_log import Headers, LogRecord, PayloadAt, Row
    from harnlite.store.spilled_records import SpilledRecords

MOST_IN_MEMORY = 20_000
"""The number of records in memory beyond which the older ones are moved to a temporary file."""
_BLOCK = 256
_UNLIMITED = 1 << 62


class Series:
    """Rows whose payloads are built when they are read. The log contains the series once for each row."""

    __slots__ = ("_at", "_first", "_headers", "_kinds", "_payload_at")

    def __init__(
        self, first: int, kinds: Sequence[str], payload_at: PayloadAt, headers: Headers | None, at: float
    ) -> None:
        self._first = first
        self._kinds = kinds
        self._payload_at = payload_at
        self._headers = headers
        self._at = at

    def row(self, index: int) -> Row:
        """Return the row at an index of the log."""
        number = index - self._first
        return self._kinds[number], self._payload_at(number), self._headers, self._at


class Topic:
    """The records of a topic: the number of those that were moved to a file, and the newer ones in memory."""

    __slots__ = ("moved", "name", "rows")

    def __init__(self, name: str) -> None:
        self.name = name
        self.moved = 0
        self.rows: list[Row | Series] = []


class MemoryLog(ListenedLog):
    """A log that exists as long as its run. It keeps a limited number of records in memory, the others in a file."""

    __slots__ = ("_count", "_limit", "_moved", "_topics")

    def __init__(self, clock: Clock, *, detailed: bool = False, limit: int | None = None) -> None:
        super().__init__(clock, detailed=detailed)
        self._topics: dict[str, Topic] = {}
        self._count = 0
        self._limit = MOST_IN_MEMORY if limit is None else limit
        self._moved: SpilledRecords | None = None

    def emit(self, topic: str, kind: str, payload: object, headers: Headers | None = None) -> int:
        """Write a record and return its id."""
        row = (kind, payload, headers, self._clock.now())
        with self._lock:
            kept = self._topics.get(topic)
            if kept is None:
                kept = self._topics[topic] = Topic(topic)
            kept.rows.append(row)
            number = kept.moved + len(kept.rows)
            if self._listeners or self._watchers:
                self._tell(topic, number, (row,))
            self._count += 1
            if self._count > self._limit:
                self._move(kept)
        return number

    def _add(self, topic: str, rows: list[Row]) -> int:
        with self._lock:
            kept = self._topics.setdefault(topic, Topic(topic))
            first = kept.moved + len(kept.rows) + 1
            kept.rows += rows
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
                return
            kept = self._topics.get(topic)
            if kept is None:
                kept = self._topics[topic] = Topic(topic)
            first = kept.moved + len(kept.rows)
            kept.rows += [Series(first, kinds, payload_at, headers, self._clock.now())] * len(kinds)
            self._count += len(kinds)
            if self._count > self._limit:
                self._move(kept)

    def latest(self, topic: str) -> int | None:
        """Return the id of the newest record of a topic, or None."""
        with self._lock:
            kept = self._topics.get(topic)
            return None if kept is None else kept.moved + len(kept.rows) or None

    def read(self, topic: str, after: int = 0, kind_prefix: str = "", limit: int | None = None) -> list[LogRecord]:
        """Return the records of a topic after an id, oldest first."""
        found: list[LogRecord] = []
        after = max(after, 0)
        with self._lock:
            kept = self._topics.get(topic)
            if kept is None:
                return found
            last = kept.moved + len(kept.rows)
            while after < last and (limit is None or len(found) < limit):
                records = self._block(kept, after)
                after = records[-1]["id"]
                found += [record for record in records if record["kind"].startswith(kind_prefix)]
        return found if limit is None else found[:limit]

    def _block(self, kept: Topic, after: int) -> list[LogRecord]:
        """Return some of the records of a topic after an id."""
        if after < kept.moved and self._moved is not None:
            first, data = self._moved.find(kept.name, after + 1)
            rows: list[Row] = marshal.loads(data)  # noqa: S302 - own data
            rows, number = rows[after + 1 - first :], after + 1
        else:
            start = after - kept.moved
            rows, number = self._rows(kept, start, start + _BLOCK), after + 1
        return [record_of(kept.name, one, row, self._redactor) for one, row in enumerate(rows, number)]

    def _rows(self, kept: Topic, start: int, end: int) -> list[Row]:
        """Return rows that are in memory."""
        rows = enumerate(kept.rows[start:end], kept.moved + start)
        return [row.row(index) if isinstance(row, Series) else row for index, row in rows]

    def _move(self, kept: Topic) -> None:
        """Move the oldest records of a topic to the file, or those of a longer one if it has few in memory."""
        try:
            while self._count > self._limit:
                if len(kept.rows) < _BLOCK:
                    kept = max(self._topics.values(), key=lambda topic: len(topic.rows))
                # If every topic is short, all of them are moved at once, so that not every write looks for one.
                for topic in (kept,) if len(kept.rows) >= _BLOCK else self._topics.values():
                    self._move_block(topic)
        except Exception:  # noqa: BLE001 - a disk is full, or a payload cannot be written; then memory has to do
            self._limit = _UNLIMITED

    def _move_block(self, kept: Topic) -> None:
        rows = self._rows(kept, 0, _BLOCK)
        if not rows:
            return
        if self._moved is None:
            from harnlite.store.spilled_records import SpilledRecords

            self._moved = SpilledRecords()
        self._moved.add(kept.name, kept.moved + 1, self._data(rows))
        del kept.rows[: len(rows)]
        kept.moved += len(rows)
        self._count -= len(rows)

    def _data(self, rows: list[Row]) -> bytes:
        """Return rows as bytes, with secrets redacted. Most rows are plain data without the hint of a secret."""
        redactor = self._redactor
        try:
            data = marshal.dumps(rows)
            if not redactor.may_find(data.decode("utf-8", "ignore")):
                return data
        except ValueError:
            pass  # a value that only scripts have
        return marshal.dumps(
            [(kind, redactor.value(payload), redactor.value(headers), at) for kind, payload, headers, at in rows]
        )

    def close(self) -> None:
        """Forget all records, and remove the file."""
        with self._lock:
            self._topics = {}
            self._count = 0
            if self._moved is not None:
                self._moved.close()
                self._moved = None
