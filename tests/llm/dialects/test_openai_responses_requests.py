"""Requests of the Responses API."""

import pytest

from harnlite.values.errors import ScriptError

from .openai_requests import CALLS, HI, OSLO, REASONING, ROME, WEATHER
from .openai_requests import wire as wire_of


def wire(model, *messages, options=None, **more):
    return wire_of("openai", model, *messages, options={"api_mode": "responses", **(options or {})}, **more)


def body(*given, **more):
    return wire(*given, **more).body


def test_the_whole_request_of_a_streamed_call():
    sent = wire(
        "o3",
        {"role": "developer", "content": "System reminder:\nTests first."},
        HI,
        system="Be brief.",
        tools=[WEATHER],
        tool_choice={"name": "weather"},
        options={"max_tokens": 100, "thinking": {"mode": "effort", "level": "high"}},
        stream=True,
        flags=REASONING,
    )
    assert sent.url == "https://host/v1/responses"
    assert sent.notes == ()
    assert sent.body == {
        "model": "o3",
        "instructions": "Be brief.",
        "input": [{"role": "developer", "content": "System reminder:\nTests first."}, HI],
        "max_output_tokens": 100,
        "reasoning": {"effort": "high", "summary": "auto"},
        "tools": [{"type": "function", **WEATHER["function"], "strict": False}],
        "tool_choice": {"type": "function", "name": "weather"},
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }


def test_calls_and_results_are_items():
    assert body("gpt-4o", HI, CALLS, OSLO, ROME)["input"] == [
        HI,
        {"type": "function_call", "call_id": "call_a", "name": "weather", "arguments": '{"city":"Rome"}'},
        {"type": "function_call", "call_id": "call_b", "name": "weather", "arguments": '{"city":"Oslo"}'},
        {"type": "function_call_output", "call_id": "call_a", "output": "sun"},
        {"type": "function_call_output", "call_id": "call_b", "output": "rain"},
    ]


ITEM = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"}


def reasoned(item=ITEM, provider="openai"):
    block = {"type": "reasoning", "provider": provider, "native": item, "visibility": "private"}
    call = {"type": "tool_call", "id": "call_a", "name": "weather", "arguments": {}, "visibility": "internal"}
    return {"role": "assistant", "content": [block, call], "reasoning": "Hm."}


def test_reasoning_goes_back_before_the_call_it_led_to():
    items = body("o3", HI, reasoned(), ROME)["input"]
    assert items[1] == ITEM
    assert items[2]["type"] == "function_call"


@pytest.mark.parametrize(
    "message",
    [
        reasoned(provider="azure_openai"),
        reasoned({"type": "reasoning", "id": "rs_1", "summary": []}),
        reasoned({"reasoning_content": "Hm."}),
        {"role": "assistant", "content": reasoned()["content"][:1]},
    ],
)
def test_reasoning_that_the_server_cannot_read_stays_here(message):
    assert "rs_1" not in str(body("o3", HI, message)["input"])


def test_stored_reasoning_goes_back_by_its_id():
    item = {"type": "reasoning", "id": "rs_1", "summary": []}
    sent = body("o3", HI, reasoned(item), ROME, options={"store": True})
    assert sent["input"][1] == item
    assert "store" not in sent
    assert "include" not in sent


def test_a_stored_response_is_continued_with_the_news_only():
    reminder = {"role": "developer", "content": "System reminder:\nTests first."}
    options = {"previous_response_id": "resp_1"}
    sent = body("o3", reminder, HI, CALLS, ROME, OSLO, {"role": "user", "content": "Go on."}, options=options)
    assert [item.get("role", item.get("type")) for item in sent["input"]] == [
        "developer",
        "function_call_output",
        "function_call_output",
        "user",
    ]
    assert sent["previous_response_id"] == "resp_1"
    assert "store" not in sent


def test_media():
    content = [
        {"type": "text", "text": "See:"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
        {"type": "document", "source": {"type": "url", "url": "https://x/a.pdf"}},
    ]
    parts = [
        {"type": "input_text", "text": "See:"},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        {"type": "input_file", "filename": "document.pdf", "file_data": "data:application/pdf;base64,AAAA"},
        {"type": "input_file", "file_url": "https://x/a.pdf"},
    ]
    assert body("gpt-4o", {"role": "user", "content": content})["input"] == [{"role": "user", "content": parts}]
    output = body("gpt-4o", HI, CALLS, {**ROME, "content": content}, OSLO)["input"][3]
    assert output == {"type": "function_call_output", "call_id": "call_a", "output": parts}
    audio = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
    with pytest.raises(ScriptError, match="openai does not accept audio content in the Responses API"):
        wire("gpt-4o", {"role": "user", "content": [audio]})


def test_options():
    options = {
        "max_tokens": 5,
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 3,
        "seed": 1,
        "stop": ["a"],
        "frequency_penalty": 0.1,
        "logprobs": 2,
        "truncation": "auto",
        "include": ["web_search_call.results"],
        "provider_tools": [{"type": "web_search"}],
        "text": {"verbosity": "low"},
    }
    sent = wire("gpt-4o", options=options)
    assert sent.body == {
        "model": "gpt-4o",
        "input": [HI],
        "max_output_tokens": 16,
        "temperature": 0.5,
        "top_p": 0.9,
        "tools": [{"type": "web_search"}],
        "store": False,
        "top_logprobs": 2,
        "include": ["web_search_call.results", "message.output_text.logprobs"],
        "truncation": "auto",
        "text": {"verbosity": "low"},
    }
    assert sent.notes == (
        "option 'max_tokens' is sent as 16, the least that openai accepts",
        "option 'top_k' is not sent to openai",
        "option 'frequency_penalty' is not sent to openai",
        "option 'seed' is not sent to openai",
        "option 'stop' is not sent to openai",
    )


def test_reasoning_models_get_no_temperature():
    assert set(body("gpt-5", options={"temperature": 1.0})) == {"model", "input", "store", "include"}


def test_an_effort_alone_asks_for_no_summary():
    options = {"reasoning_effort": "low", "thinking": {"mode": "effort", "level": "low"}}
    assert body("o3", options=options)["reasoning"] == {"effort": "low"}
    merged = body("o3", options={**options, "reasoning": {"summary": "detailed"}})["reasoning"]
    assert merged == {"effort": "low", "summary": "detailed"}
    assert "reasoning" not in body("gpt-4o", options=options)


def test_background_needs_a_stream():
    sent = wire("o3", options={"background": True}, stream=True)
    assert sent.body["background"] is True
    assert "store" not in sent.body
    waiting = wire("o3", options={"background": True})
    assert "background" not in waiting.body
    assert len(waiting.notes) == 1


def test_structured_answers():
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    options = {"output_format": {"kind": "json_schema", "schema": schema, "strict": True}}
    assert body("gpt-4o", options=options)["text"] == {
        "format": {
            "type": "json_schema",
            "name": "answer",
            "strict": True,
            "schema": {**schema, "additionalProperties": False},
        }
    }


def test_the_word_json_is_in_the_input():
    options = {"output_format": {"kind": "json_object"}}
    sent = body("gpt-4o", system="Speak JSON.", options=options)
    assert sent["text"] == {"format": {"type": "json_object"}}
    assert sent["instructions"] == "Speak JSON."
    assert sent["input"] == [{"role": "developer", "content": "Answer only with JSON."}, HI]
    asked = {"role": "user", "content": "As JSON"}
    assert body("gpt-4o", asked, options=options)["input"] == [asked]


def test_models_without_system_text():
    sent = body("gpt-4o", system="Be brief.", flags={"accepts_system": False})
    assert "instructions" not in sent
    assert sent["input"][0]["content"] == [
        {"type": "input_text", "text": "Be brief."},
        {"type": "input_text", "text": "Hi"},
    ]
