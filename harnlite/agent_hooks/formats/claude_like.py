"""The format of Claude Code and of the agents that have adopted it with changes of their own."""

from __future__ import annotations

from harnlite.agent_hooks.calls.agent_calls import (
    FILE_EDITED,
    POST_COMPACT,
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

_IDLE = frozenset(("idle_prompt", "agent_idle"))


_EVENTS = {
    "SessionStart": SESSION_START,
    "UserPromptSubmit": USER_PROMPT,
    "PreToolUse": PRE_TOOL_USE,
    "PostToolUse": POST_TOOL_USE,
    "PostToolUseFailure": POST_TOOL_USE,
    "PostToolBatch": POST_TOOL_USE,
    "PreCompact": PRE_COMPACT,
    "Notification": SESSION_IDLE,
    "Stop": STOP,
    "SubagentStart": SUBAGENT_START,
    "SubagentStop": SUBAGENT_STOP,
    "FileChanged": FILE_EDITED,
    "SessionEnd": SESSION_END,
}
_FIELDS: dict[str, tuple[str, ...]] = {
    "session": ("session_id",),
    "actor": ("agent_id",),
    "actor_type": ("agent_type",),
    "cwd": ("cwd",),
    "transcript": ("transcript_path",),
    "model": ("model",),
    "turn_id": ("prompt_id",),
}
_EVENT_TEXTS: dict[str, dict[str, tuple[str, ...]]] = {
    SESSION_START: {"source": ("source",)},
    USER_PROMPT: {"prompt": ("prompt",)},
    PRE_COMPACT: {"source": ("trigger",)},
    SESSION_IDLE: {"message": ("message",)},
    STOP: {"message": ("last_assistant_message",)},
    SUBAGENT_START: {"task": ("task", "prompt", "description")},
    SUBAGENT_STOP: {"message": ("last_assistant_message",)},
}


class ClaudeLikeFormat(TableFormat):
    """The events, the fields and the answers that Claude Code has introduced."""

    events = _EVENTS
    speaking = frozenset(
        (
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "PostToolBatch",
            "SubagentStart",
        )
    )
    denying = frozenset(("PreToolUse", "UserPromptSubmit"))
    continuing = frozenset(("Stop", "SubagentStop"))
    changing = frozenset(("PreToolUse",))
    fields = _FIELDS
    event_texts = _EVENT_TEXTS
    notification_fields: tuple[str, ...] = ("notification_type",)
    folder_variables: tuple[str, ...] = ("CLAUDE_PROJECT_DIR",)

    def finish(self, call: AgentCall, env: Mapping[str, str]) -> None:  # noqa: ARG002 - the interface
        """Set what the tables cannot express."""
        data = call.data
        if call.event == SESSION_START and call.source == "compact":
            call.event = POST_COMPACT
        elif call.event == SUBAGENT_STOP:
            call.transcript = text_of(data, ("agent_transcript_path", "agentTranscriptPath")) or call.transcript
        elif call.event == SESSION_IDLE and not _is_idle(text_of(data, self.notification_fields), call.message):
            call.event = ""

    def denial(self, call: AgentCall, reason: str, context: str) -> Answer:
        """Return the refusal of a tool call, or of a prompt or a compaction."""
        if call.event != PRE_TOOL_USE:
            return json_answer({"decision": "block", "reason": reason})
        output: dict[str, object] = {
            "hookEventName": call.native,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
        if context:
            output["additionalContext"] = context
        return json_answer({"hookSpecificOutput": output})

    def continuation(self, reason: str) -> Answer:
        """Return the request that the agent continue."""
        return json_answer({"decision": "block", "reason": reason})

    def statement(self, call: AgentCall, context: str, arguments: dict[str, object] | None) -> Answer:
        """Return text for the model, or changed arguments of the tool, or both."""
        output: dict[str, object] = {"hookEventName": call.native}
        if arguments is not None:
            output.update(self.changed(arguments))
        if context:
            output["additionalContext"] = context
        return json_answer({"hookSpecificOutput": output})

    def changed(self, arguments: dict[str, object]) -> dict[str, object]:
        """Return the part of the answer that changes the arguments; the user's permissions still apply to the call."""
        return {"updatedInput": arguments}


def _is_idle(kind: str, message: str) -> bool:
    """Return whether a notification means that the agent waits for the user; older versions have no kinds."""
    return kind in _IDLE or (not kind and "waiting for" in message)
