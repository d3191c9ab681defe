"""Every answer is the same whether it is streamed or not; whatever is damaged is a script's error, never Python's."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.llm.dialects import anthropic, gemini, ollama
from harnlite.llm.dialects.turns import ASSISTANT
from harnlite.values.errors import ScriptError

from .exchanges import USER, chat_events, host, message_events, request, response_events, streamed, values

TEXTS = st.text(min_size=1, max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | TEXTS, lambda inner: st.lists(inner, max_size=2), max_leaves=3
)
CALLS = st.tuples(st.just("call"), st.sampled_from(["f", "g"]), st.dictionaries(TEXTS, JSON, max_size=3))
PARTS = st.lists(st.tuples(st.sampled_from(["text", "thinking"]), TEXTS) | CALLS, max_size=6)


def messages_api(answer, pieces):
    """The answer as a message of Anthropic, and its events."""
    blocks = []
    for number, (kind, *values_) in enumerate(answer):
        if kind == "call":
            blocks.append({"type": "tool_use", "id": f"t{number}", "name": values_[0], "input": values_[1]})
        elif kind == "thinking":
            blocks.append({"type": kind, kind: values_[0], "signature": f"s{number}"})
        else:
            blocks.append({"type": kind, kind: values_[0]})
    usage = {"input_tokens": 3, "output_tokens": 7, "cache_read_input_tokens": 2}
    message = {"type": "message", "model": "claude-x", "content": blocks, "stop_reason": "end_turn", "usage": usage}
    return message, message_events(message, pieces)


def gemini_api(answer, pieces):
    """The answer as a response of Gemini, and its chunks."""
    parts, streamed_parts = [], []
    for kind, *values_ in answer:
        if kind == "call":
            parts.append({"functionCall": {"name": values_[0], "args": values_[1]}})
            streamed_parts.append(parts[-1])
            continue
        more = {"thought": True} if kind == "thinking" else {}
        parts.append({"text": values_[0], **more})
        streamed_parts += [{"text": values_[0][at : at + pieces], **more} for at in range(0, len(values_[0]), pieces)]
    usage = {"promptTokenCount": 3, "candidatesTokenCount": 7}
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
    body = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-x"}
    return body, response_events(streamed_parts, usage)


def ollama_api(answer, pieces):
    """The answer as a chat response of Ollama, and its lines."""
    texts = {kind: "".join(part[1] for part in answer if part[0] == kind) for kind in ("text", "thinking")}
    calls = [{"function": {"name": part[1], "arguments": part[2]}} for part in answer if part[0] == "call"]
    message = {"role": "assistant", "content": texts["text"], "thinking": texts["thinking"], "tool_calls": calls}
    chat = {"model": "llama", "message": message, "done": True, "done_reason": "stop", "eval_count": 7}
    return chat, chat_events(chat, pieces)


VENDORS = [
    ("anthropic", "claude-sonnet-4-6", anthropic.DIALECT, messages_api),
    ("gemini", "gemini-3-pro", gemini.DIALECT, gemini_api),
    ("ollama", "llama3.2", ollama.DIALECT, ollama_api),
]


@pytest.mark.parametrize(("vendor", "model", "dialect", "form"), VENDORS, ids=[row[0] for row in VENDORS])
@given(answer=PARTS, pieces=st.integers(1, 5))
def test_a_streamed_answer_equals_the_whole_one(vendor, model, dialect, form, answer, pieces):
    asked, server = request(vendor, model), host(vendor)
    body, events = form(answer, pieces)
    whole = dialect.reply(body, asked, server)
    reader, deltas = streamed(dialect, events, asked, server)
    assert reader.is_complete
    assert values(reader.reply()) == values(whole)
    assert "".join(delta.text for delta in deltas if delta.kind == "text") == whole.text
    for name, _model, other, _form in VENDORS:
        messages = [*USER, {"role": ASSISTANT, "content": whole.blocks}]
        assert other.wire(request(name, _model, messages, options={"max_tokens": 9}), host(name)).body


JUNK = st.sampled_from([None, True, 7, 1.5, "x", "", [], {}, [None], [{}], {"type": "text"}, {"url": 1, "data": 2}])


def damaged(value, path, junk):
    """A copy of a value in which what a path leads to is junk."""
    if not path or not isinstance(value, dict | list) or not value:
        return junk
    keys = list(value) if isinstance(value, dict) else range(len(value))
    chosen = keys[path[0] % len(keys)]
    copied = value.copy()
    copied[chosen] = damaged(value[chosen], path[1:], junk)
    return copied


@pytest.mark.parametrize(("vendor", "model", "dialect", "form"), VENDORS, ids=[row[0] for row in VENDORS])
@given(answer=PARTS, path=st.lists(st.integers(0, 9), min_size=1, max_size=6), junk=JUNK)
def test_damaged_answers_are_errors_of_scripts(vendor, model, dialect, form, answer, path, junk):
    asked, server = request(vendor, model), host(vendor)
    body, events = form(answer, 3)
    bad = damaged(body, path, junk)
    if isinstance(bad, dict):
        with contextlib.suppress(ScriptError):
            dialect.reply(bad, asked, server)
    events = damaged(list(events), path, (None, junk if isinstance(junk, dict) else {}))
    with contextlib.suppress(ScriptError):
        reader = dialect.reader(asked, server)
        for event in events if isinstance(events, list) else []:
            if len(event) == 2 and isinstance(event[1], dict):
                reader.feed(*event)
        reader.reply()


BLOCKS = [
    {"type": "text", "text": "t", "cache_control": {"type": "ephemeral"}},
    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="}},
    {"type": "file", "file": {"file_data": "QQ==", "filename": "a"}},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}},
    {"type": "tool_use", "id": "a", "name": "f", "input": {}},
    {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "R"}]},
    {"type": "thinking", "thinking": "t", "signature": "s"},
    {"type": "reasoning", "provider": "anthropic", "native": {"type": "thinking"}},
    {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "D"}},
]
MESSAGES = [
    {"role": "user", "content": BLOCKS},
    {"role": "assistant", "content": "x", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "a", "content": "R"},
]
TOOLS = [
    {"name": "f", "description": "", "input_schema": {"type": "object", "properties": {"x": {"type": ["string"]}}}}
]


@pytest.mark.parametrize(("vendor", "model", "dialect", "form"), VENDORS, ids=[row[0] for row in VENDORS])
@given(path=st.lists(st.integers(0, 9), max_size=6), junk=JUNK, is_tool=st.booleans())
def test_damaged_messages_are_errors_of_scripts(vendor, model, dialect, form, path, junk, is_tool):
    tools = damaged(TOOLS, path, junk) if is_tool else TOOLS
    messages = MESSAGES if is_tool else damaged(MESSAGES, path, junk)
    if not all(isinstance(part, list) and all(isinstance(item, dict) for item in part) for part in (messages, tools)):
        return
    with contextlib.suppress(ScriptError):
        dialect.wire(request(vendor, model, messages, tools=tools, options={"max_tokens": 9}), host(vendor))
