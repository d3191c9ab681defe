"""Errors in replies of Chat Completions and Responses, and replies that are not valid."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnlite.llm.backend import ChatReply
from harnlite.llm.errors import classify, error_category, message_of
from harnlite.values.errors import ScriptError

from .openai_replies import chat, dialect, read, response, streamed


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
