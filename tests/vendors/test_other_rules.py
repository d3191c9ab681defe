"""Each rule of the Responses API, Gemini, and Ollama refuses a request and accepts its corrected twin."""

from typing import Any

import pytest

from tests.vendors import Reply, Thinking, ToolCall, vendor_server
from tests.vendors.exchanges import changed, send

Rule = tuple[dict[str, Any], str, dict[str, Any]]
HI = {"role": "user", "content": "hi"}
SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}
CLOSED = {**SCHEMA, "additionalProperties": False}
TOOL = {"type": "function", "name": "look", "parameters": SCHEMA, "strict": False}
CALL = {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "a hill"}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abc"}
SAID = {"role": "assistant", "content": [{"type": "output_text", "text": "I"}]}
RESPONSES_BODY: dict[str, Any] = {"model": "gpt-5", "input": [HI]}


def json_format(schema: Any) -> dict[str, Any]:
    return {"format": {"type": "json_schema", "name": "answer", "schema": schema, "strict": True}}


RESPONSES: dict[str, Rule] = {
    "unknown field": ({"stop": "x"}, "Unknown parameter: 'stop'", {}),
    "moved limit": ({"max_tokens": 20}, "has moved to 'max_output_tokens'", {"max_output_tokens": 20}),
    "moved format": ({"response_format": {"type": "text"}}, "has moved to 'text.format'", {}),
    "least output": ({"max_output_tokens": 15}, "Expected a value >= 16", {"max_output_tokens": 16}),
    "empty input": ({"input": []}, "empty array", {"input": "hi"}),
    "name": ({"input": [{**HI, "name": "a"}]}, "Unknown parameter: 'input[0].name'", {}),
    "parts of the user": (
        {"input": [{**HI, "content": [{"type": "text", "text": "hi"}]}]},
        "Invalid value: 'text'",
        {"input": [{**HI, "content": [{"type": "input_text", "text": "hi"}]}]},
    ),
    "parts of the model": (
        {"input": [HI, {**SAID, "content": [{"type": "input_text", "text": "I"}]}]},
        "Invalid value: 'input_text'",
        {"input": [HI, SAID]},
    ),
    "nested tool": ({"tools": [{"type": "function", "function": TOOL}]}, "'tools[0].name'", {"tools": [TOOL]}),
    "strict tool": ({"tools": [{**TOOL, "strict": True}]}, "additionalProperties", {"tools": [TOOL]}),
    "output without call": ({"input": [HI, OUTPUT]}, "No tool call found", {"input": [HI, CALL, OUTPUT]}),
    "call without output": ({"input": [HI, CALL]}, "No tool output found", {"input": [HI, CALL, OUTPUT]}),
    "lone reasoning": (
        {"input": [HI, REASONING]},
        "without its required following item",
        {"input": [HI, REASONING, CALL, OUTPUT]},
    ),
    "sampling of reasoning models": (
        {"temperature": 0.5},
        "'temperature' is not supported",
        {"temperature": 0.5, "model": "gpt-4o"},
    ),
    "reasoning of plain models": (
        {"model": "gpt-4o", "reasoning": {"effort": "low"}},
        "'reasoning.effort' is not supported",
        {"reasoning": {"effort": "low"}},
    ),
    "encrypted content of plain models": (
        {"model": "gpt-4o", "include": ["reasoning.encrypted_content"]},
        "Encrypted content is not supported",
        {"include": ["reasoning.encrypted_content"]},
    ),
    "open schema": ({"text": json_format(SCHEMA)}, "additionalProperties", {"text": json_format(CLOSED)}),
    "JSON without the word": (
        {"text": {"format": {"type": "json_object"}}, "instructions": "JSON"},
        "must contain the word 'json'",
        {"text": {"format": {"type": "json_object"}}, "input": "Answer in JSON."},
    ),
    "unknown previous response": ({"previous_response_id": "resp_0"}, "not found", {}),
}


@pytest.mark.parametrize("name", RESPONSES)
def test_responses(name):
    refused, words, corrected = RESPONSES[name]
    with vendor_server("openai", default="ok") as server:
        answer = send(server, "openai", "/responses", changed(RESPONSES_BODY, refused))
        assert answer.status == 400
        assert words in answer.json()["error"]["message"]
        twin = send(server, "openai", "/responses", changed(RESPONSES_BODY, corrected))
        assert twin.status == 200, twin.body


def test_reasoning_items_go_back():
    body = changed(RESPONSES_BODY, {"store": False, "tools": [TOOL], "include": ["reasoning.encrypted_content"]})
    with vendor_server("openai", [Reply(Thinking(text="hm"), ToolCall("look")), "ok"]) as server:
        thought, call = send(server, "openai", "/responses", body).json()["output"]
        output = {**OUTPUT, "call_id": call["call_id"]}
        for items, words in (
            ([HI, call, output], "without its required 'reasoning' item"),
            ([HI, changed(thought, {"encrypted_content": ...}), call, output], "Items are not persisted"),
            ([HI, {**thought, "encrypted_content": "x"}, call, output], "could not be verified"),
        ):
            refused = send(server, "openai", "/responses", changed(body, {"input": items}))
            assert words in refused.json()["error"]["message"]
        accepted = send(server, "openai", "/responses", changed(body, {"input": [HI, thought, call, output]}))
        assert accepted.status == 200


def part(**fields: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [fields]}


def said(**fields: Any) -> dict[str, Any]:
    return {"role": "model", "parts": [fields]}


GEMINI_BODY: dict[str, Any] = {"contents": [part(text="hi")]}
ASK = part(text="hi")
LOOK = {"name": "look", "args": {}}
LOOKED = part(functionResponse={"name": "look", "response": {"result": "a hill"}})


def tools(**parameters: Any) -> list[Any]:
    return [{"functionDeclarations": [{"name": "look", "parameters": {"type": "object", **parameters}}]}]


AT = {"properties": {"at": {"type": "string"}}}
GEMINI: dict[str, Rule] = {
    "unknown field": ({"messages": []}, 'Unknown name "messages": Cannot find field', {}),
    "no contents": ({"contents": []}, "contents is not specified", {}),
    "no parts": ({"contents": [{"role": "user", "parts": []}]}, "contents.parts must not be empty", {}),
    "empty part": ({"contents": [part()]}, "required oneof field 'data'", {}),
    "role": ({"contents": [{**ASK, "role": "assistant"}]}, "valid role: user, model", {}),
    "content": ({"contents": [{**ASK, "content": "x"}]}, "at 'contents[0]': Cannot find field", {}),
    "additionalProperties": (
        {"tools": tools(additionalProperties=False)},
        '"additionalProperties"',
        {"tools": tools()},
    ),
    "$ref": ({"tools": tools(properties={"at": {"$ref": "#/x"}})}, '"$ref"', {"tools": tools(**AT)}),
    "$schema": ({"tools": tools(**{"$schema": "x"})}, '"$schema"', {"tools": tools(**AT)}),
    "const": ({"tools": tools(properties={"at": {"const": 1}})}, '"const"', {"tools": tools(**AT)}),
    "types in a list": (
        {"tools": tools(properties={"at": {"type": ["string", "null"]}})},
        "parameters.properties.at.type",
        {"tools": tools(properties={"at": {"type": "string", "nullable": True}})},
    ),
    "array without items": (
        {"tools": tools(properties={"at": {"type": "array"}})},
        "missing field",
        {"tools": tools(**AT)},
    ),
    "required but unknown": (
        {"tools": tools(required=["at"])},
        "not defined: at",
        {"tools": tools(**AT, required=["at"])},
    ),
    "response is an object": (
        {"contents": [ASK, said(functionCall=LOOK), part(functionResponse={"name": "look", "response": "a hill"})]},
        "Invalid value at 'contents[2].parts[0].functionResponse.response'",
        {"contents": [ASK, said(functionCall=LOOK), LOOKED]},
    ),
    "orphan response": ({"contents": [LOOKED]}, "number of function response parts", {}),
    "missing response": (
        {"contents": [ASK, said(functionCall=LOOK), ASK]},
        "number of function response parts",
        {"contents": [ASK, said(functionCall=LOOK), LOOKED]},
    ),
    "name of the response": (
        {"contents": [ASK, said(functionCall=LOOK), part(functionResponse={"name": "run", "response": {}})]},
        "immediately after a function call turn",
        {"contents": [ASK, said(functionCall=LOOK), LOOKED]},
    ),
    "call after a model turn": (
        {"contents": [ASK, said(text="I"), said(functionCall=LOOK), LOOKED]},
        "comes immediately after a user turn",
        {"contents": [ASK, {"role": "model", "parts": [{"text": "I"}, {"functionCall": LOOK}]}, LOOKED]},
    ),
    "schema without mime type": (
        {"generationConfig": {"responseSchema": {"type": "object", **AT}}},
        "only allowed when mimetype",
        {"generationConfig": {"responseSchema": {"type": "object", **AT}, "responseMimeType": "application/json"}},
    ),
    "closed response schema": (
        {"generationConfig": {"responseMimeType": "application/json", "responseSchema": CLOSED}},
        '"additionalProperties"',
        {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": CLOSED}},
    ),
    "JSON with tools": (
        {"generationConfig": {"responseMimeType": "application/json"}, "tools": tools(**AT)},
        "Function calling with a response mime type",
        {"generationConfig": {"responseMimeType": "application/json"}},
    ),
    "limit of OpenAI": (
        {"generationConfig": {"maxTokens": 5}},
        'Unknown name "maxTokens" at',
        {"generationConfig": {"maxOutputTokens": 5}},
    ),
    "level of an old model": (
        {"generationConfig": {"thinkingConfig": {"thinkingLevel": "low"}}},
        "Thinking level is not supported",
        {"generationConfig": {"thinkingConfig": {"thinkingBudget": 100}}},
    ),
    "allowed names need ANY": (
        {"tools": tools(**AT), "toolConfig": {"functionCallingConfig": {"allowedFunctionNames": ["look"]}}},
        "mode is ANY",
        {
            "tools": tools(**AT),
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["look"]}},
        },
    ),
    "mode of another vendor": ({"toolConfig": {"functionCallingConfig": {"mode": "required"}}}, "mode", {}),
}
GEMINI_PATH = "/v1beta/models/gemini-2.5-pro:generateContent"


@pytest.mark.parametrize("name", GEMINI)
def test_gemini(name):
    refused, words, corrected = GEMINI[name]
    with vendor_server("gemini", default="ok") as server:
        answer = send(server, "gemini", GEMINI_PATH, changed(GEMINI_BODY, refused))
        error = answer.json()["error"]
        assert (answer.status, error["code"], error["status"]) == (400, 400, "INVALID_ARGUMENT")
        assert words in error["message"]
        twin = send(server, "gemini", GEMINI_PATH, changed(GEMINI_BODY, corrected))
        assert twin.status == 200, twin.body


def test_gemini_3_wants_thought_signatures_back():
    path = GEMINI_PATH.replace("2.5", "3")
    with vendor_server("gemini", [Reply(ToolCall("look")), "ok"]) as server:
        content = send(server, "gemini", path, GEMINI_BODY).json()["candidates"][0]["content"]
        assert content["parts"][0]["thoughtSignature"]
        without = said(functionCall=content["parts"][0]["functionCall"])
        refused = send(server, "gemini", path, {"contents": [ASK, without, LOOKED]})
        assert "missing a thought_signature" in refused.json()["error"]["message"]
        altered = {"role": "model", "parts": [{**content["parts"][0], "thoughtSignature": "AAAA"}]}
        assert send(server, "gemini", path, {"contents": [ASK, altered, LOOKED]}).status == 400
        assert send(server, "gemini", path, {"contents": [ASK, content, LOOKED]}).status == 200


def test_gemini_keys_and_paths():
    with vendor_server("gemini", default="ok") as server:
        wrong = send(server, "gemini", GEMINI_PATH, GEMINI_BODY, {"x-goog-api-key": "wrong"})
        assert (wrong.status, wrong.json()["error"]["details"][0]["reason"]) == (400, "API_KEY_INVALID")
        assert send(server, "gemini", GEMINI_PATH, GEMINI_BODY, {"x-goog-api-key": None}).status == 403
        in_url = send(server, "gemini", f"{GEMINI_PATH}?key={server.key}", GEMINI_BODY)
        assert "not in the URL" in in_url.json()["error"]["message"]
        stream = GEMINI_PATH.replace("generateContent", "streamGenerateContent")
        assert send(server, "gemini", stream, GEMINI_BODY).status == 400
        assert send(server, "gemini", f"{stream}?alt=sse", GEMINI_BODY).status == 200
        assert send(server, "gemini", GEMINI_PATH.replace("gemini-2.5-pro", "gpt"), GEMINI_BODY).status == 404


OLLAMA_BODY: dict[str, Any] = {"model": "llama3.2", "messages": [HI], "stream": False}
OLLAMA_CALL = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "look", "arguments": {}}}]}
OLLAMA_RESULT = {"role": "tool", "tool_name": "look", "content": "a hill"}
OLLAMA: dict[str, Rule] = {
    "unknown field": ({"temperature": 0.5}, "temperature", {"options": {"temperature": 0.5}}),
    "unknown option": ({"options": {"max_tokens": 5}}, "options.max_tokens", {"options": {"num_predict": 5}}),
    "tool_choice": ({"tool_choice": "auto"}, "tool_choice", {}),
    "no model": ({"model": ...}, "model is required", {}),
    "unknown model": ({"model": "none"}, "not found", {}),
    "arguments are objects": (
        {
            "messages": [
                HI,
                {**OLLAMA_CALL, "tool_calls": [{"function": {"name": "look", "arguments": "{}"}}]},
                OLLAMA_RESULT,
            ]
        },
        "cannot unmarshal",
        {"messages": [HI, OLLAMA_CALL, OLLAMA_RESULT]},
    ),
    "result without a name": (
        {"messages": [HI, OLLAMA_CALL, {"role": "tool", "content": "a hill"}]},
        "tool_name is missing",
        {"messages": [HI, OLLAMA_CALL, OLLAMA_RESULT]},
    ),
    "orphan result": ({"messages": [HI, OLLAMA_RESULT]}, "no call of look", {}),
    "missing result": ({"messages": [HI, OLLAMA_CALL]}, "no result of look", {}),
    "parts": ({"messages": [{**HI, "content": [{"type": "text", "text": "hi"}]}]}, "of type string", {}),
    "stop is an array": ({"options": {"stop": "x"}}, "options.stop", {"options": {"stop": ["x"]}}),
}


@pytest.mark.parametrize("name", OLLAMA)
def test_ollama(name):
    refused, words, corrected = OLLAMA[name]
    with vendor_server("ollama", default="ok") as server:
        answer = send(server, "ollama", "/api/chat", changed(OLLAMA_BODY, refused))
        assert answer.status == (404 if name == "unknown model" else 400)
        assert words in answer.json()["error"]
        twin = send(server, "ollama", "/api/chat", changed(OLLAMA_BODY, corrected))
        assert twin.status == 200, twin.body
        assert send(server, "ollama", "/api/version", None).json()["version"]
