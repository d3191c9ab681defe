"""Infer closure arguments and results of container methods from the types of the contents."""

from __future__ import annotations

from harnlite.analysis.builtins.method_table import KEY_CLOSURE, TABLE, Method
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
    """A call of a container method: the container, the type of its items, and the number of arguments.

    `mapped` is the result type of the closure argument.
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
    """Return the type that a method passes to the last parameter of a closure."""
    container = _container(kind)
    row = _row(container, method)
    if row is None or not row.calls:
        return None
    return STRING if row.calls == KEY_CLOSURE else held(container)


def given_back(kind: Type | None, method: str, count: int, mapped: Type | None) -> Type | None:
    """Return the result type of a method call, if it is more precise than the declared one."""
    kind = expand(without_nil(kind))
    container, item = _container(kind), held(kind)
    row = _row(container, method)
    if container is None or item is None or row is None or not row.holds:
        return None
    return HOLDINGS[row.holds](Use(container, item, count, mapped))


def _container(kind: Type | None) -> Applied | None:
    kind = expand(without_nil(kind))
    if kind is RANGE:
        return Applied("iter", (INT,))
    if kind is STRING:
        return Applied("string", (STRING,))
    return kind if isinstance(kind, Applied) else None


def _row(container: Applied | None, method: str) -> Method | None:
    return TABLE.get(container.name, {}).get(method) if container is not None else None


def _of(name: str, item: Type | None) -> Type | None:
    return None if item is None else Applied(name, (item,))


def _dict_of(value: Type | None) -> Type | None:
    return None if value is None else Applied("dict", (STRING, value))


def _list_of_shapes(**fields: Type) -> Type | None:
    return _of("list", Shape({name: ShapeField(name, kind) for name, kind in fields.items()}))


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


HOLDINGS: dict[str, Result] = {
    "Self": _same,
    "Self<mapped>": _mapped,
    "Self<item of mapped>": _flat_mapped,
    "item?": _one,
    "item? or Self": _one_or_some,
    "list<Self>": lambda use: _of("list", use.container),
    "list<item>": lambda use: _of("list", use.item),
    "set<item>": lambda use: _of("set", use.item),
    "list<string>": lambda _use: _of("list", STRING),
    "list<{index, value}>": lambda use: _list_of_shapes(index=INT, value=use.item),
    "list<{key, value}>": lambda use: _list_of_shapes(key=STRING, value=use.item),
    "dict<Self>": lambda use: _dict_of(use.container),
    "dict<mapped>": lambda use: _dict_of(use.mapped),
}
"""The notations that the table of methods uses for results, and the functions that compute the types."""
