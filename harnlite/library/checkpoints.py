"""Builtins for checkpoints: values that a script stores under keys in its own file in the project's state folder."""

from __future__ import annotations

import os

from harnlite.library.json_files import JsonFile
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.library.store import script_base, stored
from harnlite.library.working_folders import state_root
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_LABEL, _NO_SCRIPT = "checkpoint", "script"


def _opened(run: Execution) -> JsonFile:
    script = run.context.get("script")
    stem = os.path.splitext(os.path.basename(script))[0] if isinstance(script, str) else _NO_SCRIPT
    return JsonFile(run, state_root(script_base(run)), os.path.join("checkpoints", f"{stem}.json"), _LABEL)


def _file(run: Execution) -> JsonFile:
    return run.state("checkpoints", lambda: _opened(run))


@native("checkpoint")
def checkpoint(run: Execution, key: object = "", value: object = None) -> None:
    """Store a value; values without a JSON form are stored as nil."""
    require(run, "state.write", "checkpoint")
    name, kept = display(key), stored(value)
    _file(run).change("checkpoint", lambda values: values.update({name: kept}))


@native("checkpoint_get")
def checkpoint_get(run: Execution, key: object = "") -> object:
    """Return a stored value, or nil."""
    require(run, "state.read", "checkpoint_get")
    return _file(run).values("checkpoint_get").get(display(key))


@native("checkpoint_exists")
def checkpoint_exists(run: Execution, key: object = "") -> bool:
    """Return whether a key has a value, even if it is nil."""
    require(run, "state.read", "checkpoint_exists")
    return display(key) in _file(run).values("checkpoint_exists")


@native("checkpoint_list")
def checkpoint_list(run: Execution) -> list[object]:
    """Return the keys of all stored values, sorted."""
    require(run, "state.read", "checkpoint_list")
    return [*sorted(_file(run).values("checkpoint_list"))]


@native("checkpoint_delete")
def checkpoint_delete(run: Execution, key: object = "") -> None:
    """Delete a stored value."""
    require(run, "state.write", "checkpoint_delete")
    name = display(key)
    _file(run).change("checkpoint_delete", lambda values: values.pop(name, None), of=name)


@native("checkpoint_clear")
def checkpoint_clear(run: Execution) -> None:
    """Delete all stored values and the file."""
    require(run, "state.write", "checkpoint_clear")
    _file(run).remove("checkpoint_clear")
