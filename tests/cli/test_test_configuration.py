"""The table `test` of the configuration: options override it, and it overrides the defaults."""

import json
import re

import pytest

from tests.commands import run_command

GOOD = "pipeline test_good() { println(1) }\n"
HALF = "fn f(yes) {\n  if yes { return 1 }\n  return 2\n}\npipeline test_half() { assert_eq(f(true), 1) }\n"
ENDLESS = "pipeline test_endless() { while true { let x = 1 } }\n"


@pytest.fixture
def call(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "tests").mkdir()

    def call(*arguments, toml="", cwd=".", **files):
        (tmp_path / "harn.toml").write_text(toml)
        for name, text in files.items():
            (tmp_path / "tests" / f"{name}.harn").write_text(text)
        result = run_command(*arguments, cwd=tmp_path / cwd)
        return result.returncode, result.stdout, result.stderr

    return call


def names(report):
    return re.findall(r"  (?:PASS|FAIL)  (\S+ \S+)", report)


def test_paths_are_relative_to_the_file(call):
    status, out, _ = call("test", toml='[test]\npaths = ["tests"]\n', cwd="deep", a=GOOD)
    assert (status, names(out)) == (0, ["test_good [../tests/a.harn]"])
    assert call("test", ".", toml='[test]\npaths = ["tests"]\n', cwd="deep")[0] == 5
    assert call("test", "--isolated", cwd="deep")[0] == 5


def test_the_file_above_the_named_paths_counts(call, tmp_path):
    toml = '[test]\nfilter = "half"\n'
    status, out, _ = call("test", str(tmp_path / "tests"), toml=toml, cwd="..", a=GOOD, b=HALF)
    assert status == 0
    assert [name.split()[0] for name in names(out)] == ["test_half"]


def test_options_go_first(call):
    toml = '[test]\nfilter = "half"\ntimeout = 100\nparallel = true\njobs = 2\ncov = true\n'
    status, out, _ = call("test", toml=toml, a=GOOD, b=HALF)
    assert status == 0
    assert "1 test from 1 file with 2 workers (parallel scheduling)" in out
    assert "\ncoverage" in out
    status, out, _ = call("test", "--filter", "good", "--no-parallel", "--no-cov", toml=toml)
    assert (status, names(out)) == (0, ["test_good [tests/a.harn]"])
    assert "(sequential scheduling)" in out
    assert "\ncoverage" not in out


def test_the_timeout(call):
    status, out, _ = call("test", toml="[test]\ntimeout = 150\n", a=ENDLESS)
    assert status == 1
    assert "timed out after 150ms" in out
    assert "timed out after 90ms" in call("test", "--timeout", "90", toml="[test]\ntimeout = 150\n")[1]


def test_reports_are_written_beside_the_file(call, tmp_path):
    toml = '[test]\njunit = "out/tests.xml"\ncov-html = "out/cov.html"\npaths = ["tests"]\n'
    assert call("test", toml=toml, cwd="deep", a=GOOD)[0] == 0
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["cov.html", "tests.xml"]


def test_too_little_coverage_is_a_failure(call):
    status, out, err = call("test", toml="[test]\ncov_min = 90\n", a=HALF)
    assert (status, err) == (1, "")
    assert out.endswith("\nonly 66% of the lines ran; at least 90% is required\n")
    assert call("test", "--cov-min", "66")[0] == 0
    assert call("test", "--cov-min", "101")[0] == 2


@pytest.mark.parametrize(
    ("toml", "wrong"),
    [
        ("[test]\ntimout = 1\n", "unknown key 'test.timout'; did you mean 'test.timeout'?"),
        ("timeout = 1\n", "unknown key 'timeout'; did you mean 'test.timeout'?"),
        ("[test]\nmax_warnings = 1\n", "unknown key 'test.max_warnings'; did you mean 'lint.max_warnings'?"),
        ("[test]\ntimeout = 0\n", "test.timeout must be a number, 1 or more"),
        ("[test]\njobs = true\n", "test.jobs must be a number, 1 or more"),
        ("[test]\ncov_min = 101\n", "test.cov_min must be a number from 0 to 100"),
        ('[test]\npaths = "tests"\n', "test.paths must be a list of strings"),
        ("test = 1\n", "test must be a table"),
        ('[lint]\nformat = "xml"\n', "lint.format must be one of text, concise, json, sarif, github, junit"),
    ],
)
def test_a_wrong_file_is_a_usage_error(call, toml, wrong):
    status, out, err = call("test", toml=toml, a=GOOD)
    assert (status, out) == (2, "")
    assert err.endswith(f"Error: harn.toml: {wrong}\n")


@pytest.mark.parametrize("command", ["config", "lint"])
def test_other_commands_refuse_it_too(call, command):
    status, out, err = call(command, toml="[test]\njobs = 0\n", a=GOOD)
    assert (status, out) == (2, "")
    assert err.endswith("Error: harn.toml: test.jobs must be a number, 1 or more\n")


def test_config_shows_where_each_value_comes_from(call, tmp_path):
    status, out, _ = call("config", "--format", "json", toml="[test]\ntimeout = 5\n")
    values = json.loads(out)["values"]
    assert status == 0
    assert values["test.timeout"] == {"value": 5, "origin": str(tmp_path / "harn.toml")}
    assert values["test.paths"] == {"value": ["."], "origin": "default"}
