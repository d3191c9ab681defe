"""What containers hand to closures and what their methods give back, as far as it follows from what they hold."""

from __future__ import annotations

from harnlite.analysis.checking.literals import item_type
from harnlite.analysis.types.annotations import expand
from harnlite.analysis.types.assignability import without_nil
from harnlite.analysis.types.representation import INT, NIL, RANGE, STRING, Applied, Shape, ShapeField, Type, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Result: TypeAlias = Callable[["Use"], Type | None]


class Use:
    """A call of a method: the container, the type of what it holds, how many arguments there are.

    `mapped` is what the closure among these comes to.
    """

    __slots__ = ("container", "count", "item", "mapped")

    def __init__(self, container: Applied, item: Type, count: int, mapped: Type | None) -> None:
        self.container = container
        self.item = item
        self.count = count
        self.mapped = mapped


def held(kind: Type | None) -> Type | None:
    """Return the type of the items of a container, or of the values of a dict."""
    kind = expand(without_nil(kind))
    if isinstance(kind, Applied) and kind.name == "dict":
        return kind.args[-1] if kind.args else None
    return item_type(kind)


def taken(kind: Type | None, method: str) -> Type | None:
    """Return what a method gives the last parameter of a closure."""
    container = _container(kind)
    if container is None or method not in _TAKERS.get(container.name, ()):
        return None
    return STRING if method in _KEY_TAKERS else held(container)


def given_back(kind: Type | None, method: str, count: int, mapped: Type | None) -> Type | None:
    """Return what a method called with some arguments gives back, where that is more than its declaration says."""
    kind = expand(without_nil(kind))
    if kind is STRING:
        return _of("list", STRING) if method in _PARTS else None
    container, item = _container(kind), held(kind)
    if container is None or item is None:
        return None
    result = _RESULTS.get(container.name, {}).get(method)
    return None if result is None else result(Use(container, item, count, mapped))


def _container(kind: Type | None) -> Applied | None:
    kind = expand(without_nil(kind))
    if kind is RANGE:
        return Applied("iter", (INT,))
    return kind if isinstance(kind, Applied) else None


def _of(name: str, item: Type | None) -> Type | None:
    return None if item is None else Applied(name, (item,))


def _dict_of(value: Type | None) -> Type | None:
    return None if value is None else Applied("dict", (STRING, value))


def _list_of_shapes(**fields: Type) -> Type | None:
    return _of("list", Shape({name: ShapeField(name, kind) for name, kind in fields.items()}))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _named(names: str, result: Result) -> dict[str, Result]:
    return dict.fromkeys(_words(names), result)


def _same(use: Use) -> Type:
    return use.container


def _one(use: Use) -> Type | None:
    return join((use.item, NIL))


def _one_or_some(use: Use) -> Type | None:
    return use.container if use.count else _one(use)


def _mapped(use: Use) -> Type | None:
    return _of(use.container.name, use.mapped)


def _flat_mapped(use: Use) -> Type | None:
    return _of(use.container.name, held(use.mapped))


_PARTS = _words("chars split lines")
_KEY_TAKERS = _words("map_keys rekey")
_TAKERS: dict[str, frozenset[str]] = {
    "list": _words(
        "map filter reduce flat_map any all every none find find_index sort_by min_by max_by partition group_by"
    ),
    "set": _words("map filter any all every"),
    "iter": _words("map filter reduce flat_map any all find take_while skip_while for_each"),
    "dict": _words("filter map_values") | _KEY_TAKERS,
}
"""The methods that call a closure with an item, a value or a key as its last argument."""

_ITEMS = {
    "map": _mapped,
    "flat_map": _flat_mapped,
    "to_list": lambda use: _of("list", use.item),
    "to_set": lambda use: _of("set", use.item),
}
_RESULTS: dict[str, dict[str, Result]] = {
    "list": {
        **_ITEMS,
        **_named("filter sort sort_by reverse slice unique take skip compact pop", _same),
        **_named("find min max min_by max_by", _one),
        **_named("first last", _one_or_some),
        **_named("partition chunk each_slice window each_cons sliding_window", lambda use: _of("list", use.container)),
        "enumerate": lambda use: _list_of_shapes(index=INT, value=use.item),
        "group_by": lambda use: _dict_of(use.container),
    },
    "set": {**_ITEMS, **_named("filter remove delete intersect intersection difference", _same)},
    "iter": {
        **_ITEMS,
        **_named("filter take skip take_while skip_while iter", _same),
        **_named("find first last", _one),
    },
    "dict": {
        **_named("filter remove", _same),
        "map_values": lambda use: _dict_of(use.mapped),
        "keys": lambda _use: _of("list", STRING),
        "values": lambda use: _of("list", use.item),
        "entries": lambda use: _list_of_shapes(key=STRING, value=use.item),
    },
}
