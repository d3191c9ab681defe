"""The format of Goose."""

from __future__ import annotations

from harnlite.agent_hooks.calls.agent_calls import (
    POST_TOOL_USE,
    PRE_TOOL_USE,
    SESSION_END,
    SESSION_START,
    STOP,
    USER_PROMPT,
)
from harnlite.agent_hooks.formats.table_format import TableFormat, json_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.calls.agent_calls import AgentCall, Answer

_EVENTS = {
    "SessionStart": SESSION_START,
    "UserPromptSubmit": USER_PROMPT,
    "PreToolUse": PRE_TOOL_USE,
    "PostToolUse": POST_TOOL_USE,
    "PostToolUseFailure": POST_TOOL_USE,
    "Stop": STOP,
    "SessionEnd": SESSION_END,
}
_FIELDS: dict[str, tuple[str, ...]] = {"session": ("session_id",), "cwd": ("working_dir", "cwd")}
_EVENT_TEXTS: dict[str, dict[str, tuple[str, ...]]] = {
    SESSION_START: {"source": ("source",)},
    USER_PROMPT: {"prompt": ("prompt", "user_prompt", "matcher_context")},
    STOP: {"message": ("last_assistant_message",)},
}


class GooseFormat(TableFormat):
    """Goose: no event takes text; a tool call may be refused, and a stop may be."""

    name = "goose"
    events = _EVENTS
    event_fields = ("event", "hook_event_name")
    denying = frozenset(("PreToolUse",))
    continuing = frozenset(("Stop",))
    limit = (0, 0, 0)
    fields = _FIELDS
    event_texts = _EVENT_TEXTS
    tool_response = ("tool_output", "tool_response", "tool_result")

    def denial(self, call: AgentCall, reason: str, context: str) -> Answer:  # noqa: ARG002 - the interface
        """Return the refusal of a tool call."""
        return json_answer({"decision": "block", "reason": reason})

    def continuation(self, reason: str) -> Answer:
        """Return the request that the agent continue."""
        return json_answer({"decision": "block", "reason": reason})


FORMAT = GooseFormat()
