"""The text of values."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.values.data_types import Duration, EnumValue, Native, Pair, Range, Struct, StructType, ok
from harnlite.values.display import display, float_text
from harnlite.values.errors import ScriptError
from harnlite.values.iterators import iter_of
from harnlite.values.sets import HarnSet

POINT = StructType("Point", ("x", "y"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (42, "42"),
        (True, "true"),
        (None, "nil"),
        ("a b", "a b"),
        (10.0, "10.0"),
        (-0.0, "-0.0"),
        (0.1, "0.1"),
        (999999999999999.0, "999999999999999.0"),
        (1e15, "1000000000000000"),
        (-1e15, "-1000000000000000"),
        (1e16, "10000000000000000"),
        (1.2345678901234568e17, "123456789012345680"),
        (1e-7, "0.0000001"),
        (-1.5e-7, "-0.00000015"),
        (math.nan, "NaN"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        ([], "[]"),
        ({}, "{}"),
        ([1, "a", None, [2.0]], "[1, a, nil, [2.0]]"),
        ([1, True], "[1, true]"),
        ([1, 2], "[1, 2]"),
        ({"b": ["x"], "a": 1, "B": {}}, "{B: {}, a: 1, b: [x]}"),
        (HarnSet([2, 1]), "set(2, 1)"),
        (HarnSet([]), "set()"),
        (Pair("a", 1), "(a, 1)"),
        (EnumValue("Color", "Red"), "Color.Red"),
        (EnumValue("Shape", "Circle", (2.0,)), "Shape.Circle(2.0)"),
        (ok(20), "Result.Ok(20)"),
        (Struct(POINT, {"y": 2, "x": 1}), "Point {x: 1, y: 2}"),
        (Struct(POINT, {"x": "a"}), "Point {x: a}"),
        (Native("len", len, 1), "<builtin len>"),
        (Duration(7_200_000), "2h"),
        (Duration(5_400_000), "90m"),
        (Duration(1500), "1500ms"),
        (Duration(86_400_000), "24h"),
        (Duration(-60_000), "-1m"),
        (Duration(0), "0ms"),
        (Range(1, 5), "1 to 5"),
        (Range(0, 3, exclusive=True), "0 to 3 exclusive"),
        (Range("a", 3), "0 to 3"),
        (b"hello", 'b"68656c6c6f"'),
        (b"x" * 40, f'b"{"78" * 32}...+8"'),
        (iter_of([1]), "<iter>"),
    ],
)
def test_texts(value, text):
    assert display(value) == text


def test_functions_show_their_parameter_names():
    assert display(lambda v_x=None, v2_y=None, *_: (v_x, v2_y)) == "<fn(x, y)>"
    assert display(lambda *_: None) == "<fn()>"
    assert display(lambda v_first=None, *v_rest_of_it: (v_first, v_rest_of_it)) == "<fn(first, rest_of_it)>"


def test_what_is_too_large_is_refused():
    text = "x" * 60_000_000
    with pytest.raises(ScriptError, match="Value too large"):
        display([text, text])


def test_what_is_too_deep_is_left_to_the_caller():
    nested: list[object] = []
    for _ in range(300_000):
        nested = [nested]
    with pytest.raises(RecursionError):
        display(nested)


@given(st.floats(allow_nan=False))
def test_floats_read_back_as_they_were(value):
    text = float_text(value)
    assert math.copysign(1, float(text)) == math.copysign(1, value)
    assert float(text) == value
    assert "e" not in text


@given(st.lists(st.one_of(st.integers(-(2**63), 2**63 - 1), st.booleans(), st.text(), st.none())))
def test_a_list_is_the_texts_of_its_items(items):
    assert display(items) == f"[{', '.join(map(display, items))}]"
