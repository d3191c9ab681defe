"""What waits in a SQLite store of conversations, and the outcomes of what has waited."""

from __future__ import annotations

from harnlite.store.conversation_store import MOST_OUTCOMES, WAITING, StoredEntry, StoredOutcome
from harnlite.store.store_connections import StorePart
from harnlite.store.stored_values import column_text, json_in, optional_json, text_in, written_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection
    from typing import Any

_OF = "session = (SELECT number FROM sessions WHERE id = ?)"
_ADD = """
INSERT INTO entries (session, id, kind, mode, payload, position, body_hash, answer)
SELECT
    sessions.number, :id, :kind, :mode, :payload,
    (SELECT coalesce(max(position), 0) + 1 FROM entries WHERE session = sessions.number),
    :body_hash, :answer
FROM sessions WHERE sessions.id = :session
AND NOT EXISTS (SELECT 1 FROM entries WHERE session = sessions.number AND id = :id)
AND NOT EXISTS (SELECT 1 FROM outcomes WHERE session = sessions.number AND id = :id)
"""
_UPDATE = """
UPDATE entries SET mode = coalesce(?, mode), payload = coalesce(?, payload), position = coalesce(?, position)
WHERE session = ? AND id = ?
"""
_LAST = "SELECT coalesce(max(number), 0) FROM outcomes WHERE session = ?"
_SETTLE = """
INSERT INTO outcomes (session, number, id, kind, outcome, body_hash, answer)
SELECT session, ?, id, kind, ?, body_hash, answer FROM entries WHERE session = ? AND id = ?
"""
_WAITING = f"SELECT id, kind, '{WAITING}', body_hash, answer FROM entries WHERE {_OF}"
_SETTLED = f"SELECT id, kind, outcome, body_hash, answer FROM outcomes WHERE {_OF}"


class SqliteEntries(StorePart):
    """The part of a store that keeps user messages and reminders that wait."""

    __slots__ = ()

    def add_entry(
        self,
        session: str,
        entry: str,
        kind: str,
        mode: str,
        payload: dict[str, Any],
        *,
        body_hash: str | None = None,
        answer: dict[str, Any] | None = None,
    ) -> None:
        values = {
            "session": column_text(session),
            "id": column_text(entry),
            "kind": kind,
            "mode": mode,
            "payload": written_json(payload),
            "body_hash": body_hash,
            "answer": optional_json(answer),
        }
        with self._connections.statement() as connection:
            if not connection.execute(_ADD, values).rowcount:
                self._number(connection, session)
                raise ValueError(f"the session {session} has accepted {entry} already")

    def update_entry(
        self,
        session: str,
        entry: str,
        *,
        mode: str | None = None,
        payload: dict[str, Any] | None = None,
        order: int | None = None,
    ) -> bool:
        values = (mode, optional_json(payload), order)
        with self._connections.writing() as connection:
            number = self._number(connection, session)
            return connection.execute(_UPDATE, (*values, number, column_text(entry))).rowcount > 0

    def take_entries(self, session: str, ids: Iterable[str], outcome: str) -> list[str]:
        with self._connections.writing() as connection:
            number = self._number(connection, session)
            last: int = connection.execute(_LAST, (number,)).fetchone()[0]
            taken = []
            for each in ids:
                if _settle(connection, number, each, last + 1, outcome):
                    last += 1
                    taken.append(each)
            connection.execute("DELETE FROM outcomes WHERE session = ? AND number <= ?", (number, last - MOST_OUTCOMES))
        return taken

    def entries(self, session: str) -> list[StoredEntry]:
        query = f"SELECT id, kind, mode, payload, position FROM entries WHERE {_OF} ORDER BY position, accepted"
        with self._connections.reading() as connection:
            rows = connection.execute(query, (column_text(session),)).fetchall()
        try:
            return [
                StoredEntry(text_in(identity), kind, mode, json_in(payload), position)
                for identity, kind, mode, payload, position in rows
            ]
        except (TypeError, ValueError):
            raise self._connections.damaged() from None

    def outcome(self, session: str, entry: str) -> StoredOutcome | None:
        key = (column_text(session), column_text(entry))
        with self._connections.reading() as connection:
            found = connection.execute(
                f"{_SETTLED} AND id = ? UNION ALL {_WAITING} AND id = ?", (*key, *key)
            ).fetchone()
        return None if found is None else self._outcome(found)

    def outcomes(self, session: str) -> list[StoredOutcome]:
        key = (column_text(session),)
        with self._connections.reading() as connection:
            rows = connection.execute(f"{_SETTLED} ORDER BY number", key).fetchall()
            rows += connection.execute(f"{_WAITING} ORDER BY position, accepted", key).fetchall()
        return [self._outcome(row) for row in rows]

    def _outcome(self, columns: tuple[Any, ...]) -> StoredOutcome:
        identity, kind, outcome, body_hash, answer = columns
        try:
            answered = None if answer is None else json_in(answer)
            return StoredOutcome(text_in(identity), kind, outcome, body_hash, answered)
        except (TypeError, ValueError):
            raise self._connections.damaged() from None


def _settle(connection: Connection, session: int, entry: str, number: int, outcome: str) -> bool:
    """Move an entry to the outcomes. Return whether it has been waiting."""
    key = (session, column_text(entry))
    if not connection.execute(_SETTLE, (number, outcome, *key)).rowcount:
        return False
    connection.execute("DELETE FROM entries WHERE session = ? AND id = ?", key)
    return True
