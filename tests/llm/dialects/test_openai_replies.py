"""Replies of Chat Completions and Responses, whole and streamed, and what is not a reply."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnlite.llm.backend import ChatReply
from harnlite.llm.dialects.dialect import END_MARK, TEXT, THINKING, TOOL_CALL
from harnlite.llm.dialects.openai_apis import openai_dialect
from harnlite.llm.errors import classify, error_category, message_of
from harnlite.values.errors import ScriptError

from .openai_requests import host_of, request_to


def fields_of(reply):
    return {name: getattr(reply, name) for name in ChatReply.__slots__}


def dialect(provider, api):
    request = request_to(provider, "m", options={"api_mode": api})
    host = host_of(provider)
    return openai_dialect(request, host), request, host


def read(answer, provider="openai", api="chat"):
    """Return the reply of a whole answer."""
    chosen, request, host = dialect(provider, api)
    return chosen.reply(answer, request, host)


def streamed(events, provider="openai", api="chat"):
    """Return the reader after the events, and the deltas."""
    chosen, request, host = dialect(provider, api)
    reader = chosen.reader(request, host)
    deltas = [delta for name, data in events for delta in reader.feed(name, data)]
    return reader, deltas


def chat(message, reason="stop", **more):
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
    return {"id": "x", "model": "gpt-4o-2024-08-06", "choices": [choice], **more}


def chunk(delta, reason=None, **more):
    return None, {
        "model": "gpt-4o-2024-08-06",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        **more,
    }


USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 64},
    "completion_tokens_details": {"reasoning_tokens": 8},
}
END = (END_MARK, {})


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


def response(*output, status="completed", **more):
    return {"id": "resp_1", "model": "gpt-5", "status": status, "output": list(output), **more}


def said(text, kind="output_text"):
    name = "refusal" if kind == "refusal" else "text"
    return {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": kind, name: text}]}


THOUGHT = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "Two cities."}],
    "encrypted_content": "e",
}
CALLED = {"type": "function_call", "id": "fc_1", "call_id": "call_a", "name": "f", "arguments": '{"x":1}'}


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


def events_of(body):
    """Return the events in which a response is streamed."""
    events = [{"type": "response.created", "response": {**body, "status": "in_progress", "output": []}}]
    for index, item in enumerate(body["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        events.append({"type": "response.output_item.added", "item": {**item, "arguments": ""}, **place})
        if item["type"] == "function_call":
            events.append({"type": "response.function_call_arguments.delta", "delta": item["arguments"], **place})
        events += [
            {"type": "response.reasoning_summary_text.delta", "delta": part["text"], **place}
            for part in item.get("summary", ())
        ]
        for part in item.get("content", ()):
            kind = "refusal" if "refusal" in part else "output_text"
            text = part.get("refusal", part.get("text"))
            events.append({"type": f"response.{kind}.delta", "delta": text, "content_index": 0, **place})
        events.append({"type": "response.output_item.done", "item": item, **place})
    events.append({"type": f"response.{body['status']}", "response": body})
    return [(event["type"], event) for event in events]


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


# What is not a reply


def failure_of(work):
    """Return the category, kind and reason of the error that work raises."""
    with pytest.raises(ScriptError) as error:
        work()
    category = error_category(error.value)
    return (category, *classify(message_of(error.value), category))


CHAT_JUNK = [
    {},
    {"choices": None},
    {"choices": []},
    {"choices": {}},
    {"choices": [None]},
    {"choices": [{}]},
    {"choices": [{"message": "x"}]},
    chat({"content": 7}),
    chat({"tool_calls": {}}),
    chat({"tool_calls": [7]}),
    chat({"tool_calls": [{"id": "a"}]}),
    chat({"tool_calls": [{"id": "a", "function": {"arguments": "{}"}}]}),
    chat({"tool_calls": [{"id": 7, "function": {"name": "f"}}]}),
]
RESPONSES_JUNK = [
    {},
    response(status="queued"),
    {"status": "completed", "output": None},
    response(7),
    response({"type": "message", "content": None}),
    response({"type": "message", "content": [7]}),
    response({"type": "message", "content": [{"type": "output_text"}]}),
    response({"type": "function_call"}),
    response({"type": "function_call", "name": 7}),
    response({"type": "reasoning", "summary": 7}),
]


@pytest.mark.parametrize(
    ("api", "body"), [*(("chat", body) for body in CHAT_JUNK), *(("responses", body) for body in RESPONSES_JUNK)]
)
def test_bad_replies_are_errors_of_the_server(api, body):
    assert failure_of(lambda: read(body, api=api)) == ("server_error", "transient", "server_error")


@pytest.mark.parametrize(
    ("api", "name", "data"),
    [
        ("chat", None, {"choices": {}}),
        ("chat", None, {"choices": [7]}),
        ("chat", None, {"choices": [{"delta": 7}]}),
        ("chat", None, {"choices": [{"delta": {"content": 7}}]}),
        ("chat", None, {"choices": [{"delta": {"tool_calls": 7}}]}),
        ("chat", None, {"choices": [{"delta": {"tool_calls": [7]}}]}),
        ("chat", None, {"choices": [{"delta": {}, "finish_reason": "error"}]}),
        ("responses", None, {"type": "response.completed"}),
        ("responses", None, {"type": "response.output_item.done", "item": 7}),
        ("responses", None, {"type": "response.output_text.delta", "delta": 7}),
        ("responses", None, {"type": "response.failed", "response": {"error": None}}),
        ("responses", "error", {"message": "oops", "code": "server_error"}),
    ],
)
def test_bad_events_are_errors_of_the_server(api, name, data):
    assert failure_of(lambda: streamed([(name, data)], api=api)) == ("server_error", "transient", "server_error")


KEYS = [
    *("choices", "message", "delta", "content", "tool_calls", "function"),
    *("name", "id", "index", "usage", "type", "output", "status"),
    *("item", "response", "summary", "error", "logprobs", "finish_reason"),
    *("arguments", "reasoning_details", "output_index", "item_id"),
]
KINDS = [
    *("", "stop", "message", "text", "{}", "reasoning", "function_call", "completed", "response.completed"),
    *("response.output_item.added", "response.function_call_arguments.delta", "response.output_item.done"),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(KINDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6))
@settings(max_examples=300, deadline=None)
def test_no_reply_raises_a_python_exception(data):
    for api in ("chat", "responses"):
        for work in (lambda api=api: read(data, api=api), lambda api=api: streamed([(None, data)], api=api)[0].reply()):
            try:
                assert isinstance(work(), ChatReply)
            except ScriptError:
                pass


@pytest.mark.parametrize(
    ("error", "category", "reason"),
    [
        ({"message": "slow down", "code": "rate_limit_exceeded"}, "rate_limit", "rate_limit"),
        ({"message": "no credit", "type": "insufficient_quota"}, "rate_limit", "rate_limit"),
        ({"message": "busy", "code": 429}, "rate_limit", "rate_limit"),
        ({"message": "busy", "code": "503"}, "overloaded", "server_error"),
        ({"message": "oops", "type": "server_error"}, "server_error", "server_error"),
        ({"message": "oops"}, "server_error", "server_error"),
        ("oops", "server_error", "server_error"),
        ({"message": "wrong", "code": "invalid_api_key"}, "auth", "auth_failure"),
        ({"message": "wrong", "type": "invalid_request_error"}, "generic", "invalid_request"),
        ({"message": "This model's maximum context length is 9", "code": None}, "server_error", "context_overflow"),
        ({"message": "flagged", "code": "content_filter"}, "generic", "content_policy"),
    ],
)
def test_errors_in_replies_and_streams(error, category, reason):
    body = {"error": error}
    assert failure_of(lambda: read(body))[::2] == (category, reason)
    assert failure_of(lambda: streamed([(None, body)]))[::2] == (category, reason)
    assert failure_of(lambda: read(response(error=error), api="responses"))[::2] == (category, reason)


@pytest.mark.parametrize(
    ("status", "body", "category", "reason"),
    [
        (401, '{"error": {"code": "invalid_api_key"}}', "auth", "auth_failure"),
        (429, '{"error": {"code": "insufficient_quota"}}', "rate_limit", "rate_limit"),
        (400, '{"error": {"code": "context_length_exceeded"}}', "generic", "context_overflow"),
        (400, '{"error": {"type": "invalid_request_error"}}', "generic", "invalid_request"),
        (400, '{"error": {"code": "content_filter"}}', "generic", "content_policy"),
        (502, "<html>", "server_error", "server_error"),
    ],
)
def test_http_failures(status, body, category, reason):
    for api in ("chat", "responses"):
        chosen, _, host = dialect("openai", api)
        error = chosen.failure(status, body, host)
        value = error.value
        found = value["reason"] if isinstance(value, dict) else classify(message_of(error), error_category(error))[1]
        assert (error_category(error), found) == (category, reason)
        assert message_of(error).startswith(f"openai HTTP {status} [")


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
