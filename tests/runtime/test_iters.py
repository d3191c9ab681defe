"""Iters and sets."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.library import iterators as builtins
from harnlite.runtime.methods import invoke
from harnlite.values.data_types import Pair, Range
from harnlite.values.display import display
from harnlite.values.equality import equal
from harnlite.values.errors import ScriptError
from harnlite.values.iterators import HarnIter, iter_of
from harnlite.values.sets import HarnSet, by_equality, by_structure, set_of, set_of_unequal, symmetric_difference


def is_small(v_x=None, *_):
    return v_x < 3


def double(v_x=None, *_):
    return v_x * 2


def plus(v_a=None, v_b=None, *_):
    return v_a + v_b


def to_range(v_x=None, *_):
    return Range(1, v_x)


@pytest.mark.parametrize(
    ("source", "name", "args", "text"),
    [
        ([1, 2], "map", (double,), "[2, 4]"),
        ([1, 5, 2], "filter", (is_small,), "[1, 2]"),
        ([1, 2], "flat_map", (to_range,), "[1, 1, 2]"),
        (["ab", "c"], "flat_map", (lambda v_x=None, *_: v_x,), "[a, b, c]"),
        ([1, 2, 3], "take", (2,), "[1, 2]"),
        ([1, 2, 3], "take", (0,), "[]"),
        ([1, 2, 3], "skip", (2,), "[3]"),
        ([1, 2, 3, 1], "take_while", (is_small,), "[1, 2]"),
        ([1, 2, 3, 1], "skip_while", (is_small,), "[3, 1]"),
        ([1, 2, 3], "zip", ("ab",), "[(1, a), (2, b)]"),
        (["a", "b"], "enumerate", (), "[(0, a), (1, b)]"),
        ([1], "chain", ({"k": 2},), "[1, (k, 2)]"),
        ([1, 2, 3], "chunks", (2,), "[[1, 2], [3]]"),
        ([1, 2, 3], "windows", (2,), "[[1, 2], [2, 3]]"),
        ([1, 2], "windows", (3,), "[]"),
        ("ab", "map", (double,), "[aa, bb]"),
        ({"b": 1, "a": 2}, "iter", (), "[(a, 2), (b, 1)]"),
        (HarnSet([2, 1]), "map", (double,), "[4, 2]"),
        (Range(1, 3), "map", (double,), "[2, 4, 6]"),
    ],
)
def test_lazy_stages(source, name, args, text):
    stage = invoke(iter_of(source), name, *args)
    assert display(stage) == "<iter>"
    assert display(invoke(stage, "to_list")) == text
    assert display(stage) == "<iter (exhausted)>"


@pytest.mark.parametrize(
    ("source", "name", "args", "text"),
    [
        ([1, 1.0, 2], "to_set", (), "set(1, 2)"),
        ([Pair("a", 1), Pair("b", 2), Pair("a", 3)], "to_dict", (), "{a: 3, b: 2}"),
        ([1, 2], "count", (), "2"),
        ([1, 2.5], "sum", (), "3.5"),
        ([], "sum", (), "0"),
        ([2, 1, 1.0], "min", (), "1"),
        ([2, 2.0, 1], "max", (), "2"),
        ([], "min", (), "nil"),
        ([1, 2], "reduce", (0, plus), "3"),
        ([1, 2], "first", (), "1"),
        ([], "first", (), "nil"),
        ([1, 2], "last", (), "2"),
        ([1, 5], "any", (is_small,), "true"),
        ([1, 5], "all", (is_small,), "false"),
        ([5, 2], "find", (is_small,), "2"),
        ([5], "find", (is_small,), "nil"),
        ([5], "for_each", (double,), "nil"),
    ],
)
def test_reading_to_the_end(source, name, args, text):
    assert display(invoke(iter_of(source), name, *args)) == text


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("map", (), "iter.map: expected callable"),
        ("filter", (1,), "iter.filter: expected callable"),
        ("for_each", (None,), "iter.for_each: expected callable"),
        ("find", (), "iter.find: expected callable"),
        ("take", (-1,), "iter.take: expected non-negative int"),
        ("take", (), "iter.take: expected non-negative int"),
        ("skip", (1.0,), "iter.skip: expected non-negative int"),
        ("chunks", (0,), "iter.chunks: chunk size must be positive"),
        ("windows", (0,), "iter.windows: window size must be positive"),
        ("zip", (), "iter.zip: expected iterable argument"),
        ("chain", (), "iter.chain: expected iterable argument"),
        ("chain", (1,), "iter: value of type int is not iterable"),
        ("reduce", (), "iter.reduce: expected (init, fn)"),
        ("reduce", (0,), "iter.reduce: expected (init, fn)"),
        ("reduce", (0, 1), "iter.reduce: second arg must be callable"),
        ("sum", (), "iter.sum: expected number, got string"),
        ("to_dict", (), "iter.to_dict: expected pair, got string"),
    ],
)
def test_refusals(name, args, text):
    with pytest.raises(ScriptError) as caught:
        invoke(iter_of(["a"]), name, *args)
    assert caught.value.value == "Type error: " + text


def test_refusals_while_reading():
    for stage, text in (
        (invoke(iter_of([1]), "flat_map", lambda *_: 1), "iter: value of type int is not iterable"),
        (invoke(iter_of([1]), "flat_map", lambda *_: None), "iter: value of type nil is not iterable"),
    ):
        with pytest.raises(ScriptError) as caught:
            invoke(stage, "to_list")
        assert caught.value.value == "Type error: " + text
    with pytest.raises(ScriptError, match=r"Type error: iter\.to_dict: expected string key, got int"):
        invoke(iter_of([Pair(1, 1)]), "to_dict")


def test_there_is_no_next():
    with pytest.raises(ScriptError, match="iter has no method `next`"):
        invoke(iter_of([1]), "next")


def test_an_iter_is_exhausted_when_a_read_reports_the_end():
    source = iter_of([1, 2])
    assert [invoke(source, "first"), invoke(source, "first")] == [1, 2]
    assert display(source) == "<iter>"
    assert invoke(source, "first") is None
    assert display(source) == "<iter (exhausted)>"


def test_take_is_exhausted_with_its_last_item():
    source = iter_of([1, 2, 3])
    taken = invoke(source, "take", 2)
    invoke(taken, "first")
    assert display(taken) == "<iter>"
    invoke(taken, "first")
    assert display(taken) == "<iter (exhausted)>"
    assert invoke(source, "to_list") == [3]


def test_stages_are_lazy_and_fused():
    seen = []
    stage = invoke(HarnIter(iter(count())), "map", lambda v_x=None, *_: seen.append(v_x) or v_x)
    assert invoke(invoke(stage, "take", 3), "to_list") == [0, 1, 2]
    assert seen == [0, 1, 2]


def test_an_iter_may_be_read_inside_its_own_callback():
    source = iter_of(Range(1, 100_000))
    pairs = invoke(source, "map", lambda v_x=None, *_: Pair(v_x, invoke(source, "first")))
    assert display(invoke(invoke(pairs, "take", 2), "to_list")) == "[(1, 2), (3, 4)]"


def test_iter_of_an_iter_is_the_same():
    source = iter_of([1])
    assert iter_of(source) is source
    assert invoke(source, "iter") is source


def test_too_many_stages_and_items():
    source = iter_of([1])
    for _ in range(10_000):
        source = invoke(source, "map", double)
    with pytest.raises(ScriptError, match="Stack overflow: too many nested calls"):
        invoke(source, "map", double)
    with pytest.raises(ScriptError, match="Value too large"):
        invoke(invoke(Range(0, 10**12), "map", double), "to_list")


def test_builtins():
    assert display(builtins.make_pair(1, "a")) == "(1, a)"
    for call, text in (
        (builtins.make_iter, "iter: expected 1 argument"),
        (lambda: builtins.make_iter(1), "iter: value of type int is not iterable"),
        (lambda: builtins.make_iter(None), "iter: value of type nil is not iterable"),
        (lambda: builtins.make_pair(1), "pair: expected 2 arguments, got 1"),
    ):
        with pytest.raises(ScriptError) as caught:
            call()
        assert caught.value.value == "Type error: " + text


# Sets


@pytest.mark.parametrize(
    ("items", "name", "args", "text"),
    [
        ([1, 2], "count", (), "2"),
        ([1, 2], "len", (), "2"),
        ([], "empty", (), "true"),
        ([1], "contains", (1.0,), "true"),
        ([1], "contains", (True,), "false"),
        ([[1]], "contains", ([1.0],), "true"),
        ([1], "add", (2,), "set(1, 2)"),
        ([1], "add", (1.0,), "set(1)"),
        ([1, 2], "remove", (1.0,), "set(2)"),
        ([1, 2], "delete", (3,), "set(1, 2)"),
        ([2, 1], "union", (HarnSet([1, 3]),), "set(2, 1, 3)"),
        ([1], "union", ([2],), "set(1)"),
        ([2, 1], "intersect", (HarnSet([1, 2]),), "set(2, 1)"),
        ([1], "intersection", ([1],), "set()"),
        ([1, 2], "difference", (HarnSet([2]),), "set(1)"),
        ([1, 2], "symmetric_difference", (HarnSet([2, 3]),), "set(1, 3)"),
        ([1], "is_subset", (HarnSet([1, 2]),), "true"),
        ([1], "is_subset", ([1],), "false"),
        ([1, 2], "is_superset", (HarnSet([1]),), "true"),
        ([1], "is_disjoint", (HarnSet([2]),), "true"),
        ([1], "is_disjoint", (1,), "true"),
        ([2, 1], "to_list", (), "[2, 1]"),
        ([1, 2, 3], "map", (is_small,), "set(true, false)"),
        ([1, 2, 3], "filter", (is_small,), "set(1, 2)"),
        ([1, 3], "any", (is_small,), "true"),
        ([1, 3], "every", (is_small,), "false"),
        ([1], "map", (), "nil"),
        ([1], "any", (), "false"),
        ([1], "all", (), "true"),
        ([1], "iter", (), "<iter>"),
    ],
)
def test_set_methods(items, name, args, text):
    receiver = HarnSet(items)
    before = display(receiver)
    assert display(invoke(receiver, name, *args)) == text
    assert display(receiver) == before


def test_sets_that_share_a_store_stay_apart():
    base = HarnSet([1])
    first = base.extended(2)
    second = base.extended(3)
    third = first.extended(3)
    assert [display(each) for each in (base, first, second, third)] == [
        "set(1)",
        "set(1, 2)",
        "set(1, 3)",
        "set(1, 2, 3)",
    ]
    assert not base.holds(2)
    assert not first.holds(3)
    assert second.holds(3)
    assert third.holds_structure(3)
    assert not first.holds_structure(3)


def test_adding_in_a_loop_does_not_copy():
    grown = HarnSet([])
    for number in range(50_000):
        assert not grown.holds(number)
        grown = grown.extended(number)
    assert len(grown) == 50_000


keys = st.one_of(st.integers(-2, 2), st.sampled_from([0.0, 1.0, 0.5, True, False, None, "a", float("nan")]))
items_of_sets = st.lists(st.one_of(keys, st.lists(keys, max_size=2)), max_size=6)


@given(items_of_sets, items_of_sets)
def test_sets_like_a_naive_model(left, right):
    def unequal(items):
        kept = []
        for item in items:
            if not any(equal(item, other) for other in kept):
                kept.append(item)
        return kept

    first, second = set_of_unequal(left), set_of_unequal(right)
    assert display(first.items) == display(unequal(left))
    found = symmetric_difference(first, second, by_equality)
    kept_left, kept_right = unequal(left), unequal(right)
    expected = [x for x in kept_left if not any(equal(x, y) for y in kept_right)]
    expected += [x for x in kept_right if not any(equal(x, y) for y in kept_left)]
    assert display(found.items) == display(expected)


@given(items_of_sets)
def test_structure_tells_more_apart(items):
    made = set_of(items)
    assert all(made.holds_structure(item) for item in items)
    assert display(symmetric_difference(made, set_of(items), by_structure)) == "set()"
