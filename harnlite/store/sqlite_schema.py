"""SQLite files: how they are opened, which version their schema has, and what that of the event log must look like."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from threading import Event
from typing import Any

from harnlite.durable_files import LockedFolder, move_aside
from harnlite.regular_files import require_regular
from harnlite.runtime.tasks.clock import waiting_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE_SECONDS = 30.0
_RETRY_SECONDS = 0.01
IN_MEMORY = frozenset({"", ":memory:"})
"""Paths that SQLite does not take as the path of a file."""

VERSION = 1
"""The version of the schema, in `PRAGMA user_version`. Files of the time before versions have 0 and the same table."""
APPLICATION_ID = int.from_bytes(b"HARN", "big")
_TABLE = b"event_records"
_COLUMNS = frozenset({b"position", b"topic", b"id", b"kind", b"payload", b"headers", b"occurred_at_ms"})
_CREATE = """
CREATE TABLE IF NOT EXISTS event_records (
    position INTEGER PRIMARY KEY,
    topic TEXT NOT NULL,
    id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    headers TEXT NOT NULL,
    occurred_at_ms INTEGER NOT NULL,
    UNIQUE (topic, id)
)
"""
_WAL, _SHARED_MEMORY = "-wal", "-shm"


class UnfitFileError(sqlite3.DatabaseError):
    """Raised if a file is not a store that this version of harnlite can use."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The schema of a kind of SQLite file. `check` returns the version of a file, 0 if it has no tables yet."""

    version: int
    application_id: int
    check: Callable[[sqlite3.Connection], int]
    statements: tuple[str, ...]


def open_database(path: str, *, is_suspect: bool = False) -> sqlite3.Connection:
    """Open an event log, and create it if necessary. Raise OSError on failure.

    A suspect file has been truncated or replaced, so it is checked completely.
    """
    try:
        return open_with_schema(path, EVENT_LOG, is_suspect=is_suspect)
    except sqlite3.Error as error:
        raise OSError(None, str(error), path) from None


def open_with_schema(
    path: str, schema: Schema, *, is_suspect: bool = False, patience: float | None = None
) -> sqlite3.Connection:
    """Open a file with a schema, and create it if necessary. Raise OSError or sqlite3.Error on failure.

    The connection waits for locks of others as long as `patience`, in seconds.
    """
    patience = PATIENCE_SECONDS if patience is None else patience
    if path not in IN_MEMORY:
        require_regular(path)
    if path in IN_MEMORY or not _is_empty(path):
        return _opened(path, schema, patience, is_suspect=is_suspect)
    try:
        with LockedFolder(os.path.dirname(path)):
            if _is_empty(path):
                _clear_remains(path)
            return _opened(path, schema, patience, is_suspect=is_suspect)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None


def wal_path_of(path: str, connection: sqlite3.Connection) -> str | None:
    """Return the path of the write-ahead log, or None if the file system does not support one."""
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    return path + _WAL if mode == b"wal" else None


def _is_empty(path: str) -> bool:
    try:
        return os.stat(path).st_size == 0
    except FileNotFoundError:
        return True


def renew_empty(path: str) -> None:
    """Put a new empty file in the place of a store that another program has emptied.

    Connections to the old one keep their locks on it, and would write parts of it back when they are closed.
    """
    try:
        with LockedFolder(os.path.dirname(path)):
            if _is_empty(path):
                _renew(path)
    except OSError:
        return


def _renew(path: str) -> None:
    try:
        mode = os.stat(path).st_mode & 0o7777
        os.unlink(path)
    except FileNotFoundError:
        return
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    os.chmod(path, mode)


def _clear_remains(path: str) -> None:
    """Remove what is left of a deleted or emptied store: SQLite would take it for a part of the new one.

    Its write-ahead log is moved aside, because it has records.
    """
    remains = [path + ending for ending in (_WAL, _SHARED_MEMORY) if os.path.exists(path + ending)]
    if remains:
        _renew(path)
    for each in remains:
        if each.endswith(_WAL) and os.stat(each).st_size:
            move_aside(each)
        else:
            os.unlink(each)


class Connection(sqlite3.Connection):
    """A connection to a file that may be damaged: an error whose message is not UTF-8 is a database error, too."""

    def execute(self, *args: Any) -> sqlite3.Cursor:  # noqa: ANN401 - the arguments of the base class
        """Execute a statement; raise sqlite3.Error on failure."""
        try:
            return super().execute(*args)
        except UnicodeDecodeError:
            raise sqlite3.DatabaseError("database disk image is malformed") from None


def _opened(path: str, schema: Schema, patience: float, *, is_suspect: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=patience, isolation_level=None, check_same_thread=False, factory=Connection
    )
    try:
        connection.text_factory = bytes  # a damaged text that is not UTF-8 makes one record unreadable, not the query
        _prepare(connection, schema, waiting_time() + patience)
        if is_suspect or (path not in IN_MEMORY and _is_cut(path, connection)):
            _check_pages(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_pages(connection: sqlite3.Connection) -> None:
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != b"ok":
        raise UnfitFileError("database disk image is malformed")


def _prepare(connection: sqlite3.Connection, schema: Schema, end: float) -> None:
    """Check the schema and create it. Retry while another process creates it, because SQLite does not wait here."""
    while True:
        try:
            version = _version(connection, schema)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            if version < schema.version:
                connection.execute("BEGIN IMMEDIATE")
                with connection:
                    _bring_up(connection, schema)
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or waiting_time() > end:
                raise
        Event().wait(_RETRY_SECONDS)


def _version(connection: sqlite3.Connection, schema: Schema) -> int:
    """Return the version of a file, of one state of it: another process may create the schema meanwhile."""
    connection.execute("BEGIN")
    with connection:
        return schema.check(connection)


def _bring_up(connection: sqlite3.Connection, schema: Schema) -> None:
    """Create the schema, or bring an older one up to date. Another process may have done so before the lock."""
    if schema.check(connection) < schema.version:
        for statement in schema.statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {schema.application_id}")
        connection.execute(f"PRAGMA user_version = {schema.version}")


def file_marks(connection: sqlite3.Connection) -> tuple[int, int, set[bytes]]:
    """Return the application id, the version and the names of the tables of a file."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    rows = connection.execute("SELECT CAST(name AS BLOB) FROM sqlite_master WHERE type = 'table'")
    return application, version, {name for (name,) in rows}  # a damaged name need not be UTF-8


def require_known_version(version: int, known: int) -> None:
    """Raise UnfitFileError if a newer harnlite wrote the file."""
    if version > known:
        raise UnfitFileError(
            f"its schema has version {version}, and this harnlite knows versions up to {known}; "
            "use a newer harnlite, or another file"
        )


def check_schema(connection: sqlite3.Connection) -> int:
    """Return the version of an event log, 0 if there is none. Raise UnfitFileError if the file is something else."""
    application, version, tables = file_marks(connection)
    is_empty = not tables and not version and not application
    if application not in {0, APPLICATION_ID} or not (application or _TABLE in tables or is_empty):
        raise UnfitFileError("it is a database of another program; choose another file for the event log")
    require_known_version(version, VERSION)
    if _TABLE not in tables:
        return 0
    columns = {row[1] for row in connection.execute(f"PRAGMA table_info({_TABLE.decode()})")}
    if not columns >= _COLUMNS:
        raise UnfitFileError("its table event_records is not that of an event log; choose another file")
    return version if application else 0


EVENT_LOG = Schema(VERSION, APPLICATION_ID, check_schema, (_CREATE,))


def _is_cut(path: str, connection: sqlite3.Connection) -> bool:
    """Return whether pages are missing that cannot be in the write-ahead log either.

    The file must not be opened here: closing it would drop the locks that SQLite holds in this process.
    """
    pages: int = connection.execute("PRAGMA page_count").fetchone()[0]
    size: int = connection.execute("PRAGMA page_size").fetchone()[0]
    try:
        wal_size = os.stat(path + _WAL).st_size
    except FileNotFoundError:
        wal_size = 0
    return os.stat(path).st_size + wal_size < pages * size
