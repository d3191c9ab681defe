"""The event log: records in topics, numbered from 1 in each topic, stored in memory or in files.

A record is a dict `{id, cursor, topic, kind, payload, headers, occurred_at_ms}`; id and cursor are the same number.
Values that JSON lacks are written by the rules of the language for JSON. Secrets are replaced before a record can be
read.

`detailed` means that people may read the log later. The runtime then adds the headers `harn.seam` and `harn.turn` to
its records about reminders, and `harn.body` to the record of a new reminder.
"""

from __future__ import annotations

from harnlite.store.memory_event_log import MemoryLog
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol, TypeAlias

    from harnlite.runtime.tasks.clock import Clock
    from harnlite.runtime.tasks.execution import Execution

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

        def emit_repeated(
            self, topic: str, records: RepeatedRecords, common: dict[str, object], headers: Headers | None = None
        ) -> None:
            """Write a record for each part, with the payload `{**common, **part}`."""

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


class RepeatedRecords:
    """Records that are written again and again, such as one for each reminder in a prompt.

    The parts are what their payloads do not have in common. A log in memory stores them only once.
    """

    __slots__ = ("kind", "parts")

    def __init__(self, kind: str, parts: Sequence[dict[str, object]]) -> None:
        self.kind = kind
        self.parts = parts


_NO_SIGNS = dict.fromkeys(map(ord, "._-"))


LIMIT_KEY = "records_in_memory"
"""The key of the context of a run for the limit of its log in memory."""


def check_topic(topic: str) -> None:
    """Raise an error if a topic is not valid."""
    if not topic:
        raise runtime_error("event_log: topic cannot be empty")
    plain = topic.translate(_NO_SIGNS)
    if plain and not (plain.isascii() and plain.isalnum()):
        raise runtime_error(f"event_log: topic '{topic}' contains unsupported characters")


def open_log(
    clock: Clock, events: str | None = None, store: str | None = None, *, limit: int | None = None
) -> EventLog:
    """Open a log in a JSONL file, in a SQLite file, in both, or in memory. Raise OSError on failure.

    `limit` is the number of records in memory beyond which a log in memory moves the older ones to a file.
    """
    if events is None and store is None:
        return MemoryLog(clock) if limit is None else MemoryLog(clock, limit=limit)
    from harnlite.store.event_log_files import open_files

    return open_files(clock, events, store)


def log_of(run: Execution) -> EventLog:
    """Return the log of a run: the log of its host, or its own log, which is opened on first use."""
    given = run.context.get("event_log")
    if given is not None:
        return given  # type: ignore[return-value]  # the log of the host: a check of all methods would cost each record
    try:
        return opened_log(run)
    except OSError as error:
        raise runtime_error(f"event_log: cannot open '{error.filename}': {error.strerror}") from None


def opened_log(run: Execution) -> EventLog:
    """Return the own log of a run. Raise OSError if it cannot be opened."""
    found: EventLog | None = run.peek("event_log")
    return run.state("event_log", lambda: _opened(run)) if found is None else found


def _path(given: object) -> str | None:
    return given if isinstance(given, str) else None


def _opened(run: Execution) -> EventLog:
    events, store = run.context.get("events_path"), run.context.get("store_path")
    limit = run.context.get(LIMIT_KEY)
    log = open_log(run.clock, _path(events), _path(store), limit=limit if isinstance(limit, int) else None)
    run.endings.append(log.close)
    return log
