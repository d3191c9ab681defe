"""The store of conversations in a SQLite file that several processes may use at once."""

from __future__ import annotations

from contextlib import contextmanager

from harnlite.store.conversation_store import StoreError
from harnlite.store.sqlite_entries import SqliteEntries
from harnlite.store.sqlite_sessions import SqliteSessions
from harnlite.store.sqlite_tasks import SqliteTasks
from harnlite.store.store_connections import StoreConnections, StorePart
from harnlite.store.stored_values import column_text, json_in, text_in, written_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from sqlite3 import Connection
    from typing import Any

_COUNT = "SELECT coalesce(max(number) + 1, 0) FROM transcript_rows WHERE session = ?"
_SAVE_FIELDS = """
INSERT INTO transcripts (session, fields) VALUES (?, ?)
ON CONFLICT (session) DO UPDATE SET fields = excluded.fields WHERE fields <> excluded.fields
"""
_OF = "session = (SELECT number FROM sessions WHERE id = ?)"
_NEXT = "SELECT coalesce(max(number), 0) + 1 FROM history WHERE session = ?"
_MESSAGES = frozenset({"user", "agent"})


class _Texts(StorePart):
    """The part of a store that keeps transcripts and histories."""

    __slots__ = ()

    def save_transcript(
        self, session: str, *, kept: int, rows: Sequence[str], fields: dict[str, Any] | None = None
    ) -> None:
        """Keep the first rows of the transcript of a session, replace the others, and replace the fields if given."""
        if kept < 0:
            raise ValueError("the number of kept rows is negative")
        with self._connections.writing() as connection:
            number = self._number(connection, session)
            count: int = connection.execute(_COUNT, (number,)).fetchone()[0]
            if kept > count:
                raise ValueError(f"the transcript has {count} rows, so {kept} cannot be kept")
            if kept < count:
                connection.execute("DELETE FROM transcript_rows WHERE session = ? AND number >= ?", (number, kept))
            connection.executemany(
                "INSERT INTO transcript_rows (session, number, row) VALUES (?, ?, ?)",
                ((number, kept + index, column_text(row)) for index, row in enumerate(rows)),
            )
            _save_fields(connection, number, fields)

    def transcript(self, session: str) -> tuple[dict[str, Any], list[str]] | None:
        """Return the fields and rows of the transcript of a session, or None if none has been saved."""
        key = (column_text(session),)
        with self._connections.reading() as connection:
            fields = connection.execute(f"SELECT fields FROM transcripts WHERE {_OF}", key).fetchone()
            rows = connection.execute(f"SELECT row FROM transcript_rows WHERE {_OF} ORDER BY number", key).fetchall()
        try:
            return None if fields is None else (json_in(fields[0]), [text_in(row) for (row,) in rows])
        except (TypeError, ValueError):
            raise self._connections.damaged() from None

    def append_history(self, session: str, item: dict[str, Any]) -> int:
        """Append an item to the history that people see, and return its number. The first one is 1."""
        written = written_json(item)
        with self._connections.writing() as connection:
            key = self._number(connection, session)
            number: int = connection.execute(_NEXT, (key,)).fetchone()[0]
            connection.execute("INSERT INTO history (session, number, item) VALUES (?, ?, ?)", (key, number, written))
            if item.get("kind") in _MESSAGES:
                connection.execute("UPDATE sessions SET has_messages = 1 WHERE number = ? AND NOT has_messages", (key,))
        return number

    def history(self, session: str, after: int = 0, limit: int = 500) -> list[tuple[int, dict[str, Any]]]:
        """Return items after a number with their numbers, in order."""
        query = f"SELECT number, item FROM history WHERE {_OF} AND number > ? ORDER BY number LIMIT ?"
        with self._connections.reading() as connection:
            rows = connection.execute(query, (column_text(session), after, limit)).fetchall()
        try:
            return [(number, json_in(item)) for number, item in rows]
        except (TypeError, ValueError):
            raise self._connections.damaged() from None


def _save_fields(connection: Connection, session: int, fields: dict[str, Any] | None) -> None:
    if fields is not None:
        connection.execute(_SAVE_FIELDS, (session, written_json(fields)))
    else:
        connection.execute("INSERT OR IGNORE INTO transcripts (session, fields) VALUES (?, '{}')", (session,))


class SqliteConversations(SqliteSessions, SqliteEntries, _Texts, SqliteTasks):
    """A store of conversations in a SQLite file, or in memory."""

    __slots__ = ()

    @property
    def path(self) -> str:
        """The path of the file, or `:memory:`."""
        return self._connections.path

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Return a context manager whose writes are committed together at its end, and none of them on an error."""
        with self._connections.writing_in_line():
            yield

    def close(self) -> None:
        """Give up all claims and close the store. Nothing happens if it is closed already."""
        if self._connections.is_usable():
            try:
                self._release_all()
            except StoreError:
                pass  # claims end with the owner, too
        self._connections.close()


def open_store(path: str) -> SqliteConversations:
    """Open the store at a path, or in memory if that is `:memory:`. Create it if necessary.

    Raise StoreError, whose text is one line for people, if that fails.
    """
    return SqliteConversations(StoreConnections(path))
