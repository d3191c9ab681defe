"""The options of repeated calls are read once, and only those that cannot be confused with others."""

import pytest

from harnlite.llm.options import ReadOptions
from harnlite.values.errors import ScriptError


def _setting(_name):
    return None


def test_equal_texts_are_read_once_and_other_values_each_time():
    known = ReadOptions()
    first = known.of({"provider": "mock", "model": "m"}, _setting)
    assert known.of({"provider": "mock", "model": "m"}, _setting) is first
    assert known.of({"provider": "mock", "model": "n"}, _setting) is not first
    assert known.of({"provider": "mock"}, _setting) is not first
    assert [known.of({"timeout": value}, _setting).passed["timeout"] for value in (1, 2.5, 1.0)] == [1, 2.5, 1.0]
    assert [known.of({"stream": value}, _setting).stream for value in (1, True, 0, False)] == [True, True, False, False]
    tools = []
    assert known.of({"tools": tools}, _setting).entries == []
    tools.append({"name": "look"})
    assert [entry["name"] for entry in known.of({"tools": tools}, _setting).entries] == ["look"]


def test_wrong_options_throw_each_time():
    known = ReadOptions()
    for _ in range(2):
        with pytest.raises(ScriptError):
            known.of({"transcript": "old"}, _setting)


def test_few_options_are_kept():
    known = ReadOptions()
    for number in range(100):
        assert known.of({"model": f"m{number}"}, _setting).given == {"model": f"m{number}"}
    assert len(known._known) <= 16
