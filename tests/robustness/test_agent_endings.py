"""When a loop is killed or interrupted, no acknowledged data is lost, and unfinished work is cleaned up."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.samples import slow

COMMAND = [sys.executable, "-u", "-m", "harnlite", "run"]
TOPIC = "transcript.reminder.lifecycle"
POSIX_ONLY = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
# Says after each step what the log has taken: the newest record of reminders, and a record of its own.
BUSY = """
import { agent_session_inject_reminder } from "std/agent/state"

register_reminder_provider({
  id: "note",
  subscribes_to: ["post_agent_turn"],
  evaluate: { ctx -> {reminder: {body: "turn ${ctx.payload.iteration}", ttl_turns: 2}} },
})
llm_mock({match: "*", text: "<tool_call>step({})</tool_call>"})
let tool_list = [{
  name: "step",
  description: "Takes a step.",
  handler: { _ ->
    agent_session_inject_reminder("s", {body: "step", ttl_turns: 1})
    let own = event_log.emit("steps", "step", {text: "x".repeat(200)})
    println("${event_log.latest("transcript.reminder.lifecycle")} ${own}")
    "done"
  },
}]
agent_loop("work", nil, {provider: "mock", model: "mock", session_id: "s", tools: tool_list, max_iterations: 1000000})
"""


def killed(folder: Path, *options: str, lines: int) -> tuple[int, int]:
    """Run the program until it has said enough, kill it, and return the last ids that it has acknowledged."""
    program = folder / "busy.harn"
    program.write_text(BUSY, encoding="utf-8")
    with subprocess.Popen([*COMMAND, *options, str(program)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        said += process.stdout.readlines()
    acknowledged = [line for line in said if line.endswith("\n")][-1]
    reminders, own = acknowledged.split()
    return int(reminders), int(own)


def ids(records: list[tuple[str, int]], topic: str) -> list[int]:
    return [number for name, number in records if name == topic]


def check(records: list[tuple[str, int]], reminders: int, own: int) -> None:
    for topic, last in ((TOPIC, reminders), ("steps", own)):
        numbers = ids(records, topic)
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= last


@POSIX_ONLY
@pytest.mark.parametrize("lines", [1, 40, pytest.param(150, marks=slow)])
def test_no_acknowledged_record_is_lost_when_the_process_is_killed(lines: int, tmp_path: Path) -> None:
    events, store = tmp_path / "events.jsonl", tmp_path / "store.db"
    reminders, own = killed(tmp_path, "--events", str(events), "--store", str(store), lines=lines)
    whole = [line for line in events.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]
    written = [json.loads(line) for line in whole]
    check([(record["topic"], record["id"]) for record in written], reminders, own)
    kinds = {record["kind"] for record in written if record["topic"] == TOPIC}
    assert "transcript.reminder.injected" in kinds
    again = subprocess.run(
        [*COMMAND, "--store", str(store), "-c", f'println(event_log.latest("{TOPIC}"))'],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert int(again.stdout) >= reminders
    with sqlite3.connect(store) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)


@POSIX_ONLY
def test_a_run_goes_on_where_a_killed_one_has_left_its_files(tmp_path: Path) -> None:
    events, store = tmp_path / "events.jsonl", tmp_path / "store.db"
    first, _ = killed(tmp_path, "--events", str(events), "--store", str(store), lines=20)
    second, _ = killed(tmp_path, "--events", str(events), "--store", str(store), lines=20)
    assert second > first
    whole = [line for line in events.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]
    numbers = [record["id"] for record in map(json.loads, whole) if record["topic"] == TOPIC]
    assert numbers == sorted(set(numbers))


PLACES = {
    "tool": ("", "handler: { _ -> hang() }"),
    "tool that sleeps": ("", "handler: { _ -> doze() }"),
    "hook": ('register_session_hook("post_turn", { _ -> hang() })', "handler: { _ -> 1 }"),
    "hook that sleeps": ("register_tool_hook({pre: { _ -> doze() }})", "handler: { _ -> 1 }"),
    "reminder provider": (
        'register_reminder_provider({id: "p", subscribes_to: "session_start", evaluate: { _ -> hang() }})',
        "handler: { _ -> 1 }",
    ),
    "tools side by side": ("", "handler: { _ -> parallel each [1, 2] { _ -> doze() } }"),
    "model": ('llm_mock_clear()\nllm_mock({text: "x", delay_ms: 60000})', "handler: { _ -> 1 }"),
}


@POSIX_ONLY
@pytest.mark.parametrize("name", PLACES)
def test_ctrl_c_ends_a_loop_and_cleans_up(name: str, tmp_path: Path) -> None:
    setup, handler = PLACES[name]
    # The model says nothing when it is called; the signal may also arrive just before the call.
    ready = 'eprintln("ready")\n  ' if name == "model" else ""
    program, events = tmp_path / "main.harn", tmp_path / "events.jsonl"
    program.write_text(
        'fn hang() {\n  eprintln("ready")\n  while true { }\n}\nfn doze() {\n  eprintln("ready")\n  sleep(60s)\n}\n'
        'defer { println("deferred") }\nllm_mock({match: "*", text: "<tool_call>work({})</tool_call>"})\n'
        f'{setup}\ntry {{\n  {ready}agent_loop("t", nil, {{provider: "mock", model: "mock", max_iterations: 9, tools: '
        f'[{{name: "work", description: "Works.", {handler}}}]}})\n}} catch (e) {{\n  println("caught")\n}} finally '
        '{\n  println("finally")\n}\nprintln("never")\n',
        encoding="utf-8",
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*COMMAND, "--events", str(events), str(program)], stdout=pipe, stderr=pipe, text=True
    ) as run:
        assert run.stderr is not None
        assert run.stderr.readline() == "ready\n"
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        try:
            stdout, stderr = run.communicate(timeout=60)
        finally:
            run.kill()
    assert stdout == "finally\ndeferred\n", stderr
    assert run.returncode == 128 + signal.SIGINT
    assert "Traceback" not in stderr
    assert all(json.loads(line)["id"] for line in events.read_text(encoding="utf-8").splitlines())
