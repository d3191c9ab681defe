"""`harnlite test`: its output, its files and its exit status."""

import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import pytest

from tests.commands import run_command

GOOD = "pipeline test_good() { println(1) }\n"
BAD = 'pipeline test_bad() {\n  println("seen")\n  assert_eq(1 + 1, 3)\n}\n'
ENDLESS = "pipeline test_endless() { while true { let x = 1 } }\n"
HEAD = "Running {} from {} with {} ({} scheduling)\n\n"
UNSET = ("CI", "HARN_LLM_PROVIDER", "HARNLITE_LLM_PROVIDER")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in UNSET}
COMMAND = [sys.executable, "-m", "harnlite", "test"]


@pytest.fixture
def call(tmp_path):
    def call(*arguments, **files):
        for name, text in files.items():
            (tmp_path / f"{name}.harn").write_text(text)
        result = run_command("test", *arguments, cwd=tmp_path, env=ENVIRONMENT)
        return result.returncode, re.sub(r"\d+ ms\b", "T ms", result.stdout), result.stderr

    return call


def test_one_that_passes(call):
    expected = HEAD.format("1 test", "1 file", "1 worker", "sequential")
    assert call(a=GOOD) == (0, expected + "  PASS  test_good [a.harn] (T ms)\n\n1 passed, 1 total (T ms)\n", "")


def test_one_that_fails(call):
    status, out, err = call(a=GOOD, b=BAD)
    assert (status, err) == (1, "")
    assert out == HEAD.format("2 tests", "2 files", "1 worker", "sequential") + (
        "  PASS  test_good [a.harn] (T ms)\n  FAIL  test_bad [b.harn]\n\n1 passed, 1 failed, 2 total (T ms)\n\n"
        "Failures:\n\n  test_bad [b.harn]\n    error: Thrown: Assertion failed: expected 3, got 2\n"
        "     --> b.harn:3:3\n      |\n    3 |   assert_eq(1 + 1, 3)\n      |   ^^^^^^^^^^^^^^^^^^^\n"
        "    difference: - expected, + actual\n      - 3\n      + 2\n    output:\n      seen\n"
    )


def test_none(call):
    assert call(a="println(1)\n") == (5, "No test pipelines found\n", "")
    expected = "No test pipelines found that match the filter 'other'\n"
    assert call("--filter", "other", b=GOOD) == (5, expected, "")


@pytest.mark.parametrize("arguments", [["--timeout", "0"], ["-j", "0"], ["--nonsense"]])
def test_wrong_usage(call, arguments):
    status, out, err = call(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("Usage: ")


def test_a_file_that_is_not_there_is_a_usage_error(call):
    status, out, err = call("nowhere.harn", a=GOOD)
    assert (status, out) == (2, "")
    assert "'nowhere.harn' does not exist" in err


def test_parallel_tests_are_reported_in_order(call):
    status, out, _ = call(
        "--parallel", "-j", "2", "--timeout", "60000", a=GOOD, b="pipeline test_s() { sleep(300ms) }\n" + BAD
    )
    assert status == 1
    assert out.startswith(HEAD.format("3 tests", "2 files", "2 workers", "parallel"))
    assert re.findall(r"  (?:PASS|FAIL)  (\S+)", out) == ["test_good", "test_s", "test_bad"]


def test_a_process_that_dies_fails_its_tests(call):
    program = 'pipeline test_it() { exec("sh", "-c", "kill -9 $PPID") }\n'
    status, out, err = call("--parallel", "-j", "2", a=program)
    assert (status, err) == (1, "")
    assert "the process that ran this test, or another test process, died" in out


def test_a_timeout(call):
    status, out, _ = call("--timeout", "100", a=ENDLESS)
    assert status == 1
    assert out.endswith("Failures:\n\n  test_endless [a.harn]\n    timed out after 100ms\n")


def test_junit(call, tmp_path):
    assert call("--junit", "out/report.xml", a=GOOD, b=BAD)[0] == 1
    root = ET.parse(tmp_path / "out" / "report.xml").getroot()
    assert (root.tag, root.get("tests"), root.get("failures")) == ("testsuites", "2", "1")
    assert [suite.get("name") for suite in root] == ["a.harn", "b.harn"]
    good, bad = (suite.find("testcase") for suite in root)
    assert (good.get("name"), good.get("classname"), good.get("line")) == ("test_good", "a.harn", "1")
    assert good.find("system-out").text == "1\n"
    assert bad.find("failure").get("message") == "Thrown: Assertion failed: expected 3, got 2"
    assert float(bad.get("time")) >= 0


def test_snapshots_are_updated_when_asked(call, tmp_path):
    program = 'import {{ expect_snapshot }} from "std/testing"\npipeline test_it() {{ expect_snapshot("one", {}) }}\n'
    assert call(a=program.format("[1]"))[0] == 0
    status, out, _ = call(a=program.format("[2]"))
    assert status == 1
    assert "    -  1\n    +  2\n" in out
    assert call("--update", a=program.format("[2]"))[0] == 0
    assert call(a=program.format("[2]"))[0] == 0
    assert "  2" in (tmp_path / "__snapshots__" / "a.harn.snap").read_text()


def test_processes_keep_the_snapshots_of_each_other(call, tmp_path):
    tests = "".join(f'pipeline test_{n}() {{ expect_snapshot("s{n}", {n}) }}\n' for n in range(40))
    program = 'import { expect_snapshot } from "std/testing"\n' + tests
    assert call("-j", "4", a=program)[0] == 0
    kept = (tmp_path / "__snapshots__" / "a.harn.snap").read_text()
    assert {f"=== s{n}" for n in range(40)} <= set(kept.splitlines())
    assert sorted(file.name for file in (tmp_path / "__snapshots__").iterdir()) == ["a.harn.snap"]


def test_the_slowest_come_first(call):
    _, out, _ = call("--durations", "1", a=GOOD + "pipeline test_slow() { sleep(2s) }\n")
    assert re.search(r"\nSlowest:\n  T ms  test_slow \[a.harn\]\n$", out)


def test_coverage(call, tmp_path):
    for arguments in ([], ["--parallel"]):
        status, out, _ = call("--cov", "--cov-html", "cov.html", *arguments, a=GOOD, b="fn f() {\n  return 1\n}\n")
        assert status == 0
        assert out.endswith(
            "\ncoverage  lines        branches     missing\na.harn      1/1  100%       0/0  -\n"
            "b.harn      0/1    0%       0/0  -  2\ntotal       1/2   50%       0/0  -\n"
        )
        assert (tmp_path / "cov.html").read_text().startswith("<!doctype html>")


def test_colour_is_for_terminals(call):
    assert "\x1b" not in call(a=BAD)[1]
    assert "  \x1b[31mFAIL\x1b[0m  " in call("--color", "always", a=BAD)[1]


@pytest.mark.parametrize("options", [[], ["--parallel", "-j", "2"]])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_with_a_report(tmp_path, options, number, status):
    begun = 'pipeline test_endless() { write_file("begun", "")\n while true { let x = 1 } }\n'
    (tmp_path / "a.harn").write_text(GOOD + begun)
    process = subprocess.Popen([*COMMAND, *options], cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    head = [process.stdout.readline() for _ in range(3)]
    assert "PASS" in head[2]
    while not (tmp_path / "begun").exists():
        time.sleep(0.02)
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == status
    assert "1 passed, 1 failed, 2 total" in out
    assert out.endswith("    interrupted\n")


def test_watch_runs_again_after_a_change(tmp_path):
    program = tmp_path / "a.harn"
    program.write_text(BAD)
    process = subprocess.Popen([*COMMAND, "--watch"], cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    lines = iter(process.stdout.readline, "Waiting for changes; press Ctrl-C to stop.\n")
    assert "1 failed, 1 total" in "".join(lines)
    # A file that is written in place is empty for a moment, in which it would be read.
    changed = tmp_path / "changed"
    changed.write_text(GOOD + "\n")
    changed.replace(program)
    lines = iter(process.stdout.readline, "Waiting for changes; press Ctrl-C to stop.\n")
    assert "1 passed, 1 total" in "".join(lines)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
