"""`run --trace`, `--events`, `--store`, and the progress display on a terminal."""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harnlite.cli import progress
from harnlite.store.stored_log import read_log
from tests.commands import run_command

SCRIPT = """
pipeline default() {
  llm_mock({text: "working"})
  llm_mock({text: "ok ##DONE##"})
  register_reminder_provider({id: "guard", subscribes_to: "session_start", evaluate: { ctx ->
    return {reminder: {body: "Mind the password=hunter22 gap.", dedupe_key: "gap", ttl_turns: 1,
      role_hint: "developer"}}
  }})
  println("before")
  let result = agent_loop("do it", "you are", {session_id: "s1", provider: "mock", loop_until_done: true})
  println(result.status)
}
"""
TABLE = """\
turn  seam           reminder  source           what                why
0     session_start  gap       stdlib_provider  injected            guard on SessionStart
1     model_call     gap       stdlib_provider  rendered as system  hint developer
1     post_turn      gap       stdlib_provider  expired             ttl: its turns are over
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "loop.harn"
    path.write_text(SCRIPT)
    return str(path)


def harnlite(*arguments):
    return run_command("run", *arguments)


def test_the_trace_stands_on_stderr_after_the_run(script):
    done = harnlite(script, "--trace")
    assert (done.stdout, done.stderr, done.returncode) == ("before\ndone\n", TABLE, 0)


def test_without_it_nothing_is_said(script):
    done = harnlite(script)
    assert (done.stdout, done.stderr) == ("before\ndone\n", "")


def test_with_v_it_is_shown_while_it_happens(script):
    done = subprocess.run(
        [sys.executable, "-m", "harnlite", "run", script, "--trace", "-v"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    lines = [re.sub(r" {2,}", "  ", line) for line in done.stdout.splitlines()]
    assert lines == ["before", *(re.sub(r" {2,}", "  ", line) for line in TABLE.splitlines()), "done"]


def test_a_run_without_reminders_and_one_that_cannot_start():
    assert harnlite("--trace", "-c", "println(1)").stderr == "No reminders.\n"
    assert harnlite("--trace", "-v", "-c", "println(1)").stderr == "No reminders.\n"
    failed = harnlite("--trace", "-c", "let = 1")
    assert failed.returncode == 3
    assert "No reminders." not in failed.stderr


def test_the_trace_of_a_run_that_fails_comes_before_the_error(script, tmp_path):
    path = tmp_path / "failing.harn"
    path.write_text(SCRIPT.replace("println(result.status)", 'throw "too bad"'))
    done = harnlite(str(path), "--trace")
    assert done.returncode == 1
    assert done.stderr.startswith(TABLE + "error: Thrown: too bad\n")


def test_the_log_is_kept_in_both_files(script, tmp_path):
    events, store = str(tmp_path / "e.jsonl"), str(tmp_path / "s.sqlite")
    assert harnlite(script, "--events", events, f"--store={store}").returncode == 0
    records = read_log(events).records
    assert records == read_log(store).records
    kinds = [record["kind"].removeprefix("transcript.reminder.") for record in records]
    assert [kind for kind in kinds if kind != "provider_evaluated"] == ["injected", "fired", "expired"]
    born = next(record for record in records if record["kind"].endswith("injected"))
    assert born["headers"] == {
        "harn.body": "Mind the password=[redacted] gap.",
        "harn.seam": "session_start",
        "harn.turn": "0",
    }
    assert "body" not in born["payload"]
    assert harnlite(script, "--events", events).returncode == 0
    ids = [json.loads(line)["id"] for line in Path(events).read_text(encoding="utf-8").splitlines()]
    assert ids == list(range(1, 2 * len(records) + 1))


def test_what_comes_after_a_loop_is_at_no_seam(tmp_path):
    path = tmp_path / "after.harn"
    after = 'import "std/agent/state"\n' + SCRIPT.replace(
        "println(result.status)", 'agent_session_inject_reminder("s1", {body: "Mind the gap.", dedupe_key: "late"})'
    )
    path.write_text(after)
    last = harnlite(str(path), "--trace").stderr.splitlines()[-1]
    assert last.split() == ["0", "-", "late", "in_pipeline", "injected", "by", "the", "script"]


@pytest.mark.parametrize("option", ["--events", "--store"])
def test_a_log_that_cannot_be_opened(option, script, tmp_path):
    done = harnlite(script, option, str(tmp_path / "none" / "log"))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"error: cannot open '{tmp_path / 'none' / 'log'}': ")


# Progress


RUN = """
import sys
from harnlite.cli import entry, progress
progress._PATIENCE_SECONDS = float(sys.argv[1])
sys.argv[:2] = ["harnlite", "run"]
entry.main()
"""


def on_terminal(path, patience):
    """Return what a person sees who runs a file on a terminal, with progress after some seconds."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(patience), str(path)], stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    # The terminal ends with the process: then Linux reports an error, and other systems the end of the file.
    with contextlib.suppress(OSError):
        while data := os.read(ours, 1 << 16):
            shown += data
    process.wait()
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def test_a_short_run_shows_no_progress(script):
    # For a busy machine, a run of a minute is short.
    assert on_terminal(script, 60) == "before\ndone\n"


def test_a_long_run_shows_turn_tokens_and_reminders(tmp_path):
    path = tmp_path / "slow.harn"
    path.write_text(SCRIPT.replace('println("before")', "sleep(2100ms)"))
    shown = on_terminal(path, progress._PATIENCE_SECONDS)
    assert re.search(r"turn \d · \d+ tokens · 1 reminder pending", shown)
    assert shown.endswith("\r\x1b[2Kdone\n")


class Screen:
    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return True


def test_output_goes_above_the_line(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "waiting_time", lambda: now[0])
    screen = Screen()
    line = progress.Progress(screen, screen)
    now[0] = 5.0
    line._hear({"type": "iteration_start", "iteration": 3, "session_id": "s"})
    line._hear({"type": "tool_call", "session_id": "s"})
    line.output.write("hello\n")
    line.output.flush()
    line.clear()
    erase = "\r\x1b[2K"
    assert screen.text == f"{erase}\x1b[2mturn 3 · 0 tokens · 0 reminders pending\x1b[0m{erase}hello\n"


def test_a_tool_that_runs_for_seconds_is_shown(monkeypatch):
    monkeypatch.setattr(progress, "_TICK_SECONDS", 0.01)
    monkeypatch.setattr(progress, "_LONG_SECONDS", 0.0)
    monkeypatch.setattr(progress, "waiting_time", lambda: 0.0)
    screen = Screen()
    line = progress.Progress(screen, screen)
    call = {"type": "tool_call_update", "tool_call_id": "c1", "tool_name": "build\x1b[31m", "session_id": "s"}
    line._hear({**call, "status": "in_progress"})
    while "running for" not in screen.text:
        time.sleep(0.02)
    assert "running for 0 s · turn 0 · 0 tokens · 0 reminders pending" in screen.text
    assert "\x1b[31m" not in screen.text
    line._hear({**call, "status": "completed"})
    line.finish()
    ended = screen.text
    time.sleep(0.1)
    assert screen.text == ended
    assert ended.endswith("\r\x1b[2K")
