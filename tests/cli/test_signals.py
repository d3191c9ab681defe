"""Ctrl-C, SIGTERM, closed pipes, and bugs in harnlite."""

import os
import signal
import subprocess
import sys

import pytest

LOOP = 'pipeline default() {\n  defer { println("deferred") }\n  try {\n    println("on")\n    while true { WORK }\n'
LOOP += '  } catch (e) {\n    println("caught")\n  } finally {\n    println("finally")\n  }\n}\n'

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")


def start(program, tmp_path, **options):
    path = tmp_path / "program.harn"
    path.write_text(program)
    command = [sys.executable, "-u", "-m", "harnlite", "run", str(path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.parametrize("work", ["", "sleep(1)", "let x = [1, 2].map({ v -> v + 1 })"])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_through_finally_and_defer(work, number, status, tmp_path):
    process = start(LOOP.replace("WORK", work), tmp_path)
    assert process.stdout.readline() == "on\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == ("finally\ndeferred\n", "", status)


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    process = start('var i = 0\nwhile true { println("line ${i}")\n i = i + 1 }\n', tmp_path)
    assert process.stdout.readline() == "line 0\n"
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 0
    process.stderr.close()


def test_closed_streams_are_no_error(tmp_path):
    path = tmp_path / "hello.harn"
    path.write_text('println("hello")\n')
    command = f'"{sys.executable}" -m harnlite run "{path}"'
    for redirections in (">&-", "2>&-", "<&-", ">&- 2>&- <&-"):
        result = subprocess.run(["sh", "-c", f"{command} {redirections}"], capture_output=True, check=False)
        assert result.returncode == 0
        assert result.stderr == b""


FAULT = """
import sys
from harnlite.host import toolchain
def fail(*_, **__): raise KeyError("inside")
toolchain.run = fail
sys.argv = ["harnlite", "run", *sys.argv[1:]]
from harnlite.cli.entry import main
main()
"""


@pytest.mark.parametrize("debug", [False, True])
def test_a_fault_of_harnlite_asks_for_a_report(debug):
    arguments = ["-c", "1"] + ["--debug"] * debug
    result = subprocess.run([sys.executable, "-c", FAULT, *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "internal error: KeyError: 'inside'" in result.stderr
    assert "Please report it" in result.stderr
    assert ("Traceback" in result.stderr) is debug
