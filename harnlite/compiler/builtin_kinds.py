"""The kinds of the results of builtin functions, by the kinds of their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.compiler.kinds import (
    ANY_LIST,
    BOTTOM,
    NUMBERS,
    base_of,
    list_of,
    maybe,
    present,
    rec_of,
    value_of,
)
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.kinds import Kind


def called_builtin(c: Emitter, node: nodes.Expr) -> str | None:
    """Return the name of the builtin that an expression certainly calls, without spread arguments, or None."""
    if not isinstance(node, nodes.CallExpr) or not isinstance(node.callee, nodes.NameExpr):
        return None
    if c.has_wildcard_import or c.bindings.get(node.callee) is not None or node.callee.name in c.imported:
        return None
    return None if any(isinstance(arg, nodes.SpreadExpr) for arg in node.args) else node.callee.name


def low_of_range(c: Emitter, node: nodes.Expr) -> nodes.Expr | None:
    """Return the lower bound of a range; None if an expression may be anything else."""
    if isinstance(node, nodes.RangeExpr):
        return node.low
    if isinstance(node, nodes.CallExpr) and called_builtin(c, node) == "range":
        return node.args[0] if len(node.args) > 1 else ZERO
    return None


def builtin_kind(c: Emitter, text: str, args: list[nodes.Expr]) -> Kind:
    """Return the kind of the result of a builtin, or None if it is not certain."""
    rule = RULES.get(text)
    if rule is None:
        return FIXED.get(text)
    kinds = [c.deep_kind(arg) for arg in args]
    return BOTTOM if BOTTOM in kinds else rule(kinds)


def _number_to(result: Kind) -> Callable[[list[Kind]], Kind]:
    """Return the rule of a builtin whose result is nil unless the argument, which is usually a number, fits."""
    return lambda kinds: result if kinds[:1] in ONE_NUMBER else maybe(result)


def _absolute(kinds: list[Kind]) -> Kind:
    # The absolute value of the least int is a float.
    return kinds[0] if len(kinds) == 1 and present(kinds[0]) == "float" else None


def _chosen(kinds: list[Kind]) -> Kind:
    if len(kinds) != 2 or not NUMBERS.issuperset(kinds):  # noqa: PLR2004 - the parameters of `min` and `max`
        return None
    return "float" if "float" in kinds else "int"


def _values(kinds: list[Kind]) -> Kind:
    one = present(kinds[0]) if len(kinds) == 1 else None
    return list_of(value_of(one)) if base_of(one) == "dict" else ANY_LIST


def _entries(kinds: list[Kind]) -> Kind:
    one = present(kinds[0]) if len(kinds) == 1 else None
    return list_of(rec_of((("key", "string"), ("value", value_of(one))))) if base_of(one) == "dict" else ANY_LIST


ZERO = nodes.LiteralExpr(0, 0, 0, "int")
ONE_NUMBER: tuple[list[Kind], ...] = (["int"], ["float"])
FIXED: dict[str, Kind] = {
    "len": "int",
    "to_string": "string",
    "str": "string",
    "type_of": "string",
    "range": "range",
    "keys": list_of("string"),
    "split": list_of("string"),
}
RULES: dict[str, Callable[[list[Kind]], Kind]] = {
    "abs": _absolute,
    "min": _chosen,
    "max": _chosen,
    "values": _values,
    "entries": _entries,
    "to_int": lambda kinds: "int" if kinds[:1] in ONE_NUMBER else maybe("int"),
    **dict.fromkeys(("floor", "ceil", "round"), _number_to("int")),
    **dict.fromkeys(
        ("to_float", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "ln", "log2", "log10", "exp"),
        _number_to("float"),
    ),
}
