"""Conversations of unusual form as they arrive at a vendor, which refuses them in the form in which they are given."""

import pytest

from tests.llm.scenarios.runs import ids
from tests.vendors import Reply, ToolCall, faults

BEGINNING = "(The beginning of the conversation is omitted.)"
MISSING = "(no result: the call was not completed)"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
CALL = '{role: "assistant", content: "", tool_calls: [{id: "c 1", name: "f", arguments: {a: 1}}]}'
PICTURE = f'{{type: "image", source: {{type: "base64", media_type: "image/png", data: "{PNG}"}}}}'
Q = '{role: "user", content: "q"}'


def call(*content):
    return [{"role": "assistant", "content": list(content)}]


def say(role, *texts):
    return {"role": role, "content": texts[0] if len(texts) == 1 else [{"type": "text", "text": t} for t in texts]}


USE = {"type": "tool_use", "id": "c_1", "name": "f", "input": {"a": 1}}


def result(content, **more):
    return {"type": "tool_result", "tool_use_id": "c_1", "content": content, **more}


# the name, the messages of the script, and those that arrive at Anthropic
MESSAGES = [
    ("two users", f'[{Q}, {{role: "user", content: "r"}}]', [say("user", "q", "r")]),
    (
        "assistant first",
        f'[{{role: "assistant", content: "hi"}}, {Q}]',
        [{"role": "user", "content": [{"type": "text", "text": BEGINNING}]}, say("assistant", "hi"), say("user", "q")],
    ),
    ("system in the middle", f'[{Q}, {{role: "system", content: "S"}}, {Q}]', [say("user", "q", "S", "q")]),
    ("developer in the middle", f'[{Q}, {{role: "developer", content: "S"}}, {Q}]', [say("user", "q", "S", "q")]),
    ("only system", '[{role: "system", content: "S"}]', [{"role": "user", "content": [{"type": "text", "text": "S"}]}]),
    ("blank", f'[{{role: "user", content: " "}}, {Q}]', [{"role": "user", "content": [{"type": "text", "text": "q"}]}]),
    ("nothing", f'[{{role: "assistant", content: nil}}, {Q}]', [say("user", "q")]),
    ("number", '[{role: "user", content: 5}]', [say("user", "5")]),
    ("unknown role", '[{role: "narrator", content: "x"}]', [say("user", "x")]),
    ("a text", '["x"]', [say("user", "x")]),
    ("result without a call", f'[{Q}, {{role: "tool_result", tool_use_id: "z", content: "r"}}]', [say("user", "q", "[result of a tool]\nr")]),  # noqa: E501
    (
        "result of a tool message",
        f'[{Q}, {CALL}, {{role: "tool", tool_call_id: "c 1", content: "r"}}]',
        [say("user", "q"), *call(USE), {"role": "user", "content": [result("r")]}],
    ),
    (
        "call without a result",
        f"[{Q}, {CALL}, {Q}]",
        [
            say("user", "q"),
            *call(USE),
            {"role": "user", "content": [result(MISSING, is_error=True), {"type": "text", "text": "q"}]},
        ],
    ),
    (
        "text before the result",
        f'[{Q}, {CALL}, {Q}, {{role: "tool_result", tool_use_id: "c 1", content: "r"}}]',
        [say("user", "q"), *call(USE), {"role": "user", "content": [result("r"), {"type": "text", "text": "q"}]}],
    ),
    (
        "image as a result",
        f'[{Q}, {CALL}, {{role: "tool_result", tool_use_id: "c 1", content: [{PICTURE}]}}]',
        [
            say("user", "q"),
            *call(USE),
            {
                "role": "user",
                "content": [
                    result(
                        [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}]
                    )
                ],
            },
        ],
    ),
]  # fmt: skip


def shape(messages):
    """Return messages without the difference between a text and a list of one text."""
    plain = []
    for message in messages:
        content = message["content"]
        if isinstance(content, list) and len(content) == 1 and content[0].keys() == {"type", "text"}:
            content = content[0]["text"]
        plain.append({"role": message["role"], "content": content})
    return plain


@pytest.mark.parametrize(("_case", "messages", "sent"), MESSAGES, ids=ids(MESSAGES))
def test_messages_for_anthropic(vendors, _case, messages, sent):
    ran = vendors["anthropic"].call(f"messages: {messages}")
    assert ran.refusals == []
    assert shape(ran.body["messages"]) == shape(sent)


@pytest.mark.parametrize("name", ["gemini", "ollama"])
@pytest.mark.parametrize("stream", ["true", "false"])
@pytest.mark.parametrize(("_case", "messages", "_sent"), MESSAGES, ids=ids(MESSAGES))
def test_messages_for_others(vendors, name, stream, _case, messages, _sent):
    ran = vendors[name].call(f"stream: {stream}, messages: {messages}", model="llava" if name == "ollama" else None)
    assert ran.refusals == []
    assert ran.value["text"] == "ok"


@pytest.mark.parametrize("model", ["gemini-3-pro-preview", "gemini-2.0-flash", "gemini-3-flash"])
@pytest.mark.parametrize(("_case", "messages", "_sent"), MESSAGES, ids=ids(MESSAGES))
def test_messages_for_generations_of_gemini(vendors, model, _case, messages, _sent):
    ran = vendors["gemini"].call(f"messages: {messages}", model=model)
    assert (ran.refusals, ran.value["text"]) == ([], "ok")


@pytest.mark.parametrize("name", ["anthropic", "gemini"])
@pytest.mark.parametrize("messages", ["[]", '[{role: "user", content: nil}]', '[{role: "user", content: ""}]'])
def test_nothing_to_send(vendors, name, messages):
    ran = vendors[name].call(f"messages: {messages}")
    assert ran.value["message"] == (
        f"invalid_request: there is nothing to send to {name}: the prompt and all messages are empty"
    )
    assert (ran.value["reason"], ran.requests) == ("invalid_request", [])


CONTINUED = [
    ("anthropic", "claude-sonnet-4-6", "user", "[harn] warning: a last message of the assistant is followed"),
    ("anthropic", "claude-sonnet-4-5", "assistant", ""),
    ("gemini", "gemini-2.5-pro", "user", "[harn] warning: a last message of the assistant is followed"),
    ("ollama", "llama3.2", "assistant", ""),
]


@pytest.mark.parametrize(("name", "model", "role", "note"), CONTINUED)
def test_a_conversation_that_ends_with_the_assistant(vendors, name, model, role, note):
    ran = vendors[name].call(f'messages: [{Q}, {{role: "assistant", content: "hi"}}]', model=model)
    last = ran.body.get("messages", ran.body.get("contents"))[-1]
    assert (last["role"], ran.refusals) == (role, [])
    assert ran.notes.startswith(note)


@pytest.mark.parametrize("name", ["anthropic", "gemini", "ollama"])
def test_two_hundred_messages(vendors, name):
    program = """
    var messages = []
    for i in 1 to 201 {
      messages = messages + [{role: if i % 2 == 1 { "user" } else { "assistant" }, content: "m${i}"}]
    }
    println(llm_call("x", nil, {provider: PROVIDER, model: MODEL, messages: messages}).text)
    """
    ran = vendors[name].run(program, "ok")
    assert (ran.out, ran.error) == ("ok", "")
    assert len(ran.body.get("messages", ran.body.get("contents"))) == 201


MEDIA = {
    "image": PICTURE,
    "data URL": f'{{type: "image_url", image_url: {{url: "data:image/png;base64,{PNG}"}}}}',
    "URL": '{type: "image_url", image_url: {url: "https://example.com/a.png"}}',
    "pdf": '{type: "document", source: {type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQK"}}',
    "audio": '{type: "input_audio", input_audio: {data: "UklGRg==", format: "wav"}}',
    "empty": '{type: "image"}',
}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
INLINE = {"inlineData": {"mimeType": "image/png", "data": PNG}}
NO_DATA = "a content block of type `image` has neither data nor a URL"
# the vendor and the model, the block of the script, and the block that arrives or the error
BLOCKS = [
    ("anthropic", "claude-sonnet-4-6", "image", IMAGE),
    ("anthropic", "claude-sonnet-4-6", "data URL", IMAGE),
    ("anthropic", "claude-sonnet-4-6", "URL", {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}),
    ("anthropic", "claude-sonnet-4-6", "pdf", {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQK"}}),  # noqa: E501
    ("anthropic", "claude-sonnet-4-6", "audio", "option `audio` is not supported"),
    ("anthropic", "claude-sonnet-4-6", "empty", NO_DATA),
    ("gemini", "gemini-2.5-pro", "image", INLINE),
    ("gemini", "gemini-2.5-pro", "data URL", INLINE),
    ("gemini", "gemini-2.5-pro", "URL", {"fileData": {"fileUri": "https://example.com/a.png", "mimeType": "image/png"}}),  # noqa: E501
    ("gemini", "gemini-2.5-pro", "pdf", {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0xLjQK"}}),
    ("gemini", "gemini-2.5-pro", "audio", {"inlineData": {"mimeType": "audio/wav", "data": "UklGRg=="}}),
    ("gemini", "gemini-2.5-pro", "empty", NO_DATA),
    ("ollama", "llava", "image", PNG),
    ("ollama", "llava", "data URL", PNG),
    ("ollama", "llava", "URL", "ollama takes images as base64 data, not as URLs"),
    ("ollama", "llava", "pdf", "option `pdf` is not supported"),
    ("ollama", "llama3.2", "image", "option `vision` is not supported"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "model", "block", "sent"), BLOCKS)
def test_media(vendors, name, model, block, sent):
    content = f'[{{type: "text", text: "see"}}, {MEDIA[block]}]'
    ran = vendors[name].call(f'messages: [{{role: "user", content: {content}}}]', model=model)
    if isinstance(sent, str) and sent != PNG:
        assert sent in ran.value["message"]
        assert ran.requests == []
        return
    message = ran.body.get("messages", ran.body.get("contents"))[-1]
    blocks = message.get("images") or message.get("parts") or message["content"]
    assert blocks[-1] == sent
    assert ran.value["text"] == "ok"


# Structured answers

SCHEMA = '{type: "object", properties: {a: {type: "integer"}, b: {type: "string"}}, required: ["a"]}'
MODELS = [
    ("anthropic", "claude-sonnet-4-6"),
    ("anthropic", "claude-sonnet-4-5"),
    ("anthropic", "claude-opus-4-5"),
    ("anthropic", "claude-haiku-4-5"),
    ("anthropic", "claude-sonnet-4-0"),
    ("anthropic", "claude-3-5-haiku-latest"),
    ("gemini", "gemini-2.5-pro"),
    ("gemini", "gemini-3-pro-preview"),
    ("ollama", "llama3.2"),
    ("ollama", "gemma2"),
]
BY_TOOL = ("claude-sonnet-4-0", "claude-3-5-haiku-latest")


def structured(vendors, name, model, program, *replies):
    return vendors[name].run(f"println(json_stringify({program}))".replace("SCHEMA", SCHEMA), *replies, model=model)


@pytest.mark.parametrize("stream", ["true", "false"])
@pytest.mark.parametrize(("name", "model"), MODELS)
def test_structured_answers(vendors, name, model, stream):
    reply = Reply(ToolCall("structured_answer", {"a": 1})) if model in BY_TOOL else '{"a": 1}'
    options = f"{{provider: PROVIDER, model: MODEL, stream: {stream}}}"
    ran = structured(vendors, name, model, f'llm_call_structured("q", SCHEMA, {options})', reply)
    assert (ran.value, ran.refusals, ran.notes) == ({"a": 1}, [], "")


@pytest.mark.parametrize(("name", "model"), MODELS)
def test_a_structured_answer_after_a_nudge(vendors, name, model):
    program = 'llm_call_structured_result("q", SCHEMA, {provider: PROVIDER, model: MODEL})'
    ran = structured(vendors, name, model, program, "nonsense", '```json\n{"a": 2}\n```')
    found = ran.value
    assert (found["data"], found["attempts"], found["extracted_json"], found["repaired"]) == ({"a": 2}, 2, True, False)
    assert "Your previous response did not match" in str(ran.bodies[1])


@pytest.mark.parametrize(("name", "model"), MODELS)
def test_a_repaired_answer(vendors, name, model):
    program = 'llm_call_structured_result("q", SCHEMA, {provider: PROVIDER, model: MODEL, retries: 1, repair: true})'
    ran = structured(vendors, name, model, program, "n", "{}", '{"a": 9}')
    assert (ran.value["data"], ran.value["repaired"], ran.value["ok"]) == ({"a": 9}, True, True)


@pytest.mark.parametrize(("name", "model"), MODELS)
def test_no_structured_answer(vendors, name, model):
    program = 'llm_call_structured_safe("q", SCHEMA, {provider: PROVIDER, model: MODEL})'
    ran = structured(vendors, name, model, program, "n", "n", "n", "n")
    assert (ran.value["ok"], ran.value["error"]["category"]) == (False, "schema_validation")
    assert "response did not contain parseable JSON" in ran.value["error"]["message"]


@pytest.mark.parametrize(("name", "model"), MODELS)
def test_a_structured_answer_that_fails(vendors, name, model):
    program = 'llm_call_structured_result("q", SCHEMA, {provider: PROVIDER, model: MODEL})'
    ran = structured(vendors, name, model, program, Reply(fault=faults.error(401)))
    found = ran.value
    assert (found["ok"], found["attempts"], found["error_category"], found["raw_text"]) == (False, 0, "auth", "")


@pytest.mark.parametrize("name", ["anthropic", "gemini", "ollama"])
def test_completion(vendors, name):
    program = 'println(json_stringify(llm_completion("pre", "suf", nil, {provider: PROVIDER, model: MODEL})))'
    ran = vendors[name].run(program, "mid")
    assert ran.value["text"] == "mid"
    assert "transcript" not in ran.value
    assert all(word in str(ran.body) for word in ("pre", "suf"))
