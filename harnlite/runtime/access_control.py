"""The permission checks for every operation with effects outside the run.

The context of a run holds its permissions: `capabilities`, a frozenset of names such as `fs.read`, and
`workspace_roots`, a tuple of folders; files outside them are not accessible. A missing entry restricts nothing.
"""

from __future__ import annotations

import os

from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnlite.runtime.tasks.execution import Execution

POLICY_FACT = "execution_policy"
"""Under which fact of a task the capability policy stands that it is held to."""
COMMAND_FACT = "command_policy"
"""Under which fact of a task the command policy of the running tool call stands."""
COMMAND_POLICIES = "command_policies"
"""Under which state of a run the command policies stand that a script has pushed."""


def may(run: Execution, capability: str) -> bool:
    """Return whether the run was started with this capability."""
    granted = run.context.get("capabilities")
    return not isinstance(granted, frozenset) or capability in granted


def require(run: Execution, capability: str, name: str) -> None:
    """Raise the categorised error if the run was started without this capability."""
    if not may(run, capability):
        raise ScriptError(f"Error [tool_rejected]: Tool '{name}' is not permitted.")
    policy = run.task.facts.get(POLICY_FACT)
    if policy is not None:
        policy.check_builtin(name, capability)  # type: ignore[attr-defined]  # a class of the agent, a layer above


def check_place(run: Execution, action: str, name: str, place: str) -> None:
    """Raise the categorised error if the named builtin or tool may not read, write or delete this path."""
    require(run, f"fs.{action}", name)
    policy = run.task.facts.get(POLICY_FACT)
    for roots in (run.context.get("workspace_roots"), None if policy is None else policy.roots):  # type: ignore[attr-defined]  # likewise
        if isinstance(roots, (tuple, list)) and not is_inside(place, [os.path.join(run.cwd, root) for root in roots]):
            reason = f"attempted to {action} '{place}' outside workspace_roots [{', '.join(roots)}]"
            raise ScriptError(f"Error [tool_rejected]: sandbox violation: builtin '{name}' {reason}")


def is_inside(place: str, roots: Iterable[str]) -> bool:
    """Return whether a path is inside one of several folders after all links are resolved."""
    if "\0" in place:
        return False
    real = os.path.realpath(place)
    tops = (os.path.realpath(root) for root in roots)
    return any(real == top or real.startswith(top.rstrip(os.sep) + os.sep) for top in tops)
