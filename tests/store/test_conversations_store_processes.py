"""Several processes with one store of conversations, and processes that are killed."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from harnlite.store import store_connections, store_owners
from harnlite.store.conversation_store import StoredSession, StoreError
from harnlite.store.sqlite_conversations import open_store

TIME = "2026-11-20T12:34:56.789Z"
START = """
import os, sys, time
from harnlite.store import store_connections
from harnlite.store.conversation_store import StoredSession, StoreError
from harnlite.store.sqlite_conversations import open_store
store_connections.PATIENCE_SECONDS = 60
store = open_store(sys.argv[1])
"""
CLAIMER = (
    START
    + """
print(store.claim("s"), flush=True)
sys.stdin.readline()
store.close()
"""
)
FORKING = (
    START
    + """
print(store.claim("s"), flush=True)
if os.fork() == 0:
    try:
        store.session("s")
    except StoreError as error:
        print(error, flush=True)
    store.close()
    print(os.getpid(), flush=True)
    time.sleep(60)
    os._exit(0)
time.sleep(60)
"""
)
WRITER = (
    START
    + """
for number in range(int(sys.argv[3])):
    with store.transaction():
        store.add_entry("s", f"{sys.argv[2]}{number}", "user", "queue", {})
        store.append_history("s", {"kind": "user"})
    store.take_entries("s", [f"{sys.argv[2]}{number}"], "delivered")
store.close()
"""
)
KILLED = (
    START
    + """
number = store.session("s").turns
while True:
    with store.transaction():
        store.add_entry("s", f"e{number}", "user", "queue", {"text": "x" * 3000})
        store.save_transcript("s", kept=number, rows=[str(number)], fields={"last": number})
        store.append_history("s", {"kind": "user", "number": number})
        if number % 2:
            store.take_entries("s", [f"e{number - 1}", f"e{number}"], "delivered")
        number += 1
        store.update_session("s", turns=number)
    print(number, flush=True)
"""
)


@pytest.fixture
def path(tmp_path, monkeypatch):
    # A process that holds the lock may stall for longer than the usual five seconds.
    monkeypatch.setattr(store_connections, "PATIENCE_SECONDS", 60)
    return str(tmp_path / "conversations.db")


@pytest.fixture
def store(path):
    opened = open_store(path)
    opened.add_session(StoredSession("s", "/", TIME))
    yield opened
    opened.close()


@pytest.fixture
def started(path):
    processes = []

    def start(program, *arguments):
        process = subprocess.Popen(
            [sys.executable, "-c", program, path, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def owner_files(path):
    return os.listdir(path + ".owners")


def test_a_claim_of_a_living_process_holds(store, started):
    other = started(CLAIMER)
    assert other.stdout.readline() == "True\n"
    assert not store.claim("s")
    store.release("s")
    assert not store.claim("s"), "the claim of another process is not released"
    other.communicate("\n")
    assert store.claim("s")
    assert store.claim("s")
    assert started(CLAIMER).stdout.readline() == "False\n"


def test_a_released_claim_is_free(store, started):
    assert store.claim("s")
    store.release("s")
    assert started(CLAIMER).stdout.readline() == "True\n"


def test_the_claim_of_a_killed_process_ends_with_it(store, started, path):
    other = started(CLAIMER)
    assert other.stdout.readline() == "True\n"
    assert len(owner_files(path)) == 2
    other.kill()
    other.wait()
    assert store.claim("s")
    assert len(owner_files(path)) == 1
    assert started(CLAIMER).stdout.readline() == "False\n"


def test_opening_a_store_deletes_the_files_of_killed_processes(store, started, path):
    others = [started(CLAIMER) for _ in range(3)]
    for other in others:
        other.stdout.readline()
        other.kill()
        other.wait()
    assert len(owner_files(path)) >= 2
    second = open_store(path)
    assert len(owner_files(path)) == 2
    assert store.claim("s")
    assert not second.claim("s"), "two stores of one process are two owners"
    second.close()
    assert len(owner_files(path)) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_forked_child_neither_keeps_the_claim_nor_uses_the_store(store, started):
    parent = started(FORKING)
    assert parent.stdout.readline() == "True\n"
    assert parent.stdout.readline().endswith("it was opened by the parent of this process\n")
    child = int(parent.stdout.readline())
    assert not store.claim("s")
    parent.kill()
    parent.wait()
    os.kill(child, 0)
    assert store.claim("s")
    os.kill(child, signal.SIGKILL)


def test_links_name_the_same_store(store, path, tmp_path):
    assert store.claim("s")
    (tmp_path / "other").mkdir()
    os.symlink(path, tmp_path / "other" / "link.db")
    second = open_store(str(tmp_path / "other" / "link.db"))
    assert not second.claim("s")
    second.close()


def test_without_locks_the_id_of_the_process_counts(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    store = open_store(path)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for name, is_alive in (
        (f"{os.getpid()}-00", True),
        (f"{ended.pid}-00", False),
        ("0-00", False),
        ("99999999999999-00", False),
    ):
        file = store_owners.StoreOwner(path)
        os.rename(file._path(file.name), file._path(name))
        assert store._connections.owner.is_alive(name) == is_alive
        assert os.path.exists(file._path(name)) == is_alive
        file.close()
    store.close()


@pytest.mark.parametrize("name", ["", "../x", "a/b", "1-zz", "ü"])
def test_a_damaged_name_of_an_owner_is_dead(store, name):
    assert not store._connections.owner.is_alive(name)


def test_processes_write_at_once(store, started):
    processes = [started(WRITER, name, "40") for name in "abc"]
    for number in range(40):
        store.append_history("s", {"kind": "agent", "number": number})
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    assert sorted(row.id for row in store.outcomes("s")) == sorted(f"{name}{n}" for name in "abc" for n in range(40))
    assert [number for number, _ in store.history("s")] == list(range(1, 161))


def test_processes_create_one_store(path, started):
    processes = [started(CLAIMER) for _ in range(4)]
    assert sorted(process.stdout.readline() for process in processes) == ["False\n"] * 3 + ["True\n"]


def test_a_killed_process_loses_nothing_and_leaves_no_half_transaction(store, started, path):
    chance = random.Random(7)
    for _ in range(8):
        process = started(KILLED)
        process.stdout.readline()
        time.sleep(chance.random() / 10)
        process.kill()
        printed = process.communicate()[0].split()
        acknowledged = int(printed[-1]) if printed else 0
        turns = store.session("s").turns
        assert turns >= acknowledged
        assert store.transcript("s") == ({"last": turns - 1}, [str(number) for number in range(turns)])
        assert [item["number"] for _, item in store.history("s", limit=1_000_000)] == list(range(turns))
        outcomes = {row.id: row.outcome for row in store.outcomes("s")}
        even = turns - turns % 2
        newest = range(max(0, even - 10_000), turns)
        assert outcomes == {f"e{n}": "delivered" if n < even else "waiting" for n in newest}
        second = open_store(path)
        assert second._connections._writer.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        second.close()


def test_a_store_that_another_process_locks_can_be_read(store, path):
    second = open_store(path)
    with second.transaction():
        second.append_history("s", {"kind": "user"})
        assert store.history("s") == []
        assert store.session("s") is not None
    assert len(store.history("s")) == 1
    second.close()


def test_the_owner_ends_with_the_store(path):
    store = open_store(path)
    assert store.claim("s")
    store.close()
    assert owner_files(path) == []
    with pytest.raises(StoreError):
        store.claim("s")
