"""Properties, items, slices: reading and writing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.runtime import property_access
from harnlite.values import iteration
from harnlite.values.data_types import MISSING, EnumType, EnumValue, Pair, Range, Struct, StructType
from harnlite.values.display import display
from harnlite.values.errors import ScriptError
from harnlite.values.sets import HarnSet

POINT = StructType("Point", ("x", "y"))


@pytest.mark.parametrize(
    ("value", "name", "text"),
    [
        ({"a": 1}, "a", "1"),
        ({"a": 1}, "b", "nil"),
        ({}, "__class__", "nil"),
        ({}, "keys", "nil"),
        (Struct(POINT, {"x": 1}), "x", "1"),
        (Struct(POINT, {"x": 1}), "y", "nil"),
        (Struct(POINT, {"x": 1}), "fields", "nil"),
        ([1, 2], "count", "2"),
        ([1, 2], "empty", "false"),
        ([1, 2], "first", "1"),
        ([1, 2], "last", "2"),
        ([], "last", "nil"),
        ([], "append", "nil"),
        ("abc", "count", "3"),
        ("", "empty", "true"),
        ("abc", "upper", "nil"),
        (EnumValue("E", "A", (1, 2)), "variant", "A"),
        (EnumValue("E", "A", (1, 2)), "fields", "[1, 2]"),
        (EnumValue("E", "A"), "enum", "nil"),
        (EnumType("E", {"A": ()}), "A", "E.A"),
        (Pair(1, 2), "first", "1"),
        (Pair(1, 2), "second", "2"),
    ],
)
def test_properties(value, name, text):
    assert display(property_access.get_property(value, name)) == text
    assert display(property_access.get_property_optional(value, name)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "Type error: cannot access property `x` on nil"),
        (1, "Type error: cannot access property `x` on int"),
        (Range(1, 2), "Type error: cannot access property `x` on range"),
        (HarnSet([]), "Type error: cannot access property `x` on set"),
        (lambda *_: None, "Type error: cannot access property `x` on closure"),
        (Pair(1, 2), "Type error: cannot access property `x` on pair (expected `first` or `second`)"),
    ],
)
def test_no_property(value, text):
    with pytest.raises(ScriptError) as caught:
        property_access.get_property(value, "x")
    assert caught.value.value == text
    assert property_access.get_property_optional(value, "x") is None


@pytest.mark.parametrize(
    ("value", "index", "text"),
    [
        ([1, 2, 3], 0, "1"),
        ([1, 2, 3], -1, "3"),
        ([1, 2, 3], 3, "nil"),
        ([1, 2, 3], -4, "nil"),
        ("héé", -1, "é"),
        ("a", 1, "nil"),
        ({"1": "one"}, 1, "one"),
        ({"true": 1}, True, "1"),
        ({"a": 1}, "b", "nil"),
        (Range(5, 9), 4, "9"),
    ],
)
def test_items(value, index, text):
    assert display(property_access.get_index(value, index)) == text


@pytest.mark.parametrize(
    ("value", "index", "text"),
    [
        (Range(1, 5), 100, "Runtime error: range index out of range: index 100 for range of length 5"),
        (Range(1, 5), -1, "Runtime error: range index out of range: index -1 for range of length 5"),
        ([1], "a", "Type error: cannot index into list with string"),
        ([1], True, "Type error: cannot index into list with bool"),
        ([1], 0.0, "Type error: cannot index into list with float"),
        (None, 0, "Type error: cannot index into nil with int"),
        (Struct(POINT, {}), "x", "Type error: cannot index into struct with string"),
    ],
)
def test_no_item(value, index, text):
    with pytest.raises(ScriptError) as caught:
        property_access.get_index(value, index)
    assert caught.value.value == text


def test_optional_index():
    assert property_access.get_index_optional(None, 0) is None
    assert property_access.get_index_optional([1], 0) == 1


@given(st.lists(st.integers()) | st.text(), st.none() | st.integers(), st.none() | st.integers())
def test_slices_are_those_of_python(value, low, high):
    bounds = [MISSING if bound is None else bound for bound in (low, high)]
    assert property_access.get_slice(value, *bounds) == value[low:high]


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (({}, 0, 1), "Type error: cannot slice dict"),
        ((b"ab", 0, 1), "Type error: cannot slice bytes"),
        (([], None, 1), "Type error: slice start must be an integer, got nil"),
        (([], "a", 1), "Type error: slice start must be an integer, got string"),
        (("", 0, 1.0), "Type error: slice end must be an integer, got float"),
    ],
)
def test_no_slice(args, text):
    with pytest.raises(ScriptError) as caught:
        property_access.get_slice(*args)
    assert caught.value.value == text


def test_writing_copies():
    entries, items, point = {"a": 1}, [1, 2], Struct(POINT, {"x": 1})
    assert property_access.set_property(entries, "b", 2) == {"a": 1, "b": 2}
    assert property_access.set_index(entries, 5, 2) == {"a": 1, "5": 2}
    assert property_access.set_index(items, -1, 9) == [1, 9]
    assert display(property_access.set_property(point, "z", 3)) == "Point {x: 1, z: 3}"
    assert (entries, items, point.fields) == ({"a": 1}, [1, 2], {"x": 1})


def test_writing_in_place():
    entries, items, point = {"a": 1}, [1, 2], Struct(POINT, {"x": 1})
    property_access.set_property_in_place(entries, "b", 2)
    property_access.set_index_in_place(entries, 1.5, 3)
    property_access.set_index_in_place(items, 0, 9)
    property_access.set_property_in_place(point, "x", 3)
    assert (entries, items, point.fields) == ({"a": 1, "b": 2, "1.5": 3}, [9, 2], {"x": 3})


@pytest.mark.parametrize(
    ("container", "index", "text"),
    [
        ([1, 2, 3], 10, "Runtime error: Index 10 out of bounds for list of length 3"),
        ([1, 2, 3], -4, "Runtime error: Index -4 out of bounds for list of length 3"),
        ([1], "a", "Type error: cannot set index on list"),
        ([1], True, "Type error: cannot set index on list"),
        ("abc", 0, "Type error: cannot set index on string"),
        (None, 0, "Type error: cannot set index on nil"),
        (Struct(POINT, {}), "x", "Type error: cannot set index on struct"),
    ],
)
@pytest.mark.parametrize("write", [property_access.set_index, property_access.set_index_in_place])
def test_no_place_for_an_item(write, container, index, text):
    with pytest.raises(ScriptError) as caught:
        write(container, index, 0)
    assert caught.value.value == text


@pytest.mark.parametrize("write", [property_access.set_property, property_access.set_property_in_place])
def test_no_place_for_a_property(write):
    for container, kind in ((None, "nil"), ([1], "list"), ("a", "string"), (Pair(1, 2), "pair")):
        with pytest.raises(ScriptError) as caught:
            write(container, "x", 0)
        assert caught.value.value == f"Type error: cannot set property `x` on {kind}"


# Walking and taking apart


def test_for_walks():
    assert list(iteration.iterate(None)) == []
    assert list(iteration.iterate({"b": 1, "a": 2})) == [{"key": "a", "value": 2}, {"key": "b", "value": 1}]
    assert list(iteration.iterate(Range(1, 3))) == [1, 2, 3]
    assert list(iteration.iterate("hé")) == ["h", "é"]
    assert list(iteration.iterate(HarnSet([2, 1]))) == [2, 1]
    with pytest.raises(ScriptError, match="Type error: cannot iterate over int"):
        iteration.iterate(1)


def test_patterns():
    assert iteration.pair_for_pattern(Pair(1, 2)) == (1, 2)
    assert iteration.pair_for_pattern([1, 2, 3]) == (1, 2)
    assert iteration.pair_for_pattern([1]) == (1, None)
    assert iteration.pair_for_pattern([]) == (None, None)
    for take, form, expected in (
        (iteration.dict_for_pattern, "{...}", "dict"),
        (iteration.list_for_pattern, "[...]", "list"),
        (iteration.pair_for_pattern, "(...)", "pair"),
        (iteration.spread_list, "[...]", "list"),
        (iteration.spread_dict, "{...}", "dict"),
    ):
        with pytest.raises(ScriptError) as caught:
            take(1)
        assert caught.value.value == f"Type error: cannot destructure int with {form} pattern — expected {expected}"


def test_a_long_sequence_is_walked_in_blocks():
    assert list(iteration.polled(range(20_001))) == list(range(20_001))
    assert list(iteration.polled([*range(50_000)])) == list(range(50_000))
    first = next(iteration.polled(Range(-(2**63), 2**63 - 1).ints, Range(-(2**63), 2**63 - 1).size))
    assert first == -(2**63)
