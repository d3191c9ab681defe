"""The format of Factory Droid."""

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
        "Notification",
        "Stop",
        "SubagentStop",
        "SessionEnd",
    )
}
_FIELDS = {
    "session": ("sessionId", "session_id"),
    "actor": ("agentId", "agent_id"),
    "actor_type": ("agentType", "agent_type"),
    "cwd": ("cwd",),
    "transcript": ("transcriptPath", "transcript_path"),
    "model": ("model",),
    "turn_id": ("promptId", "prompt_id"),
}


class FactoryFormat(ClaudeLikeFormat):
    """Factory Droid: the names of the general fields are in camelCase, and a tool call hears only a refusal."""

    name = "factory"
    events = _EVENTS
    event_fields = ("hookEventName", "hook_event_name")
    speaking = frozenset(("SessionStart", "UserPromptSubmit", "PostToolUse"))
    fields = _FIELDS
    tool_name = ("tool_name", "toolName")
    tool_arguments = ("tool_input", "toolInput")
    tool_id = ("tool_use_id", "toolUseId")
    tool_response = ("tool_response", "toolResponse")
    continuing_fields = ("stopHookActive", "stop_hook_active")
    notification_fields = ("notificationType", "notification_type")
    folder_variables = ("FACTORY_PROJECT_DIR", "CLAUDE_PROJECT_DIR")
    limit = (0, 0, 0)


FORMAT = FactoryFormat()
