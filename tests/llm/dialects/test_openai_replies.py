"""Replies of Chat Completions and Responses, whole and streamed."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnlite.llm.dialects.dialect import TEXT, THINKING, TOOL_CALL

from .openai_replies import (
    CALLED,
    END,
    THOUGHT,
    USAGE,
    chat,
    chunk,
    events_of,
    fields_of,
    read,
    response,
    said,
    streamed,
)

# Chat Completions


def test_a_whole_reply_with_calls():
    calls = [
        {"id": "call_a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
        {"id": "call_b", "type": "function", "function": {"name": "g", "arguments": ""}},
    ]
    found = fields_of(read(chat({"content": "I look.", "tool_calls": calls}, "tool_calls", usage=USAGE)))
    made = [
        {"id": "call_a", "type": "tool_call", "name": "f", "arguments": {"x": 1}},
        {"id": "call_b", "type": "tool_call", "name": "g", "arguments": {}},
    ]
    assert found == {
        "text": "I look.",
        "tool_calls": made,
        "input_tokens": 100,
        "output_tokens": 20,
        "cache_read_tokens": 64,
        "cache_write_tokens": 0,
        "thinking": None,
        "thinking_summary": None,
        "stop_reason": "tool_calls",
        "model": "gpt-4o-2024-08-06",
        "provider": "openai",
        "logprobs": None,
        "response_id": None,
        "blocks": [
            {"type": "output_text", "text": "I look.", "visibility": "public"},
            *({**call, "visibility": "internal"} for call in made),
        ],
    }


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        (USAGE, (100, 20, 64, 0)),
        # xAI counts reasoning apart.
        ({**USAGE, "total_tokens": 128}, (100, 28, 64, 0)),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 4}, (9, 1, 4, 0)),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cache_write_tokens": 3}}, (9, 0, 0, 3)),
        ({"prompt_tokens": "9", "completion_tokens": True, "prompt_tokens_details": 3}, (0, 0, 0, 0)),
        (None, (0, 0, 0, 0)),
        ([], (0, 0, 0, 0)),
    ],
)
def test_counts(usage, counts):
    reply = read(chat({"content": "x"}, usage=usage))
    found = (reply.input_tokens, reply.output_tokens, reply.cache_read_tokens, reply.cache_write_tokens)
    assert found == counts


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("eos", "stop"),
        ("model_length", "length"),
        ("function_call", "tool_calls"),
        (None, None),
        (7, None),
    ],
)
def test_stop_reasons(given, found):
    assert read(chat({"content": "x"}, given)).stop_reason == found


def test_a_refusal_is_an_answer():
    reply = read(chat({"content": None, "refusal": "I cannot."}))
    assert (reply.text, reply.stop_reason) == ("I cannot.", "refusal")


@pytest.mark.parametrize(
    ("message", "native"),
    [
        ({"reasoning_content": "Hm."}, {"reasoning_content": "Hm."}),
        ({"reasoning": "Hm."}, {"reasoning_content": "Hm."}),
        ({"reasoning": "Hm.", "reasoning_content": "Hm."}, {"reasoning_content": "Hm."}),
        ({"reasoning": "Hm.", "reasoning_details": [{"data": "x"}]}, {"reasoning_details": [{"data": "x"}]}),
    ],
)
def test_thinking_is_kept_for_the_next_request(message, native):
    reply = read(chat({"content": "Sun.", **message}), "deepseek")
    assert (reply.text, reply.thinking) == ("Sun.", "Hm.")
    assert reply.blocks[0] == {
        "type": "reasoning",
        "provider": "deepseek",
        "native": native,
        "visibility": "private",
    }


def test_content_in_parts():
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "Sun"},
        {"type": "text", "text": "."},
    ]
    reply = read(chat({"content": parts}), "mistral")
    assert (reply.text, reply.thinking) == ("Sun.", "Hm.")


def test_arguments_that_are_not_json_reject_the_call():
    calls = [{"id": "a", "function": {"name": "f", "arguments": '{"x": '}}]
    (call,) = read(chat({"tool_calls": calls}, "length")).tool_calls
    assert call["arguments"] == {}
    assert call["rejection"].startswith("The tool call was not carried out: its arguments are not a JSON object")


def test_a_stream():
    reader, deltas = streamed(
        [
            chunk({"role": "assistant", "content": ""}),
            chunk({"content": "I "}),
            chunk({"content": "look."}),
            chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}]}),
            chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"x":'}}]}),
            chunk({"tool_calls": [{"index": 1, "id": "b", "function": {"name": "g", "arguments": "{}"}}]}),
            chunk({"tool_calls": [{"index": 0, "function": {"arguments": " 1}"}}]}),
            chunk({}, "tool_calls"),
            (None, {"choices": [], "usage": USAGE}),
            END,
        ]
    )
    assert reader.is_complete
    assert [(delta.kind, delta.text, delta.call_id, delta.call_name) for delta in deltas] == [
        (TEXT, "I ", "", ""),
        (TEXT, "look.", "", ""),
        (TOOL_CALL, "", "a", "f"),
        (TOOL_CALL, '{"x":', "a", "f"),
        (TOOL_CALL, "{}", "b", "g"),
        (TOOL_CALL, " 1}", "a", "f"),
    ]
    reply = reader.reply()
    assert [call["arguments"] for call in reply.tool_calls] == [{"x": 1}, {}]
    assert (reply.input_tokens, reply.cache_read_tokens) == (100, 64)


def test_calls_without_indices():
    reader, _ = streamed(
        [
            chunk({"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{"}}]}),
            chunk({"tool_calls": [{"function": {"arguments": "}"}}]}),
            chunk({"tool_calls": [{"id": "b", "function": {"name": "g", "arguments": {"x": 1}}}]}),
            chunk({}, "tool_calls"),
            END,
        ],
        "unknown",
    )
    assert [(call["id"], call["arguments"]) for call in reader.reply().tool_calls] == [("a", {}), ("b", {"x": 1})]


@pytest.mark.parametrize("provider", ["openai", "mistral", "local", "groq"])
def test_a_stream_without_its_end_mark_is_not_complete(provider):
    assert not streamed([chunk({"content": "x"})], provider)[0].is_complete
    assert not streamed([chunk({"content": "x"}, "stop")], provider)[0].is_complete
    assert not streamed([chunk({"content": "x"}), END], provider)[0].is_complete
    assert streamed([chunk({"content": "x"}, "stop"), END], provider)[0].is_complete


def test_unknown_hosts_may_omit_the_end_mark():
    assert not streamed([chunk({"content": "x"})], "unknown")[0].is_complete
    assert streamed([chunk({"content": "x"}, "stop")], "unknown")[0].is_complete


def test_usage_of_groq_and_pieces_of_reasoning_details():
    details = [{"type": "reasoning.text", "index": 0, "text": "H"}, {"type": "reasoning.text", "index": 0, "text": "m"}]
    reader, _ = streamed(
        [
            *(chunk({"reasoning": piece["text"], "reasoning_details": [piece]}) for piece in details),
            chunk({"content": "x"}, "stop", x_groq={"usage": USAGE}),
            END,
        ]
    )
    reply = reader.reply()
    assert reply.input_tokens == 100
    assert reply.thinking == "Hm"
    assert reply.blocks[0]["native"] == {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "Hm"}]}


# Responses


def test_a_whole_response():
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 64},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 8},
        "total_tokens": 120,
    }
    found = fields_of(read(response(THOUGHT, said("I look."), CALLED, usage=usage), api="responses"))
    call = {"id": "call_a", "type": "tool_call", "name": "f", "arguments": {"x": 1}}
    assert found == {
        "text": "I look.",
        "tool_calls": [call],
        "input_tokens": 100,
        "output_tokens": 20,
        "cache_read_tokens": 64,
        "cache_write_tokens": 0,
        "thinking": "Two cities.",
        "thinking_summary": "Two cities.",
        "stop_reason": "tool_calls",
        "model": "gpt-5",
        "provider": "openai",
        "logprobs": None,
        "response_id": None,
        "blocks": [
            {"type": "reasoning", "provider": "openai", "native": THOUGHT, "visibility": "private"},
            {"type": "output_text", "text": "I look.", "visibility": "public"},
            {**call, "visibility": "internal"},
        ],
    }


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (response(said("x")), "stop"),
        (response(said("No.", "refusal")), "refusal"),
        (response(said("x"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}), "length"),
        (response(status="incomplete", incomplete_details={"reason": "content_filter"}), "content_filter"),
        (response(status="incomplete"), "length"),
    ],
)
def test_stop_reasons_of_responses(body, reason):
    assert read(body, api="responses").stop_reason == reason


def test_a_streamed_response():
    events = events_of(response(THOUGHT, said("I look."), CALLED))
    reader, deltas = streamed(events, api="responses")
    assert [(delta.kind, delta.text, delta.call_id, delta.call_name) for delta in deltas] == [
        (THINKING, "Two cities.", "", ""),
        (TEXT, "I look.", "", ""),
        (TOOL_CALL, '{"x":1}', "call_a", "f"),
    ]
    assert reader.is_complete
    assert not streamed(events[:-1], api="responses")[0].is_complete


def test_items_are_collected_if_the_last_event_has_none():
    body = response(THOUGHT, CALLED)
    events = events_of(body)
    events[-1] = ("response.completed", {"type": "response.completed", "response": {**body, "output": []}})
    reader, _ = streamed(events, api="responses")
    assert fields_of(reader.reply()) == fields_of(read(body, api="responses"))


# A streamed answer is the same as a whole one

PIECES = st.lists(st.text(max_size=5), max_size=4)
CALLS = st.lists(
    st.tuples(
        st.sampled_from("fgh"),
        st.dictionaries(st.text(max_size=3), st.integers(-9, 9) | st.text(max_size=3), max_size=2),
    ),
    max_size=3,
)
ANSWERS = st.fixed_dictionaries(
    {
        "text": PIECES,
        "thinking": PIECES,
        "calls": CALLS,
        "stop": st.sampled_from(["stop", "length", "content_filter"]),
        "counts": st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99)),
    }
)


def chat_forms(answer):
    """Return a neutral answer as a whole body, and as events."""
    text, thinking = "".join(answer["text"]), "".join(answer["thinking"])
    calls = [
        {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for at, (name, arguments) in enumerate(answer["calls"])
    ]
    read_tokens, written, cached = answer["counts"]
    usage = {
        "prompt_tokens": read_tokens,
        "completion_tokens": written,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    message = {"content": text or None, "reasoning_content": thinking, "tool_calls": calls}
    events = [chunk({"reasoning_content": piece}) for piece in answer["thinking"]]
    events += [chunk({"content": piece}) for piece in answer["text"]]
    for index, call in enumerate(calls):
        events.append(chunk({"tool_calls": [{**call, "index": index, "function": {"name": call["function"]["name"]}}]}))
        events += [
            chunk({"tool_calls": [{"index": index, "function": {"arguments": letter}}]})
            for letter in call["function"]["arguments"]
        ]
    events += [chunk({}, answer["stop"]), (None, {"choices": [], "usage": usage}), END]
    return chat(message, answer["stop"], usage=usage), events


def responses_forms(answer):
    text, thinking = "".join(answer["text"]), "".join(answer["thinking"])
    output = [{"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": thinking}]}]
    output.append(said(text))
    output += [
        {
            "type": "function_call",
            "id": f"fc_{at}",
            "call_id": f"c{at}",
            "name": name,
            "arguments": json.dumps(arguments),
        }
        for at, (name, arguments) in enumerate(answer["calls"])
    ]
    read_tokens, written, cached = answer["counts"]
    usage = {
        "input_tokens": read_tokens,
        "output_tokens": written,
        "input_tokens_details": {"cached_tokens": cached},
    }
    status = "completed" if answer["stop"] == "stop" else "incomplete"
    body = response(*output, status=status, usage=usage, incomplete_details={"reason": answer["stop"]})
    return body, events_of(body)


@given(ANSWERS)
@settings(max_examples=150, deadline=None)
def test_a_streamed_answer_is_the_same_as_a_whole_one(answer):
    for api, forms in (("chat", chat_forms), ("responses", responses_forms)):
        whole, events = forms(answer)
        reader, deltas = streamed(events, api=api)
        reply = reader.reply()
        assert reader.is_complete
        assert fields_of(reply) == fields_of(read(whole, api=api))
        assert reply.text == "".join(answer["text"]) == "".join(delta.text for delta in deltas if delta.kind == TEXT)
        assert (reply.thinking or "") == "".join(answer["thinking"])
        assert [(call["name"], call["arguments"]) for call in reply.tool_calls] == answer["calls"]
        read_tokens, written, cached = answer["counts"]
        assert (reply.input_tokens, reply.output_tokens) == (read_tokens, written)
        assert reply.cache_read_tokens == min(cached, read_tokens)
