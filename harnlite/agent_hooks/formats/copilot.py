"""The format of Copilot CLI and of its cloud agent."""

from __future__ import annotations

from harnlite.agent_hooks.calls.agent_calls import (
    POST_TOOL_USE,
    PRE_COMPACT,
    PRE_TOOL_USE,
    SESSION_END,
    SESSION_IDLE,
    SESSION_START,
    STOP,
    SUBAGENT_START,
    SUBAGENT_STOP,
    USER_PROMPT,
)
from harnlite.agent_hooks.formats.fields import text_of
from harnlite.agent_hooks.formats.table_format import TableFormat, json_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent_hooks.calls.agent_calls import AgentCall, Answer

_EVENTS = {
    "sessionStart": SESSION_START,
    "userPromptSubmitted": USER_PROMPT,
    "preToolUse": PRE_TOOL_USE,
    "postToolUse": POST_TOOL_USE,
    "postToolUseFailure": POST_TOOL_USE,
    "preCompact": PRE_COMPACT,
    "notification": SESSION_IDLE,
    "agentStop": STOP,
    "subagentStart": SUBAGENT_START,
    "subagentStop": SUBAGENT_STOP,
    "sessionEnd": SESSION_END,
}
_ALIASES = {
    "SessionStart": "sessionStart",
    "UserPromptSubmit": "userPromptSubmitted",
    "UserPromptSubmitted": "userPromptSubmitted",
    "PreToolUse": "preToolUse",
    "PostToolUse": "postToolUse",
    "PostToolUseFailure": "postToolUseFailure",
    "PreCompact": "preCompact",
    "Notification": "notification",
    "Stop": "agentStop",
    "AgentStop": "agentStop",
    "SubagentStart": "subagentStart",
    "SubagentStop": "subagentStop",
    "SessionEnd": "sessionEnd",
}
"""The names under which an event gives a payload in snake_case."""
_FIELDS: dict[str, tuple[str, ...]] = {
    "session": ("sessionId", "session_id"),
    "cwd": ("cwd",),
    "transcript": ("transcriptPath", "transcript_path"),
    "model": ("model",),
}
_ACTOR = {"actor_type": ("agentName", "agent_name", "agent_type")}
_EVENT_TEXTS: dict[str, dict[str, tuple[str, ...]]] = {
    SESSION_START: {"source": ("source",)},
    USER_PROMPT: {"prompt": ("prompt",)},
    PRE_COMPACT: {"source": ("trigger",)},
    SESSION_IDLE: {"message": ("message",)},
    SUBAGENT_START: {
        **_ACTOR,
        "actor": ("agentId", "agent_id"),
        "task": ("task", "prompt", "agentDescription", "agent_description"),
    },
    SUBAGENT_STOP: {**_ACTOR, "actor": ("agentId", "agent_id")},
}


class CopilotFormat(TableFormat):
    """Copilot CLI: flat answers, the same for both forms of the payload; a prompt takes no text."""

    name = "copilot"
    events = _EVENTS
    aliases = _ALIASES
    event_fields = ("hook_event_name", "hookEventName")
    speaking = frozenset(("sessionStart", "postToolUse", "postToolUseFailure", "subagentStart", "notification"))
    denying = frozenset(("preToolUse",))
    continuing = frozenset(("agentStop", "subagentStop"))
    changing = frozenset(("preToolUse",))
    limit = (0, 0, 10_240)
    fields = _FIELDS
    event_texts = _EVENT_TEXTS
    tool_name = ("toolName", "tool_name")
    tool_arguments = ("toolArgs", "tool_input")
    tool_id = ("toolCallId", "tool_use_id", "toolUseId")
    tool_response = ("toolResult", "tool_result", "tool_response")
    continuing_fields = ("stop_hook_active", "stopHookActive")

    def finish(self, call: AgentCall, env: Mapping[str, str]) -> None:  # noqa: ARG002 - the interface
        """Set which notification means that the agent waits for the user."""
        kind = text_of(call.data, ("notification_type", "notificationType"))
        if call.event == SESSION_IDLE and kind not in {"agent_idle", "idle_prompt"}:
            call.event = ""

    def denial(self, call: AgentCall, reason: str, context: str) -> Answer:  # noqa: ARG002 - the interface
        """Return the refusal of a tool call."""
        return json_answer({"permissionDecision": "deny", "permissionDecisionReason": reason})

    def continuation(self, reason: str) -> Answer:
        """Return the request that the agent continue."""
        return json_answer({"decision": "block", "reason": reason})

    def statement(self, call: AgentCall, context: str, arguments: dict[str, object] | None) -> Answer:  # noqa: ARG002 - the interface
        """Return text for the model, or changed arguments of the tool."""
        return json_answer({"additionalContext": context} if arguments is None else {"modifiedArgs": arguments})


FORMAT = CopilotFormat()
