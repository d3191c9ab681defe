"""A run that defends itself against its end with nested cleanup ends all the same, and Python survives."""

import subprocess
import sys

import pytest

AT_THE_LIMIT_OF_CALLS = """
fn again() { try { throw "x" } catch (e) { return again() } finally { again() } }
again()
"""
WITHOUT_MEMORY = """
fn again() {
  try {
    var text = "x"
    while true { text = text + text }
  } catch (e) { return again() } finally { again() }
}
again()
"""


@pytest.mark.parametrize(
    ("program", "options", "text"),
    [
        (AT_THE_LIMIT_OF_CALLS, ["--deadline", "0.5", "--grace", "0.2"], "Error [timeout]"),
        (WITHOUT_MEMORY, ["--max-memory", "256MB", "--deadline", "20"], "Error [budget_exceeded]"),
    ],
    ids=["deadline", "memory"],
)
def test_endless_cleanup(program, options, text):
    command = [sys.executable, "-m", "harnlite", "run", *options, "-"]
    done = subprocess.run(command, input=program, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert text in done.stderr
