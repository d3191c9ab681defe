"""The general rules, on programs that mark the expected finding on each line: `//~ CODE part of the message`."""

import re
from pathlib import Path

import pytest

from harnlite.analysis.files.import_files import FileImports
from harnlite.analysis.linting.context.configuration import LintConfig
from harnlite.analysis.linting.fixing import fix_source
from harnlite.analysis.linting.linter import lint
from harnlite.diagnostics.diagnostic import ERROR, WARNING
from harnlite.diagnostics.source import Source
from harnlite.diagnostics.source_files import read_source

PROGRAMS = sorted((Path(__file__).parent / "general").glob("*_*.harn"))
MARK = re.compile(r"//~ (HARN-\w+-\d+) ?(.*?)(?= //~|$)", re.MULTILINE)
ERRORS = {"HARN-LNT-005", "HARN-LNT-020"}


def config_for(path):
    return LintConfig(select=(f"HARN-LNT-{path.stem[:3]}",))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_has_the_findings_that_it_marks(path):
    source = read_source(str(path))
    found = lint(source, config_for(path), FileImports())
    said = [f"{source.position(one.span.start).line} {one.code} {one.message}" for one in found]
    marked = [(number, *mark) for number, line in enumerate(source.text.splitlines(), 1) for mark in MARK.findall(line)]
    for number, code, text in marked:
        fits = [one for one in said if one.startswith(f"{number} {code} ") and text.strip() in one]
        assert fits, (number, code, text, said)
        said.remove(fits[0])
    assert said == []
    assert {one.severity for one in found} <= {ERROR if f"HARN-LNT-{path.stem[:3]}" in ERRORS else WARNING}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_nothing_is_said_twice(path):
    """What the static check says of a place, no rule says again."""
    found = lint(read_source(str(path)), LintConfig(), FileImports())
    checked = {one.span.start for one in found if one.code.startswith("HARN-CHK")}
    twice = {"HARN-LNT-004", "HARN-LNT-005", "HARN-LNT-012", "HARN-LNT-013", "HARN-LNT-014"}
    assert not [one for one in found if one.code in twice and one.span.start in checked]


FIXES = [
    ("001", "let x = 1\nprintln(2)\n", "println(2)\n"),
    ("001", "let x = println(1)\n", "let _ = println(1)\n"),
    ("001", "let x: int = len([])\n", "let _ = len([])\n"),
    ("001", "let a = 1; println(2)\n", "println(2)\n"),
    ("002", 'import { avg, clamp } from "std/math"\nprintln(avg([1]))\n', None),
    ("003", "fn f(a, b) { return a }\nprintln(f(1, 2))\n", "fn f(a, _b) { return a }\nprintln(f(1, 2))\n"),
    ("005", "let response = 1\nprintln(reponse)\n", "let response = 1\nprintln(response)\n"),
    ("005", "xs = [1]\nprintln(1)\n", "var xs = [1]\nprintln(1)\n"),
    ("008", "var xs = [1]\nxs.push(2)\nprintln(xs)\n", "var xs = [1]\nxs = xs.push(2)\nprintln(xs)\n"),
    ("008", "fn f(x) {\n  len(x)\n}\nprintln(f)\n", "fn f(x) {\n  return len(x)\n}\nprintln(f)\n"),
    ("015", "var n = 1\nn == 2\nprintln(n)\n", "var n = 1\nn = 2\nprintln(n)\n"),
    ("015", "fn f(x) { x + 1 }\nprintln(f(1))\n", "fn f(x) { return x + 1 }\nprintln(f(1))\n"),
    ("017", "println({a: 1, b: 2, a: 3})\n", "println({b: 2, a: 3})\n"),
    ("018", "var n = 1\nn = n\nprintln(n)\n", "var n = 1\nprintln(n)\n"),
]


@pytest.mark.parametrize(("number", "text", "expected"), FIXES)
def test_fixes(number, text, expected):
    config = LintConfig(select=(f"HARN-LNT-{number}",))
    fixed = fix_source(Source(text), lambda source: lint(source, config), unsafe=True)
    wanted = 'import { avg } from "std/math"\nprintln(avg([1]))\n' if expected is None else expected
    assert fixed.source.text == wanted
    assert fixed.left == []


IMPORTS = [
    ('import { a, b } from "x"\nprintln(a)\n', 'import { a } from "x"\nprintln(a)\n'),
    ('import { a, b } from "x"\nprintln(b)\n', 'import { b } from "x"\nprintln(b)\n'),
    ('import { a, b, c } from "x"\nprintln(b)\n', 'import { b } from "x"\nprintln(b)\n'),
    ('import { a, b, c } from "x"\nprintln(a)\n', 'import { a } from "x"\nprintln(a)\n'),
    ('import { a, b } from "std/math"\nprintln(1)\n', "println(1)\n"),
    # Another module may do something when it is loaded.
    ('import { a } from "x"\nprintln(1)\n', 'import { a } from "x"\nprintln(1)\n'),
]


@pytest.mark.parametrize(("text", "expected"), IMPORTS)
def test_unused_imports_are_removed_safely(text, expected):
    config = LintConfig(select=("HARN-LNT-002",))
    fixed = fix_source(Source(text), lambda source: lint(source, config), unsafe=False)
    assert fixed.source.text == expected


def test_an_undefined_name_has_a_near_one():
    (found,) = lint(Source("let response = 1\nprintln([reponse, response])"), LintConfig(select=("HARN-LNT-005",)))
    assert found.help == ("did you mean `response`?",)


def test_a_variable_that_may_be_meant_elsewhere_is_not_taken_away():
    text = "let response = 1\nprintln(reponse)\n"
    fixed = fix_source(Source(text), lambda source: lint(source, LintConfig()), unsafe=True)
    assert fixed.source.text == "let response = 1\nprintln(response)\n"
    assert fixed.left == []


def test_a_whole_import_is_looked_into():
    text = 'import "std/math"\nprintln([clamp, no_such_name])\n'
    (found,) = lint(Source(text), LintConfig(select=("HARN-LNT-005",)), FileImports())
    assert found.message == "`no_such_name` is not defined"
    assert lint(Source(text), LintConfig(select=("HARN-LNT-005",))) == []


def test_a_file_that_does_not_parse_is_not_judged():
    found = lint(Source("let x = 1\nlet = 2\nprintln(nowhere)\n"))
    assert {one.code for one in found} == {"HARN-SYN-001"}
