"""Builtins for the store: values that persist between runs, in a file of the project."""

from __future__ import annotations

import json
import math
import os

from harnlite.formats.json.writing import json_text
from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.library.working_folders import os_text, project_above, state_root
from harnlite.values.display import display
from harnlite.values.errors import runtime_error
from harnlite.values.interrupts import interruptible, poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

_FILE = "store.json"
_INT_BITS = 64


def _wrapped_int(text: str) -> int | float:
    number = int(text)
    return number if (number if number >= 0 else ~number).bit_length() < _INT_BITS else float(text)


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


class JsonFile:
    """A dict that is stored in a JSON file."""

    __slots__ = ("label", "path", "values")

    def __init__(self, path: str, label: str) -> None:
        self.path = path
        self.label = label
        self.values = self._loaded()

    def _loaded(self) -> dict[str, object]:
        try:
            with open(self.path, encoding="utf-8") as file:
                values = json.load(file, parse_int=_wrapped_int)
        except (OSError, ValueError):
            return {}
        return values if isinstance(values, dict) else {}

    def save(self) -> None:
        """Write the file atomically, so that a concurrent reader never sees a partial file."""
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
        except OSError as error:
            raise runtime_error(f"{self.label} mkdir error: {os_text(error)}") from None
        text = interruptible(_indented, self.values)
        draft = f"{self.path}.{os.getpid()}.tmp"
        try:
            with open(draft, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            os.replace(draft, self.path)
        except (OSError, ValueError) as error:
            raise runtime_error(f"{self.label} write error: {os_text(error)}") from None


def _indented(values: dict[str, object]) -> str:
    return json.dumps(values, indent=2, sort_keys=True, ensure_ascii=False)


def script_base(run: Execution) -> str:
    """Return the root of the project that contains the script, or the folder of the script if there is none."""
    script = run.context.get("script")
    folder = os.path.dirname(os.path.abspath(script)) if isinstance(script, str) else run.source_dir()
    return project_above(folder) or folder


def _store(run: Execution) -> JsonFile:
    return run.state("store", lambda: JsonFile(os.path.join(state_root(script_base(run)), _FILE), "store"))


@native("store_get")
def store_get(run: Execution, key: object = "") -> object:
    """Return a stored value, or nil."""
    require(run, "state.read", "store_get")
    return _store(run).values.get(display(key))


@native("store_set")
def store_set(run: Execution, key: object = "", value: object = None) -> None:
    """Store a value; values without a JSON form are stored as nil."""
    require(run, "state.write", "store_set")
    store = _store(run)
    store.values[display(key)] = stored(value)
    store.save()


@native("store_delete")
def store_delete(run: Execution, key: object = "") -> None:
    """Delete a stored value."""
    require(run, "state.write", "store_delete")
    store = _store(run)
    if display(key) in store.values:
        del store.values[display(key)]
        store.save()


@native("store_list")
def store_list(run: Execution) -> list[object]:
    """Return the keys of the store, sorted."""
    require(run, "state.read", "store_list")
    return [*sorted(_store(run).values)]


@native("store_save")
def store_save(run: Execution) -> None:
    """Write the store to its file."""
    require(run, "state.write", "store_save")
    _store(run).save()


@native("store_clear")
def store_clear(run: Execution) -> None:
    """Delete all stored values."""
    require(run, "state.write", "store_clear")
    store = _store(run)
    store.values = {}
    store.save()
