"""The format of Antigravity CLI."""

from __future__ import annotations

from harnlite.agent_hooks.calls.agent_calls import POST_TOOL_USE, PRE_TOOL_USE, STOP, USER_PROMPT
from harnlite.agent_hooks.formats.fields import object_of, text_of
from harnlite.agent_hooks.formats.table_format import TableFormat, json_answer
from harnlite.agent_hooks.formats.tool_fields import read_result, tool_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent_hooks.calls.agent_calls import AgentCall, Answer, ToolUse

_EVENTS = {
    "PreInvocation": USER_PROMPT,
    "PreToolUse": PRE_TOOL_USE,
    "PostToolUse": POST_TOOL_USE,
    "Stop": STOP,
}
_FIELDS: dict[str, tuple[str, ...]] = {
    "session": ("conversationId",),
    "cwd": ("cwd",),
    "transcript": ("transcriptPath",),
    "model": ("model",),
}
_EVENT_TEXTS: dict[str, dict[str, tuple[str, ...]]] = {USER_PROMPT: {"prompt": ("prompt", "userPrompt")}}


class AntigravityFormat(TableFormat):
    """Antigravity: text is injected before a call of the model, which need not follow a prompt of the user."""

    name = "antigravity"
    events = _EVENTS
    event_fields = ("hookEventName", "hook_event_name")
    speaking = frozenset(("PreInvocation",))
    denying = frozenset(("PreToolUse",))
    continuing = frozenset(("Stop",))
    limit = (0, 0, 0)
    fields = _FIELDS
    event_texts = _EVENT_TEXTS
    folders = ("workspacePaths",)

    def finish(self, call: AgentCall, env: Mapping[str, str]) -> None:  # noqa: ARG002 - the interface
        """Set whether a call of the model is the first after a prompt."""
        if call.event == USER_PROMPT:
            count = call.data.get("invocationNum", call.data.get("stepIdx"))
            call.is_user_prompt = not isinstance(count, bool) and count == 0

    def tools_of(self, call: AgentCall) -> list[ToolUse]:
        """Return the call of the tool."""
        tool = object_of(call.data.get("toolCall"))
        use = tool_use(text_of(tool, ("name",)), tool.get("args"), text_of(tool, ("id",)))
        if call.event == POST_TOOL_USE:
            read_result(use, call.data.get("toolResult"), call.data.get("error"))
        return [use] if use.name else []

    def denial(self, call: AgentCall, reason: str, context: str) -> Answer:  # noqa: ARG002 - the interface
        """Return the refusal of a tool call."""
        return json_answer({"decision": "deny", "reason": reason})

    def continuation(self, reason: str) -> Answer:
        """Return the request that the agent continue."""
        return json_answer({"decision": "continue", "reason": reason})

    def statement(self, call: AgentCall, context: str, arguments: dict[str, object] | None) -> Answer:  # noqa: ARG002 - the interface
        """Return text for the model."""
        return json_answer({"injectSteps": [{"ephemeralMessage": context}]})


FORMAT = AntigravityFormat()
