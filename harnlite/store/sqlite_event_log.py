"""The event log in a SQLite file, which other processes can read during writes."""

from __future__ import annotations

import os
import sqlite3
from threading import Event

from harnlite.formats.json.reading import read_json
from harnlite.regular_files import require_regular
from harnlite.runtime.tasks.clock import waiting_time
from harnlite.store.listened_log import FileLog, write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.runtime.tasks.clock import Clock
    from harnlite.store.event_log import LogRecord, Text

_PATIENCE_SECONDS = 30.0
_RETRY_SECONDS = 0.01
_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS event_records (
    position INTEGER PRIMARY KEY,
    topic TEXT NOT NULL,
    id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    headers TEXT NOT NULL,
    occurred_at_ms INTEGER NOT NULL,
    UNIQUE (topic, id)
);
"""
_LATEST = "SELECT max(id) FROM event_records WHERE topic = ?"
_INSERT = "INSERT INTO event_records (topic, id, kind, payload, headers, occurred_at_ms) VALUES (?, ?, ?, ?, ?, ?)"
_COLUMNS = "SELECT topic, id, kind, payload, headers, occurred_at_ms FROM event_records"
_READ = f"{_COLUMNS} WHERE topic = ? AND id > ? AND substr(kind, 1, ?) = ? ORDER BY id LIMIT ?"
_READ_ALL = f"{_COLUMNS} ORDER BY position"
_NO_LIMIT = -1


class SqliteLog(FileLog):
    """A log in a SQLite file. A record is committed before its id is returned, so it survives the process."""

    __slots__ = ("_connection",)

    def __init__(self, path: str, clock: Clock) -> None:
        super().__init__(clock, detailed=True)
        self._connection = open_database(path)

    def append(self, topic: str, texts: Sequence[Text], first: int = 1) -> int:
        """Write records with the next ids, or from `first` on if that is higher; return the id of the first record."""
        with self._lock:
            connection = self._connection
            try:
                connection.execute("BEGIN IMMEDIATE")
                with connection:
                    first = max(first, (self.latest(topic) or 0) + 1)
                    rows = [(topic, number, *text) for number, text in enumerate(texts, first)]
                    connection.executemany(_INSERT, rows)
            except sqlite3.Error as error:
                raise write_error(str(error)) from None
        return first

    def latest(self, topic: str) -> int | None:
        """Return the id of the newest record of a topic, or None."""
        with self._lock:
            found: int | None = self._connection.execute(_LATEST, (topic,)).fetchone()[0]
        return found

    def read(self, topic: str, after: int = 0, kind_prefix: str = "", limit: int | None = None) -> list[LogRecord]:
        """Return the records of a topic after an id, oldest first."""
        most = _NO_LIMIT if limit is None else limit
        with self._lock:
            rows = self._connection.execute(_READ, (topic, after, len(kind_prefix), kind_prefix, most)).fetchall()
        return [_record(row) for row in rows]

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._connection.close()


def open_database(path: str) -> sqlite3.Connection:
    """Open a store, and create it if necessary. Raise OSError on failure."""
    require_regular(path)
    try:
        connection = sqlite3.connect(
            path,
            timeout=_PATIENCE_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.Error as error:
        raise OSError(None, str(error), path) from None
    try:
        _prepare(connection)
    except sqlite3.Error as error:
        connection.close()
        raise OSError(None, str(error), path) from None
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    """Create the tables. Retry while another process creates them, because SQLite does not wait here."""
    end = waiting_time() + _PATIENCE_SECONDS
    while True:
        try:
            connection.executescript(_SCHEMA)
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or waiting_time() > end:
                raise
        Event().wait(_RETRY_SECONDS)


def read_store(path: str) -> list[LogRecord]:
    """Return all records of a store in the order of their writes."""
    from urllib.request import pathname2url

    # A read-only connection leaves the files of the write-ahead log behind; a writable one removes them.
    mode = "rw" if os.access(path, os.W_OK) else "ro"
    try:
        connection = sqlite3.connect(f"file:{pathname2url(path)}?mode={mode}", uri=True, timeout=_PATIENCE_SECONDS)
        try:
            return [_record(row) for row in connection.execute(_READ_ALL)]
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise OSError(None, str(error), path) from None


def _record(row: tuple[str, int, str, str, str, int]) -> LogRecord:
    topic, number, kind, payload, headers, at = row
    return {
        "id": number,
        "cursor": number,
        "topic": topic,
        "kind": kind,
        "payload": read_json(payload),
        "headers": read_json(headers),
        "occurred_at_ms": at,
    }
