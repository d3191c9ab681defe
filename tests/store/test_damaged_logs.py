"""Logs whose files are truncated, replaced, renamed, deleted or full of foreign records while they are in use."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading

import pytest

from harnlite.runtime.tasks.clock import Clock
from harnlite.store.event_log import open_log
from harnlite.store.stored_log import read_log
from harnlite.values.errors import ScriptError

KINDS = ("jsonl", "sqlite", "both")
HUGE = 2**63 - 1


def opened(kind, folder):
    events = str(folder / "events.jsonl") if kind in {"jsonl", "both"} else None
    store = str(folder / "store.sqlite") if kind in {"sqlite", "both"} else None
    return open_log(Clock(), events, store)


def files_of(kind, folder):
    names = {"jsonl": ["events.jsonl"], "sqlite": ["store.sqlite"], "both": ["events.jsonl", "store.sqlite"]}
    return [folder / name for name in names[kind]]


def payloads(records):
    return [record["payload"] for record in records]


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def log(kind, tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    log = opened(kind, folder)
    log.emit_many("a", [("k", number) for number in range(5)])
    log.emit("b", "k", 0)
    yield log
    log.close()


def delete(path):
    path.unlink()


def delete_everything(path):
    for each in path.parent.glob(f"{path.name}*"):
        each.unlink()


def rename(path):
    path.rename(f"{path}.1")


def delete_folder(path):
    if path.parent.exists():
        shutil.rmtree(path.parent)


def empty(path):
    os.truncate(path, 0)


def replace_by_new(path):
    path.unlink()
    path.write_bytes(b"")


@pytest.mark.parametrize("change", [delete, delete_everything, rename, delete_folder, empty, replace_by_new])
def test_records_after_a_change_are_in_the_file_at_the_path(log, kind, change, tmp_path):
    for path in files_of(kind, tmp_path / "logs"):
        change(path)
    log.read("a")
    assert log.latest("a") == 5
    heard = []
    log.subscribe("a", 5, "", lambda record: heard.append(record["id"]))
    assert [log.emit("a", "k", "new"), log.emit("a", "k", "newer"), log.emit("b", "k", "new")] == [6, 7, 2]
    assert heard == [6, 7]
    assert payloads(log.read("a", 5)) == ["new", "newer"]
    for path in files_of(kind, tmp_path / "logs"):
        stored = read_log(str(path))
        assert stored.skipped == 0
        assert [record["id"] for record in stored.records if record["topic"] == "a"] == [6, 7]
    log.close()
    again = opened(kind, tmp_path / "logs")
    assert again.emit("a", "k", None) == 8
    again.close()


def test_a_renamed_file_has_all_records_up_to_then(log, kind, tmp_path):
    for path in files_of(kind, tmp_path / "logs"):
        rename(path)
    log.emit("a", "k", "new")
    for path in files_of(kind, tmp_path / "logs"):
        assert payloads(read_log(f"{path}.1").records) == [0, 1, 2, 3, 4, 0]


def test_a_lost_write_ahead_log_loses_nothing(tmp_path):
    log = opened("sqlite", tmp_path)
    log.emit("a", "k", 1)
    (tmp_path / "store.sqlite-wal").unlink()
    log.emit("a", "k", 2)
    other = opened("sqlite", tmp_path)
    assert payloads(other.read("a")) == [1, 2]
    other.close()
    log.close()


def test_the_write_ahead_log_of_a_deleted_store_is_moved_aside(tmp_path):
    log = opened("sqlite", tmp_path)
    log.emit("a", "k", 1)
    shutil.copy(tmp_path / "store.sqlite-wal", tmp_path / "kept")
    log.close()
    (tmp_path / "store.sqlite").unlink()
    (tmp_path / "kept").rename(tmp_path / "store.sqlite-wal")
    size = (tmp_path / "store.sqlite-wal").stat().st_size
    log = opened("sqlite", tmp_path)
    assert log.emit("a", "k", 2) == 1
    log.close()
    assert (tmp_path / "store.sqlite-wal.unreadable-1").stat().st_size == size > 0


def test_an_emptied_store_does_not_stop_a_new_reader(tmp_path):
    log = opened("sqlite", tmp_path)
    log.emit("a", "k", 1)
    os.chmod(tmp_path / "store.sqlite", 0o600)
    os.truncate(tmp_path / "store.sqlite", 0)
    other = opened("sqlite", tmp_path)
    assert other.emit("a", "k", 2) == 1
    assert log.emit("a", "k", 3) == 2
    assert payloads(other.read("a")) == payloads(log.read("a")) == [2, 3]
    assert (tmp_path / "store.sqlite").stat().st_mode & 0o777 == 0o600
    log.close()
    other.close()


def test_a_link_to_a_store(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "store.sqlite")
    log = open_log(Clock(), None, str(tmp_path / "link"))
    assert [log.emit("a", "k", 1), log.emit("a", "k", 2)] == [1, 2]
    other = tmp_path / "other.sqlite"
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(other)
    assert log.emit("a", "k", 3) == 3
    log.close()
    assert payloads(read_log(str(other)).records) == [3]
    assert payloads(read_log(str(tmp_path / "store.sqlite")).records) == [1, 2]


@pytest.mark.parametrize("keep", [1, 40, 200, 350])
def test_a_shorter_file(keep, tmp_path):
    path = tmp_path / "events.jsonl"
    log = opened("jsonl", tmp_path)
    for number in range(5):
        log.emit("a", "k", number)
    os.truncate(path, keep)
    done = threading.Event()
    threading.Thread(target=lambda: (log.read("a"), done.set()), daemon=True).start()
    assert done.wait(10), "reading does not end"
    assert log.emit("a", "k", "new") == 6
    assert payloads(log.read("a"))[-1] == "new"
    assert payloads(read_log(str(path)).records)[-1] == "new"
    log.close()


def test_a_file_that_was_rewritten_and_has_grown(tmp_path):
    path = tmp_path / "events.jsonl"
    log, other = opened("jsonl", tmp_path), opened("jsonl", tmp_path)
    log.emit("a", "k", 1)
    other.emit("a", "k", 2)
    path.write_bytes(b"")
    for _ in range(4):
        other.emit("a", "other", "x" * 100)
    assert log.emit("a", "k", "mine") == 7
    assert [record["id"] for record in log.read("a")] == [3, 4, 5, 6, 7]
    log.close()
    other.close()


def test_a_file_that_lost_its_last_line_end(tmp_path):
    path = tmp_path / "events.jsonl"
    log = opened("jsonl", tmp_path)
    log.emit("a", "k", 1)
    path.write_bytes(path.read_bytes()[:-1] + b"#")
    log.emit("a", "k", 2)
    assert payloads(log.read("a")) == [2]
    assert payloads(read_log(str(path)).records) == [2]
    log.close()


@pytest.mark.parametrize("other", ["folder", "pipe", "store", "text"])
def test_something_else_at_the_path(log, kind, other, tmp_path):
    for path in files_of(kind, tmp_path / "logs"):
        delete_everything(path)
        if other == "folder":
            path.mkdir()
        elif other == "pipe":
            os.mkfifo(path)
        elif other == "store":
            path.write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
        else:
            path.write_text("not a log " * 100 + "\n")
    path = files_of(kind, tmp_path / "logs")[0]
    content = path.read_bytes() if path.is_file() else None
    for _ in range(2):
        if (other, kind) == ("text", "jsonl"):
            log.emit("a", "k", None)
            continue
        with pytest.raises(ScriptError, match=r"^Runtime error: event_log: cannot write .*(events|store)\.") as caught:
            log.emit("a", "k", None)
        assert str(tmp_path / "logs") in str(caught.value)
    if content is not None:
        assert path.read_bytes().startswith(content)
    if kind == "sqlite" or (other, kind) == ("text", "both"):
        with pytest.raises(ScriptError, match=r"^Runtime error: event_log: cannot read .*store\.sqlite"):
            log.read("a")
    else:
        log.read("a")
    for path in files_of(kind, tmp_path / "logs"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert log.emit("a", "k", "again") >= 6
    assert payloads(log.read("a"))[-1] == "again"


def test_a_closed_log_is_not_read(log):
    log.close()
    with pytest.raises(ScriptError, match=r"cannot write .*: the log is closed"):
        log.emit("a", "k", None)
    with pytest.raises(ScriptError, match=r"cannot read .*: the log is closed"):
        log.read("a")


# Crafted records


def row(**changes):
    return {"id": 6, "topic": "a", "kind": "k", "payload": "x", "headers": {}, "occurred_at_ms": 1, **changes}


LINES = {
    "the largest id": json.dumps(row(id=HUGE)),
    "nearly the largest id": json.dumps(row(id=HUGE - 1)),
    "an id beyond 64 bits": json.dumps(row(id=2**63)),
    "an id of many digits": '{"cursor":%s,"headers":{},"id":1,"kind":"k","payload":1,"topic":"a"}' % ("9" * 6000),
    "an id of 19 digits": '{"cursor":9999999999999999999,"headers":{},"id":9,"kind":"k","topic":"a"}',
    "different numbers": '{"cursor":7,"headers":{},"id":9,"kind":"k","payload":1,"topic":"a"}',
    "a negative id": json.dumps(row(id=-1)),
    "zero": json.dumps(row(id=0)),
    "a bool": json.dumps(row(id=True)),
    "a float": json.dumps(row(id=6.0)),
    "a text": json.dumps(row(id="6")),
    "a lower id": json.dumps(row(id=2)),
    "the same id": json.dumps(row(id=5)),
    "no topic": '{"id": 6, "kind": "k"}',
    "a topic that is a list": json.dumps(row(topic=["a"])),
    "headers that are a list": json.dumps(row(headers=[1])),
    "a number without limit": '{"id": 6, "topic": "a", "kind": "k", "payload": 1e999}',
    "a number of many digits": '{"id": 6, "topic": "a", "kind": "k", "payload": %s}' % ("9" * 6000),
    "deep": '{"id": 6, "topic": "a", "kind": "k", "payload": ' + "[" * 90000 + "]" * 90000 + "}",
    "half a surrogate pair": '{"id": 6, "topic": "a", "kind": "k", "payload": "\\ud800"}',
    "a time of many digits": json.dumps(row(occurred_at_ms=10**30)),
    "garbage between": '{"cursor":6,"headers":{},#!#,"topic":"a"}',
    "NUL": "\0" * 5000,
    "not JSON": "hello",
    "not an object": "[1]",
    "a blank line": "",
}


@pytest.mark.parametrize(
    "line", [text.encode() for text in LINES.values()] + [b"\xff\xfe{}", b'{"id":6,"x":"\xed\xa0\x80"}']
)
def test_a_line_of_somebody_else(line, tmp_path):
    path = tmp_path / "events.jsonl"
    log = opened("jsonl", tmp_path)
    log.emit_many("a", [("k", number) for number in range(5)])
    with path.open("ab") as file:
        file.write(line + b"\n")
    number = log.emit("a", "k", "mine")
    assert 5 < number < 20
    again = opened("jsonl", tmp_path)
    assert again.emit("a", "k", "more") == number + 1
    for each in (log, again):
        records = each.read("a")
        ids = [record["id"] for record in records]
        assert ids == sorted(set(ids))
        assert payloads(records)[:5] == [0, 1, 2, 3, 4]
        assert payloads(again.read("a", number - 1)) == ["mine", "more"]
        assert again.read("a", 10**30) == []
        each.close()
    stored = read_log(str(path))
    assert payloads(stored.records)[-2:] == ["mine", "more"]
    assert stored.skipped in {0, 1}


ROWS = {
    "the largest id": (HUGE, "k", "1", "{}", 1),
    "zero": (0, "k", "1", "{}", 1),
    "a negative id": (-5, "k", "1", "{}", 1),
    "a text as id": ("many", "k", "1", "{}", 1),
    "a float as id": (5.5, "k", "1", "{}", 1),
    "bytes as id": (b"\xff", "k", "1", "{}", 1),
    "a payload that is not JSON": (6, "k", "hello", "{}", 1),
    "a payload of bytes": (6, "k", b"\xff\xfe", "{}", 1),
    "a payload that is a number": (6, "k", 5, "{}", 1),
    "headers that are a list": (6, "k", "1", "[]", 1),
    "headers that are not JSON": (6, "k", "1", "{", 1),
    "a kind of bytes": (6, b"\xff", "1", "{}", 1),
    "a kind with NUL": (6, "k\0l", "1", "{}", 1),
    "a time of text": (6, "k", "1", "{}", "now"),
    "a number without limit": (6, "k", "1e999", "{}", 1),
    "deep": (6, "k", "[" * 90000, "{}", 1),
}


@pytest.mark.parametrize("values", ROWS.values(), ids=ROWS)
def test_a_row_of_somebody_else(values, tmp_path):
    path = tmp_path / "store.sqlite"
    log = opened("sqlite", tmp_path)
    log.emit_many("a", [("k", number) for number in range(5)])
    crafted = sqlite3.connect(path)
    statement = "INSERT INTO event_records (topic, id, kind, payload, headers, occurred_at_ms) VALUES ('a',?,?,?,?,?)"
    crafted.execute(statement, values)
    crafted.commit()
    crafted.execute("UPDATE event_records SET kind = CAST(X'ff' AS TEXT) WHERE kind = X'ff'")
    crafted.commit()
    crafted.close()
    number = log.emit("a", "k", "mine")
    assert number in {6, 7}
    again = opened("sqlite", tmp_path)
    assert again.emit("a", "k", "more") == number + 1
    for each in (log, again):
        records = each.read("a")
        assert payloads(records)[:5] == [0, 1, 2, 3, 4]
        assert payloads(each.read("a", number - 1)) == ["mine", "more"]
        assert payloads(each.read("a", 0, "k", 5)) == [0, 1, 2, 3, 4]
        assert each.read("a", 10**30) == []
        each.close()
    stored = read_log(str(path))
    assert payloads(stored.records)[-2:] == ["mine", "more"]
    assert stored.skipped in {0, 1}


def test_a_block_with_unreadable_rows_does_not_hide_the_next(tmp_path):
    log = opened("sqlite", tmp_path)
    log.emit_many("a", [("k", number) for number in range(1000)])
    crafted = sqlite3.connect(tmp_path / "store.sqlite")
    crafted.execute("UPDATE event_records SET payload = 'x' WHERE id % 3 = 0")
    crafted.commit()
    crafted.close()
    assert len(log.read("a", 0, "", 256)) == 256
    heard = []
    log.subscribe("a", 0, "", lambda record: heard.append(record["id"]))
    assert heard == [number for number in range(1, 1001) if number % 3]
    log.close()


@pytest.mark.parametrize("text", ["\ud800", "a\0b", "\u2028", "\x85"])
def test_any_text_can_be_written_and_read(log, text):
    number = log.emit("a", f"{text}.x", {text: text}, {"h": text})
    shown = text.encode("utf-8", "replace").decode()
    (record,) = log.read("a", number - 1)
    assert (record["kind"], record["payload"], record["headers"]) == (f"{shown}.x", {shown: shown}, {"h": shown})
    assert log.read("a", 0, f"{shown}.") == [record]


@pytest.mark.parametrize("depth", [100, 127, 128, 300])
def test_a_deep_payload_can_be_read(log, depth, kind, tmp_path):
    payload = 1
    for _ in range(depth):
        payload = [payload]
    number = log.emit("a", "k", payload)
    assert payloads(log.read("a", number - 1)) == [payload]
    for path in files_of(kind, tmp_path / "logs"):
        assert payload in payloads(read_log(str(path)).records)


def test_long_lines(tmp_path):
    path = tmp_path / "events.jsonl"
    log = opened("jsonl", tmp_path)
    text = "x" * 20_000_000
    log.emit("a", "k", text)
    log.close()
    with path.open("ab") as file:
        file.write(b'{"cursor":2,"headers":{},"id":2,"kind":"' + text.encode())
    log = opened("jsonl", tmp_path)
    assert log.emit("a", "k", "new") == 2
    assert payloads(log.read("a")) == [text, "new"]
    assert (tmp_path / "events.jsonl.torn").stat().st_size > len(text)
    log.close()


# Disks

FULL = """
import resource, signal, sys
from harnlite.runtime.tasks.clock import Clock
from harnlite.store.event_log import open_log
from harnlite.values.errors import ScriptError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
log = open_log(Clock(), sys.argv[1] or None, sys.argv[2] or None)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
done = failed = 0
while failed < 5:
    try:
        done = log.emit("a", "k", "x" * 997)
    except ScriptError as error:
        failed += 1
        assert "event_log: cannot write " + sys.argv[3] in str(error), str(error)
found = len(log.read("a"))
assert found >= done, (found, done)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
number = log.emit("a", "k", "after")
assert [record["id"] for record in log.read("a", number - 1)] == [number]
log.close()
print(done, number)
"""


@pytest.mark.skipif(os.name != "posix", reason="no limits of file sizes here")
def test_a_full_disk(kind, tmp_path):
    paths = [str(path) for path in files_of(kind, tmp_path)]
    events, store = (next((path for path in paths if path.endswith(end)), "") for end in ("jsonl", "sqlite"))
    command = [sys.executable, "-c", FULL, events, store, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert ran.returncode == 0, ran.stderr
    done, number = map(int, ran.stdout.split())
    assert 5 < done < number
    for path in paths:
        stored = read_log(path)
        ids = [record["id"] for record in stored.records]
        assert stored.skipped == 0
        assert set(range(1, done + 1)) | {number} <= set(ids)
        assert ids == sorted(set(ids))


def first_error(kind, folder):
    """Return the file that is named by the error of opening a log or of writing to it."""
    try:
        log = opened(kind, folder)
    except OSError as error:
        return error.filename
    with pytest.raises(ScriptError, match="event_log: cannot write ") as caught:
        log.emit("a", "k", None)
    log.close()
    return str(caught.value)


def test_a_file_that_may_not_be_written(kind, tmp_path, read_only):
    opened(kind, tmp_path).close()
    with read_only(*files_of(kind, tmp_path)):
        assert any(str(path) in first_error(kind, tmp_path) for path in files_of(kind, tmp_path))


def test_a_folder_that_may_not_be_written(log, kind, tmp_path, read_only):
    folder = tmp_path / "logs"
    for path in files_of(kind, folder):
        delete_everything(path)
    with read_only(folder):
        with pytest.raises(ScriptError, match="event_log: cannot write ") as caught:
            log.emit("a", "k", None)
        assert any(str(path) in str(caught.value) for path in files_of(kind, folder))
        assert any(str(path) in first_error(kind, folder) for path in files_of(kind, folder))
        if kind == "jsonl":
            assert payloads(log.read("b")) == [0]
    assert log.emit("a", "k", "after") == 6
    assert payloads(log.read("a")) == ["after"]
