"""Builtins on values, strings, names, lists and sets."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.library import casing, core, lists, sets, text
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.data_types import Duration, EnumValue, Native, Pair, Range, StructType, err, ok
from harnlite.values.display import display
from harnlite.values.errors import ScriptError
from harnlite.values.iterators import iter_of
from harnlite.values.sets import HarnSet


def double(v_x=None, *_):
    return v_x * 2


def twice(v_x=None, *_):
    return [v_x, v_x]


def is_odd(v_x=None, *_):
    return v_x % 2 == 1


@pytest.mark.parametrize(
    ("call", "args", "result"),
    [
        (core.type_of, (), "nil"),
        (core.type_of, (True,), "bool"),
        (core.type_of, (1.0,), "float"),
        (core.type_of, (b"",), "bytes"),
        (core.type_of, (double,), "closure"),
        (core.type_of, (StructType("P", ()),), "closure"),
        (core.type_of, (Native("len", len, 1),), "builtin"),
        (core.type_of, (Duration(1),), "duration"),
        (core.type_of, (ok(1),), "enum"),
        (core.type_of, (StructType("P", ())({}),), "struct"),
        (core.type_of, (Range(1, 2),), "range"),
        (core.type_of, (Pair(1, 2),), "pair"),
        (core.type_of, (HarnSet([]),), "set"),
        (core.type_of, (iter_of([]),), "iter"),
        (core.to_string, (), "nil"),
        (core.to_str, (1.0,), "1.0"),
        (core.to_int, ("+12",), "12"),
        (core.to_int, ("-0012",), "-12"),
        (core.to_int, (" 1",), "nil"),
        (core.to_int, ("1_0",), "nil"),
        (core.to_int, ("1e3",), "nil"),
        (core.to_int, ("-",), "nil"),
        (core.to_int, ("",), "nil"),
        (core.to_int, ("\u0663",), "nil"),
        (core.to_int, ("9223372036854775807",), "9223372036854775807"),
        (core.to_int, ("9223372036854775808",), "nil"),
        (core.to_int, ("9" * 10_000,), "nil"),
        (core.to_int, (-2.9,), "-2"),
        (core.to_int, (1e300,), "9223372036854775807"),
        (core.to_int, (-math.inf,), "-9223372036854775808"),
        (core.to_int, (math.nan,), "0"),
        (core.to_int, (True,), "nil"),
        (core.to_float, (3,), "3.0"),
        (core.to_float, (".5",), "0.5"),
        (core.to_float, ("5.",), "5.0"),
        (core.to_float, ("1E5",), "100000.0"),
        (core.to_float, ("-Infinity",), "-inf"),
        (core.to_float, ("NaN",), "NaN"),
        (core.to_float, (" 1",), "nil"),
        (core.to_float, ("1_0",), "nil"),
        (core.to_float, ("\u0661",), "nil"),
        (core.to_float, (".",), "nil"),
        (core.to_float, (None,), "nil"),
        (core.to_list, (HarnSet([2, 1]),), "[2, 1]"),
        (core.to_list, ([1],), "[1]"),
        (core.to_list, (Range(1, 3),), "[1 to 3]"),
        (core.to_list, (), "[nil]"),
        (core.length, ("hé",), "2"),
        (core.length, (b"\xc3\xa9",), "2"),
        (core.length, (Range(1, 5),), "5"),
        (core.length, (HarnSet([1]),), "1"),
        (core.length, (Pair(1, 2),), "0"),
        (core.length, (), "0"),
        (core.keys, ({"b": 1, "a": 2},), "[a, b]"),
        (core.values, ({"b": 1, "a": 2},), "[2, 1]"),
        (core.entries, ({"b": 1},), "[{key: b, value: 1}]"),
        (core.keys, ([1],), "[]"),
        (core.make_ok, (), "Result.Ok(nil)"),
        (core.make_err, ("x",), "Result.Err(x)"),
        (core.is_ok, (ok(1),), "true"),
        (core.is_ok, (EnumValue("Other", "Ok", (1,)),), "false"),
        (core.is_err, (1,), "false"),
        (core.unwrap, (ok(1),), "1"),
        (core.unwrap, (5,), "5"),
        (core.unwrap_or, (err(1), 2), "2"),
        (core.unwrap_or, (err(1),), "nil"),
        (core.unwrap_or, (5, 2), "5"),
        (core.unwrap_err, (err("x"),), "x"),
        (core.addr_of, (None, 1), "int@1"),
        (core.addr_of, (None, Native("len", len, 1)), "builtin@len"),
        (core.make_range, (3,), "0 to 3 exclusive"),
        (core.make_range, (1, 3), "1 to 3 exclusive"),
        (text.format_text, ("{a} {b} {a", {"a": "{b}", "b": 1}), "{b} 1 {a"),
        (text.format_text, ("{a } {}", {"a": 1}), "{a } {}"),
        (text.format_text, ("{} {} {}", 1, "x"), "1 x {}"),
        (text.format_text, ("{}",), "{}"),
        (text.trim, (" \ta\u3000",), "a"),
        (text.trim, (5,), "5"),
        (text.uppercase, (None,), "NIL"),
        (text.uppercase, (), ""),
        (text.split, ("a b  c",), "[a, b, , c]"),
        (text.split, ("a,b", ","), "[a, b]"),
        (text.join, ([1, "a"], "-"), "1-a"),
        (text.join, ("ab", "-"), ""),
        (text.replace, ("aXbX", "X", "--"), "a--b--"),
        (text.starts_with, ("abc", "ab"), "true"),
        (text.ends_with, ("abc",), "true"),
        (text.contains, ("a1", 1), "true"),
        (text.contains, ([1], 1.0), "true"),
        (text.contains, ({"a": 1}, "a"), "false"),
        (text.substring, ("hello", 1, 3), "ell"),
        (text.substring, ("hello", -3, 2), "he"),
        (text.substring, ("hello", 2), "llo"),
        (text.substring, ("hello", 1, -1), ""),
        (text.substring, ("hello", 9), ""),
        (text.unicode_normalize, ("e\u0301",), "é"),
        (text.unicode_normalize, ("é", "nfd"), "e\u0301"),
        (text.unicode_graphemes, ("e\u0301🇩🇪\r\n",), "[e\u0301, 🇩🇪, \r\n]"),
        (text.str_pad, ("ab", 5), "ab   "),
        (text.str_pad, ("ab", 5, "xy", "LEFT"), "xxxab"),
        (text.str_pad, ("ab", 5, "-", "both"), "-ab--"),
        (text.str_pad, ("e\u0301", 2, ""), "e\u0301 "),
        (text.str_pad, ("ab", 1, "-", "nowhere"), "ab"),
        (casing.snake_to_camel, ("_Some_name",), "someName"),
        (casing.snake_to_pascal, ("some_name",), "SomeName"),
        (casing.snake_to_kebab, ("Some__name",), "some-name"),
        (casing.kebab_to_camel, ("some-name",), "someName"),
        (casing.kebab_to_snake, ("some-Name",), "some_name"),
        (casing.camel_to_snake, ("HTTPServer",), "http_server"),
        (casing.camel_to_snake, ("parse2Http",), "parse2_http"),
        (casing.camel_to_kebab, ("someName",), "some-name"),
        (casing.camel_to_kebab, ("",), ""),
        (casing.pascal_to_snake, ("SomeName",), "some_name"),
        (casing.pascal_to_camel, ("HTTPServer",), "hTTPServer"),
        (casing.camel_to_pascal, ("someName",), "SomeName"),
        (casing.lowercase_first, ("ABC",), "aBC"),
        (casing.uppercase_first, ("abc",), "Abc"),
        (casing.title_case, ("hello  wORLD\tof",), "Hello  World\tOf"),
        (lists.chunk, ([1, 2, 3], 2), "[[1, 2], [3]]"),
        (lists.window, ([1, 2, 3],), "[[1, 2], [2, 3]]"),
        (lists.group_by, ([1, 2, 3], is_odd), "{false: [2], true: [1, 3]}"),
        (lists.partition, ([1, 2, 3], is_odd), "{match: [1, 3], no_match: [2]}"),
        (lists.dedup_by, ([1, 1.0, 3, 5], lambda v_x=None, *_: v_x if v_x < 2 else 0), "[1, 1.0, 3]"),
        (lists.flat_map, ([1, 2], twice), "[1, 1, 2, 2]"),
        (sets.make_set, ([1, 2], HarnSet([2, 3]), 4, 1.0), "set(1, 2, 3, 4, 1.0)"),
        (sets.make_set, (), "set()"),
        (sets.set_add, (HarnSet([1]), 1.0), "set(1, 1.0)"),
        (sets.set_add, (HarnSet([1]), 1), "set(1)"),
        (sets.set_remove, (HarnSet([1, 2]), 1.0), "set(1, 2)"),
        (sets.set_remove, (HarnSet([1, 2]), 1), "set(2)"),
        (sets.set_union, (HarnSet([2, 1]), HarnSet([3, 1])), "set(2, 1, 3)"),
        (sets.set_intersect, (HarnSet([2, 1]), HarnSet([1, 2])), "set(2, 1)"),
        (sets.set_difference, (HarnSet([2, 1]), HarnSet([1])), "set(2)"),
        (sets.set_symmetric_difference, (HarnSet([2, 1]), HarnSet([1, 3])), "set(2, 3)"),
        (sets.set_contains, (HarnSet([1]), 1.0), "false"),
        (sets.set_contains, ([1], 1), "false"),
        (sets.set_is_subset, (HarnSet([1]), HarnSet([1, 2])), "true"),
        (sets.set_is_superset, (HarnSet([1]), [1]), "false"),
        (sets.set_is_disjoint, (HarnSet([1]), [1]), "true"),
        (sets.set_is_disjoint, (HarnSet([1]), HarnSet([1])), "false"),
    ],
)
def test_results(call, args, result):
    assert display(call(*args)) == result


@pytest.mark.parametrize(
    ("call", "args", "message"),
    [
        (core.unwrap, (err("bad"),), "Runtime error: unwrap called on Err: bad"),
        (core.unwrap_err, (ok(1),), "Runtime error: unwrap_err called on non-Err"),
        (core.unreachable, (), "Runtime error: unreachable code was reached"),
        (core.unreachable, (None,), "Runtime error: unreachable code was reached: nil"),
        (core.make_range, ("a",), "Type error: range(n): expected integer argument"),
        (core.make_range, (1, 2.0), "Type error: range(a, b): expected integer arguments"),
        (core.make_range, (), "Type error: range expects 1 or 2 integer arguments, got 0"),
        (core.make_range, (1, 2, 3), "Type error: range expects 1 or 2 integer arguments, got 3"),
        (
            text.unicode_normalize,
            ("a", "x"),
            "Runtime error: unicode_normalize: form must be NFC, NFD, NFKC, or NFKD",
        ),
        (text.str_pad, ("a", 5, " ", "up"), "Runtime error: str_pad: side must be left, right, or both"),
        (text.str_pad, ("a", 10**12), "Value too large"),
        (lists.chunk, (), "Runtime error: chunk: first argument must be a list"),
        (lists.window, ("a",), "Type error: window: first argument must be a list, got string"),
        (lists.group_by, (None, double), "Type error: group_by: first argument must be a list, got nil"),
        (lists.partition, ([1],), "Runtime error: partition: callback is required"),
        (lists.dedup_by, ([1], None), "Type error: dedup_by: callback must be callable, got nil"),
        (lists.flat_map, ([1], 5), "Type error: flat_map: callback must be callable, got int"),
        (sets.set_add, ([1], 1), "set_add: first argument must be a set"),
        (sets.set_remove, (), "set_remove: first argument must be a set"),
        (sets.set_union, (HarnSet([]), [1]), "set_union: arguments must be sets"),
        (sets.set_intersect, (), "set_intersect: arguments must be sets"),
    ],
)
def test_refusals(call, args, message):
    with pytest.raises(ScriptError) as caught:
        call(*args)
    assert caught.value.value == message


def test_addresses():
    run = Execution()
    items = [1]
    assert core.addr_of(run, items) == core.addr_of(run, items)
    assert core.addr_of(run, items).startswith("list@0x")
    assert len({core.addr_of(run, [1]) for _ in range(9)}) == 9


@given(st.integers(-(2**63), 2**63 - 1))
def test_ints_read_back(number):
    assert core.to_int(display(number)) == number
    assert core.to_int(float(number)) in range(-(2**63), 2**63)


@given(st.lists(st.text("abc", min_size=1), min_size=1))
def test_names_keep_their_words(words):
    snake = "_".join(words)
    assert casing.kebab_to_snake(casing.snake_to_kebab(snake)) == snake
