"""What `tool` and `skill` declarations bind: registries with one entry."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_JSON_TYPES = {"int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object", "nil": "null"}


def json_schema(schema: dict[str, object]) -> dict[str, object]:
    """Return the JSON Schema of the schema of a type."""
    found: dict[str, object] = {}
    for key, value in schema.items():
        if key == "type":
            found["type"] = _JSON_TYPES.get(str(value), value)
        elif key == "properties" and isinstance(value, dict):
            found["properties"] = {name: json_schema(inner) for name, inner in value.items()}
        elif key in {"items", "additional_properties"} and isinstance(value, dict):
            found["additionalProperties" if key != "items" else key] = json_schema(value)
        elif key == "union" and isinstance(value, list):
            found["oneOf"] = [json_schema(inner) for inner in value]
        else:
            found[key] = value
    return found


def tool_parameter(schema: dict[str, object], has_default: bool, default: object) -> dict[str, object]:  # noqa: FBT001 - compiled code calls by position
    """Return the entry of one parameter of a tool."""
    found = json_schema(schema)
    if has_default:
        found["required"] = False
        found["default"] = default
    return found


def tool(
    name: str,
    description: object,
    parameters: dict[str, object],
    handler: Callable[..., object],
    returns: dict[str, object] | None,
) -> dict[str, object]:
    """Return the registry of one declared tool."""
    entry: dict[str, object] = {
        "name": name,
        "description": description,
        "parameters": parameters,
        "handler": handler,
        "executor": "harn",
    }
    if returns is not None:
        entry["outputSchema"] = json_schema(returns)
    return {"_type": "tool_registry", "tools": [entry]}


def skill(name: str, fields: dict[str, object]) -> dict[str, object]:
    """Return the registry of one declared skill."""
    return {"_type": "skill_registry", "skills": [{**fields, "name": name}]}
