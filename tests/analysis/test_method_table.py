"""The table of methods agrees with the runtime functions, and its columns with the code that uses them."""

from __future__ import annotations

import pytest

from harnlite.analysis.builtins.method_table import CLOSURE, COMPLETE, LOOKS, PURE, TABLE, methods_with
from harnlite.analysis.builtins.methods import METHODS as SIGNATURES
from harnlite.analysis.checking.contents import HOLDINGS
from harnlite.runtime.methods import METHODS, invoke
from harnlite.runtime.tasks.generators import Generator
from harnlite.values.data_types import Pair, Range, type_name
from harnlite.values.errors import ScriptError
from harnlite.values.iterators import HarnIter, iter_of
from harnlite.values.sets import HarnSet, set_of

CLASSES = {"list": list, "string": str, "dict": dict, "set": HarnSet, "range": Range, "iter": HarnIter}
CHANGEABLE = ("list", "dict", "set")
RECEIVERS = {
    "list": lambda: [3, 1, 2],
    "string": lambda: "a, b",
    "dict": lambda: {"a": 1, "b": 2},
    "set": lambda: set_of([1, 2]),
    "range": lambda: Range(1, 3),
    "iter": lambda: iter_of([3, 1, 2]),
}
TYPED = {"int": 1, "list": [1], "dict": {"c": 3}, "set": set_of([2]), CLOSURE: lambda *given: given[-1]}
NAMED = {
    "part": "a",
    "old": "a",
    "new": "b",
    "separator": ", ",
    "fill": " ",
    "key": "a",
    "other": [1],
    "item": 1,
    "init": 0,
}
ROWS = [(receiver, row) for receiver in CLASSES for row in TABLE[receiver].values()]


def argument(name, kind):
    """Return an argument that a method accepts."""
    return TYPED[kind.partition(" ")[0]] if kind else NAMED.get(name)


@pytest.mark.parametrize("receiver", CLASSES)
def test_table_and_runtime_list_the_same_methods(receiver):
    expected = set(METHODS[CLASSES[receiver]])
    if receiver == "range":
        expected |= set(METHODS[HarnIter])
    assert set(TABLE[receiver]) == expected


def test_every_type_with_methods_is_in_the_table():
    assert set(METHODS) == set(CLASSES.values())
    assert set(TABLE) == {*CLASSES, "Generator", "Stream"}
    assert set(TABLE["Generator"]) == set(Generator.harn_methods)


@pytest.mark.parametrize(("receiver", "row"), ROWS, ids=lambda one: getattr(one, "name", one))
def test_results_are_what_the_table_says(receiver, row):
    arguments = [argument(*param) for param in row.params]
    seen = set()
    for count in range(len(arguments) + 1):
        if (COMPLETE in row.traits or row.calls) and count < len(arguments):
            continue
        value = iter_of([Pair("a", 1)]) if row.name == "to_dict" else RECEIVERS[receiver]()
        try:
            seen.add(type_name(invoke(value, row.name, *arguments[:count])))
        except ScriptError:
            assert count < len(arguments)
    assert seen
    assert not row.result or seen == {row.result}


@pytest.mark.parametrize("receiver", CHANGEABLE)
def test_methods_that_look_neither_return_nor_change_the_receiver(receiver):
    for name in methods_with(LOOKS, receiver):
        value, same = RECEIVERS[receiver](), RECEIVERS[receiver]()
        result = invoke(value, name, *(argument(*param) for param in TABLE[receiver][name].params))
        assert result is not value
        assert type_name(value) == type_name(same)
        assert list(iter_of(value).source) == list(iter_of(same).source) or receiver == "dict"
        assert receiver != "dict" or value == same


def test_a_name_looks_for_every_type_or_for_none():
    looking = {name for receiver in CHANGEABLE for name in methods_with(LOOKS, receiver)}
    assert not [
        (receiver, row.name) for receiver, row in ROWS
        if receiver in CHANGEABLE and row.name in looking and LOOKS not in row.traits
    ]  # fmt: skip


def test_methods_that_call_a_closure_are_not_pure():
    assert not [(receiver, row.name) for receiver, row in ROWS if row.calls and PURE in row.traits]


def test_traits_and_types_are_known():
    known = {"int", "string", "bool", "nil", "list", "dict", "set", "iter", ""}
    for receiver, row in ROWS:
        assert row.traits <= {PURE, LOOKS, COMPLETE}, (receiver, row.name)
        assert row.result in known
        assert {kind.partition(" ")[0] for _, kind in row.params} <= known | {CLOSURE}
        assert row.holds in HOLDINGS or not row.holds
        assert SIGNATURES[receiver][row.name].name == row.name
