"""JSONL logs whose files change while records follow each other so quickly that the path is not checked each time."""

import pytest

from harnlite.durable_files import RECHECK_SECONDS
from harnlite.runtime.tasks.clock import Clock
from harnlite.store import jsonl_event_log
from harnlite.store.event_log import open_log
from harnlite.store.stored_log import read_log


def payloads(records):
    return [record["payload"] for record in records]


@pytest.fixture
def move_on(monkeypatch):
    """Stop the time by which the path is checked, and return a function that moves it on."""
    now = [1000.0]
    monkeypatch.setattr(jsonl_event_log, "waiting_time", lambda: now[0])

    def by(seconds):
        now[0] += seconds

    return by


def test_a_busy_log_notices_a_renamed_file_after_a_moment(tmp_path, move_on):
    path = tmp_path / "events.jsonl"
    log = open_log(Clock(), str(path))
    for number in range(3):
        log.emit("a", "k", number)
    path.rename(f"{path}.1")
    assert log.emit("a", "k", 3) == 4
    assert payloads(read_log(f"{path}.1").records) == payloads(log.read("a")) == [0, 1, 2, 3]
    move_on(RECHECK_SECONDS)
    assert log.emit("a", "k", 4) == 5
    assert payloads(read_log(str(path)).records) == [4]
    assert payloads(read_log(f"{path}.1").records) == [0, 1, 2, 3]
    log.close()


@pytest.mark.usefixtures("move_on")
def test_a_busy_log_sees_each_record_of_others_and_each_damage(tmp_path):
    path = tmp_path / "events.jsonl"
    log, other = open_log(Clock(), str(path)), open_log(Clock(), str(path))
    for number in (1, 2):
        assert log.emit("a", "k", number) == number
    assert [other.emit("a", "k", 3), log.emit("a", "k", 4), log.emit("a", "k", 5)] == [3, 4, 5]
    path.write_bytes(path.read_bytes()[:-1] + b"#")
    assert [log.emit("a", "k", 6), other.emit("a", "k", 7)] == [6, 7]
    path.write_bytes(b"")
    assert other.emit("a", "k", 8) == 8
    assert payloads(read_log(str(path)).records) == [8]
    log.close()
    other.close()
