"""A user with a home folder and a project, and `harnlite hook` in this process."""

import json
import os

import pytest
from click.testing import CliRunner

from harnlite.agent_hooks import rule_scripts
from harnlite.agent_hooks.install import hook_commands
from harnlite.agent_hooks.install.agent_files import AGENT_FILES
from harnlite.agent_hooks.install.installation import Installation
from harnlite.cli.hook import command
from tests.agent_hooks.core.processes import DRIVER, PATIENT

HOMES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME", "CLINE_DIR", "XDG_CONFIG_HOME")


class User:
    """The folders of a user, and the commands that the user calls."""

    def __init__(self, folder):
        self.home = folder / "home"
        self.project = folder / "my project"
        self.state = folder / "state"
        for path in (self.home, self.project, self.project / ".git"):
            path.mkdir()

    def hook(self, *arguments, code=0):
        result = CliRunner().invoke(command, [str(one) for one in arguments], prog_name="harnlite hook")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert result.exit_code == code, (result.stdout, result.stderr)
        return result

    def install(self, agent, scope="user", *arguments, code=0):
        rules = () if "--script" in arguments or "--rules" in arguments else ("--rules", "after-compact")
        return self.hook("install", "--agent", agent, "--scope", scope, "--yes", *rules, *arguments, code=code)

    def installation(self, agent, scope="user"):
        return Installation(AGENT_FILES[agent], scope, str(self.project), os.environ)

    def path(self, agent, scope="user"):
        return type(self.home)(self.installation(agent, scope).path)

    def forget_records(self):
        for path in (self.state / "installed").glob("*"):
            path.unlink()

    def files(self):
        """Return the bytes of all files of the user, without those of git."""
        found = {}
        for base in (self.home, self.project):
            for path in sorted(base.rglob("*")):
                if ".git" not in path.parts and ".cache" not in path.parts:
                    found[str(path)] = path.read_bytes() if path.is_file() else None
        return found

    def script(self, text, name="rules.harn"):
        path = self.project / name
        path.write_text(text)
        return path

    def settings(self, agent, scope="user"):
        return json.loads(self.path(agent, scope).read_text())


@pytest.fixture
def user(tmp_path, monkeypatch):
    found = User(tmp_path)
    for name in HOMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(found.home))
    monkeypatch.setenv("HARNLITE_STATE_DIR", str(found.state))
    monkeypatch.setenv("HARNLITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(found.project)
    return found


START = """
import sys
sys.argv.insert(1, {change!r})
with open({driver!r}) as file:
    exec(compile(file.read(), {driver!r}, "exec"), {{"__name__": "__main__", "__file__": {driver!r}}})
"""


@pytest.fixture
def patient_start(tmp_path, monkeypatch):
    """Install commands that start a file with longer time limits, because the machine may be busy."""
    path = tmp_path.joinpath("installed", *hook_commands.START)
    path.parent.mkdir(parents=True)
    path.write_text(START.format(change=PATIENT, driver=str(DRIVER)))
    monkeypatch.setattr(hook_commands, "start_file", lambda: str(path))


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    """Let rules in this process take longer than an agent would wait, because the machine may be busy."""
    monkeypatch.setattr(rule_scripts.watchdog, "RUN_SECONDS", 60)
