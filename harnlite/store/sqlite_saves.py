"""What a turn has changed in a conversation, as the values of one SQLite statement."""

from __future__ import annotations

from json import JSONEncoder
from typing import Any

from harnlite.store.conversation_store import DELIVERED, MOST_OUTCOMES
from harnlite.store.stored_values import column_text, session_column, written_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import IntegrityError
    from typing import TypeAlias

    from harnlite.store.conversation_store import TranscriptChange

    Column: TypeAlias = str | bytes | int | float | None

MESSAGES = frozenset({"user", "agent"})
"""The kinds of history items with which a session is listed."""
_CHANGEABLE = ("title", "updated_at", "meta", "turns", "cost")
"""The columns of a session that a save may change."""
_COLUMNS = (
    "session",
    "kept",
    "rows",
    "fields",
    "items",
    "has_messages",
    "taken",
    "outcome",
    "most_outcomes",
    "changed",
    *_CHANGEABLE,
)
_NEW_VALUES = ", ".join(
    f"{name} = CASE WHEN instr(NEW.changed, '{name}') THEN NEW.{name} ELSE {name} END" for name in _CHANGEABLE
)
SAVES = (
    f"CREATE TEMP VIEW saves AS SELECT {', '.join(f'NULL AS {name}' for name in _COLUMNS)}",
    f"""
    CREATE TEMP TRIGGER save INSTEAD OF INSERT ON saves BEGIN
        SELECT RAISE(ABORT, 'unknown session') WHERE NEW.session IS NULL;
        SELECT RAISE(ABORT, 'missing rows') WHERE NEW.kept >
            (SELECT coalesce(max(number) + 1, 0) FROM transcript_rows WHERE session = NEW.session);
        DELETE FROM transcript_rows WHERE session = NEW.session AND number >= NEW.kept;
        INSERT INTO transcript_rows (session, number, row)
            SELECT NEW.session, NEW.kept + key, value FROM json_each(NEW.rows);
        INSERT INTO transcripts (session, fields)
            SELECT NEW.session, coalesce(NEW.fields, '{{}}') WHERE NEW.kept IS NOT NULL
            ON CONFLICT (session) DO UPDATE SET fields = NEW.fields
            WHERE NEW.fields IS NOT NULL AND fields <> NEW.fields;
        INSERT INTO history (session, number, item)
            SELECT NEW.session,
                (SELECT coalesce(max(number), 0) + 1 FROM history WHERE session = NEW.session) + key, value
            FROM json_each(NEW.items);
        INSERT INTO outcomes (session, number, id, kind, outcome, body_hash, answer)
            SELECT NEW.session,
                (SELECT coalesce(max(number), 0) FROM outcomes WHERE session = NEW.session)
                    + row_number() OVER (ORDER BY taken.key),
                entries.id, kind, NEW.outcome, body_hash, answer
            FROM json_each(NEW.taken) AS taken CROSS JOIN entries
            WHERE entries.session = NEW.session AND entries.id = taken.value;
        DELETE FROM entries WHERE session = NEW.session AND id IN (SELECT value FROM json_each(NEW.taken));
        DELETE FROM outcomes WHERE session = NEW.session AND NEW.taken IS NOT NULL AND number <=
            (SELECT max(number) FROM outcomes WHERE session = NEW.session) - NEW.most_outcomes;
        UPDATE sessions SET has_messages = has_messages OR NEW.has_messages, {_NEW_VALUES}
            WHERE number = NEW.session AND (NEW.changed <> '' OR NEW.has_messages > has_messages);
    END
    """,
)
"""A view of the writing connection: an `INSERT` stores all that a turn has changed, in one statement.

SQLite releases the interpreter lock of Python for each statement. While many turns run, getting it back takes longer
than the statement, and all other writers wait for that.
"""
SAVE = f"""
INSERT INTO saves ({", ".join(_COLUMNS)})
VALUES ((SELECT number FROM sessions WHERE id = ?){", ?" * (len(_COLUMNS) - 1)})
"""
_list_text = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_NOTHING = (None,) * len(_CHANGEABLE)


def save_values(
    session: str,
    transcript: TranscriptChange | None,
    items: Sequence[dict[str, Any]],
    taken: Sequence[str],
    changed: dict[str, Any],
) -> tuple[Column, ...] | None:
    """Return the values of `SAVE`, or None if one statement cannot store the change.

    The lists of texts are passed as JSON, with which SQLite reads neither halves of surrogate pairs nor null
    characters.
    """
    rows = () if transcript is None else transcript.rows
    if not changed.keys() <= set(_CHANGEABLE) or not all(map(_is_plain, rows)) or not all(map(_is_plain, taken)):
        return None
    return (
        column_text(session),
        None if transcript is None else transcript.kept,
        _list_text(list(rows)) if rows else None,
        None if transcript is None or transcript.fields is None else written_json(transcript.fields),
        _list_text([written_json(item) for item in items]) if items else None,
        any(item.get("kind") in MESSAGES for item in items),
        _list_text(list(dict.fromkeys(taken))) if taken else None,
        DELIVERED,
        MOST_OUTCOMES,
        " ".join(changed),
        *([session_column(name, changed.get(name)) for name in _CHANGEABLE] if changed else _NOTHING),
    )


def save_error(session: str, error: IntegrityError) -> Exception:
    """Return the error for a save that the store has refused."""
    text = str(error)
    if text == "unknown session":
        return LookupError(f"the session {session} is not stored")
    if text == "missing rows":
        return ValueError("the transcript has fewer rows than are to be kept")
    return error


def _is_plain(text: str) -> bool:
    return "\0" not in text and (text.isascii() or isinstance(column_text(text), str))
