"""Builtins that throw if an assertion fails."""

from __future__ import annotations

from harnlite.library.native import MISSING, native
from harnlite.values.display import display
from harnlite.values.equality import equal
from harnlite.values.errors import thrown
from harnlite.values.operators import truthy


@native("assert")
def assert_true(condition: object = None, message: object = MISSING) -> None:
    """Throw unless the condition is truthy."""
    if not truthy(condition):
        raise thrown("Assertion failed" if message is MISSING else display(message))


@native("assert_eq")
def assert_eq(actual: object = MISSING, expected: object = MISSING, message: object = MISSING) -> None:
    """Throw unless the two values are equal."""
    if expected is MISSING:
        raise thrown("assert_eq requires at least 2 arguments")
    if not equal(actual, expected):
        if message is MISSING:
            message = f"Assertion failed: expected {display(expected)}, got {display(actual)}"
        error = thrown(display(message))
        error.sides = (expected, actual)
        raise error


@native("assert_ne")
def assert_ne(left: object = MISSING, right: object = MISSING, message: object = MISSING) -> None:
    """Throw if the two values are equal."""
    if right is MISSING:
        raise thrown("assert_ne requires at least 2 arguments")
    if equal(left, right):
        if message is MISSING:
            message = f"Assertion failed: values should not be equal: {display(left)}"
        raise thrown(display(message))
