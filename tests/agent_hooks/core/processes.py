"""Hooks as processes, as an agent starts them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENT = "harnlite.agent_hooks.watchdog:START_SECONDS = RUN_SECONDS = 60"
"""Time limits for a machine that is busy with other tests."""
LONG_MEMORY = ",harnlite.agent_hooks.counters:TWICE_SECONDS = BROKEN_SECONDS = 300"
"""Another part of a change: two calls are deliveries of one event, and an error counts, although time has passed."""
DRIVER = Path(__file__).parent / "hook_driver.py"


class Agent:
    """An agent with a state folder of its own, which starts hooks and reads their answers."""

    def __init__(self, folder: Path, rules: str = "", *options: str) -> None:
        self.folder = folder
        self.state = folder / "state"
        self.script = folder / "rules.harn"
        self.script.write_text(rules)
        self.options = options
        self.change = PATIENT
        """A change of the program: a module and statements that run in it."""
        self.count = 0
        self._inherited: tuple[int, ...] = ()

    def command(self, native: str, agent: str = "claude-code") -> list[str]:
        start = [sys.executable, "-I", "-S", str(DRIVER), self.change, "hook", "--agent", agent]
        return [*start, "--script", str(self.script), *self.options, native]

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HARN", "PYTHON"))}
        return {**kept, "HARNLITE_STATE_DIR": str(self.state), "HARNLITE_CACHE": str(self.folder / "cache")}

    def payload(self, native: str, **data) -> bytes:
        self.count += 1
        named = {"session_id": "s1", "cwd": str(self.folder), "hook_event_name": native}
        if native == "UserPromptSubmit":
            named |= {"prompt": f"prompt {self.count}", "prompt_id": f"p{self.count}"}
        if native == "Notification":
            named |= {"notification_type": "idle_prompt"}
        if "ToolUse" in native:
            named |= {"tool_use_id": f"t{self.count}", "tool_name": "Read", "tool_input": {}}
        return json.dumps({**named, **data}).encode()

    def start(self, native: str, payload: bytes, **options) -> subprocess.Popen:
        process = subprocess.Popen(
            self.command(native),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment(),
            **options,
        )
        process.stdin.write(payload)
        process.stdin.close()
        process.stdin = None
        return process

    def send(self, native: str, payload: bytes, agent: str = "claude-code", **options) -> str:
        """Return what a hook prints; it must end with status 0 and without a word on stderr."""
        done = subprocess.run(
            self.command(native, agent),
            input=payload,
            capture_output=True,
            env=self.environment(),
            timeout=60,
            check=False,
            pass_fds=self._inherited,
            **options,
        )
        assert (done.returncode, done.stderr) == (0, b""), done
        return done.stdout.decode()

    @contextmanager
    def settled(self) -> Iterator[None]:
        """Wait at the end of the block until all processes of its calls have ended.

        A child of a hook works on after the answer. All of these processes inherit the end of a pipe, whose other end
        is at its end of file when none of them runs.
        """
        reading, writing = os.pipe()
        self._inherited = (writing,)
        with open(reading, "rb") as file:
            try:
                yield
            finally:
                self._inherited = ()
                os.close(writing)
            assert file.read() == b""

    def say(self, native: str, **data) -> str:
        """Return the text for the model in the answer to an event."""
        return context_of(self.send(native, self.payload(native, **data)))

    def log(self) -> list[dict]:
        """Return the entries of the log."""
        path = self.state / "hook.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def session_folder(self) -> Path:
        (found,) = (self.state / "hooks").glob("claude-code-*")
        return found


def context_of(answer: str) -> str:
    """Return the text for the model in an answer."""
    return json.loads(answer)["hookSpecificOutput"]["additionalContext"] if answer else ""
