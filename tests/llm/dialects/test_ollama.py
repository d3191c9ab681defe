"""Ollama: exact bodies, replies whole and streamed, and bad replies."""

import pytest

from harnlite.llm.dialects.ollama import DIALECT
from harnlite.llm.errors import error_category
from harnlite.values.errors import ScriptError

from .exchanges import CALLS, FUNCTION, TOOL, USER, chat_events, host, joined, request, streamed, thought, values

MODEL = "llama3.2"
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def wire(model=MODEL, *, flags=None, window=8192, base="http://host", **more):
    more["options"] = {"max_tokens": 50, **more.get("options", {})}
    return DIALECT.wire(request("ollama", model, **more), host("ollama", base, flags=flags, window=window))


def rest(*args, **more):
    """The body without what each of these has."""
    return {
        key: value
        for key, value in wire(*args, **more).body.items()
        if key not in ("model", "messages", "options", "stream")
    }


def test_plain_request():
    options = {
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 4,
        "stop": ["X"],
        "seed": 3,
        "presence_penalty": 0.1,
        "frequency_penalty": 0.2,
        "keep_alive": "5m",
        "min_p": 0.1,
        "options": {"num_ctx": 100},
        "odd": 1,
    }
    sent = wire(system="S", options=options)
    assert sent.url == "http://host/api/chat"
    assert sent.body == {
        "model": MODEL,
        "messages": [{"role": "system", "content": "S"}, *USER],
        "stream": False,
        "options": {
            "num_ctx": 100,
            "num_predict": 50,
            "temperature": 0.5,
            "top_p": 0.9,
            "top_k": 4,
            "seed": 3,
            "stop": ["X"],
            "presence_penalty": 0.1,
            "frequency_penalty": 0.2,
            "min_p": 0.1,
        },
        "keep_alive": "5m",
    }
    assert sent.notes == ("option 'odd' is not sent to ollama",)


@pytest.mark.parametrize(("base", "url"), [("http://h/", "http://h/api/chat"), ("http://h/api", "http://h/api/chat")])
def test_urls(base, url):
    assert wire(base=base).url == url


def test_calls_of_another_vendor():
    assert wire(messages=CALLS).body["messages"][1:] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"function": {"name": "f", "arguments": {"x": 1}}},
                {"function": {"name": "g", "arguments": {}}},
            ],
        },
        {"role": "tool", "tool_name": "f", "content": "A"},
        {"role": "tool", "tool_name": "g", "content": "B"},
        {"role": "user", "content": "Note"},
    ]


def test_images():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="}}
    messages = [{"role": "user", "content": [{"type": "text", "text": "See"}, image]}]
    assert wire(messages=messages).body["messages"] == [{"role": "user", "content": "See", "images": ["QQ=="]}]


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"type": "image", "url": "http://i"}, "ollama takes images as base64 data, not as URLs"),
        ({"type": "pdf", "data": "QQ=="}, "ollama does not take content of the type application/pdf"),
    ],
)
def test_other_media_is_refused(block, message):
    with pytest.raises(ScriptError, match=message):
        wire(messages=[{"role": "user", "content": [block]}])


@pytest.mark.parametrize(
    ("model", "thinking", "sent"),
    [
        (MODEL, {"mode": "enabled", "budget_tokens": None}, {"think": True}),
        (MODEL, {"mode": "effort", "level": "low"}, {"think": True}),
        ("gpt-oss:20b", {"mode": "effort", "level": "xhigh"}, {"think": "high"}),
        (MODEL, {"mode": "disabled"}, {}),
    ],
)
def test_thinking(model, thinking, sent):
    assert rest(model, options={"thinking": thinking}) == sent


def test_tools_and_structured_answers():
    function = {key: FUNCTION[key] for key in ("name", "description", "parameters")}
    tools = {"tools": [{"type": "function", "function": function}]}
    assert rest(tools=[TOOL]) == tools
    assert rest(tools=[TOOL], tool_choice="none") == {}
    assert wire(tools=[TOOL], tool_choice="required").notes == ("tool_choice is not sent to ollama",)
    assert rest(options={"output_format": {"kind": "json_schema", "schema": SCHEMA}}) == {"format": SCHEMA}
    assert rest(options={"output_format": {"kind": "json_object"}}) == {"format": "json"}


def test_a_model_without_system_text_gets_it_in_the_first_message():
    assert wire(system="S", flags={"accepts_system": False}).body["messages"] == [
        {"role": "user", "content": "S\n\nHi"}
    ]


# Replies

CHAT = {
    "model": "llama3.2:latest",
    "message": {
        "role": "assistant",
        "content": "Hello",
        "thinking": "I think",
        "tool_calls": [
            {"function": {"name": "f", "arguments": {"x": 1}}},
            {"function": {"name": "g", "arguments": {}}},
        ],
    },
    "done": True,
    "done_reason": "stop",
    "prompt_eval_count": 25,
    "eval_count": 5,
}


def call(call_id, name, **arguments):
    return {"id": call_id, "type": "tool_call", "name": name, "arguments": arguments}


def test_reply():
    found = values(DIALECT.reply(CHAT, request("ollama", MODEL), host("ollama")))
    assert found == {
        "text": "Hello",
        "thinking": "I think",
        "tool_calls": [call("ollama_call_1", "f", x=1), call("ollama_call_2", "g")],
        "blocks": [
            thought("ollama", thinking="I think"),
            {"type": "output_text", "text": "Hello", "visibility": "public"},
            {**call("ollama_call_1", "f", x=1), "visibility": "internal"},
            {**call("ollama_call_2", "g"), "visibility": "internal"},
        ],
        "stop_reason": "tool_calls",
        "model": "llama3.2:latest",
        "provider": "ollama",
        "logprobs": None,
        "input_tokens": 25,
        "output_tokens": 5,
        "cache_read_tokens": 0,
        "cache_write_tokens": 0,
    }


@pytest.mark.parametrize("pieces", [1, 2, 100])
def test_streamed_reply_equals_the_whole_one(pieces):
    asked, server = request("ollama", MODEL), host("ollama")
    reader, deltas = streamed(DIALECT, chat_events(CHAT, pieces), asked, server)
    assert reader.is_complete
    assert values(reader.reply()) == values(DIALECT.reply(CHAT, asked, server))
    assert [joined(deltas, kind) for kind in ("text", "thinking", "tool_call")] == ["Hello", "I think", '{"x":1}{}']


def test_a_reply_goes_back_as_it_came():
    reply = DIALECT.reply(CHAT, request("ollama", MODEL), host("ollama"))
    results = [{"role": "tool", "tool_call_id": found["id"], "content": "R"} for found in reply.tool_calls]
    sent = wire(messages=[*USER, {"role": "assistant", "content": reply.blocks}, *results]).body["messages"]
    assert sent[1:] == [
        CHAT["message"],
        {"role": "tool", "tool_name": "f", "content": "R"},
        {"role": "tool", "tool_name": "g", "content": "R"},
    ]


def test_a_text_as_arguments_is_read():
    chat = {"message": {"tool_calls": [{"function": {"name": "f", "arguments": '{"x":1}'}}]}, "done": True}
    assert DIALECT.reply(chat, request("ollama", MODEL), host("ollama")).tool_calls == [call("ollama_call_1", "f", x=1)]


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"message": 1, "done": True},
        {"message": {"content": 1}, "done": True},
        {"message": {"tool_calls": {}}, "done": True},
        {"message": {"tool_calls": [{}]}, "done": True},
        {"message": {"tool_calls": [{"function": {}}]}, "done": True},
        {"message": {}, "done": True, "done_reason": 1},
        {"message": {}},
        {"error": "it broke"},
    ],
)
def test_bad_replies_are_errors_of_the_server(bad):
    asked, server = request("ollama", MODEL), host("ollama")

    def read_stream():
        reader = DIALECT.reader(asked, server)
        reader.feed(None, bad)
        reader.reply()

    for read in (lambda: DIALECT.reply(bad, asked, server), read_stream):
        with pytest.raises(ScriptError) as raised:
            read()
        assert error_category(raised.value) == "server_error"


def test_a_missing_model_is_not_found():
    failure = DIALECT.failure(404, '{"error":"model \'x\' not found"}', host("ollama"))
    assert error_category(failure.value) == "not_found"
