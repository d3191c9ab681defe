"""Each rule of the Messages API refuses a request and accepts its corrected twin."""

from typing import Any

import pytest

from tests.vendors import Reply, Thinking, ToolCall, vendor_server
from tests.vendors.exchanges import changed, send

CALL = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
OTHER = {"type": "tool_use", "id": "toolu_2", "name": "look", "input": {}}
DONE = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a hill"}
OTHER_DONE = {"type": "tool_result", "tool_use_id": "toolu_2", "content": "a lake"}
TOOL = {"name": "look", "input_schema": {"type": "object", "properties": {"at": {"type": "string"}}}}
CLOSED = {"type": "object", "properties": {"at": {"type": "string"}}, "additionalProperties": False}
THINK = {"type": "enabled", "budget_tokens": 1024}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
OLD, MIDDLE, NEW = "claude-3-7-sonnet-20250219", "claude-sonnet-4-5", "claude-opus-4-7"
BODY: dict[str, Any] = {"model": MIDDLE, "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}]}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def model(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def text(words: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **fields}


def marked(count: int, ttl: str = "5m") -> list[dict[str, Any]]:
    return [text("x", cache_control={"type": "ephemeral", "ttl": ttl}) for _ in range(count)]


HI = {"role": "user", "content": "hi"}
# name: (changes that are refused, part of the error text, corrected changes)
RULES: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "unknown field": ({"seed": 1}, "seed: Extra inputs are not permitted", {}),
    "unknown field of a message": ({"messages": [{**HI, "name": "a"}]}, "messages.0.name: Extra", {}),
    "unknown field of a tool": ({"tools": [{**TOOL, "x-harn": {}}]}, "tools.0.x-harn: Extra", {"tools": [TOOL]}),
    "max_tokens": ({"max_tokens": ...}, "max_tokens: Field required", {}),
    "more than the model can": (
        {"max_tokens": 64_001},
        "64001 > 64000, which is the maximum allowed number of output tokens",
        {"max_tokens": 64_000},
    ),
    "wrong type": ({"max_tokens": "100"}, "max_tokens: Input should be a valid integer", {}),
    "true is no number": ({"max_tokens": True}, "max_tokens: Input should be a valid integer", {}),
    "unknown model": ({"model": "gpt-4o"}, "model: gpt-4o", {}),
    "no messages": ({"messages": []}, "messages: should have at least 1 item", {}),
    "system in messages": (
        {"messages": [{"role": "system", "content": "x"}, HI]},
        "top-level `system`",
        {"system": "x"},
    ),
    "first role": (
        {"messages": [model(text("I")), HI]},
        "first message must use",
        {"messages": [HI, model(text("I")), HI]},
    ),
    "empty text": ({"messages": [user(text(""))]}, "must be non-empty", {"messages": [user(text("a"))]}),
    "blank text": ({"messages": [user(text(" "))]}, "non-whitespace", {"messages": [user(text("a"))]}),
    "empty content": ({"messages": [HI, model(), HI]}, "must have non-empty content", {"messages": [HI, HI]}),
    "empty system": ({"system": [text("")]}, "non-empty", {"system": [text("a")]}),
    "orphan result": (
        {"messages": [user(DONE)]},
        "unexpected `tool_use_id`",
        {"messages": [HI, model(CALL), user(DONE)]},
    ),
    "missing result": (
        {"messages": [HI, model(CALL, OTHER), user(DONE)]},
        "ids were found without `tool_result` blocks immediately after: toolu_2",
        {"messages": [HI, model(CALL, OTHER), user(DONE, OTHER_DONE)]},
    ),
    "results in two messages": (
        {"messages": [HI, model(CALL, OTHER), user(DONE), user(OTHER_DONE)]},
        "immediately after: toolu_2",
        {"messages": [HI, model(CALL, OTHER), user(OTHER_DONE, DONE)]},
    ),
    "no result at the end": ({"messages": [HI, model(CALL)]}, "toolu_1", {"messages": [HI, model(CALL), user(DONE)]}),
    "text before results": (
        {"messages": [HI, model(CALL), user(text("now"), DONE)]},
        "without `tool_result` blocks immediately after",
        {"messages": [HI, model(CALL), user(DONE, text("now"))]},
    ),
    "two results of a call": (
        {"messages": [HI, model(CALL), user(DONE, DONE)]},
        "single result",
        {"messages": [HI, model(CALL), user(DONE)]},
    ),
    "ids are unique": (
        {"messages": [HI, model(CALL, CALL), user(DONE)]},
        "must be unique",
        {"messages": [HI, model(CALL), user(DONE)]},
    ),
    "call id": (
        {"messages": [HI, model({**CALL, "id": "a b"}), user(DONE)]},
        "String should match pattern",
        {"messages": [HI, model(CALL), user(DONE)]},
    ),
    "five marks": ({"system": marked(5)}, "A maximum of 4 blocks", {"system": marked(4)}),
    "five marks in all parts": (
        {
            "system": marked(2),
            "messages": [user(*marked(2))],
            "tools": [{**TOOL, "cache_control": {"type": "ephemeral"}}],
        },
        "Found 5",
        {"system": marked(2), "messages": [user(*marked(2))], "tools": [TOOL]},
    ),
    "order of lifetimes": (
        {"system": marked(1) + marked(1, "1h")},
        "ttl='1h'",
        {"system": marked(1, "1h") + marked(1)},
    ),
    "mark on thinking": (
        {"messages": [HI, model({**THOUGHT, "cache_control": {"type": "ephemeral"}}, text("x")), HI]},
        "cache_control: Extra",
        {"messages": [HI, model(THOUGHT, text("x")), HI]},
    ),
    "least budget": (
        {"max_tokens": 2000, "thinking": {**THINK, "budget_tokens": 1023}},
        "greater than or equal to 1024",
        {"max_tokens": 2000, "thinking": THINK},
    ),
    "budget below max_tokens": (
        {"max_tokens": 1024, "thinking": THINK},
        "must be greater than `thinking.budget_tokens`",
        {"max_tokens": 1025, "thinking": THINK},
    ),
    "thinking and temperature": (
        {"max_tokens": 2000, "thinking": THINK, "temperature": 0.5},
        "only be set to 1",
        {"max_tokens": 2000, "thinking": THINK, "temperature": 1},
    ),
    "thinking and top_k": (
        {"max_tokens": 2000, "thinking": THINK, "top_k": 5},
        "`top_k` must be unset",
        {"top_k": 5},
    ),
    "thinking and forced tools": (
        {"max_tokens": 2000, "thinking": THINK, "tools": [TOOL], "tool_choice": {"type": "any"}},
        "forces tool use",
        {"max_tokens": 2000, "thinking": THINK, "tools": [TOOL], "tool_choice": {"type": "auto"}},
    ),
    "thinking of the turn": (
        {"max_tokens": 2000, "thinking": THINK, "messages": [HI, model(CALL), user(DONE)]},
        "Expected `thinking` or `redacted_thinking`",
        {"max_tokens": 2000, "thinking": THINK, "messages": [HI, model(THOUGHT, CALL), user(DONE)]},
    ),
    "adaptive on old models": (
        {"thinking": {"type": "adaptive"}},
        "adaptive thinking is not supported",
        {"thinking": {"type": "adaptive"}, "model": NEW},
    ),
    "budget on new models": (
        {"max_tokens": 2000, "thinking": THINK, "model": NEW},
        "is not supported for this model",
        {"max_tokens": 2000, "thinking": THINK},
    ),
    "adaptive has no budget": (
        {"thinking": {"type": "adaptive", "budget_tokens": 2000}, "model": NEW},
        "budget_tokens: Extra",
        {"thinking": {"type": "adaptive"}, "model": NEW},
    ),
    "temperature and top_p": ({"temperature": 0.5, "top_p": 0.5}, "cannot both", {"temperature": 0.5}),
    "temperature and top_p before 4.5": (
        {"temperature": 0.5, "top_p": 0.5, "model": MIDDLE},
        "cannot both",
        {"temperature": 0.5, "top_p": 0.5, "model": OLD},
    ),
    "temperature above 1": ({"temperature": 1.5}, "between 0 and 1", {"temperature": 1}),
    "temperature on new models": (
        {"temperature": 0.5, "model": NEW},
        "deprecated for this model",
        {"temperature": 0.5},
    ),
    "prefill on new models": (
        {"messages": [HI, model(text("I"))], "model": "claude-sonnet-4-6"},
        "does not support assistant message prefill",
        {"messages": [HI, model(text("I"))]},
    ),
    "prefill ends with a space": (
        {"messages": [HI, model(text("I "))]},
        "trailing whitespace",
        {"messages": [HI, model(text("I"))]},
    ),
    "prefill with thinking": (
        {"messages": [HI, model(text("I"))], "max_tokens": 2000, "thinking": THINK},
        "not supported when thinking",
        {"messages": [HI, model(text("I"))]},
    ),
    "blank stop": ({"stop_sequences": [" "]}, "non-whitespace", {"stop_sequences": ["a"]}),
    "tool names": ({"tools": [{**TOOL, "name": "a.b"}]}, "String should match", {"tools": [TOOL]}),
    "unique tool names": ({"tools": [TOOL, TOOL]}, "Tool names must be unique", {"tools": [TOOL]}),
    "tool schemas are objects": (
        {"tools": [{"name": "a", "input_schema": {}}]},
        "Input should be 'object'",
        {"tools": [TOOL]},
    ),
    "strict tools are closed": (
        {"tools": [{**TOOL, "strict": True}]},
        "'additionalProperties' must be explicitly set to false",
        {"tools": [{**TOOL, "strict": True, "input_schema": CLOSED}]},
    ),
    "output schema is closed": (
        {"output_config": {"format": {"type": "json_schema", "schema": TOOL["input_schema"]}}},
        "additionalProperties",
        {"output_config": {"format": {"type": "json_schema", "schema": CLOSED}}},
    ),
    "limits in strict schemas": (
        {"output_config": {"format": {"type": "json_schema", "schema": {"type": "integer", "minimum": 1}}}},
        "minimum",
        {"output_config": {"format": {"type": "json_schema", "schema": {"type": "integer"}}}},
    ),
    "choice without tools": ({"tool_choice": {"type": "auto"}}, "only be specified while providing tools", {}),
    "choice of an unknown tool": (
        {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "run"}},
        "Tool 'run' not found",
        {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "look"}},
    ),
    "choice in the style of OpenAI": (
        {"tools": [TOOL], "tool_choice": {"type": "required"}},
        "tool_choice.type",
        {"tools": [TOOL], "tool_choice": {"type": "any"}},
    ),
    "image data": (
        {
            "messages": [
                user({"type": "image", "source": {"type": "base64", "media_type": "image/bmp", "data": "AA=="}})
            ]
        },
        "media_type",
        {
            "messages": [
                user({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}})
            ]
        },
    ),
    "calls of the user": ({"messages": [user(CALL)]}, "messages.0.content.0.type", {}),
}


@pytest.fixture(scope="module")
def server():
    with vendor_server("anthropic", default="ok") as running:
        yield running


@pytest.mark.parametrize("name", RULES)
def test_rule(server, name):
    refused, words, corrected = RULES[name]
    answer = send(server, "anthropic", "/v1/messages", changed(BODY, refused))
    error = answer.json()
    assert answer.status == (404 if name == "unknown model" else 400)
    assert (error["type"], set(error["error"])) == ("error", {"type", "message"})
    assert words in error["error"]["message"]
    twin = send(server, "anthropic", "/v1/messages", changed(BODY, corrected))
    assert twin.status == 200, twin.body


@pytest.mark.parametrize(
    ("headers", "status", "words"),
    [
        ({"x-api-key": None}, 401, "x-api-key header is required"),
        ({"x-api-key": "wrong"}, 401, "invalid x-api-key"),
        ({"anthropic-version": None}, 400, "anthropic-version: header is required"),
        ({"anthropic-version": "2020-01-01"}, 400, "is not a valid version"),
        ({"content-type": "text/plain"}, 415, "application/json"),
    ],
)
def test_headers(server, headers, status, words):
    answer = send(server, "anthropic", "/v1/messages", BODY, headers)
    assert answer.status == status
    assert words in answer.json()["error"]["message"]
    assert send(server, "anthropic", "/v1/messages", BODY).status == 200


def test_paths_and_broken_json(server):
    assert send(server, "anthropic", "/v1/nothing", BODY).status == 404
    assert send(server, "anthropic", "/v1/messages", None).status == 405
    assert "not valid JSON" in send(server, "anthropic", "/v1/messages", b"{").json()["error"]["message"]
    assert "URL" in send(server, "anthropic", f"/v1/messages?key={server.key}", BODY).json()["error"]["message"]


def test_the_newer_version_of_the_api(server):
    newer: dict[str, str | None] = {"anthropic-version": "2026-10-21"}
    body = changed(BODY, {"messages": [HI, {"role": "system", "content": "be brief"}]})
    assert send(server, "anthropic", "/v1/messages", body, newer).status == 200
    assert send(server, "anthropic", "/v1/messages", changed(BODY, {"temperature": 0.5}), newer).status == 400


def test_thinking_goes_back_unchanged():
    with vendor_server("anthropic", [Reply(Thinking(text="hm"), ToolCall("look")), "done"]) as server:
        first = send(server, "anthropic", "/v1/messages", changed(BODY, {"tools": [TOOL]})).json()
        thought, call = first["content"]
        result = {"type": "tool_result", "tool_use_id": call["id"]}
        altered = [HI, model({**thought, "thinking": "else"}, call), user(result)]
        refused = send(server, "anthropic", "/v1/messages", changed(BODY, {"messages": altered}))
        assert "cannot be modified" in refused.json()["error"]["message"]
        unchanged = [HI, model(thought, call), user(result)]
        assert send(server, "anthropic", "/v1/messages", changed(BODY, {"messages": unchanged})).status == 200
