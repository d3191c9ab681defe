"""Requests of Chat Completions: messages, tools, options and structured answers."""

import pytest

from harnlite.llm.errors import classify
from harnlite.values.errors import ScriptError

from .openai_requests import CALLS, HI, OSLO, REASONING, ROME, WEATHER, body, messages, wire

SYSTEM = {"role": "system", "content": "Be brief."}
REMINDER = {"role": "developer", "content": "System reminder:\nTests first."}


def test_the_whole_request_of_a_streamed_call():
    sent = wire(
        "openai",
        "gpt-4o",
        {**HI, "name": "ann"},
        system="Be brief.",
        tools=[WEATHER],
        tool_choice="auto",
        options={"max_tokens": 100, "temperature": 0.5, "top_p": 0.9, "seed": 7, "stop": ["END"], "timeout": 120},
        stream=True,
    )
    assert sent.url == "https://host/v1/chat/completions"
    assert sent.notes == ()
    assert sent.body == {
        "model": "gpt-4o",
        "messages": [SYSTEM, {**HI, "name": "ann"}],
        "max_tokens": 100,
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
        "stop": ["END"],
        "tools": [WEATHER],
        "tool_choice": "auto",
        "stream": True,
        "stream_options": {"include_usage": True},
    }


# System text and reminders


@pytest.mark.parametrize(
    ("provider", "model", "role"),
    [
        ("openai", "gpt-4o", "system"),
        ("openai", "o1", "developer"),
        ("openai", "o3-mini", "developer"),
        ("openai", "gpt-5-mini", "developer"),
        ("azure_openai", "o3", "developer"),
        ("openrouter", "openai/o3", "developer"),
        ("groq", "openai/gpt-oss-120b", "system"),
        ("unknown", "o3", "system"),
    ],
)
def test_role_of_the_system_text(provider, model, role):
    assert messages(provider, model, system="Be brief.")[0] == {"role": role, "content": "Be brief."}


def test_reasoning_models_get_no_system_message_of_a_transcript_either():
    assert messages("openai", "o1", SYSTEM, HI)[0]["role"] == "developer"


def test_developer_reminders_come_before_the_messages():
    assert messages("openai", "o3", REMINDER, HI, system="Be brief.") == [
        {"role": "developer", "content": "Be brief."},
        REMINDER,
        HI,
    ]


def test_a_route_that_prefers_developer_messages_gets_them_on_every_host():
    assert messages("together", "x", REMINDER, HI, flags={"prefers_role_developer": True}) == [REMINDER, HI]
    assert messages("together", "x", REMINDER, HI)[0]["role"] == "system"


def test_servers_with_one_system_message_get_all_of_them_in_it():
    later = {"role": "system", "content": "Now in French."}
    assert messages("local", "qwen", HI, later, system="Be brief.") == [
        {"role": "system", "content": "Be brief.\n\nNow in French."},
        HI,
    ]


def test_models_without_system_text_get_it_in_the_first_user_message_after_reminders():
    block = {"type": "text", "text": "<system-reminder>\nTests first.\n</system-reminder>"}
    first = {"role": "user", "content": [block, {"type": "text", "text": "Hi"}]}
    found = messages("openai", "gpt-4o", first, system="Be brief.", flags={"accepts_system": False})
    texts = [part["text"] for part in found[0]["content"]]
    assert texts == [block["text"], "Be brief.", "Hi"]
    plain = messages("unknown", "x", first, system="Be brief.", flags={"accepts_system": False})
    assert plain == [{"role": "user", "content": "\n\n".join(texts)}]


# Tool calls and results


def test_results_follow_their_calls_in_order():
    assert messages("openai", "gpt-4o", HI, CALLS, OSLO, {"role": "user", "content": "Go on."}, ROME) == [
        HI,
        {**CALLS, "content": None},
        {"role": "tool", "tool_call_id": "call_a", "content": "sun"},
        {"role": "tool", "tool_call_id": "call_b", "content": "rain"},
        {"role": "user", "content": "Go on."},
    ]


def test_the_transcript_of_an_anthropic_route_is_converted():
    asked = {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Rome"}},
        ],
    }
    answered = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "sun"}]}
    assert messages("openai", "gpt-4o", HI, asked, answered) == [
        HI,
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {
                    "id": "toolu_1",
                    "type": "function",
                    "function": {"name": "weather", "arguments": '{"city":"Rome"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "toolu_1", "content": "sun"},
    ]


def test_missing_results_are_added_and_results_without_a_call_become_text():
    lost = {"role": "tool", "name": "search", "tool_call_id": "gone", "content": "found"}
    found = messages("openai", "gpt-4o", HI, CALLS, ROME, lost)
    assert found[3]["content"] == "(no result: the call was not completed)"
    assert found[4] == {"role": "user", "content": "[result of search]\nfound"}


def test_repeated_ids_are_made_unique():
    found = messages("openai", "gpt-4o", HI, CALLS, ROME, OSLO, CALLS, ROME, OSLO)
    ids = [call["id"] for message in found for call in message.get("tool_calls", ())]
    assert ids == ["call_a", "call_b", "call_a_2", "call_b_2"]
    assert [message["tool_call_id"] for message in found if message["role"] == "tool"] == ids


def test_ids_that_are_too_long_are_replaced():
    long = "x" * 60
    calls = {"role": "assistant", "content": [{"type": "tool_use", "id": long, "name": "weather", "input": {}}]}
    result = {"role": "tool", "tool_call_id": long, "content": "sun"}
    found = messages("openai", "gpt-4o", HI, calls, result)
    new = found[1]["tool_calls"][0]["id"]
    assert len(new) <= 40
    assert found[2]["tool_call_id"] == new
    assert found == messages("openai", "gpt-4o", HI, calls, result)


def test_images_in_results_follow_in_a_user_message():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    result = {**ROME, "content": [{"type": "text", "text": "A map."}, image]}
    assert messages("openai", "gpt-4o", HI, CALLS, result, OSLO)[2:] == [
        {"role": "tool", "tool_call_id": "call_a", "content": "A map."},
        {"role": "tool", "tool_call_id": "call_b", "content": "rain"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "The content of the result of weather:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            ],
        },
    ]


def test_tools_have_the_fields_of_the_vendor_only():
    ours = {**WEATHER, "defer_loading": True, "namespace": "n"}
    ours["function"] = {**WEATHER["function"], "x-harn-output-schema": {"type": "string"}}
    search = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
    flat = {"name": "f", "description": "", "input_schema": {"type": "object"}}
    sent = wire("openai", "gpt-4o", tools=[ours, search, flat])
    assert sent.body["tools"] == [
        WEATHER,
        {"type": "function", "function": {"name": "f", "description": "", "parameters": {"type": "object"}}},
    ]
    assert sent.notes == (
        "'defer_loading' of tools is not sent to openai",
        "tool 'tool_search_tool_bm25' is not sent to openai, which does not have it",
    )


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        ("any", "required"),
        ("weather", {"type": "function", "function": {"name": "weather"}}),
        ({"name": "weather"}, {"type": "function", "function": {"name": "weather"}}),
        ({"type": "function", "function": {"name": "weather"}}, {"type": "function", "function": {"name": "weather"}}),
        ({"type": "tool", "name": "weather"}, {"type": "function", "function": {"name": "weather"}}),
        ({"type": "any"}, "required"),
    ],
)
def test_tool_choice(given, sent):
    assert body("openai", "gpt-4o", tools=[WEATHER], tool_choice=given)["tool_choice"] == sent


def test_tool_choice_without_tools_is_noted():
    sent = wire("openai", "gpt-4o", tool_choice="required")
    assert "tool_choice" not in sent.body
    assert sent.notes == ("option 'tool_choice' is not sent to openai: the request offers no tools",)


# Media

IMAGE_URL = {"type": "image_url", "image_url": {"url": "https://x/a.png"}}
AUDIO = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
PDF = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}}


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        (IMAGE_URL, IMAGE_URL),
        ({"type": "image", "source": {"type": "url", "url": "https://x/a.png"}}, IMAGE_URL),
        (AUDIO, AUDIO),
        (PDF, {"type": "file", "file": {"filename": "document.pdf", "file_data": "data:application/pdf;base64,AAAA"}}),
    ],
)
def test_media(given, sent):
    message = {"role": "user", "content": [{"type": "text", "text": "See:"}, given]}
    content = messages("openai", "gpt-4o", message)[0]["content"]
    assert content == [{"type": "text", "text": "See:"}, sent]


@pytest.mark.parametrize(
    ("provider", "block"), [("deepseek", IMAGE_URL), ("groq", AUDIO), ("groq", PDF), ("unknown", IMAGE_URL)]
)
def test_media_that_the_host_does_not_take_are_an_error(provider, block):
    with pytest.raises(ScriptError, match=f"{provider} does not accept") as error:
        wire(provider, "x", {"role": "user", "content": [block]})
    assert classify(str(error.value), "generic") == ("terminal", "invalid_request")


# Options


def test_reasoning_models_get_no_sampling_options():
    options = {
        "max_tokens": 50,
        "temperature": 1.0,
        "top_p": 1.0,
        "frequency_penalty": 0.1,
        "presence_penalty": 0.1,
        "stop": ["a"],
        "logprobs": True,
        "seed": 1,
    }
    for flags in (None, REASONING):
        sent = wire("openai", "o3", options=options, flags=flags)
        assert sent.body == {"model": "o3", "messages": [HI], "max_completion_tokens": 50, "seed": 1}
        assert len(sent.notes) == 6
        assert "option 'temperature' is not sent to openai: o3 does not accept it" in sent.notes


def test_chat_models_of_gpt_5_keep_their_sampling_options():
    flags = {"requires_completion_tokens": True, "accepts_temperature": True}
    sent = body("openai", "gpt-5-chat-latest", options={"temperature": 0.2, "max_tokens": 9}, flags=flags)
    assert sent == {
        "model": "gpt-5-chat-latest",
        "messages": [HI],
        "max_completion_tokens": 9,
        "temperature": 0.2,
    }


@pytest.mark.parametrize(
    ("model", "given", "sent"),
    [
        ("o3", "minimal", "low"),
        ("o3", "xhigh", "high"),
        ("gpt-5", "minimal", "minimal"),
        ("gpt-5", "none", "minimal"),
        ("gpt-5.1", "minimal", "none"),
        ("gpt-5.1", "none", "none"),
        ("gpt-5.2", "xhigh", "xhigh"),
        ("gpt-6", "high", "high"),
    ],
)
def test_effort_is_the_nearest_that_the_model_has(model, given, sent):
    assert body("openai", model, options={"reasoning_effort": given})["reasoning_effort"] == sent


@pytest.mark.parametrize(
    ("thinking", "sent"),
    [
        ({"mode": "enabled", "budget_tokens": None}, "medium"),
        ({"mode": "adaptive"}, "medium"),
        ({"mode": "enabled", "budget_tokens": 1024}, "low"),
        ({"mode": "enabled", "budget_tokens": 50_000}, "high"),
        ({"mode": "effort", "level": "high"}, "high"),
    ],
)
def test_thinking_is_sent_as_an_effort(thinking, sent):
    assert body("openai", "o3", options={"thinking": thinking})["reasoning_effort"] == sent


def test_models_that_do_not_reason_get_no_effort():
    sent = wire("openai", "gpt-4o", options={"reasoning_effort": "low"})
    assert "reasoning_effort" not in sent.body
    assert sent.notes == ("option 'reasoning_effort' is not sent to openai: gpt-4o does not accept it",)


def test_limits_of_the_model_and_the_api():
    from .openai_requests import host_of

    sent = wire(
        "openai",
        "gpt-4o",
        options={"max_tokens": 16_384, "stop": list("abcdef"), "top_k": 5},
        host=host_of("openai", max_output=4096),
    )
    assert sent.body["max_tokens"] == 4096
    assert sent.body["stop"] == list("abcd")
    assert sent.notes == (
        "option 'max_tokens' is sent as 4096, the most that gpt-4o accepts",
        "option 'top_k' is not sent to openai",
        "only the first 4 values of option 'stop' are sent to openai",
    )


@pytest.mark.parametrize(
    ("given", "sent"),
    [(True, {"logprobs": True}), (3, {"logprobs": True, "top_logprobs": 3}), (False, {})],
)
def test_log_probabilities(given, sent):
    found = body("openai", "gpt-4o", options={"logprobs": given})
    assert {name: value for name, value in found.items() if "logprobs" in name} == sent


def test_fields_for_the_provider_are_merged_into_the_body():
    sent = wire(
        "openai",
        "gpt-4o",
        options={
            "temperature": 0.1,
            "service_tier": "flex",
            "metadata": {"a": "b"},
            "parallel_tool_calls": False,
            "model": "other",
            "messages": [],
            "timeout": 3,
            "cache": True,
            "_private": 1,
            "x-harn-thing": 1,
            "interleaved_thinking": True,
            "previous_response_id": "resp_1",
            "stream_options": {},
        },
    )
    assert sent.body == {
        "model": "gpt-4o",
        "messages": [HI],
        "temperature": 0.1,
        "service_tier": "flex",
        "metadata": {"a": "b"},
        "parallel_tool_calls": False,
    }
    assert set(sent.notes) == {
        "option 'interleaved_thinking' is not sent to openai",
        "option 'previous_response_id' is not sent to openai",
    }


# Structured answers

OPEN = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]}
CLOSED = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def structured(schema, *, strict=True):
    return {"output_format": {"kind": "json_schema", "schema": schema, "strict": strict}}


def test_a_strict_schema_is_closed():
    assert body("openai", "gpt-4o", options=structured(CLOSED))["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": {**CLOSED, "additionalProperties": False}},
    }


def test_a_schema_with_an_optional_key_goes_without_strict():
    sent = wire("openai", "gpt-4o", options=structured(OPEN))
    assert sent.body["response_format"] == {"type": "json_schema", "json_schema": {"name": "answer", "schema": OPEN}}
    assert sent.notes == ("the schema of the answer is sent without 'strict': it is not closed or has optional keys",)


def test_a_call_may_turn_strict_off():
    sent = wire("openai", "gpt-4o", options=structured(CLOSED, strict=False))
    assert sent.body["response_format"]["json_schema"] == {"name": "answer", "schema": CLOSED}
    assert sent.notes == ()


@pytest.mark.parametrize(
    ("prompt", "system", "sent"),
    [
        ("Hi", None, "Answer only with JSON."),
        ("Hi", "Be brief.", "Be brief.\n\nAnswer only with JSON."),
        ("Hi", "Speak json.", "Speak json."),
        ("As JSON, please", "Be brief.", "Be brief."),
    ],
)
def test_the_word_json_is_in_a_message(prompt, system, sent):
    options = {"output_format": {"kind": "json_object"}}
    found = body("openai", "gpt-4o", {"role": "user", "content": prompt}, system=system, options=options)
    assert found["response_format"] == {"type": "json_object"}
    assert found["messages"][0] == {"role": "system", "content": sent}


def test_hosts_without_schemas_get_the_schema_as_text():
    for provider, flags in (("deepseek", None), ("groq", {"structured_output": "json_object"})):
        sent = wire(provider, "x", options=structured(CLOSED), flags=flags)
        assert sent.body["response_format"] == {"type": "json_object"}
        assert sent.body["messages"][0]["content"] == (
            "Answer only with JSON that matches this JSON Schema:\n"
            '{"properties":{"a":{"type":"integer"}},"required":["a"],"type":"object"}'
        )
        assert sent.notes == (f"the schema of the answer is sent to {provider} as text",)


def test_a_schema_that_is_not_an_object_is_sent_as_text():
    sent = wire("openai", "gpt-4o", options=structured({"type": "array", "items": {"type": "string"}}))
    assert "response_format" not in sent.body
    assert sent.body["messages"][0]["content"].endswith('{"items":{"type":"string"},"type":"array"}')


def test_the_forms_of_scripts_become_json_schema():
    schema = {"type": "dict", "properties": {"n": {"type": "int", "min": 1}}, "required": ["n"]}
    sent = body("openai", "gpt-4o", options=structured(schema))["response_format"]["json_schema"]
    assert sent["schema"] == {
        "additionalProperties": False,
        "properties": {"n": {"minimum": 1.0, "type": "integer"}},
        "required": ["n"],
        "type": "object",
    }
