"""Tools of a call: entries, schemas, arguments, and the contract in the system prompt."""

import pytest

from harnlite.llm.contract import tool_contract
from harnlite.llm.offered_tools import (
    input_schema,
    native_schema,
    normalise_arguments,
    tool_entries,
    tool_names,
    validate_arguments,
)
from harnlite.runtime.registries import call_handler, tool
from harnlite.values.errors import ScriptError

GREP = {
    "name": "grep",
    "description": "Finds text.",
    "parameters": {"pattern": "what to find", "limit": {"type": "integer", "required": False}},
    "outputSchema": {"type": "string"},
    "defer_loading": True,
    "guidance": "Search before you read.",
}
WHOLE = {
    "name": "save",
    "parameters": {"type": "object", "properties": {"b": {"type": "string"}, "a": {}}, "required": ["b"]},
}


def test_entries_come_from_registries_and_lists() -> None:
    registry = {"_type": "tool_registry", "tools": [GREP]}
    assert tool_entries(None) == []
    assert tool_names(tool_entries(registry)) == ["grep"]
    assert tool_names(tool_entries([registry, WHOLE])) == ["grep", "save"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (5, "tools must be a tool_registry or a list of tool definition dicts"),
        ({"a": 1}, "tools must be a tool_registry or a list of tool definition dicts"),
        (["grep"], "tools must be declared as tool definition dicts or a tool_registry"),
        ([3], "tools must contain only tool definition dicts"),
    ],
)
def test_malformed_entries(value: object, message: str) -> None:
    with pytest.raises(ScriptError) as failure:
        tool_entries(value)
    assert failure.value.value == message


def test_native_schemas() -> None:
    schema = {
        "type": "object",
        "properties": {"limit": {"type": "integer"}, "pattern": {"type": "string", "description": "what to find"}},
        "required": ["pattern"],
        "additionalProperties": False,
    }
    assert native_schema([GREP], "anthropic") == [
        {
            "name": "grep",
            "description": "Finds text.",
            "input_schema": schema,
            "x-harn-output-schema": {"type": "string"},
            "defer_loading": True,
        }
    ]
    assert native_schema([GREP], "openai") == [
        {
            "type": "function",
            "function": {
                "name": "grep",
                "description": "Finds text.",
                "parameters": schema,
                "x-harn-output-schema": {"type": "string"},
            },
            "defer_loading": True,
        }
    ]
    assert input_schema(WHOLE)["required"] == ["b"]
    assert list(input_schema(WHOLE)["properties"]) == ["a", "b"]


def test_arguments_are_renamed_and_numbered() -> None:
    entry = {
        **GREP,
        "annotations": {"arg_aliases": {"query": "pattern"}, "arg_schema": {"aliases": {"limit": ["max"]}}},
    }
    given = {"query": "x", "max": "7", "deep": [{"line": " -3 ", "other": "3"}]}
    assert normalise_arguments(entry, given) == {"pattern": "x", "limit": "7", "deep": [{"line": -3, "other": "3"}]}
    assert normalise_arguments(entry, {"query": "x", "pattern": "y"}) == {"query": "x", "pattern": "y"}
    assert normalise_arguments(None, {"limit": "9999999999999999999", "count": "1x"}) == {
        "limit": "9999999999999999999",
        "count": "1x",
    }
    assert normalise_arguments(None, None) == {}


def test_missing_arguments() -> None:
    entry = {
        "name": "x",
        "parameters": {"b": "", "a": {"type": "string"}, "c": {"default": 1}, "d": {"required": False}},
    }
    assert validate_arguments(entry, {"b": None}) == (
        "Tool 'x' is missing required parameter(s): a, b. Provide all required parameters and try again."
    )
    assert validate_arguments(entry, {"a": "", "b": 0}) is None
    assert validate_arguments(WHOLE, {}) is not None
    assert validate_arguments(None, {}) is None


def test_handlers_of_declared_tools_take_parameters() -> None:
    def declared(path: object = None, limit: object = 5, *_: object) -> object:
        return path, limit

    tool("t", "", {"path": {}, "limit": {}}, declared, None)
    assert call_handler(declared, {"limit": None, "path": "p", "more": 1}) == ("p", 5)
    assert call_handler(declared, {"limit": 3}) == (None, 3)
    assert call_handler(lambda arguments=None, *_: arguments, {"a": 1}) == {"a": 1}


def test_text_contract() -> None:
    text = tool_contract([GREP, WHOLE], "text", {"done_sentinel": "##DONE##", "tool_examples": ["one", "two"]})
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == [
        "## Tool Calling Contract",
        "## Operating guidance",
        "## Response protocol",
        "## Tool call examples",
        "## Available tools",
    ]
    assert text.splitlines()[1].startswith("Active mode: `text`. ")
    assert "<done>##DONE##</done>" in text
    assert "\n## Tool call examples\none\ntwo\n" in text
    assert "Search before you read." in text
    assert text.endswith(
        "## Available tools\n### grep\nFinds text.\n"
        'Parameters: {"limit":{"required":false,"type":"integer"},"pattern":"what to find"}\n'
        'Returns: {"type":"string"}\n\n### save\n'
        'Parameters: {"properties":{"a":{},"b":{"type":"string"}},"required":["b"],"type":"object"}'
    )
    assert "<done>" not in tool_contract([GREP], "text", {})


def test_native_contract_has_no_schemas() -> None:
    text = tool_contract([GREP], "native", {"done_sentinel": "X"})
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "## Native tool protocol",
        "## Operating guidance",
    ]
    assert "Search before you read." in text
    assert "Parameters" not in text
