"""Conversion of values from Python to scripts and back."""

from collections import OrderedDict
from datetime import timedelta
from enum import IntEnum
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.host.conversion import EnumValue, Handle, ScriptFunction, StructValue, to_harn, to_python
from harnlite.values.data_types import Pair, Struct, StructType, ok, type_name
from harnlite.values.display import display
from harnlite.values.errors import ScriptError, thrown

INT64 = st.integers(-(2**63), 2**63 - 1)
PLAIN = st.recursive(
    st.none() | st.booleans() | INT64 | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(PLAIN)
def test_plain_values_come_back_as_they_went(value):
    back = to_python(to_harn(value))
    assert back == value
    assert repr(back) == repr(value) or isinstance(value, (list, dict))


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        ((1, "a"), "list", "[1, a]"),
        ({"b"}, "set", "set(b)"),
        (frozenset(), "set", "set()"),
        (timedelta(minutes=90), "duration", "90m"),
        (range(3), "range", "0 to 3 exclusive"),
        (range(0, 6, 2), "list", "[0, 2, 4]"),
        (bytearray(b"\x01"), "bytes", 'b"01"'),
        (OrderedDict(a=1), "dict", "{a: 1}"),
        (MappingProxyType({"a": [1]}), "dict", "{a: [1]}"),
        (IntEnum("Level", ["LOW"]).LOW, "int", "1"),
        (EnumValue("Result", "Ok", ([1],)), "enum", "Result.Ok([1])"),
        (StructValue("Point", {"x": 1}), "struct", "Point {x: 1}"),
        (len, "builtin", "<builtin len>"),
        (iter([1]), "iter", "<iter>"),
    ],
)
def test_into_a_script(value, kind, text):
    converted = to_harn(value)
    assert (type_name(converted), display(converted)) == (kind, text)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, {1: 2}, [object()], 1j])
def test_what_a_script_has_no_value_for(value):
    with pytest.raises((TypeError, ValueError)):
        to_harn(value)


def test_lone_surrogates_are_no_text_of_a_script():
    assert to_harn({"a\ud800": ["\udc00b", "\ud83d\ude00"]}) == {"a\ufffd": ["\ufffdb", "\U0001f600"]}


def test_a_value_that_contains_itself():
    loop: list[object] = []
    loop.append({"again": loop})
    with pytest.raises(ValueError, match="contains itself"):
        to_harn(loop)
    shared = [1]
    assert to_harn([shared, shared]) == [[1], [1]]


def test_out_of_a_script():
    point = StructType("Point", ("x", "y"))
    struct = Struct(point, {"y": Pair(1, 2), "x": [ok(None)]})
    value = to_python(struct)
    assert value == StructValue("Point", {"x": [EnumValue("Result", "Ok", (None,))], "y": (1, 2)})
    assert value["y"] == (1, 2)
    back = to_harn(value)
    assert isinstance(back, Struct)
    assert back.type is point
    assert to_python(to_harn(timedelta(seconds=1))) == timedelta(seconds=1)
    assert to_python(to_harn(range(2, 5))) == range(2, 5)
    assert list(to_python({"b": 1, "a": 2})) == ["a", "b"]


def test_sets_keep_all_their_items():
    assert to_python(to_harn({1, 2})) == {1, 2}
    assert to_python(to_harn({1, "a"})) in ({1, "a"}, ["a", 1])
    from harnlite.values.sets import HarnSet

    assert to_python(HarnSet([1, True])) == [1, True]
    assert to_python(HarnSet([[1], [2]])) == [[1], [2]]


def test_what_only_the_script_can_use_goes_back_as_itself():
    iterator = to_harn(iter([1]))
    handle = to_python(iterator)
    assert isinstance(handle, Handle)
    assert (handle.type, handle.text) == ("iter", "<iter>")
    assert to_harn(handle) is iterator


def test_a_closure_becomes_a_callable():
    def closure(v_a=None, v_b=None, *_):
        return [v_a, v_b]

    function = to_python(closure)
    assert isinstance(function, ScriptFunction)
    assert function((1, 2)) == [[1, 2], None]
    assert function.text == "<fn(a, b)>"
    assert to_harn(function) is closure


def test_a_python_callable_gets_python_values():
    seen = []

    def note(*values):
        seen.append(values)
        return {"count": len(values)}

    native = to_harn(note)
    assert native(Pair(1, 2), None) == {"count": 2}
    assert seen == [((1, 2), None)]
    assert display(native) == "<builtin note>"


def test_a_python_exception_is_an_error_of_the_script():
    def fail(kind):
        if kind == "own":
            raise thrown({"code": 1})
        raise KeyError(kind)

    native = to_harn(fail)
    with pytest.raises(ScriptError) as caught:
        native("x")
    assert caught.value.value == "Runtime error: fail: KeyError: 'x'"
    with pytest.raises(ScriptError) as caught:
        native("own")
    assert caught.value.value == {"code": 1}
