"""Equality, order, and the keys that represent values."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from harnlite.library.core import hash_value
from harnlite.values.data_types import Duration, EnumValue, Native, Pair, Range, Struct, StructType
from harnlite.values.equality import compare, equal, is_same, position_in
from harnlite.values.iterators import iter_of
from harnlite.values.keys import NO_KEY, equality_key, key_text, structural_key
from harnlite.values.ordering import sorted_by, sorted_list
from harnlite.values.sets import HarnSet, set_of

POINT = StructType("Point", ("x", "y"))
NAN = math.nan


def function(*_):
    return None


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (3, 3.0, True),
        (2**53 + 1, float(2**53), True),
        (True, 1, False),
        (False, 0, False),
        (None, False, False),
        ("1", 1, False),
        (NAN, NAN, False),
        ([1, [2]], [1.0, [2]], True),
        ([1], [True], False),
        ([NAN], [NAN], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        (HarnSet([1, 2]), HarnSet([2, 1.0]), True),
        (HarnSet([1]), HarnSet([1, 2]), False),
        (Pair(1, "a"), Pair(1, "a"), True),
        (Range(1, 3), Range(1, 3), True),
        (Range(1, 3), Range(1, 3, exclusive=True), False),
        (b"a", b"a", True),
        (b"a", "a", False),
        (Duration(60_000), Duration(60_000), True),
        (Struct(POINT, {"x": 1}), Struct(POINT, {"x": 1.0}), True),
        (Struct(POINT, {"x": 1}), Struct(StructType("P", ("x",)), {"x": 1}), False),
        (EnumValue("E", "A", (1,)), EnumValue("E", "A", (1,)), True),
        (EnumValue("E", "A"), EnumValue("E", "B"), False),
        (Native("len", len, 1), Native("len", len, 1), True),
        (function, function, False),
        ([function], [function], False),
    ],
)
def test_equal(left, right, same):
    assert equal(left, right) is same
    assert equal(right, left) is same


def test_iters_are_equal_by_identity():
    first, second = iter_of([1]), iter_of([1])
    assert equal(first, first)
    assert not equal(first, second)


def test_identity():
    items = [1]
    assert is_same(items, items)
    assert not is_same(items, [1])
    assert not is_same(HarnSet([1]), HarnSet([1]))
    assert is_same("ab" * 2, "".join(list("abab")))
    assert is_same(10**15, int("1" + "0" * 15))
    assert not is_same(1, 1.0)
    assert is_same(function, function)
    assert is_same(Native("len", len, 1), Native("len", len, 1))


@pytest.mark.parametrize(
    ("items", "value", "place"),
    [
        ([0, False], False, 1),
        ([True, 1], 1, 1),
        ([1.0], 1, 0),
        ([5.0], 5, 0),
        (["a", "b"], "b", 1),
        ([0, None], None, 1),
        ([NAN], NAN, -1),
        ([HarnSet([5])], 5, -1),
        ([], "a", -1),
    ],
)
def test_position(items, value, place):
    assert position_in(items, value) == place


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "N"),
        (True, "T"),
        (False, "F"),
        (-7, "i-7;"),
        (1.0, "f4607182418800017408;"),
        ("é", "s2:é"),
        (b"\x01\xff", "b01ff;"),
        (Duration(1500), "d1500;"),
        ([1, "a"], "Li1;,s1:a,]"),
        ({"b": None, "a": []}, "D1:a=L],1:b=N,}"),
        (HarnSet(["b", "a"]), "Ss1:a,s1:b,}"),
        (Range(1, 3), "o5:range6:1 to 3"),
        (Pair(1, "é"), "o4:pair7:(1, é)"),
    ],
)
def test_key_texts(value, text):
    assert key_text(value) == text


def test_hashes():
    assert hash_value(None) == (((0xCBF29CE484222325 ^ ord("N")) * 0x100000001B3) & (2**64 - 1)) - 2**64
    assert hash_value({"a": 1, "b": 2}) == hash_value({"b": 2, "a": 1})
    assert hash_value(1) != hash_value(1.0)
    assert hash_value([1]) != hash_value(["1"])


plain = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.integers(-3, 3), st.floats(), st.text(max_size=3)
)
values = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(max_size=2), inner, max_size=3),
        st.builds(Pair, inner, inner),
        st.builds(set_of, st.lists(inner, max_size=3)),
        st.builds(lambda field: EnumValue("E", "A", (field,)), inner),
        st.builds(lambda field: Struct(POINT, {"x": field}), inner),
    ),
    max_leaves=8,
)


@given(values, values, values)
def test_equality_is_an_equivalence(first, second, third):
    assert equal(first, second) is equal(second, first)
    is_exact = equality_key(second) is not NO_KEY
    if is_exact and equal(first, second) and equal(second, third):
        assert equal(first, third)


@given(values, values)
def test_equality_keys_say_what_equality_says(left, right):
    keys = equality_key(left), equality_key(right)
    assume(NO_KEY not in keys)
    assert (keys[0] == keys[1]) is equal(left, right)


@given(values, values)
def test_structural_keys_and_their_texts_agree(left, right):
    assert (structural_key(left) == structural_key(right)) is (key_text(left) == key_text(right))


@given(values, values)
def test_order_is_antisymmetric(left, right):
    assert compare(left, right) == -compare(right, left)


@given(st.one_of(st.lists(st.integers()), st.lists(st.text()), st.lists(st.floats(allow_nan=False))))
def test_sorting_like_python(items):
    assert sorted_list(items) == sorted(items)


@given(st.lists(st.tuples(st.sampled_from([1, 1.0, 2, 2.5, -1]), st.integers())))
def test_sorting_is_stable(entries):
    items = [[key, value] for key, value in entries]
    assert sorted_by(items, [key for key, _ in entries]) == sorted(items, key=lambda item: item[0])
