"""Infer the types of literals, strings with interpolations, lists, dicts and ranges."""

from __future__ import annotations

from harnlite.analysis.types.representation import (
    BOOL,
    DICT,
    DURATION,
    FLOAT,
    FRESH,
    INT,
    LIST,
    LOOSE,
    NEVER,
    NIL,
    RANGE,
    STRING,
    Applied,
    Shape,
    ShapeField,
    Type,
    bounded,
    join,
)
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harnlite.analysis.checking.checker import Checker

_KINDS: Mapping[str, Type] = {
    "int": INT,
    "float": FLOAT,
    "string": STRING,
    "bool": BOOL,
    "nil": NIL,
    "duration": DURATION,
}


def _literal(_: Checker, node: nodes.LiteralExpr) -> Type | None:
    return _KINDS[node.kind]


def _template(c: Checker, node: nodes.TemplateExpr) -> Type | None:
    for part in node.parts:
        if part.__class__ is not nodes.LiteralExpr:
            c.infer(part)
    return STRING


def _list(c: Checker, node: nodes.ListExpr) -> Type | None:
    if not node.items:
        return LIST
    kinds: list[Type | None] = []
    for item in node.items:
        if isinstance(item, nodes.SpreadExpr):
            inner = c.infer(item.value)
            known = isinstance(inner, Applied) and inner.name == "list" and inner.args
            kinds.append(inner.args[0] if known and isinstance(inner, Applied) else None)
        else:
            kinds.append(c.infer(item))
    item_type = join(map(bounded, kinds))
    return LIST if item_type is None or item_type is NEVER else Applied("list", (item_type,), FRESH)


def _dict(c: Checker, node: nodes.DictExpr) -> Type | None:
    if not node.entries:
        return DICT
    fields: dict[str, ShapeField] = {}
    plain = True
    for entry in node.entries:
        if isinstance(entry, nodes.DictEntry):
            if entry.computed:
                c.infer(entry.key)
                plain = False
            kind = bounded(c.infer(entry.value))
            if isinstance(entry.key, nodes.LiteralExpr):
                name = str(entry.key.value)
                fields[name] = ShapeField(name, kind)
        elif isinstance(entry, nodes.SpreadExpr):
            c.infer(entry.value)
            plain = False
    return Shape(fields, FRESH) if plain else DICT


def _range(c: Checker, node: nodes.RangeExpr) -> Type | None:
    c.infer(node.low)
    c.infer(node.high)
    return RANGE


def _spread(c: Checker, node: nodes.SpreadExpr) -> Type | None:
    c.infer(node.value)
    return None


def item_type(kind: Type | None) -> Type | None:
    """Return the type of the items of a `for` over a value, if it is certain."""
    if kind is STRING:
        return STRING
    if kind is RANGE:
        return INT
    if isinstance(kind, Applied) and kind.trust != LOOSE and len(kind.args) == 1:
        return kind.args[0]
    return None


EXPRESSIONS: dict[type, Callable[..., Type | None]] = {
    nodes.LiteralExpr: _literal,
    nodes.TemplateExpr: _template,
    nodes.ListExpr: _list,
    nodes.DictExpr: _dict,
    nodes.RangeExpr: _range,
    nodes.SpreadExpr: _spread,
}
