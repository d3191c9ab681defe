"""The tools that harnlite implements itself."""

import json
from pathlib import Path

import pytest

from harnlite import Engine
from harnlite.agent.tools.builtin_tools import builtin_tool
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import ScriptError


@pytest.fixture
def run(tmp_path: Path) -> Execution:
    (tmp_path / "lines.txt").write_text("".join(f"line {number}\n" for number in range(1, 2501)), encoding="utf-8")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "sub").mkdir()
    return Execution(cwd=str(tmp_path))


def call(run: Execution, name: str, **arguments: object) -> object:
    tool = builtin_tool(name)
    assert tool is not None
    return run.enter(lambda: tool(run, arguments))


def test_lines_are_numbered(run: Execution) -> None:
    assert call(run, "read_file", path="lines.txt", offset=2499) == "2499\tline 2499\n2500\tline 2500"
    text = call(run, "read_file", path="lines.txt", offset=3, limit=2)
    assert text == "3\tline 3\n4\tline 4\n\n[... 2496 more lines not shown. Use offset=5 to continue reading]"
    assert call(run, "read_file", path="empty.txt") == ""


def test_only_ends_of_lines_begin_a_new_number(run: Execution, tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_text("one\x0ctwo\u2028three\r\n\n", encoding="utf-8", newline="")
    assert call(run, "read_file", path="odd.txt") == "1\tone\x0ctwo\u2028three\n2\t"


def test_at_most_two_thousand_lines_are_read(run: Execution) -> None:
    text = call(run, "read_file", path="lines.txt", limit=9999)
    assert isinstance(text, str)
    assert text.endswith("2000\tline 2000\n\n[... 500 more lines not shown. Use offset=2001 to continue reading]")


def test_folders_are_listed(run: Execution) -> None:
    listed = "binary\nempty.txt\nlines.txt\nsub/"
    assert call(run, "list_directory") == listed
    assert call(run, "list_directory", path=".") == listed
    assert call(run, "read_file", path="sub/..") == listed
    assert call(run, "list_directory", path="sub") == ""


def test_failures_are_answers(run: Execution) -> None:
    assert call(run, "read_file") == "Error: missing path parameter"
    missing = "No such file or directory (os error 2)"
    assert call(run, "read_file", path="none") == f"Error: cannot read file 'none': {missing}"
    assert call(run, "list_directory", path="none") == f"Error: cannot list directory 'none': {missing}"
    assert call(run, "read_file", path="binary") == (
        "Error: cannot read file 'binary': stream did not contain valid UTF-8"
    )
    assert str(call(run, "read_file", path="a\0b")).startswith("Error: cannot read file 'a\0b': ")


def test_workspace_roots_hold(run: Execution, tmp_path: Path) -> None:
    run.context["workspace_roots"] = (str(tmp_path / "sub"),)
    with pytest.raises(ScriptError, match="sandbox violation: builtin 'read_file' attempted to read"):
        call(run, "read_file", path="lines.txt")
    assert call(run, "list_directory", path="sub") == ""
    run.context["permissions"] = Engine(deny=["fs.read"]).permissions
    with pytest.raises(ScriptError, match="Tool 'list_directory' is not permitted"):
        call(run, "list_directory", path="sub")


def test_plans_are_answered_in_their_one_form(run: Execution) -> None:
    plan = json.loads(str(call(run, "update_plan", plan=[{"step": "x", "status": "done"}], explanation="why")))
    assert (plan["tool"], plan["summary"], plan["steps"][0]["status"]) == ("update_plan", "why", "completed")
    assert json.loads(str(call(run, "emit_plan", steps=["a"])))["tool"] == "emit_plan"


def test_other_names_are_not_built_in() -> None:
    assert builtin_tool("rm") is None
