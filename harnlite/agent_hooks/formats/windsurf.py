"""The format of Windsurf."""

from __future__ import annotations

from harnlite.agent_hooks.calls.agent_calls import (
    EDIT,
    OTHER,
    POST_TOOL_USE,
    PRE_TOOL_USE,
    READ,
    SHELL,
    STOP,
    USER_PROMPT,
    Answer,
)
from harnlite.agent_hooks.formats.fields import object_of, text_of
from harnlite.agent_hooks.formats.table_format import TableFormat
from harnlite.agent_hooks.formats.tool_fields import read_result, tool_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent_hooks.calls.agent_calls import AgentCall, ToolUse

_KINDS = {"run_command": SHELL, "write_code": EDIT, "read_code": READ, "mcp_tool_use": OTHER}
_EVENTS = {
    "pre_user_prompt": USER_PROMPT,
    "post_cascade_response": STOP,
    **{f"pre_{name}": PRE_TOOL_USE for name in _KINDS},
    **{f"post_{name}": POST_TOOL_USE for name in _KINDS},
}
_FIELDS: dict[str, tuple[str, ...]] = {
    "session": ("trajectory_id",),
    "cwd": ("cwd",),
    "model": ("model_name", "model"),
    "turn_id": ("execution_id",),
}


class WindsurfFormat(TableFormat):
    """Windsurf: no event takes text, and a refusal is exit code 2."""

    name = "windsurf"
    events = _EVENTS
    event_fields = ("agent_action_name",)
    denying = frozenset(name for name in _EVENTS if name.startswith("pre_"))
    limit = (0, 0, 0)
    fields = _FIELDS

    def finish(self, call: AgentCall, env: Mapping[str, str]) -> None:  # noqa: ARG002 - the interface
        """Set what stands in the object of the event."""
        info = object_of(call.data.get("tool_info"))
        call.cwd = call.cwd or text_of(info, ("cwd",))
        if call.event == USER_PROMPT:
            call.prompt = text_of(info, ("user_prompt", "prompt"))
        elif call.event == STOP:
            call.message = text_of(info, ("response",))

    def tools_of(self, call: AgentCall) -> list[ToolUse]:
        """Return the call of the tool; Windsurf names it by its event."""
        info = object_of(call.data.get("tool_info"))
        action = call.native.partition("_")[2]
        named = text_of(info, ("mcp_tool_name",)) or action
        command = text_of(info, ("command_line",))
        use = tool_use(named, {"command": command, **info} if command else info)
        use.kind = _KINDS.get(action, use.kind)
        read_result(use, next((info[name] for name in ("mcp_result", "result", "output") if name in info), None))
        return [use]

    def denial(self, call: AgentCall, reason: str, context: str) -> Answer:  # noqa: ARG002 - the interface
        """Return the refusal of a tool call or of a prompt; Windsurf has no other form."""
        return Answer(status=2, stderr=reason)


FORMAT = WindsurfFormat()
