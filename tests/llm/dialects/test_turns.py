"""Messages in any provider's format, read into one neutral form."""

import copy

import pytest

from harnlite.llm.dialects.content import content_blocks
from harnlite.llm.dialects.functions import choice_of
from harnlite.llm.dialects.parameters import merged
from harnlite.llm.dialects.turns import MISSING, alternating, instructions, turns_of
from harnlite.values.errors import ScriptError

from .exchanges import CALLS, request

PNG = {"type": "media", "kind": "image", "media_type": "image/png", "data": "QQ=="}


def wired(messages):
    return [(turn.role, turn.blocks) for turn in alternating(turns_of(messages))]


@pytest.mark.parametrize(
    ("block", "found"),
    [
        ("text", {"type": "text", "text": "text"}),
        ({"type": "output_text", "text": "t", "visibility": "public"}, {"type": "text", "text": "t"}),
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}}, PNG),
        ({"type": "input_image", "image_url": "data:image/png;base64,QQ=="}, PNG),
        ({"type": "image", "data": "QQ==", "mimeType": "image/png"}, PNG),
        ({"type": "image", "url": "http://i/x"}, {**PNG, "url": "http://i/x"}),
        (
            {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "wav"}},
            {**PNG, "kind": "audio", "media_type": "audio/wav"},
        ),
        (
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,QQ=="}},
            {**PNG, "kind": "pdf", "media_type": "application/pdf", "name": "a.pdf"},
        ),
        (
            {"type": "odd", "a": 1, "provider": "p"},
            {"type": "native", "provider": "p", "native": {"type": "odd", "a": 1}},
        ),
    ],
)
def test_blocks(block, found):
    if "url" in found:
        found = {key: value for key, value in found.items() if key != "data"}
    assert content_blocks([block]) == [found]


def test_media_without_data_is_refused():
    with pytest.raises(ScriptError, match="`image` has neither data nor a URL"):
        content_blocks([{"type": "image"}])


def test_results_come_first_in_the_order_of_the_calls():
    before = copy.deepcopy(CALLS)
    assert wired(CALLS)[2] == (
        "user",
        [
            {"type": "tool_result", "id": "a", "name": "f", "content": "A", "is_error": False},
            {"type": "tool_result", "id": "b", "name": "g", "content": "B", "is_error": False},
            {"type": "text", "text": "Note"},
        ],
    )
    assert before == CALLS


def test_ids_that_repeat_become_unique():
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]}
    result = {"role": "tool_result", "tool_use_id": "c", "content": "R"}
    found = wired([call, result, call, result])
    assert [block["id"] for _, blocks in found for block in blocks] == ["c", "c", "c_2", "c_2"]


def test_calls_without_results_and_results_without_calls():
    assert wired(CALLS[:2])[2][1][0]["content"] == MISSING
    assert wired([{"role": "tool", "name": "f", "tool_call_id": "z", "content": "R"}]) == [
        ("user", [{"type": "text", "text": "[result of f]\nR"}])
    ]


def test_results_without_ids_follow_the_names_of_the_calls():
    messages = [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": name, "arguments": {}}} for name in ("f", "g")],
        },
        {"role": "tool", "tool_name": "g", "content": "G"},
        {"role": "tool", "tool_name": "f", "content": "F"},
    ]
    assert [block["content"] for block in wired(messages)[1][1]] == ["F", "G"]


def test_instructions_in_front_are_split_off():
    messages = [
        {"role": "developer", "content": "D"},
        {"role": "user", "content": "U"},
        {"role": "system", "content": "S"},
    ]
    texts, turns = instructions(turns_of(messages))
    assert texts == ["D"]
    assert [(turn.role, turn.blocks[0]["text"]) for turn in turns] == [("user", "U"), ("user", "S")]


@pytest.mark.parametrize(
    ("value", "choice"),
    [
        (None, (None, None)),
        ("auto", ("auto", None)),
        ("any", ("required", None)),
        ({"type": "none"}, ("none", None)),
        ({"name": "f"}, ("required", "f")),
        ({"type": "function", "function": {"name": "f"}}, ("required", "f")),
        ("f", ("required", "f")),
    ],
)
def test_tool_choice(value, choice):
    assert choice_of(request("p", "m", tool_choice=value)) == choice


def test_fields_are_merged():
    body = {"a": {"b": 1, "c": 2}, "tools": [1], "x": 1}
    assert merged(body, {"a": {"b": 3}, "tools": [2], "x": None}) == {"a": {"b": 3, "c": 2}, "tools": [1, 2]}
