"""The methods of dicts."""

from __future__ import annotations

from harnlite.runtime.methods.method_arguments import refuse
from harnlite.values.data_types import CALLABLES, MISSING, is_callable
from harnlite.values.iteration import iterate
from harnlite.values.iterators import iter_of
from harnlite.values.list_operations import key_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Entries: TypeAlias = dict[str, object]
    Callback: TypeAlias = Callable[..., object]


def _keys(entries: Entries, *_: object) -> list[object]:
    return [*sorted(entries)]


def _values(entries: Entries, *_: object) -> list[object]:
    return [entries[key] for key in sorted(entries)]


def _entries(entries: Entries, *_: object) -> list[object]:
    return list(iterate(entries))


def _count(entries: Entries, *_: object) -> int:
    return len(entries)


def _has(entries: Entries, key: object = "", *_: object) -> bool:
    return (key if key.__class__ is str else key_of(key)) in entries


def _get(entries: Entries, key: object = "", default: object = None, *_: object) -> object:
    return entries.get(key if key.__class__ is str else key_of(key), default)


def _merge(entries: Entries, *others: object) -> object:
    if entries.get("_namespace") == "stream" and is_callable(member := entries.get("merge")):
        return member(*others)
    if not others or others[0].__class__ is not dict:
        return entries
    return {**entries, **others[0]}


def _remove(entries: Entries, key: object = "", *_: object) -> Entries:
    if (name := key_of(key)) not in entries:
        return entries
    rest = entries.copy()
    del rest[name]
    return rest


def _filter(entries: Entries, test: Callback = MISSING, *more: object) -> object:
    if entries.get("_namespace") == "stream" and is_callable(member := entries.get("filter")):
        return member(*(() if test is MISSING else (test, *more)))
    if test.__class__ not in CALLABLES:
        return refuse("filter", test)
    return {key: entries[key] for key in sorted(entries) if test(entries[key])}


def _map_values(entries: Entries, change: Callback = MISSING, *_: object) -> object:
    if change.__class__ not in CALLABLES:
        return refuse("map_values", change)
    return {key: change(entries[key]) for key in sorted(entries)}


def _rekey_as(name: str) -> Callable[..., object]:
    def method(entries: Entries, change: Callback = MISSING, *_: object) -> object:
        if change.__class__ not in CALLABLES:
            return refuse(name, change)
        return {key_of(change(key)): entries[key] for key in sorted(entries)}

    return method


def _iter(entries: Entries, *_: object) -> object:
    return iter_of(entries)


DICT_METHODS: dict[str, Callable[..., object]] = {
    "count": _count,
    "entries": _entries,
    "filter": _filter,
    "get": _get,
    "has": _has,
    "iter": _iter,
    "keys": _keys,
    "map_keys": _rekey_as("map_keys"),
    "map_values": _map_values,
    "merge": _merge,
    "rekey": _rekey_as("rekey"),
    "remove": _remove,
    "values": _values,
}
