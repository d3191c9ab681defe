"""The event log in two files: a SQLite store and a JSONL file."""

from __future__ import annotations

from harnlite.store.listened_log import ListenedLog, texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.clock import Clock
    from harnlite.store.event_log import LogRecord, Row
    from harnlite.store.jsonl_event_log import JsonlLog
    from harnlite.store.sqlite_event_log import SqliteLog


class TeeLog(ListenedLog):
    """A store for reads and writes, and a JSONL file that receives the same records with the same ids."""

    __slots__ = ("_lines", "_store")

    def __init__(self, store: SqliteLog, lines: JsonlLog, clock: Clock) -> None:
        super().__init__(clock, detailed=True)
        self._store = store
        self._lines = lines

    def _add(self, topic: str, rows: list[Row]) -> int:
        texts = texts_of(rows, self._redactor)
        with self._lock:
            # The store gives the ids while the JSONL file is locked, so that both have the same ids.
            first = self._lines.append(topic, texts, assign=lambda least: self._store.append(topic, texts, least))
            if self._listeners or self._watchers:
                self._tell(topic, first, rows)
        return first

    def latest(self, topic: str) -> int | None:
        """Return the id of the newest record of a topic, or None."""
        return self._store.latest(topic)

    def read(self, topic: str, after: int = 0, kind_prefix: str = "", limit: int | None = None) -> list[LogRecord]:
        """Return the records of a topic after an id, oldest first."""
        return self._store.read(topic, after, kind_prefix, limit)

    def close(self) -> None:
        """Close both files."""
        self._lines.close()
        self._store.close()
