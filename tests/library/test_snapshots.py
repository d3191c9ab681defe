"""Snapshots of std/testing: created once, compared afterwards, updated on demand."""

import pytest

import harnlite

PROGRAM = (
    'import { assert_snapshot } from "std/testing"\npipeline default(value) { assert_snapshot("the value", value) }\n'
)


@pytest.fixture
def check(tmp_path, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    script = tmp_path / "some_test.harn"
    script.write_text(PROGRAM, encoding="utf-8")

    def check(value):
        return harnlite.run(script, params={"value": value}).error

    check.file = tmp_path / "__snapshots__" / "some_test.harn.snap"
    return check


def test_a_missing_snapshot_is_made_and_then_compared(check):
    assert check({"b": [1, "two"], "a": {}}) is None
    assert check.file.read_text() == (
        '=== the value\n  {\n    "a": {},\n    "b": [\n      1,\n      "two"\n    ]\n  }\n'
    )
    assert check({"a": {}, "b": [1, "two"]}) is None
    error = check({"a": {}, "b": [2, "two"]})
    assert error.startswith("Thrown: snapshot mismatch: the value\n")
    assert "\n-    1,\n+    2,\n" in error


@pytest.mark.parametrize("text", ["one line", "two\nlines\n", "=== looks like a name\n\n  indented", "", "\n"])
def test_a_text_is_kept_as_it_is(check, text):
    assert check(text) is None
    assert check(text) is None
    assert "snapshot mismatch" in check(text + "x")


def test_nothing_is_made_under_ci(check, monkeypatch):
    monkeypatch.setenv("CI", "true")
    assert "snapshot mismatch: the value" in check("x")
    assert not check.file.exists()


def test_updating_writes_what_differs(check, monkeypatch):
    check("old")
    monkeypatch.setenv("HARNLITE_UPDATE_SNAPSHOTS", "1")
    assert check("new") is None
    monkeypatch.delenv("HARNLITE_UPDATE_SNAPSHOTS")
    assert check("new") is None
    assert check.file.read_text().count("=== ") == 1


def test_a_transcript_stands_on_several_lines(check, monkeypatch, tmp_path):
    program = 'import { assert_snapshot } from "std/testing"\nassert_snapshot("all", [transcript({messages: []})])\n'
    (tmp_path / "some_test.harn").write_text(program, encoding="utf-8")
    check(None)
    assert '\n      "messages": [],\n' in check.file.read_text()


@pytest.mark.parametrize("allowed", [set(), {"fs.read"}])
def test_nothing_is_made_without_the_permission_to_write(check, tmp_path, allowed):
    result = harnlite.Engine(capabilities=allowed).run(tmp_path / "some_test.harn", params={"value": 1})
    assert "'assert_snapshot' is not permitted" in result.error
    assert not check.file.exists()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff", "it is not UTF-8"),
        (b"=== one\n  text\n<<<<<<< ours\n", "line 3 is neither a name nor indented"),
        (b"{}", "line 1 is neither a name nor indented"),
        (None, "Is a directory"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_and_stays(check, monkeypatch, content, reason):
    monkeypatch.setenv("HARNLITE_UPDATE_SNAPSHOTS", "1")
    check.file.parent.mkdir()
    check.file.mkdir() if content is None else check.file.write_bytes(content)
    assert check("x") == f"Thrown: assert_snapshot: cannot read {check.file}: {reason}"
    assert check.file.is_dir() if content is None else check.file.read_bytes() == content


def test_a_folder_that_cannot_be_made_is_an_error(check):
    check.file.parent.write_text("")
    assert check("x").startswith("Thrown: assert_snapshot: cannot ")
    assert str(check.file) in check("x")
