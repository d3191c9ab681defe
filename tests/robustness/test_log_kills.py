"""Writers of event logs are killed again and again; no acknowledged record is missing.

Several processes write to the same files at the same time. After each record they acknowledge its id in a file of their
own. `HARNLITE_KILLS=1000` sets the number of kills for each kind of log.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

from harnlite.runtime.tasks.clock import Clock
from harnlite.store.event_log import open_log
from harnlite.store.stored_log import read_log
from tests.samples import slow

KILLS = int(os.environ.get("HARNLITE_KILLS", "24"))
BATCH = 24
LONGEST_LIFE = 0.15
WRITER = """
import os, random, sys, time
from harnlite.runtime.tasks.clock import Clock
from harnlite.store.event_log import open_log
events, store, acknowledged, name = sys.argv[1:]
chance = random.Random(name)
done = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
log = open_log(Clock(), events or None, store or None)
print("ready", flush=True)
number = 0
while True:
    number += 1
    topic = chance.choice("ab")
    size = chance.choice([0, 10, 300, 5_000])
    given = log.emit(topic, "k", {"writer": name, "number": number, "text": "x" * size})
    os.write(done, f"{topic} {given} {name} {number}\\n".encode())
    if number % 10 == 0:
        time.sleep(0.005)
"""
FILES = {"jsonl": ("events.jsonl", ""), "sqlite": ("", "store.sqlite"), "both": ("events.jsonl", "store.sqlite")}
pytestmark = [
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here"),
    pytest.mark.timeout(36000),
]


def start(kind, folder, name):
    events, store = ((str(folder / each) if each else "") for each in FILES[kind])
    command = [sys.executable, "-c", WRITER, events, store, str(folder / f"acknowledged-{name}"), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def kill(process):
    """Kill a writer; return what it wrote to stderr, which must be nothing."""
    process.send_signal(signal.SIGKILL)
    _, errors = process.communicate()
    return errors


def acknowledged(folder):
    """Return topic, id, writer and number of each acknowledged record."""
    found = []
    for path in folder.glob("acknowledged-*"):
        lines = path.read_text().split("\n")[:-1]  # the writer may have been killed in the last one
        found += [(topic, int(number), writer, int(count)) for topic, number, writer, count in map(str.split, lines)]
    return found


def check(kind, folder):
    """Compare the acknowledged records with the files, and check that the log can be continued."""
    wanted = acknowledged(folder)
    assert len({(topic, number) for topic, number, _, _ in wanted}) == len(wanted), "an id was given twice"
    for name in filter(None, FILES[kind]):
        stored = read_log(str(folder / name))
        assert stored.skipped == 0
        found = {
            (record["topic"], record["id"], record["payload"]["writer"], record["payload"]["number"])
            for record in stored.records
        }
        assert set(wanted) <= found, f"{name} lacks acknowledged records"
        for topic in "ab":
            ids = [record["id"] for record in stored.records if record["topic"] == topic]
            assert ids == sorted(set(ids))
    events, store = ((str(folder / each) if each else None) for each in FILES[kind])
    log = open_log(Clock(), events, store)
    number = log.emit("a", "k", {"writer": "check", "number": 0})
    assert number > max((found for topic, found, _, _ in wanted if topic == "a"), default=0)
    assert log.read("a", number - 1)[0]["id"] == number
    log.close()


def run(kind, writers, folder, chance, disturb=None):
    """Start writers and kill a random one, again and again; a new one takes its place."""
    processes, names = [], 0
    try:
        for _ in range(min(KILLS, BATCH)):
            while len(processes) < writers:
                names += 1
                process = start(kind, folder, f"{names}")
                processes.append(process)
                assert process.stdout.readline() == b"ready\n", process.communicate()
            time.sleep(chance.random() * LONGEST_LIFE)
            if disturb is not None:
                disturb(folder, chance)
            assert kill(processes.pop(chance.randrange(writers))) == b""
    finally:
        errors = [kill(process) for process in processes]
    assert not any(errors)


def folders(tmp_path):
    """Yield a new folder for each batch of kills."""
    for batch in range(-(-KILLS // BATCH)):
        folder = tmp_path / f"{batch}"
        folder.mkdir()
        yield folder
        shutil.rmtree(folder)


@slow
@pytest.mark.parametrize("writers", [2, 4])
@pytest.mark.parametrize("kind", FILES)
def test_killed_writers_lose_nothing(kind, writers, tmp_path):
    for folder in folders(tmp_path):
        run(kind, writers, folder, random.Random(f"{folder.name} {kind} {writers}"))
        check(kind, folder)
        torn = folder / "events.jsonl.torn"
        assert not torn.exists() or all(map(is_start_of_record, torn.read_bytes().splitlines()))


def is_start_of_record(line):
    return line.startswith(b'{"cursor":'[: len(line)])


def rotate(folder, chance):
    """Rename the file of the log while its writers write."""
    path = folder / "events.jsonl"
    if path.exists() and chance.random() < 0.5:
        path.rename(f"{path}.old-{time.monotonic_ns()}")


@slow
def test_killed_writers_of_a_rotated_log_lose_nothing(tmp_path):
    """The records of renamed JSONL files and of the last one together have everything that was acknowledged."""
    for folder in folders(tmp_path):
        run("jsonl", 3, folder, random.Random(f"{folder.name} rotated"), rotate)
        wanted = {(writer, number) for _, _, writer, number in acknowledged(folder)}
        found = set()
        for path in folder.glob("events.jsonl*"):
            if not path.name.endswith(".torn"):
                records = read_log(str(path)).records
                found |= {(record["payload"]["writer"], record["payload"]["number"]) for record in records}
        assert wanted <= found
