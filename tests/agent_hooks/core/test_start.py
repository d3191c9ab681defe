"""What a hook loads before it knows that it has nothing to say."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agent_hooks.core.processes import PATIENT, Agent

ALLOWED = {
    "harnlite",
    "harnlite.digests",
    "harnlite.known_keys",
    "harnlite.version",
}
FORBIDDEN = {
    "re",
    "json",
    "pathlib",
    "typing",
    "enum",
    "dataclasses",
    "functools",
    "collections",
    "sqlite3",
    "_sqlite3",
}
START = Path(__file__).parents[3] / "harnlite" / "agent_hooks" / "start.py"


def test_a_quiet_call_loads_no_rules(tmp_path):
    agent = Agent(tmp_path, 'register_session_hook("session_idle", { ctx -> nil })')
    agent.say("UserPromptSubmit")
    seen = tmp_path / "modules"
    write = f"import sys; open({str(seen)!r}, 'w').write(repr(sorted(sys.modules)))"
    hook = f"old = append\nappend = lambda entry: [old(entry), exec({write!r})]"
    agent.change = f"{PATIENT},harnlite.agent_hooks.hook_process:exec(bytes.fromhex('{hook.encode().hex()}'))"

    for native in ("UserPromptSubmit", "PostToolUse", "Notification"):
        seen.unlink(missing_ok=True)
        assert agent.say(native) == ""
        modules = set(ast.literal_eval(seen.read_text()))
        if native == "Notification":
            # The rules run in a child process: the parent stays small.
            assert agent.log()[-1]["outcome"] == "silent"
        ours = {name for name in modules if name.startswith("harnlite")} - ALLOWED
        assert {name for name in ours if not name.startswith("harnlite.agent_hooks")} == set()
        assert {name for name in ours if "rule_runs" in name or "session_" in name} == set()
        assert modules & FORBIDDEN == set()


def test_the_file_of_agents_ends_well_without_arguments_and_outside_of_a_project(tmp_path):
    environment = {"HARNLITE_STATE_DIR": str(tmp_path), "HOME": str(tmp_path)}
    for flags in (["-I", "-S"], ["-I"], []):
        command = [sys.executable, *flags, str(START), "hook", "--agent", "nobody", "Stop"]
        done = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment, timeout=60, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    lines = (tmp_path / "hook.log").read_text().splitlines()
    assert len(lines) == 3


def test_the_command_of_harnlite_answers_agents_too(tmp_path):
    environment = {**os.environ, "HARNLITE_STATE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "harnlite", "hook", "--agent", "nobody", "Stop"]
    done = subprocess.run(command, capture_output=True, env=environment, timeout=60, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "nobody" in (tmp_path / "hook.log").read_text()


@pytest.mark.parametrize(("agent", "empty"), [("cursor", b"{}"), ("cline", b'{"cancel":false}'), ("codex", b"")])
@pytest.mark.parametrize("options", [["--bogus", "x"], ["--script"], ["a", "b"]], ids=" ".join)
def test_wrong_options_give_the_empty_answer_of_the_agent(tmp_path, agent, empty, options):
    environment = {"HARNLITE_STATE_DIR": str(tmp_path), "HOME": str(tmp_path)}
    command = [sys.executable, "-I", "-S", str(START), "hook", "--agent", agent, *options]
    done = subprocess.run(
        command, input=b"{}", capture_output=True, cwd=tmp_path, env=environment, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, empty, b"")
    assert '"outcome":"error"' in (tmp_path / "hook.log").read_text()
