"""The usual arguments of `lint` are read without click, with the same result."""

import pytest

from harnlite.cli.lint import command
from harnlite.cli.lint_request import read_arguments
from harnlite.cli.run_request import FORMAT_VARIABLE

USUAL = [
    "", "a.harn", "a.harn b.harn .", "--isolated a.harn -q", "--quiet", "a.harn --exit-zero --debug --statistics",
    "--format json a.harn", "--color never a.harn --select HARN-LNT", "--ignore A --ignore B,C --extend-select D",
]  # fmt: skip
OTHERS = [
    "-", "none.harn", "--fix a.harn", "--diff", "--unsafe-fixes", "--config a.harn", "--max-warnings 3", "--help", "-h",
    "--format", "--format no", "--color", "--color no", "--select", "--select -q", "--format=json", "--nothing", "--",
    "--output-file x", "--stdin-filename x", "-qq", "--quie",
]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(FORMAT_VARIABLE, raising=False)
    for name in ("a.harn", "b.harn"):
        (tmp_path / name).write_text("")


def by_click(arguments):
    params = command.make_context("lint", list(arguments)).params
    return params.pop("paths"), params


@pytest.mark.parametrize("line", USUAL)
def test_they_are_what_click_reads(line):
    assert read_arguments(line.split()) == by_click(line.split())


@pytest.mark.parametrize("style", ["json", "", "concise"])
def test_the_variable_of_the_format_counts(monkeypatch, style):
    monkeypatch.setenv(FORMAT_VARIABLE, style)
    for line in ("a.harn", "a.harn --format text"):
        assert read_arguments(line.split()) == by_click(line.split())


@pytest.mark.parametrize("line", OTHERS)
def test_others_are_left_to_click(line):
    assert read_arguments(line.split()) is None


def test_an_unknown_format_in_the_variable_is_left_to_click(monkeypatch):
    monkeypatch.setenv(FORMAT_VARIABLE, "no")
    assert read_arguments(["a.harn"]) is None
