"""Each rule of the chat APIs refuses a request and accepts its corrected twin."""

from typing import Any

import pytest

from tests.vendors import Reply, Thinking, ToolCall, vendor_server
from tests.vendors.exchanges import changed, send

HI = {"role": "user", "content": "hi"}
SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}
OPTIONAL = {"type": "object", "properties": {"at": {"type": "string"}}, "required": [], "additionalProperties": False}
CLOSED = {**SCHEMA, "additionalProperties": False}
BODY: dict[str, Any] = {"model": "gpt-4o", "messages": [HI]}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
MARKED = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}


def function(**fields: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "look", "parameters": SCHEMA, **fields}}


def call(identifier: str = "call_1", **fields: Any) -> dict[str, Any]:
    return {"id": identifier, "type": "function", "function": {"name": "look", "arguments": "{}"}, **fields}


def calls(*each: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(each), **fields}


def result(identifier: str = "call_1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identifier, "content": "a hill"}


def schema_format(schema: Any, *, strict: bool = True) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": strict}}


JSON = {"type": "json_object"}
Rule = tuple[dict[str, Any], str, dict[str, Any]]
# name: (changes that are refused, part of the error text, corrected changes)
OPENAI: dict[str, Rule] = {
    "unknown field": ({"top_k": 1}, "Unrecognized request argument supplied: top_k", {}),
    "unknown field of a message": ({"messages": [{**HI, "x": 1}]}, "Unknown parameter: 'messages[0].x'", {}),
    "missing": ({"messages": ...}, "Missing required parameter: 'messages'", {}),
    "empty": ({"messages": []}, "empty array", {}),
    "type": ({"max_tokens": "5"}, "expected an integer, but got a string", {"max_tokens": 5}),
    "role": ({"messages": [{**HI, "role": "human"}]}, "messages[0].role", {}),
    "name": ({"messages": [{**HI, "name": "a b"}]}, "messages[0].name", {"messages": [{**HI, "name": "ab"}]}),
    "unknown model": ({"model": "claude"}, "does not exist", {}),
    "null content": ({"messages": [HI, {"role": "assistant", "content": None}]}, "got null", {}),
    "empty tool_calls": ({"messages": [HI, calls()]}, "tool_calls", {"messages": [HI, calls(call()), result()]}),
    "arguments are text": (
        {"messages": [HI, calls(call(function={"name": "look", "arguments": {}})), result()]},
        "expected a string, but got an object",
        {"messages": [HI, calls(call()), result()]},
    ),
    "orphan result": ({"messages": [HI, result()]}, "must be a response to", {}),
    "missing result": (
        {"messages": [HI, calls(call(), call("call_2")), result()]},
        "did not have response messages: call_2",
        {"messages": [HI, calls(call(), call("call_2")), result("call_2"), result()]},
    ),
    "results after a text": ({"messages": [HI, calls(call()), HI, result()]}, "did not have response messages", {}),
    "long ids": (
        {"messages": [HI, calls(call("c" * 41)), result("c" * 41)]},
        "maximum length 40",
        {"messages": [HI, calls(call("c" * 40)), result("c" * 40)]},
    ),
    "JSON without the word": (
        {"response_format": JSON},
        "must contain the word 'json'",
        {"response_format": JSON, "messages": [{"role": "system", "content": "Answer in JSON."}, HI]},
    ),
    "open strict schema": (
        {"response_format": schema_format(SCHEMA)},
        "'additionalProperties' is required",
        {"response_format": schema_format(CLOSED)},
    ),
    "optional keys of a strict schema": (
        {"response_format": schema_format(OPTIONAL)},
        "'required' is required",
        {"response_format": schema_format(OPTIONAL, strict=False)},
    ),
    "open strict tool": (
        {"tools": [function(strict=True)]},
        "Invalid schema for function 'look'",
        {"tools": [function(strict=True, parameters=CLOSED)]},
    ),
    "schema of a tool": ({"tools": [function(parameters={})]}, 'type: "object"', {"tools": [function()]}),
    "field of ours in a tool": ({"tools": [{**function(), "x-harn": 1}]}, "tools[0].x-harn", {"tools": [function()]}),
    "tool name": ({"tools": [function(name="a.b")]}, "tools[0].function.name", {"tools": [function()]}),
    "no tools": ({"tools": []}, "empty array", {}),
    "choice without tools": ({"tool_choice": "auto"}, "only allowed when 'tools'", {"tools": [function()]}),
    "parallel without tools": ({"parallel_tool_calls": True}, "only allowed when 'tools'", {}),
    "choice of another vendor": (
        {"tools": [function()], "tool_choice": "any"},
        "tool_choice",
        {"tools": [function()], "tool_choice": "required"},
    ),
    "stream_options without stream": (
        {"stream_options": {"include_usage": True}},
        "only allowed when 'stream'",
        {"stream_options": {"include_usage": True}, "stream": True},
    ),
    "stops": ({"stop": ["a"] * 5}, "at most 4", {"stop": ["a"] * 4}),
    "effort of plain models": (
        {"reasoning_effort": "low"},
        "reasoning_effort",
        {"reasoning_effort": "low", "model": "gpt-5"},
    ),
    "max_tokens of o-series": (
        {"model": "o3", "max_tokens": 100},
        "Use 'max_completion_tokens' instead",
        {"model": "o3", "max_completion_tokens": 100},
    ),
    "max_tokens of gpt-5": (
        {"model": "gpt-5-mini", "max_tokens": 100},
        "Use 'max_completion_tokens' instead",
        {"model": "gpt-5-mini", "max_completion_tokens": 100},
    ),
    "temperature of o-series": ({"model": "o3", "temperature": 0.5}, "Only the default (1)", {"temperature": 0.5}),
    "stop of o-series": ({"model": "o3", "stop": "x"}, "Unsupported parameter: 'stop'", {"stop": "x"}),
    "system of o1": (
        {"model": "o1", "messages": [{"role": "system", "content": "x"}, HI]},
        "does not support 'system'",
        {"model": "o1", "messages": [{"role": "developer", "content": "x"}, HI]},
    ),
    "responses only": ({"model": "o3-pro"}, "only supported in v1/responses", {"model": "o3"}),
    "image address": (
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "file:///x"}}]}]},
        "image_url.url",
        {"messages": [{"role": "user", "content": [IMAGE]}]},
    ),
}
SYSTEM = {"role": "system", "content": "x"}
HOSTS: dict[str, tuple[str, int, Rule]] = {
    "groq names": ("groq", 400, ({"messages": [{**HI, "name": "a"}]}, "property 'name' is unsupported", {})),
    "groq logprobs": ("groq", 400, ({"logprobs": True}, "'logprobs' is unsupported", {})),
    "groq JSON with tools": (
        "groq",
        400,
        (
            {"response_format": JSON, "tools": [function()], "messages": [{**HI, "content": "JSON"}]},
            "cannot be combined",
            {"response_format": JSON, "messages": [{**HI, "content": "JSON"}]},
        ),
    ),
    "vllm second system": (
        "local",
        400,
        ({"messages": [SYSTEM, SYSTEM, HI]}, "at the beginning", {"messages": [SYSTEM, HI]}),
    ),
    "vllm later system": ("local", 400, ({"messages": [HI, SYSTEM]}, "at the beginning", {"messages": [SYSTEM, HI]})),
    "vllm developer": (
        "local",
        400,
        ({"messages": [{**SYSTEM, "role": "developer"}, HI]}, "role", {"messages": [SYSTEM, HI]}),
    ),
    "deepseek reasoning": (
        "deepseek",
        400,
        (
            {"model": "deepseek-reasoner", "messages": [HI, calls(call()), result()]},
            "Missing `reasoning_content`",
            {"model": "deepseek-reasoner", "messages": [HI, calls(call(), reasoning_content="hm"), result()]},
        ),
    ),
    "deepseek seed": ("deepseek", 400, ({"seed": 1}, "seed", {})),
    "xai stop": (
        "xai",
        400,
        ({"model": "grok-4", "stop": "x"}, "Argument not supported", {"model": "grok-3", "stop": "x"}),
    ),
    "openrouter marks": (
        "openrouter",
        400,
        (
            {"model": "anthropic/claude-sonnet-4.6", "messages": [{"role": "user", "content": [MARKED] * 5}]},
            "maximum of 4",
            {
                "model": "anthropic/claude-sonnet-4.6",
                "messages": [{"role": "user", "content": [MARKED] * 4}],
                "reasoning": {"effort": "low"},
            },
        ),
    ),
    "marks elsewhere": ("together", 400, ({"messages": [{"role": "user", "content": [MARKED]}]}, "cache_control", {})),
    "reasoning elsewhere": ("fireworks", 400, ({"reasoning": {"effort": "low"}}, "reasoning", {})),
    "mistral unknown field": ("mistral", 422, ({"user": "a"}, "extra_forbidden", {})),
    "mistral seed": ("mistral", 422, ({"seed": 1}, "extra_forbidden", {"random_seed": 1})),
    "mistral stream_options": (
        "mistral",
        422,
        ({"stream": True, "stream_options": {"include_usage": True}}, "extra_forbidden", {"stream": True}),
    ),
    "mistral names": ("mistral", 422, ({"messages": [{**HI, "name": "a"}]}, "extra_forbidden", {})),
    "mistral developer": (
        "mistral",
        422,
        ({"messages": [{**SYSTEM, "role": "developer"}, HI]}, "role", {"messages": [SYSTEM, HI]}),
    ),
    "mistral ids": (
        "mistral",
        400,
        (
            {"messages": [HI, calls(call()), result()]},
            "with a length of 9",
            {"messages": [HI, calls(call("abcDEF123")), result("abcDEF123")]},
        ),
    ),
    "mistral order": (
        "mistral",
        400,
        (
            {"messages": [HI, calls(call("abcDEF123")), result("abcDEF123"), HI]},
            "Unexpected role 'user' after role 'tool'",
            {"messages": [HI, calls(call("abcDEF123")), result("abcDEF123")]},
        ),
    ),
    "mistral last role": (
        "mistral",
        400,
        (
            {"messages": [HI, {"role": "assistant", "content": "I"}]},
            "Expected last role User or Tool",
            {"messages": [HI, {"role": "assistant", "content": "I", "prefix": True}]},
        ),
    ),
}
PATH = "/chat/completions"


@pytest.fixture(scope="module")
def server():
    with vendor_server("openai", default="ok") as running:
        yield running


@pytest.mark.parametrize("name", OPENAI)
def test_openai(server, name):
    refused, words, corrected = OPENAI[name]
    answer = send(server, "openai", PATH, changed(BODY, refused))
    assert answer.status == (404 if name in {"unknown model", "responses only"} else 400)
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert words in error["message"]
    twin = send(server, "openai", PATH, changed(BODY, corrected))
    assert twin.status == 200, twin.body


@pytest.mark.parametrize("name", HOSTS)
def test_host(name):
    host, status, (refused, words, corrected) = HOSTS[name]
    with vendor_server(host, default="ok") as server:
        answer = send(server, host, PATH, changed(BODY, refused))
        assert answer.status == status
        assert words in answer.body.decode()
        twin = send(server, host, PATH, changed(BODY, corrected))
        assert twin.status == 200, twin.body


def test_deepseek_wants_its_own_reasoning_back():
    with vendor_server("deepseek", [Reply(Thinking(text="hm"), ToolCall("look")), "ok"]) as server:
        message = send(server, "deepseek", PATH, BODY).json()["choices"][0]["message"]
        back = [HI, message, result(message["tool_calls"][0]["id"])]
        without = [HI, changed(message, {"reasoning_content": ...}), back[2]]
        assert send(server, "deepseek", PATH, changed(BODY, {"messages": without})).status == 400
        assert send(server, "deepseek", PATH, changed(BODY, {"messages": back})).status == 200


@pytest.mark.parametrize("host", ["openai", "mistral", "openrouter", "groq"])
@pytest.mark.parametrize("headers", [{"authorization": None}, {"authorization": "Bearer wrong"}])
def test_keys(host, headers):
    with vendor_server(host, default="ok") as server:
        assert send(server, host, PATH, BODY, headers).status == 401
        assert send(server, host, PATH, BODY).status == 200
        assert send(server, host, f"{PATH}?key={server.key}", BODY).status == 400


def test_lists_of_models():
    for host in ("openai", "groq", "together", "local"):
        with vendor_server(host, models=["one", "two"]) as server:
            found = send(server, host, "/models", None).json()
            data = found if host == "together" else found["data"]
            assert [model["id"] for model in data] == ["one", "two"]


def test_local_hosts_need_no_key():
    with vendor_server("local", default="ok") as server:
        assert send(server, "local", PATH, BODY, {"authorization": None}).status == 200


def test_azure():
    old, new = "/openai/deployments/mine/chat/completions", "/openai/v1/chat/completions"
    with vendor_server("azure_openai", default="ok") as server:
        without_model = changed(BODY, {"model": ...})
        assert send(server, "azure_openai", old, without_model).json()["error"]["code"] == "404"
        assert send(server, "azure_openai", f"{old}?api-version=2025-04-01-preview", without_model).status == 404
        gpt = old.replace("mine", "gpt-4o")
        assert send(server, "azure_openai", f"{gpt}?api-version=2025-04-01-preview", without_model).status == 200
        assert send(server, "azure_openai", new, BODY).status == 200
        assert send(server, "azure_openai", new, BODY, {"api-key": "wrong"}).status == 401
        assert send(server, "azure_openai", "/v1/chat/completions", BODY).status == 404


def test_streams_of_azure_begin_without_choices():
    with vendor_server("azure_openai", default="ok") as server:
        body = send(server, "azure_openai", "/openai/v1/chat/completions", changed(BODY, {"stream": True})).body
        assert body.startswith(b'data: {"choices":[]')


def test_usage_of_streams():
    streamed = changed(BODY, {"stream": True})
    asking = changed(streamed, {"stream_options": {"include_usage": True}})
    for host, always in (("openai", False), ("openrouter", True), ("groq", True), ("mistral", True)):
        with vendor_server(host, default="ok") as server:
            assert (b'"usage":{' in send(server, host, PATH, streamed).body) == always
            if host != "mistral":
                assert b'"usage":{' in send(server, host, PATH, asking).body
