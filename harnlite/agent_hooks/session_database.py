"""The SQLite database of a session: a row for each set of rules and actor.

Only the process that holds the lock of the session uses it. A damaged database is moved aside; the last one is kept.
"""

from __future__ import annotations

import os

from harnlite.agent_hooks.calls.json_text import NotJson, read_object, written
from harnlite.agent_hooks.session_state import ActorState

try:
    import _sqlite3 as sqlite
except ImportError:
    import sqlite3 as sqlite  # type: ignore[no-redef]  # the same names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "state.sqlite"
VERSION = 1
PATIENCE_SECONDS = 0.3
LONG_LOG = 256 * 1024
"""The size from which the log of SQLite is moved into the database."""
_LOG = "-wal"
_ENDINGS, _DAMAGED = (_LOG, "-shm"), ".damaged"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS actors ("
    "rules TEXT NOT NULL, actor TEXT NOT NULL, seq INTEGER NOT NULL, value TEXT NOT NULL, "
    "PRIMARY KEY (rules, actor)) WITHOUT ROWID"
)
_SAVE = "INSERT INTO actors VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET seq = excluded.seq, value = excluded.value"


class Unusable(OSError):
    """Raised if the database is locked, or the disk is full."""


class _Damaged(Exception):
    """Raised if a part of the database is damaged that was not read when it was opened."""


class SessionDatabase:
    """The database in the folder of a session. It is not closed, because the process ends soon."""

    __slots__ = ("_connection", "_path", "moved_aside")

    def __init__(self, folder: str) -> None:
        self.moved_aside = ""
        """The path to which a damaged database was moved."""
        self._path = path = os.path.join(folder, NAME)
        try:
            self._connection = _opened(path)
        except sqlite.OperationalError as error:
            raise Unusable(f"the database of the session cannot be used: {error}") from None
        except sqlite.DatabaseError:
            self._replace()

    def _replace(self) -> None:
        """Move the damaged database aside, and open a new one."""
        self.moved_aside = _move_aside(self._path)
        self._connection = _opened(self._path)

    def load(self, rules: str, actor: str) -> ActorState | None:
        """Return the state of an actor, or None if there is none, or a damaged one."""
        try:
            rows = self._do("SELECT value FROM actors WHERE rules = ? AND actor = ?", (rules, actor))
        except _Damaged:
            self._replace()
            return None
        for (value,) in rows:
            try:
                return ActorState.from_fields(read_object(str(value).encode()))
            except NotJson:
                return None
        return None

    def save(self, rules: str, states: dict[str, ActorState]) -> None:
        """Store the states of actors in one transaction. Raise Unusable if that is not possible."""
        for state in states.values():
            state.counters.seq += 1
        try:
            self._save(rules, states)
        except _Damaged:
            self._replace()
            self._save(rules, states)

    def _save(self, rules: str, states: dict[str, ActorState]) -> None:
        self._do("BEGIN IMMEDIATE")
        try:
            for actor, state in states.items():
                self._do(_SAVE, (rules, actor, state.counters.seq, written(state.fields())))
            self._do("COMMIT")
        except Unusable:
            self._connection.rollback()
            raise

    def shorten_log(self) -> None:
        """Move a long log into the database, because each process that opens the database reads the whole log."""
        try:
            if os.stat(self._path + _LOG).st_size > LONG_LOG:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except (OSError, sqlite.Error):
            return

    def _do(self, statement: str, values: tuple[object, ...] = ()) -> list[Any]:
        try:
            return list(self._connection.execute(statement, values))
        except sqlite.OperationalError as error:
            raise Unusable(f"the database of the session cannot be used: {error}") from None
        except sqlite.DatabaseError as error:
            raise _Damaged(str(error)) from None


def _opened(path: str) -> Any:  # noqa: ANN401 - `_sqlite3` has no type hints
    is_new = not os.path.exists(path)
    if is_new:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    connection = sqlite.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False)
    version = next(iter(connection.execute("PRAGMA user_version")))[0]
    if version != VERSION:
        if version:
            raise sqlite.DatabaseError("the database belongs to another version of harnlite")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(_TABLE)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("PRAGMA synchronous = NORMAL")
    # A damaged table is found here rather than between a read and a save.
    connection.execute("SELECT 1 FROM actors LIMIT 1")
    return connection


def _move_aside(path: str) -> str:
    target = path + _DAMAGED
    os.replace(path, target)
    for ending in _ENDINGS:
        try:
            os.unlink(path + ending)
        except FileNotFoundError:
            continue
    return target
