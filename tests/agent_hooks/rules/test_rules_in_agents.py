"""The starter rules with the payloads of all agents: their names of tools, their fields, and what they can be told."""

import json
from pathlib import Path

import pytest

from harnlite.agent_hooks.formats.table import FORMATS, format_of
from harnlite.agent_hooks.rule_runs import respond
from harnlite.agent_hooks.rule_sets import RuleSet
from harnlite.agent_hooks.session_state import SessionState
from harnlite.agent_hooks.starter_rules import STARTER_RULES, allowed_to
from tests.agent_hooks.core.sessions import StepClock

SAMPLES = Path(__file__).parents[1] / "formats" / "samples"
ENGINE = {"sandbox": True, "allow": tuple(allowed_to(STARTER_RULES))}
SECRET = "ghp_" + "aB3" * 12
FAILURE = "F\n1 failed, 4 passed in 0.1s"


class Session:
    """A session of an agent that writes what the tests give."""

    def __init__(self, agent, *names):
        self.form = format_of(agent)
        self.rules = RuleSet(names=names, engine=ENGINE)
        self.state = SessionState()
        self.clock = StepClock()

    def reply(self, native, data, env=None):
        self.clock.time += 60
        call = self.form.read(data, native, env or {})
        reply = respond(self.rules, call, self.state, form=self.form, clock=self.clock)
        assert not reply.error, (native, reply.error)
        return reply


def snake(name, arguments, result=None):
    found = {"session_id": "s", "cwd": "/p", "tool_name": name, "tool_input": arguments, "tool_use_id": f"t{result}"}
    return found if result is None else {**found, "tool_response": result}


def copilot(name, arguments, result=None):
    found = {"sessionId": "s", "timestamp": 1, "cwd": "/p", "toolName": name, "toolArgs": json.dumps(arguments)}
    return found if result is None else {**found, "toolResult": {"resultType": "success", "textResultForLlm": result}}


def cursor(name, arguments, result=None):
    found = {"conversation_id": "s", "generation_id": "g", "cursor_version": "1", "workspace_roots": ["/p"]}
    found |= {"tool_name": name, "tool_input": arguments, "tool_use_id": f"t{result}"}
    return found if result is None else {**found, "tool_output": result}


def factory(name, arguments, result=None):
    found = {"sessionId": "s", "cwd": "/p", "tool_name": name, "tool_input": arguments}
    return found if result is None else {**found, "tool_response": result}


def cline(name, arguments, result=None):
    about = {"toolName": name, "parameters": arguments}
    found = {"clineVersion": "3", "taskId": "s", "workspaceRoots": ["/p"]}
    if result is None:
        return {**found, "hookName": "PreToolUse", "preToolUse": about}
    return {**found, "hookName": "PostToolUse", "postToolUse": {**about, "result": result, "success": True}}


def opencode(name, arguments, result=None):
    sample = "tool.execute.before" if result is None else "tool.execute.after"
    given = json.loads((SAMPLES / "opencode" / f"{sample}.json").read_text())["stdin"]
    fields = {"tool_name": name, "tool_input": arguments, "tool": name, "args": arguments}
    found = {**given, **{key: value for key, value in fields.items() if key in given}}
    return (
        found if result is None else {**found, **{key: result for key in ("tool_response", "output") if key in given}}
    )


AGENTS = {
    "claude-code": (snake, "PreToolUse", "PostToolUse", "Bash", "Write", {"file_path": "a", "content": SECRET}),
    "codex": (snake, "PreToolUse", "PostToolUse", "Bash", "apply_patch", {"command": f"*** Begin Patch\n+{SECRET}"}),
    "gemini": (snake, "BeforeTool", "AfterTool", "run_shell_command", "write_file", {"content": SECRET}),
    "qwen": (snake, "PreToolUse", "PostToolUse", "run_shell_command", "edit", {"new_string": SECRET}),
    "copilot": (copilot, "preToolUse", "postToolUse", "bash", "create", {"path": "a", "file_text": SECRET}),
    "cursor": (cursor, "preToolUse", "postToolUse", "Shell", "Write", {"file_path": "a", "contents": SECRET}),
    "factory": (factory, "PreToolUse", "PostToolUse", "Execute", "Create", {"file_path": "a", "content": SECRET}),
    "cline": (cline, "PreToolUse", "PostToolUse", "execute_command", "write_to_file", {"path": "a", "content": SECRET}),
    "opencode": (
        *(opencode, "tool.execute.before", "tool.execute.after", "bash", "write"),
        {"filePath": "a", "content": SECRET},
    ),
}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_failed_test_run_is_told_after_the_tool(agent):
    payload, _, after, shell, _, _ = AGENTS[agent]
    session = Session(agent, "tests-fail")
    text = session.reply(after, payload(shell, {"command": "pytest -q"}, FAILURE)).speech.context
    assert text.startswith("The last test run failed: pytest -q\n1 failed, 4 passed in 0.1s")


@pytest.mark.parametrize("agent", AGENTS)
def test_a_secret_is_refused_in_the_edits_of_the_agent(agent):
    payload, before, _, _, edit, arguments = AGENTS[agent]
    session = Session(agent, "secrets")
    reply = session.reply(before, payload(edit, arguments))
    assert (reply.speech.deny or "").startswith("The call contains what looks like a token of GitHub."), agent
    assert (
        "token of GitHub"
        in session.form.answer(session.form.read(payload(edit, arguments), before, {}), reply.speech).stdout
    )


@pytest.mark.parametrize("agent", AGENTS)
def test_an_unread_file_is_mentioned_before_the_edit_or_after_the_tool(agent):
    payload, before, after, _, edit, arguments = AGENTS[agent]
    session = Session(agent, "read-before-edit")
    if agent == "codex":
        arguments = {"command": "*** Begin Patch\n*** Update File: a\n+x\n*** End Patch"}
    elif "path" not in arguments and "filePath" not in arguments:
        arguments = {**arguments, "file_path": "a"}
    session.rules = RuleSet(names=("read-before-edit",), engine={"sandbox": True})  # which files exist is unknown
    texts = [
        session.reply(before, payload(edit, arguments)).speech.context,
        session.reply(after, payload(edit, arguments, "ok")).speech.context,
        session.reply(before, payload(edit, arguments)).speech.context,
    ]
    expected = "a has not been read in this session before the edit."
    assert [text.startswith(expected) for text in texts].count(True) == 1
    assert not texts[2]


@pytest.mark.parametrize("agent", FORMATS)
def test_no_rule_fails_with_any_sample(agent, tmp_path):
    session = Session(agent, *STARTER_RULES)
    samples = sorted((SAMPLES / agent).glob("*.json"))
    assert samples
    for path in samples:
        sample = json.loads(path.read_text())
        session.reply(sample["native"], sample["stdin"], sample.get("env"))
