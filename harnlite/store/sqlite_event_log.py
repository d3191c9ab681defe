"""The event log in a SQLite file, which other processes can read during writes."""

from __future__ import annotations

import os
import sqlite3

from harnlite.store.listened_log import LARGEST_ID, FileLog, next_ids, read_error, write_error
from harnlite.store.sqlite_schema import IN_MEMORY, Connection, check_schema, open_database, renew_empty, wal_path_of
from harnlite.store.stored_records import LARGEST_USUAL_ID, WIDEST_GAP, clean_text, clean_texts, record_in_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.runtime.tasks.clock import Clock
    from harnlite.store.event_log import LogRecord, Text

_IN_TOPIC = "FROM event_records WHERE topic = ? AND id > ? AND id <= ? AND typeof(id) = 'integer'"
_NEWEST = f"SELECT id {_IN_TOPIC} ORDER BY id DESC LIMIT 1"
_INSERT = "INSERT INTO event_records (topic, id, kind, payload, headers, occurred_at_ms) VALUES (?, ?, ?, ?, ?, ?)"
_INSERT_NEXT = f"""
INSERT INTO event_records (topic, id, kind, payload, headers, occurred_at_ms)
SELECT ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 {_IN_TOPIC})
"""
"""Insert a record unless the topic has a newer one than expected."""
_COLUMNS = "SELECT topic, id, kind, payload, headers, occurred_at_ms"
# A prefix is compared as bytes, because SQLite ends a text at its first NUL.
_READ = f"{_COLUMNS} {_IN_TOPIC} AND substr(CAST(kind AS BLOB), 1, ?) = ? ORDER BY id LIMIT ?"
_READ_ALL = f"{_COLUMNS} FROM event_records ORDER BY position"
_CHECKPOINT_MILLISECONDS = 1000
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR_SHORT_READ})


class SqliteLog(FileLog):
    """A log in a SQLite file. A record is committed before its id is returned, so it survives the process.

    If the file is deleted, replaced or truncated, it is opened or created anew before the next write; the ids continue.
    """

    __slots__ = ("_connection", "_given", "_identity", "_is_closed", "_largest", "_path", "_size", "_wal")

    def __init__(self, path: str, clock: Clock) -> None:
        super().__init__(clock, detailed=True)
        self._given = path
        self._path = path if path in IN_MEMORY else os.path.abspath(path)
        self._largest: dict[str, int] = {}
        self._is_closed = False
        self._connection: sqlite3.Connection | None = None
        try:
            self._open(is_suspect=False)
        except OSError as error:
            raise OSError(error.errno, error.strerror, path) from None

    def append(self, topic: str, texts: Sequence[Text], first: int = 1) -> int:
        """Write records with the next ids, or from `first` on if that is higher; return the id of the first record."""
        with self._lock:
            if self._is_closed:
                raise write_error(self._given, "the log is closed")
            try:
                try:
                    return self._append(self._current(), topic, texts, first)
                except UnicodeEncodeError:
                    return self._append(self._current(), topic, [clean_texts(text) for text in texts], first)
                except sqlite3.DatabaseError as error:
                    if getattr(error, "sqlite_errorcode", None) not in _DAMAGE:
                        raise
                    self._drop_connection(is_complete=False)
                    return self._append(self._current(), topic, texts, first)
            except OSError as error:
                raise write_error(self._given, error.strerror) from None
            except sqlite3.Error as error:
                raise write_error(self._given, error) from None

    def _append(self, connection: sqlite3.Connection, topic: str, texts: Sequence[Text], first: int) -> int:
        known = self._largest.get(topic)
        if known is not None and known < LARGEST_USUAL_ID and first <= known and len(texts) == 1:
            # One statement commits by itself, and no other process can write in between.
            row = (topic, known + 1, *texts[0], topic, known, LARGEST_USUAL_ID)
            if connection.execute(_INSERT_NEXT, row).rowcount:
                self._largest[topic] = known + 1
                return known + 1
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            first = max(first, self._newest(connection, topic) + 1)
            rows = [(topic, number, *text) for number, text in next_ids(self._given, topic, first, texts)]
            connection.executemany(_INSERT, rows)
        self._largest[topic] = first + len(rows) - 1
        return first

    def _newest(self, connection: sqlite3.Connection, topic: str) -> int:
        """Return the largest id of a topic that this log has given or seen, or 0."""
        newest = self._largest.get(topic, 0)
        while True:
            last = max(LARGEST_USUAL_ID, min(newest + WIDEST_GAP, LARGEST_ID))
            found = connection.execute(_NEWEST, (topic, newest, last)).fetchone()
            if found is None:
                return newest
            newest = found[0]

    def latest(self, topic: str) -> int | None:
        """Return the largest id of a topic that this log has given or seen, or None."""
        with self._lock:
            try:
                newest = self._newest(self._readable(), topic)
            except OSError as error:
                raise read_error(self._given, error.strerror) from None
            except sqlite3.Error as error:
                raise read_error(self._given, error) from None
            if newest:
                self._largest[topic] = newest
        return newest or None

    def _after(self, topic: str, after: int, count: int, kind_prefix: str) -> list[tuple[int, tuple[object, ...]]]:
        prefix = clean_text(kind_prefix).encode()
        newest = self._largest.get(topic, 0)
        try:
            rows = self._readable().execute(_READ, (topic, after, newest, len(prefix), prefix, count)).fetchall()
        except OSError as error:
            raise read_error(self._given, error.strerror) from None
        except sqlite3.Error as error:
            raise read_error(self._given, error) from None
        return [(row[1], row) for row in rows]

    def _record(self, topic: str, number: int, stored: tuple[object, ...]) -> LogRecord | None:  # noqa: ARG002 - the row has them
        return record_in_row(stored)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._is_closed = True
            connection, self._connection = self._connection, None
            if connection is None:
                return
            try:
                connection.close()
            except sqlite3.Error as error:
                raise write_error(self._given, error) from None

    # The connection

    def _open(self, *, is_suspect: bool) -> sqlite3.Connection:
        """Open the file, note which one it is, and return the connection. Raise OSError on failure."""
        path = self._path if self._path in IN_MEMORY else os.path.realpath(self._path)
        connection = open_database(path, is_suspect=is_suspect)
        try:
            self._wal = wal_path_of(path, connection)
            self._identity, self._size = self._seen()
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _seen(self) -> tuple[tuple[int, ...], int]:
        """Return the identity and size of the file that the path names now. Raise OSError if there is none."""
        if self._path in IN_MEMORY:
            return (), 0
        main = os.stat(self._path)
        wal = 0 if self._wal is None else os.stat(self._wal).st_ino
        return (main.st_dev, main.st_ino, wal), main.st_size

    def _readable(self) -> sqlite3.Connection:
        """Return the connection for reading, also to a file that has been deleted."""
        if self._is_closed:
            raise read_error(self._given, "the log is closed")
        return self._current() if self._connection is None else self._connection

    def _current(self) -> sqlite3.Connection:
        """Return a connection to the file that the path names now. Raise OSError if it cannot be opened."""
        if self._connection is not None:
            size = self._size
            try:
                identity, self._size = self._seen()
            except OSError:
                identity = None
            if identity == self._identity and self._size >= size:
                return self._connection
            is_complete = identity != self._identity
            if not self._size:
                renew_empty(os.path.realpath(self._path))
                is_complete = False
            self._drop_connection(is_complete=is_complete)
        if self._path not in IN_MEMORY:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
        return self._open(is_suspect=True)

    def _drop_connection(self, *, is_complete: bool) -> None:
        """Close the connection. A file that was renamed as a whole first gets what is still in the write-ahead log."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            if is_complete:
                connection.execute(f"PRAGMA busy_timeout = {_CHECKPOINT_MILLISECONDS}")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.Error:
            pass  # the file is lost
        finally:
            connection.close()


def read_store(path: str) -> tuple[list[LogRecord], int]:
    """Return all records of a store in the order of their writes, and the number of those that cannot be read."""
    from urllib.request import pathname2url

    # A read-only connection leaves the files of the write-ahead log behind; a writable one removes them.
    mode = "rw" if os.access(path, os.W_OK) else "ro"
    try:
        connection = sqlite3.connect(f"file:{pathname2url(path)}?mode={mode}", uri=True, factory=Connection)
        try:
            connection.text_factory = bytes
            check_schema(connection)
            records = [record_in_row(row) for row in connection.execute(_READ_ALL)]
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise OSError(None, str(error), path) from None
    found = [record for record in records if record is not None]
    return found, len(records) - len(found)
