"""The agent that calls is found from its payload, then from its environment, then from the command."""

import pytest

from harnlite.agent_hooks.formats.callers import caller_of
from harnlite.agent_hooks.formats.table import FORMATS
from tests.agent_hooks.formats.hook_samples import SAMPLES, agent_of

CLAUDE = {"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": "/"}
TIMED = {**CLAUDE, "timestamp": "2026-11-20T10:00:00Z"}
CODEX_START = {**CLAUDE, "hook_event_name": "SessionStart", "model": "gpt-5.5", "permission_mode": "default"}
QWEN_ENV = {"QWEN_PROJECT_DIR": "/p", "GEMINI_SESSION_ID": "s"}
GEMINI_ENV = {"GEMINI_SESSION_ID": "s"}
CASES = [
    # payload, environment, --agent, caller
    (CLAUDE, {}, "claude-code", "claude-code"),
    (CLAUDE, {}, "gemini", "claude-code"),
    (CLAUDE, {}, "cursor", "claude-code"),
    (CLAUDE, {}, "kimi", "kimi"),
    (CLAUDE, {}, "codebuddy", "codebuddy"),
    (CLAUDE, {}, "codex", "claude-code"),
    (CLAUDE, {"CURSOR_VERSION": "3"}, "claude-code", "claude-code"),
    (CLAUDE, QWEN_ENV, "claude-code", "claude-code"),
    ({**CLAUDE, "turn_id": "t", "model": "m"}, {}, "claude-code", "codex"),
    (CODEX_START, {}, "codex", "codex"),
    (CODEX_START, {}, "claude-code", "claude-code"),
    ({**CLAUDE, "hook_event_name": "SessionEnd"}, {}, "codex", "codex"),
    ({**CLAUDE, "conversation_id": "c", "generation_id": "g"}, {}, "claude-code", "cursor"),
    ({**CLAUDE, "cursor_version": "3"}, {}, "claude-code", "cursor"),
    (TIMED, QWEN_ENV, "claude-code", "qwen"),
    (TIMED, QWEN_ENV, "gemini", "gemini"),
    (TIMED, GEMINI_ENV, "claude-code", "gemini"),
    (TIMED, GEMINI_ENV, "tabnine", "tabnine"),
    (TIMED, {}, "qwen", "qwen"),
    (TIMED, {}, "claude-code", "claude-code"),
    ({**TIMED, "hook_event_name": "BeforeAgent"}, QWEN_ENV, "qwen", "gemini"),
    ({**TIMED, "hook_event_name": "AfterTool"}, {}, "claude-code", "gemini"),
    ({**TIMED, "tool_result": {}}, {}, "claude-code", "copilot"),
    ({"sessionId": "s", "timestamp": 1, "cwd": "/"}, {}, "claude-code", "copilot"),
    ({"sessionId": "s", "hookEventName": "Stop", "permissionMode": "off"}, {}, "claude-code", "factory"),
    ({"sessionId": "s", "hookEventName": "Stop", "transcript_path": "/t"}, {}, "claude-code", "vscode"),
    ({"sessionId": "s", "hookEventName": "Stop"}, {}, "factory", "factory"),
    ({"conversationId": "c", "workspacePaths": []}, {}, "gemini", "antigravity"),
    ({"agent_action_name": "pre_run_command"}, {}, "claude-code", "windsurf"),
    ({"hookName": "TaskStart"}, {}, "claude-code", "cline"),
    ({"clineVersion": "3"}, {}, "claude-code", "cline"),
    ({"event": "Stop", "matcher_context": ""}, {}, "claude-code", "goose"),
    ({"hook_event_name": "preToolUse", "cwd": "/"}, {}, "claude-code", "kiro"),
    ({"hook_event_name": "preToolUse", "cwd": "/", "session_id": "s"}, {}, "kiro", "kiro"),
    ({"agent": "opencode", "event": "chat.message"}, {}, "claude-code", "opencode"),
    ({}, {}, "codex", "codex"),
    ({}, {"CURSOR_VERSION": "3"}, "claude-code", "cursor"),
    ({}, QWEN_ENV, "claude-code", "qwen"),
    ({}, {"FACTORY_PROJECT_DIR": "/p"}, "claude-code", "factory"),
    ({}, {}, "", ""),
]


@pytest.mark.parametrize(("data", "env", "named", "caller"), CASES)
def test_the_caller(data, env, named, caller):
    assert caller_of(data, env, named) == caller


@pytest.mark.parametrize("named", FORMATS)
def test_a_wrong_name_in_the_command_does_not_hide_the_caller(named):
    loud = ("cursor", "cline", "opencode", "antigravity", "windsurf", "goose", "factory", "vscode")
    for name, sample in SAMPLES.items():
        if agent_of(name) in loud:
            assert caller_of(sample["stdin"], sample.get("env", {}), named) == agent_of(name)
