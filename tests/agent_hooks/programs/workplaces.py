"""A home folder and a project for one run of a coding agent, and what can be seen of the run afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.agent_hooks.programs.installation import program

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.agent_hooks.programs.agents import Agent
    from tests.agent_hooks.programs.model_server import ModelServer

SECONDS = 150


class Workplace:
    """Folders of one run. The environment has no variables of this machine but PATH."""

    def __init__(self, folder: Path, agent: Agent, server: ModelServer) -> None:
        self.agent = agent
        self.server = server
        self.words = program(agent.name, agent.pattern)
        self.home = folder / "home"
        self.project = folder / "project"
        self.script = folder / "rules.harn"
        self.state = self.home / ".local" / "state" / "harnlite"
        for path in (self.home, self.project):
            path.mkdir()
        base = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8", "SHELL": "/bin/sh"}
        self.settings_before: dict[str, bytes] = {}
        self.environment = {**base, "TERM": "xterm-256color", **agent.configure(self.home, server)}

    def harnlite(self, *words: str) -> str:
        """Run a command of harnlite and return what it prints; it must succeed."""
        done = self._run([sys.executable, "-m", "harnlite", *words])
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def install(self, rules: str, *options: str) -> None:
        """Install hooks with these rules for the user."""
        self.script.write_text(rules)
        self.settings_before = self.settings()
        self.harnlite("hook", "install", "--agent", self.agent.name, "--script", str(self.script), "--yes", *options)

    def start(self, prompt: str = "hello") -> subprocess.CompletedProcess[str]:
        """Run the agent with a prompt; it must succeed."""
        return self._started([*self.agent.words, prompt])

    def resume(self, prompt: str) -> subprocess.CompletedProcess[str]:
        """Continue the session with another prompt."""
        return self._started([*self.agent.resumed, prompt])

    def _started(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        done = self._run([*self.words, *words])
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def _run(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def log(self) -> list[dict]:
        """Return the entries of the log of hooks."""
        path = self.state / "hook.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def files(self) -> set[str]:
        """Return the names of the files that the commands of the model have made."""
        return {path.name for path in self.project.iterdir() if not path.name.startswith(".")}

    def settings(self) -> dict[str, bytes]:
        """Return the configuration of the agent, which the agent itself does not change."""
        names = ("settings.json", "hooks.json", "opencode.json", "harnlite.js")
        found = [path for folder in self.home.glob(".*") for path in folder.rglob("*.js*") if path.name in names]
        kept = [path for path in found if "node_modules" not in path.parts and "tmp" not in path.parts]
        return {str(path.relative_to(self.home)): path.read_bytes() for path in kept}

    def requests_with(self, text: str) -> list[int]:
        """Return the numbers of the requests that contain a text; the conversation is repeated in each."""
        return [number for number, request in enumerate(self.server.turns, 1) if text in request.text]
