"""Operators: numbers, strings, durations, order, membership, and errors for unsuitable operands."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.values import operators as op
from harnlite.values.data_types import Duration, Pair, Range
from harnlite.values.display import display
from harnlite.values.errors import ScriptError
from harnlite.values.sets import HarnSet

BIGGEST = 2**63 - 1
SMALLEST = -(2**63)
INF = math.inf
NAN = math.nan
ints = st.integers(SMALLEST, BIGGEST)


@pytest.mark.parametrize(
    ("operator", "left", "right", "text"),
    [
        (op.add, BIGGEST, 1, str(SMALLEST)),
        (op.add, 1, 2.5, "3.5"),
        (op.add, "a", "b", "ab"),
        (op.add, [1], [2], "[1, 2]"),
        (op.add, {"a": 1, "b": 2}, {"b": 3}, "{a: 1, b: 3}"),
        (op.add, Duration(1000), Duration(500), "1500ms"),
        (op.subtract, SMALLEST, 1, str(BIGGEST)),
        (op.subtract, Duration(1000), Duration(3000), "-2s"),
        (op.multiply, 2**62, 2, str(SMALLEST)),
        (op.multiply, "ab", 3, "ababab"),
        (op.multiply, 3, "ab", "ababab"),
        (op.multiply, "ab", -1, ""),
        (op.multiply, Duration(60_000), 2, "2m"),
        (op.multiply, 2, Duration(60_000), "2m"),
        (op.divide, -7, 2, "-3"),
        (op.divide, 7, -2, "-3"),
        (op.divide, -7, -2, "3"),
        (op.divide, SMALLEST, -1, str(SMALLEST)),
        (op.divide, 7, 2.0, "3.5"),
        (op.divide, 1, 0.0, "inf"),
        (op.divide, -1.0, 0, "-inf"),
        (op.divide, 1.0, -0.0, "-inf"),
        (op.divide, 0, 0.0, "NaN"),
        (op.divide, NAN, 0.0, "NaN"),
        (op.modulo, -7, 2, "-1"),
        (op.modulo, 7, -2, "1"),
        (op.modulo, -7.5, 2, "-1.5"),
        (op.modulo, 5.0, INF, "5.0"),
        (op.modulo, -4.0, 2.0, "-0.0"),
        (op.power, 2, 10, "1024"),
        (op.power, 2, 63, str(SMALLEST)),
        (op.power, -3, 3, "-27"),
        (op.power, 2, -1, "0.5"),
        (op.power, 2, 2**32, "inf"),
        (op.power, 0.0, -1, "inf"),
        (op.power, -0.0, -1, "-inf"),
        (op.power, -8.0, 1.5, "NaN"),
        (op.power, -1e308, 1.5, "NaN"),
        (op.power, 10.0, 400, "inf"),
        (op.power, -10.0, 401, "-inf"),
        (op.power, -INF, 0.5, "inf"),
    ],
)
def test_results(operator, left, right, text):
    assert display(operator(left, right)) == text


@pytest.mark.parametrize(
    ("operator", "left", "right", "text"),
    [
        (op.add, "a", 1, "Type error: Cannot add string and int"),
        (op.add, True, 1, "Type error: Cannot add bool and int"),
        (op.add, None, [1], "Type error: Cannot add nil and list"),
        (op.subtract, "a", 1, "Type error: Cannot subtract int from string"),
        (op.multiply, [1], 2, "Type error: Cannot multiply list and int"),
        (op.multiply, Duration(1), 2.0, "Type error: Cannot multiply duration and float"),
        (op.power, "a", 2, "Type error: Cannot exponentiate string by int"),
        (op.divide, "a", 2, "Runtime error: Cannot divide string by int"),
        (op.divide, Duration(4), 2, "Runtime error: Cannot divide duration by int"),
        (op.modulo, {}, 2, "Runtime error: Cannot modulo dict by int"),
        (op.divide, 1, 0, "Division by zero"),
        (op.modulo, 1, 0, "Division by zero"),
        (op.modulo, 1.5, 0, "Division by zero"),
        (op.modulo, 1, 0.0, "Division by zero"),
        (op.multiply, "x", 10**12, "Value too large"),
        (op.multiply, 10**12, "xy", "Value too large"),
    ],
)
def test_refusals(operator, left, right, text):
    with pytest.raises(ScriptError) as caught:
        operator(left, right)
    assert caught.value.value == text


def test_negation():
    assert op.negate(SMALLEST) == SMALLEST
    assert display(op.negate(0.0)) == "-0.0"
    assert display(op.negate(Duration(1500))) == "-1500ms"
    with pytest.raises(ScriptError, match="Runtime error: Cannot negate value of type string"):
        op.negate("a")


@pytest.mark.parametrize(
    ("left", "right", "less", "less_equal"),
    [
        (1, 2, True, True),
        (1, 1.0, False, True),
        (1.5, 1, False, False),
        ("a", "b", True, True),
        ("Z", "a", True, True),
        ("\ue000", "\U00010000", True, True),
        (NAN, 1, False, False),
        (1, NAN, False, False),
        (Duration(1), Duration(2), True, True),
        (Pair(1, "b"), Pair(1, "c"), True, True),
        (Pair(2, "a"), Pair(1, "c"), False, False),
        (True, False, False, True),
        (None, 1, False, True),
        ("a", 1, False, True),
        ([1], [2], False, True),
    ],
)
def test_order(left, right, less, less_equal):
    assert op.less(left, right) is less
    assert op.less_equal(left, right) is less_equal
    assert op.greater(right, left) is less
    assert op.greater_equal(right, left) is less_equal


@pytest.mark.parametrize(
    ("value", "container", "found"),
    [
        (1, [1, 2], True),
        (1.0, [1], True),
        (True, [1], False),
        (1, [True], False),
        (None, [0, None], True),
        ([1], [[1.0]], True),
        ("a", {"a": None}, True),
        (1, {"1": 0}, True),
        ("b", "abc", True),
        (1, "a1", True),
        (1.0, HarnSet([1]), True),
        (2, HarnSet([1]), False),
        (3, Range(1, 3), True),
        (3, Range(1, 3, exclusive=True), False),
        (2.0, Range(1, 3), False),
        (1, Pair(1, 2), False),
        (1, None, False),
    ],
)
def test_membership(value, container, found):
    assert op.contains(value, container) is found


@pytest.mark.parametrize("value", [False, None, 0, 0.0, -0.0, "", b"", [], {}, HarnSet([]), Duration(0)])
def test_falsy(value):
    assert op.truthy(value) is False


@pytest.mark.parametrize(
    "value", [True, 1, NAN, " ", b"0", [None], {"": None}, HarnSet([0]), Duration(-1), Range(5, 1)]
)
def test_truthy(value):
    assert op.truthy(value) is True


@given(ints, ints)
def test_ints_behave_like_64_bits(left, right):
    for operator, exact in ((op.add, left + right), (op.subtract, left - right), (op.multiply, left * right)):
        result = operator(left, right)
        assert SMALLEST <= result <= BIGGEST
        assert (result - exact) % 2**64 == 0


@given(ints, ints.filter(bool))
def test_division_and_rest_fit_together(left, right):
    quotient, rest = op.divide(left, right), op.modulo(left, right)
    assert op.add(op.multiply(quotient, right), rest) == left
    assert abs(rest) < abs(right)
    assert rest == 0 or (rest < 0) == (left < 0)


@given(st.floats(), st.floats().filter(bool))
def test_rest_of_floats_is_that_of_c(left, right):
    expected = NAN if math.isinf(left) else math.fmod(left, right)
    assert display(op.modulo(left, right)) == display(expected)
