"""The format of Cursor."""

from __future__ import annotations

from harnlite.agent_hooks.calls.agent_calls import (
    FILE_EDITED,
    POST_TOOL_USE,
    PRE_COMPACT,
    PRE_TOOL_USE,
    SESSION_END,
    SESSION_START,
    STOP,
    SUBAGENT_START,
    SUBAGENT_STOP,
    USER_PROMPT,
    Budget,
)
from harnlite.agent_hooks.calls.json_text import well_formed
from harnlite.agent_hooks.formats.fields import number_of
from harnlite.agent_hooks.formats.table_format import TableFormat, json_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent_hooks.calls.agent_calls import AgentCall, Answer

_EVENTS = {
    "sessionStart": SESSION_START,
    "beforeSubmitPrompt": USER_PROMPT,
    "preToolUse": PRE_TOOL_USE,
    "postToolUse": POST_TOOL_USE,
    "postToolUseFailure": POST_TOOL_USE,
    "preCompact": PRE_COMPACT,
    "stop": STOP,
    "subagentStart": SUBAGENT_START,
    "subagentStop": SUBAGENT_STOP,
    "afterFileEdit": FILE_EDITED,
    "sessionEnd": SESSION_END,
}
_ALIASES = {
    "SessionStart": "sessionStart",
    "UserPromptSubmit": "beforeSubmitPrompt",
    "PreToolUse": "preToolUse",
    "PostToolUse": "postToolUse",
    "PostToolUseFailure": "postToolUseFailure",
    "PreCompact": "preCompact",
    "Stop": "stop",
    "SubagentStart": "subagentStart",
    "SubagentStop": "subagentStop",
    "SessionEnd": "sessionEnd",
}
"""The names of events in the settings of Claude Code, which Cursor imports."""
_FIELDS: dict[str, tuple[str, ...]] = {
    "session": ("conversation_id", "session_id"),
    "cwd": ("cwd",),
    "transcript": ("transcript_path",),
    "model": ("model",),
    "turn_id": ("generation_id",),
}
_EVENT_TEXTS: dict[str, dict[str, tuple[str, ...]]] = {
    SESSION_START: {"source": ("source",)},
    USER_PROMPT: {"prompt": ("prompt",)},
    PRE_COMPACT: {"source": ("trigger",)},
    SUBAGENT_START: {"actor": ("subagent_id",), "actor_type": ("subagent_type",), "task": ("task",)},
    SUBAGENT_STOP: {"actor": ("subagent_id",), "actor_type": ("subagent_type",), "message": ("summary", "result")},
}
_WITH_PARENT = frozenset((SUBAGENT_START, SUBAGENT_STOP))


class CursorFormat(TableFormat):
    """Cursor: an empty object if there is nothing to say."""

    name = "cursor"
    events = _EVENTS
    aliases = _ALIASES
    speaking = frozenset(("sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure"))
    denying = frozenset(("preToolUse", "beforeSubmitPrompt"))
    continuing = frozenset(("stop", "subagentStop"))
    changing = frozenset(("preToolUse",))
    empty = "{}"
    limit = (0, 0, 0)
    fields = _FIELDS
    event_texts = _EVENT_TEXTS
    tool_response = ("tool_output", "tool_response")
    folder_variables = ("CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR")

    def finish(self, call: AgentCall, env: Mapping[str, str]) -> None:
        """Set the budget, the session of a sub-agent, and whether the agent works because of a hook."""
        data = call.data
        if call.event in {STOP, SUBAGENT_STOP}:
            call.is_continuing = number_of(data, ("loop_count",)) > 0
        if call.event in _WITH_PARENT:
            parent = data.get("parent_conversation_id")
            call.session = well_formed(parent) if isinstance(parent, str) and parent else call.session
        if call.event == SESSION_START and not call.source:
            call.source = "startup"
        call.transcript = call.transcript or well_formed(env.get("CURSOR_TRANSCRIPT_PATH", ""))
        call.budget = _budget(data)

    def denial(self, call: AgentCall, reason: str, context: str) -> Answer:  # noqa: ARG002 - the interface
        """Return the refusal of a tool call or of a prompt."""
        if call.event == USER_PROMPT:
            return json_answer({"continue": False, "user_message": reason})
        return json_answer({"permission": "deny", "agent_message": reason})

    def continuation(self, reason: str) -> Answer:
        """Return the request that the agent continue."""
        return json_answer({"followup_message": reason})

    def statement(self, call: AgentCall, context: str, arguments: dict[str, object] | None) -> Answer:  # noqa: ARG002 - the interface
        """Return text for the model, or changed arguments of the tool, or both."""
        output: dict[str, object] = {} if arguments is None else {"updated_input": arguments}
        if context:
            output["additional_context"] = context
        return json_answer(output)


def _budget(data: dict[str, object]) -> Budget | None:
    window = int(number_of(data, ("context_window_size",)))
    used = number_of(data, ("context_tokens",)) or number_of(data, ("context_usage_percent",)) * window / 100
    return Budget(int(used), window) if used >= 1 else None


FORMAT = CursorFormat()
