"""No acknowledged data is lost when its writer is killed, and others can read during writing."""

import os
import signal
import subprocess
import sys

import pytest

from harnlite.runtime.tasks.clock import Clock
from harnlite.store.event_log import open_log
from harnlite.store.sqlite_event_log import read_store
from harnlite.store.stored_log import read_log

WRITER = """
import sys
from harnlite.runtime.tasks.clock import Clock
from harnlite.store.event_log import open_log
log = open_log(Clock(), sys.argv[1] or None, sys.argv[2] or None)
number = 0
while True:
    number += 1
    if number % 5 == 0:
        log.emit_many("a", [("k", {"n": number}), ("k", {"n": number, "text": "x" * 3000})])
        number += 1
    else:
        log.emit("a", "k", {"n": number})
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
"""
FILES = {"jsonl": ("events.jsonl", ""), "sqlite": ("", "store.sqlite"), "both": ("events.jsonl", "store.sqlite")}


def start(kind, folder):
    events, store = ((str(folder / name) if name else "") for name in FILES[kind])
    return subprocess.Popen([sys.executable, "-c", WRITER, events, store], stdout=subprocess.PIPE, text=True)


def acknowledged(process, count):
    last = 0
    for line in process.stdout:
        last = int(line)
        if last >= count:
            break
    return last


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("count", [1, 240])
def test_a_killed_writer(kind, count, tmp_path):
    process = start(kind, tmp_path)
    least = acknowledged(process, count)
    os.kill(process.pid, signal.SIGKILL)
    rest, _ = process.communicate()
    least = max([least, *map(int, rest.split())])
    for name in filter(None, FILES[kind]):
        found = [record["id"] for record in read_log(str(tmp_path / name)).records]
        assert found == list(range(1, len(found) + 1))
        assert len(found) >= least
    events, store = ((str(tmp_path / name) if name else None) for name in FILES[kind])
    log = open_log(Clock(), events, store)
    newest = log.latest("a")
    assert newest >= least
    assert log.emit("a", "k", "after") == newest + 1
    log.close()


def test_another_process_reads_a_store_while_it_is_written(tmp_path):
    process = start("sqlite", tmp_path)
    try:
        path = str(tmp_path / "store.sqlite")
        seen = 0
        for _ in range(5):
            least = acknowledged(process, seen + 20)
            found = read_store(path)[0]
            assert len(found) >= least > seen
            seen = len(found)
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()


def test_two_processes_write_one_store(tmp_path):
    script = """
import sys
from harnlite.runtime.tasks.clock import Clock
from harnlite.store.event_log import open_log
log = open_log(Clock(), None, sys.argv[1])
for number in range(100):
    log.emit("a", "k", sys.argv[2])
log.close()
"""
    path = str(tmp_path / "store.sqlite")
    processes = [subprocess.Popen([sys.executable, "-c", script, path, name]) for name in "xy"]
    assert [process.wait() for process in processes] == [0, 0]
    records = read_store(path)[0]
    assert [record["id"] for record in records] == list(range(1, 201))
    assert sum(record["payload"] == "x" for record in records) == 100
