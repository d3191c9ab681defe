"""The one door to the world: every operation with effects outside the run asks here first.

The context of a run holds its `permissions`, and `workspace_roots`, a tuple of folders; files outside them are not
accessible. A missing entry restricts nothing. A task may further be held to the policy of a tool call.
"""

from __future__ import annotations

import os

from harnlite.file_places import FilePlace
from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnlite.capabilities.grants import Permissions
    from harnlite.runtime.tasks.execution import Execution

POLICY_FACT = "execution_policy"
"""Under which fact of a task the capability policy stands that it is held to."""
COMMAND_FACT = "command_policy"
"""Under which fact of a task the command policy of the running tool call stands."""
COMMAND_POLICIES = "command_policies"
"""Under which state of a run the command policies stand that a script has pushed."""


def permissions_of(run: Execution) -> Permissions | None:
    """Return the permissions that the run was started with, or None if it may do everything."""
    return run.context.get("permissions")  # type: ignore[return-value]  # set by the host alone


def may(run: Execution, operation: str, target: str | None = None) -> bool:
    """Return whether the run was started with the capability for an operation, and with a target in its scope."""
    permissions = permissions_of(run)
    return permissions is None or permissions.refusing(operation, target) is None


def is_restricted(run: Execution, operation: str) -> bool:
    """Return whether the run was started without the capability for an operation, or with scopes for it."""
    permissions = permissions_of(run)
    return permissions is not None and permissions.restricts(operation)


def require(run: Execution, operation: str, name: str, target: str | None = None) -> None:
    """Raise the categorised error if the named builtin may not perform an operation, or not on this target."""
    permissions = permissions_of(run)
    if permissions is not None:
        grants = permissions.refusing(operation, target)
        if grants is not None:
            raise ScriptError(f"Error [tool_rejected]: Tool '{name}' is not permitted: {grants.advice(operation)}")
    policy = run.task.facts.get(POLICY_FACT)
    if policy is not None:
        policy.check_builtin(name, operation)  # type: ignore[attr-defined]  # a class of the agent, a layer above


def place_of(run: Execution, operation: str, name: str, path: str, *, is_entry: bool = False) -> FilePlace:
    """Return the place of a path on which the named builtin may perform an operation; otherwise raise the error.

    `is_entry` means the entry of a folder itself; if it is a link, its target does not matter.
    """
    permissions = permissions_of(run)
    policy = run.task.facts.get(POLICY_FACT)
    if permissions is None and policy is None and "workspace_roots" not in run.context:
        return FilePlace(path)
    require(run, operation, name)
    limits = (run.context.get("workspace_roots"), None if policy is None else policy.roots)  # type: ignore[attr-defined]  # likewise
    guarded = permissions is not None and (permissions.restricts(operation) or permissions.restricts("env"))
    if not guarded and limits == (None, None):
        return FilePlace(path)
    real = _real_path(path, is_entry=is_entry)
    if permissions is not None:
        require(run, operation, name, real)
        if _shows_environment(real) and permissions.restricts("env"):
            require(run, "env", name, "")
    for roots in limits:
        if isinstance(roots, (tuple, list)) and not is_inside(real, [os.path.join(run.cwd, root) for root in roots]):
            action = operation.rpartition(".")[2]
            reason = f"attempted to {action} '{path}' outside workspace_roots [{', '.join(roots)}]"
            raise ScriptError(f"Error [tool_rejected]: sandbox violation: builtin '{name}' {reason}")
    return FilePlace(path, real)


def check_place(run: Execution, action: str, name: str, path: str) -> None:
    """Raise the categorised error if the named builtin may not read, write or delete this path."""
    place_of(run, f"fs.{action}", name, path)


def _real_path(path: str, *, is_entry: bool) -> str:
    """Return a path without links; a text that cannot be a path stays as it is."""
    if not _can_be_path(path):
        return path
    if not is_entry:
        return os.path.realpath(path)
    folder, name = os.path.split(path.rstrip(os.sep))
    if name in {"", os.curdir, os.pardir}:
        return os.path.realpath(path)
    return os.path.join(os.path.realpath(folder), name)


def _can_be_path(text: str) -> bool:
    """Return whether the functions of the operating system accept a text as a path."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeError:
        return False


def _shows_environment(real: str) -> bool:
    """Return whether a file shows the environment of a process."""
    return real.startswith("/proc/") and real.endswith(("/environ", "/mem"))


def is_inside(place: str, roots: Iterable[str]) -> bool:
    """Return whether a path is inside one of several folders after all links are resolved."""
    if not _can_be_path(place):
        return False
    real = os.path.realpath(place)
    tops = (os.path.realpath(root) for root in roots)
    return any(real == top or real.startswith(top.rstrip(os.sep) + os.sep) for top in tops)
