"""Memory: the file, the ranking, and concurrent writers of the same file."""

import errno
import json
import math
import os
import random
import re
import shutil

import pytest

from harnlite.store.memory import Namespace, namespace_path
from harnlite.store.ranking import Ranking, terms_of
from harnlite.values.errors import ScriptError


def record(number, text, key="k", tags=(), at=None):
    return {
        "_type": "memory_record",
        "id": f"m{number}",
        "key": key,
        "namespace": "n",
        "provenance": None,
        "stored_at": at or f"2026-01-01T00:00:{number:02d}+00:00",
        "tags": list(tags),
        "text": text,
        "value": None,
    }


@pytest.fixture
def namespace(tmp_path):
    namespace = Namespace(namespace_path(str(tmp_path), "a/b"))
    yield namespace
    namespace.close()


def ids(hits):
    return [hit[0]["id"] for hit in hits]


def bm25(query, texts):
    """Return the scores as the definition has them."""
    documents = [[word for word in re.findall(r"[^\W_]+", text.lower()) if len(word.encode()) > 1] for text in texts]
    average = sum(map(len, documents)) / len(documents)
    scores = []
    for words in documents:
        score = 0.0
        for term in dict.fromkeys(terms_of(query)):
            having = sum(term in other for other in documents)
            if term in words:
                idf = math.log((len(documents) - having + 0.5) / (having + 0.5) + 1)
                count = words.count(term)
                score += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(words) / average))
        scores.append(score)
    return scores


def test_the_index_ranks_as_the_definition_says():
    chance = random.Random(5)
    words = ["apple", "Äpfel", "tree", "x1", "größe", "a", "tree_top", "日本語", "and", "or", "not", "near"]
    for _ in range(60):
        texts = [" ".join(chance.choices(words, k=chance.randint(1, 12))) for _ in range(chance.randint(1, 9))]
        query = " ".join(chance.choices(words, k=3))
        ranking = Ranking()
        ranking.add(enumerate(texts))
        found = ranking.scores(dict.fromkeys(terms_of(query)))
        ranking.close()
        assert [found.get(number, 0.0) for number in range(len(texts))] == pytest.approx(bm25(query, texts), rel=1e-6)


def test_documents_that_are_taken_out_do_not_count():
    ranking = Ranking()
    ranking.add([(1, "one two"), (2, "two three"), (3, "four")])
    ranking.remove([1])
    assert ranking.scores(["two"])[2] == pytest.approx(bm25("two", ["two three", "four"])[0])
    ranking.close()


def test_best_first_and_of_equals_the_newest(namespace):
    namespace.store(record(1, "red fox"))
    namespace.store(record(2, "red fox"))
    namespace.store(record(3, "blue whale"))
    namespace.store(record(4, "red red fox fox"))
    assert ids(namespace.recall("red fox", 9)) == ["m4", "m2", "m1"]
    assert ids(namespace.recall("red fox", 2)) == ["m4", "m2"]
    assert namespace.recall("zebra", 9) == []


def test_unscored_records_may_follow_newest_first(namespace):
    for number, text in enumerate(["one", "two", "three", "two"], 1):
        namespace.store(record(number, text))
    hits = namespace.recall("two", 9, with_unscored=True)
    assert ids(hits) == ["m4", "m2", "m3", "m1"]
    assert [score > 0 for _, score in hits] == [True, True, False, False]


def test_a_query_without_terms_means_the_newest(namespace):
    namespace.store(record(1, "one", at="2026-05-01T00:00:00+00:00"))
    namespace.store(record(2, "two", at="2026-01-01T00:00:00+00:00"))
    assert [(hit["id"], score) for hit, score in namespace.recall("? !", 5)] == [("m1", 0.0), ("m2", 0.0)]


def test_terms_in_key_and_tags_weigh_more(namespace):
    namespace.store(record(1, "build"))
    namespace.store(record(2, "other", key="build"))
    namespace.store(record(3, "other", tags=["build"]))
    scores = {hit["id"]: score for hit, score in namespace.recall("build", 5)}
    plain = dict(
        zip(("m1", "m2", "m3"), bm25("build", ["k build null", "build other null", "k other build null"]), strict=True)
    )
    assert scores == pytest.approx({"m1": plain["m1"], "m2": plain["m2"] + 0.4, "m3": plain["m3"] + 0.25}, rel=1e-6)


def test_what_is_forgotten_stays_in_the_file_only(namespace, tmp_path):
    namespace.store(record(1, "one"))
    namespace.store(record(2, "two"))
    assert ids(namespace.recall("one", 5)) == ["m1"]
    assert namespace.forget({"id": "f"}, lambda found: found["id"] == "m1") == ["m1"]
    assert namespace.recall("one", 5) == []
    assert namespace.forget({"id": "g"}, lambda _: False) == []
    lines = [json.loads(line) for line in (tmp_path / "a/b/events.jsonl").read_text().splitlines()]
    assert [line["type"] for line in lines] == ["store", "store", "forget", "forget"]
    assert lines[2]["forgotten_ids"] == ["m1"]


def test_records_of_another_process_are_found(namespace, tmp_path):
    other = Namespace(namespace_path(str(tmp_path), "a/b"))
    namespace.store(record(1, "one"))
    assert ids(other.recall("one", 5)) == ["m1"]
    other.store(record(2, "one"))
    assert ids(namespace.recall("one", 5)) == ["m2", "m1"]
    other.forget({"id": "f"}, lambda _: True)
    assert namespace.newest() == []
    (tmp_path / "a/b/events.jsonl").unlink()
    assert other.newest() == []
    namespace.store(record(3, "one"))
    assert ids(other.recall("one", 5)) == ["m3"]
    other.close()


def test_a_line_that_cannot_be_read(namespace, tmp_path):
    namespace.store(record(1, "one"))
    path = tmp_path / "a/b/events.jsonl"
    path.write_text(path.read_text() + "no json\n")
    with pytest.raises(ScriptError) as caught:
        namespace.newest()
    start = f"Runtime error: memory: failed to parse line 2 from {path}: "
    assert caught.value.value.startswith(start)
    assert len(caught.value.value) > len(start)


def test_an_event_that_was_cut_off_is_no_error(namespace, tmp_path):
    namespace.store(record(1, "one"))
    path = tmp_path / "a/b/events.jsonl"
    whole = path.read_text()
    path.write_text(whole + whole[:40])
    again = Namespace(str(path))
    assert [found["id"] for found in again.newest()] == ["m1"]
    again.store(record(2, "two"))
    assert [found["id"] for found in again.newest()] == ["m2", "m1"]
    assert path.read_text().startswith(whole + '{"record"')


def test_a_last_line_without_its_end_is_kept(namespace, tmp_path):
    namespace.store(record(1, "one"))
    path = tmp_path / "a/b/events.jsonl"
    path.write_text(path.read_text().rstrip("\n"))
    again = Namespace(str(path))
    again.store(record(2, "two"))
    assert [found["id"] for found in again.newest()] == ["m2", "m1"]


def test_the_lines_of_a_file_without_a_last_line_end_are_counted(namespace, tmp_path):
    namespace.store(record(1, "one"))
    path = tmp_path / "a/b/events.jsonl"
    path.write_text(path.read_text().rstrip("\n"))
    again = Namespace(str(path))
    assert [found["id"] for found in again.newest()] == ["m1"]
    again.store(record(2, "two"))
    path.write_text(path.read_text() + "no json\n")
    with pytest.raises(ScriptError, match="failed to parse line 3 "):
        again.newest()
    again.close()


def test_a_file_that_was_truncated_and_grew_again_is_read_anew(namespace, tmp_path):
    path = tmp_path / "a/b/events.jsonl"
    namespace.store(record(1, "one"))
    other = Namespace(str(path))
    assert ids(other.recall("one", 5)) == ["m1"]
    path.write_text("")
    for number in range(2, 5):
        namespace.store(record(number, "one"))
    assert ids(other.recall("one", 5)) == ["m4", "m3", "m2"]
    other.close()


@pytest.mark.parametrize("forgotten", [5, "m1", [["m1"], {}, 5], {"m1": 1}, None])
def test_forget_events_of_any_form_can_be_read(namespace, tmp_path, forgotten):
    namespace.store(record(1, "one"))
    path = tmp_path / "a/b/events.jsonl"
    path.write_text(path.read_text() + json.dumps({"type": "forget", "forgotten_ids": forgotten}) + "\n")
    assert [found["id"] for found in namespace.newest()] == ["m1"]


def test_a_folder_that_was_deleted_is_made_again(namespace, tmp_path):
    namespace.store(record(1, "one"))
    shutil.rmtree(tmp_path / "a")
    assert namespace.newest() == []
    namespace.store(record(2, "two"))
    assert [found["id"] for found in namespace.newest()] == ["m2"]


def test_a_record_that_does_not_fit_on_the_disk_is_an_error(namespace, tmp_path, monkeypatch):
    namespace.store(record(1, "one"))
    path = tmp_path / "a/b/events.jsonl"
    before = path.read_bytes()

    room = [9]

    def write(file, data, real=os.write):
        if not room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(file, bytes(data[: room.pop()]))

    with monkeypatch.context() as patches:
        patches.setattr(os, "write", write)
        with pytest.raises(ScriptError, match=f"memory: cannot write {path}: No space left on device"):
            namespace.store(record(2, "two"))
    assert path.read_bytes() == before
    namespace.store(record(3, "three"))
    assert [found["id"] for found in namespace.newest()] == ["m3", "m1"]


def test_a_pipe_is_an_error(namespace, tmp_path):
    path = tmp_path / "a/b/events.jsonl"
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    for verb, use in (("read", namespace.newest), ("write", lambda: namespace.store(record(1, "one")))):
        with pytest.raises(ScriptError, match=f"memory: cannot {verb} {path}: it is a named pipe, not a regular file"):
            use()


@pytest.mark.parametrize(("name", "reason"), [("/a", "be relative"), ("a/../b", "not escape"), ("..", "not escape")])
def test_names_outside_of_the_root(name, reason):
    with pytest.raises(ScriptError, match=reason):
        namespace_path("/root", name)
