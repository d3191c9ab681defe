"""What all event logs share: a lock around each change, a clock, and those who are told of new records."""

from __future__ import annotations

import _thread
from abc import ABC, abstractmethod

from harnlite.known_keys import environment_keys
from harnlite.store.redaction import Redactor
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from harnlite.runtime.tasks.clock import Clock
    from harnlite.store.event_log import Headers, Item, LogRecord, OnRecord, PayloadAt, RepeatedRecords, Row, Text
    from harnlite.values.errors import ScriptError

_FEW_BRACKETS = 100
_SHORT = 2 * _FEW_BRACKETS
"""No JSON text of this length is nested deeper than `_FEW_BRACKETS`, because each bracket is closed."""
LARGEST_ID = 2**63 - 1
_AT_ONCE = 64


def write_error(path: str, reason: object) -> ScriptError:
    """Return the error for records that could not be written."""
    return runtime_error(f"event_log: cannot write {path}: {reason}")


def read_error(path: str, reason: object) -> ScriptError:
    """Return the error for records that could not be read."""
    return runtime_error(f"event_log: cannot read {path}: {reason}")


def next_ids(path: str, topic: str, first: int, texts: Sequence[Text]) -> Iterable[tuple[int, Text]]:
    """Return texts with their ids. Raise an error if the ids would exceed the largest one."""
    if first + len(texts) > LARGEST_ID:
        raise write_error(path, f"the topic '{topic}' has no more ids")
    return enumerate(texts, first)


def record_of(topic: str, number: int, row: Row, redactor: Redactor) -> LogRecord:
    """Return a record with its secrets redacted."""
    kind, payload, headers, at = row
    return {
        "id": number,
        "cursor": number,
        "topic": topic,
        "kind": kind,
        "payload": redactor.value(payload),
        "headers": redactor.value(headers) if headers else {},
        "occurred_at_ms": int(at * 1000),
    }


def rows_of(items: Sequence[Item], headers: Headers | None, at: float) -> list[Row]:
    """Return items as rows, each with its own headers or else with the shared ones."""
    return [(item[0], item[1], headers if len(item) == 2 or item[2] is None else item[2], at) for item in items]  # noqa: PLR2004


def texts_of(rows: Sequence[Row], redactor: Redactor) -> list[Text]:
    """Return rows in the form of files: the kind, payload and headers as JSON, and milliseconds since 1970."""
    texts = []
    write = redactor.json
    for kind, payload, headers, at in rows:
        text = write(payload)
        if len(text) > _SHORT:
            _check_brackets(text)
        texts.append((kind, text, write(headers) if headers else "{}", int(at * 1000)))
    return texts


def _check_brackets(payload: str) -> None:
    """Raise an error if a payload is nested too deeply; only one with many brackets can be."""
    if payload.count("[") + payload.count("{") <= _FEW_BRACKETS:
        return
    from harnlite.formats.json.reading import can_be_stored

    if not can_be_stored(payload):
        raise runtime_error("event_log: the payload is nested too deeply")


class ListenedLog(ABC):
    """A log whose changes are told to those who listen."""

    __slots__ = ("_clock", "_listeners", "_lock", "_redactor", "_watchers", "detailed")

    def __init__(self, clock: Clock, *, detailed: bool) -> None:
        self._clock = clock
        self._lock = _thread.RLock()
        self._listeners: list[tuple[str | None, str, OnRecord]] = []
        self._watchers: list[tuple[str, Callable[[], object]]] = []
        self._redactor = Redactor(environment_keys())
        self.detailed = detailed

    def emit(self, topic: str, kind: str, payload: object, headers: Headers | None = None) -> int:
        """Write a record and return its id."""
        return self._add(topic, [(kind, payload, headers, self._clock.now())])

    def emit_many(self, topic: str, items: Sequence[Item], headers: Headers | None = None) -> None:
        """Write records at once."""
        self._add(topic, rows_of(items, headers, self._clock.now()))

    def emit_series(
        self, topic: str, kinds: Sequence[str], payload_at: PayloadAt, headers: Headers | None = None
    ) -> None:
        """Write records of these kinds at once. `payload_at` returns the payload for an index."""
        now = self._clock.now()
        self._add(topic, [(kind, payload_at(index), headers, now) for index, kind in enumerate(kinds)])

    def emit_repeated(
        self, topic: str, records: RepeatedRecords, common: dict[str, object], headers: Headers | None = None
    ) -> None:
        """Write a record for each part, with the payload `{**common, **part}`."""
        if records.parts:
            now = self._clock.now()
            self._add(topic, [(records.kind, {**common, **part}, headers, now) for part in records.parts])

    @abstractmethod
    def _add(self, topic: str, rows: list[Row]) -> int:
        """Write rows, notify the subscribers, and return the id of the first row."""

    @abstractmethod
    def read(self, topic: str, after: int = 0, kind_prefix: str = "", limit: int | None = None) -> list[LogRecord]:
        """Return the records of a topic after an id, oldest first."""

    def subscribe(
        self,
        topic: str | None,
        after: int | None,
        kind_prefix: str,
        on_record: OnRecord,
    ) -> Callable[[], None]:
        """Call `on_record` with each record after an id, also future ones; return a function that unsubscribes."""
        entry = (topic, kind_prefix, on_record)
        position = after or 0
        if topic is not None and after is not None:
            position = self._replay(topic, after, kind_prefix, on_record)  # without the lock: it may take long
        with self._lock:
            if topic is not None and after is not None:
                self._replay(topic, position, kind_prefix, on_record)
            self._listeners = [*self._listeners, entry]

        def cancel() -> None:
            with self._lock:
                self._listeners = [other for other in self._listeners if other is not entry]

        return cancel

    def _replay(self, topic: str, after: int, kind_prefix: str, on_record: OnRecord) -> int:
        """Call `on_record` with the stored records after an id; return the id of the last one."""
        while records := self.read(topic, after, kind_prefix, _AT_ONCE):
            for record in records:
                on_record(record)
            after = records[-1]["id"]
        return after

    def watch(self, topic: str, on_change: Callable[[], object]) -> Callable[[], None]:
        """Call `on_change` for each write to a topic; return a function that unsubscribes."""
        entry = (topic, on_change)
        with self._lock:
            self._watchers = [*self._watchers, entry]

        def cancel() -> None:
            with self._lock:
                self._watchers = [other for other in self._watchers if other is not entry]

        return cancel

    def _tell(self, topic: str, first: int, rows: Sequence[Row]) -> None:
        """Call the subscribers with new records."""
        for watched, on_change in self._watchers:
            if watched == topic:
                on_change()
        for wanted, prefix, on_record in self._listeners:
            if wanted is None or wanted == topic:
                for number, row in enumerate(rows, first):
                    if row[0].startswith(prefix):
                        on_record(record_of(topic, number, row, self._redactor))


class FileLog(ListenedLog):
    """The base of logs in files: they write texts, and notify subscribers after the write."""

    __slots__ = ()

    def emit(self, topic: str, kind: str, payload: object, headers: Headers | None = None) -> int:
        """Write a record and return its id."""
        now, redactor = self._clock.now(), self._redactor
        text = redactor.json(payload)
        if len(text) > _SHORT:
            _check_brackets(text)
        texts = ((kind, text, redactor.json(headers) if headers else "{}", int(now * 1000)),)
        if not (self._listeners or self._watchers):
            return self.append(topic, texts)
        with self._lock:
            first = self.append(topic, texts)
            self._tell(topic, first, [(kind, payload, headers, now)])
        return first

    def _add(self, topic: str, rows: list[Row]) -> int:
        texts = texts_of(rows, self._redactor)
        with self._lock:
            first = self.append(topic, texts)
            if self._listeners or self._watchers:
                self._tell(topic, first, rows)
        return first

    @abstractmethod
    def append(self, topic: str, texts: Sequence[Text], first: int = 1) -> int:
        """Write records with the next ids, or from `first` on if that is higher; return the id of the first record."""

    @abstractmethod
    def latest(self, topic: str) -> int | None:
        """Return the id of the newest record of a topic, or None."""

    def read(self, topic: str, after: int = 0, kind_prefix: str = "", limit: int | None = None) -> list[LogRecord]:
        """Return the records of a topic after an id, oldest first. Records that cannot be read are skipped.

        The lock is held for some records at a time, so that a long topic does not stop the writers.
        """
        found: list[LogRecord] = []
        after, end = max(after, 0), self.latest(topic) or 0
        while after < end and (limit is None or len(found) < limit):
            with self._lock:
                stored = self._after(topic, after, _AT_ONCE, kind_prefix)
            if not stored:
                break
            for number, each in stored:
                record = self._record(topic, number, each) if after < number <= end else None
                after = max(after, number)
                if record is not None and record["kind"].startswith(kind_prefix):
                    found.append(record)
                    if len(found) == limit:
                        break
        return found

    @abstractmethod
    def _after(self, topic: str, after: int, count: int, kind_prefix: str) -> list[tuple[int, Any]]:
        """Return the first records of a topic after an id as they are stored. Some may lack the prefix of the kind."""

    @abstractmethod
    def _record(self, topic: str, number: int, stored: Any) -> LogRecord | None:  # noqa: ANN401 - a line or a row
        """Return a stored record, or None if it cannot be read."""
