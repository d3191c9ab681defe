"""Calls of builtins that are plain Python where the kinds of the arguments are known, or tested once."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.arithmetic import is_not_least
from harnlite.compiler.inference import kind_of
from harnlite.compiler.likely_kinds import is_likely_float
from harnlite.compiler.python_shapes import (
    IS,
    boolean,
    choose,
    class_of,
    compare,
    constant,
    invoke,
    named,
    same_class,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At
    from harnlite.syntax import nodes

ONE_NUMBER = frozenset({None, "int", "float"})


class Builtin:
    """A call of a builtin: the arguments as nodes, with their kinds, and as Python expressions."""

    __slots__ = ("args", "at", "kinds", "text", "values")

    def __init__(self, c: Emitter, text: str, args: list[nodes.Expr], values: list[ast.expr], at: At) -> None:
        self.text = text
        self.args = args
        self.values = values
        self.kinds = [kind_of(c, arg) for arg in args]
        self.at = at

    def slow(self, c: Emitter, values: list[ast.expr]) -> ast.expr:
        """Compile the call of the builtin itself."""
        return invoke(c.native(self.text, self.at), values, self.at)


def write_quick_builtin(
    c: Emitter, text: str, args: list[nodes.Expr], values: list[ast.expr], at: At
) -> ast.expr | None:
    """Compile a call of a builtin to plain Python; return None if there is no such form for its arguments."""
    found = QUICK.get(text)
    if found is None or found[0] != len(values) or c.plain or c.has_wildcard_import:
        return None
    return found[1](c, Builtin(c, text, args, values, at))


def _length(c: Emitter, call: Builtin) -> ast.expr | None:
    at, (value,) = call.at, call.values
    if call.kinds[0] in {"list", "string", "dict"}:
        return invoke(c.helper("len", at), [value], at)
    first, again = named(c, value, at)
    is_list = compare(class_of(first, at), IS, c.helper("list", at), at)
    is_text = compare(class_of(again, at), IS, c.helper("str", at), at)
    is_either = boolean(ast.Or(), [is_list, is_text], at)
    return choose(is_either, invoke(c.helper("len", at), [again], at), call.slow(c, [again]), at)


def _root(c: Emitter, call: Builtin) -> ast.expr | None:
    if call.kinds != ["float"]:
        return None
    at = call.at
    first, again = named(c, call.values[0], at)
    root = invoke(c.helper("sqrt", at), [again], at)
    return choose(compare(first, ast.GtE(), constant(0.0, at), at), root, call.slow(c, [again]), at)


def _absolute(c: Emitter, call: Builtin) -> ast.expr | None:
    at, (kind,) = call.at, call.kinds
    if kind not in ONE_NUMBER:
        return None
    first, again = named(c, call.values[0], at)
    quick = invoke(c.helper("abs", at), [again], at)
    if kind == "float":
        quick.args[0] = call.values[0]
        return quick
    if kind is None and is_likely_float(c, call.args[0]):
        test: ast.expr = compare(class_of(first, at), IS, c.helper("float", at), at)
    elif kind is None:
        is_int = compare(class_of(first, at), IS, c.helper("int", at), at)
        test = boolean(ast.And(), [is_int, is_not_least(again, at)], at)
    else:
        test = is_not_least(first, at)
    return choose(test, quick, call.slow(c, [again]), at)


def _chosen(c: Emitter, call: Builtin) -> ast.expr | None:
    """Compile `min` or `max` of two ints or two floats; NaN is neither less nor greater than a number."""
    at, kinds = call.at, set(call.kinds)
    if not kinds <= ONE_NUMBER or len(kinds - {None}) > 1:
        return None
    is_float = "float" in kinds or (kinds == {None} and any(is_likely_float(c, arg) for arg in call.args))
    reads = [named(c, value, at) for value in call.values]
    (_, left), (_, right) = reads
    op = ast.LtE() if call.text == "min" else ast.GtE()
    slow = call.slow(c, [left, right])
    other = choose(compare(right, op, left, at), right, slow, at) if is_float else right
    tested = [first for (first, again), kind in zip(reads, call.kinds, strict=True) if kind is None or first != again]
    if None not in kinds:
        return choose(compare(reads[0][0], op, reads[1][0], at), left, other, at)
    test = same_class(tested, c.helper("float" if is_float else "int", at), at)
    return choose(test, choose(compare(left, op, right, at), left, other, at), slow, at)


def _to_float(c: Emitter, call: Builtin) -> ast.expr | None:
    at, (kind,), (value,) = call.at, call.kinds, call.values
    if kind == "float":
        return value
    if kind == "int":
        return invoke(c.helper("float", at), [value], at)
    if kind is not None:
        return None
    first, again = named(c, value, at)
    is_int = compare(class_of(first, at), IS, c.helper("int", at), at)
    return choose(is_int, invoke(c.helper("float", at), [again], at), call.slow(c, [again]), at)


def _to_string(c: Emitter, call: Builtin) -> ast.expr | None:
    if call.kinds == ["string"]:
        return call.values[0]
    return invoke(c.helper("str", call.at), call.values, call.at) if call.kinds == ["int"] else None


def _same_int(_c: Emitter, call: Builtin) -> ast.expr | None:
    return call.values[0] if call.kinds == ["int"] else None


QUICK: dict[str, tuple[int, Callable[[Emitter, Builtin], ast.expr | None]]] = {
    "len": (1, _length),
    "sqrt": (1, _root),
    "abs": (1, _absolute),
    "min": (2, _chosen),
    "max": (2, _chosen),
    "to_float": (1, _to_float),
    "to_string": (1, _to_string),
    "str": (1, _to_string),
    **dict.fromkeys(("to_int", "floor", "ceil", "round"), (1, _same_int)),
}
