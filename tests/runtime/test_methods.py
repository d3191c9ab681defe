"""Methods of strings, lists, dicts, ranges and structs: their results and their errors."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.runtime.methods import METHODS, invoke, invoke_optional
from harnlite.values.data_types import Duration, EnumType, EnumValue, Native, Pair, Range, Struct, StructType
from harnlite.values.display import display
from harnlite.values.errors import ScriptError


def double(v_x=None, *_):
    return v_x * 2


def is_even(v_x=None, *_):
    return v_x % 2 == 0


def spread(v_x=None, *_):
    return [v_x, v_x] if v_x != 2 else v_x


def parity(v_x=None, *_):
    return "even" if v_x % 2 == 0 else "odd"


def plus(v_a=None, v_b=None, *_):
    return v_a + v_b


length = Native("len", len, 1)

STRINGS = [
    ("héllo", "count", (), "5"),
    ("héllo", "len", (), "5"),
    ("", "empty", (), "true"),
    ("abc", "contains", ("b",), "true"),
    ("a1", "contains", (1,), "true"),
    ("abc", "contains", (), "true"),
    ("abc", "starts_with", ("ab",), "true"),
    ("abc", "ends_with", ("ab",), "false"),
    ("abab", "replace", ("a", "x"), "xbxb"),
    ("ab", "replace", ("", "-"), "-a-b-"),
    ("ab", "replace", ("a",), "nil"),
    ("a,b,", "split", (), "[a, b, ]"),
    ("a b", "split", (" ",), "[a, b]"),
    ("ab", "split", ("",), "[, a, b, ]"),
    ("", "split", (), "[]"),
    ("a1b", "split", (1,), "[a, b]"),
    (" \u00a0a b\n", "trim", (), "a b"),
    ("\x1ca", "trim", (), "\x1ca"),
    (" a ", "trim_start", (), "a "),
    (" a ", "trim_end", (), " a"),
    ("ÀB", "lowercase", (), "àb"),
    ("ß", "uppercase", (), "SS"),
    ("Ab", "lower", (), "ab"),
    ("Ab", "to_lower", (), "ab"),
    ("Ab", "upper", (), "AB"),
    ("Ab", "to_upper", (), "AB"),
    ("hello", "substring", (1, 3), "el"),
    ("hello", "substring", (1,), "ello"),
    ("hello", "substring", (3, 1), ""),
    ("hello", "substring", (1, -1), "ello"),
    ("hello", "substring", (-2, 2), "he"),
    ("hello", "substring", (1, 99), "ello"),
    ("hello", "substring", ("a", 1.0), "hello"),
    ("héhé", "index_of", ("é",), "1"),
    ("héhé", "last_index_of", ("é",), "3"),
    ("abc", "index_of", ("x",), "-1"),
    ("abc", "index_of", ("",), "0"),
    ("abc", "last_index_of", ("",), "3"),
    ("añ", "chars", (), "[a, ñ]"),
    ("abc", "char_at", (1,), "b"),
    ("abc", "char_at", (), "a"),
    ("abc", "char_at", (-1,), "nil"),
    ("abc", "char_at", (3,), "nil"),
    ("a\nb\r\nc\n", "lines", (), "[a, b, c]"),
    ("a\r", "lines", (), "[a\r]"),
    ("", "lines", (), "[]"),
    ("\n", "lines", (), "[]"),
    ("ab", "repeat", (2,), "abab"),
    ("ab", "repeat", (), "ab"),
    ("ab", "repeat", (-1,), ""),
    ("abc", "reverse", (), "cba"),
    ("5", "pad_left", (3, "0"), "005"),
    ("5", "pad_left", (3, "xy"), "xx5"),
    ("5", "pad_right", (3,), "5  "),
    ("555", "pad_left", (2,), "555"),
    ("5", "pad_left", (), "5"),
    ("ab", "iter", (), "<iter>"),
]

LISTS = [
    ([1, 2], "count", (), "2"),
    ([], "empty", (), "true"),
    ([1, 2, 3], "first", (), "1"),
    ([1, 2, 3], "first", (2,), "[1, 2]"),
    ([1, 2, 3], "first", (-2,), "[]"),
    ([1, 2, 3], "last", (), "3"),
    ([1, 2, 3], "last", (2,), "[2, 3]"),
    ([1, 2, 3], "last", (0,), "[]"),
    ([1, 2, 3], "last", (9,), "[1, 2, 3]"),
    ([], "first", (), "nil"),
    ([1, 2], "map", (double,), "[2, 4]"),
    (["a", "bcd"], "map", (length,), "[1, 3]"),
    ([1, 2], "map", (), "nil"),
    ([1, 2, 3, 4], "filter", (is_even,), "[2, 4]"),
    ([1, 2], "filter", (), "nil"),
    ([1, 2, 3], "flat_map", (spread,), "[1, 1, 2, 3, 3]"),
    ([1, 2, 4], "find", (is_even,), "2"),
    ([1], "find", (is_even,), "nil"),
    ([1, 2, 4], "find_index", (is_even,), "1"),
    ([1], "find_index", (is_even,), "-1"),
    ([1], "find_index", (), "nil"),
    ([True, 1.0], "index_of", (1,), "1"),
    ([1], "contains", (1.0,), "true"),
    ([1, 2], "any", (is_even,), "true"),
    ([1, 2], "any", (), "false"),
    ([1, 2], "all", (is_even,), "false"),
    ([1, 2], "every", (), "true"),
    ([1, 3], "none", (is_even,), "true"),
    ([1, 3], "none", (), "false"),
    ([], "none", (), "true"),
    ([1, 2, 3], "reduce", (10, plus), "16"),
    ([1, 2, 3], "reduce", (10,), "nil"),
    ([1, 2, 3], "reduce", (), "nil"),
    ([3, 1, 2.5], "sort", (), "[1, 2.5, 3]"),
    (["b", "a", "Z"], "sort", (), "[Z, a, b]"),
    ([Pair(2, "a"), Pair(1, "b"), Pair(1, "a")], "sort", (), "[(1, a), (1, b), (2, a)]"),
    ([Duration(2000), Duration(1)], "sort", (), "[1ms, 2s]"),
    ([True, False, None], "sort", (), "[true, false, nil]"),
    (["bb", "a", "cc"], "sort_by", (length,), "[a, bb, cc]"),
    ([1, 2], "reverse", (), "[2, 1]"),
    ([1, "a", None], "join", ("-",), "1-a-nil"),
    (["a", "b"], "join", (), "ab"),
    (["a", "b"], "join", (1,), "a1b"),
    ([["a"], ["b"]], "join", (",",), "[a],[b]"),
    (["a"], "enumerate", (), "[{index: 0, value: a}]"),
    ([1, 2, 3], "zip", (["a", "b"],), "[[1, a], [2, b]]"),
    ([1, 2, 3], "zip", ("ab",), "[]"),
    ([1, 2, 3, 4], "slice", (1, 3), "[2, 3]"),
    ([1, 2, 3, 4], "slice", (-2,), "[3, 4]"),
    ([1, 2, 3, 4], "slice", (3, 1), "[]"),
    ([1, 2, 3, 4], "slice", ("a", 2.0), "[1, 2, 3, 4]"),
    ([1, 2, 3], "take", (2,), "[1, 2]"),
    ([1, 2, 3], "take", (), "[]"),
    ([1, 2, 3], "skip", (2,), "[3]"),
    ([1, 2, 3], "skip", (-2,), "[1, 2, 3]"),
    ([1, 1.0, True, 1, "1"], "unique", (), "[1, 1.0, true, 1]"),
    ([1, 2], "sum", (), "3"),
    ([1, 2.5, "x", True], "sum", (), "3.5"),
    ([2**63 - 1, 1], "sum", (), str(-(2**63))),
    ([], "sum", (), "0"),
    ([3, 1, 2], "min", (), "1"),
    ([1, 1.0], "min", (), "1"),
    ([1.0, 1], "max", (), "1.0"),
    (["a", "c", "b"], "max", (), "c"),
    ([], "max", (), "nil"),
    (["bb", "a", "c"], "min_by", (length,), "a"),
    (["bb", "a", "cc"], "max_by", (length,), "bb"),
    ([], "min_by", (length,), "nil"),
    ([[1], 2, [[3]]], "flatten", (), "[1, 2, [3]]"),
    ([1], "push", (2,), "[1, 2]"),
    ([1], "push", (None,), "[1, nil]"),
    ([1], "push", (), "[1]"),
    ([1, 2], "pop", (), "[1]"),
    ([], "pop", (), "[]"),
    ([1, 2, 3], "partition", (is_even,), "[[2], [1, 3]]"),
    ([1, 2, 3], "group_by", (parity,), "{even: [2], odd: [1, 3]}"),
    ([1, 2, 3], "chunk", (2,), "[[1, 2], [3]]"),
    ([1, 2], "each_slice", (), "[[1], [2]]"),
    ([1, 2], "chunk", (0,), "[[1], [2]]"),
    ([1, 2, 3], "window", (), "[[1, 2], [2, 3]]"),
    ([1, 2, 3, 4], "each_cons", (2, 2), "[[1, 2], [3, 4]]"),
    ([1, 2], "sliding_window", (3,), "[]"),
    ([1, None, False], "compact", (), "[1, false]"),
    (["a", 1, "a", "1"], "tally", (), "{1: 2, a: 2}"),
    ([1], "iter", (), "<iter>"),
]

DICTS = [
    ({"b": 1, "a": 2}, "keys", (), "[a, b]"),
    ({"b": 1, "a": 2}, "values", (), "[2, 1]"),
    ({"b": 1, "a": 2}, "entries", (), "[{key: a, value: 2}, {key: b, value: 1}]"),
    ({"b": 1}, "count", (), "1"),
    ({"1": None}, "has", (1,), "true"),
    ({"a": None}, "get", ("a", 5), "nil"),
    ({"a": 1}, "get", ("b", 5), "5"),
    ({"a": 1}, "get", ("b",), "nil"),
    ({"a": 1}, "merge", ({"a": 2, "b": 3},), "{a: 2, b: 3}"),
    ({"a": 1}, "merge", (None,), "{a: 1}"),
    ({"a": 1, "b": 2}, "remove", ("a",), "{b: 2}"),
    ({"1": 1}, "remove", (1,), "{}"),
    ({"a": 1, "b": 2}, "filter", (is_even,), "{b: 2}"),
    ({"a": 1}, "map_values", (double,), "{a: 2}"),
    ({"a": 1}, "rekey", (double,), "{aa: 1}"),
    ({"a": 1, "b": 2}, "map_keys", (lambda *_: 0,), "{0: 2}"),
    ({"a": 1}, "filter", (), "nil"),
    ({"a": 1}, "iter", (), "<iter>"),
    ({"go": double}, "go", (4,), "8"),
    ({"keys": double}, "keys", (), "[keys]"),
    ({"_namespace": "stream", "filter": lambda *args: len(args)}, "filter", (1, 2), "2"),
    ({"_namespace": "stream", "merge": lambda *args: len(args)}, "merge", (1, 2, 3), "3"),
]

RANGES = [
    (Range(1, 5), "len", (), "5"),
    (Range(1, 5), "count", (), "5"),
    (Range(5, 1), "empty", (), "true"),
    (Range(1, 5), "contains", (5,), "true"),
    (Range(1, 5), "contains", (2.0,), "false"),
    (Range(2, 5, exclusive=True), "first", (), "2"),
    (Range(2, 5, exclusive=True), "last", (), "4"),
    (Range(5, 1), "first", (), "nil"),
    (Range(5, 1), "last", (), "nil"),
    (Range(1, 5), "to_string", (), "1 to 5"),
    (Range(1, 3), "to_list", (), "[1, 2, 3]"),
    (Range(1, 3), "map", (double,), "<iter>"),
    (Range(1, 3), "sum", (), "6"),
    (Range(1, 3), "reduce", (0, plus), "6"),
]


@pytest.mark.parametrize(("receiver", "name", "args", "text"), STRINGS + LISTS + DICTS + RANGES)
def test_methods(receiver, name, args, text):
    before = display(receiver)
    assert display(invoke(receiver, name, *args)) == text
    assert display(receiver) == before


@pytest.mark.parametrize(
    ("receiver", "name", "args", "text"),
    [
        ([1], "map", (1,), "Type error: map: callback must be callable, got int"),
        ([1], "map", (None,), "Type error: map: callback must be callable, got nil"),
        ([1], "every", ("a",), "Type error: every: callback must be callable, got string"),
        ([1], "all", ("a",), "Type error: all: callback must be callable, got string"),
        ([1], "none", ({},), "Type error: none: callback must be callable, got dict"),
        ([1], "reduce", (0, 1), "Type error: reduce: callback must be callable, got int"),
        ({}, "rekey", (1,), "Type error: rekey: callback must be callable, got int"),
        ({}, "map_keys", (1,), "Type error: map_keys: callback must be callable, got int"),
        ([1], "mpa", (), "Runtime error: list has no method `mpa` (did you mean `map`?)"),
        ([1], "zzzzzzzz", (), "Runtime error: list has no method `zzzzzzzz`"),
        ("a", "lenght", (), "Runtime error: string has no method `lenght` (did you mean `len`?)"),
        ({}, "kesy", (), "Runtime error: dict has no method `kesy` (did you mean `keys`?)"),
        ({"launch": double}, "lanch", (), "Runtime error: dict has no method `lanch` (did you mean `launch`?)"),
        ({"launch": 1}, "launch", (), "Runtime error: dict has no method `launch`"),
        (5, "to_string", (), "Runtime error: int has no method `to_string`"),
        (1.5, "floor", (), "Runtime error: float has no method `floor`"),
        (True, "x", (), "Runtime error: bool has no method `x`"),
        (b"a", "len", (), "Runtime error: bytes has no method `len`"),
        (double, "__call__", (), "Runtime error: closure has no method `__call__`"),
        (Pair(1, 2), "first", (), "Runtime error: pair has no method `first`"),
        (EnumValue("E", "A"), "variant", (), "Runtime error: enum has no method `variant`"),
        (None, "count", (), "Type error: value of type nil has no method `count`"),
        ("ab", "repeat", (10**12,), "Value too large"),
        ("ab", "pad_left", (10**12,), "Value too large"),
        ("ab" * 1000, "replace", ("a", "b" * 1_000_000), "Value too large"),
        (["a" * 1000] * 1000, "join", ("b" * 1_000_000,), "Value too large"),
        (list(range(20_000)), "window", (10_000,), "Value too large"),
        ([[0] * 10_000] * 11_000, "flatten", (), "Value too large"),
        (Range(0, 10**12), "to_list", (), "Value too large"),
    ],
)
def test_refusals(receiver, name, args, text):
    with pytest.raises(ScriptError) as caught:
        invoke(receiver, name, *args)
    assert caught.value.value == text


def test_structs():
    point = StructType("Point", ("x",))
    point.methods["shifted"] = lambda v_self=None, v_by=None, *_: v_self.fields["x"] + v_by
    value = Struct(point, {"x": 1, "run": double, "shifted": None})
    assert invoke(value, "shifted", 2) == 3
    assert invoke(value, "run", 2) == 4
    with pytest.raises(ScriptError) as caught:
        invoke(value, "shiftd")
    assert caught.value.value == "Runtime error: Point has no method `shiftd` (did you mean `shifted`?)"


def test_enum_names_build_values():
    assert display(invoke(EnumType("Shape", {"Circle": ("r",)}), "Circle", 2.0)) == "Shape.Circle(2.0)"


def test_optional_calls():
    assert invoke_optional(None, "count") is None
    assert invoke_optional([1], "count") == 1


def test_a_class_can_name_its_methods():
    class Clock:
        __slots__ = ()
        harn_type = "clock"
        harn_methods = {"tick": lambda _self, *args: len(args)}  # noqa: RUF012

    assert invoke(Clock(), "tick", 1, 2) == 2
    with pytest.raises(ScriptError) as caught:
        invoke(Clock(), "tik")
    assert caught.value.value == "Runtime error: clock has no method `tik` (did you mean `tick`?)"


def test_every_method_ignores_what_it_does_not_take():
    receivers = {list: [3], str: "a", dict: {"a": 3}, Range: Range(1, 2)}
    for kind, receiver in receivers.items():
        for name in METHODS[kind]:
            if name not in ("zip", "merge", "reduce"):
                invoke(receiver, name, double, double, double, double, double)


@given(st.lists(st.integers()), st.integers(-5, 5), st.integers(-5, 5))
def test_cutting_like_python(items, low, high):
    assert invoke(items, "slice", low, high) == items[low:high]
    assert invoke(items, "take", high) == items[: max(high, 0)]
    assert invoke(items, "skip", high) == items[max(high, 0) :]
    assert invoke(items, "first", high) + invoke(items, "skip", high) == items
    assert [x for part in invoke(items, "chunk", high) for x in part] == items


@given(st.lists(st.text()), st.text())
def test_joining_undoes_splitting(parts, separator):
    text = separator.join(parts)
    assert invoke(invoke(text, "split", separator), "join", separator) in (text, separator + text + separator)


@given(st.lists(st.floats() | st.integers(-3, 3)))
def test_extremes_are_ends_of_the_order(items):
    numbers = [item for item in items if not math.isnan(item)]
    assert invoke(numbers, "min") == min(numbers, default=None)
    assert invoke(numbers, "max") == max(numbers, default=None)
