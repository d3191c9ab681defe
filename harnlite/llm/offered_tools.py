"""The tools that a call offers: the entries of its `tools` option, their native schemas, and call arguments."""

from __future__ import annotations

from harnlite.reminders.capabilities import ANTHROPIC
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Entry = dict[str, Any]

REGISTRY = "tool_registry"
_INTEGERS = frozenset(
    {"range_start", "range_end", "offset", "limit", "timeout", "line", "start_line", "end_line", "count"}
)


def is_registry(value: object) -> bool:
    """Return whether a value is a tool registry, as returned by `tool_registry()`."""
    return value.__class__ is dict and value.get("_type") == REGISTRY and value.get("tools").__class__ is list


def tool_entries(value: object) -> list[Entry]:
    """Return the tools in the `tools` option; throw if its value is not valid."""
    if value is None:
        return []
    if value.__class__ is dict:
        if not is_registry(value):
            raise thrown("tools must be a tool_registry or a list of tool definition dicts")
        value = value["tools"]
    if value.__class__ is not list:
        raise thrown("tools must be a tool_registry or a list of tool definition dicts")
    found: list[Entry] = []
    for item in value:
        if item.__class__ is str:
            raise thrown("tools must be declared as tool definition dicts or a tool_registry")
        if item.__class__ is not dict:
            raise thrown("tools must contain only tool definition dicts")
        if is_registry(item):
            found.extend(tool_entries(item))
        else:
            found.append(item)
    return found


def tool_names(entries: Sequence[Entry]) -> list[str]:
    """Return the names of the tools, in order."""
    return [entry["name"] for entry in entries if entry.get("name").__class__ is str]


def _parameters(entry: Entry) -> dict[str, Any]:
    found = entry.get("parameters")
    if found is None:
        found = entry.get("input_schema", entry.get("inputSchema"))
    return found if isinstance(found, dict) else {}


def _is_whole_schema(parameters: dict[str, Any]) -> bool:
    """Return whether the parameters are written as a single JSON Schema of type object."""
    return parameters.get("type") == "object" and parameters.get("properties").__class__ is dict


def properties_of(entry: Entry) -> dict[str, Any]:
    """Return the parameters of a tool, by name."""
    parameters = _parameters(entry)
    found: dict[str, Any] = parameters["properties"] if _is_whole_schema(parameters) else parameters
    return found


def required_of(entry: Entry) -> list[str]:
    """Return the names of the required parameters of a tool, sorted."""
    parameters = _parameters(entry)
    if _is_whole_schema(parameters):
        names = parameters.get("required")
        return sorted(name for name in names if isinstance(name, str)) if isinstance(names, list) else []
    return [name for name in sorted(parameters) if not _is_optional(parameters[name])]


def _is_optional(parameter: object) -> bool:
    return parameter.__class__ is dict and (parameter.get("required") is False or "default" in parameter)


def _property(parameter: object) -> object:
    if parameter.__class__ is dict:
        return {key: value for key, value in parameter.items() if key != "required" or value.__class__ is not bool}
    return {"type": "string", "description": parameter if parameter.__class__ is str else ""}


def input_schema(entry: Entry) -> dict[str, object]:
    """Return the JSON Schema for the arguments of a tool."""
    properties = properties_of(entry)
    return {
        "type": "object",
        "properties": {name: _property(properties[name]) for name in sorted(properties)},
        "required": required_of(entry),
        "additionalProperties": False,
    }


def _native(entry: Entry, wire_format: str) -> dict[str, object]:
    described: dict[str, object] = {"name": entry.get("name"), "description": entry.get("description") or ""}
    is_anthropic = wire_format == ANTHROPIC
    described["input_schema" if is_anthropic else "parameters"] = input_schema(entry)
    if entry.get("outputSchema") is not None:
        described["x-harn-output-schema"] = entry["outputSchema"]
    tool: dict[str, object] = described if is_anthropic else {"type": "function", "function": described}
    for key in ("defer_loading", "namespace"):
        if entry.get(key) not in (None, False):
            tool[key] = entry[key]
    return tool


def native_schema(entries: Sequence[Entry], wire_format: str) -> list[dict[str, object]]:
    """Return tools in the format of the provider's native tool calling."""
    return [_native(entry, wire_format) for entry in entries]


# Arguments


def _aliases(entry: Entry) -> dict[str, str]:
    """Return the parameter aliases in the annotations of a tool."""
    annotations = entry.get("annotations")
    if annotations.__class__ is not dict:
        return {}
    schema = annotations.get("arg_schema")
    tables = (annotations, schema if schema.__class__ is dict else {})
    found: dict[str, str] = {}
    for table in tables:
        for key in ("arg_aliases", "aliases"):
            aliases = table.get(key)
            for name, target in aliases.items() if aliases.__class__ is dict else ():
                if target.__class__ is str:
                    found[name] = target
                elif target.__class__ is list:
                    found.update({other: name for other in target if other.__class__ is str})
    return found


def _with_ints(value: object, key: str | None = None) -> object:
    """Return a value with the numeric strings under integer parameter names converted to ints."""
    if value.__class__ is str and key in _INTEGERS:
        text = value.strip()
        digits = text[1:] if text[:1] in ("-", "+") else text
        return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 19 else value  # noqa: PLR2004 - more digits may not fit in 64 bits
    if value.__class__ is dict:
        return {name: _with_ints(item, name) for name, item in value.items()}
    if value.__class__ is list:
        return [_with_ints(item) for item in value]
    return value


def normalise_arguments(entry: Entry | None, arguments: object) -> dict[str, Any]:
    """Return the arguments of a call with the parameter names and types that the tool expects."""
    given: dict[str, Any] = arguments if isinstance(arguments, dict) else {}
    found = {name: _with_ints(item, name) for name, item in given.items()}
    aliases = _aliases(entry) if entry else {}
    if not aliases:
        return found
    renamed: dict[str, Any] = {}
    for name, value in found.items():
        target = aliases.get(name, name)
        renamed[name if target != name and target in given else target] = value
    return renamed


def missing_parameters(entry: Entry | None, arguments: dict[str, Any]) -> list[str]:
    """Return the required parameters that are missing in the arguments of a call; nil counts as missing."""
    return [name for name in required_of(entry) if arguments.get(name) is None] if entry else []


def validate_arguments(entry: Entry | None, arguments: dict[str, Any]) -> str | None:
    """Return an error message if the arguments of a call are not valid, otherwise None."""
    missing = missing_parameters(entry, arguments)
    if not missing or entry is None:
        return None
    return (
        f"Tool '{entry.get('name')}' is missing required parameter(s): {', '.join(missing)}. "
        "Provide all required parameters and try again."
    )
