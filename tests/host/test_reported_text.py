"""Reports of uncaught errors have one prefix; what a script catches keeps its categories."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import harnlite
from harnlite.runtime.tasks.task_errors import reported_text
from tests.commands import run_command

RAISED = re.compile(r'(?:runtime|type)_error\(\s*f?["\'](\w[\w -]*(?:error|Error): )')
STORES = ("store ", "checkpoint ")
"""These errors name what failed; they are not categories."""


@pytest.mark.parametrize(
    ("code", "report"),
    [
        ("nil.foo()", "error: value of type nil has no method `foo`"),
        ('import "nowhere"', "error: cannot read '"),
        ('import "std/nowhere"', "error: Unknown stdlib module: std/nowhere"),
        ('import { nowhere } from "std/json"', "error: 'nowhere' is not defined in <stdlib>/json.harn"),
        ('fn f(a: int) {}\nf(json_parse("[]"))', "error: parameter 'a' expected int, got list ([])"),
        ('throw "x"', "error: Thrown: x"),
        ("try { nil.foo() } catch (e) { throw e }", "error: Thrown: value of type nil has no method `foo`"),
        ('throw "Some error: x"', "error: Thrown: Some error: x"),
    ],
)
def test_a_report_has_one_prefix(tmp_path, code, report):
    assert run_command("run", "-c", code, cwd=tmp_path).stderr.startswith(report)
    concise = run_command("run", "--format", "concise", "-c", code, cwd=tmp_path).stderr
    assert concise.partition(": error ")[2].startswith(report.removeprefix("error: "))


def test_a_script_catches_the_whole_text():
    caught = harnlite.run("try { nil.foo() } catch (e) { println(e) }").stdout
    assert caught == "Type error: value of type nil has no method `foo`\n"


def test_an_error_in_an_imported_file_names_its_place(tmp_path):
    (tmp_path / "bad.harn").write_text("let x = = 1\n", encoding="utf-8")
    report = run_command("run", "-c", 'import "bad"', cwd=tmp_path).stderr
    assert report.startswith("error: Expected expression, got = at 1:9\n")
    assert "= help: the error is in the imported file, at bad.harn:1:9\n" in report


def test_every_category_that_is_raised_is_dropped():
    package = Path(harnlite.__file__).parent
    found = {found for file in package.rglob("*.py") for found in RAISED.findall(file.read_text(encoding="utf-8"))}
    assert "Import error: " in found
    kept = {category for category in found if reported_text(f"Runtime error: {category}x") != "x"}
    assert not [category for category in kept if not category.startswith(STORES)]
