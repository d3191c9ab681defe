"""The protocol between the command and the plugin that harnlite installs in opencode."""

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
    SUBAGENT_START,
    USER_PROMPT,
    Budget,
)
from harnlite.agent_hooks.formats.fields import number_of, object_of, text_of
from harnlite.agent_hooks.formats.table_format import TableFormat, json_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent_hooks.calls.agent_calls import AgentCall, Answer

_EVENTS = {
    "session.created": SESSION_START,
    "chat.message": USER_PROMPT,
    "tool.execute.before": PRE_TOOL_USE,
    "tool.execute.after": POST_TOOL_USE,
    "experimental.session.compacting": PRE_COMPACT,
    "session.compacted": POST_COMPACT,
    "session.idle": SESSION_IDLE,
    "file.edited": FILE_EDITED,
    "session.deleted": SESSION_END,
}
_FIELDS: dict[str, tuple[str, ...]] = {
    "session": ("session_id",),
    "cwd": ("cwd",),
    "transcript": ("transcript_path",),
    "model": ("model",),
    "turn_id": ("message_id",),
}
_EVENT_TEXTS: dict[str, dict[str, tuple[str, ...]]] = {
    USER_PROMPT: {"prompt": ("prompt",)},
    SESSION_START: {"source": ("source",)},
    PRE_COMPACT: {"source": ("trigger",)},
    SESSION_IDLE: {"message": ("message",)},
}


class OpencodeFormat(TableFormat):
    """opencode: the plugin writes the name of the agent and of its event, and applies `context` or `deny`."""

    name = "opencode"
    events = _EVENTS
    event_fields = ("event",)
    speaking = frozenset(("chat.message", "tool.execute.after"))
    denying = frozenset(("tool.execute.before",))
    limit = (0, 0, 0)
    fields = _FIELDS
    event_texts = _EVENT_TEXTS
    tool_name = ("tool", "tool_name")
    tool_arguments = ("args", "tool_input")
    tool_id = ("call_id", "tool_use_id")
    tool_response = ("output", "tool_response")

    def finish(self, call: AgentCall, env: Mapping[str, str]) -> None:  # noqa: ARG002 - the interface
        """Set the session of a sub-agent and the budget."""
        parent = text_of(call.data, ("parent_id",))
        if parent:
            call.actor, call.session = call.session, parent
            call.event = SUBAGENT_START if call.event == SESSION_START else call.event
            call.actor_type = text_of(call.data, ("agent_type",))
            call.task = text_of(call.data, ("task", "title"))
        elif call.event == SESSION_START and not call.source:
            call.source = "startup"
        used = tokens_used(object_of(call.data.get("tokens")))
        if used:
            call.budget = Budget(used, int(number_of(call.data, ("window", "context_limit"))))

    def denial(self, call: AgentCall, reason: str, context: str) -> Answer:  # noqa: ARG002 - the interface
        """Return the refusal of a tool call."""
        return json_answer({"deny": reason})

    def statement(self, call: AgentCall, context: str, arguments: dict[str, object] | None) -> Answer:  # noqa: ARG002 - the interface
        """Return text for the model."""
        return json_answer({"context": context})


def tokens_used(tokens: dict[str, object]) -> int:
    """Return how many tokens an assistant's message and what it answers take up in the context."""
    cache = object_of(tokens.get("cache"))
    parts = [number_of(tokens, (name,)) for name in ("input", "output", "reasoning")]
    return int(sum(parts) + number_of(cache, ("read",)) + number_of(cache, ("write",)))


FORMAT = OpencodeFormat()
