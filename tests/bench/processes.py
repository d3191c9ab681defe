"""The processor time of a whole process, relative to a Python process that does nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROUNDS = 15
AGENT = """register_reminder_provider({
  id: "guard",
  subscribes_to: ["post_agent_turn"],
  evaluate: { ctx -> {reminder: {body: "Keep going.", dedupe_key: "guard", ttl_turns: 1}} },
})
for text in ["one", "two", "<done>##DONE##</done>"] { llm_mock({text: text}) }
println(agent_loop("work", "be brief", {provider: "mock", loop_until_done: true}).llm.iterations)
"""


def processor_seconds(command: list[str], environment: dict[str, str]) -> float:
    """Return the processor time of a command."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def agent_start() -> float:
    """Return the milliseconds that a cached script with a loop of three turns takes more than a bare Python."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "agent.harn")
        script.write_text(AGENT)
        environment = {**os.environ, "XDG_CACHE_HOME": folder, "PYTHONPYCACHEPREFIX": str(Path(folder, "pyc"))}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        run, bare = [*_command(), "run", str(script)], [sys.executable, "-c", "pass"]
        for _ in range(2):
            processor_seconds(run, environment)
        rounds = [(processor_seconds(bare, environment), processor_seconds(run, environment)) for _ in range(ROUNDS)]
    nothing, loop = (median(column) for column in zip(*rounds, strict=True))
    return (loop - nothing) * 1000


def _command() -> list[str]:
    installed = Path(sys.executable).with_name("harnlite")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "harnlite"]


def starts() -> tuple[float, float, float]:
    """Return the milliseconds that a cached and an uncached run take more than a bare Python, and the cached ratio."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "hello.harn")
        script.write_text('println("hello")\n')
        cached = {**os.environ, "XDG_CACHE_HOME": folder, "PYTHONPYCACHEPREFIX": str(Path(folder, "pyc"))}
        cached.pop("PYTHONDONTWRITEBYTECODE", None)
        uncached = {**cached, "HARNLITE_CACHE": "off"}
        run = [*_command(), "run", str(script)]
        bare = [sys.executable, "-c", "pass"]
        for environment in (cached, uncached):
            processor_seconds(run, environment)
        rounds = [
            (processor_seconds(bare, cached), processor_seconds(run, cached), processor_seconds(run, uncached))
            for _ in range(ROUNDS)
        ]
    nothing, quick, slow = (median(column) for column in zip(*rounds, strict=True))
    return (quick - nothing) * 1000, (slow - nothing) * 1000, quick / nothing
