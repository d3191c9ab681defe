"""A file that cannot be read is one error of `lint` and `check`; a path that does not exist is a usage error."""

import os
import sys

import pytest

from tests.commands import run_command

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a file whose contents cannot be read")
PROBLEM = "cannot read this file: Input/output error"


@pytest.fixture
def folder(tmp_path):
    os.symlink("/proc/self/mem", tmp_path / "a.harn")
    for index in range(60):
        (tmp_path / f"b{index}.harn").write_text("break\n")
    return tmp_path


@pytest.mark.parametrize("arguments", [["lint"], ["lint", "--fix"], ["check"]])
def test_one_unreadable_file_in_a_folder_is_one_error(folder, arguments):
    result = run_command(*arguments, ".", "--format", "concise", cwd=folder)
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    assert sum(PROBLEM in line for line in lines) == 1
    assert sum("break outside of loop" in line for line in lines) == 60


@pytest.mark.parametrize("style", ["text", "json", "sarif", "github", "junit"])
def test_every_format_shows_it(folder, style):
    result = run_command("lint", "a.harn", "--format", style, cwd=folder)
    assert result.returncode == 1
    assert PROBLEM in result.stdout


@pytest.mark.parametrize("command", ["test", "lint", "check", "fmt", "run"])
def test_a_missing_path_is_a_usage_error(tmp_path, command):
    result = run_command(command, "nowhere.harn", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert "nowhere.harn" in result.stderr


def test_a_missing_path_in_the_configuration_is_a_usage_error(tmp_path):
    (tmp_path / "harn.toml").write_text('[test]\npaths = ["nowhere"]\n')
    result = run_command("test", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert "nowhere" in result.stderr


def test_a_filter_that_fits_nothing_is_named(tmp_path):
    (tmp_path / "a_test.harn").write_text("pipeline test_a() {}\n")
    result = run_command("test", "--filter", "nothing", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (5, "No test pipelines found that match the filter 'nothing'\n")
