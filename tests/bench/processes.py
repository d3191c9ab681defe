"""The processor time of a whole process, relative to a Python process that does nothing."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROUNDS = 15
PATIENCE_S = 20
AGENT = """register_reminder_provider({
  id: "guard",
  subscribes_to: ["post_agent_turn"],
  evaluate: { ctx -> {reminder: {body: "Keep going.", dedupe_key: "guard", ttl_turns: 1}} },
})
for text in ["one", "two", "<done>##DONE##</done>"] { llm_mock({text: text}) }
println(agent_loop("work", "be brief", {provider: "mock", loop_until_done: true}).llm.iterations)
"""


def processor_seconds(command: list[str], environment: dict[str, str], folder: str | None = None) -> float:
    """Return the processor time of a command."""
    process = subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def agent_start() -> float:
    """Return the milliseconds that a cached script with a loop of three turns takes more than a bare Python."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "agent.harn")
        script.write_text(AGENT)
        environment = {**os.environ, "XDG_CACHE_HOME": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        run, bare = [*_command(), "run", str(script)], [sys.executable, "-c", "pass"]
        for _ in range(2):
            processor_seconds(run, environment)
        rounds = [(processor_seconds(bare, environment), processor_seconds(run, environment)) for _ in range(ROUNDS)]
    nothing, loop = (median(column) for column in zip(*rounds, strict=True))
    return (loop - nothing) * 1000


COMMANDS = {
    "--version": ["--version"],
    "--help": ["--help"],
    "lint of a small file, not cached": ["lint", "--isolated", "hello.harn"],
}


def command_starts() -> dict[str, float]:
    """Return the milliseconds that commands take more than a bare Python."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "hello.harn").write_text('fn twice(n) {\n  return n * 2\n}\nprintln("hello ${twice(2)}")\n')
        environment = {**os.environ, "HARNLITE_CACHE": "off"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        bare = [sys.executable, "-c", "pass"]
        commands = {what: [*_command(), *arguments] for what, arguments in COMMANDS.items()}
        for command in commands.values():
            processor_seconds(command, environment, folder)
        rounds = [
            [processor_seconds(command, environment, folder) for command in (bare, *commands.values())]
            for _ in range(ROUNDS)
        ]
    nothing, *found = (median(column) for column in zip(*rounds, strict=True))
    return {what: (value - nothing) * 1000 for what, value in zip(commands, found, strict=True)}


def server_starts() -> dict[str, float]:
    """Return the milliseconds of processor time until a session prompts and until the language server answers."""
    bare = [sys.executable, "-c", "pass"]
    rounds = [(processor_seconds(bare, dict(os.environ)), _answered(), _prompted()) for _ in range(ROUNDS // 2)]
    nothing, server, session = (median(column) for column in zip(*rounds[1:], strict=True))
    return {"language server, initialize": (server - nothing) * 1000, "session, prompt": (session - nothing) * 1000}


def _environment() -> dict[str, str]:
    environment = {**os.environ, "TERM": "xterm", "HARNLITE_REPL_HISTORY": "off"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def _killed(process: subprocess.Popen[bytes]) -> float:
    """End a process and return the processor time that it has taken."""
    process.kill()
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def _answered() -> float:
    """Return the processor time of a language server until it answers `initialize`."""
    given = {"processId": None, "rootUri": None, "capabilities": {}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": given}).encode()
    pipe = subprocess.PIPE
    with subprocess.Popen([*_command(), "lsp"], stdin=pipe, stdout=pipe, env=_environment()) as process:
        process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        process.stdin.flush()
        process.stdout.read(1)
        return _killed(process)


def _prompted() -> float:
    """Return the processor time of an interactive session until it prompts."""
    ours, its = os.openpty()
    with subprocess.Popen([*_command(), "repl"], stdin=its, stdout=its, stderr=its, env=_environment()) as process:
        os.close(its)
        shown = b""
        while b"harn>" not in shown:
            if not select.select([ours], [], [], PATIENCE_S)[0]:
                raise TimeoutError(shown)
            piece = os.read(ours, 4096)
            shown += piece
            if b"\x1b[6n" in piece:  # the session asks where the cursor is
                os.write(ours, b"\x1b[1;1R")
        spent = _killed(process)
    os.close(ours)
    return spent


def _command() -> list[str]:
    installed = Path(sys.executable).with_name("harnlite")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "harnlite"]


def starts() -> tuple[float, float, float]:
    """Return the milliseconds that a cached and an uncached run take more than a bare Python, and the cached ratio."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "hello.harn")
        script.write_text('println("hello")\n')
        cached = {**os.environ, "XDG_CACHE_HOME": folder}
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
