"""The kinds of the results of built-in methods, and of the parameters of the closures that they call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.analysis.builtins.method_table import CLOSURE, COMPLETE, TABLE
from harnlite.compiler.kinds import (
    ANY_DICT,
    ANY_LIST,
    BOTTOM,
    base_of,
    dict_of,
    inner,
    is_kind,
    join,
    list_of,
    maybe,
    present,
    rec_of,
    value_of,
)
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.analysis.builtins.method_table import Method
    from harnlite.analysis.names.scopes import Binding
    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.kinds import Kind

RESULT_KINDS: dict[str, Kind] = {
    "int": "int",
    "bool": "bool",
    "string": "string",
    "list": ANY_LIST,
    "dict": ANY_DICT,
}
NO_METHODS: dict[str, Method] = {}


def method_kind(c: Emitter, node: nodes.MethodCallExpr) -> Kind:
    """Return the kind of the result of a built-in method."""
    if node.optional:
        return None
    # nil has no methods, so that a call on it has no result.
    receiver = present(c.deep_kind(node.receiver))
    if receiver == BOTTOM:
        return BOTTOM
    text = node.name.text
    if receiver == "range":
        return list_of("int") if text == "to_list" else None
    row = TABLE.get(base_of(receiver) or "", NO_METHODS).get(text)
    if row is None:
        return None
    is_spread = any(isinstance(one, nodes.SpreadExpr) for one in node.args)
    if (COMPLETE in row.traits or row.calls) and (is_spread or len(node.args) < len(row.params)):
        return None
    return _exact_kind(c, node, receiver, row) if not is_spread else RESULT_KINDS.get(row.result)


def _exact_kind(c: Emitter, node: nodes.MethodCallExpr, receiver: Kind, row: Method) -> Kind:
    """Return the kind of the result with the kinds of its parts."""
    rough = RESULT_KINDS.get(row.result)
    if is_kind(receiver, "list"):
        special = SPECIAL.get(row.name)
        if special is not None:
            return special(c, node, inner(receiver))
    holds = HOLDS.get(row.holds)
    item = value_of(receiver) if base_of(receiver) == "dict" else inner(receiver)
    if holds is None:
        return rough
    found = holds(receiver, item)
    if row.holds == "Self" and is_kind(receiver, "rec"):
        return dict_of(item)
    return found if base_of(found) == base_of(rough) or rough is None else rough


HOLDS: dict[str, Callable[[Kind, Kind], Kind]] = {
    "Self": lambda receiver, _item: receiver,
    "list<string>": lambda _receiver, _item: list_of("string"),
    "list<item>": lambda _receiver, item: list_of(item),
    "item?": lambda _receiver, item: maybe(item),
    "dict<Self>": lambda receiver, _item: dict_of(receiver),
    "list<Self>": lambda receiver, _item: list_of(receiver),
    "list<{key, value}>": lambda _receiver, item: list_of(rec_of((("key", "string"), ("value", item)))),
    "list<{index, value}>": lambda _receiver, item: list_of(rec_of((("index", "int"), ("value", item)))),
}


def _mapped(c: Emitter, node: nodes.MethodCallExpr, _item: Kind) -> Kind:
    return list_of(closure_result(c, node.args[0]))


def _pushed(c: Emitter, node: nodes.MethodCallExpr, item: Kind) -> Kind:
    return list_of(join(item, c.deep_kind(node.args[0]))) if len(node.args) == 1 else ANY_LIST


def _reduced(c: Emitter, node: nodes.MethodCallExpr, _item: Kind) -> Kind:
    return join(c.deep_kind(node.args[0]), closure_result(c, node.args[1]))


def _summed(_c: Emitter, _node: nodes.MethodCallExpr, item: Kind) -> Kind:
    return "int" if item in {"int", BOTTOM} else None


def _end(c: Emitter, node: nodes.MethodCallExpr, item: Kind) -> Kind:
    del c
    return maybe(item) if not node.args else None


SPECIAL: dict[str, Callable[[Emitter, nodes.MethodCallExpr, Kind], Kind]] = {
    "map": _mapped,
    "push": _pushed,
    "reduce": _reduced,
    "sum": _summed,
    "first": _end,
    "last": _end,
    "find": lambda _c, _node, item: maybe(item),
    "flat_map": lambda _c, _node, _item: ANY_LIST,
    "tally": lambda _c, _node, _item: dict_of("int"),
}


def closure_result(c: Emitter, node: nodes.Expr) -> Kind:
    """Return the kind of the results of a closure literal."""
    results = c.sites.results_of(c, node) if isinstance(node, nodes.ClosureExpr) else None
    if results is None:
        return None
    kind: Kind = BOTTOM
    for value in results:
        kind = join(kind, c.deep_kind(value))
    return kind


def parameter_kind(c: Emitter, binding: Binding) -> Kind:
    """Return the kind of a parameter of a closure that is an argument of a built-in method, which alone calls it."""
    source = c.sites.callbacks.get(binding)
    if source is None:
        return None
    node, number = source
    receiver = c.deep_kind(node.receiver)
    if receiver == BOTTOM:
        return BOTTOM
    row = TABLE.get(base_of(receiver) or "", NO_METHODS).get(node.name.text)
    if row is None or row.calls != CLOSURE:
        return None
    if is_kind(receiver, "list"):
        if row.name == "reduce":
            return _accumulator_kind(c, node) if number == 0 else inner(receiver) if number == 1 else None
        return inner(receiver) if number == 0 else None
    return value_of(receiver) if row.name == "map_values" and number == 0 else None


def _accumulator_kind(c: Emitter, node: nodes.MethodCallExpr) -> Kind:
    return join(c.deep_kind(node.args[0]), closure_result(c, node.args[1])) if len(node.args) > 1 else None


def item_of(kind: Kind) -> Kind:
    """Return the kind of the items in a loop over a value."""
    kind = present(kind)
    if kind in {"string", BOTTOM}:
        return kind
    if kind == "range":
        return "int"
    if kind == "nil":
        return BOTTOM
    if base_of(kind) == "dict":
        return rec_of((("key", "string"), ("value", value_of(kind))))
    return inner(kind) if is_kind(kind, "list") else None
