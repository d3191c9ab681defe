"""The time of a hook of a coding agent, relative to a Python process that does nothing."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUNDS = 41
START = Path(__file__).parents[2] / "harnlite" / "agent_hooks" / "start.py"
QUIET = 'register_session_hook("session_idle", { ctx -> nil })\n'
MATCHING = 'register_tool_hook({pattern: "*", post: { ctx -> nil }})\n'
SAYING = """register_tool_hook({pattern: "*", post: { ctx ->
  {reminder: {body: "The call ${ctx.tool_call_id} has ended.", dedupe_key: "call", ttl_turns: 1}}
}})
"""
PROMPT = """register_session_hook("user_prompt_submit", { ctx ->
  {reminder: {body: "Use tabs: ${ctx.prompt}", dedupe_key: "tabs", ttl_turns: 1}}
})
"""
STARTER = ["--rules", "after-compact,context,tests-fail", "--sandbox", "--allow", "fs.read=."]
_MARK = b"additionalContext"
_WARM_UP = 4
_TRANSCRIPT_LINES = 100
_SET_CHILD_SUBREAPER = 36


class Case(NamedTuple):
    """A hook: its arguments, the payload of a call, and whether it answers with a reminder."""

    arguments: list[str]
    payload: Callable[[str, int], dict[str, object]]
    says: bool


class Taken(NamedTuple):
    """The milliseconds until an agent has the answer, and those of all processors with what follows the answer."""

    wall: float
    processor: float


def hook_latencies() -> dict[str, float]:
    """Return the milliseconds that hooks take more than a bare Python, as medians; print further figures."""
    with tempfile.TemporaryDirectory() as folder, _adopting():
        times = _measured(Path(folder))
    bare = times.pop("bare")
    for name, taken in times.items():
        fast = _tenth([one.wall for one in taken]) - _tenth([one.wall for one in bare])
        busy = median(one.processor for one in taken) - median(one.processor for one in bare)
        sys.stdout.write(f"    hook, {name:<16} 10th percentile {fast:6.2f} ms, processor time {busy:6.2f} ms\n")
    nothing = median(one.wall for one in bare)
    return {name: median(one.wall for one in taken) - nothing for name, taken in times.items()}


def _measured(folder: Path) -> dict[str, list[Taken]]:
    bare = [sys.executable, "-I", "-S"]
    cases = _cases(folder)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HARN", "PYTHON"))}
    environment = {**kept, "HARNLITE_STATE_DIR": str(folder), "HARNLITE_CACHE": str(folder / "cache")}
    times: dict[str, list[Taken]] = {"bare": [], **{name: [] for name in cases}}
    for count in range(-_WARM_UP, ROUNDS):
        taken = {"bare": _run([*bare, "-c", "pass"], b"", environment)[0]}
        for name, case in cases.items():
            payload = json.dumps({"session_id": name, "cwd": str(folder), **case.payload(name, count)}).encode()
            command = [*bare, str(START), "hook", "--agent", "claude-code", *case.arguments]
            taken[name], answer = _run(command, payload, environment)
            if (_MARK in answer) != case.says and count >= 0:
                raise RuntimeError(f"the hook {name} has printed {answer!r}")
        for name, one in taken.items():
            if count >= 0:
                times[name].append(one)
    return times


def _cases(folder: Path) -> dict[str, Case]:
    transcript = folder / "transcript.jsonl"
    transcript.write_text(_transcript())
    found = {}
    for name, rules, event in (
        ("quiet", QUIET, "PostToolUse"),
        ("matching", MATCHING, "PostToolUse"),
        ("saying", SAYING, "PostToolUse"),
        ("saying at prompt", PROMPT, "UserPromptSubmit"),
    ):
        script = folder / f"{name}.harn"
        script.write_text(rules)
        found[name] = Case(["--script", str(script), event], _tool, name.startswith("saying"))
    path = str(transcript)
    found["saying at prompt"] = found["saying at prompt"]._replace(payload=lambda _, count: _prompt(count, path))
    found["starter silent"] = Case([*STARTER, "PostToolUse"], _tool, says=False)
    found["starter saying"] = Case([*STARTER, "PostToolUse"], _failing_tests, says=True)
    return found


def _tool(_session: str, count: int) -> dict[str, object]:
    """Return what Claude Code writes after a call of a tool."""
    return {
        "hook_event_name": "PostToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": "a.py"},
        "tool_use_id": f"toolu_{count}",
        "tool_response": {"file": {"content": "x = 1\n" * 100}},
    }


def _failing_tests(session: str, count: int) -> dict[str, object]:
    text = f"FAILED tests/test_a.py::test_{count} - assert 1 == 2\n1 failed, 3 passed in 0.1s\n"
    response = {"stdout": text, "stderr": "", "interrupted": False}
    shell = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_response": response}
    return {**_tool(session, count), **shell}


def _prompt(count: int, transcript: str) -> dict[str, object]:
    return {"hook_event_name": "UserPromptSubmit", "prompt": f"prompt {count}", "transcript_path": transcript}


def _transcript() -> str:
    """Return a conversation of Claude Code that is longer than the part that a hook reads."""
    usage = {"input_tokens": 10, "cache_read_input_tokens": 30_000, "output_tokens": 10}
    message = {"role": "assistant", "model": "claude-opus-4", "content": "y" * 3000, "usage": usage}
    lines = [{"type": "user", "message": {"role": "user", "content": "x" * 3000}}, {"type": "assistant"}]
    lines[1]["message"] = message
    return "".join(json.dumps(line) + "\n" for line in lines) * _TRANSCRIPT_LINES


def _run(command: list[str], payload: bytes, environment: dict[str, str]) -> tuple[Taken, bytes]:
    """Return the times of a process with its children, and what it prints."""
    to_hook, payload_end = os.pipe()
    answer_end, from_hook = os.pipe()
    duplicates = [(os.POSIX_SPAWN_DUP2, to_hook, 0), (os.POSIX_SPAWN_DUP2, from_hook, 1)]
    begin = time.perf_counter()
    process = os.posix_spawn(command[0], command, environment, file_actions=duplicates)
    os.close(to_hook)
    os.close(from_hook)
    if payload:
        os.write(payload_end, payload)
    os.close(payload_end)
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - begin
    with open(answer_end, "rb") as stream:
        answer = stream.read()
    if status:
        raise RuntimeError(f"{command} has ended with status {status}")
    return Taken(wall * 1000, (usage.ru_utime + usage.ru_stime + _orphans()) * 1000), answer


@contextlib.contextmanager
def _adopting() -> Iterator[None]:
    """Make this process the parent of processes whose parent ends, so that their processor time is known."""
    if sys.platform != "linux":
        yield
        return
    prctl = ctypes.CDLL(None).prctl
    prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def _orphans() -> float:
    """Return the processor time of the adopted processes, once they have ended."""
    seconds = 0.0
    while True:
        try:
            _, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return seconds
        seconds += usage.ru_utime + usage.ru_stime


def _tenth(values: list[float]) -> float:
    return sorted(values)[len(values) // 10]
