"""Capability policies: which tools and builtins may be used and how; an inner one only narrows an outer one."""

from __future__ import annotations

from harnlite.agent.hooks.name_globs import first_fit
from harnlite.agent.option_values import rules_in
from harnlite.agent.tools.call_arguments import comparable, fits_any, telling_argument, texts_of
from harnlite.formats.json.writing import json_string
from harnlite.llm.errors import categorised
from harnlite.runtime.access_control import POLICY_FACT, is_inside
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent.tools.dispatch import DispatchOptions
    from harnlite.agent.tools.tool_call import Call
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.runtime.tasks.task import Task

    Capabilities = dict[str, list[str] | None]

LEVELS = ("none", "read_only", "workspace_write", "process_exec", "network")
_OF_KIND = {
    "read": "read_only",
    "search": "read_only",
    "edit": "workspace_write",
    "delete": "workspace_write",
    "move": "workspace_write",
    "execute": "process_exec",
    "fetch": "network",
}
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
    """What is allowed; None is no limit."""

    __slots__ = ("annotations", "capabilities", "ceiling", "constraints", "level", "recursion_limit", "roots", "tools")

    def __init__(self, config: dict[str, object]) -> None:
        tools, capabilities = config.get("tools"), config.get("capabilities")
        roots, level = config.get("workspace_roots"), config.get("side_effect_level")
        constraints, annotations = config.get("tool_arg_constraints"), config.get("tool_annotations")
        limit = config.get("recursion_limit")
        self.tools = texts_of(tools) if tools.__class__ is list else None
        self.capabilities = _capabilities(capabilities)
        self.roots = texts_of(roots) if roots.__class__ is list else None
        self.level = level if level in LEVELS else None
        self.constraints = _dicts(constraints)
        self.annotations: dict[str, object] = annotations if annotations.__class__ is dict else {}
        self.recursion_limit: int | None = limit if limit.__class__ is int else None
        self.ceiling: Policy | None = None
        """The policy that this one lies within."""

    def within(self, ceiling: Policy) -> Policy:
        """Return the policy that allows what both allow; asking for more than the ceiling is an error."""
        self._check_tools(ceiling)
        self._check_capabilities(ceiling)
        both = self.along(ceiling)
        both.ceiling = ceiling
        return both

    def along(self, other: Policy) -> Policy:
        """Return the policy that allows what both allow."""
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

    def refusal_of_tool(self, call: Call) -> str | None:
        """Return why a tool may not be called, if it may not."""
        what = f"tool '{call.name}'"
        if self.tools is not None and first_fit(self.tools, call.name) is None:
            return f"{what} exceeds tool ceiling"
        annotations = self._annotations_of(call)
        for name, operations in (_capabilities(annotations.get("capabilities")) or {}).items():
            for operation in operations or ():
                if not self._grants(name, operation):
                    return f"{what} exceeds capability ceiling: {name}.{operation}"
        level = annotations.get("side_effect_level") or _OF_KIND.get(call.kind)
        if self.level is not None and level in LEVELS and LEVELS.index(level) > LEVELS.index(self.level):
            return f"{what} exceeds side-effect ceiling: {self.level}"
        return self._wrong_argument(call)

    def check_builtin(self, name: str, capability: str) -> None:
        """Raise the categorised error if a builtin that touches the world may not be called."""
        refusal = self.refusal_of_builtin(name, capability)
        if refusal is not None:
            raise categorised("tool_rejected", refusal)

    def refusal_of_builtin(self, name: str, capability: str) -> str | None:
        """Return why a builtin that touches the world may not be called, if it may not."""
        family, _, operation = capability.partition(".")
        if not self._grants(family, operation):
            return f"builtin '{name}' exceeds capability ceiling: {capability}"
        level = _OF_CAPABILITY.get(capability) or _OF_CAPABILITY.get(family)
        if self.level is not None and level is not None and LEVELS.index(level) > LEVELS.index(self.level):
            return f"builtin '{name}' exceeds side-effect ceiling: {self.level}"
        return None

    def _annotations_of(self, call: Call) -> dict[str, object]:
        own = (call.entry or {}).get("annotations")
        known: dict[str, object] = dict(own) if own.__class__ is dict else {}
        over = self.annotations.get(call.name)
        if over.__class__ is dict:
            known.update(over)
        wanted = (call.entry or {}).get("host_capability")
        if isinstance(wanted, str) and "." in wanted and "capabilities" not in known:
            family, _, operation = wanted.partition(".")
            known["capabilities"] = {family: [operation]}
        return known

    def _grants(self, name: str, operation: str) -> bool:
        if self.capabilities is None:
            return True
        operations = self.capabilities.get(name, [])
        return operations is None or operation in operations or "*" in operations

    def _wrong_argument(self, call: Call) -> str | None:
        for constraint in self.constraints:
            tool, key = constraint.get("tool"), constraint.get("arg_key")
            if not fits_any(tool if isinstance(tool, str) else "*", call.name):
                continue
            found = telling_argument(call.arguments, key if isinstance(key, str) else None)
            patterns = texts_of(constraint.get("arg_patterns"))
            if found is not None and first_fit(patterns, comparable(found)) is None:
                listed = ", ".join([json_string(pattern) for pattern in patterns])
                return f"tool '{call.name}' {found[0]} '{found[1]}' does not match allowed patterns: [{listed}]"
        return None


def _capabilities(value: object) -> Capabilities | None:
    if value.__class__ is not dict:
        return None
    return {name: None if value[name] is True else texts_of(value[name]) for name in sorted(value)}


def _dicts(value: object) -> list[dict[str, object]]:
    return [item for item in value if item.__class__ is dict] if value.__class__ is list else []


def _lower(one: object, other: object) -> str | None:
    known = [level for level in (one, other) if isinstance(level, str)]
    return min(known, key=LEVELS.index) if known else None


def _common(
    one: list[str] | None, other: list[str] | None, is_among: Callable[[str, list[str]], bool]
) -> list[str] | None:
    """Return the entries of both lists that the other one covers; None covers everything."""
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


def _ceiling(run: Execution) -> Policy | None:
    """Return the policy that the current task runs under."""
    ceiling = run.task.facts.get(POLICY_FACT)
    return ceiling if isinstance(ceiling, Policy) else None


def policy_of(run: Execution, config: object) -> Policy | None:
    """Return the policy of an option, within the one that the current task runs under."""
    outer = _ceiling(run)
    if config is None:
        return outer
    own = Policy(_checked(config))
    return own if outer is None else own.within(outer)


def policy_of_loop(run: Execution, config: object) -> Policy | None:
    """Return the policy of a loop; where agents may nest only so deep, those that it starts may go one level less."""
    outer = _ceiling(run)
    if outer is None or outer.recursion_limit is None:
        return policy_of(run, config)
    if outer.recursion_limit <= 0:
        raise categorised("tool_rejected", "agent exceeds recursion ceiling")
    inner = policy_of(run, {} if config is None else config)
    left = outer.recursion_limit - 1
    if inner is not None:
        inner.recursion_limit = left if inner.recursion_limit is None else min(inner.recursion_limit, left)
    return inner


def _checked(config: object) -> dict[str, object]:
    """Return the config of a policy; what is wrong in it must not leave everything open."""
    given = rules_in({"policy": config}, "policy") or {}
    for key, kind in _KINDS.items():
        value = given.get(key)
        if value is not None and type_name(value) != kind.split()[1]:
            raise runtime_error(f"policy.{key} must be {kind} or nil, got {type_name(value)}")
    level = given.get("side_effect_level")
    if level is not None and level not in LEVELS:
        raise runtime_error(f"policy.side_effect_level must be one of {', '.join(LEVELS)}; got {display(level)}")
    return given


def policy_in_force(run: Execution, policy: Policy | None) -> Policy | None:
    """Return the policy that a call is held to: that of its options, and what a caller around it has added."""
    outer = _ceiling(run)
    if policy is None or outer is None or policy is outer or policy.ceiling is outer:
        return outer if policy is None else policy
    return policy.along(outer)


def policy_refusal(run: Execution, call: Call, options: DispatchOptions) -> str | None:
    """Return why the policy in force refuses a call, if it does."""
    policy = policy_in_force(run, options.policy)
    refusal = None if policy is None else policy.refusal_of_tool(call)
    return None if refusal is None else f"Error [tool_rejected]: {refusal}"


class under_policy:  # noqa: N801 - reads as a statement: with under_policy(run, policy)
    """A block in which builtins are held to a policy; further facts that are given go with it."""

    __slots__ = ("_before", "_held", "_task")

    def __init__(self, run: Execution, policy: Policy | None, **facts: object) -> None:
        self._task: Task = run.task
        self._held = {POLICY_FACT: policy, **facts}
        self._before = self._task.facts

    def __enter__(self) -> None:
        self._before = self._task.facts
        held = {name: value for name, value in self._held.items() if value is not None}
        if held:
            self._task.facts = {**self._before, **held}

    def __exit__(self, *_: object) -> None:
        self._task.facts = self._before
