"""Builtins for the store: values that persist between runs, in a file of the project."""

from __future__ import annotations

import math
import os

from harnlite.formats.json.writing import json_text
from harnlite.library.json_files import JsonFile
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.library.working_folders import project_above, state_root
from harnlite.values.display import display
from harnlite.values.interrupts import poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

_FILE = "store.json"


def stored(value: object) -> object:
    """Return a value as a JSON file can store it; values without a JSON form become nil."""
    if value.__class__ is list or value.__class__ is dict:
        # The file holds a shared value once for each reference: a text that would be too large is an error here.
        json_text(value)
    return _stored(value, {})


def _stored(value: Any, known: dict[int, object]) -> object:  # noqa: ANN401 - any value
    kind = value.__class__
    if kind in _UNCHANGED:
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if kind is not list and kind is not dict:
        return None
    if id(value) not in known:
        poll_here()
        known[id(value)] = (
            [_stored(item, known) for item in value]
            if kind is list
            else {key: _stored(item, known) for key, item in value.items()}
        )
    return known[id(value)]


_UNCHANGED = frozenset({bool, int, str})


def script_base(run: Execution) -> str:
    """Return the root of the project that contains the script, or the folder of the script if there is none."""
    script = run.context.get("script")
    folder = os.path.dirname(os.path.abspath(script)) if isinstance(script, str) else run.source_dir()
    return project_above(folder) or folder


def _store(run: Execution) -> JsonFile:
    return run.state("store", lambda: JsonFile(run, state_root(script_base(run)), _FILE, "store"))


@native("store_get")
def store_get(run: Execution, key: object = "") -> object:
    """Return a stored value, or nil."""
    require(run, "state.read", "store_get")
    return _store(run).values("store_get").get(display(key))


@native("store_set")
def store_set(run: Execution, key: object = "", value: object = None) -> None:
    """Store a value; values without a JSON form are stored as nil."""
    require(run, "state.write", "store_set")
    name, kept = display(key), stored(value)
    _store(run).change("store_set", lambda values: values.update({name: kept}))


@native("store_delete")
def store_delete(run: Execution, key: object = "") -> None:
    """Delete a stored value."""
    require(run, "state.write", "store_delete")
    name = display(key)
    _store(run).change("store_delete", lambda values: values.pop(name, None), of=name)


@native("store_list")
def store_list(run: Execution) -> list[object]:
    """Return the keys of the store, sorted."""
    require(run, "state.read", "store_list")
    return [*sorted(_store(run).values("store_list"))]


@native("store_save")
def store_save(run: Execution) -> None:
    """Write the file of the store; all changes are already in it."""
    require(run, "state.write", "store_save")
    _store(run).change("store_save", lambda _: None)


@native("store_clear")
def store_clear(run: Execution) -> None:
    """Delete all stored values."""
    require(run, "state.write", "store_clear")
    _store(run).change("store_clear", lambda values: values.clear())
