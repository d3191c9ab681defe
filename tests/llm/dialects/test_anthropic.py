"""The Messages API: exact bodies, replies whole and streamed, and bad replies."""

import pytest

from harnlite.formats.json.writing import json_text
from harnlite.llm.dialects.anthropic import DIALECT
from harnlite.llm.dialects.turns import MISSING
from harnlite.llm.errors import error_category
from harnlite.values.errors import ScriptError

from .exchanges import CALLS, FUNCTION, TOOL, USER, host, joined, message_events, request, streamed, thought, values

MODEL, OLD, NEW = "claude-sonnet-4-6", "claude-sonnet-4-5", "claude-opus-4-8"
MARK = {"cache_control": {"type": "ephemeral"}}
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
WANTS_SCHEMA = {"output_format": {"kind": "json_schema", "schema": SCHEMA, "strict": True}}
LIST = {"output_format": {"kind": "json_schema", "schema": {"type": "array"}, "strict": True}}
TOOL_FORM = {"name": "f", "description": "Does it.", "input_schema": FUNCTION["parameters"]}
ANSWER = {
    "name": "structured_answer",
    "description": "Gives the answer. Call it once, with the complete answer as its arguments.",
    "input_schema": SCHEMA,
}


def wire(model=MODEL, *, flags=None, headers=None, base="http://host", **more):
    more["options"] = {"max_tokens": 5000, **more.get("options", {})}
    return DIALECT.wire(request("anthropic", model, **more), host("anthropic", base, flags=flags, headers=headers))


def body(model=MODEL, **more):
    return wire(model, **more).body


def rest(*args, **more):
    """The body without what each of these has."""
    return {key: value for key, value in body(*args, **more).items() if key not in ("model", "max_tokens", "messages")}


def test_plain_request():
    sent = wire(system="S", stream=True, options={"timeout": 120, "stop": ["X", " "], "metadata": {"user_id": "u"}})
    assert sent.url == "http://host/v1/messages"
    assert sent.headers == {"anthropic-version": "2023-06-01"}
    assert sent.body == {
        "model": MODEL,
        "max_tokens": 5000,
        "system": "S",
        "messages": USER,
        "stop_sequences": ["X"],
        "stream": True,
        "metadata": {"user_id": "u"},
    }
    assert sent.notes == ()


@pytest.mark.parametrize(
    ("base", "url"), [("http://h/", "http://h/v1/messages"), ("http://h/v1", "http://h/v1/messages")]
)
def test_urls(base, url):
    assert wire(base=base).url == url


def test_headers_and_beta_features():
    options = {"interleaved_thinking": True, "anthropic_beta_features": "one, two"}
    sent = wire(options=options, headers={"X-Api-Key": "k", "Anthropic-Beta": "zero"})
    assert sent.headers == {
        "x-api-key": "k",
        "anthropic-version": "2023-06-01",
        "anthropic-beta": "zero,one,two,interleaved-thinking-2025-05-14",
    }


def test_calls_of_another_vendor():
    found = body(messages=CALLS)["messages"]
    assert found[1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
                {"type": "tool_use", "id": "b", "name": "g", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "A"},
                {"type": "tool_result", "tool_use_id": "b", "content": "B"},
                {"type": "text", "text": "Note"},
            ],
        },
    ]


def test_missing_results_and_odd_ids():
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "x|y.z", "name": "f", "input": {}}]}
    result = {"type": "tool_result", "tool_use_id": "x_y_z", "content": MISSING, "is_error": True}
    assert body(messages=[*USER, call])["messages"][2] == {"role": "user", "content": [result]}


def test_thinking_goes_back_unchanged():
    native = {"type": "thinking", "thinking": "t", "signature": "s"}
    hidden = {"type": "redacted_thinking", "data": "d"}
    content = [thought("anthropic", **native), {**hidden, "visibility": "private"}, thought("gemini", text="no")]
    call = {"type": "tool_call", "id": "c", "name": "f", "arguments": {}, "visibility": "internal"}
    messages = [*USER, {"role": "assistant", "content": [*content, call]}]
    assert body(messages=messages)["messages"][1]["content"] == [
        native,
        hidden,
        {"type": "tool_use", "id": "c", "name": "f", "input": {}},
    ]


# Thinking and sampling


@pytest.mark.parametrize(
    ("model", "thinking", "sent"),
    [
        (OLD, {"mode": "enabled", "budget_tokens": None}, {"thinking": {"type": "enabled", "budget_tokens": 2500}}),
        (OLD, {"mode": "enabled", "budget_tokens": 10}, {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        (OLD, {"mode": "enabled", "budget_tokens": 9000}, {"thinking": {"type": "enabled", "budget_tokens": 3976}}),
        (OLD, {"mode": "effort", "level": "low"}, {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        (MODEL, {"mode": "adaptive"}, {"thinking": {"type": "adaptive"}}),
        (
            MODEL,
            {"mode": "effort", "level": "xhigh"},
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}},
        ),
        (
            NEW,
            {"mode": "effort", "level": "xhigh"},
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "xhigh"}},
        ),
        (NEW, {"mode": "enabled", "budget_tokens": 2000}, {"thinking": {"type": "adaptive"}}),
        (MODEL, {"type": "adaptive", "display": "omitted"}, {"thinking": {"type": "adaptive", "display": "omitted"}}),
    ],
)
def test_thinking(model, thinking, sent):
    assert rest(model, options={"thinking": thinking}) == sent


def test_thinking_needs_room():
    with pytest.raises(ScriptError, match="option `thinking` needs `max_tokens` above 1024, but it is 1000"):
        body(OLD, options={"max_tokens": 1000, "thinking": {"mode": "enabled", "budget_tokens": None}})


def test_no_budget_after_calls_that_were_made_without_thinking():
    sent = wire(OLD, messages=CALLS, options={"thinking": {"mode": "enabled", "budget_tokens": 2000}})
    assert "thinking" not in sent.body
    assert sent.notes == ("thinking is not sent: the tool calls that are being answered were made without it",)


@pytest.mark.parametrize(
    ("model", "options", "sent", "skipped"),
    [
        ("claude-3-5-haiku-20241022", {"temperature": 0.5, "top_p": 0.9}, {"temperature": 0.5, "top_p": 0.9}, []),
        (MODEL, {"temperature": 0.5, "top_p": 0.9, "top_k": 3}, {"temperature": 0.5, "top_k": 3}, ["top_p"]),
        (NEW, {"temperature": 0.5, "top_k": 3}, {}, ["temperature", "top_k"]),
        (MODEL, {"seed": 1, "frequency_penalty": 0.1}, {}, ["seed", "frequency_penalty"]),
        (
            MODEL,
            {"thinking": {"mode": "adaptive"}, "temperature": 0.5, "top_p": 0.9, "top_k": 2},
            {"thinking": {"type": "adaptive"}},
            ["temperature", "top_p", "top_k"],
        ),
    ],
)
def test_sampling(model, options, sent, skipped):
    found = wire(model, options=options)
    assert {key: value for key, value in found.body.items() if key not in ("model", "max_tokens", "messages")} == sent
    assert found.notes == tuple(f"option '{name}' is not sent to anthropic" for name in skipped)


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (MODEL, {"prefill": "{"}, f"option `prefill` is not supported by `{MODEL}` (provider `anthropic`)."),
        (
            OLD,
            {"prefill": "{", "thinking": {"mode": "enabled", "budget_tokens": None}},
            "option `prefill` cannot be combined with `thinking`",
        ),
    ],
)
def test_prefill_is_refused(model, options, message):
    with pytest.raises(ScriptError) as raised:
        body(model, messages=[*USER, {"role": "assistant", "content": "{"}], options=options)
    assert raised.value.value == f"Error [generic]: invalid_request: {message}"


def test_messages_that_end_with_the_assistant():
    messages = [*USER, {"role": "assistant", "content": "So "}]
    assert body(OLD, messages=messages, options={"prefill": "So "})["messages"][-1]["content"] == "So"
    assert body(MODEL, messages=messages)["messages"][-1] == {
        "role": "user",
        "content": [{"type": "text", "text": "Continue."}],
    }


# Cache marks and system text


def reminders(count):
    return [{"type": "text", "text": f"<system-reminder>\n{at}\n</system-reminder>", **MARK} for at in range(count)]


def marked(sent):
    found = [block["text"] for block in sent.get("system", []) if "cache_control" in block]
    blocks = [
        block for message in sent["messages"] if isinstance(message["content"], list) for block in message["content"]
    ]
    return [*found, *(block["text"] for block in blocks if "cache_control" in block)]


def test_reminders_keep_four_marks_and_the_newest():
    # the loop puts each reminder in front of the older ones
    messages = [{"role": "user", "content": [*reversed(reminders(6)), {"type": "text", "text": "Hi"}]}]
    sent = body(messages=messages, ordinary=USER)
    assert [text.split()[1] for text in marked(sent)] == ["5", "4", "3", "2"]
    assert len(sent["messages"][0]["content"]) == 7


def test_reminders_before_a_message_of_the_assistant_are_in_order():
    messages = [{"role": "user", "content": [block]} for block in reminders(5)]
    ordinary = [{"role": "assistant", "content": "A"}, *USER]
    sent = body(messages=[*messages, *ordinary], ordinary=ordinary)
    assert [text.split()[1] for text in marked(sent)] == ["1", "2", "3", "4"]


def test_marks_of_the_option_cache_come_first():
    messages = [{"role": "user", "content": [*reversed(reminders(3)), {"type": "text", "text": "Hi"}]}]
    sent = body(messages=messages, ordinary=USER, system="S", tools=[TOOL], options={"cache": True})
    assert sent["tools"] == [{**TOOL_FORM, **MARK}]
    assert sent["system"] == [{"type": "text", "text": "S", **MARK}]
    assert marked(sent) == ["S", "<system-reminder>\n2\n</system-reminder>", "Hi"]


def test_a_model_without_system_text_gets_it_after_the_reminders():
    messages = [{"role": "user", "content": [*reminders(1), {"type": "text", "text": "Hi"}]}]
    sent = body(messages=messages, system="S", flags={"accepts_system": False})
    assert [block["text"][-5:] for block in sent["messages"][0]["content"]] == ["nder>", "S", "Hi"]
    assert "system" not in sent


# Tools and structured answers


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        (None, {}),
        ("auto", {"tool_choice": {"type": "auto"}}),
        ("none", {"tool_choice": {"type": "none"}}),
        ("required", {"tool_choice": {"type": "any"}}),
        ({"name": "f"}, {"tool_choice": {"type": "tool", "name": "f"}}),
    ],
)
def test_tools(choice, sent):
    assert rest(tools=[TOOL], tool_choice=choice) == {"tools": [TOOL_FORM], **sent}


def test_deferred_tools_need_the_search_of_the_provider():
    search = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
    deferred = {**TOOL, "defer_loading": True}
    assert rest(tools=[search, deferred])["tools"] == [search, {**TOOL_FORM, "defer_loading": True}]
    assert rest(tools=[deferred])["tools"] == [TOOL_FORM]


CLOSED = {"output_config": {"format": {"type": "json_schema", "schema": {**SCHEMA, "additionalProperties": False}}}}
FORCED = {"tool_choice": {"type": "tool", "name": "structured_answer"}}


@pytest.mark.parametrize(
    ("way", "more", "sent"),
    [
        ("native", {}, CLOSED),
        ("tool_use", {}, {"tools": [ANSWER], **FORCED}),
        ("tool_use", {"tools": [TOOL]}, {"tools": [TOOL_FORM, ANSWER], "tool_choice": {"type": "any"}}),
    ],
)
def test_structured_answers(way, more, sent):
    assert rest(options=WANTS_SCHEMA, flags={"structured_output": way}, **more) == sent


def test_structured_answers_without_support_are_asked_for():
    assert rest(options=WANTS_SCHEMA)["system"].endswith(json_text(SCHEMA))
    assert "one JSON object" in rest(options={"output_format": {"kind": "json_object"}})["system"]


def test_a_schema_that_cannot_be_enforced_uses_a_tool():
    options = {"output_format": {"kind": "json_schema", "schema": {"type": "array", "maxItems": 3}, "strict": True}}
    sent = rest(options=options, flags={"structured_output": "native"})
    assert sent["tools"][0]["input_schema"]["properties"] == {"value": {"type": "array", "maxItems": 3}}


# Replies

USAGE = {
    "input_tokens": 5,
    "output_tokens": 7,
    "cache_read_input_tokens": 20,
    "cache_creation_input_tokens": 3,
}
CONTENT = [
    {"type": "thinking", "thinking": "I think", "signature": "sig"},
    {"type": "redacted_thinking", "data": "xyz"},
    {"type": "text", "text": "Hello"},
    {"type": "tool_use", "id": "t1", "name": "f", "input": {"x": 1}},
    {"type": "tool_use", "id": "t2", "name": "g", "input": {}},
]
MESSAGE = {
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": CONTENT,
    "stop_reason": "tool_use",
    "usage": USAGE,
}


def call(call_id, name, **arguments):
    return {"id": call_id, "type": "tool_call", "name": name, "arguments": arguments}


def test_reply():
    found = values(DIALECT.reply(MESSAGE, request("anthropic", MODEL), host("anthropic")))
    assert found == {
        "text": "Hello",
        "thinking": "I think",
        "tool_calls": [call("t1", "f", x=1), call("t2", "g")],
        "blocks": [
            thought("anthropic", **CONTENT[0]),
            thought("anthropic", **CONTENT[1]),
            {"type": "output_text", "text": "Hello", "visibility": "public"},
            {**call("t1", "f", x=1), "visibility": "internal"},
            {**call("t2", "g"), "visibility": "internal"},
        ],
        "stop_reason": "tool_use",
        "model": "claude-x",
        "provider": "anthropic",
        "logprobs": None,
        "input_tokens": 28,
        "output_tokens": 7,
        "cache_read_tokens": 20,
        "cache_write_tokens": 3,
    }


@pytest.mark.parametrize("pieces", [1, 3, 100])
def test_streamed_reply_equals_the_whole_one(pieces):
    asked, server = request("anthropic", MODEL), host("anthropic")
    reader, deltas = streamed(DIALECT, message_events(MESSAGE, pieces), asked, server)
    assert reader.is_complete
    assert values(reader.reply()) == values(DIALECT.reply(MESSAGE, asked, server))
    assert (joined(deltas, "text"), joined(deltas, "thinking")) == ("Hello", "I think")
    assert joined(deltas, "tool_call") == '{"x": 1}{}'
    assert {(delta.call_id, delta.call_name) for delta in deltas if delta.kind == "tool_call"} == {
        ("t1", "f"),
        ("t2", "g"),
    }


@pytest.mark.parametrize(
    ("options", "given", "text"), [(WANTS_SCHEMA, {"a": "b"}, '{"a":"b"}'), (LIST, {"value": [1]}, "[1]")]
)
def test_an_answer_by_a_tool_is_text(options, given, text):
    asked = request("anthropic", MODEL, options=options)
    server = host("anthropic", flags={"structured_output": "tool_use"})
    block = {"type": "tool_use", "id": "t", "name": "structured_answer", "input": given}
    message = {**MESSAGE, "content": [block]}
    whole = DIALECT.reply(message, asked, server)
    assert (whole.text, whole.tool_calls, whole.stop_reason) == (text, [], "end_turn")
    reader, deltas = streamed(DIALECT, message_events(message), asked, server)
    assert (values(reader.reply()), joined(deltas, "text")) == (values(whole), text)


def test_arguments_that_are_not_json_reject_the_call():
    asked, server = request("anthropic", MODEL), host("anthropic")
    block = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    reader = DIALECT.reader(asked, server)
    reader.feed(None, {"type": "content_block_start", "index": 0, "content_block": block})
    delta = {"type": "input_json_delta", "partial_json": '{"x":'}
    reader.feed(None, {"type": "content_block_delta", "index": 0, "delta": delta})
    reader.feed(None, {"type": "content_block_stop", "index": 0})
    (found,) = reader.reply().tool_calls
    assert found["arguments"] == {}
    assert found["rejection"].startswith("The tool call was not carried out: its arguments are not a JSON object (EOF")
    assert not reader.is_complete


@pytest.mark.parametrize(
    ("reason", "found"),
    [
        ("refusal", "refusal"),
        ("model_context_window_exceeded", "max_tokens"),
        ("pause_turn", "pause_turn"),
        (None, None),
    ],
)
def test_stop_reasons(reason, found):
    reply = DIALECT.reply({**MESSAGE, "stop_reason": reason}, request("anthropic", MODEL), host("anthropic"))
    assert reply.stop_reason == found


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"content": None},
        {"content": "text"},
        {"content": [1]},
        {"content": [{}]},
        {"content": [{"type": "text", "text": 1}]},
        {"content": [{"type": "tool_use", "id": "t"}]},
        {"content": [], "stop_reason": 1},
        {"content": [], "model": []},
    ],
)
def test_bad_replies_are_errors_of_the_server(bad):
    with pytest.raises(ScriptError) as raised:
        DIALECT.reply(bad, request("anthropic", MODEL), host("anthropic"))
    assert error_category(raised.value) == "server_error"


@pytest.mark.parametrize(
    "bad",
    [
        {"type": "message_start"},
        {"type": "content_block_start", "index": 0},
        {"type": "content_block_start", "content_block": {}},
        {"type": "content_block_delta", "index": 4, "delta": {}},
        {"type": "content_block_stop", "index": 4},
        {"type": "message_delta", "delta": []},
    ],
)
def test_bad_events_are_errors_of_the_server(bad):
    with pytest.raises(ScriptError) as raised:
        DIALECT.reader(request("anthropic", MODEL), host("anthropic")).feed(None, bad)
    assert error_category(raised.value) == "server_error"


@pytest.mark.parametrize(
    ("kind", "status", "category"),
    [
        ("overloaded_error", 529, "overloaded"),
        ("rate_limit_error", 429, "rate_limit"),
        ("authentication_error", 401, "auth"),
        ("api_error", 500, "server_error"),
        ("strange", 500, "server_error"),
    ],
)
def test_errors_in_a_stream(kind, status, category):
    reader = DIALECT.reader(request("anthropic", MODEL), host("anthropic"))
    with pytest.raises(ScriptError, match=f"anthropic HTTP {status} ") as raised:
        reader.feed("error", {"type": "error", "error": {"type": kind, "message": "m"}})
    assert error_category(raised.value) == category


def test_the_size_of_a_prompt_that_is_too_long():
    text = '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210 tokens > 200"}}'
    failure = DIALECT.failure(400, text, host("anthropic"))
    assert failure.value == f"Error [generic]: anthropic HTTP 400 [context_overflow]: {text} (offending_tokens: 210)"
