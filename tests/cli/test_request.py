"""The fast parser of `run`'s command line agrees with click."""

import click
import pytest

from harnlite.cli import exit_codes, run
from harnlite.cli.run_request import _FLAGS, _WITH_VALUE, read_request


def test_click_knows_the_same_options():
    options = {name for option in run.command.params if isinstance(option, click.Option) for name in option.opts}
    assert options == {*_WITH_VALUE, *_FLAGS}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--stdin-filename", "x"],
        ["--help"], ["a", "b"], ["-c"], ["-c", "x", "file"], ["a", "--set"], ["a", "--set", "x"],
        ["a", "--set=1=2"],
        ["a", "--deadline", "soon"], ["a", "--deadline", "0"], ["a", "--grace", "-1"],
        ["a", "--format", "xml"], ["a", "--color=never=always"],
        ["--debug=1", "a"], ["a", "-x"],
    ],
)  # fmt: skip
def test_what_is_not_well_formed_is_left_to_click(arguments):
    assert read_request(arguments) is None


def test_a_well_formed_request():
    request = read_request(
        [
            "--set",
            "a=b=c",
            "f.harn",
            "--set-json=n=[1]",
            "--format",
            "json",
            "--debug",
            "--deadline=2",
            "--",
            "--set",
            "x",
        ]
    )
    assert request is not None
    assert (request.file, request.code) == ("f.harn", None)
    assert (request.values, request.json_values) == ({"a": "b=c"}, {"n": "[1]"})
    assert (request.format, request.debug, request.deadline, request.color) == ("json", True, 2.0, "auto")
    assert request.argv == ["--set", "x"]


@pytest.mark.parametrize("arguments", [[], ["--trace"], ["--set", "a=1", "--", "x"]])
def test_a_request_without_a_program_is_for_the_entry_of_the_project(arguments):
    request = read_request(arguments)
    assert request is not None
    assert (request.file, request.code) == (None, None)


def test_exit_codes():
    codes = {name: value for name, value in vars(exit_codes).items() if name.isupper()}
    assert codes == {
        "OK": 0, "UNCAUGHT": 1, "FINDINGS": 1, "FAILED": 1, "USAGE": 2, "INTERNAL": 2, "NOT_COMPILED": 3, "NO_TESTS": 5,
        "INTERRUPTED": 130, "TERMINATED": 143,
    }  # fmt: skip
