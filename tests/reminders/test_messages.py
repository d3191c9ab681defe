"""Messages as transcript events."""

import pytest

from harnlite.reminders.messages import is_message_event, message_event


def block(text, visibility="public"):
    return {"type": "text", "text": text, "visibility": visibility}


MESSAGES = [
    ({"role": "user", "content": "hi"}, "message", "public", "hi", [block("hi")]),
    ({"content": "hi"}, "message", "public", "hi", [block("hi")]),
    ({"role": "assistant", "content": None}, "message", "public", "", []),
    ({"role": "assistant"}, "message", "public", "", []),
    ({"role": "user", "content": ["a", {"text": "b"}]}, "message", "public", "a b", [block("a"), block("b")]),
    ({"role": "tool_result", "content": "r"}, "tool_result", "internal", "r", [block("r", "internal")]),
    ({"role": "tool", "content": "r", "name": "x"}, "tool_result", "internal", "r", [block("r", "internal")]),
    (
        {"role": "tool_result", "content": [block("r")]},
        "tool_result",
        "public",
        "r",
        [block("r")],
    ),
    ({"role": "user", "content": [block("r", "internal")]}, "message", "internal", "r", [block("r", "internal")]),
]


@pytest.mark.parametrize(("message", "kind", "visibility", "text", "blocks"), MESSAGES)
def test_events(message, kind, visibility, text, blocks):
    event = message_event(message, "e")
    assert list(event) == ["id", "kind", "role", "visibility", "text", "blocks"]
    assert event["role"] == message.get("role", "user")
    assert (event["kind"], event["visibility"], event["text"], event["blocks"]) == (kind, visibility, text, blocks)
    assert is_message_event(event)


BLOCKS = [
    ({"type": "output_text", "text": "o"}, "o"),
    ({"type": "reasoning", "text": "secret"}, ""),
    ({"type": "tool_call", "name": "read"}, "<tool_call:read>"),
    ({"type": "tool_result", "name": "read", "content": "x"}, "<tool_result:read>"),
    ({"type": "image", "label": "a cat"}, "a cat"),
    ({"type": "file", "label": "notes.txt"}, "notes.txt"),
    ({"type": "image"}, "<image>"),
    ({"type": "audio"}, "<audio>"),
    ({"type": ["odd"]}, ""),
    ({"type": "text", "text": 5}, ""),
]


@pytest.mark.parametrize(("content", "text"), BLOCKS)
def test_the_words_of_blocks(content, text):
    event = message_event({"role": "assistant", "content": ["first", content, "last"]}, "e")
    assert event["text"] == " ".join(part for part in ("first", text, "last") if part)
