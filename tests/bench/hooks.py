"""The time of a hook of a coding agent, relative to a Python process that does nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROUNDS = 41
START = Path(__file__).parents[2] / "harnlite" / "agent_hooks" / "start.py"
QUIET = 'register_session_hook("session_idle", { ctx -> nil })\n'
SAYING = """register_tool_hook({pattern: "*", post: { ctx ->
  {reminder: {body: "The call ${ctx.tool_call_id} has ended.", dedupe_key: "call", ttl_turns: 1}}
}})
"""
_MARK = "additionalContext"


def hook_latencies() -> tuple[float, float]:
    """Return the milliseconds that a hook takes more than a bare Python: with nothing to say, and with a reminder."""
    with tempfile.TemporaryDirectory() as folder:
        commands = {"bare": [sys.executable, "-I", "-S", "-c", "pass"]}
        for name, rules in (("quiet", QUIET), ("saying", SAYING)):
            script = Path(folder, f"{name}.harn")
            script.write_text(rules)
            start = [sys.executable, "-I", "-S", str(START), "hook", "--agent", "claude-code"]
            commands[name] = [*start, "--script", str(script), "PostToolUse"]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HARN", "PYTHON"))}
        environment = {**kept, "HARNLITE_STATE_DIR": folder, "HARNLITE_CACHE": str(Path(folder, "cache"))}
        for name, command in commands.items():
            for count in range(3):
                _milliseconds(command, _call(name, -1 - count), environment)
        times: dict[str, list[float]] = {name: [] for name in commands}
        for count in range(ROUNDS):
            for name, command in commands.items():
                taken, answer = _milliseconds(command, _call(name, count), environment)
                times[name].append(taken)
                if (_MARK in answer) != (name == "saying"):
                    raise RuntimeError(f"the hook {name} has printed {answer!r}")
    bare = median(times["bare"])
    return median(times["quiet"]) - bare, median(times["saying"]) - bare


def _call(session: str, count: int) -> bytes:
    """Return what Claude Code writes after a call of a tool."""
    fields = {
        "session_id": session,
        "cwd": os.getcwd(),
        "hook_event_name": "PostToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": "a.py"},
        "tool_use_id": f"toolu_{count}",
        "tool_response": {"file": {"content": "x = 1\n" * 100}},
    }
    return json.dumps(fields).encode()


def _milliseconds(command: list[str], payload: bytes, environment: dict[str, str]) -> tuple[float, str]:
    """Return how long a process takes, and what it prints."""
    begin = time.perf_counter()
    done = subprocess.run(command, input=payload, env=environment, capture_output=True, check=True)
    return (time.perf_counter() - begin) * 1000, done.stdout.decode()
