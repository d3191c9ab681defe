"""The texts of tools in a prompt are remembered by their content, whatever that is."""

import pytest

from harnlite.llm import contract
from harnlite.llm.contract import tool_contract
from harnlite.reminders.capabilities import TEXT
from harnlite.values.data_types import Duration


@pytest.fixture(autouse=True)
def _without_memory(monkeypatch):
    monkeypatch.setattr(contract, "_listings", {})


def _text(parameters, **more):
    return tool_contract([{"name": "t", "parameters": parameters, **more}], TEXT, {})


def test_equal_tools_are_written_once(monkeypatch):
    first = _text({"a": {"type": "string"}})
    monkeypatch.setattr(contract, "_written", None)
    assert _text({"a": {"type": "string"}}) == first


def test_a_tool_that_changes_in_place_is_written_anew():
    parameters = {"a": {"type": "string"}}
    assert '"number"' not in _text(parameters)
    parameters["a"]["type"] = "number"
    assert '"number"' in _text(parameters)


def test_values_that_are_equal_but_not_the_same_are_told_apart():
    values = [1, True, 1.0, "1", [1], {"x": 1, "y": 2}, {"y": 2, "x": 1}]
    texts = [_text({"a": {"default": value}}) for value in values]
    assert texts == [_text({"a": {"default": value}}) for value in values]
    assert texts[0] != texts[1]
    assert texts[0] != texts[3]
    assert "Returns" in _text({}, outputSchema={})
    assert "Returns" not in _text({})


def test_other_values_and_long_tools_are_written_each_time():
    deep = {}
    for _ in range(3_000):
        deep = {"a": deep}
    for parameters in ({"a": {"default": Duration(5)}}, {"a": "x" * contract._LONGEST_LISTING}):
        assert _text(parameters) == _text(parameters)
    with pytest.raises(ValueError, match="nested"):
        contract.marshal.dumps(deep)
    assert not contract._listings


def test_few_texts_are_kept(monkeypatch):
    monkeypatch.setattr(contract, "_MOST_LISTINGS", 3)
    for number in range(20):
        _text({"a": {"default": number}})
        assert len(contract._listings) <= 3
