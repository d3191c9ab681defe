"""Capability policies: the tools and builtins that a policy allows, and the intersection of two policies."""

from __future__ import annotations

from harnlite.agent.hooks.name_globs import first_fit
from harnlite.agent.option_values import dicts_in, names_in, rules_in
from harnlite.llm.errors import categorised
from harnlite.runtime.access_control import is_inside
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Capabilities = dict[str, list[str] | None]

LEVELS = ("none", "read_only", "workspace_write", "process_exec", "network")
_OF_CAPABILITY = {
    "fs.read": "read_only",
    "fs.write": "workspace_write",
    "fs.delete": "workspace_write",
    "state.read": "read_only",
    "state.write": "workspace_write",
    "process": "process_exec",
    "net": "network",
}
_KINDS = {
    "tools": "a list",
    "capabilities": "a dict",
    "workspace_roots": "a list",
    "side_effect_level": "a string",
    "recursion_limit": "an int",
    "tool_arg_constraints": "a list",
    "tool_annotations": "a dict",
}


class Policy:
    """The limits of a capability policy; None means no limit."""

    __slots__ = ("annotations", "capabilities", "ceiling", "constraints", "level", "recursion_limit", "roots", "tools")

    def __init__(self, config: dict[str, object]) -> None:
        tools, capabilities = config.get("tools"), config.get("capabilities")
        roots, level = config.get("workspace_roots"), config.get("side_effect_level")
        constraints, annotations = config.get("tool_arg_constraints"), config.get("tool_annotations")
        limit = config.get("recursion_limit")
        self.tools = names_in(tools) if tools.__class__ is list else None
        self.capabilities = capabilities_in(capabilities)
        self.roots = names_in(roots) if roots.__class__ is list else None
        self.level = level if level in LEVELS else None
        self.constraints = dicts_in(constraints)
        self.annotations: dict[str, object] = annotations if annotations.__class__ is dict else {}
        self.recursion_limit: int | None = limit if limit.__class__ is int else None
        self.ceiling: Policy | None = None
        """The outer policy that this one was narrowed by."""

    def within(self, ceiling: Policy) -> Policy:
        """Return the intersection with a ceiling; raise an error if the policy requests more than it allows."""
        self._check_tools(ceiling)
        self._check_capabilities(ceiling)
        both = self.along(ceiling)
        both.ceiling = ceiling
        return both

    def along(self, other: Policy) -> Policy:
        """Return the intersection with another policy."""
        both = Policy({})
        both.tools = _common(self.tools, other.tools, lambda name, patterns: first_fit(patterns, name) is not None)
        both.capabilities = _common_capabilities(self.capabilities, other.capabilities)
        both.roots = _common(self.roots, other.roots, is_inside)
        both.level = _lower(self.level, other.level)
        both.constraints = [*other.constraints, *self.constraints]
        both.annotations = {**self.annotations, **other.annotations}
        limits = [limit for limit in (self.recursion_limit, other.recursion_limit) if limit is not None]
        both.recursion_limit = min(limits) if limits else None
        return both

    def _check_tools(self, ceiling: Policy) -> None:
        if self.tools is None or ceiling.tools is None:
            return
        beyond = [name for name in self.tools if first_fit(ceiling.tools, name) is None]
        if beyond:
            raise runtime_error(f"requested tools exceed host ceiling: {', '.join(beyond)}")

    def _check_capabilities(self, ceiling: Policy) -> None:
        if self.capabilities is None or ceiling.capabilities is None:
            return
        for name, operations in self.capabilities.items():
            if name not in ceiling.capabilities:
                raise runtime_error(f"requested capability exceeds host ceiling: {name}")
            allowed = ceiling.capabilities[name]
            if allowed is None or "*" in allowed:
                continue
            beyond = ["*"] if operations is None else [one for one in operations if one not in allowed]
            if beyond:
                named = ", ".join([f"{name}.{one}" for one in beyond])
                raise runtime_error(f"requested capability operations exceed host ceiling: {named}")

    def grants(self, capability: str, operation: str) -> bool:
        """Return whether the policy allows an operation of a capability."""
        if self.capabilities is None:
            return True
        operations = self.capabilities.get(capability, [])
        return operations is None or operation in operations or "*" in operations

    def is_exceeded_by(self, level: object) -> bool:
        """Return whether a side-effect level is higher than the level of the policy."""
        return self.level is not None and level in LEVELS and LEVELS.index(level) > LEVELS.index(self.level)

    def check_builtin(self, name: str, capability: str) -> None:
        """Raise the categorised error if the policy refuses a builtin that needs a capability."""
        refusal = self.refusal_of_builtin(name, capability)
        if refusal is not None:
            raise categorised("tool_rejected", refusal)

    def refusal_of_builtin(self, name: str, capability: str) -> str | None:
        """Return the reason if the policy refuses a builtin that needs a capability, otherwise None."""
        family, _, operation = capability.partition(".")
        if not self.grants(family, operation):
            return f"builtin '{name}' exceeds capability ceiling: {capability}"
        if self.is_exceeded_by(_OF_CAPABILITY.get(capability) or _OF_CAPABILITY.get(family)):
            return f"builtin '{name}' exceeds side-effect ceiling: {self.level}"
        return None


def read_policy(config: object) -> Policy:
    """Return the policy for a script's config; an invalid config raises an error instead of allowing everything."""
    given = rules_in({"policy": config}, "policy") or {}
    for key, kind in _KINDS.items():
        value = given.get(key)
        if value is not None and type_name(value) != kind.split()[1]:
            raise runtime_error(f"policy.{key} must be {kind} or nil, got {type_name(value)}")
    level = given.get("side_effect_level")
    if level is not None and level not in LEVELS:
        raise runtime_error(f"policy.side_effect_level must be one of {', '.join(LEVELS)}; got {display(level)}")
    return Policy(given)


def capabilities_in(value: object) -> Capabilities | None:
    """Return the operations of each capability; None means all operations."""
    if value.__class__ is not dict:
        return None
    return {name: None if value[name] is True else names_in(value[name]) for name in sorted(value)}


def _lower(one: object, other: object) -> str | None:
    known = [level for level in (one, other) if isinstance(level, str)]
    return min(known, key=LEVELS.index) if known else None


def _common(
    one: list[str] | None, other: list[str] | None, is_among: Callable[[str, list[str]], bool]
) -> list[str] | None:
    """Return the entries of each list that the other one covers; None covers everything."""
    if one is None or other is None:
        return other if one is None else one
    first = [entry for entry in one if is_among(entry, other)]
    return [*first, *(entry for entry in other if is_among(entry, one) and entry not in first)]


def _common_capabilities(one: Capabilities | None, other: Capabilities | None) -> Capabilities | None:
    if one is None or other is None:
        return other if one is None else one

    def is_among(operation: str, operations: list[str]) -> bool:
        return operation in operations or "*" in operations

    return {name: _common(one[name], other[name], is_among) for name in one if name in other}
