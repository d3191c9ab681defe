"""A log in memory keeps a limited number of records there; readers do not notice."""

import random
from itertools import islice

import pytest

from harnlite import Engine, Host
from harnlite.runtime.tasks.clock import Clock
from harnlite.store import memory_event_log
from harnlite.store.event_log import RepeatedRecords
from harnlite.store.memory_event_log import MemoryLog
from harnlite.store.spilled_records import SpilledRecords
from harnlite.values.data_types import Range

LIMIT = 1000


@pytest.fixture
def log(monkeypatch):
    monkeypatch.setattr(memory_event_log, "MOST_IN_MEMORY", LIMIT)
    log = MemoryLog(Clock())
    yield log
    log.close()


def in_memory(log):
    return sum(len(topic.items) for topic in log._topics.values())


def test_every_record_can_be_read(log):
    dice = random.Random(5)
    expected = {topic: [] for topic in "abc"}
    for number in range(3000):
        topic = dice.choice("aaab" if number < 2500 else "abc")
        kind = dice.choice(["x.one", "y.two"])
        payload = {"number": number, "text": dice.choice(["plain", "é", "Bearer abcdefghijk", "x" * 300])}
        match dice.randrange(3):
            case 0:
                log.emit(topic, kind, payload, {"h": "1"})
                expected[topic].append((kind, number))
            case 1:
                log.emit_many(topic, [(kind, payload), ("z", {"number": -1})])
                expected[topic] += [(kind, number), ("z", -1)]
            case 2:
                log.emit_series(topic, [kind] * 3, lambda index, number=number: {"number": number + index})
                expected[topic] += [(kind, number + index) for index in range(3)]
        assert in_memory(log) <= LIMIT
    for topic, rows in expected.items():
        assert log.latest(topic) == len(rows)
        for after, limit, prefix in [(0, None, ""), (1, 5, ""), (255, 300, "x."), (500, None, "z"), (len(rows), 1, "")]:
            records = log.read(topic, after, prefix, limit)
            wanted = [
                (number, *row) for number, row in enumerate(rows, 1) if number > after and row[0].startswith(prefix)
            ]
            assert [(one["id"], one["kind"], one["payload"]["number"]) for one in records] == wanted[:limit]
    assert "abcdefghijk" not in str(log.read("a"))


def test_no_secret_reaches_the_file(log, monkeypatch):
    written = []
    add = SpilledRecords.add
    monkeypatch.setattr(SpilledRecords, "add", lambda *args: (written.append(args[-1]), add(*args)))
    for number in range(2 * LIMIT):
        log.emit("a", "k", {"password": "hunter22" if number % 400 == 0 else "", "text": "Bearer abcdefghijk"})
    assert len(written) > 3
    assert not any(b"hunter22" in data or b"abcdefghijk" in data for data in written)
    assert log.read("a", 0, "", 1)[0]["payload"]["password"] == "[redacted]"


def test_values_of_scripts_read_the_same(log):
    log.emit("a", "k", [Range(1, 3, exclusive=False), float("nan"), b"x", (1, 2)])
    before = log.read("a")
    for _ in range(2 * LIMIT):
        log.emit("a", "k", None)
    assert in_memory(log) <= LIMIT
    assert log.read("a", 0, "", 1) == before


def test_many_short_topics(log):
    for number in range(3 * LIMIT):
        log.emit(f"t{number}", "k", number)
    assert in_memory(log) <= LIMIT
    assert [log.read(f"t{number}")[0]["payload"] for number in range(3 * LIMIT)] == list(range(3 * LIMIT))


def test_without_room_on_the_disk_the_records_stay_in_memory(log, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(SpilledRecords, "add", full)
    for number in range(2 * LIMIT):
        log.emit("a", "k", number)
    assert [one["payload"] for one in log.read("a")] == list(range(2 * LIMIT))


def test_a_stream_that_reads_everything(monkeypatch):
    monkeypatch.setattr(memory_event_log, "MOST_IN_MEMORY", LIMIT)
    code = """
for n in 1 to 3000 { event_log.emit("t", "k", n) }
var total = 0
for record in event_log.subscribe({topic: "t"}) { total += record.payload }
println(total)
"""
    assert Engine(cache=False, deadline=60).run(code).stdout == "4501500\n"


def test_a_closed_host_keeps_nothing():
    with Host(
        script='pipeline main(task) { event_log.emit("t", "k", task)\n return agent_session_current_id() }'
    ) as host:
        session = host.open()
        host.prompt(session, "x" * 1000).result(60)
        log = host._log
        assert log.read("t")
    assert log.read("t") == []
    assert host.pending(session)["pendingCount"] == 0


def test_repetitions_read_like_single_records_and_share_their_parts(log, monkeypatch):
    dice = random.Random(6)
    kinds = [
        RepeatedRecords(f"{name}.r", [{"part": n} for n in range(size)])
        for name, size in {"x": 1, "y": 3, "z": 400}.items()
    ]
    data = []
    append = SpilledRecords._append
    monkeypatch.setattr(SpilledRecords, "_append", lambda *args: data.append(len(args[-1])) or append(*args))
    expected = []
    for number in range(3000):
        if dice.random() < 0.5:
            log.emit("a", "k", {"number": number, "part": None})
            expected.append(("k", number, None, {}))
        elif dice.random() < 0.1:
            log.emit_series("a", ["s"] * 5, lambda index, number=number: {"number": number, "part": index})
            expected += [("s", number, index, {}) for index in range(5)]
        else:
            records = kinds[2 if number < 1500 else dice.randrange(3)]
            log.emit_repeated("a", records, {"number": number}, {"h": str(number)})
            expected += [(records.kind, number, part["part"], {"h": str(number)}) for part in records.parts]
        assert in_memory(log) <= LIMIT
        assert log.latest("a") == len(expected)
    assert len(expected) > 300_000
    for after in [0, 1, 255, *(dice.randrange(len(expected)) for _ in range(200)), len(expected) - 1]:
        for prefix, limit in (("", 1), ("", 700), ("k", 3)):
            found = [
                (one["id"], one["kind"], one["payload"]["number"], one["payload"]["part"], one["headers"])
                for one in log.read("a", after, prefix, limit)
            ]
            places = (n for n in range(after, len(expected)) if expected[n][0].startswith(prefix))
            wanted = [(n + 1, *expected[n]) for n in islice(places, limit)]
            assert found == wanted
    assert sum(data) < 100 * 3000


def test_no_secret_of_a_repetition_reaches_the_file(log, monkeypatch):
    written = []
    append = SpilledRecords._append
    monkeypatch.setattr(SpilledRecords, "_append", lambda *args: written.append(args[-1]) or append(*args))
    records = RepeatedRecords("k", [{"text": "Bearer abcdefghijk"}, {"text": "plain"}])
    for _ in range(2 * LIMIT):
        log.emit_repeated("a", records, {"password": "hunter22"}, {"token": "hunter22"})
    assert len(written) > 3
    assert not any(b"hunter22" in data or b"abcdefghijk" in data for data in written)
    first, second = log.read("a", 0, "", 2)
    assert (first["payload"]["password"], second["payload"]["text"]) == ("[redacted]", "plain")
    assert "abcdefghijk" not in str(first)
