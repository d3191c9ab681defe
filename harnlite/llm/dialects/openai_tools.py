"""Tools and the choice among them, in the form of the API of OpenAI and of compatible hosts."""

from __future__ import annotations

from harnlite.llm.dialects import functions
from harnlite.llm.dialects.functions import REQUIRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.dialects.openai_options import Notes

    Tool = dict[str, Any]


def functions_of(request: ChatRequest, notes: Notes) -> list[Tool]:
    """Return the tools as `{name, description, parameters}`, without the fields that are ours or another vendor's."""
    found: list[Tool] = []
    for function in functions.functions_of(request):
        if function.native is not None or not function.name:
            notes.add(f"tool '{function.name}' is not sent to {request.provider}, which does not have it")
            continue
        if function.deferred:
            notes.add(f"'defer_loading' of tools is not sent to {request.provider}")
        found.append({"name": function.name, "description": function.description, "parameters": function.schema})
    return found


def choice_of(request: ChatRequest, tools: list[Tool], notes: Notes) -> tuple[str | None, str | None]:
    """Return which tools the model must call, `auto`, `none`, `required` or None, and the name of one tool or None."""
    mode, name = functions.choice_of(request)
    if mode is not None and not tools:
        notes.unsent("tool_choice", "the request offers no tools")
        return None, None
    return mode, name if mode == REQUIRED else None
