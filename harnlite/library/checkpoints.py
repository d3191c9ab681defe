"""Builtins for checkpoints: values that a script stores under keys in its own file in the project's state folder."""

from __future__ import annotations

import os

from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.library.store import JsonFile, script_base, stored
from harnlite.library.working_folders import os_text, state_root
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_LABEL, _NO_SCRIPT = "checkpoint", "script"


def _opened(run: Execution) -> JsonFile:
    script = run.context.get("script")
    stem = os.path.splitext(os.path.basename(script))[0] if isinstance(script, str) else _NO_SCRIPT
    return JsonFile(os.path.join(state_root(script_base(run)), "checkpoints", f"{stem}.json"), _LABEL)


def _file(run: Execution) -> JsonFile:
    return run.state("checkpoints", lambda: _opened(run))


@native("checkpoint")
def checkpoint(run: Execution, key: object = "", value: object = None) -> None:
    """Store a value; values without a JSON form are stored as nil."""
    require(run, "state.write", "checkpoint")
    file = _file(run)
    file.values[display(key)] = stored(value)
    file.save()


@native("checkpoint_get")
def checkpoint_get(run: Execution, key: object = "") -> object:
    """Return a stored value, or nil."""
    require(run, "state.read", "checkpoint_get")
    return _file(run).values.get(display(key))


@native("checkpoint_exists")
def checkpoint_exists(run: Execution, key: object = "") -> bool:
    """Return whether a key has a value, even if it is nil."""
    require(run, "state.read", "checkpoint_exists")
    return display(key) in _file(run).values


@native("checkpoint_list")
def checkpoint_list(run: Execution) -> list[object]:
    """Return the keys of all stored values, sorted."""
    require(run, "state.read", "checkpoint_list")
    return [*sorted(_file(run).values)]


@native("checkpoint_delete")
def checkpoint_delete(run: Execution, key: object = "") -> None:
    """Delete a stored value."""
    require(run, "state.write", "checkpoint_delete")
    file = _file(run)
    if display(key) in file.values:
        del file.values[display(key)]
        file.save()


@native("checkpoint_clear")
def checkpoint_clear(run: Execution) -> None:
    """Delete all stored values and the file."""
    require(run, "state.write", "checkpoint_clear")
    file = _file(run)
    file.values = {}
    try:
        os.remove(file.path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise runtime_error(f"checkpoint clear error: {os_text(error)}") from None
