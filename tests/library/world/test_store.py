from __future__ import annotations

import json
import math
import os

import pytest

from harnlite.values.data_types import Duration, ok
from tests.library.world.conftest import FakeRun


def reopened(run):
    """Forget what is in memory, as the next run does."""
    run._states.clear()
    return run


@pytest.mark.parametrize(
    ("value", "back"),
    [
        (5, 5),
        (1.0, 1.0),
        (0.1, 0.1),
        (True, True),
        (None, None),
        ("é\n", "é\n"),
        ([1, [2.5, {}]], [1, [2.5, {}]]),
        ({"b": 1, "a": Duration(5)}, {"b": 1, "a": None}),
        (Duration(5), None),
        (ok(1), None),
        (b"x", None),
        (math.inf, None),
        (lambda: 1, None),
        (2**63 - 1, 2**63 - 1),
        (-(2**63), -(2**63)),
    ],
)
def test_what_survives(run, value, back):
    assert run.call("store_set", "k", value) is None
    for _ in range(2):
        found = run.call("store_get", "k")
        assert found == back
        assert type(found) is type(back)
        reopened(run)


def test_file(run, tmp_path):
    run.call("store_set", "b", {"y": 1, "x": [1, "é"], "e": []})
    run.call("store_set", 1, None)
    path = tmp_path / ".harn" / "store.json"
    assert path.read_text(encoding="utf-8") == (
        '{\n  "1": null,\n  "b": {\n    "e": [],\n    "x": [\n      1,\n      "é"\n    ],\n    "y": 1\n  }\n}'
    )
    assert sorted(item.name for item in path.parent.iterdir()) == [".harn-version.json", "store.json"]
    assert run.call("store_list") == ["1", "b"]
    run.call("store_delete", "1")
    run.call("store_delete", "none")
    assert reopened(run).call("store_list") == ["b"]
    run.call("store_clear")
    assert json.loads(path.read_text()) == {}
    run.call("store_save")
    assert run.call("store_get", "b") is None


@pytest.mark.parametrize("text", ["", "{", "[1]", "\xff"])
def test_a_broken_file_counts_as_empty_and_is_renamed(run, tmp_path, text):
    (tmp_path / ".harn").mkdir()
    (tmp_path / ".harn" / "store.json").write_bytes(text.encode("latin-1"))
    assert run.call("store_list") == []
    assert run.call("store_list") == []
    assert (tmp_path / ".harn" / "store.json.unreadable-1").read_bytes() == text.encode("latin-1")
    assert run.err.count("[harn] warning: store: ") == 1


def test_numbers_beyond_64_bits_become_floats(run, tmp_path):
    (tmp_path / ".harn").mkdir()
    (tmp_path / ".harn" / "store.json").write_text('{"a": 9223372036854775808}')
    assert type(run.call("store_get", "a")) is float


def test_place(run, tmp_path, monkeypatch):
    (tmp_path / "harn.toml").write_text("")
    (tmp_path / "scripts").mkdir()
    run.folder = str(tmp_path / "scripts")
    run.call("store_set", "a", 1)
    assert (tmp_path / ".harn" / "store.json").exists()
    monkeypatch.setenv("HARN_STATE_DIR", "elsewhere")
    reopened(run).call("store_set", "a", 1)
    assert (tmp_path / "elsewhere" / "store.json").exists()


def test_modules_share_the_store_of_the_script(run, tmp_path):
    run.context["script"] = str(tmp_path / "main.harn")
    run.folder = str(tmp_path / "modules")
    run.call("store_set", "a", 1)
    assert (tmp_path / ".harn" / "store.json").exists()


def test_errors(run, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HARN_STATE_DIR", "file")
    at = str(tmp_path)
    assert run.error("store_set", "a", 1) == f"Runtime error: store mkdir error: File exists (os error 17): {at}/file"
    monkeypatch.setenv("HARN_STATE_DIR", "file/x")
    failure = f"Runtime error: store mkdir error: Not a directory (os error 20): {at}/file/x"
    assert reopened(run).error("store_save") == failure
    monkeypatch.setenv("HARN_STATE_DIR", "ok")
    (tmp_path / "ok" / "store.json").mkdir(parents=True)
    failure = f"Is a directory (os error 21): {at}/ok/store.json"
    assert reopened(run).error("store_clear") == f"Runtime error: store write error: {failure}"
    assert run.error("store_list") == f"Runtime error: store read error: {failure}"


def other(folder):
    """Return another run of the same script, as another process has."""
    return FakeRun(folder)


def test_changes_of_several_runs_stay(run, tmp_path):
    theirs = other(tmp_path)
    for number in range(20):
        run.call("store_set", f"a{number}", number)
        theirs.call("store_set", f"b{number}", number)
    assert run.call("store_list") == theirs.call("store_list")
    assert len(run.call("store_list")) == 40
    theirs.call("store_delete", "a3")
    assert run.call("store_get", "a3") is None
    assert theirs.call("store_get", "a4") == 4
    for end in theirs.endings:
        end()


def test_a_file_that_others_replace_quickly_is_always_noticed(run, tmp_path):
    theirs = other(tmp_path)
    for number in range(300):
        theirs.call("store_set", "k", number % 10)
        assert run.call("store_get", "k") == number % 10
    for end in theirs.endings:
        end()


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ('{"a": NaN}', "nan"),
        ('{"a": 1e999}', "inf"),
        ('{"a": ' + "9" * 6000 + "}", "inf"),
        ('{"a": 1, "a": 2}', "2"),
        ('\ufeff{"a": 3}', "3"),
        (r'{"a": "\ud800"}', "\ud800"),
    ],
)
def test_unusual_json_stays_readable(run, tmp_path, text, back):
    (tmp_path / ".harn").mkdir()
    (tmp_path / ".harn" / "store.json").write_text(text, encoding="utf-8")
    assert str(run.call("store_get", "a")) == back
    run.call("store_set", "b", 1)
    assert str(reopened(run).call("store_get", "a")) == back
    assert run.err == ""


def test_a_text_with_half_a_surrogate_pair_is_stored(run):
    run.call("store_set", "a\ud800", "é\udfff")
    assert reopened(run).call("store_get", "a\ud800") == "é\udfff"


def test_a_file_that_is_nested_too_deeply_stays(run, tmp_path):
    (tmp_path / ".harn").mkdir()
    path = tmp_path / ".harn" / "store.json"
    path.write_text('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}")
    reason = f"it is nested more than 1000 levels deep: {path}"
    assert run.error("store_get", "a") == f"Runtime error: store read error: {reason}"
    assert run.error("store_set", "a", 1) == f"Runtime error: store write error: {reason}"
    assert path.stat().st_size > 200_000


def test_a_value_that_is_nested_too_deeply_is_refused(run):
    value = []
    for _ in range(998):
        value = [value]
    run.call("store_set", "a", value)
    run.call("store_set", "b", "[" * 5000)
    assert "nested more than" in run.error("store_set", "c", [[value]])
    reopened(run)
    assert run.call("store_get", "a") == value
    assert run.call("store_list") == ["a", "b"]


def test_a_newer_version_is_refused(run, tmp_path):
    (tmp_path / ".harn").mkdir()
    version = tmp_path / ".harn" / ".harn-version.json"
    version.write_text('{"version": 2}')
    assert run.error("store_get", "a") == (
        f"Runtime error: {tmp_path}/.harn has version 2, and this harnlite knows versions up to 1: update harnlite"
    )
    version.write_text("{}")
    assert run.error("store_set", "a", 1) == (
        f"Runtime error: cannot read {version}: it must be a JSON object with the number `version`"
    )
    version.unlink()
    run.call("store_set", "a", 1)
    assert json.loads(version.read_text()) == {"version": 1}


def test_drafts_of_killed_processes_are_deleted(run, tmp_path):
    (tmp_path / ".harn").mkdir()
    for name in (".1-1-0.harn-draft", "store.json.999999999.tmp", f"store.json.{os.getpid()}.tmp"):
        (tmp_path / ".harn" / name).write_text("{")
    assert run.call("store_list") == []
    assert os.listdir(tmp_path / ".harn") == [f"store.json.{os.getpid()}.tmp"]
