"""String methods that have an equivalent Python expression if the receiver is a string."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.inference import kind_of
from harnlite.compiler.magnitude import is_natural
from harnlite.compiler.python_shapes import (
    IS,
    LOAD,
    Constant,
    all_of,
    attribute,
    choose,
    class_of,
    compare,
    constant,
    fields_of,
    invoke,
    list_display,
    named,
    negated,
    starred,
    subscript,
    tuple_display,
)
from harnlite.values.limits import UNCHECKED
from harnlite.values.text_operations import BLOCK, WHITE_SPACE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At
    from harnlite.syntax import nodes

    Quick = tuple[int, ast.expr]
    Writer = Callable[["Emitter", "Operands"], Quick | None]

ANY_LENGTH = -1


class Operands:
    """The receiver and the arguments of a call, which can be read more than once."""

    __slots__ = ("args", "at", "nodes", "receiver")

    def __init__(self, receiver: ast.expr, args: list[ast.expr], arg_nodes: Sequence[nodes.Expr], at: At) -> None:
        self.receiver = receiver
        self.args = args
        self.nodes = arg_nodes
        self.at = at

    def calling(self, method: str, args: list[ast.expr]) -> ast.expr:
        """Return a call of a method of Python's str."""
        return invoke(attribute(self.receiver, method, self.at), args, self.at)

    def literal(self, number: int) -> object:
        """Return the value of a literal argument, or None."""
        value = self.args[number]
        return value.value if isinstance(value, ast.Constant) else None


def write_string_method(
    c: Emitter,
    node: nodes.MethodCallExpr,
    value: ast.expr,
    args: list[ast.expr],
    otherwise: Callable[[ast.expr], ast.expr],
) -> ast.expr | None:
    """Compile a method call for the case that the receiver is a string, or return None if there is no quick form.

    `otherwise` returns the call for every other case; it gets the receiver in a form that can be read again.
    """
    writer = WRITERS.get((node.name.text, len(args)))
    if writer is None or not all(arg.__class__ is Constant or c.is_fixed_name(arg) for arg in args):
        return None
    at = c.where(node)
    is_text = kind_of(c, node.receiver) == "string"
    first, again = named(c, value, at)
    operands = Operands(again, args, node.args, at)
    quick = writer(c, operands)
    if quick is None:
        return None
    most, fast = quick
    tests: list[ast.expr] = []
    if not is_text:
        tests.append(compare(class_of(first, at), IS, c.helper("str", at), at))
    tests.extend(
        compare(class_of(arg, at), IS, c.helper("str", at), at)
        for arg, source in zip(args, node.args, strict=True)
        if arg.__class__ is not Constant and kind_of(c, source) not in {"string", "int"}
    )
    if most != ANY_LENGTH:
        length = invoke(c.helper("len", at), [again if tests else first], at)
        tests.append(compare(length, ast.LtE(), constant(most, at), at))
    elif is_text and first is not again:
        if not tests:
            operands.receiver = value
            return (writer(c, operands) or quick)[1]
        tests.insert(0, tuple_display([first], LOAD, at))
    return choose(all_of(tests, at), fast, otherwise(again), at) if tests else fast


def _text_arguments(c: Emitter, operands: Operands) -> bool:
    """Return whether every argument is a string or may be one."""
    return all(kind_of(c, node) in {None, "string"} for node in operands.nodes)


def _same(method: str, most: int = ANY_LENGTH, *given: str) -> Writer:
    """Return the writer of a method without arguments that Python has under another name."""

    def write(_c: Emitter, operands: Operands) -> Quick:
        return most, operands.calling(method, [constant(text, operands.at) for text in given])

    return write


def _asking(method: str) -> Writer:
    """Return the writer of a method with one string that Python has under another name."""

    def write(c: Emitter, operands: Operands) -> Quick | None:
        return (ANY_LENGTH, operands.calling(method, operands.args)) if _text_arguments(c, operands) else None

    return write


def _contains(c: Emitter, operands: Operands) -> Quick | None:
    if not _text_arguments(c, operands):
        return None
    return ANY_LENGTH, compare(operands.args[0], ast.In(), operands.receiver, operands.at)


def _count(c: Emitter, operands: Operands) -> Quick:
    return ANY_LENGTH, invoke(c.helper("len", operands.at), [operands.receiver], operands.at)


def _empty(_c: Emitter, operands: Operands) -> Quick:
    return ANY_LENGTH, negated(operands.receiver, operands.at)


def _reverse(_c: Emitter, operands: Operands) -> Quick:
    at = operands.at
    backwards = ast.Slice(None, None, constant(-1, at), **fields_of(at))
    return ANY_LENGTH, subscript(operands.receiver, backwards, LOAD, at)


def _chars(_c: Emitter, operands: Operands) -> Quick:
    at = operands.at
    return BLOCK, list_display([starred(operands.receiver, LOAD, at)], LOAD, at)


def _split(_c: Emitter, operands: Operands) -> Quick | None:
    separator = operands.literal(0)
    if not isinstance(separator, str) or not separator:
        return None
    return UNCHECKED, operands.calling("split", operands.args)


def _replace(_c: Emitter, operands: Operands) -> Quick | None:
    old, new = operands.literal(0), operands.literal(1)
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    # An empty `old` matches once more than there are characters.
    most = UNCHECKED // (len(new) + 1) - 1
    return most, operands.calling("replace", operands.args)


def _substring(c: Emitter, operands: Operands) -> Quick | None:
    if not all(kind_of(c, node) == "int" and is_natural(c, node) for node in operands.nodes):
        return None
    at = operands.at
    low, high = [*operands.args, None][:2]
    assert low is not None  # noqa: S101 - the table has no form without arguments
    return ANY_LENGTH, subscript(operands.receiver, ast.Slice(low, high, None, **fields_of(at)), LOAD, at)


def _padded(method: str) -> Writer:
    def write(_c: Emitter, operands: Operands) -> Quick | None:
        width = operands.literal(0)
        fill = operands.literal(1) if len(operands.args) > 1 else " "
        if not isinstance(width, int) or isinstance(width, bool) or not 0 <= width <= UNCHECKED:
            return None
        if not isinstance(fill, str) or len(fill) != 1:
            return None
        return ANY_LENGTH, operands.calling(method, operands.args)

    return write


WRITERS: dict[tuple[str, int], Writer] = {
    **{(name, 0): _same("lower", BLOCK) for name in ("lower", "lowercase", "to_lower")},
    **{(name, 0): _same("upper", BLOCK) for name in ("upper", "uppercase", "to_upper")},
    ("trim", 0): _same("strip", ANY_LENGTH, WHITE_SPACE),
    ("trim_start", 0): _same("lstrip", ANY_LENGTH, WHITE_SPACE),
    ("trim_end", 0): _same("rstrip", ANY_LENGTH, WHITE_SPACE),
    ("starts_with", 1): _asking("startswith"),
    ("ends_with", 1): _asking("endswith"),
    ("index_of", 1): _asking("find"),
    ("contains", 1): _contains,
    ("count", 0): _count,
    ("len", 0): _count,
    ("empty", 0): _empty,
    ("reverse", 0): _reverse,
    ("chars", 0): _chars,
    ("split", 1): _split,
    ("replace", 2): _replace,
    ("substring", 1): _substring,
    ("substring", 2): _substring,
    ("pad_left", 1): _padded("rjust"),
    ("pad_left", 2): _padded("rjust"),
    ("pad_right", 1): _padded("ljust"),
    ("pad_right", 2): _padded("ljust"),
}
