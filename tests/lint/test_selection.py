"""The codes that a configuration selects."""

import pytest

from harnlite.analysis.linting.code_selection import Selection
from harnlite.analysis.linting.context.configuration import LintConfig
from harnlite.analysis.linting.linter import lint
from harnlite.diagnostics.source import Source

SELF, CHECKED, SYNTAX = "HARN-LNT-007", "HARN-CHK-002", "HARN-SYN-001"


def active(path="main.harn", **config):
    return Selection(LintConfig(root="/project", **config)).of_file(Source("", path, f"/project/{path}")).codes


@pytest.mark.parametrize(
    ("config", "on"),
    [
        ({}, True),
        ({"select": ("HARN-LNT",)}, True),
        ({"select": ("HARN-CHK",)}, False),
        ({"select": ("HARN-CHK",), "extend_select": ("HARN-LNT-007",)}, True),
        ({"select": ()}, False),
        ({"select": ("ALL",)}, True),
        ({"ignore": ("HARN-LNT",)}, False),
        ({"ignore": ("ALL",)}, False),
        ({"ignore": ("HARN-LNT",), "select": ("HARN-LNT-007",)}, True),
        ({"ignore": ("HARN-LNT-007",), "select": ("HARN-LNT",)}, False),
        ({"ignore": ("HARN-LNT-007",), "select": ("HARN-LNT-007",)}, False),
        ({"ignore": ("HARN-LNT",), "extend_select": ("HARN-LNT-007",)}, True),
    ],
)
def test_the_longest_prefix_decides(config, on):
    assert (SELF in active(**config)) is on


def test_syntax_errors_are_always_on():
    assert SYNTAX in active(select=(), ignore=("ALL",))


def test_files_have_ignores_of_their_own():
    ignores = {"tests/**": ("HARN-LNT",), "*.gen.harn": ("ALL",)}
    assert SELF in active(per_file_ignores=ignores)
    assert SELF not in active("tests/deep/a.harn", per_file_ignores=ignores)
    assert CHECKED in active("tests/deep/a.harn", per_file_ignores=ignores)
    assert active("src/b.gen.harn", per_file_ignores=ignores) == {SYNTAX}
    assert SYNTAX in active("tests/a.harn", per_file_ignores={"tests/": ("ALL",)})


def test_what_is_not_selected_is_not_reported():
    source = Source("let x = 1\nprintln(x == x)\n")
    assert lint(source, LintConfig(ignore=(SELF,))) == []
    assert [one.code for one in lint(source, LintConfig(select=(SELF,)))] == [SELF]
