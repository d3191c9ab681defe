"""The sessions in a SQLite store of conversations, and which process has them open."""

from __future__ import annotations

import sqlite3

from harnlite.store.conversation_store import StoredSession
from harnlite.store.store_connections import StorePart
from harnlite.store.stored_values import NO_TIME, column_text, json_in, session_column, text_in, written_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

_COLUMNS = "id, cwd, created_at, title, updated_at, meta, turns, cost, mcp_servers, state, has_messages"
_ADD = f"INSERT INTO sessions ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)"
_FIELDS = frozenset({"cwd", "created_at", "title", "updated_at", "meta", "turns", "cost", "mcp_servers", "state"})
_LISTED = "(has_messages OR id IN (SELECT value FROM json_each(?)))"
_IN_MEMORY_OWNER = "memory"


class SqliteSessions(StorePart):
    """The part of a store that keeps sessions and claims."""

    __slots__ = ()

    def add_session(self, row: StoredSession) -> None:
        values = [
            column_text(row.id),
            *(session_column(name, getattr(row, name)) for name in _COLUMNS.split(", ")[1:-1]),
        ]
        with self._connections.writing() as connection:
            try:
                connection.execute(_ADD, values)
            except sqlite3.IntegrityError:
                raise ValueError(f"the session {row.id} exists") from None

    def session(self, session: str) -> StoredSession | None:
        query = f"SELECT {_COLUMNS} FROM sessions WHERE id = ?"
        with self._connections.reading() as connection:
            found = connection.execute(query, (column_text(session),)).fetchone()
        return None if found is None else self._session_in(found)

    def update_session(self, session: str, **changed: Any) -> None:  # noqa: ANN401 - the values of the fields
        if unknown := changed.keys() - _FIELDS:
            raise TypeError(f"a session has no field {min(unknown)} that can be changed")
        assignments = ", ".join(f"{name} = ?" for name in changed)
        values = [session_column(name, value) for name, value in changed.items()]
        with self._connections.writing() as connection:
            number = self._number(connection, session)
            if changed:
                connection.execute(f"UPDATE sessions SET {assignments} WHERE number = ?", (*values, number))

    def delete_session(self, session: str) -> None:
        key = (column_text(session),)
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM sessions WHERE id = ?", key)
            connection.execute("DELETE FROM claims WHERE session = ?", key)

    def sessions(
        self,
        *,
        cwd: str | None = None,
        after: tuple[str | None, str] | None = None,
        limit: int = 50,
        opened: Collection[str] = (),
    ) -> list[StoredSession]:
        where: str = _LISTED
        values: list[str | bytes] = [written_json(list(opened))]
        if cwd is not None:
            where += " AND cwd = ?"
            values.append(column_text(cwd))
        if after is not None:
            where += " AND (updated_at, id) < (?, ?)"
            values += [column_text(after[0] or NO_TIME), column_text(after[1])]
        query = f"SELECT {_COLUMNS} FROM sessions WHERE {where} ORDER BY updated_at DESC, id DESC LIMIT ?"
        with self._connections.reading() as connection:
            rows = connection.execute(query, (*values, limit)).fetchall()
        return [self._session_in(row) for row in rows]

    def _session_in(self, columns: tuple[Any, ...]) -> StoredSession:
        identity, cwd, created, title, updated, meta, turns, cost, servers, state, has_messages = columns
        try:
            return StoredSession(
                text_in(identity),
                text_in(cwd),
                text_in(created),
                None if title is None else text_in(title),
                text_in(updated) or None,
                json_in(meta),
                turns,
                cost,
                json_in(servers),
                json_in(state),
                has_messages=bool(has_messages),
            )
        except (TypeError, ValueError):
            raise self._connections.damaged() from None

    # Claims

    def claim(self, session: str) -> bool:
        key, owner = column_text(session), self._connections.owner
        name = _IN_MEMORY_OWNER if owner is None else owner.name
        with self._connections.writing() as connection:
            found = connection.execute("SELECT owner FROM claims WHERE session = ?", (key,)).fetchone()
            if found is not None:
                if found[0] == name:
                    return True
                if owner is not None and owner.is_alive(found[0]):
                    return False
            connection.execute("INSERT OR REPLACE INTO claims (session, owner) VALUES (?, ?)", (key, name))
        return True

    def release(self, session: str) -> None:
        owner = self._connections.owner
        key = (column_text(session), _IN_MEMORY_OWNER if owner is None else owner.name)
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM claims WHERE session = ? AND owner = ?", key)

    def _release_all(self) -> None:
        if (owner := self._connections.owner) is not None:
            with self._connections.writing() as connection:
                connection.execute("DELETE FROM claims WHERE owner = ?", (owner.name,))
