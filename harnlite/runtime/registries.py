"""The registries with one entry that `tool` and `skill` declarations bind, and registration by attributes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from harnlite.runtime.tasks.execution import Execution

_JSON_TYPES = {"int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object", "nil": "null"}


def json_schema(schema: dict[str, object]) -> dict[str, object]:
    """Return the JSON Schema for a type's schema."""
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
    """Return the schema entry of one tool parameter."""
    found = json_schema(schema)
    if has_default:
        found["required"] = False
        found["default"] = default
    return found


_PARAMETERS = "harn_parameters"
TOOLS_KEY, SKILLS_KEY = "acp_tools", "acp_skills"


def _entry(
    name: str,
    description: object,
    parameters: dict[str, object],
    handler: Callable[..., object],
    returns: dict[str, object] | None,
) -> dict[str, object]:
    """Return the registry entry of a tool; `call_handler` passes arguments to its handler by parameter name."""
    setattr(handler, _PARAMETERS, tuple(parameters))
    entry: dict[str, object] = {
        "name": name,
        "description": description,
        "parameters": parameters,
        "handler": handler,
        "executor": "harn",
    }
    if returns is not None:
        entry["outputSchema"] = json_schema(returns)
    return entry


def tool(
    name: str,
    description: object,
    parameters: dict[str, object],
    handler: Callable[..., object],
    returns: dict[str, object] | None,
) -> dict[str, object]:
    """Return a registry with one declared tool."""
    return {"_type": "tool_registry", "tools": [_entry(name, description, parameters, handler, returns)]}


def skill(name: str, fields: dict[str, object]) -> dict[str, object]:
    """Return a registry with one declared skill; `short` replaces a missing description."""
    description = fields.get("description") or fields.get("short") or ""
    return {"_type": "skill_registry", "skills": [{**fields, "name": name, "description": description}]}


def call_handler(handler: Callable[..., object], arguments: dict[str, object]) -> object:
    """Call the handler of a tool with one dict or, if its parameters were declared, with one argument for each.

    A parameter that is missing or nil gets its default.
    """
    names: Iterable[str] | None = getattr(handler, _PARAMETERS, None)
    if names is None:
        return handler(arguments)
    defaults: tuple[object, ...] = getattr(handler, "__defaults__", None) or ()
    given = [
        default if arguments.get(name) is None else arguments[name]
        for name, default in zip(names, defaults, strict=False)
    ]
    return handler(*given)


def acp_tool(
    run: Execution,
    name: str,
    function: Callable[..., object],
    parameters: dict[str, object],
    returns: dict[str, object] | None,
    annotations: dict[str, object],
) -> None:
    """Register a function with `@acp_tool` as a tool of the run."""
    entry = {**_entry(name, "", parameters, function, returns), "annotations": annotations}
    tools: list[dict[str, object]] = run.state(TOOLS_KEY, list)
    tools[:] = [known for known in tools if known["name"] != name] + [entry]


def acp_skill(run: Execution, name: str, function: Callable[..., object], fields: dict[str, object]) -> None:
    """Register a function with `@acp_skill` as a skill of the run; activating the skill calls the function."""
    skills: list[dict[str, object]] = run.state(SKILLS_KEY, list)
    entry = {**fields, "name": name, "on_activate": function}
    skills[:] = [known for known in skills if known["name"] != name] + [entry]
