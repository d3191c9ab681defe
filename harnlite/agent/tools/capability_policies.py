"""The enforcement of capability policies for tool calls and builtins; an inner policy only narrows an outer one."""

from __future__ import annotations

from harnlite.agent.hooks.name_globs import first_fit
from harnlite.agent.option_values import names_in
from harnlite.agent.tools.policy import Policy, capabilities_in, read_policy
from harnlite.agent.tools.rule_matching import argument_for_rule, fitting_pattern
from harnlite.formats.json.writing import json_string
from harnlite.llm.errors import categorised
from harnlite.runtime.access_control import COMMAND_FACT, POLICY_FACT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.tools.tool_call import Call, Decision
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.runtime.tasks.task import Task

_OF_KIND = {
    "read": "read_only",
    "search": "read_only",
    "edit": "workspace_write",
    "delete": "workspace_write",
    "move": "workspace_write",
    "execute": "process_exec",
    "fetch": "network",
}


def capability_refusal(run: Execution, call: Call, decision: Decision) -> str | None:
    """Return the reason if the active policy refuses a call, otherwise None; it also applies to the execution."""
    policy = decision.policy = policy_in_force(run, decision.options.policy)
    refusal = None if policy is None else refusal_of_tool(policy, call)
    return None if refusal is None else f"Error [tool_rejected]: {refusal}"


def refusal_of_tool(policy: Policy, call: Call) -> str | None:
    """Return the reason if a policy refuses a call, otherwise None; the ceilings are checked before the arguments."""
    what = f"tool '{call.name}'"
    if policy.tools is not None and first_fit(policy.tools, call.name) is None:
        return f"{what} exceeds tool ceiling"
    annotations = _annotations_of(policy, call)
    for name, operations in (capabilities_in(annotations.get("capabilities")) or {}).items():
        for operation in operations or ():
            if not policy.grants(name, operation):
                return f"{what} exceeds capability ceiling: {name}.{operation}"
    if policy.is_exceeded_by(annotations.get("side_effect_level") or _OF_KIND.get(call.kind)):
        return f"{what} exceeds side-effect ceiling: {policy.level}"
    return _wrong_argument(policy, call)


def _annotations_of(policy: Policy, call: Call) -> dict[str, object]:
    own = (call.entry or {}).get("annotations")
    known: dict[str, object] = dict(own) if own.__class__ is dict else {}
    over = policy.annotations.get(call.name)
    if over.__class__ is dict:
        known.update(over)
    wanted = (call.entry or {}).get("host_capability")
    if isinstance(wanted, str) and "." in wanted and "capabilities" not in known:
        family, _, operation = wanted.partition(".")
        known["capabilities"] = {family: [operation]}
    return known


def _wrong_argument(policy: Policy, call: Call) -> str | None:
    for constraint in policy.constraints:
        tool, patterns = constraint.get("tool"), constraint.get("arg_patterns")
        if fitting_pattern(tool if isinstance(tool, str) else "*", call.name) is None:
            continue
        argument = argument_for_rule(call.arguments, constraint.get("arg_key"))
        if argument is not None and not argument.fits(patterns):
            listed = ", ".join([json_string(pattern) for pattern in names_in(patterns)])
            what = f"tool '{call.name}' {argument.name} '{argument.text}'"
            return f"{what} does not match allowed patterns: [{listed}]"
    return None


def _ceiling(run: Execution) -> Policy | None:
    """Return the policy that limits the current task, or None."""
    ceiling = run.task.facts.get(POLICY_FACT)
    return ceiling if isinstance(ceiling, Policy) else None


def policy_of(run: Execution, config: object) -> Policy | None:
    """Return the policy of an option, narrowed by the policy that limits the current task."""
    outer = _ceiling(run)
    if config is None:
        return outer
    own = read_policy(config)
    return own if outer is None else own.within(outer)


def policy_of_loop(run: Execution, config: object) -> Policy | None:
    """Return the policy of a loop; a recursion limit is one lower for the agents that the loop starts."""
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


def policy_in_force(run: Execution, policy: Policy | None) -> Policy | None:
    """Return the policy for a call: that of its options, narrowed by the policy that limits the current task."""
    outer = _ceiling(run)
    if policy is None or outer is None or policy is outer or policy.ceiling is outer:
        return outer if policy is None else policy
    return policy.along(outer)


class under_policy:  # noqa: N801 - reads as a statement: with under_policy(run, policy)
    """A context manager that applies a capability policy and, in a tool call, its command policy to builtins."""

    __slots__ = ("_before", "_command_policy", "_policy", "_task")

    def __init__(self, run: Execution, policy: Policy | None, command_policy: object = None) -> None:
        self._task: Task = run.task
        self._policy = policy
        self._command_policy = command_policy
        self._before = self._task.facts

    def __enter__(self) -> None:
        self._before = facts = self._task.facts
        if self._policy is not None:
            facts = {**facts, POLICY_FACT: self._policy}
        if self._command_policy is not None:
            facts = {**facts, COMMAND_FACT: self._command_policy}
        self._task.facts = facts

    def __exit__(self, *_: object) -> None:
        self._task.facts = self._before
