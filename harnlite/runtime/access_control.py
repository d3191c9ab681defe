"""The one door to the world: every operation with effects outside the run asks here first.

The context of a run holds its `permissions`, and `workspace_roots`, a tuple of folders; files outside them are not
accessible. A missing entry restricts nothing. A task may further be held to the policy of a tool call.
"""

from __future__ import annotations

import errno
import os
import stat

from harnlite.file_places import FilePlace
from harnlite.regular_files import regular_file
from harnlite.resources import folder
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


_ATTEMPTS = 20


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
    permissions: Permissions | None = run.context.get("permissions")  # type: ignore[assignment]  # set by the host alone
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


def readable_place(run: Execution, name: str, path: str) -> FilePlace | None:
    """Return the place of a path if the named builtin may read it, or None."""
    try:
        return place_of(run, "fs.read", name, path)
    except ScriptError:
        return None


def kind_at(place: FilePlace | None) -> int:
    """Return the kind of the file at a place, as in `stat.S_IFMT`, or 0 if there is none or no place."""
    try:
        return 0 if place is None else stat.S_IFMT(place.status().st_mode)
    except (OSError, ValueError):
        return 0


def module_place(run: Execution, path: str) -> FilePlace:
    """Return the place of a module that a program imports; without the capability, raise the error.

    The standard library, and modules in or below the folder of the program, need no capability.
    """
    if not is_guarded(run):
        return FilePlace(path)
    script = run.context.get("script")
    own = os.path.dirname(os.path.abspath(script)) if isinstance(script, str) else run.cwd
    real = _real_path(path, is_entry=False)
    if is_inside(real, [folder("stdlib")]):
        return FilePlace(real)
    if is_inside(real, [own]) and not _shows_environment(real):
        return FilePlace(path, real)
    return place_of(run, "fs.read", "import", path)


def module_opener(run: Execution) -> ModuleOpener | None:
    """Return the opener of the modules of a run that may not read all files, or None."""
    return ModuleOpener(run) if is_guarded(run) else None


def is_guarded(run: Execution) -> bool:
    """Return whether the run may not read all files."""
    permissions = permissions_of(run)
    return permissions is not None and (permissions.restricts("fs.read") or permissions.restricts("env"))


class ModuleOpener:
    """An opener, in the sense of `open`, of the modules that the static check of a run looks at.

    It refuses the files that the run may not read, and notes in `has_refused` that there was one.
    """

    __slots__ = ("_run", "has_refused")

    def __init__(self, run: Execution) -> None:
        self._run = run
        self.has_refused = False

    def __call__(self, path: str, flags: int) -> int:
        """Open a module; raise OSError if the run may not read it."""
        try:
            place = module_place(self._run, path)
        except ScriptError:
            self.has_refused = True
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path) from None
        return place.open(flags, regular_file)


def _real_path(path: str, *, is_entry: bool) -> str:
    """Return a path without links; a text that cannot be a path is only freed of `..`, which could lead elsewhere."""
    if not _can_be_path(path):
        return os.path.normpath(path)
    if not is_entry:
        return _resolved(path)
    folder, name = os.path.split(path.rstrip(os.sep))
    if name in {"", os.curdir, os.pardir}:
        return _resolved(path)
    return os.path.join(_resolved(folder), name)


def _resolved(path: str) -> str:
    """Return a path without links; raise the error if another process changes them all the time."""
    for _ in range(_ATTEMPTS):
        try:
            return os.path.realpath(path)
        except OSError:  # A link was removed after it was seen.
            continue
    raise ScriptError(f"Error [tool_rejected]: '{path}' cannot be resolved: its links change")


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
    real = _resolved(place)
    tops = (_resolved(root) for root in roots)
    return any(real == top or real.startswith(top.rstrip(os.sep) + os.sep) for top in tops)
