"""The tools of a request in one neutral form, whichever provider's format they were written in."""

from __future__ import annotations

from harnlite.llm.dialects.tool_names import wire_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.dialects.parameters import Parameters

    Fields = dict[str, Any]

AUTO, NONE, REQUIRED = "auto", "none", "required"
_MODES = {"auto": AUTO, "none": NONE, "required": REQUIRED, "any": REQUIRED, "function": REQUIRED, "tool": REQUIRED}


class Function:
    """A tool that a model may call. `native` is a tool that the provider runs, as the provider describes it."""

    __slots__ = ("deferred", "description", "name", "native", "schema")

    def __init__(self, tool: Fields) -> None:
        function = tool.get("function")
        fields = function if isinstance(function, dict) else tool
        schema = fields.get("input_schema", fields.get("parameters"))
        name, description = fields.get("name"), fields.get("description")
        self.name: str = wire_name(name) if isinstance(name, str) else ""
        self.description: str = description if isinstance(description, str) else ""
        self.schema: Fields = schema if isinstance(schema, dict) else {"type": "object", "properties": {}}
        self.deferred = tool.get("defer_loading") is True
        self.native: Fields | None = tool if schema is None and function is None and "type" in tool else None


def functions_of(request: ChatRequest) -> list[Function]:
    """Return the tools of a request."""
    return [Function(tool) for tool in request.tools or ()]


def callable_functions(request: ChatRequest, parameters: Parameters) -> list[Function]:
    """Return the tools of a request without those that another provider runs."""
    found = functions_of(request)
    for function in found:
        if function.native is not None:
            parameters.note(f"tool '{function.native.get('type')}' is not sent to {request.provider}")
    return [function for function in found if function.native is None]


def choice_of(request: ChatRequest) -> tuple[str | None, str | None]:
    """Return which tools the model must call: `auto`, `none`, `required` or None, and the name of one tool or None."""
    value = request.tool_choice
    if isinstance(value, str):
        return (_MODES[value], None) if value in ("auto", "none", "required", "any") else (REQUIRED, wire_name(value))
    if not isinstance(value, dict):
        return None, None
    function = value.get("function")
    name = function.get("name") if isinstance(function, dict) else value.get("name")
    if isinstance(name, str) and name:
        return REQUIRED, wire_name(name)
    mode = value.get("type", value.get("mode"))
    return (_MODES.get(mode) if isinstance(mode, str) else None), None
