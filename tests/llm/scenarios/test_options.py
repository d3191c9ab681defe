"""The options of a call as they arrive at a vendor: sent, sent in another form with a note, or refused beforehand."""

import pytest

from tests.llm.scenarios.runs import ids, text_of

SONNET, SONNET_4_5, OPUS_4_5 = "claude-sonnet-4-6", "claude-sonnet-4-5", "claude-opus-4-5"
OPUS_4_6, HAIKU_3_5, HAIKU_3 = "claude-opus-4-6", "claude-3-5-haiku-latest", "claude-3-haiku-20240307"
FLASH, PRO, PRO_3 = "gemini-2.0-flash", "gemini-2.5-pro", "gemini-3-pro-preview"
LLAMA, QWEN, GEMMA = "llama3.2", "qwen3", "gemma2"
SCHEMA = '{type: "object", properties: {a: {type: "integer"}}, required: ["a"]}'
CLOSED = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
OPEN = {key: value for key, value in CLOSED.items() if key != "additionalProperties"}


def unsent(provider, *names):
    return [f"option '{name}' is not sent to {provider}" for name in names]


# the model, the options, fields of the body (None: absent; a dotted name leads into a field), and the notes
ANTHROPIC = [
    (SONNET, "", {"max_tokens": 16384, "stream": True, "temperature": None, "thinking": None, "system": None}, []),
    (SONNET, "max_tokens: 7, stream: false", {"max_tokens": 7, "stream": None}, []),
    (SONNET, "temperature: 0.3, top_k: 3", {"temperature": 0.3, "top_k": 3, "top_p": None}, []),
    (SONNET, "top_p: 0.5", {"top_p": 0.5}, []),
    (SONNET, "temperature: 0.3, top_p: 0.5", {"temperature": 0.3, "top_p": None}, unsent("anthropic", "top_p")),
    (HAIKU_3_5, "temperature: 0.3, top_p: 0.5", {"temperature": 0.3, "top_p": 0.5}, []),
    (SONNET, "temperature: 1.5", {"temperature": 1}, ["temperature is 1, the highest that anthropic accepts"]),
    (
        SONNET,
        "seed: 3, frequency_penalty: 0.5, presence_penalty: 0.1",
        {"seed": None, "frequency_penalty": None, "presence_penalty": None},
        unsent("anthropic", "seed", "frequency_penalty", "presence_penalty"),
    ),
    (SONNET, 'stop: ["X", "Y"]', {"stop_sequences": ["X", "Y"]}, []),
    (SONNET, "stop: []", {"stop_sequences": None}, []),
    (SONNET, 'stop: [" "]', {"stop_sequences": None}, []),
    (SONNET, "thinking: true", {"thinking": {"type": "enabled", "budget_tokens": 8192}}, []),
    (SONNET, "thinking: true, max_tokens: 2000", {"thinking.budget_tokens": 1024}, []),
    (SONNET, "thinking: {budget_tokens: 5000}", {"thinking.budget_tokens": 5000}, []),
    (
        SONNET,
        "thinking: {budget_tokens: 100}",
        {"thinking.budget_tokens": 1024},
        ["thinking.budget_tokens is 1024 instead of 100: at least 1024, below max_tokens"],
    ),
    (SONNET, 'thinking: "off"', {"thinking": None}, []),
    (SONNET, 'thinking: "adaptive"', {"thinking": {"type": "adaptive"}}, []),
    (SONNET, 'thinking: "low"', {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}, []),
    (SONNET, 'reasoning_effort: "minimal"', {"output_config": {"effort": "low"}}, []),
    (SONNET, 'reasoning_effort: "none"', {"thinking": None, "output_config": None}, []),
    (
        SONNET_4_5,
        'reasoning_effort: "low"',
        {"thinking": {"type": "enabled", "budget_tokens": 2048}},
        ["thinking is sent with a budget: the model does not decide how much it thinks"],
    ),
    ("claude-3-7-sonnet-latest", "thinking: true", {"thinking.type": "enabled"}, []),
    (SONNET, "thinking: true, temperature: 1", {"temperature": 1}, []),
    (SONNET, "thinking: true, temperature: 0.2", {"temperature": None}, unsent("anthropic", "temperature")),
    (SONNET, "thinking: true, top_p: 0.5", {"top_p": None}, unsent("anthropic", "top_p")),
    (SONNET, "thinking: true, top_p: 0.97", {"top_p": 0.97}, []),
    (SONNET, "thinking: true, top_k: 5", {"top_k": None}, unsent("anthropic", "top_k")),
    (SONNET_4_5, 'prefill: "So "', {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "So"}]}, []),  # noqa: E501
    (HAIKU_3, "max_tokens: 100000", {"max_tokens": 4096}, ["max_tokens is 4096, the limit of the model"]),
    (HAIKU_3, "", {"max_tokens": 4096}, []),
    ("claude-nothing-9", "", {"max_tokens": 16384}, []),
    (SONNET, "cache: true", {"messages": [{"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]}]}, []),  # noqa: E501
    (SONNET, "vision: true, pdf: true", {"vision": None, "pdf": None}, []),
    (SONNET, 'anthropic: {metadata: {user_id: "u"}}', {"metadata": {"user_id": "u"}}, []),
    (SONNET, 'openai: {metadata: {user_id: "u"}}', {"metadata": None}, []),
    (SONNET, "json_schema: SCHEMA", {"output_config.format": {"type": "json_schema", "schema": CLOSED}, "tools": None}, []),  # noqa: E501
    (SONNET_4_5, "json_schema: SCHEMA", {"output_config.format.schema": CLOSED}, []),
    (OPUS_4_5, "output_schema: SCHEMA", {"output_config": None, "tools": None}, []),
    (
        OPUS_4_6,
        'json_schema: SCHEMA, thinking: "low"',
        {"output_config": {"effort": "low", "format": {"type": "json_schema", "schema": CLOSED}}},
        [],
    ),
    (HAIKU_3_5, "json_schema: SCHEMA", {"output_config": None, "tool_choice.name": "structured_answer"}, []),
    (
        "claude-sonnet-4-0",
        "json_schema: SCHEMA, thinking: true",
        {"tool_choice": {"type": "auto"}},
        ["tool_choice is auto: a model that thinks cannot be required to call a tool"],
    ),
    (SONNET, 'response_format: "json"', {"output_config": None, "system": "Answer with one JSON object and nothing else: no prose, no Markdown fences."}, []),  # noqa: E501
]  # fmt: skip
GEMINI = [
    (PRO, "", {"generationConfig": {"maxOutputTokens": 16384}, "systemInstruction": None, "tools": None}, []),
    (
        PRO,
        'temperature: 0.3, top_p: 0.5, top_k: 3, seed: 4, stop: ["X"], presence_penalty: 0.1, frequency_penalty: 0.2',
        {
            "generationConfig": {
                "maxOutputTokens": 16384,
                "temperature": 0.3,
                "topP": 0.5,
                "topK": 3,
                "stopSequences": ["X"],
                "seed": 4,
                "presencePenalty": 0.1,
                "frequencyPenalty": 0.2,
            }
        },
        [],
    ),
    (
        PRO,
        'stop: ["1", "2", "3", "4", "5", "6"]',
        {"generationConfig.stopSequences": ["1", "2", "3", "4", "5"]},
        ["only 5 texts of option 'stop' are sent to gemini"],
    ),
    (PRO, "thinking: true", {"generationConfig.thinkingConfig": {"includeThoughts": True, "thinkingBudget": -1}}, []),
    (PRO, 'thinking: "low"', {"generationConfig.thinkingConfig.thinkingBudget": 1024}, []),
    (PRO, "thinking: {budget_tokens: 99}", {"generationConfig.thinkingConfig.thinkingBudget": 99}, []),
    (PRO_3, 'thinking: "low"', {"generationConfig.thinkingConfig.thinkingLevel": "low"}, []),
    (PRO_3, 'reasoning_effort: "xhigh"', {"generationConfig.thinkingConfig.thinkingLevel": "high"}, []),
    (PRO_3, 'reasoning_effort: "minimal"', {"generationConfig.thinkingConfig.thinkingLevel": "low"}, []),
    (PRO, "json_schema: SCHEMA", {"generationConfig.responseSchema": OPEN, "generationConfig.responseMimeType": "application/json"}, []),  # noqa: E501
    (PRO, 'response_format: "json"', {"generationConfig.responseMimeType": "application/json"}, []),
    (FLASH, "max_tokens: 100000", {"generationConfig.maxOutputTokens": 8192}, ["max_tokens is 8192, the limit of the model"]),  # noqa: E501
    (PRO, "gemini: {safetySettings: []}", {"safetySettings": []}, []),
]  # fmt: skip
OLLAMA = [
    (LLAMA, "", {"options": {"num_ctx": 131072, "num_predict": 16384}, "stream": True, "think": None, "format": None}, []),  # noqa: E501
    (LLAMA, "stream: false", {"stream": False}, []),
    (
        LLAMA,
        'temperature: 0.3, top_p: 0.5, top_k: 3, seed: 4, stop: ["X"], presence_penalty: 0.1, frequency_penalty: 0.2',
        {
            "options.temperature": 0.3,
            "options.top_p": 0.5,
            "options.top_k": 3,
            "options.seed": 4,
            "options.stop": ["X"],
            "options.presence_penalty": 0.1,
            "options.frequency_penalty": 0.2,
        },
        [],
    ),
    (QWEN, "thinking: true", {"think": True}, []),
    (QWEN, 'thinking: {mode: "disabled"}', {"think": None}, []),
    (
        QWEN,
        "thinking: {budget_tokens: 5}",
        {"think": True},
        ["thinking.budget_tokens is not sent to ollama"],
    ),
    ("gpt-oss", 'reasoning_effort: "low"', {"think": "low"}, []),
    ("gpt-oss", 'reasoning_effort: "xhigh"', {"think": "high"}, []),
    (LLAMA, "json_schema: SCHEMA", {"format": OPEN}, []),
    (LLAMA, 'response_format: "json"', {"format": "json"}, []),
    (LLAMA, 'ollama: {keep_alive: "5m", num_ctx: 4096}', {"keep_alive": "5m", "options.num_ctx": 4096}, []),
    (LLAMA, "ollama: {nonsense: 1}", {"nonsense": None}, unsent("ollama", "nonsense")),
]  # fmt: skip
SENT = [(name, *row) for name, table in (("anthropic", ANTHROPIC), ("gemini", GEMINI), ("ollama", OLLAMA)) for row in table]  # noqa: E501 # fmt: skip


def field(body, path):
    for name in path.split("."):
        if body is None:
            return None
        body = body.get(name)
    return body


@pytest.mark.parametrize(
    ("name", "model", "options", "fields", "notes"), SENT, ids=[f"{row[1]} {row[2]}"[:70] for row in SENT]
)
def test_options(vendors, name, model, options, fields, notes):
    ran = vendors[name].call("schema_retries: 0, " + options.replace("SCHEMA", SCHEMA), "ok", model=model)
    assert ran.refusals == []
    assert {path: field(ran.body, path) for path in fields} == fields
    assert ran.value["text"] == "ok"
    assert ran.notes == "\n".join(f"[harn] warning: {note}" for note in notes)


REFUSED = [
    ("anthropic", HAIKU_3_5, "thinking: true", "thinking"),
    ("anthropic", HAIKU_3_5, 'reasoning_effort: "low"', "reasoning_effort"),
    ("anthropic", HAIKU_3_5, "interleaved_thinking: true", "interleaved_thinking"),
    ("anthropic", SONNET, "audio: true", "audio"),
    ("gemini", FLASH, "thinking: true", "thinking"),
    ("gemini", PRO, 'reasoning_effort: "low"', "reasoning_effort"),
    ("gemini", PRO, "cache: true", "cache"),
    ("gemini", PRO, "interleaved_thinking: true", "interleaved_thinking"),
    ("ollama", LLAMA, "thinking: true", "thinking"),
    ("ollama", LLAMA, "cache: true", "cache"),
    ("ollama", LLAMA, "vision: true", "vision"),
    ("ollama", LLAMA, "pdf: true", "pdf"),
    ("ollama", GEMMA, 'tools: tool_define(tool_registry(), "f", "", {handler: { a -> 1 }}), tool_format: "native"', "tools"),  # noqa: E501
    ("ollama", GEMMA, 'tool_choice: "auto"', "tool_choice"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "model", "options", "refused"), REFUSED)
def test_gates(vendors, name, model, options, refused):
    ran = vendors[name].call(options, model=model)
    assert ran.value["message"] == f"option `{refused}` is not supported by `{model}` (provider `{name}`)."
    assert ran.requests == []


PREFILLS = [(SONNET, "", "is not supported"), (SONNET_4_5, ", thinking: true", "cannot be combined with `thinking`")]


@pytest.mark.parametrize(("model", "more", "shown"), PREFILLS)
def test_a_prefill_that_anthropic_would_refuse(vendors, model, more, shown):
    ran = vendors["anthropic"].call(f'prefill: "So"{more}', model=model)
    assert (ran.value["reason"], ran.requests) == ("invalid_request", [])
    assert f"option `prefill` {shown}" in ran.value["message"]


@pytest.mark.parametrize("name", ["anthropic", "gemini", "ollama"])
def test_a_note_is_written_once(vendors, name):
    option = {"anthropic": "seed: 1", "gemini": 'stop: ["1", "2", "3", "4", "5", "6"]', "ollama": "ollama: {x: 1}"}[
        name
    ]
    program = f'for i in 0 to 2 {{ llm_call("q", nil, {{provider: PROVIDER, model: MODEL, {option}}}) }}'
    assert vendors[name].run(program, default="ok").notes.count("[harn] warning") == 1


BETAS = [
    ('anthropic_beta_features: "a,b"', "a,b"),
    ('anthropic_beta_features: ["a", "b", "a"]', "a,b"),
    ("interleaved_thinking: true, thinking: true", "interleaved-thinking-2025-05-14"),
    ('interleaved_thinking: true, anthropic_beta_features: "x"', "x,interleaved-thinking-2025-05-14"),
    ("", None),
]


@pytest.mark.parametrize(("options", "header"), BETAS)
def test_beta_features_of_anthropic(vendors, options, header):
    [request] = vendors["anthropic"].call(options, model=SONNET_4_5).requests
    assert request.header("anthropic-beta") == header


CHOICES = [
    ('"auto"', {"type": "auto"}, {"mode": "AUTO"}),
    ('"none"', {"type": "none"}, {"mode": "NONE"}),
    ('"required"', {"type": "any"}, {"mode": "ANY"}),
    ('{type: "any"}', {"type": "any"}, {"mode": "ANY"}),
    ('{name: "f"}', {"type": "tool", "name": "f"}, {"mode": "ANY", "allowedFunctionNames": ["f"]}),
    ('{type: "function", function: {name: "f"}}', {"type": "tool", "name": "f"}, {"mode": "ANY", "allowedFunctionNames": ["f"]}),  # noqa: E501
]  # fmt: skip


@pytest.mark.parametrize(("choice", "anthropic", "gemini"), CHOICES, ids=ids(CHOICES))
def test_tool_choice(vendors, choice, anthropic, gemini):
    options = f'tools: tool_define(tool_registry(), "f", "", {{handler: {{ a -> 1 }}}}), tool_choice: {choice}'
    assert vendors["anthropic"].call(options).body["tool_choice"] == anthropic
    assert vendors["gemini"].call(options).body["toolConfig"] == {"functionCallingConfig": gemini}
    ran = vendors["ollama"].call(options)
    assert ("tools" in ran.body) == ("none" not in choice)
    assert "tool_choice" not in ran.body
    assert ("tool_choice is not sent to ollama" in ran.notes) == (choice not in ('"auto"', '"none"'))


@pytest.mark.parametrize("name", ["anthropic", "gemini", "ollama"])
def test_a_large_prompt(vendors, name):
    ran = vendors[name].call("", prompt='"x\u00e9".repeat(350000)')
    assert ran.value["text"] == "ok"
    assert text_of(ran.body).count("x\u00e9") == 350000


@pytest.mark.parametrize("name", ["anthropic", "gemini", "ollama"])
@pytest.mark.parametrize("text", ["\u2603 \U0001f600 \u200f", "a\x00b", "\x7f\x1b[31m", "\ufeffx"])
def test_unusual_characters(vendors, name, text):
    ran = vendors[name].call("", text, prompt=f'"{text}"')
    assert ran.value["text"] == text
