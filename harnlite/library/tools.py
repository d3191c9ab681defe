"""Builtins for registries of tools, and for the tool calls that models write."""

from __future__ import annotations

from harnlite.library.argument_types import dict_argument, expect, expect_dict, expect_list, text_argument
from harnlite.library.native import native
from harnlite.llm import tool_definitions
from harnlite.llm.offered_tools import tool_entries, tool_names
from harnlite.llm.text_protocol import parse_reply
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.tool_definitions import Entry, Registry
    from harnlite.runtime.tasks.execution import Execution


def _tools(function: str, registry: object) -> list[Entry]:
    return tool_definitions.registry_of(function, expect_dict(function, "registry", registry))


@native("tool_registry")
def tool_registry() -> Registry:
    """Return a registry without tools."""
    return tool_definitions.registry([])


@native("tool_define")
def tool_define(
    registry: object = None, name: object = None, description: object = None, config: object = None
) -> Registry:
    """Return the registry with a tool added."""
    expect("tool_define", "registry", registry, "dict")
    name = text_argument("tool_define", "name", name)
    description = text_argument("tool_define", "description", description)
    given = expect_dict("tool_define", "config", config)
    return tool_definitions.define(_tools("tool_define", registry), name, description, given)


@native("tool_list")
def tool_list(registry: object = None) -> list[Entry]:
    """Return the tools of a registry without their handlers."""
    return [tool_definitions.without_handler(entry) for entry in _tools("tool_list", registry)]


@native("tool_find")
def tool_find(registry: object = None, name: object = None) -> Entry | None:
    """Return the tool with a name, or nil."""
    expect("tool_find", "registry", registry, "dict")
    name = text_argument("tool_find", "name", name)
    return tool_definitions.find(_tools("tool_find", registry), name)


@native("tool_count")
def tool_count(registry: object = None) -> int:
    """Return the number of tools in a registry."""
    return len(_tools("tool_count", registry))


@native("tool_select")
def tool_select(registry: object = None, names: object = None) -> Registry:
    """Return a registry with only the tools that have these names."""
    expect("tool_select", "registry", registry, "dict")
    wanted = {display(name) for name in expect_list("tool_select", "names", names)}
    tools = _tools("tool_select", registry)
    return tool_definitions.registry([entry for entry in tools if entry.get("name") in wanted])


@native("tool_remove")
def tool_remove(registry: object = None, name: object = None) -> Registry:
    """Return the registry without the tool that has this name."""
    expect("tool_remove", "registry", registry, "dict")
    name = text_argument("tool_remove", "name", name)
    tools = _tools("tool_remove", registry)
    return tool_definitions.registry([entry for entry in tools if entry.get("name") != name])


@native("tool_describe")
def tool_describe(registry: object = None) -> str:
    """Return a readable list of the tools of a registry."""
    return tool_definitions.describe(_tools("tool_describe", registry))


@native("tool_schema")
def tool_schema(registry: object = None, components: object = None) -> dict[str, Any]:
    """Return the tools of a registry as JSON Schemas."""
    expect("tool_schema", "registry", registry, "dict")
    given = None if components is None else dict_argument("tool_schema", "components", components)
    return tool_definitions.schema(_tools("tool_schema", registry), given)


@native("tool_prompt")
def tool_prompt(registry: object = None) -> str:
    """Return a description of the tools of a registry for a prompt."""
    return tool_definitions.prompt(_tools("tool_prompt", registry))


@native("tool_parse_call")
def tool_parse_call(text: object = None) -> list[object]:
    """Return the JSON bodies of the tool calls in a text."""
    text = text_argument("tool_parse_call", "text", text)
    return tool_definitions.parse_calls(text)


@native("tool_format_result")
def tool_format_result(name: object = None, result: object = None) -> str:
    """Return the result of a tool as a block for a prompt."""
    return tool_definitions.format_result(display(name), display(result))


@native("tool_bind")
def tool_bind(run: Execution, registry: object = None) -> Registry | None:
    """Bind a registry, in which `tool_ref` and `tool_def` look up names; nil removes the binding."""
    found = None if registry is None else dict_argument("tool_bind", "registry", registry)
    if found is not None:
        tool_definitions.registry_of("tool_bind", found)
    tool_definitions.bind(run, found)
    return found


@native("tool_ref")
def tool_ref(run: Execution, name: object = None) -> str:
    """Return the name of a tool in the bound registry; throw if there is no such tool."""
    name = text_argument("tool_ref", "name", name)
    return str(tool_definitions.bound_tool(run, "tool_ref", name)["name"])


@native("tool_def")
def tool_def(run: Execution, name: object = None) -> Entry:
    """Return a tool in the bound registry, without its handler."""
    name = text_argument("tool_def", "name", name)
    return tool_definitions.without_handler(tool_definitions.bound_tool(run, "tool_def", name))


@native("agent_parse_tool_calls")
def agent_parse_tool_calls(text: object = None, tools: object = None) -> dict[str, Any]:
    """Parse an answer in the text protocol and return its parts, including the tool calls."""
    text = text_argument("agent_parse_tool_calls", "text", text)
    expect("agent_parse_tool_calls", "tools", tools, "dict", "list", optional=True)
    known = None if tools is None else tool_names(tool_entries(tools))
    return parse_reply(text, known)
