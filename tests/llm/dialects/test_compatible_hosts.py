"""The quirks of compatible hosts, and the addresses of requests."""

import re

import pytest

from harnlite.llm.dialects.compatible_hosts import QUIRKS, quirks_of, with_version

from .openai_requests import CALLS, HI, OSLO, ROME, WEATHER, body, host_of, messages, wire

ALL_OPTIONS = {
    "max_tokens": 10,
    "temperature": 0.5,
    "top_p": 0.9,
    "top_k": 4,
    "seed": 7,
    "frequency_penalty": 0.1,
    "presence_penalty": 0.2,
    "stop": ["END"],
    "logprobs": 2,
}
COMMON = {"model", "messages", "stream", "temperature", "top_p", "stop", "tools", "tool_choice"}


@pytest.mark.parametrize(
    ("provider", "more"),
    [
        ("unknown", "max_tokens"),
        ("openai", "max_tokens seed frequency_penalty presence_penalty logprobs top_logprobs stream_options"),
        ("azure_openai", "max_tokens seed frequency_penalty presence_penalty logprobs top_logprobs stream_options"),
        (
            "openrouter",
            "max_tokens top_k seed frequency_penalty presence_penalty logprobs top_logprobs stream_options",
        ),
        ("groq", "max_completion_tokens seed stream_options"),
        (
            "together",
            "max_tokens top_k seed frequency_penalty presence_penalty logprobs top_logprobs stream_options",
        ),
        ("deepseek", "max_tokens frequency_penalty presence_penalty logprobs top_logprobs stream_options"),
        (
            "fireworks",
            "max_tokens top_k seed frequency_penalty presence_penalty logprobs top_logprobs stream_options",
        ),
        ("mistral", "max_tokens random_seed frequency_penalty presence_penalty"),
        ("xai", "max_tokens seed frequency_penalty presence_penalty logprobs top_logprobs stream_options"),
        ("cerebras", "max_completion_tokens seed logprobs top_logprobs stream_options"),
        ("dashscope", "max_tokens top_k seed logprobs top_logprobs stream_options"),
        ("huggingface", "max_tokens seed frequency_penalty presence_penalty logprobs top_logprobs stream_options"),
        ("local", "max_tokens top_k seed frequency_penalty presence_penalty logprobs top_logprobs stream_options"),
    ],
)
def test_fields_of_each_host(provider, more):
    sent = wire(provider, "m", tools=[WEATHER], tool_choice="auto", options=ALL_OPTIONS, stream=True)
    assert set(sent.body) == COMMON | set(more.split())
    for option in ("top_k", "seed", "logprobs"):
        was_sent = option in sent.body or (option == "seed" and "random_seed" in sent.body)
        assert was_sent != (f"option '{option}' is not sent to {provider}" in sent.notes)


def test_hosts_without_a_row_have_the_smallest_common_set():
    assert quirks_of(host_of("unknown")) == frozenset()
    assert quirks_of(host_of("groq")) == QUIRKS["groq"]
    assert quirks_of(host_of("groq", quirks=frozenset({"seed"}))) == {"seed"}


@pytest.mark.parametrize("provider", sorted(QUIRKS))
def test_names_are_only_sent_to_hosts_that_take_them(provider):
    message = messages(provider, "m", {**HI, "name": "ann"})[0]
    refuse = {"groq", "mistral", "cerebras", "dashscope", "huggingface"}
    assert ("name" in message) == (provider not in refuse)
    assert "name" not in messages(provider, "m", HI, CALLS, ROME, OSLO)[2]


# Mistral


def test_mistral_gets_ids_of_nine_letters_and_digits():
    found = messages("mistral", "m", HI, CALLS, OSLO, ROME)
    ids = [call["id"] for call in found[1]["tool_calls"]]
    assert all(re.fullmatch("[a-zA-Z0-9]{9}", call_id) for call_id in ids)
    assert len(set(ids)) == 2
    assert [message["tool_call_id"] for message in found[2:]] == ids
    assert found == messages("mistral", "m", HI, CALLS, OSLO, ROME)


def test_mistral_keeps_ids_of_its_own():
    calls = {"role": "assistant", "content": [{"type": "tool_use", "id": "AbC123xyZ", "name": "f", "input": {}}]}
    assert messages("mistral", "m", HI, calls)[1]["tool_calls"][0]["id"] == "AbC123xyZ"


def test_mistral_gets_an_assistant_message_between_results_and_user():
    more = {"role": "user", "content": "Go on."}
    roles = [message["role"] for message in messages("mistral", "m", HI, CALLS, ROME, OSLO, more, system="Brief.")]
    assert roles == ["system", "user", "assistant", "tool", "tool", "assistant", "user"]


def test_mistral_gets_one_system_message_in_front():
    later = {"role": "system", "content": "In French."}
    assert messages("mistral", "m", HI, later, system="Brief.")[0]["content"] == "Brief.\n\nIn French."


def test_prefills():
    prefill = {"role": "assistant", "content": "{"}
    options = {"prefill": "{"}
    assert messages("mistral", "m", HI, prefill, options=options)[-1] == {**prefill, "prefix": True}
    sent = wire("openai", "gpt-4o", HI, prefill, options=options)
    assert sent.body["messages"][-1] == prefill
    assert sent.notes == ("the model of openai may not continue the text of option 'prefill'",)


# DeepSeek and OpenRouter: reasoning goes back


def test_deepseek_gets_reasoning_back_within_a_tool_turn_only():
    asked = {**CALLS, "reasoning": "Two cities."}
    answer = {"role": "assistant", "content": "Sun.", "reasoning": "Done."}
    found = messages("deepseek", "deepseek-reasoner", HI, asked, ROME, OSLO)
    assert found[1]["reasoning_content"] == "Two cities."
    later = messages("deepseek", "deepseek-reasoner", HI, asked, ROME, OSLO, answer, HI)
    assert not any("reasoning_content" in message for message in later)
    assert "reasoning_content" not in messages("openai", "gpt-4o", HI, asked, ROME, OSLO)[1]


def test_deepseek_gets_the_field_for_a_turn_of_another_model():
    assert messages("deepseek", "deepseek-reasoner", HI, CALLS, ROME, OSLO)[1]["reasoning_content"] == ""
    assert "reasoning_content" not in messages("deepseek", "deepseek-chat", HI, CALLS, ROME, OSLO)[1]


def test_openrouter_gets_its_reasoning_details_back():
    details = [{"type": "reasoning.encrypted", "data": "x", "index": 0}]
    block = {"type": "reasoning", "provider": "openrouter", "native": {"reasoning_details": details}}
    asked = {**CALLS, "content": [block]}
    assert messages("openrouter", "m", HI, asked, ROME, OSLO)[1]["reasoning_details"] == details
    assert "reasoning_details" not in messages("groq", "m", HI, asked, ROME, OSLO)[1]


@pytest.mark.parametrize(
    ("provider", "model", "options", "sent"),
    [
        ("openrouter", "m", {"thinking": {"mode": "effort", "level": "low"}}, {"reasoning": {"effort": "low"}}),
        ("openrouter", "m", {"thinking": {"mode": "enabled", "budget_tokens": 9}}, {"reasoning": {"max_tokens": 9}}),
        ("openrouter", "m", {"thinking": {"mode": "adaptive"}}, {"reasoning": {"enabled": True}}),
        ("openrouter", "m", {"reasoning_effort": "none"}, {"reasoning": {"effort": "none"}}),
        ("deepseek", "m", {"thinking": {"mode": "enabled"}}, {"thinking": {"type": "enabled"}}),
        ("deepseek", "m", {"reasoning_effort": "none"}, {"thinking": {"type": "disabled"}}),
        ("deepseek", "m", {"thinking": {"type": "enabled"}}, {"thinking": {"type": "enabled"}}),
        (
            "dashscope",
            "m",
            {"thinking": {"mode": "enabled", "budget_tokens": 99}},
            {"enable_thinking": True, "thinking_budget": 99},
        ),
        ("dashscope", "m", {"reasoning_effort": "none"}, {"enable_thinking": False}),
        ("mistral", "magistral-medium", {"thinking": {"mode": "enabled"}}, {"prompt_mode": "reasoning"}),
        ("mistral", "mistral-small", {"thinking": {"mode": "effort", "level": "low"}}, {"reasoning_effort": "high"}),
        ("groq", "openai/gpt-oss-120b", {"reasoning_effort": "minimal"}, {"reasoning_effort": "minimal"}),
        ("xai", "grok-3-mini", {"reasoning_effort": "low"}, {"reasoning_effort": "low"}),
        ("xai", "grok-4", {"reasoning_effort": "low"}, {}),
        ("local", "qwen3", {"thinking": {"mode": "enabled"}}, {"chat_template_kwargs": {"enable_thinking": True}}),
        ("local", "gpt-oss-20b", {"reasoning_effort": "low"}, {"reasoning_effort": "low"}),
        ("unknown", "m", {"thinking": {"mode": "enabled"}}, {}),
    ],
)
def test_thinking(provider, model, options, sent):
    found = wire(provider, model, options=options)
    assert {name: value for name, value in found.body.items() if name not in ("model", "messages")} == sent
    assert bool(found.notes) == (not sent)


def test_openrouter_passes_cache_marks_to_anthropic_models():
    mark = {"cache_control": {"type": "ephemeral"}}
    reminders = [{"type": "text", "text": f"r{number}", **mark} for number in range(4)]
    first = {"role": "user", "content": [*reminders, {"type": "text", "text": "Hi"}]}
    found = messages("openrouter", "anthropic/claude-sonnet-4.6", first, system="Brief.", options={"cache": True})
    assert found == [
        {"role": "system", "content": [{"type": "text", "text": "Brief.", **mark}]},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "r0"},
                {"type": "text", "text": "r1"},
                reminders[2],
                reminders[3],
                {"type": "text", "text": "Hi", **mark},
            ],
        },
    ]
    assert "cache_control" not in str(messages("openrouter", "openai/gpt-4o", first, options={"cache": True}))


def test_groq_has_no_json_mode_with_tools():
    options = {"output_format": {"kind": "json_object"}}
    sent = body("groq", "m", tools=[WEATHER], options=options)
    assert "response_format" not in sent
    assert sent["messages"][0]["content"] == "Answer only with JSON."
    assert body("groq", "m", options=options)["response_format"] == {"type": "json_object"}


def test_new_models_of_xai_take_neither_penalties_nor_stops():
    options = {"stop": ["a"], "presence_penalty": 0.1, "temperature": 0.1}
    assert set(body("xai", "grok-4", options=options)) == {"model", "messages", "temperature"}
    assert set(body("xai", "grok-3", options=options)) == {"model", "messages", *options}


def test_local_servers_enforce_schemas_for_every_model():
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    options = {"output_format": {"kind": "json_schema", "schema": schema, "strict": True}}
    sent = body("local", "m", options=options, flags={"structured_output": "json_object"})
    assert sent["response_format"]["type"] == "json_schema"


# Addresses

AZURE = "https://r.openai.azure.com"


@pytest.mark.parametrize(
    ("provider", "model", "base_url", "more", "url"),
    [
        ("openai", "gpt-4o", "https://h/v1/", {}, "https://h/v1/chat/completions"),
        ("openai", "gpt-4o", "https://h/v1?k=v", {}, "https://h/v1/chat/completions?k=v"),
        ("openai", "gpt-4o", "https://h", {"chat_endpoint": "/x/chat/completions"}, "https://h/x/chat/completions"),
        ("local", "m", "http://h:8000", {}, "http://h:8000/v1/chat/completions"),
        ("local", "m", "http://h:8000/v1", {}, "http://h:8000/v1/chat/completions"),
        (
            "local",
            "m",
            "http://h:8000",
            {"chat_endpoint": "/v1/chat/completions"},
            "http://h:8000/v1/chat/completions",
        ),
        ("openai", "gpt-4o", "https://h/v1", {"chat_endpoint": "/responses"}, "https://h/v1/responses"),
        (
            "azure_openai",
            "my model",
            f"{AZURE}/",
            {},
            f"{AZURE}/openai/deployments/my%20model/chat/completions?api-version=2024-10-21",
        ),
        (
            "azure_openai",
            "gpt-4o",
            f"{AZURE}?api-version=2025-01-01",
            {},
            f"{AZURE}/openai/deployments/gpt-4o/chat/completions?api-version=2025-01-01",
        ),
        ("azure_openai", "gpt-4o", f"{AZURE}/openai/v1/", {}, f"{AZURE}/openai/v1/chat/completions"),
        ("azure_openai", "o3-pro", f"{AZURE}/openai/v1", {}, f"{AZURE}/openai/v1/responses"),
        ("azure_openai", "o3-pro", AZURE, {}, f"{AZURE}/openai/responses?api-version=2025-04-01-preview"),
        ("openai", "o3-deep-research", "https://h/v1", {}, "https://h/v1/responses"),
    ],
)
def test_addresses(provider, model, base_url, more, url):
    options = {"api_mode": "responses"} if "/responses" in url else None
    assert wire(provider, model, host=host_of(provider, base_url=base_url, **more), options=options).url == url


@pytest.mark.parametrize(
    ("model", "mode", "path"),
    [("gpt-4o", "responses", "/responses"), ("o1-pro", "chat", "/chat/completions")],
)
def test_the_option_api_mode_decides(model, mode, path):
    sent = wire("openai", model, options={"api_mode": mode})
    assert sent.url.endswith(path)
    assert "api_mode" not in sent.body


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("http://h:1", "http://h:1/v1"),
        ("http://h:1/", "http://h:1/v1"),
        ("http://h/v1/", "http://h/v1"),
        ("http://h/api/v3", "http://h/api/v3"),
        ("http://h/vllm", "http://h/vllm/v1"),
    ],
)
def test_local_addresses_get_a_version(given, found):
    assert with_version(given) == found


def test_headers_of_the_host_are_sent():
    assert wire("openai", "gpt-4o", host=host_of("openai", headers={"authorization": "Bearer k"})).headers == {
        "authorization": "Bearer k"
    }
