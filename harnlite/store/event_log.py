"""The event log: records in topics, numbered from 1 in each topic, stored in memory or in files.

A record is a dict `{id, cursor, topic, kind, payload, headers, occurred_at_ms}`; id and cursor are the same number.
Values that JSON lacks are written by the rules of the language for JSON. Secrets are replaced before a record can be
read.

`detailed` means that people may read the log later. The runtime then adds the headers `harn.seam` and `harn.turn` to
its records about reminders, and `harn.body` to the record of a new reminder.
"""

from __future__ import annotations

import _thread
from abc import ABC, abstractmethod

from harnlite.store.redaction import Redactor, environment_keys
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol, TypeAlias

    from harnlite.runtime.tasks.clock import Clock
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

    LogRecord: TypeAlias = dict[str, Any]
    Headers: TypeAlias = Mapping[str, str]
    Item: TypeAlias = tuple[str, object] | tuple[str, object, Headers | None]
    Row: TypeAlias = tuple[str, object, Headers | None, float]
    Text: TypeAlias = tuple[str, str, str, int]
    OnRecord: TypeAlias = Callable[[LogRecord], object]
    PayloadAt: TypeAlias = Callable[[int], object]

    class EventLog(Protocol):
        """The records of a run. All methods are thread-safe."""

        detailed: bool

        def emit(self, topic: str, kind: str, payload: object, headers: Headers | None = None) -> int:
            """Write a record and return its id. The record is stored when this returns."""

        def emit_many(self, topic: str, items: Sequence[Item], headers: Headers | None = None) -> None:
            """Write records `(kind, payload)` or `(kind, payload, headers)` at once, by default with `headers`."""

        def emit_series(
            self, topic: str, kinds: Sequence[str], payload_at: PayloadAt, headers: Headers | None = None
        ) -> None:
            """Write records of these kinds at once. A log may delay `payload_at` until a record is read."""

        def latest(self, topic: str) -> int | None:
            """Return the id of the newest record of a topic, or None."""

        def read(self, topic: str, after: int = 0, kind_prefix: str = "", limit: int | None = None) -> list[LogRecord]:
            """Return the records of a topic after an id, oldest first."""

        def subscribe(
            self,
            topic: str | None,
            after: int | None,
            kind_prefix: str,
            on_record: OnRecord,
        ) -> Callable[[], None]:
            """Call `on_record` with each record after an id, also future ones; return a function that unsubscribes.

            Without an id or a topic, the subscription starts with the next record; without a topic it covers all
            topics. The callback runs on the writing thread, for one record at a time, and must not block.
            """

        def watch(self, topic: str, on_change: Callable[[], object]) -> Callable[[], None]:
            """Call `on_change` for each write to a topic; return a function that unsubscribes."""

        def close(self) -> None:
            """Close the files. Later writes raise an error."""


_NO_SIGNS = dict.fromkeys(map(ord, "._-"))


def check_topic(topic: str) -> None:
    """Raise an error if a topic is not valid."""
    if not topic:
        raise runtime_error("event_log: topic cannot be empty")
    plain = topic.translate(_NO_SIGNS)
    if plain and not (plain.isascii() and plain.isalnum()):
        raise runtime_error(f"event_log: topic '{topic}' contains unsupported characters")


def write_error(reason: str | None) -> ScriptError:
    """Return the error for a record that could not be written."""
    return runtime_error(f"event_log: cannot write: {reason}")


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
    return [
        (kind, redactor.json(payload), redactor.json(headers) if headers else "{}", int(at * 1000))
        for kind, payload, headers, at in rows
    ]


class ListenedLog(ABC):
    """The base of all logs: a lock for each change, a clock, and the subscribers."""

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
        with self._lock:
            if topic is not None and after is not None:
                for record in self.read(topic, after, kind_prefix):
                    on_record(record)
            self._listeners = [*self._listeners, entry]

        def cancel() -> None:
            with self._lock:
                self._listeners = [other for other in self._listeners if other is not entry]

        return cancel

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


def open_log(clock: Clock, events: str | None = None, store: str | None = None) -> EventLog:
    """Open a log in a JSONL file, in a SQLite file, in both, or in memory. Raise OSError on failure."""
    if events is not None and store is not None:
        from harnlite.store.jsonl_event_log import JsonlLog
        from harnlite.store.sqlite_event_log import SqliteLog
        from harnlite.store.tee_event_log import TeeLog

        return TeeLog(SqliteLog(store, clock), JsonlLog(events, clock), clock)
    if store is not None:
        from harnlite.store.sqlite_event_log import SqliteLog

        return SqliteLog(store, clock)
    if events is not None:
        from harnlite.store.jsonl_event_log import JsonlLog

        return JsonlLog(events, clock)
    from harnlite.store.memory_event_log import MemoryLog

    return MemoryLog(clock)


def log_of(run: Execution) -> EventLog:
    """Return the log of a run: the log of its host, or its own log, which is opened on first use."""
    given = run.context.get("event_log")
    if given is not None:
        return given  # type: ignore[return-value]
    try:
        return opened_log(run)
    except OSError as error:
        raise runtime_error(f"event_log: cannot open '{error.filename}': {error.strerror}") from None


def opened_log(run: Execution) -> EventLog:
    """Return the own log of a run. Raise OSError if it cannot be opened."""
    return run.state("event_log", lambda: _opened(run))


def _opened(run: Execution) -> EventLog:
    events, store = run.context.get("events_path"), run.context.get("store_path")
    log = open_log(run.clock, events, store)  # type: ignore[arg-type]
    run.endings.append(log.close)
    return log
