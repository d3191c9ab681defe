from __future__ import annotations

import json
import math

import pytest

from harnlite.values.data_types import Duration, ok


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
    assert [item.name for item in path.parent.iterdir()] == ["store.json"]
    assert run.call("store_list") == ["1", "b"]
    run.call("store_delete", "1")
    run.call("store_delete", "none")
    assert reopened(run).call("store_list") == ["b"]
    run.call("store_clear")
    assert json.loads(path.read_text()) == {}
    run.call("store_save")
    assert run.call("store_get", "b") is None


@pytest.mark.parametrize("text", ["", "{", "[1]", "\xff"])
def test_a_broken_file_counts_as_empty(run, tmp_path, text):
    (tmp_path / ".harn").mkdir()
    (tmp_path / ".harn" / "store.json").write_bytes(text.encode("latin-1"))
    assert run.call("store_list") == []


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
    assert run.error("store_set", "a", 1) == "Runtime error: store mkdir error: File exists (os error 17)"
    monkeypatch.setenv("HARN_STATE_DIR", "file/x")
    assert reopened(run).error("store_save") == "Runtime error: store mkdir error: Not a directory (os error 20)"
    monkeypatch.setenv("HARN_STATE_DIR", "ok")
    (tmp_path / "ok" / "store.json").mkdir(parents=True)
    assert reopened(run).error("store_clear") == "Runtime error: store write error: Is a directory (os error 21)"
