"""Long-running native code notices that the run must stop, and does not grow without limit."""

from __future__ import annotations

import pytest

from harnlite.runtime.methods import invoke
from harnlite.values import interrupts
from harnlite.values.data_types import Pair, Range, ok
from harnlite.values.display import display
from harnlite.values.equality import equal
from harnlite.values.errors import Interrupted, ScriptError
from harnlite.values.iterators import HarnIter
from harnlite.values.keys import equality_key, key_text, structural_key


class Ended:
    """Stands for a run that is to end at its next look."""

    def poll_entry(self) -> None:
        raise Interrupted


@pytest.fixture
def ended():
    previous = interrupts.enter(Ended())
    interrupts.BUILTINS[interrupts.FLAG] = True
    yield
    interrupts.BUILTINS[interrupts.FLAG] = False
    interrupts.enter(previous)


def doubled(start, wrap):
    value = start
    for _ in range(60):
        value = wrap(value)
    return value


SHARED = [
    doubled([], lambda value: [value, value]),
    doubled({}, lambda value: {"a": value, "b": value}),
    doubled(1, lambda value: Pair(value, value)),
]
LONG = list(range(100_000))


@pytest.mark.parametrize("value", SHARED)
@pytest.mark.parametrize("walk", [display, structural_key, key_text, equality_key, lambda value: equal(value, value)])
@pytest.mark.usefixtures("ended")
def test_walks_over_nested_values(walk, value):
    with pytest.raises(Interrupted):
        walk(value)


@pytest.mark.parametrize("name", ["map", "filter", "find", "any", "all", "none", "find_index", "sort_by", "group_by"])
@pytest.mark.usefixtures("ended")
def test_callbacks_on_a_long_list(name):
    with pytest.raises(Interrupted):
        invoke(LONG, name, lambda *_: 0)


@pytest.mark.parametrize("name", ["count", "sum", "max", "last", "to_list", "to_set"])
@pytest.mark.usefixtures("ended")
def test_reading_an_endless_range(name):
    passing = invoke(Range(0, 10**18), "filter", lambda *_: 0)
    with pytest.raises(Interrupted):
        invoke(passing, name)


def test_nothing_grows_without_limit():
    with pytest.raises(ScriptError, match="Value too large"):
        invoke(HarnIter(iter(()), size=10**12), "to_list")
    text = "x" * 30_000_000
    for value in (Pair(text, text), ok([text, text]), {"a": text, "b": text}):
        with pytest.raises(ScriptError, match="Value too large"):
            display([value, value])
