"""What a run may pass to another program: which program it is, its environment and its folder."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager

from harnlite.capabilities.limit_table import PROCESSES
from harnlite.capabilities.scopes import FoundProgram, program_path
from harnlite.file_places import FilePlace
from harnlite.runtime.access_control import permissions_of, place_of, require
from harnlite.values.errors import ScriptError
from harnlite.values.limits import limit_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harnlite.runtime.tasks.execution import Execution

_OPERATION = "process.exec"
_USUAL = ("PATH", "HOME", "LANG", "TMPDIR")
"""The environment variables that a program gets from a run that may not read the environment."""


def working_folder(run: Execution, name: str, path: str) -> FilePlace:
    """Return the place of a folder in which the named builtin may run a program; otherwise raise the error."""
    require(run, _OPERATION, name)
    return FilePlace(path) if permissions_of(run) is None else place_of(run, "fs.read", name, path)


def permitted_program(run: Execution, name: str, program: str, folder: str) -> str | None:
    """Return the path of a program that the named builtin may run, or None to search as usual; otherwise raise."""
    permissions = permissions_of(run)
    require(run, _OPERATION, name)
    if permissions is None or not permissions.restricts(_OPERATION):
        return None
    path = program_path(program, folder)
    if path is None:
        require(run, _OPERATION, name, "" if os.path.dirname(program) else program)
        raise ScriptError(f"{name} failed: process spawn failed: {os.strerror(errno.ENOENT)} (os error {errno.ENOENT})")
    found = FoundProgram.at(path)
    require(run, _OPERATION, name, found)
    # A path that the script gives can lead through links that change before the program starts.
    return found.real if os.path.dirname(program) else str(found)


class _Running:
    """The number of programs that a run is running."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


@contextmanager
def program_slot(run: Execution) -> Iterator[None]:
    """Count a program while it runs; raise an error if the run is already running as many as it may."""
    running = run.state("running_programs", _Running)
    if running.count >= run.limits.processes:
        raise ScriptError(limit_text(PROCESSES))
    running.count += 1
    try:
        yield
    finally:
        running.count -= 1


def child_environment(run: Execution, added: Mapping[str, str] | None = None) -> dict[str, str] | None:
    """Return the environment of a program that a run starts, or None for the environment of this process."""
    permissions = permissions_of(run)
    if permissions is None or not permissions.restricts("env"):
        return {**os.environ, **added} if added else None
    known = {key: value for key, value in os.environ.items() if permissions.refusing("env", key) is None}
    usual = {key: os.environ[key] for key in _USUAL if key in os.environ}
    return {**usual, **known, **(added or {})}
