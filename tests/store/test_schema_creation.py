"""A store that another process creates while it is being opened."""

import dataclasses
import sqlite3

import pytest

from harnlite.store.conversation_schema import CONVERSATIONS
from harnlite.store.sqlite_schema import EVENT_LOG, open_with_schema


@pytest.mark.parametrize("before", ["PRAGMA user_version", "SELECT CAST(name AS BLOB)"])
@pytest.mark.parametrize("schema", [EVENT_LOG, CONVERSATIONS], ids=["event log", "conversations"])
def test_another_process_creates_the_schema_between_two_reads(schema, before, tmp_path):
    path = str(tmp_path / "store.db")
    begun = sqlite3.connect(path)
    begun.execute("PRAGMA journal_mode = WAL")  # the file has a header from here on, and no tables
    created = []

    def create(statement):
        if statement.startswith(before) and not created:
            created.append(before)
            open_with_schema(path, schema).close()

    def check(connection):
        connection.set_trace_callback(create)
        return schema.check(connection)

    store = open_with_schema(path, dataclasses.replace(schema, check=check))
    try:
        assert created == [before]
        assert schema.check(store) == schema.version
    finally:
        store.close()
        begun.close()
