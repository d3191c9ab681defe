"""Tool registries: the definition of tools, their validation, and their descriptions."""

from __future__ import annotations

from harnlite.formats.json.writing import json_text
from harnlite.llm.offered_tools import REGISTRY, properties_of
from harnlite.runtime.registries import TOOLS_KEY
from harnlite.values.data_types import is_callable
from harnlite.values.display import display
from harnlite.values.errors import thrown
from harnlite.values.interrupts import poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from harnlite.runtime.tasks.execution import Execution

    Resolved: TypeAlias = dict[tuple[int, tuple[str, ...]], object]
    """The resolved schemas by address and the references that led there."""

    Entry = dict[str, Any]
    Registry = dict[str, Any]

HARN, BRIDGE, MCP, NATIVE = "harn", "host_bridge", "mcp_server", "provider_native"
EXECUTORS = (HARN, BRIDGE, MCP, NATIVE)
BUILT_IN = frozenset({"read_file", "list_directory", "emit_plan", "update_plan"})
"""The tools that harnlite runs itself if the script does not provide a handler."""

_EXPECTED = ", ".join(f'"{name}"' for name in EXECUTORS)
_BOUND = "tool_registry"
_TYPES = {"int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object"}
_JSON_TYPES = frozenset({"integer", "number", "boolean", "array", "object"})
_SCHEMAS = "#/components/schemas/"


def registry_of(function: str, value: dict[str, Any]) -> list[Entry]:
    """Return the tools of a registry; throw if the dict is not a registry."""
    tools = value.get("tools")
    if value.get("_type") != REGISTRY or not isinstance(tools, list):
        raise thrown(f"{function}: argument must be a tool registry (created with tool_registry())")
    return [entry for entry in tools if isinstance(entry, dict)]


def registry(tools: list[Entry]) -> Registry:
    """Return a registry with these tools."""
    return {"_type": REGISTRY, "tools": tools}


def define(tools: list[Entry], name: str, description: str, config: dict[str, Any]) -> Registry:
    """Return a registry with an additional tool, which replaces an existing tool with the same name."""
    if "params" in config:
        raise thrown("tool_define: use 'parameters', not 'params'")
    executor = checked_executor(name, config)
    entry: Entry = {**config, "name": name, "description": description, "executor": executor}
    entry["parameters"] = config.get("parameters") if config.get("parameters") is not None else {}
    if config.get("returns") is not None:
        entry["outputSchema"] = config["returns"]
    return registry([*(known for known in tools if known.get("name") != name), entry])


def checked_executor(name: str, config: dict[str, Any]) -> str:
    """Return the executor of a tool; throw if the config is inconsistent."""
    executor = _executor(name, config)
    _check_rest(config)
    return executor


def _executor(name: str, config: dict[str, Any]) -> str:
    """Return the executor of a tool; throw if its definition is inconsistent."""
    given = config.get("executor")
    if given is not None and not isinstance(given, str):
        raise thrown(f"tool_define: `executor` must be a string ({_listed_executors()})")
    has_handler = is_callable(config.get("handler"))
    if given is None:
        if not has_handler and name not in BUILT_IN:
            raise thrown(_NO_BACKEND.format(name))
        return HARN
    executor = HARN if given == "harn_builtin" else given
    if executor not in EXECUTORS:
        raise thrown(f'tool_define: unknown executor "{given}" for tool "{name}". Expected one of: {_EXPECTED}')
    _check_executor(f'tool_define: tool "{name}" declares executor: "{executor}"', name, executor, config)
    return executor


def _listed_executors() -> str:
    return ", ".join(f'"{name}"' for name in EXECUTORS[:-1]) + f', or "{EXECUTORS[-1]}"'


_NO_BACKEND = (
    'tool_define: tool "{}" has no `handler` and no `executor`. Either attach a `handler` fn (executor: "harn") or '
    'declare an alternate backend, e.g. executor: "host_bridge" + host_capability: "cap.op", executor: "mcp_server" + '
    'mcp_server: "server-name", executor: "provider_native". Without one of these, a call cannot be executed.'
)
_NEEDED = {BRIDGE: "host_capability", MCP: "mcp_server"}
_EXECUTING = {BRIDGE: "the host", MCP: "the MCP server", NATIVE: "the provider"}
_EXAMPLES = {BRIDGE: '"cap.op"', MCP: '"server-name"'}


def _check_executor(start: str, name: str, executor: str, config: dict[str, Any]) -> None:
    has_handler = is_callable(config.get("handler"))
    if executor == HARN:
        if not has_handler and name not in BUILT_IN:
            raise thrown(f"{start} but has no `handler`. Attach the handler fn or change the executor.")
        for other, key in _NEEDED.items():
            if config.get(key) is not None:
                raise thrown(f'{start} but also sets `{key}`. Drop it, or declare executor: "{other}".')
        return
    if has_handler:
        raise thrown(f"{start} but also has a `handler`. Drop the handler — {_EXECUTING[executor]} executes the call.")
    needed = _NEEDED.get(executor)
    if needed is not None and not (isinstance(config.get(needed), str) and config[needed]):
        raise thrown(f"{start} but is missing `{needed}`. Add {needed}: {_EXAMPLES[executor]}.")


def _check_rest(config: dict[str, Any]) -> None:
    if not isinstance(config.get("defer_loading"), bool | None):
        raise thrown("tool_define: `defer_loading` must be a bool (true hides the tool until tool_search finds it)")
    namespace = config.get("namespace")
    if namespace is not None and not (isinstance(namespace, str) and namespace):
        raise thrown("tool_define: `namespace` must be a non-empty string (it groups related tools)")


def without_handler(entry: Entry) -> Entry:
    """Return a copy of a tool's entry without its handler."""
    return {key: value for key, value in entry.items() if key != "handler"}


def find(tools: list[Entry], name: str) -> Entry | None:
    """Return the tool with this name, or None."""
    return next((entry for entry in tools if entry.get("name") == name), None)


def _by_name(tools: list[Entry]) -> list[Entry]:
    return sorted(tools, key=lambda entry: display(entry.get("name")))


def _signature(entry: Entry) -> str:
    properties = properties_of(entry)
    return ", ".join(f"{name}: {display(properties[name])}" for name in sorted(properties))


def describe(tools: list[Entry]) -> str:
    """Return a readable list of the tools for users."""
    lines = ["Available tools:"]
    for entry in _by_name(tools):
        lines.append(f"- {display(entry.get('name'))}({_signature(entry)}): {display(entry.get('description'))}")
        if entry.get("outputSchema") is not None:
            lines.append(f"  returns {display(entry['outputSchema'])}")
    return "\n".join(lines) if tools else "Available tools:\n(none)"


_USAGE = """\
# Available Tools

To use a tool, write a call like this one into your answer, once for each call:

<tool_call>{"name": "tool_name", "arguments": {"param": "value"}}</tool_call>

The result of each call comes back in a `<tool_result>` block.

## Tools
"""


def prompt(tools: list[Entry]) -> str:
    """Return a description of the tools for a prompt."""
    if not tools:
        return "No tools are available."
    parts = [_USAGE]
    for entry in _by_name(tools):
        lines = [f"### {display(entry.get('name'))}", display(entry.get("description"))]
        lines.append(f"Parameters: {_signature(entry) or 'none'}")
        if entry.get("outputSchema") is not None:
            lines.append(f"Returns: {display(entry['outputSchema'])}")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts).rstrip("\n")


def schema(tools: list[Entry], components: dict[str, Any] | None) -> dict[str, Any]:
    """Return a document with the JSON Schemas of the tools."""
    found: dict[str, Any] = {"schema_version": "harn-tools/1.0"}
    if components is not None:
        found["components"] = components
    found["tools"] = [_tool_schema(entry, components or {}) for entry in tools]
    return found


def _tool_schema(entry: Entry, components: dict[str, Any]) -> dict[str, Any]:
    properties = properties_of(entry)
    known: Resolved = {}
    found: dict[str, Any] = {
        "name": entry.get("name"),
        "description": entry.get("description"),
        "inputSchema": {
            "type": "object",
            "properties": {name: _parameter(properties[name], components, known) for name in sorted(properties)},
            "required": sorted(properties),
        },
    }
    if entry.get("outputSchema") is not None:
        found["outputSchema"] = _resolved(entry["outputSchema"], components, (), known)
    return found


def _parameter(value: object, components: dict[str, Any], known: Resolved) -> object:
    if isinstance(value, dict):
        return _resolved(value, components, (), known)
    word = value if isinstance(value, str) else ""
    return {"type": word if word in _JSON_TYPES else _TYPES.get(word, "string")}


def _resolved(value: object, components: dict[str, Any], within: tuple[str, ...], known: Resolved) -> object:
    """Return a schema with its references replaced by the schemas in the components; a shared one is resolved once."""
    if not isinstance(value, (list, dict)):
        return value
    place = id(value), within
    if place not in known:
        poll_here()
        known[place] = (
            [_resolved(item, components, within, known) for item in value]
            if isinstance(value, list)
            else _resolved_dict(value, components, within, known)
        )
    return known[place]


def _resolved_dict(
    value: dict[str, object], components: dict[str, Any], within: tuple[str, ...], known: Resolved
) -> object:
    reference = value.get("$ref")
    if not isinstance(reference, str):
        return {key: _resolved(item, components, within, known) for key, item in value.items()}
    title = reference.rsplit("/", 1)[-1]
    schemas = components.get("schemas")
    target = schemas.get(title) if isinstance(schemas, dict) else None
    if target is None:
        target = components.get(title)
    if not isinstance(target, dict) or title in within:
        return {"$ref": _SCHEMAS + title}
    return _resolved(target, components, (*within, title), known)


def parse_calls(text: str) -> list[object]:
    """Return the JSON values in the `<tool_call>` blocks of a text; blocks without valid JSON are skipped."""
    from harnlite.formats.json.reading import JsonError, read_json

    found: list[object] = []
    for part in text.split("<tool_call>")[1:]:
        body, closed, _ = part.partition("</tool_call>")
        if closed:
            try:
                found.append(read_json(body.strip()))
            except JsonError:
                continue
    return found


def format_result(name: str, result: str) -> str:
    """Return the `<tool_result>` block for a result, as `tool_prompt` describes it."""
    return f'<tool_result>{{"name": {json_text(name)}, "result": {json_text(result)}}}</tool_result>'


# The bound registry, in which tool names are looked up


def bind(run: Execution, value: Registry | None) -> None:
    """Bind the registry in which tool names are looked up, for this task and the tasks that it starts."""
    run.task.facts = {**run.task.facts, _BOUND: value}


class binding:  # noqa: N801 - reads as a statement: with binding(run, tools)
    """A context manager that binds a registry of these tools for a block."""

    __slots__ = ("_before", "_run", "_value")

    def __init__(self, run: Execution, tools: list[Entry]) -> None:
        self._run = run
        self._value = registry(tools)
        self._before: object = None

    def __enter__(self) -> None:
        self._before = self._run.task.facts.get(_BOUND)
        bind(self._run, self._value)

    def __exit__(self, *_: object) -> None:
        facts = self._run.task.facts
        self._run.task.facts = {**facts, _BOUND: self._before}


def bound_entries(run: Execution) -> list[Entry]:
    """Return the tools of the bound registry, or an empty list if none is bound."""
    bound = run.task.facts.get(_BOUND)
    return list(bound["tools"]) if isinstance(bound, dict) else []


def bound_tool(run: Execution, function: str, name: str) -> Entry:
    """Return the tool with this name from the bound registry, or else from the tools registered by attributes."""
    bound = run.task.facts.get(_BOUND)
    tools: list[Entry] = run.peek(TOOLS_KEY) or []
    if isinstance(bound, dict):
        tools = [*registry_of(function, bound), *tools]
    elif not tools:
        raise thrown(
            f"{function}: no tool registry bound to this scope. Call tool_bind(registry) first, or invoke inside an "
            "agent_loop."
        )
    entry = find(tools, name)
    if entry is None:
        names = ", ".join(sorted({display(known.get("name")) for known in tools}))
        raise thrown(f'{function}: unknown tool "{name}". Registered tools: {names or "(none registered)"}')
    return entry
