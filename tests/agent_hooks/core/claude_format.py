"""A small format of Claude Code, for tests of what is the same for all agents."""

from __future__ import annotations

from harnlite.agent_hooks.calls import agent_calls
from harnlite.agent_hooks.calls.agent_calls import AgentCall, Answer, Budget, Speech, ToolUse
from harnlite.agent_hooks.calls.json_text import written
from harnlite.agent_hooks.formats.format import Format

KINDS = {
    "Read": agent_calls.READ,
    "Edit": agent_calls.EDIT,
    "Write": agent_calls.EDIT,
    "Bash": agent_calls.SHELL,
}

EVENTS = {
    "SessionStart": agent_calls.SESSION_START,
    "UserPromptSubmit": agent_calls.USER_PROMPT,
    "PreToolUse": agent_calls.PRE_TOOL_USE,
    "PostToolUse": agent_calls.POST_TOOL_USE,
    "PostToolBatch": agent_calls.POST_TOOL_USE,
    "PreCompact": agent_calls.PRE_COMPACT,
    "PostCompact": agent_calls.POST_COMPACT,
    "Notification": agent_calls.SESSION_IDLE,
    "Stop": agent_calls.STOP,
    "SubagentStart": agent_calls.SUBAGENT_START,
    "SubagentStop": agent_calls.SUBAGENT_STOP,
    "FileChanged": agent_calls.FILE_EDITED,
    "SessionEnd": agent_calls.SESSION_END,
}


class ClaudeFormat(Format):
    """The events of Claude Code that the tests use."""

    name = "claude-code"
    events = EVENTS
    speaking = frozenset(
        {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "SubagentStart"}
    )
    denying = frozenset({"PreToolUse", "UserPromptSubmit", "PreCompact"})
    continuing = frozenset({"Stop", "SubagentStop"})
    changing = frozenset({"PreToolUse"})

    def read(self, data, native, _env):
        """Return a call in the terms of harnlite."""
        call = AgentCall(self.name, native, self.events.get(native, ""), data)
        names = {"session": "session_id", "actor": "agent_id", "turn_id": "prompt_id"}
        same = ("cwd", "message", "model", "parent", "prompt", "source", "task")
        for name, key in {**names, **dict(zip(same, same, strict=True))}.items():
            value = data.get(key)
            setattr(call, name, value if isinstance(value, str) else "")
        call.is_user_prompt = call.event == agent_calls.USER_PROMPT
        call.is_continuing = data.get("stop_hook_active") is True
        if call.event == agent_calls.SESSION_START and call.source == "compact":
            call.event = agent_calls.POST_COMPACT
        if "file_path" in data:
            call.paths = [data["file_path"]]
        calls = data.get("tool_calls")
        for one in calls if isinstance(calls, list) else [data] if "tool_name" in data else []:
            call.tools.append(_tool(one))
        if isinstance(data.get("context_tokens"), int):
            call.budget = Budget(data["context_tokens"], data.get("context_window", 200_000))
        return call

    def answer(self, call: AgentCall, speech: Speech) -> Answer:
        """Return the answer of the event."""
        output = {"hookEventName": call.native}
        if speech.go_on is not None or (speech.deny is not None and call.event != agent_calls.PRE_TOOL_USE):
            return Answer(written({"decision": "block", "reason": speech.go_on or speech.deny}))
        if speech.deny is not None:
            output |= {"permissionDecision": "deny", "permissionDecisionReason": speech.deny}
        if speech.context:
            output["additionalContext"] = speech.context
        if speech.arguments is not None:
            output["updatedInput"] = speech.arguments
        return Answer(written({"hookSpecificOutput": output}))


def _tool(data):
    arguments = data.get("tool_input")
    arguments = arguments if isinstance(arguments, dict) else {}
    tool = ToolUse(str(data.get("tool_name", "")), arguments, str(data.get("tool_use_id", "")))
    tool.kind = KINDS.get(tool.name, agent_calls.OTHER)
    if isinstance(arguments.get("file_path"), str):
        tool.paths = [arguments["file_path"]]
    tool.command = str(arguments.get("command", ""))
    response = data.get("tool_response")
    tool.result = response if isinstance(response, str) else ""
    tool.error = str(data.get("error", ""))
    tool.is_truncated = data.get("truncated") is True
    tool.size = data.get("size", 0)
    return tool


FORMAT = ClaudeFormat()
