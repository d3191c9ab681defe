"""The Gemini API: exact bodies, schemas, replies whole and streamed, and bad replies."""

import pytest

from harnlite.llm.dialects.gemini import DIALECT
from harnlite.llm.dialects.gemini_schemas import plain_schema
from harnlite.llm.errors import error_category
from harnlite.values.errors import ScriptError

from .exchanges import CALLS, FUNCTION, TOOL, USER, host, joined, request, response_events, streamed, thought, values

MODEL, THIRD = "gemini-2.5-pro", "gemini-3-pro-preview"
HI = [{"role": "user", "parts": [{"text": "Hi"}]}]


def wire(model=MODEL, *, flags=None, base="http://host", **more):
    more["options"] = {"max_tokens": 50, **more.get("options", {})}
    return DIALECT.wire(request("gemini", model, **more), host("gemini", base, flags=flags, headers={"k": "v"}))


def config(model=MODEL, **more):
    """The configuration without the limit of the answer."""
    found = wire(model, **more).body["generationConfig"]
    return {key: value for key, value in found.items() if key != "maxOutputTokens"}


def test_plain_request():
    options = {
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 4,
        "stop": ["X"],
        "seed": 3,
        "presence_penalty": 0.1,
        "frequency_penalty": 0.2,
        "logprobs": 2,
        "cache": True,
        "generationConfig": {"candidateCount": 1},
        "safetySettings": [],
    }
    sent = wire(system="S", options=options)
    assert sent.url == "http://host/v1beta/models/gemini-2.5-pro:generateContent"
    assert sent.headers == {"k": "v"}
    assert sent.body == {
        "systemInstruction": {"parts": [{"text": "S"}]},
        "contents": HI,
        "generationConfig": {
            "maxOutputTokens": 50,
            "temperature": 0.5,
            "topP": 0.9,
            "topK": 4,
            "stopSequences": ["X"],
            "seed": 3,
            "presencePenalty": 0.1,
            "frequencyPenalty": 0.2,
            "responseLogprobs": True,
            "logprobs": 2,
            "candidateCount": 1,
        },
        "safetySettings": [],
    }
    assert sent.notes == ("option 'cache' is not sent to gemini",)


@pytest.mark.parametrize(
    ("model", "base", "stream", "url"),
    [
        ("m", "http://h/", True, "http://h/v1beta/models/m:streamGenerateContent?alt=sse"),
        ("models/m", "http://h/v1", False, "http://h/v1/models/m:generateContent"),
        ("a b", "http://h", False, "http://h/v1beta/models/a%20b:generateContent"),
    ],
)
def test_urls(model, base, stream, url):
    assert wire(model, base=base, stream=stream).url == url


def test_calls_of_another_vendor():
    assert wire(messages=CALLS).body["contents"][1:] == [
        {
            "role": "model",
            "parts": [
                {"functionCall": {"id": "a", "name": "f", "args": {"x": 1}}},
                {"functionCall": {"id": "b", "name": "g", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "a", "name": "f", "response": {"result": "A"}}},
                {"functionResponse": {"id": "b", "name": "g", "response": {"result": "B"}}},
                {"text": "Note"},
            ],
        },
    ]


def test_the_third_generation_needs_a_signature_at_the_first_call():
    first, second = wire(THIRD, messages=CALLS).body["contents"][1]["parts"]
    assert first["thoughtSignature"] == "skip_thought_signature_validator"
    assert "thoughtSignature" not in second


@pytest.mark.parametrize(
    ("content", "response"),
    [("R", {"result": "R"}), ('{"a": 1}', {"a": 1}), ("{a: 1}", {"result": "{a: 1}"}), ("[1]", {"result": "[1]"})],
)
def test_results_are_objects(content, response):
    call = {"type": "tool_call", "id": "gemini_call_1", "name": "f", "arguments": {}, "thought_signature": "sig"}
    result = {"role": "tool", "tool_call_id": "gemini_call_1", "content": content}
    sent = wire(THIRD, messages=[*USER, {"role": "assistant", "content": [call]}, result]).body["contents"]
    assert sent[1]["parts"] == [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "sig"}]
    assert sent[2]["parts"] == [{"functionResponse": {"name": "f", "response": response}}]


def test_media():
    content = [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="}},
        {"type": "pdf", "url": "gs://x/a.pdf"},
        {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "mp3"}},
    ]
    assert wire(messages=[{"role": "user", "content": content}]).body["contents"][0]["parts"] == [
        {"inlineData": {"mimeType": "image/png", "data": "QQ=="}},
        {"fileData": {"fileUri": "gs://x/a.pdf", "mimeType": "application/pdf"}},
        {"inlineData": {"mimeType": "audio/mp3", "data": "QQ=="}},
    ]


def test_a_model_without_system_text_gets_it_in_the_first_message():
    body = wire("gemma-3", system="S", flags={"accepts_system": False}).body
    assert body["contents"] == [{"role": "user", "parts": [{"text": "S"}, {"text": "Hi"}]}]
    assert "systemInstruction" not in body


@pytest.mark.parametrize(
    ("model", "thinking", "sent"),
    [
        (MODEL, {"mode": "enabled", "budget_tokens": None}, {"includeThoughts": True, "thinkingBudget": -1}),
        (MODEL, {"mode": "enabled", "budget_tokens": 99}, {"includeThoughts": True, "thinkingBudget": 99}),
        (MODEL, {"mode": "effort", "level": "low"}, {"includeThoughts": True, "thinkingBudget": 1024}),
        (THIRD, {"mode": "adaptive"}, {"includeThoughts": True}),
        (THIRD, {"mode": "effort", "level": "minimal"}, {"includeThoughts": True, "thinkingLevel": "low"}),
        ("gemini-3-flash", {"mode": "effort", "level": "xhigh"}, {"includeThoughts": True, "thinkingLevel": "high"}),
    ],
)
def test_thinking(model, thinking, sent):
    assert config(model, options={"thinking": thinking}) == {"thinkingConfig": sent}


# Tools and schemas


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", {"mode": "AUTO"}),
        ("none", {"mode": "NONE"}),
        ("required", {"mode": "ANY"}),
        ({"name": "f"}, {"mode": "ANY", "allowedFunctionNames": ["f"]}),
    ],
)
def test_tools(choice, sent):
    empty = {"name": "g", "description": "", "input_schema": {"type": "object", "properties": {}}}
    search = {"type": "tool_search_tool_bm25_20251119", "name": "s"}
    found = wire(tools=[search, TOOL, empty], tool_choice=choice)
    parameters = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    declared = [
        {"name": "f", "description": FUNCTION["description"], "parameters": parameters},
        {"name": "g", "description": ""},
    ]
    assert found.body["tools"] == [{"functionDeclarations": declared}]
    assert found.body["toolConfig"] == {"functionCallingConfig": sent}
    assert found.notes == ("tool 'tool_search_tool_bm25_20251119' is not sent to gemini",)


ANY = [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"$schema": "x", "type": "string", "additionalProperties": False}, {"type": "string"}),
        ({"type": ["integer", "null"]}, {"type": "integer", "nullable": True}),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, {"type": "string", "nullable": True}),
        (
            {"oneOf": [{"type": "integer"}, {"const": "a"}]},
            {"anyOf": [{"type": "integer"}, {"enum": ["a"], "type": "string"}]},
        ),
        ({"enum": [1, 2]}, {"description": "One of: 1, 2.", "type": "number"}),
        ({"type": "string", "format": "email"}, {"type": "string"}),
        ({"type": "array"}, {"type": "array", "items": {"anyOf": ANY}}),
        ({"properties": {"a": {}}}, {"properties": {"a": {"anyOf": ANY}}, "type": "object"}),
        (
            {"$ref": "#/$defs/A", "$defs": {"A": {"type": "array", "items": {"$ref": "#/$defs/A"}}}},
            {"type": "array", "items": {"type": "object"}},
        ),
        (
            {
                "allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}],
                "type": "object",
                "required": ["b"],
            },
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        ),
    ],
)
def test_schemas(schema, found):
    assert plain_schema(schema) == found


def test_structured_answers():
    wanted = {"output_format": {"kind": "json_schema", "schema": {"type": "array", "items": {"type": "string"}}}}
    found = {"responseMimeType": "application/json", "responseSchema": wanted["output_format"]["schema"]}
    assert config(options=wanted) == found
    assert config(THIRD, options=wanted, tools=[TOOL]) == found
    assert config(options={"output_format": {"kind": "json_object"}}) == {"responseMimeType": "application/json"}
    both = wire(options=wanted, tools=[TOOL])
    assert "responseSchema" not in both.body["generationConfig"]
    assert both.body["systemInstruction"]["parts"][0]["text"].endswith('{"items":{"type":"string"},"type":"array"}')


# Replies

PARTS = [
    {"text": "I think", "thought": True},
    {"text": "Hello "},
    {"text": "you"},
    {"functionCall": {"name": "f", "args": {"x": 1}}, "thoughtSignature": "sig"},
    {"functionCall": {"id": "own", "name": "g"}},
    {"text": "", "thoughtSignature": "end"},
]
USAGE = {
    "promptTokenCount": 25,
    "cachedContentTokenCount": 20,
    "toolUsePromptTokenCount": 2,
    "candidatesTokenCount": 5,
    "thoughtsTokenCount": 4,
}


def response(parts, reason="STOP", **more):
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": reason, **more}
    return {"candidates": [candidate], "usageMetadata": USAGE, "modelVersion": "gemini-x"}


def call(call_id, name, **arguments):
    return {"id": call_id, "type": "tool_call", "name": name, "arguments": arguments}


def test_reply():
    asked = request("gemini", MODEL, CALLS)
    found = values(DIALECT.reply(response(PARTS), asked, host("gemini")))
    assert found == {
        "text": "Hello you",
        "thinking": "I think",
        "tool_calls": [call("gemini_call_3", "f", x=1), call("own", "g")],
        "blocks": [
            thought("gemini", text="I think", thought=True),
            {"type": "output_text", "text": "Hello you", "visibility": "public"},
            {**call("gemini_call_3", "f", x=1), "visibility": "internal", "thought_signature": "sig"},
            {**call("own", "g"), "visibility": "internal"},
            {"type": "output_text", "text": "", "visibility": "public", "thought_signature": "end"},
        ],
        "stop_reason": "tool_calls",
        "model": "gemini-x",
        "provider": "gemini",
        "logprobs": None,
        "input_tokens": 27,
        "output_tokens": 9,
        "cache_read_tokens": 20,
        "cache_write_tokens": 0,
    }


def test_streamed_reply_equals_the_whole_one():
    asked, server = request("gemini", MODEL), host("gemini")
    reader, deltas = streamed(DIALECT, response_events(PARTS, USAGE), asked, server)
    assert reader.is_complete
    assert values(reader.reply()) == values(DIALECT.reply(response(PARTS), asked, server))
    assert [joined(deltas, kind) for kind in ("text", "thinking", "tool_call")] == ["Hello you", "I think", '{"x":1}{}']
    assert [delta.call_id for delta in deltas if delta.call_id] == ["gemini_call_1", "own"]


def test_a_reply_goes_back_as_it_came():
    asked = request("gemini", THIRD)
    reply = DIALECT.reply(response(PARTS), asked, host("gemini"))
    results = [{"role": "tool", "tool_call_id": found["id"], "content": "R"} for found in reply.tool_calls]
    sent = wire(THIRD, messages=[*USER, {"role": "assistant", "content": reply.blocks}, *results]).body["contents"]
    back = [
        PARTS[0],
        {"text": "Hello you"},
        PARTS[3],
        {"functionCall": {"id": "own", "name": "g", "args": {}}},
        PARTS[5],
    ]
    assert sent[1] == {"role": "model", "parts": back}


@pytest.mark.parametrize(
    ("reason", "found"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "content_filter"),
        ("RECITATION", "content_filter"),
        ("OTHER", "other"),
    ],
)
def test_stop_reasons(reason, found):
    reply = DIALECT.reply(response([{"text": "x"}], reason), request("gemini", MODEL), host("gemini"))
    assert reply.stop_reason == found


BLOCKED = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": USAGE}


def test_a_blocked_prompt_is_a_matter_of_policy():
    asked, server = request("gemini", MODEL), host("gemini")
    reader = DIALECT.reader(asked, server)
    reader.feed(None, BLOCKED)
    assert reader.is_complete
    for read in (reader.reply, lambda: DIALECT.reply(BLOCKED, asked, server)):
        with pytest.raises(ScriptError) as raised:
            read()
        assert raised.value.value == {
            "category": "generic",
            "kind": "terminal",
            "reason": "content_policy",
            "message": "gemini blocked the prompt (SAFETY): content_policy",
        }


def test_malformed_calls_are_tried_again():
    body = response([], "MALFORMED_FUNCTION_CALL", finishMessage="f(")
    with pytest.raises(ScriptError) as raised:
        DIALECT.reply(body, request("gemini", MODEL), host("gemini"))
    assert (raised.value.value["kind"], raised.value.value["message"]) == (
        "transient",
        "gemini ended its answer with MALFORMED_FUNCTION_CALL: f(",
    )


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"candidates": []},
        {"candidates": "x"},
        {"candidates": [1]},
        {"candidates": [{"content": 1}]},
        {"candidates": [{"content": {"parts": {}}}]},
        {"candidates": [{"content": {"parts": [{"text": 1}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": 1}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": {}}]}}]},
        {"candidates": [{"finishReason": 1}]},
    ],
)
def test_bad_replies_are_errors_of_the_server(bad):
    asked, server = request("gemini", MODEL), host("gemini")

    def read_stream():
        reader = DIALECT.reader(asked, server)
        reader.feed(None, bad)
        reader.reply()

    for read in (lambda: DIALECT.reply(bad, asked, server), read_stream):
        with pytest.raises(ScriptError) as raised:
            read()
        assert error_category(raised.value) == "server_error"


def test_errors_in_a_stream():
    reader = DIALECT.reader(request("gemini", MODEL), host("gemini"))
    with pytest.raises(ScriptError, match="gemini HTTP 503 ") as raised:
        reader.feed(None, {"error": {"code": 503, "status": "UNAVAILABLE", "message": "overloaded"}})
    assert error_category(raised.value) == "overloaded"


def test_failures():
    text = '{"error": {"code": 400, "details": [{"reason": "API_KEY_INVALID"}]}}'
    assert DIALECT.failure(400, text, host("gemini")).value == {
        "category": "auth",
        "kind": "terminal",
        "reason": "auth_failure",
        "message": f"gemini HTTP 400 [auth_failure]: {text}",
        "status": 400,
    }
    busy = '{"error": {"details": [{"retryDelay": "30s"}]}}'
    assert DIALECT.failure(429, busy, host("gemini")).value.endswith("(retry-after: 30)")
