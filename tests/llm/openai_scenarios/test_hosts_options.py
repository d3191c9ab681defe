"""The options of a call at OpenAI and compatible hosts: what is sent, what is noted, and what is refused."""

import pytest

from tests.llm.openai_scenarios.vendor_runs import COMPATIBLE, SETTINGS
from tests.vendors import Reply, Thinking, ToolCall, Usage

SAMPLING = (
    'max_tokens: 100, temperature: 0.5, top_p: 0.9, top_k: 5, seed: 7, stop: ["END"], frequency_penalty: 0.1, '
    "presence_penalty: 0.2, logprobs: true, timeout: 5, idle_timeout: 3, user_visible: true, llm_retries: 0"
)
USUAL = {
    "max_tokens": 100, "temperature": 0.5, "top_p": 0.9, "frequency_penalty": 0.1, "presence_penalty": 0.2,
    "seed": 7, "stop": ["END"], "logprobs": True, "stream": True, "stream_options": {"include_usage": True},
}  # fmt: skip
WITH_TOP_K = {**USUAL, "top_k": 5}


def changed(without=(), **fields):
    return {name: value for name, value in {**USUAL, **fields}.items() if name not in without}


OF_REASONING = ("temperature", "top_p", "frequency_penalty", "presence_penalty", "stop", "logprobs")
SENT = [
    ("openai", None, USUAL, ["top_k"]),
    ("azure_openai", None, USUAL, ["top_k"]),
    ("openrouter", None, WITH_TOP_K, []),
    (
        "groq",
        None,
        changed(("max_tokens", "frequency_penalty", "presence_penalty", "logprobs"), max_completion_tokens=100),
        ["top_k", "frequency_penalty", "presence_penalty", "logprobs"],
    ),
    ("together", None, WITH_TOP_K, []),
    ("fireworks", None, WITH_TOP_K, []),
    ("local", None, WITH_TOP_K, []),
    ("deepseek", None, changed(("seed",)), ["top_k", "seed"]),
    ("mistral", None, changed(("seed", "logprobs", "stream_options"), random_seed=7), ["top_k", "logprobs"]),
    ("xai", None, USUAL, ["top_k"]),
    (
        "xai",
        "grok-4",
        changed(("frequency_penalty", "presence_penalty", "stop")),
        ["top_k", "frequency_penalty", "presence_penalty", "stop"],
    ),
    *(
        ("openai", model, changed((*OF_REASONING, "max_tokens"), max_completion_tokens=100), ["top_k", *OF_REASONING])
        for model in ("o3", "gpt-5")
    ),
]


@pytest.mark.parametrize(("vendor", "model", "fields", "noted"), SENT)
def test_sampling(vendors, vendor, model, fields, noted):
    ran = vendors.call(vendor, SAMPLING, model=model)
    assert (ran.exit_code, ran.lines, ran.refusals) == (0, ["hello"], [])
    body = ran.body
    assert body.pop("messages") == [{"role": "user", "content": "hi"}]
    assert body.pop("model") == (model or body.get("model") or ran.requests[-1].json()["model"])
    assert body == fields
    assert sorted(note.split("'")[1] for note in ran.notes) == sorted(noted)
    assert all(f"is not sent to {vendor}" in note for note in ran.notes)


def test_a_note_is_written_once_per_run(vendors):
    script = 'for i in range(3) { llm_call("hi", nil, {provider: "$P", model: "$M", top_k: 3}) }'
    ran = vendors.run("openai", script, default="hello")
    assert ran.notes == ["option 'top_k' is not sent to openai"]


# The options of the Responses API, which calls take directly or for their provider

RESPONSES = [
    ('api_mode: "responses"', {"store": False}),
    ('api_mode: "responses", store: true', {"store": None}),
    ('api_mode: "responses", truncation: "auto"', {"truncation": "auto"}),
    (
        'api_mode: "responses", include: ["message.output_text.logprobs"]',
        {"include": ["message.output_text.logprobs"]},
    ),
    ('api_mode: "responses", provider_tools: [{type: "web_search"}]', {"tools": [{"type": "web_search"}]}),
    ('api_mode: "responses", openai: {metadata: {a: "b"}}', {"metadata": {"a": "b"}}),
    ('openai: {api_mode: "responses", store: true}', {"store": None}),
    ('api_mode: "responses", max_tokens: 5', {"max_output_tokens": 16}),
    ('api_mode: "responses", temperature: 0.3, top_p: 0.4', {"temperature": 0.3, "top_p": 0.4}),
]


@pytest.mark.parametrize(("options", "fields"), RESPONSES)
def test_options_of_the_responses_api(vendors, options, fields):
    ran = vendors.call("openai", options)
    assert (ran.lines, ran.refusals, ran.requests[0].target) == (["hello"], [], "/v1/responses")
    for name, value in fields.items():
        assert ran.body.get(name) == value or (name == "store" and value is None and ran.body.get("store") is not False)


def test_a_reasoning_model_returns_its_reasoning_unless_the_server_stores_it(vendors):
    ran = vendors.call("openai", 'api_mode: "responses"', model="o3")
    assert (ran.body["include"], ran.body["store"]) == (["reasoning.encrypted_content"], False)
    assert "include" not in vendors.call("openai", 'api_mode: "responses", store: true', model="o3").body


@pytest.mark.parametrize("stream", ["true", "false"])
def test_a_stored_answer_can_be_continued(vendors, stream):
    script = f"""let o = {{provider: "$P", model: "$M", api_mode: "responses", store: true, stream: {stream}}}
    let r = llm_call("one", "kind", o)
    let q = llm_call("two", "kind", o + {{previous_response_id: r.response_id}})
    log(q.text, q.response_id != r.response_id)"""
    ran = vendors.run("openai", script, "first", "second")
    assert (ran.lines, ran.refusals) == (["second true"], [])
    assert ran.body["input"] == [{"role": "user", "content": "two"}]


@pytest.mark.parametrize("model", ["gpt-5-pro", "gpt-5-codex", "o3-pro", "o1-pro"])
def test_models_that_only_have_the_responses_api_use_it(vendors, model):
    assert vendors.call("openai", "", model=model).requests[0].target == "/v1/responses"


UNAVAILABLE = [
    ("openai", 'previous_response_id: "r", include: ["x"], truncation: "auto", background: true', "background"),
    ("groq", "store: true", "store"),
    ("mistral", 'include: ["x"]', "include"),
    ("anthropic", 'store: true, truncation: "auto"', "store"),
    ("gemini", 'previous_response_id: "r"', "previous_response_id"),
]


@pytest.mark.parametrize(("vendor", "options", "noted"), UNAVAILABLE)
def test_options_of_another_api_are_noted(vendors, vendor, options, noted):
    ran = vendors.call(vendor, options)
    assert (ran.lines, ran.refusals) == (["hello"], [])
    assert f"option '{noted}' is not sent to {vendor}" in ran.notes
    assert noted not in ran.body


def test_azure_has_responses_too(vendors):
    ran = vendors.call("azure_openai", 'api_mode: "responses"')
    assert (ran.lines, ran.requests[0].target.partition("?")[0]) == (["hello"], "/openai/responses")


SERVER_TOOLS = [
    ("anthropic", '{type: "web_search_20250305", name: "web_search"}', ""),
    ("gemini", "{google_search: {}}", ""),
    ("openai", '{type: "web_search"}', 'api_mode: "responses", '),
]


@pytest.mark.parametrize(("vendor", "tool", "options"), SERVER_TOOLS)
def test_tools_that_the_provider_runs(vendors, vendor, tool, options):
    ran = vendors.call(vendor, f"{options}provider_tools: [{tool}]")
    assert (ran.lines, ran.refusals, len(ran.body["tools"])) == (["hello"], [], 1)


THINKING = [
    ("openai", "o3", 'reasoning_effort: "low"', {"reasoning_effort": "low"}),
    ("openai", "o3", 'reasoning_effort: "xhigh"', {"reasoning_effort": "high"}),
    ("openai", "gpt-5", 'thinking: "minimal"', {"reasoning_effort": "minimal"}),
    ("openai", "o3", "thinking: {budget_tokens: 2000}", {"reasoning_effort": "low"}),
    ("openai", "o3", 'api_mode: "responses", thinking: "high"', {"reasoning": {"effort": "high", "summary": "auto"}}),
    ("openrouter", None, "thinking: {budget_tokens: 5000}", {"reasoning": {"max_tokens": 5000}}),
    ("openrouter", None, "thinking: true", {"reasoning": {"enabled": True}}),
    ("deepseek", "deepseek-reasoner", "thinking: true", {"thinking": {"type": "enabled"}}),
    ("xai", None, 'reasoning_effort: "low"', {"reasoning_effort": "low"}),
    ("groq", "openai/gpt-oss-120b", 'reasoning_effort: "low"', {"reasoning_effort": "low"}),
    ("mistral", "magistral-medium-latest", "thinking: true", {"prompt_mode": "reasoning"}),
]


@pytest.mark.parametrize(("vendor", "model", "options", "fields"), THINKING)
def test_thinking(vendors, vendor, model, options, fields):
    ran = vendors.call(vendor, options, Reply(Thinking(text="hm"), "hello"), model=model)
    assert (ran.lines, ran.refusals, ran.error) == (["hello"], [], "")
    assert {name: ran.body.get(name) for name in fields} == fields


def test_openrouter_marks_the_messages_to_models_of_anthropic(vendors):
    ran = vendors.call("openrouter", 'cache: true, system: "kind"')
    assert (ran.lines, ran.refusals) == (["hello"], [])
    marked = [message["content"][-1]["cache_control"]["type"] for message in ran.body["messages"]]
    assert marked == ["ephemeral", "ephemeral"]
    assert vendors.call("openrouter", "cache: true", model="openai/gpt-4o").error


# Structured answers

CLOSED = (
    '{type: "object", properties: {a: {type: "string"}, b: {type: "integer"}}, required: ["a", "b"], '
    "additionalProperties: false}"
)
UNSAID = CLOSED.replace(", additionalProperties: false", "")
OPTIONAL = UNSAID.replace('["a", "b"]', '["a"]')
STRUCTURED = ("openai", "azure_openai", "openrouter", "mistral", "xai")
DATA = '{"a": "x", "b": 1}'


@pytest.mark.parametrize("vendor", STRUCTURED)
@pytest.mark.parametrize(("schema", "is_strict"), [(CLOSED, True), (UNSAID, True), (OPTIONAL, False)])
def test_a_schema_is_strict_if_that_does_not_change_its_meaning(vendors, vendor, schema, is_strict):
    script = f'log(llm_call_structured("give", {schema}, {{provider: "$P", model: "$M"}}))'
    ran = vendors.run(vendor, script, DATA)
    assert (ran.lines, ran.refusals) == (["{a: x, b: 1}"], [])
    form = ran.body["response_format"]["json_schema"]
    assert form.get("strict", False) is is_strict
    assert form["schema"]["required"] == (["a", "b"] if is_strict else ["a"])
    assert bool(ran.notes) is not is_strict


FORMS = [
    ("gpt-4o", 'output_format: "json"', "json_object"),
    ("gpt-4o", 'response_format: "json_object"', "json_object"),
    ("gpt-4o", f"schema: {CLOSED}", "json_schema"),
    ("gpt-4o", f'output_format: {{kind: "json_schema", schema: {CLOSED}, strict: false}}', "json_schema"),
    ("o3", 'output_format: "json"', "json_object"),
    ("o3", f"json_schema: {CLOSED}", "json_schema"),
    ("gpt-3.5-turbo", f"schema: {CLOSED}", "json_object"),
    ("gpt-3.5-turbo", 'output_format: "json"', "json_object"),
]


@pytest.mark.parametrize(("model", "options", "form"), FORMS)
@pytest.mark.parametrize("mode", ["chat", "responses"])
def test_forms_of_structured_answers(vendors, model, options, form, mode):
    ran = vendors.call("openai", f'{options}, api_mode: "{mode}"', DATA, model=model, shown="r.data")
    assert (ran.lines, ran.refusals, ran.error) == (["{a: x, b: 1}"], [], "")
    field = ran.body["response_format"] if mode == "chat" else ran.body["text"]["format"]
    assert field["type"] == form


@pytest.mark.parametrize("vendor", ["groq", "deepseek", "together", "local"])
def test_a_schema_becomes_text_where_the_model_does_not_enforce_it(vendors, vendor):
    ran = vendors.call(vendor, f"schema: {CLOSED}", DATA, shown="r.data")
    assert (ran.lines, ran.refusals) == (["{a: x, b: 1}"], [])
    form = ran.body.get("response_format", {}).get("type")
    assert form == ("json_schema" if vendor == "local" else "json_object")
    assert any("additionalProperties" in str(part) for part in (ran.body["messages"][0], ran.body["response_format"]))


def test_a_wrong_answer_is_asked_for_again(vendors):
    script = (
        f'let r = llm_call_structured_result("give", {CLOSED}, {{provider: "$P", model: "$M"}})\nlog(r.attempts, r.ok)'
    )
    ran = vendors.run("openai", script, "nope", '{"a": 1}', DATA)
    assert ran.lines == ["3 true"]
    assert [len(body["messages"]) for body in ran.bodies] == [1, 2, 2]


# The choice of a tool

LOOK = 'tool look(at: string) -> string { description "Look."; return "saw " + at }\n'
NAMED = {"type": "function", "function": {"name": "look"}}
CHOICES = [
    ('"auto"', "auto", "auto"),
    ('"none"', "none", "none"),
    ('"required"', "required", "required"),
    ('"any"', "required", "required"),
    ('{type: "any"}', "required", "required"),
    ('{name: "look"}', NAMED, {"type": "function", "name": "look"}),
    ('"look"', NAMED, {"type": "function", "name": "look"}),
    ('{type: "function", function: {name: "look"}}', NAMED, {"type": "function", "name": "look"}),
]


@pytest.mark.parametrize(("choice", "chat", "responses"), CHOICES)
def test_tool_choice(vendors, choice, chat, responses):
    for mode, expected in (("chat", chat), ("responses", responses)):
        script = (
            f'{LOOK}let r = llm_call("x", nil, {{provider: "$P", model: "$M", tools: look, tool_format: "native", '
            f'api_mode: "{mode}", tool_choice: {choice}}})\nlog(r.tool_calls[0].arguments)'
        )
        ran = vendors.run("openai", script, Reply(ToolCall("look", {"at": "1"})))
        assert (ran.lines, ran.refusals, ran.body["tool_choice"]) == (["{at: 1}"], [], expected)


# Media

IMAGE = '{type: "image", source: {type: "base64", media_type: "image/png", data: "aGk="}}'
ADDRESS = '{type: "image_url", image_url: {url: "https://x/y.png"}}'
SOUND = '{type: "input_audio", input_audio: {data: "aGk=", format: "wav"}}'
PAGE = '{type: "document", source: {type: "base64", media_type: "application/pdf", data: "aGk="}}'
MEDIA = [
    *((vendor, IMAGE, "image_url", "") for vendor in ("openai", "azure_openai", "openrouter")),
    *((vendor, ADDRESS, "image_url", "") for vendor in ("openai", "azure_openai", "openrouter")),
    ("openrouter", PAGE, "file", ""),
    *((vendor, IMAGE, "", "vision") for vendor in ("groq", "deepseek", "together", "local", "fireworks")),
    *((vendor, SOUND, "", "audio") for vendor in COMPATIBLE),
    *((vendor, PAGE, "", "pdf") for vendor in ("openai", "groq", "deepseek", "mistral", "local")),
]


@pytest.mark.parametrize(("vendor", "block", "part", "gate"), MEDIA)
def test_media(vendors, vendor, block, part, gate):
    ran = vendors.call(vendor, f'messages: [{{role: "user", content: [{{type: "text", text: "see"}}, {block}]}}]')
    if gate:
        assert (
            ran.error == f"Thrown: option `{gate}` is not supported by `{SETTINGS[vendor][2]}` (provider `{vendor}`)."
        )
        assert not ran.requests
    else:
        assert (ran.lines, ran.refusals) == (["hello"], [])
        assert [piece["type"] for piece in ran.body["messages"][0]["content"]] == ["text", part]


# Usage, costs and stop reasons

USAGE = Usage(input_tokens=1000, output_tokens=300, cache_read_tokens=600, thinking_tokens=200)
COSTS = [
    ("openai", "gpt-4o", "chat", 0.00475),
    ("openai", "o3", "chat", 0.033),
    ("openai", "o3", "responses", 0.033),
    ("openrouter", None, "chat", 0.00588),
    ("xai", "grok-4", "chat", 0.00615),
    ("groq", None, "chat", 0.000827),
    ("local", None, "chat", 0.0),
]


@pytest.mark.parametrize(("vendor", "model", "mode", "cost"), COSTS)
@pytest.mark.parametrize("stream", ["true", "false"])
def test_usage_and_cost(vendors, vendor, model, mode, cost, stream):
    shown = "r.input_tokens, r.output_tokens, r.cache_read_tokens, r.cache_hit_ratio, llm_session_cost().total_cost"
    reply = Reply(Thinking(text="t"), "hi", usage=USAGE)
    ran = vendors.call(vendor, f'api_mode: "{mode}", stream: {stream}', reply, model=model, shown=shown)
    assert ran.lines == [f"1000 300 600 0.6 {cost:g}" if cost else "1000 300 600 0.6 0.0"]


STOPS = [("end", "stop"), ("max_tokens", "length"), ("refusal", "refusal"), ("stop_sequence", "stop")]


@pytest.mark.parametrize(("stop", "reason"), STOPS)
@pytest.mark.parametrize("mode", ["chat", "responses"])
@pytest.mark.parametrize("stream", ["true", "false"])
def test_stop_reasons(vendors, stop, reason, mode, stream):
    ran = vendors.call(
        "openai", f'api_mode: "{mode}", stream: {stream}', Reply("no", stop=stop), shown="r.stop_reason, r.text"
    )
    assert ran.lines == [f"{reason} no"]


GATED = [
    ("openai", "cache: true", "cache"),
    ("openai", "thinking: true", "thinking"),
    ("openai", 'reasoning_effort: "low"', "reasoning_effort"),
    ("openai", "interleaved_thinking: true", "interleaved_thinking"),
    ("groq", f'output_format: {{kind: "json_schema", schema: {CLOSED}}}', "output_format"),
    ("openai", "vision: true", None),
]


@pytest.mark.parametrize(("vendor", "options", "gate"), GATED)
def test_gates(vendors, vendor, options, gate):
    ran = vendors.call(vendor, options)
    expected = gate and f"Thrown: option `{gate}` is not supported by `{SETTINGS[vendor][2]}` (provider `{vendor}`)."
    assert ran.error == (expected or "")
    assert len(ran.requests) == (0 if gate else 1)
