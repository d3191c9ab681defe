"""The tasks in a SQLite store of conversations."""

from __future__ import annotations

from harnlite.store.conversation_store import TaskRow
from harnlite.store.store_connections import StorePart
from harnlite.store.stored_values import column_text, json_in, text_in, written_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

_COLUMNS = "id, context_id, state, changed_ms, document"
_SAVE = f"""
INSERT INTO tasks ({_COLUMNS}) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
context_id = excluded.context_id, state = excluded.state, changed_ms = excluded.changed_ms, document = excluded.document
"""


class SqliteTasks(StorePart):
    """The part of a store that keeps tasks."""

    __slots__ = ()

    def save_task(self, row: TaskRow) -> None:
        columns = (column_text(row.id), column_text(row.context_id), row.state, row.changed_ms)
        with self._connections.writing() as connection:
            connection.execute(_SAVE, (*columns, written_json(row.document)))

    def task(self, task: str) -> TaskRow | None:
        with self._connections.reading() as connection:
            found = connection.execute(f"SELECT {_COLUMNS} FROM tasks WHERE id = ?", (column_text(task),)).fetchone()
        return None if found is None else self._row(found)

    def tasks(
        self,
        *,
        context: str | None = None,
        states: Collection[str] | None = None,
        changed_after: int | None = None,
        after: tuple[int, str] | None = None,
        limit: int = 50,
    ) -> list[TaskRow]:
        where, values = _condition(context, states, changed_after)
        if after is not None:
            where += " AND (changed_ms, id) < (?, ?)"
            values += [after[0], column_text(after[1])]
        query = f"SELECT {_COLUMNS} FROM tasks WHERE {where} ORDER BY changed_ms DESC, id DESC LIMIT ?"
        with self._connections.reading() as connection:
            rows = connection.execute(query, (*values, limit)).fetchall()
        return [self._row(row) for row in rows]

    def count_tasks(
        self, *, context: str | None = None, states: Collection[str] | None = None, changed_after: int | None = None
    ) -> int:
        where, values = _condition(context, states, changed_after)
        with self._connections.reading() as connection:
            count: int = connection.execute(f"SELECT count(*) FROM tasks WHERE {where}", values).fetchone()[0]
        return count

    def _row(self, columns: tuple[Any, ...]) -> TaskRow:
        identity, context, state, changed, document = columns
        try:
            return TaskRow(text_in(identity), text_in(context), state, changed, json_in(document))
        except (TypeError, ValueError):
            raise self._connections.damaged() from None


def _condition(
    context: str | None, states: Collection[str] | None, changed_after: int | None
) -> tuple[str, list[str | bytes | int]]:
    where, values = "1", list[str | bytes | int]()
    if context is not None:
        where += " AND context_id = ?"
        values.append(column_text(context))
    if states is not None:
        where += " AND state IN (SELECT value FROM json_each(?))"
        values.append(written_json(list(states)))
    if changed_after is not None:
        where += " AND changed_ms >= ?"
        values.append(changed_after)
    return where, values
