"""Requests and streamed replies for the tests of dialects."""

import json

from harnlite.llm.backend import ChatRequest
from harnlite.llm.dialects.dialect import Host

FIELDS = ("text", "tool_calls", "thinking", "stop_reason", "model", "provider", "blocks", "logprobs")
COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
USER = [{"role": "user", "content": "Hi"}]


def request(provider, model, messages=USER, **more):
    """A request to a model."""
    return ChatRequest(provider=provider, model=model, messages=messages, **more)


def host(provider, base="http://host", **more):
    """The server of a vendor."""
    return Host(provider=provider, base_url=base, **more)


def values(reply):
    """The fields of a reply, to compare it with another."""
    return {name: getattr(reply, name) for name in (*FIELDS, *COUNTS)}


def streamed(dialect, events, asked, server):
    """The reader and the pieces of events."""
    reader = dialect.reader(asked, server)
    deltas = []
    for name, data in events:
        assert not reader.is_complete
        deltas += reader.feed(name, data)
    return reader, deltas


def joined(deltas, kind):
    """The text of all pieces of a kind."""
    return "".join(delta.text for delta in deltas if delta.kind == kind)


def thought(provider, **native):
    """A block of thinking as a transcript keeps it."""
    return {"type": "reasoning", "provider": provider, "native": native, "visibility": "private"}


CALLS = [
    {"role": "user", "content": "Go"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}},
            {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
        ],
    },
    {"role": "user", "content": "Note"},
    {"role": "tool", "name": "g", "tool_call_id": "b", "content": "B"},
    {"role": "tool", "name": "f", "tool_call_id": "a", "content": "A"},
]
"""Calls in the form of OpenAI, with their results in another order and after a message."""

FUNCTION = {
    "name": "f",
    "description": "Does it.",
    "parameters": {
        "type": "object",
        "properties": {"x": {"type": "integer"}},
        "required": ["x"],
        "additionalProperties": False,
    },
    "x-harn-output-schema": {"type": "string"},
}
TOOL = {"type": "function", "function": FUNCTION, "namespace": "n"}


# Streams


def message_events(message, pieces=3):
    """The events with which a message is streamed."""
    start = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    yield "message_start", {"type": "message_start", "message": start}
    yield "ping", {"type": "ping"}
    for index, block in enumerate(message["content"]):
        empty = {key: {"text": "", "thinking": "", "signature": "", "input": {}}.get(key, block[key]) for key in block}
        yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": empty}
        for kind, key, name in (
            ("thinking_delta", "thinking", "thinking"),
            ("signature_delta", "signature", "signature"),
            ("text_delta", "text", "text"),
            ("input_json_delta", "input", "partial_json"),
        ):
            if key in block:
                text = json.dumps(block[key]) if key == "input" else block[key]
                for at in range(0, len(text), pieces):
                    delta = {"type": kind, name: text[at : at + pieces]}
                    yield None, {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}}
    yield "message_stop", {"type": "message_stop"}


def response_events(parts, usage):
    """The chunks in which Gemini streams parts."""
    for part in parts:
        yield None, {"candidates": [{"content": {"role": "model", "parts": [part]}}], "modelVersion": "gemini-x"}
    yield None, {"usageMetadata": {"promptTokenCount": 1}}
    end = {"candidates": [{"content": {}, "finishReason": "STOP"}], "usageMetadata": usage}
    yield None, {**end, "modelVersion": "gemini-x"}


def chat_events(chat, pieces=2):
    """The lines in which Ollama streams a chat response."""
    message = chat["message"]
    for name in ("thinking", "content"):
        for at in range(0, len(message[name]), pieces):
            added = {"content": "", name: message[name][at : at + pieces]}
            yield None, {"model": chat["model"], "message": added, "done": False}
    for found in message["tool_calls"]:
        yield None, {"model": chat["model"], "message": {"content": "", "tool_calls": [found]}, "done": False}
    yield None, {**chat, "message": {"role": "assistant", "content": ""}}
