"""The event log behaves the same in memory and in files."""

import json
import sys
import threading

import pytest

from harnlite.runtime.tasks.clock import Clock
from harnlite.store.event_log import RepeatedRecords, check_topic, open_log
from harnlite.store.sqlite_event_log import read_store
from harnlite.values.data_types import LazyDict, Range
from harnlite.values.errors import ScriptError
from harnlite.values.sets import HarnSet

KINDS = ("memory", "spilled", "jsonl", "sqlite", "both")


class Standing(Clock):
    """A clock that stands still."""

    def now(self):
        return 1_700_000_000.5


def opened(kind, folder):
    events = str(folder / "events.jsonl") if kind in {"jsonl", "both"} else None
    store = str(folder / "store.sqlite") if kind in {"sqlite", "both"} else None
    log = open_log(Standing(), events, store)
    if kind == "spilled":
        log._limit = 0
    return log


@pytest.fixture(params=KINDS)
def log(request, tmp_path):
    log = opened(request.param, tmp_path)
    yield log
    log.close()


def test_each_topic_counts_from_one(log):
    assert [log.emit("a", "k", None), log.emit("b", "k", None), log.emit("a", "k", None)] == [1, 1, 2]
    assert (log.latest("a"), log.latest("b"), log.latest("c")) == (2, 1, None)


def test_a_record_has_seven_fields(log):
    log.emit("a", "x.y", {"n": 1}, {"who": "me"})
    assert log.read("a") == [
        {
            "id": 1,
            "cursor": 1,
            "topic": "a",
            "kind": "x.y",
            "payload": {"n": 1},
            "headers": {"who": "me"},
            "occurred_at_ms": 1_700_000_000_500,
        }
    ]


def test_reading_after_a_cursor_with_a_prefix_and_a_limit(log):
    for number in range(6):
        log.emit("a", "even.x" if number % 2 == 0 else "odd.x", number)
        log.emit("other", "even.x", None)
    assert [record["id"] for record in log.read("a", 2)] == [3, 4, 5, 6]
    assert [record["payload"] for record in log.read("a", 0, "odd.")] == [1, 3, 5]
    assert [record["id"] for record in log.read("a", 1, "odd.", 2)] == [2, 4]
    assert log.read("a", 6) == log.read("nowhere") == []


def test_many_at_once_share_headers_unless_they_have_their_own(log):
    log.emit("a", "k", 0)
    log.emit_many("a", [("k", 1), ("k", 2, {"own": "yes"}), ("k", 3, None)], {"all": "yes"})
    assert [(record["id"], record["payload"], record["headers"]) for record in log.read("a", 1)] == [
        (2, 1, {"all": "yes"}),
        (3, 2, {"own": "yes"}),
        (4, 3, {"all": "yes"}),
    ]


def test_a_series_is_like_records_one_by_one(log):
    log.emit("a", "k", 0)
    log.emit_series("a", ["x.1", "y.1", "x.2"], lambda index: {"n": index, "token": "abc"}, {"all": "yes"})
    log.emit_series("a", ["x.3"], lambda index: index)
    heard = []
    log.subscribe("a", 3, "x.", heard.append)
    log.emit_series("a", ["x.4", "z"], lambda index: index)
    assert log.latest("a") == 7
    assert [(record["id"], record["kind"], record["payload"]) for record in log.read("a", 1, "x.")] == [
        (2, "x.1", {"n": 0, "token": "[redacted]"}),
        (4, "x.2", {"n": 2, "token": "[redacted]"}),
        (5, "x.3", 0),
        (6, "x.4", 0),
    ]
    assert [record["headers"] for record in log.read("a", 3, limit=2)] == [{"all": "yes"}, {}]
    assert [record["id"] for record in heard] == [4, 5, 6]


def test_repeated_records_are_like_records_one_by_one(log):
    records = RepeatedRecords("x.1", [{"n": 0, "token": "abc"}, {"n": 1}])
    log.emit_repeated("a", RepeatedRecords("x.0", []), {})
    log.emit_repeated("a", records, {"turn": 1}, {"all": "yes"})
    heard = []
    log.subscribe("a", 1, "x.", heard.append)
    log.emit_repeated("a", records, {"turn": 2})
    assert [(record["id"], record["payload"], record["headers"]) for record in log.read("a", 0, "x.")] == [
        (1, {"n": 0, "token": "[redacted]", "turn": 1}, {"all": "yes"}),
        (2, {"n": 1, "turn": 1}, {"all": "yes"}),
        (3, {"n": 0, "token": "[redacted]", "turn": 2}, {}),
        (4, {"n": 1, "turn": 2}, {}),
    ]
    assert [record["id"] for record in heard] == [2, 3, 4]


def test_what_is_no_number_does_not_spoil_a_log(log):
    unlimited = float("inf")
    log.emit("a", "k", {"x": [float("nan"), -unlimited, 1.5], "text": "inf, NaN", "s": HarnSet([unlimited])})
    assert log.read("a")[0]["payload"] == {"x": [None, None, 1.5], "text": "inf, NaN", "s": [None]}


def test_what_json_lacks_is_written_as_the_language_does(log):
    shared = LazyDict(None, lambda: {"x": [1]})
    log.emit("a", "k", {"f": lambda: 1, "s": HarnSet([1, 2]), "r": Range(1, 3), "b": b"hi", "lazy": shared, "i": 1.0})
    payload = log.read("a")[0]["payload"]
    assert payload == {"f": None, "s": [1, 2], "r": "1 to 3", "b": {"$bytes_b64": "aGk="}, "lazy": {"x": [1]}, "i": 1}
    assert type(payload["lazy"]) is dict


def test_secrets_are_not_kept(log):
    log.emit("a", "k", {"api_key": "abc", "text": "use sk-abcdef0123456789 now"}, {"authorization": "Basic Zm9v"})
    record = log.read("a")[0]
    assert record["payload"] == {"api_key": "[redacted]", "text": "use [redacted] now"}
    assert record["headers"] == {"authorization": "Basic [redacted]"}


def test_a_subscription_gets_what_was_and_what_comes(log):
    heard, live, everything = [], [], []
    log.emit("a", "k.1", None)
    log.emit("a", "other", None)
    cancel = log.subscribe("a", 0, "k.", lambda record: heard.append(record["id"]))
    log.subscribe("a", None, "", lambda record: live.append((record["id"], record["payload"])))
    log.subscribe(None, None, "", lambda record: everything.append((record["topic"], record["id"])))
    log.emit_many("a", [("k.2", {"token": "abc"}), ("other", 1)])
    log.emit("b", "k.3", None)
    cancel()
    log.emit("a", "k.4", None)
    assert heard == [1, 3]
    assert live == [(3, {"token": "[redacted]"}), (4, 1), (5, None)]
    assert everything == [("a", 3), ("a", 4), ("b", 1), ("a", 5)]


def test_a_watcher_is_told_of_its_topic_only(log):
    rings = []
    stop = log.watch("a", lambda: rings.append(1))
    log.emit("a", "k", None)
    log.emit("b", "k", None)
    stop()
    log.emit("a", "k", None)
    assert rings == [1]


def test_many_threads_lose_nothing_and_are_heard_in_order(log):
    heard = []
    log.subscribe("a", None, "", lambda record: heard.append(record["id"]))
    threads = [threading.Thread(target=lambda: [log.emit("a", "k", number) for number in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == list(range(1, 201))
    assert [record["id"] for record in log.read("a")] == heard


@pytest.mark.parametrize("kind", KINDS[2:])
def test_a_file_goes_on_where_it_ended(kind, tmp_path):
    first = opened(kind, tmp_path)
    first.emit_many("a", [("k", number) for number in range(3)])
    first.emit("b", "k", None)
    first.close()
    second = opened(kind, tmp_path)
    assert second.latest("a") == 3
    assert second.emit("a", "k", "more") == 4
    assert second.emit("b", "k", "more") == 2
    assert [record["payload"] for record in second.read("a")] == [0, 1, 2, "more"]
    second.close()


def test_both_files_have_the_same_ids(tmp_path):
    for _ in range(2):
        log = opened("jsonl", tmp_path)
        log.emit("a", "k", None)
        log.close()
    both = opened("both", tmp_path)
    both.emit_many("a", [("k", "x"), ("k", "y")])
    both.close()
    lines = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [1, 2, 3, 4]
    assert [record["id"] for record in read_store(str(tmp_path / "store.sqlite"))[0]] == [3, 4]
    assert read_store(str(tmp_path / "store.sqlite"))[0] == lines[2:]


def test_a_line_is_the_record_itself(tmp_path):
    log = opened("jsonl", tmp_path)
    log.emit("a", 'k"ä', {"b": 1, "a": "\n"})
    assert (tmp_path / "events.jsonl").read_text() == (
        '{"cursor":1,"headers":{},"id":1,"kind":"k\\"ä","occurred_at_ms":1700000000500,'
        '"payload":{"a":"\\n","b":1},"topic":"a"}\n'
    )
    assert [json.loads((tmp_path / "events.jsonl").read_text())] == log.read("a")
    log.close()


@pytest.mark.parametrize(
    ("tail", "kept"),
    [
        ('{"cursor":2,"headers":{},"id":2,"ki', ""),
        ('{"cu', ""),
        ("something else", "something else\n"),
        ("{}", "{}\n"),
    ],
)
def test_a_torn_last_line(tail, kept, tmp_path):
    log = opened("jsonl", tmp_path)
    log.emit("a", "k", 1)
    log.close()
    path = tmp_path / "events.jsonl"
    whole = path.read_text()
    path.write_text(whole + tail)
    log = opened("jsonl", tmp_path)
    assert log.emit("a", "k", 2) == 2
    assert [record["payload"] for record in log.read("a")] == [1, 2]
    log.close()
    assert path.read_text().startswith(whole + kept + '{"cursor":2,')


def test_a_whole_record_without_its_line_end_counts(tmp_path):
    log = opened("jsonl", tmp_path)
    log.emit("a", "k", 1)
    log.close()
    path = tmp_path / "events.jsonl"
    path.write_text(path.read_text().rstrip("\n"))
    log = opened("jsonl", tmp_path)
    assert log.emit("a", "k", 2) == 2
    assert [record["payload"] for record in log.read("a")] == [1, 2]
    log.close()


@pytest.mark.parametrize("kind", ["jsonl", "sqlite"])
def test_a_file_that_cannot_be_opened(kind, tmp_path):
    with pytest.raises(OSError, match=r"No such|unable"):
        opened(kind, tmp_path / "missing")


def test_lines_are_not_written_into_a_store(tmp_path):
    path = str(tmp_path / "store.sqlite")
    open_log(Clock(), None, path).close()
    with pytest.raises(OSError, match="it is a SQLite file"):
        open_log(Clock(), path)
    with pytest.raises(OSError, match="it is a SQLite file"):
        open_log(Clock(), path, path)


@pytest.mark.skipif(sys.platform == "win32", reason="no file locks here")
def test_several_may_write_one_file(tmp_path):
    path = str(tmp_path / "events.jsonl")
    one, other = open_log(Clock(), path), open_log(Clock(), path)
    assert [one.emit("a", "k", 1), other.emit("a", "k", 2), other.emit("b", "k", 3), one.emit("a", "k", 4)] == [
        1,
        2,
        1,
        3,
    ]
    assert [record["payload"] for record in one.read("a")] == [1, 2, 4]
    with open(path, "ab") as file:
        file.write(b'{"cursor":4,"hea')  # and was killed
    assert other.emit("a", "k", 5) == 4
    assert [record["payload"] for record in other.read("a")] == [1, 2, 4, 5]


def test_a_store_that_is_no_store(tmp_path):
    (tmp_path / "store.sqlite").write_text("this is a text, and a long one, so that it is no header " * 9)
    with pytest.raises(OSError, match="not a database"):
        opened("sqlite", tmp_path)


def test_writing_to_a_closed_log_is_an_error_of_the_script(tmp_path):
    for kind in ("jsonl", "sqlite"):
        log = opened(kind, tmp_path)
        log.close()
        with pytest.raises(ScriptError, match="cannot write"):
            log.emit("a", "k", None)


@pytest.mark.parametrize("topic", ["", "a b", "a/b", "ä", "a\n"])
def test_topics_that_cannot_be(topic):
    with pytest.raises(ScriptError):
        check_topic(topic)


def test_topics_that_can():
    for topic in ("a", "A.b_c-9", "...", "_"):
        check_topic(topic)
