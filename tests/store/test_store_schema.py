"""The version of the schema of a store, and files that are not stores of harnlite."""

import os
import sqlite3
import subprocess
import sys

import pytest

from harnlite.runtime.tasks.clock import Clock
from harnlite.store import sqlite_schema
from harnlite.store.event_log import open_log
from harnlite.store.sqlite_schema import APPLICATION_ID, VERSION
from harnlite.store.stored_log import read_log
from harnlite.values.errors import ScriptError

TABLE = """
CREATE TABLE event_records (position INTEGER PRIMARY KEY, topic TEXT NOT NULL, id INTEGER NOT NULL, kind TEXT NOT NULL,
payload TEXT NOT NULL, headers TEXT NOT NULL, occurred_at_ms INTEGER NOT NULL, UNIQUE (topic, id))
"""
ROW = "INSERT INTO event_records VALUES (1, 'a', 1, 'k', '\"old\"', '{}', 5)"
WRITER = """
import sys
from harnlite.runtime.tasks.clock import Clock
from harnlite.store.event_log import open_log
for _ in range(5):
    log = open_log(Clock(), None, sys.argv[1])
    log.emit("a", "k", "new")
    log.close()
"""


def crafted(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def pragma(path, name):
    connection = sqlite3.connect(path)
    (found,) = connection.execute(f"PRAGMA {name}").fetchone()
    connection.close()
    return found


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "store.sqlite")


def test_a_new_store_has_the_version(path):
    open_log(Clock(), None, path).close()
    assert (pragma(path, "user_version"), pragma(path, "application_id")) == (VERSION, APPLICATION_ID)


def test_a_store_without_a_version_is_brought_up(path):
    crafted(path, TABLE, ROW)
    assert [record["payload"] for record in read_log(path).records] == ["old"]
    assert pragma(path, "user_version") == 0, "reading changes nothing"
    log = open_log(Clock(), None, path)
    assert log.emit("a", "k", "new") == 2
    assert [record["payload"] for record in log.read("a")] == ["old", "new"]
    log.close()
    assert (pragma(path, "user_version"), pragma(path, "application_id")) == (VERSION, APPLICATION_ID)


@pytest.mark.parametrize("old", [True, False])
def test_processes_bring_one_store_up(old, path):
    if old:
        crafted(path, TABLE, ROW)
    processes = [subprocess.Popen([sys.executable, "-c", WRITER, path]) for _ in range(4)]
    assert [process.wait(100) for process in processes] == [0] * 4
    records = read_log(path).records
    assert [record["id"] for record in records] == list(range(1, len(records) + 1))
    assert len(records) == 20 + old


@pytest.mark.parametrize("application", [0, APPLICATION_ID])
def test_a_newer_store_is_refused_and_not_touched(application, path):
    crafted(path, TABLE, ROW, f"PRAGMA application_id = {application}", f"PRAGMA user_version = {VERSION + 1}")
    with open(path, "rb") as file:
        before = file.read()
    text = (
        f"its schema has version {VERSION + 1}, and this harnlite knows versions up to {VERSION}; use a newer harnlite"
    )
    for read in (lambda: open_log(Clock(), None, path), lambda: read_log(path)):
        with pytest.raises(OSError, match=text) as caught:
            read()
        assert caught.value.filename == path
    with open(path, "rb") as file:
        assert file.read() == before


@pytest.mark.parametrize(
    "statements",
    [
        ("CREATE TABLE users (name TEXT)",),
        ("CREATE TABLE users (name TEXT)", "PRAGMA user_version = 3"),
        ("PRAGMA user_version = 3", "PRAGMA application_id = 7"),
        (TABLE, "PRAGMA application_id = 7"),
        ("CREATE TABLE event_records (id INTEGER, name TEXT)",),
        ("CREATE TABLE event_records (id INTEGER, name TEXT)", f"PRAGMA application_id = {APPLICATION_ID}"),
    ],
)
def test_the_database_of_another_program_is_refused_and_not_touched(statements, path):
    crafted(path, *statements)
    with open(path, "rb") as file:
        before = file.read()
    for read in (lambda: open_log(Clock(), None, path), lambda: read_log(path)):
        with pytest.raises(OSError, match=r"another program|event_records") as caught:
            read()
        assert caught.value.filename == path
    with open(path, "rb") as file:
        assert file.read() == before


def test_tables_beside_the_log_stay(path):
    crafted(path, TABLE, ROW, "CREATE TABLE notes (text TEXT)", "INSERT INTO notes VALUES ('mine')")
    log = open_log(Clock(), None, path)
    assert log.emit("a", "k", None) == 2
    log.close()
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT text FROM notes").fetchall() == [("mine",)]
    connection.close()


def test_a_locked_store_is_an_error_after_a_while(path, monkeypatch):
    monkeypatch.setattr(sqlite_schema, "PATIENCE_SECONDS", 0.2)
    log = open_log(Clock(), None, path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(ScriptError, match=r"event_log: cannot write .*store\.sqlite: database is locked"):
        log.emit("a", "k", None)
    other.execute("ROLLBACK")
    other.close()
    assert log.emit("a", "k", None) == 1
    log.close()


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_a_cut_store_is_refused(part, path, tmp_path):
    log = open_log(Clock(), None, path)
    log.emit_many("a", [("k", "x" * 900)] * 300)
    log.close()
    content = (tmp_path / "store.sqlite").read_bytes()
    (tmp_path / "store.sqlite").write_bytes(content[: int(len(content) * part)])
    for read in (lambda: open_log(Clock(), None, path), lambda: read_log(path)):
        with pytest.raises(OSError, match="malformed") as caught:
            read()
        assert caught.value.filename == path


def test_a_store_that_is_cut_while_it_is_open(path, tmp_path):
    log = open_log(Clock(), None, path)
    for number in range(3000):
        log.emit("a", "k", f"{number} " * 100)
    os.truncate(path, 200_000)
    for _ in range(2):
        with pytest.raises(ScriptError, match=r"event_log: cannot write .*store\.sqlite: .*malformed"):
            log.emit("a", "k", None)
    (tmp_path / "store.sqlite").rename(tmp_path / "broken")
    assert log.emit("a", "k", "new") == 3001
    assert [record["payload"] for record in read_log(path).records] == ["new"]
    log.close()


def test_a_store_in_memory():
    log = open_log(Clock(), None, ":memory:")
    assert [log.emit("a", "k", 1), log.emit("a", "k", 2)] == [1, 2]
    assert len(log.read("a")) == 2
    log.close()
