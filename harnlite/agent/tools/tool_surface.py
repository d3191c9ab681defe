"""The check of a set of tools before a model gets them: names, schemas, executors, and the reach of capabilities."""

from __future__ import annotations

from harnlite.agent.tools.capability_policies import refusal_of_tool
from harnlite.agent.tools.policy import LEVELS
from harnlite.agent.tools.tool_call import Call
from harnlite.llm.offered_tools import REGISTRY, properties_of
from harnlite.llm.tool_definitions import checked_executor
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import ScriptError
from harnlite.values.interrupts import poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from harnlite.agent.tools.policy import Policy

    Entry = dict[str, Any]
    Fault: TypeAlias = tuple[str, str]
    """The path inside a tool, and what is wrong there."""

RESERVED = frozenset({"ledger", "load_skill"})
"""The names of tools that a loop adds or answers itself."""
_INTERNAL = "__"
_LONGEST_NAME = 64
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
_DEEPEST = 64
_LISTS_OF_SCHEMAS = ("anyOf", "oneOf", "allOf")


class Surface:
    """The tools of a model and what is wrong with them: dicts `{tool, path, message}`."""

    __slots__ = ("_known", "_policy", "_reserved", "errors", "warnings")

    def __init__(self, policy: Policy | None = None, reserved: frozenset[str] = RESERVED) -> None:
        self.errors: list[dict[str, object]] = []
        self.warnings: list[dict[str, object]] = []
        self._policy = policy
        self._reserved = reserved
        self._known: set[str] = set()

    def add(self, value: object, path: str = "tools") -> None:
        """Check a registry, a list of tools and registries, or the entry of a tool."""
        poll_here()
        if isinstance(value, dict) and value.get("_type") == REGISTRY:
            self.add(value.get("tools"), path)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                place = f"{path}[{index}]"
                if isinstance(item, dict):
                    self.add(item, place)
                else:
                    self._report(self.errors, None, place, f"a tool must be a dict, got {type_name(item)}")
        elif isinstance(value, dict) and path != "tools":
            self._add_tool(value)
        else:
            message = f"the tools must be a registry or a list, got {type_name(value)}"
            self._report(self.errors, None, path, message)

    @staticmethod
    def _report(found: list[dict[str, object]], tool: object, path: str, message: str) -> None:
        found.append({"tool": tool, "path": path, "message": message})

    def _add_tool(self, entry: Entry) -> None:
        name = entry.get("name")
        for path, message in (*self._name_faults(name), *entry_faults(entry), *self._policy_faults(entry)):
            self._report(self.errors, name, path, message)
        for path, message in _advice(entry):
            self._report(self.warnings, name, path, message)

    def _name_faults(self, name: object) -> Iterator[Fault]:
        if not isinstance(name, str):
            return
        if name in self._known:
            yield "name", "another tool has the same name"
        self._known.add(name)
        if name in self._reserved or name.startswith(_INTERNAL):
            yield "name", "the name is reserved"

    def _policy_faults(self, entry: Entry) -> Iterator[Fault]:
        name = entry.get("name")
        if self._policy is None or not isinstance(name, str) or any(_annotation_faults(entry)):
            return
        refusal = refusal_of_tool(self._policy, Call("", name, {}, entry))
        if refusal is not None:
            yield "annotations", f"the policy refuses every call: {refusal}"


def entry_faults(entry: Entry) -> Iterator[Fault]:
    """Yield what is wrong with the entry of a tool, apart from its relation to other tools."""
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        yield "name", "the name must be a non-empty string"
    elif len(name) > _LONGEST_NAME or not _NAME_CHARACTERS.issuperset(name):
        yield "name", f"the name may have at most {_LONGEST_NAME} letters, digits, `_` and `-`"
    description = entry.get("description")
    if description is not None and not isinstance(description, str):
        yield "description", f"the description must be a string, got {type_name(description)}"
    yield from _parameter_faults(entry)
    for key in ("outputSchema", "returns"):
        if entry.get(key) is not None:
            yield from _schema_faults(entry[key], key)
            break
    yield from _annotation_faults(entry)
    try:
        checked_executor(display(name), entry)
    except ScriptError as error:
        text = display(error.value).removeprefix("tool_define: ")
        yield "executor", text.removeprefix(f'tool "{display(name)}" ')


def _parameter_faults(entry: Entry) -> Iterator[Fault]:
    if "params" in entry:
        yield "params", "use `parameters`, not `params`"
    key = next((one for one in ("parameters", "input_schema", "inputSchema") if entry.get(one) is not None), None)
    if key is None:
        return
    parameters = entry[key]
    if not isinstance(parameters, dict):
        yield key, f"the parameters must be a dict, got {type_name(parameters)}"
        return
    properties = properties_of(entry)
    for name, schema in properties.items():
        path = f"{key}.{name}"
        if isinstance(schema, dict):
            plain = {one: item for one, item in schema.items() if one != "required" or not isinstance(item, bool)}
            yield from _schema_faults(plain, path)
        elif not isinstance(schema, str):
            yield path, f"a parameter must be a JSON Schema or a description, got {type_name(schema)}"
    if properties is not parameters:
        yield from _required_faults(parameters.get("required"), properties, key)


def _required_faults(required: object, properties: object, path: str) -> Iterator[Fault]:
    if required is None:
        return
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        yield f"{path}.required", "`required` must be a list of names"
        return
    known = properties if isinstance(properties, dict) else {}
    for name in required:
        if name not in known:
            yield f"{path}.required", f"there is no property '{name}'"


def _schema_faults(schema: object, path: str, depth: int = 0) -> Iterator[Fault]:
    """Yield what is wrong with a JSON Schema and those inside it."""
    poll_here()
    if isinstance(schema, bool) and depth > 0:
        return
    if not isinstance(schema, dict):
        yield path, f"a JSON Schema must be a dict, got {type_name(schema)}"
        return
    if depth > _DEEPEST:
        yield path, f"the schema is nested more than {_DEEPEST} levels deep"
        return
    yield from _type_faults(schema.get("type"), path)
    enum = schema.get("enum")
    if enum is not None and not (isinstance(enum, list) and enum):
        yield f"{path}.enum", "`enum` must be a list that is not empty"
    yield from _property_faults(schema, path, depth)
    for key in ("items", "additionalProperties"):
        if schema.get(key) is not None:
            yield from _schema_faults(schema[key], f"{path}.{key}", depth + 1)
    for key in _LISTS_OF_SCHEMAS:
        members = schema.get(key)
        if members is not None and not (isinstance(members, list) and members):
            yield f"{path}.{key}", f"`{key}` must be a list that is not empty"
            continue
        for index, inner in enumerate(members or ()):
            yield from _schema_faults(inner, f"{path}.{key}[{index}]", depth + 1)


def _property_faults(schema: dict[str, object], path: str, depth: int) -> Iterator[Fault]:
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, inner in properties.items():
            yield from _schema_faults(inner, f"{path}.{name}", depth + 1)
    elif properties is not None:
        yield f"{path}.properties", f"`properties` must be a dict, got {type_name(properties)}"
    if properties is not None or schema.get("type") == "object":
        yield from _required_faults(schema.get("required"), properties, path)


def _type_faults(given: object, path: str) -> Iterator[Fault]:
    if given is None:
        return
    for name in given if isinstance(given, list) else [given]:
        if name not in _TYPES:
            yield f"{path}.type", f"unknown type '{display(name)}' (expected one of: {', '.join(_TYPES)})"


def _annotation_faults(entry: Entry) -> Iterator[Fault]:
    """Yield what is wrong with the capabilities that a tool declares."""
    wanted = entry.get("host_capability")
    if wanted is not None and not (isinstance(wanted, str) and all(wanted.partition("."))):
        yield "host_capability", "`host_capability` must be `capability.operation`"
    annotations = entry.get("annotations")
    if annotations is None:
        return
    if not isinstance(annotations, dict):
        yield "annotations", f"the annotations must be a dict, got {type_name(annotations)}"
        return
    level = annotations.get("side_effect_level")
    if level is not None and level not in LEVELS:
        yield (
            "annotations.side_effect_level",
            f"unknown level '{display(level)}' (expected one of: {', '.join(LEVELS)})",
        )
    capabilities = annotations.get("capabilities")
    if capabilities is not None and not isinstance(capabilities, dict):
        yield "annotations.capabilities", f"the capabilities must be a dict, got {type_name(capabilities)}"
    elif capabilities is not None:
        for name, operations in capabilities.items():
            is_list = isinstance(operations, list) and all(isinstance(one, str) for one in operations)
            if operations is not True and not is_list:
                yield f"annotations.capabilities.{name}", "the operations must be a list of strings, or true"


def _advice(entry: Entry) -> Iterator[Fault]:
    """Yield what makes a tool hard to use for a model."""
    description = entry.get("description")
    if description is None or (isinstance(description, str) and not description.strip()):
        yield "description", "the description is missing"
    for name, schema in properties_of(entry).items():
        text = schema.get("description") if isinstance(schema, dict) else schema
        if text is None or (isinstance(text, str) and not text.strip()):
            yield f"parameters.{name}", "the description of the parameter is missing"
