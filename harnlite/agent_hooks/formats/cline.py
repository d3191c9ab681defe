"""The format of Cline, whose payload has one object named after the event."""

from __future__ import annotations

from harnlite.agent_hooks.calls.agent_calls import (
    POST_TOOL_USE,
    PRE_COMPACT,
    PRE_TOOL_USE,
    SESSION_END,
    SESSION_START,
    STOP,
    USER_PROMPT,
    Budget,
)
from harnlite.agent_hooks.formats.fields import number_of, object_of, text_of
from harnlite.agent_hooks.formats.table_format import TableFormat, json_answer
from harnlite.agent_hooks.formats.tool_fields import read_result, tool_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent_hooks.calls.agent_calls import AgentCall, Answer, ToolUse

_EVENTS = {
    "TaskStart": SESSION_START,
    "TaskResume": SESSION_START,
    "UserPromptSubmit": USER_PROMPT,
    "PreToolUse": PRE_TOOL_USE,
    "PostToolUse": POST_TOOL_USE,
    "PreCompact": PRE_COMPACT,
    "TaskComplete": STOP,
    "TaskCancel": SESSION_END,
}
_SOURCES = {"TaskStart": "startup", "TaskResume": "resume"}
_FIELDS: dict[str, tuple[str, ...]] = {"session": ("taskId",), "cwd": ("cwd",)}


class ClineFormat(TableFormat):
    """Cline: each answer says whether the event is cancelled."""

    name = "cline"
    events = _EVENTS
    event_fields = ("hookName", "hook_event_name")
    speaking = frozenset(("TaskStart", "TaskResume", "UserPromptSubmit", "PreToolUse", "PostToolUse"))
    denying = frozenset(("PreToolUse", "UserPromptSubmit"))
    empty = '{"cancel":false}'
    limit = (0, 0, 51_200)
    fields = _FIELDS
    folders = ("workspaceRoots",)

    def finish(self, call: AgentCall, env: Mapping[str, str]) -> None:  # noqa: ARG002 - the interface
        """Set what stands in the object of the event."""
        details = _details(call)
        if call.event == USER_PROMPT:
            call.prompt = text_of(details, ("prompt",))
        elif call.event == SESSION_START:
            call.source = _SOURCES[call.native]
        elif call.event == PRE_COMPACT:
            call.source = "auto"
            used = int(number_of(details, ("contextSize",)))
            call.budget = Budget(used, int(number_of(details, ("contextWindow", "maxContextSize")))) if used else None
        elif call.event == STOP:
            call.message = text_of(object_of(details.get("taskMetadata")), ("result",)) or text_of(details, ("result",))
        call.model = call.model or text_of(object_of(call.data.get("model")), ("slug", "id"))

    def tools_of(self, call: AgentCall) -> list[ToolUse]:
        """Return the call of the tool in the object of the event."""
        details = _details(call)
        use = tool_use(text_of(details, ("toolName", "tool")), details.get("parameters"))
        if call.event == POST_TOOL_USE:
            read_result(use, details.get("result"))
            if details.get("success") is False:
                use.error = use.error or use.result or "error"
        return [use] if use.name else []

    def denial(self, call: AgentCall, reason: str, context: str) -> Answer:  # noqa: ARG002 - the interface
        """Return the refusal of a tool call or of a prompt."""
        return json_answer({"cancel": True, "errorMessage": reason})

    def statement(self, call: AgentCall, context: str, arguments: dict[str, object] | None) -> Answer:  # noqa: ARG002 - the interface
        """Return text for the model."""
        return json_answer({"cancel": False, "contextModification": context})


def _details(call: AgentCall) -> dict[str, object]:
    """Return the object of the event, such as `preToolUse`."""
    return object_of(call.data.get(call.native[:1].lower() + call.native[1:]))


FORMAT = ClineFormat()
