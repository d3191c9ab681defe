"""The event log in memory: small tuples that become records when they are read."""

from __future__ import annotations

from harnlite.store.listened_log import ListenedLog, record_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.runtime.tasks.clock import Clock
    from harnlite.store.event_log import Headers, LogRecord, PayloadAt, Row


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


class MemoryLog(ListenedLog):
    """A log that exists as long as its run."""

    __slots__ = ("_topics",)

    def __init__(self, clock: Clock, *, detailed: bool = False) -> None:
        super().__init__(clock, detailed=detailed)
        self._topics: dict[str, list[Row | Series]] = {}

    def emit(self, topic: str, kind: str, payload: object, headers: Headers | None = None) -> int:
        """Write a record and return its id."""
        row = (kind, payload, headers, self._clock.now())
        with self._lock:
            rows = self._topics.get(topic)
            if rows is None:
                rows = self._topics[topic] = []
            rows.append(row)
            number = len(rows)
            if self._listeners or self._watchers:
                self._tell(topic, number, (row,))
        return number

    def _add(self, topic: str, rows: list[Row]) -> int:
        with self._lock:
            kept = self._topics.setdefault(topic, [])
            first = len(kept) + 1
            kept += rows
            if self._listeners or self._watchers:
                self._tell(topic, first, rows)
        return first

    def emit_series(
        self, topic: str, kinds: Sequence[str], payload_at: PayloadAt, headers: Headers | None = None
    ) -> None:
        """Write records of these kinds at once. Without subscribers, payloads are built when they are read."""
        with self._lock:
            if self._listeners or self._watchers:
                super().emit_series(topic, kinds, payload_at, headers)
                return
            rows = self._topics.get(topic)
            if rows is None:
                rows = self._topics[topic] = []
            rows += [Series(len(rows), kinds, payload_at, headers, self._clock.now())] * len(kinds)

    def latest(self, topic: str) -> int | None:
        """Return the id of the newest record of a topic, or None."""
        return len(self._topics.get(topic, ())) or None

    def read(self, topic: str, after: int = 0, kind_prefix: str = "", limit: int | None = None) -> list[LogRecord]:
        """Return the records of a topic after an id, oldest first."""
        rows = self._topics.get(topic, [])
        found: list[LogRecord] = []
        for index in range(max(after, 0), len(rows)):
            if limit is not None and len(found) >= limit:
                break
            row = rows[index]
            if isinstance(row, Series):
                row = row.row(index)
            if row[0].startswith(kind_prefix):
                found.append(record_of(topic, index + 1, row, self._redactor))
        return found

    def close(self) -> None:
        """Do nothing: there are no files."""
