"""Requests and streamed replies for the tests of dialects."""

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
