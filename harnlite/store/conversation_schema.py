"""The tables of the SQLite store of conversations."""

from __future__ import annotations

from harnlite.store.sqlite_schema import Schema, UnfitFileError, file_marks, require_known_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

VERSION = 1
"""The version of the schema, in `PRAGMA user_version`."""
APPLICATION_ID = int.from_bytes(b"HRNC", "big")

_OF_SESSION = "session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE"
_TABLES = {
    "sessions": """
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    cwd TEXT NOT NULL,
    title TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    meta TEXT NOT NULL,
    turns INTEGER NOT NULL,
    cost REAL NOT NULL,
    mcp_servers TEXT NOT NULL,
    state TEXT NOT NULL,
    has_messages INTEGER NOT NULL
    """,
    "claims": """
    session TEXT PRIMARY KEY,
    owner TEXT NOT NULL
    """,
    "entries": f"""
    accepted INTEGER PRIMARY KEY,
    {_OF_SESSION},
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    mode TEXT NOT NULL,
    payload TEXT NOT NULL,
    position INTEGER NOT NULL,
    body_hash TEXT,
    answer TEXT,
    UNIQUE (session, id)
    """,
    "outcomes": f"""
    {_OF_SESSION},
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    outcome TEXT NOT NULL,
    body_hash TEXT,
    answer TEXT,
    UNIQUE (session, number),
    UNIQUE (session, id)
    """,
    "transcripts": f"""
    {_OF_SESSION} PRIMARY KEY,
    fields TEXT NOT NULL
    """,
    "transcript_rows": f"""
    {_OF_SESSION},
    number INTEGER NOT NULL,
    row TEXT NOT NULL,
    UNIQUE (session, number)
    """,
    "history": f"""
    {_OF_SESSION},
    number INTEGER NOT NULL,
    item TEXT NOT NULL,
    UNIQUE (session, number)
    """,
    "tasks": """
    id TEXT PRIMARY KEY,
    context_id TEXT NOT NULL,
    state TEXT NOT NULL,
    changed_ms INTEGER NOT NULL,
    document TEXT NOT NULL
    """,
}
_INDEXES = (
    "CREATE INDEX sessions_by_time ON sessions (updated_at, id)",
    "CREATE INDEX sessions_by_cwd ON sessions (cwd, updated_at, id)",
    "CREATE INDEX claims_by_owner ON claims (owner)",
    "CREATE INDEX entries_in_order ON entries (session, position, accepted)",
    "CREATE INDEX tasks_by_time ON tasks (changed_ms, id)",
    "CREATE INDEX tasks_by_context ON tasks (context_id, changed_ms, id)",
    "CREATE INDEX tasks_by_state ON tasks (state, changed_ms, id)",
)


def check_schema(connection: sqlite3.Connection) -> int:
    """Return the version of the schema, 0 if there is none. Raise UnfitFileError if the file is something else."""
    application, version, tables = file_marks(connection)
    if application != APPLICATION_ID:
        if application or version or tables:
            raise UnfitFileError("it is a database of another program; choose another file for the conversations")
        return 0
    require_known_version(version, VERSION)
    if version and not tables.issuperset(name.encode() for name in _TABLES):
        raise UnfitFileError("its tables are not those of a store of conversations; choose another file")
    return version


CONVERSATIONS = Schema(
    VERSION,
    APPLICATION_ID,
    check_schema,
    (*(f"CREATE TABLE {name} ({columns})" for name, columns in _TABLES.items()), *_INDEXES),
)
