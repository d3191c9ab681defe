"""Builtins for cells and maps that tasks share."""

from __future__ import annotations

from harnlite.library.native import MISSING, native
from harnlite.library.shared_scopes import address, handle, opened, scope_id
from harnlite.runtime.concurrency.shared_state import CELL, MAILBOX, MAP, SNAPSHOT, Cell, Map, store_of
from harnlite.values.display import display
from harnlite.values.equality import equal
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.runtime.concurrency.shared_state import Mailbox, Store
    from harnlite.runtime.tasks.execution import Execution


@native("shared_scope_id")
def shared_scope_id(run: Execution, scope: object = None, options: object = None) -> str:
    """Return the id of a scope in this task."""
    return scope_id(run, "shared_scope_id", scope, options if options.__class__ is dict else {})


def _snapshot(value: object, version: int) -> dict[str, object]:
    return {"_type": SNAPSHOT, "value": value, "version": version}


def _is_met(state: Cell | Map, value: object, expected: object) -> bool:
    """Return whether a value equals the expected one; if that is a snapshot, its version must be current too."""
    if expected.__class__ is dict and expected.get("_type") == SNAPSHOT and "version" in expected:
        if expected["version"] != state.version:
            state.stale += 1
            return False
        expected = expected.get("value")
    return equal(value, expected)


# Cells


@native("shared_cell")
def shared_cell(run: Execution, name: object = MISSING, initial: object = MISSING) -> dict[str, object]:
    """Return the handle of a cell; create the cell with an initial value if it does not exist."""
    where, options = opened(run, "shared_cell", name)
    cells = store_of(run).cells
    if where not in cells:
        cells[where] = Cell(options.get("initial") if initial is MISSING else initial)
    return handle(CELL, where)


def _cell(run: Execution, function: str, target: object) -> Cell:
    if target is MISSING:
        raise runtime_error(f"{function}: handle is required")
    return store_of(run).cells.setdefault(address(run, function, CELL, target), Cell())


@native("shared_get")
def shared_get(run: Execution, cell: object = MISSING) -> object:
    """Return the value of a cell."""
    found = _cell(run, "shared_get", cell)
    found.reads += 1
    return found.value


@native("shared_set")
def shared_set(run: Execution, cell: object = MISSING, value: object = None) -> object:
    """Set the value of a cell and return the old one."""
    found = _cell(run, "shared_set", cell)
    old, found.value = found.value, value
    found.note_write()
    return old


@native("shared_snapshot")
def shared_snapshot(run: Execution, cell: object = MISSING) -> dict[str, object]:
    """Return the value of a cell with its version."""
    found = _cell(run, "shared_snapshot", cell)
    found.reads += 1
    return _snapshot(found.value, found.version)


@native("shared_cas")
def shared_cas(run: Execution, cell: object = MISSING, expected: object = MISSING, new: object = MISSING) -> bool:
    """Set the value of a cell if it equals the expected one; return whether it did."""
    if new is MISSING:
        raise runtime_error("shared_cas: requires handle, expected, and new value")
    found = _cell(run, "shared_cas", cell)
    is_met = _is_met(found, found.value, expected)
    if is_met:
        found.value = new
    return found.note_attempt(done=is_met)


# Maps


@native("shared_map")
def shared_map(run: Execution, name: object = MISSING, initial: object = MISSING) -> dict[str, object]:
    """Return the handle of a map; create the map with initial entries if it does not exist."""
    where, options = opened(run, "shared_map", name)
    maps = store_of(run).maps
    if where not in maps:
        entries = options.get("initial") if initial is MISSING else initial
        maps[where] = Map(dict(entries) if isinstance(entries, dict) else {})
    return handle(MAP, where)


def _map(run: Execution, function: str, target: object) -> Map:
    return store_of(run).maps.setdefault(address(run, function, MAP, target), Map({}))


@native("shared_map_get")
def shared_map_get(run: Execution, shared: object = MISSING, key: object = MISSING, default: object = None) -> object:
    """Return an entry of a map, or the default if it does not exist."""
    if key is MISSING:
        raise runtime_error("shared_map_get: requires handle and key")
    found = _map(run, "shared_map_get", shared)
    found.reads += 1
    return found.entries.get(display(key), default)


@native("shared_map_set")
def shared_map_set(run: Execution, shared: object = MISSING, key: object = MISSING, value: object = MISSING) -> object:
    """Set an entry of a map and return the old one."""
    if value is MISSING:
        raise runtime_error("shared_map_set: requires handle, key, and value")
    found = _map(run, "shared_map_set", shared)
    name = display(key)
    old = found.entries.get(name)
    found.entries[name] = value
    found.note_write()
    return old


@native("shared_map_delete")
def shared_map_delete(run: Execution, shared: object = MISSING, key: object = MISSING) -> object:
    """Remove an entry of a map and return it."""
    if key is MISSING:
        raise runtime_error("shared_map_delete: requires handle and key")
    found = _map(run, "shared_map_delete", shared)
    name = display(key)
    if name not in found.entries:
        return None
    found.note_write()
    return found.entries.pop(name)


@native("shared_map_cas")
def shared_map_cas(
    run: Execution, shared: object = MISSING, key: object = MISSING, expected: object = MISSING, new: object = MISSING
) -> bool:
    """Set an entry of a map, or remove it with nil, if it equals the expected value; return whether it did."""
    if new is MISSING:
        raise runtime_error("shared_map_cas: requires handle, key, expected, and new value")
    found = _map(run, "shared_map_cas", shared)
    name = display(key)
    is_met = _is_met(found, found.entries.get(name), expected)
    if is_met and new is None:
        found.entries.pop(name, None)
    elif is_met:
        found.entries[name] = new
    return found.note_attempt(done=is_met)


@native("shared_map_entries")
def shared_map_entries(run: Execution, shared: object = MISSING) -> dict[str, object]:
    """Return all entries of a map."""
    if shared is MISSING:
        raise runtime_error("shared_map_entries: handle is required")
    found = _map(run, "shared_map_entries", shared)
    found.reads += 1
    return dict(found.entries)


@native("shared_map_snapshot")
def shared_map_snapshot(run: Execution, shared: object = MISSING, key: object = MISSING) -> dict[str, object]:
    """Return an entry of a map with the version of the map."""
    if key is MISSING:
        raise runtime_error("shared_map_snapshot: requires handle and key")
    found = _map(run, "shared_map_snapshot", shared)
    found.reads += 1
    return _snapshot(found.entries.get(display(key)), found.version)


# Metrics of all kinds


@native("shared_metrics")
def shared_metrics(run: Execution, target: object = None) -> object:
    """Return the metrics of a cell, map or mailbox, or of all of them."""
    store = store_of(run)
    if target is not None:
        return _metrics_of(run, store, target)
    kinds: dict[str, Mapping[tuple[str, str], Cell | Map | Mailbox]]
    kinds = {CELL: store.cells, MAP: store.maps, MAILBOX: store.mailboxes}
    return [
        {**objects[where].metrics(), **handle(kind, where)}
        for kind, objects in kinds.items()
        for where in sorted(objects)
    ]


def _metrics_of(run: Execution, store: Store, target: object) -> dict[str, object] | None:
    kind = target.get("_type") if isinstance(target, dict) else CELL
    if kind == MAILBOX:
        mailbox = store.mailboxes.get(address(run, "shared_metrics", MAILBOX, target))
        return None if mailbox is None else mailbox.metrics()
    found = _map(run, "shared_metrics", target) if kind == MAP else _cell(run, "shared_metrics", target)
    return found.metrics()
