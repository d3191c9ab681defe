"""The store of conversations in a SQLite file that several processes may use at once."""

from __future__ import annotations

from contextlib import contextmanager
from sqlite3 import IntegrityError

from harnlite.store.conversation_store import DELIVERED, StoreError
from harnlite.store.sqlite_entries import SqliteEntries
from harnlite.store.sqlite_saves import MESSAGES, SAVE, save_error, save_values
from harnlite.store.sqlite_sessions import SqliteSessions
from harnlite.store.sqlite_tasks import SqliteTasks
from harnlite.store.store_connections import StoreConnections, StorePart
from harnlite.store.stored_values import column_text, json_in, text_in, written_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from sqlite3 import Connection
    from typing import Any

    from harnlite.store.conversation_store import TranscriptChange

_COUNT = "SELECT coalesce(max(number) + 1, 0) FROM transcript_rows WHERE session = ?"
_SAVE_FIELDS = """
INSERT INTO transcripts (session, fields) VALUES (?, ?)
ON CONFLICT (session) DO UPDATE SET fields = excluded.fields WHERE fields <> excluded.fields
"""
_OF = "session = (SELECT number FROM sessions WHERE id = ?)"
_NEXT = "SELECT coalesce(max(number), 0) + 1 FROM history WHERE session = ?"


class _Texts(StorePart):
    """The part of a store that keeps transcripts and histories."""

    __slots__ = ()

    def save_transcript(
        self, session: str, *, kept: int, rows: Sequence[str], fields: dict[str, Any] | None = None
    ) -> None:
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
        key = (column_text(session),)
        with self._connections.reading() as connection:
            fields = connection.execute(f"SELECT fields FROM transcripts WHERE {_OF}", key).fetchone()
            rows = connection.execute(f"SELECT row FROM transcript_rows WHERE {_OF} ORDER BY number", key).fetchall()
        try:
            return None if fields is None else (json_in(fields[0]), [text_in(row) for (row,) in rows])
        except (TypeError, ValueError):
            raise self._connections.damaged() from None

    def append_history(self, session: str, item: dict[str, Any]) -> int:
        written = written_json(item)
        with self._connections.writing() as connection:
            key = self._number(connection, session)
            number: int = connection.execute(_NEXT, (key,)).fetchone()[0]
            connection.execute("INSERT INTO history (session, number, item) VALUES (?, ?, ?)", (key, number, written))
            if item.get("kind") in MESSAGES:
                connection.execute("UPDATE sessions SET has_messages = 1 WHERE number = ? AND NOT has_messages", (key,))
        return number

    def history(self, session: str, after: int = 0, limit: int = 500) -> list[tuple[int, dict[str, Any]]]:
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

    def save(
        self,
        session: str,
        *,
        transcript: TranscriptChange | None = None,
        items: Sequence[dict[str, Any]] = (),
        taken: Sequence[str] = (),
        **changed: Any,  # noqa: ANN401 - the values of the fields
    ) -> None:
        values = save_values(session, transcript, items, taken, changed)
        if values is None:
            self._save_in_parts(session, transcript, items, taken, changed)
            return
        with self._connections.statement_in_line() as connection:
            try:
                connection.execute(SAVE, values)
            except IntegrityError as error:
                raise save_error(session, error) from None

    def _save_in_parts(
        self,
        session: str,
        transcript: TranscriptChange | None,
        items: Sequence[dict[str, Any]],
        taken: Sequence[str],
        changed: dict[str, Any],
    ) -> None:
        with self.transaction():
            if transcript is not None:
                self.save_transcript(session, kept=transcript.kept, rows=transcript.rows, fields=transcript.fields)
            for item in items:
                self.append_history(session, item)
            if taken:
                self.take_entries(session, taken, DELIVERED)
            self.update_session(session, **changed)

    @property
    def path(self) -> str:
        """The path of the file, or `:memory:`."""
        return self._connections.path

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._connections.writing_in_line():
            yield

    def close(self) -> None:
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
