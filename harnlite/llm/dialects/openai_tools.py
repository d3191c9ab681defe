"""Tools and the choice among them, in the form of the API of OpenAI and of compatible hosts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.dialects.openai_options import Notes

    Tool = dict[str, Any]

_MODES = {"auto": "auto", "none": "none", "required": "required", "any": "required"}


def functions_of(request: ChatRequest, notes: Notes) -> list[Tool]:
    """Return the tools as `{name, description, parameters}`, without the fields that are ours or another vendor's."""
    found: list[Tool] = []
    for tool in request.tools or ():
        function = _function(tool)
        if function is None:
            notes.add(f"tool '{tool.get('name') or tool.get('type')}' is not sent to {request.provider}")
            continue
        if tool.get("defer_loading"):
            notes.add(f"'defer_loading' of tools is not sent to {request.provider}")
        found.append(function)
    return found


def _function(tool: Mapping[str, Any]) -> Tool | None:
    kind = tool.get("type")
    described = tool.get("function") if kind == "function" else tool
    if not isinstance(described, dict) or not isinstance(described.get("name"), str):
        return None
    parameters = described.get("parameters", described.get("input_schema"))
    if not isinstance(parameters, dict):
        if kind != "function":
            return None
        parameters = {"type": "object", "properties": {}}
    return {
        "name": described["name"],
        "description": described.get("description") or "",
        "parameters": parameters,
    }


def choice_of(request: ChatRequest, tools: list[Tool], notes: Notes) -> str | None:
    """Return `auto`, `none` or `required`, or `=NAME` for the choice of one tool; None if there is no choice."""
    wanted = request.tool_choice
    if wanted is None:
        return None
    if not tools:
        notes.unsent("tool_choice", "the request offers no tools")
        return None
    if isinstance(wanted, dict):
        function = wanted.get("function")
        named = function.get("name") if isinstance(function, dict) else wanted.get("name")
        if not isinstance(named, str):
            kind = wanted.get("type")
            return _MODES.get(kind) if isinstance(kind, str) else None
    else:
        named = str(wanted)
        if named in _MODES:
            return _MODES[named]
    return f"={named}"
