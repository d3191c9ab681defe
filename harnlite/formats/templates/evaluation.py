"""Compile the expressions of a template to closures that read the bound names."""

from __future__ import annotations

from harnlite.formats.templates.filters import FILTERS, FilterError, is_true
from harnlite.template_language.errors import TemplateError
from harnlite.template_language.nodes import Comparison, Filtered, Literal, Logic, Not, Path
from harnlite.values.data_types import Duration, is_number
from harnlite.values.equality import compare, equal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from harnlite.template_language.nodes import Expression

    Names: TypeAlias = dict[str, Any]
    Reader: TypeAlias = Callable[[Names], Any]
    """Returns the value of an expression."""


def reader_of(expression: Expression) -> Reader:
    """Return the closure of an expression."""
    return _READERS[expression.__class__](expression)


def _literal(node: Literal) -> Reader:
    value = node.value
    return lambda _: value


def _path(node: Path) -> Reader:
    name, steps = node.name, node.steps
    if not steps:
        return lambda names: names.get(name)
    if len(steps) == 1 and isinstance(steps[0], str):
        key = steps[0]

        def read_field(names: Names) -> Any:  # noqa: ANN401 - any value
            value = names.get(name)
            return value.get(key) if value.__class__ is dict else None

        return read_field

    def read_path(names: Names) -> Any:  # noqa: ANN401 - any value
        value = names.get(name)
        for step in steps:
            if value.__class__ is dict and step.__class__ is str:
                value = value.get(step)
            elif value.__class__ is list and step.__class__ is int and -len(value) <= step < len(value):
                value = value[step]
            else:
                return None
        return value

    return read_path


def _not(node: Not) -> Reader:
    operand = condition_of(node.operand)
    return lambda names: not operand(names)


def _logic(node: Logic) -> Reader:
    *others, last = map(reader_of, node.operands)
    is_or = node.is_or

    def read(names: Names) -> Any:  # noqa: ANN401 - any value
        for operand in others:
            value = operand(names)
            if is_true(value) is is_or:
                return value
        return last(names)

    return read


def _comparison(node: Comparison) -> Reader:
    left, right = reader_of(node.left), reader_of(node.right)
    if node.operator == "EqEq":
        return lambda names: equal(left(names), right(names))
    if node.operator == "BangEq":
        return lambda names: not equal(left(names), right(names))
    holds = _ORDERS[node.operator]

    def read(names: Names) -> bool:
        a, b = left(names), right(names)
        if a.__class__ is b.__class__ is int or a.__class__ is b.__class__ is str:
            return holds(a, b)
        if is_number(a) and is_number(b):
            return holds(float(a), float(b))
        return a.__class__ is b.__class__ is Duration and holds(compare(a, b), 0)

    return read


_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "Lt": lambda left, right: left < right,
    "Le": lambda left, right: left <= right,
    "Gt": lambda left, right: left > right,
    "Ge": lambda left, right: left >= right,
}


def _filtered(node: Filtered) -> Reader:
    value, function, place = reader_of(node.value), FILTERS[node.name], node.place
    arguments = tuple(map(reader_of, node.arguments))
    if not arguments:

        def read_plain(names: Names) -> Any:  # noqa: ANN401 - any value
            try:
                return function(value(names))
            except FilterError as error:
                raise TemplateError(place, str(error)) from None

        return read_plain

    def read(names: Names) -> Any:  # noqa: ANN401 - any value
        try:
            return function(value(names), *[argument(names) for argument in arguments])
        except FilterError as error:
            raise TemplateError(place, str(error)) from None

    return read


_READERS: dict[type, Callable[[Any], Reader]] = {
    Literal: _literal,
    Path: _path,
    Not: _not,
    Logic: _logic,
    Comparison: _comparison,
    Filtered: _filtered,
}


def condition_of(expression: Expression) -> Reader:
    """Return the closure that tells whether an expression is true."""
    read = reader_of(expression)
    if isinstance(expression, (Comparison, Not)):
        return read

    def test(names: Names) -> bool:
        value = read(names)
        return value if value.__class__ is bool else is_true(value)

    return test
