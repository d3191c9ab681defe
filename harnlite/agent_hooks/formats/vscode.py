"""The format of the local agent of VS Code, which runs the hooks of Copilot CLI and of Claude Code."""

from __future__ import annotations

from harnlite.agent_hooks.formats.claude_like import ClaudeLikeFormat

_EVENTS = {
    native: ClaudeLikeFormat.events[native]
    for native in (
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PreCompact",
        "Stop",
        "SubagentStart",
        "SubagentStop",
    )
}


class VSCodeFormat(ClaudeLikeFormat):
    """VS Code: the session and the event have names in camelCase, and the answers are those of Claude Code."""

    name = "vscode"
    events = _EVENTS
    event_fields = ("hookEventName", "hook_event_name")
    speaking = frozenset(("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"))
    fields = {**ClaudeLikeFormat.fields, "session": ("sessionId", "session_id")}  # noqa: RUF012 -- never changed
    limit = (0, 0, 0)


FORMAT = VSCodeFormat()
