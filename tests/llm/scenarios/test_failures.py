"""Servers that fail: each failure is an error that says what happened, and none of its text is in an answer."""

import pytest

from tests.llm.scenarios.runs import ids
from tests.vendors import Reply, Thinking, faults

VENDORS = ("anthropic", "gemini", "ollama")
SERVER = ("transient", "server_error")
NETWORK = ("transient", "network_error")
# the name, the reply, the kind and the reason of the error, and what its message says
FAILURES = [
    ("429 seconds", Reply(fault=faults.rate_limited(2)), ("transient", "rate_limit"), "HTTP 429 [rate_limited]"),
    ("429 date", Reply(fault=faults.rate_limited(9, as_date=True)), ("transient", "rate_limit"), "retry-after: "),
    ("429", Reply(fault=faults.rate_limited()), ("transient", "rate_limit"), "HTTP 429"),
    ("529", Reply(fault=faults.error(529)), SERVER, "HTTP 529 [http_error]"),
    ("503", Reply(fault=faults.error(503)), SERVER, "HTTP 503 [http_error]"),
    ("500", Reply(fault=faults.error(500)), SERVER, "HTTP 500 [http_error]"),
    ("504", Reply(fault=faults.error(504)), SERVER, "HTTP 504"),
    ("401", Reply(fault=faults.error(401)), ("terminal", "auth_failure"), "HTTP 401 [auth_failure]"),
    ("403", Reply(fault=faults.error(403)), ("terminal", "auth_failure"), "HTTP 403 [auth_failure]"),
    ("404", Reply(fault=faults.error(404)), ("terminal", "model_unavailable"), "HTTP 404 [model_unavailable]"),
    ("400", Reply(fault=faults.error(400, "bad thing")), ("terminal", "invalid_request"), "HTTP 400 [invalid_request]"),
    ("413", Reply(fault=faults.error(413, "so big")), ("terminal", "invalid_request"), "HTTP 413 [invalid_request]"),
    (
        "overflow",
        Reply(fault=faults.error(400, "prompt is too long: 208310 tokens > 200000 maximum")),
        ("terminal", "context_overflow"),
        "(offending_tokens: 208310)",
    ),
    ("reset", Reply(fault=faults.reset()), NETWORK, "connection reset"),
    ("reset after headers", Reply(fault=faults.reset("after_headers")), NETWORK, "connection reset"),
    ("reset inside the body", Reply("hello there", fault=faults.reset("inside_body")), NETWORK, "connection reset"),
    ("half", Reply("hello there", fault=faults.cut("half")), NETWORK, "before the answer was complete"),
    ("cut chunk", Reply("hello there", fault=faults.cut("chunk")), NETWORK, "before the answer was complete"),
    ("too short", Reply("hello", fault=faults.wrong_content_length(50)), NETWORK, "before the answer was complete"),
    ("HTML", Reply(fault=faults.html()), SERVER, "the server sent text/html instead of"),
    ("HTML 502", Reply(fault=faults.html(502)), SERVER, "HTTP 502 [http_error]: an HTML page: 502"),
    ("HTML 403", Reply(fault=faults.html(403)), ("terminal", "auth_failure"), "an HTML page: 403"),
    (
        "redirect",
        Reply(fault=faults.redirect("http://127.0.0.1:1/other?key=1")),
        ("terminal", "unknown"),
        "redirects to http://127.0.0.1:1/other; set the address of the provider",
    ),
]
# Failures that only a stream has, or whose error differs in a stream.
IN_STREAMS = [
    ("error", Reply("one two three four", fault=faults.error_in_stream(3)), SERVER, "HTTP 5"),
    ("no end mark", Reply("hello there", fault=faults.cut("end_mark")), NETWORK, "without its end mark"),
]
WITHOUT_STREAMS = [
    ("cut", Reply("hello there", fault=faults.cut("end_mark")), SERVER, "the server sent no JSON object"),
    (
        "inside a character",
        Reply("h\u00e9llo", fault=faults.cut("character")),
        SERVER,
        "the server sent no JSON object",
    ),
    ("garbage", Reply(fault=faults.garbage()), SERVER, "the server sent no JSON object"),
    ("text", Reply("x", fault=faults.wrong_content_type()), SERVER, "the server sent text/plain instead of JSON"),
]
HARMLESS = [
    ("gzip", Reply("h\u00e9llo", fault=faults.gzipped())),
    ("HTTP/1.0", Reply("h\u00e9llo", fault=faults.http10())),
    ("closes", Reply("h\u00e9llo", fault=faults.closes_silently())),
    ("single bytes", Reply("h\u00e9llo", fragment=1)),
]


def check_failure(vendor, stream, reply, outcome, shown):
    ran = vendor.call(f"stream: {stream}", reply)
    error = ran.value
    assert (error["kind"], error["reason"]) == outcome
    assert shown in error["message"]
    assert (error["provider"], error["model"]) == (vendor.name, ran.value["model"])
    assert not ran.notes
    assert "Traceback" not in ran.out


@pytest.mark.parametrize("stream", ["true", "false"])
@pytest.mark.parametrize("name", VENDORS)
@pytest.mark.parametrize(("_case", "reply", "outcome", "shown"), FAILURES, ids=ids(FAILURES))
def test_failures(vendors, name, stream, _case, reply, outcome, shown):
    check_failure(vendors[name], stream, reply, outcome, shown)


@pytest.mark.parametrize("name", VENDORS)
@pytest.mark.parametrize(("_case", "reply", "outcome", "shown"), IN_STREAMS, ids=ids(IN_STREAMS))
def test_failures_of_streams(vendors, name, _case, reply, outcome, shown):
    check_failure(vendors[name], "true", reply, outcome, shown)


@pytest.mark.parametrize("name", VENDORS)
@pytest.mark.parametrize(("_case", "reply", "outcome", "shown"), WITHOUT_STREAMS, ids=ids(WITHOUT_STREAMS))
def test_failures_without_streams(vendors, name, _case, reply, outcome, shown):
    check_failure(vendors[name], "false", reply, outcome, shown)


@pytest.mark.parametrize("stream", ["true", "false"])
@pytest.mark.parametrize("name", VENDORS)
@pytest.mark.parametrize(("_case", "reply"), HARMLESS, ids=ids(HARMLESS))
def test_what_is_no_failure(vendors, name, stream, _case, reply):
    assert vendors[name].call(f"stream: {stream}", reply).value["text"] == "h\u00e9llo"


BROKEN = [
    Reply("half of it", fault=faults.cut()),
    Reply("half of it", fault=faults.error_in_stream(4)),
    Reply("half of it", fault=faults.cut("half")),
    Reply(fault=faults.error(529)),
    Reply(fault=faults.error(500)),
    Reply(fault=faults.reset()),
    Reply(fault=faults.html()),
]


@pytest.mark.parametrize("name", VENDORS)
def test_nothing_of_a_broken_attempt_is_in_the_answer(vendors, name):
    ran = vendors[name].call("llm_retries: 9, llm_backoff_ms: 1", *BROKEN, "fine")
    assert (ran.value["text"], len(ran.requests)) == ("fine", len(BROKEN) + 1)
    assert "half" not in ran.out


@pytest.mark.parametrize("name", VENDORS)
def test_a_loop_repeats_what_broke(vendors, name):
    ran = vendors[name].loop("llm_retries: 9", *BROKEN, "fine")
    assert (ran.value["status"], ran.value["text"], ran.value["llm"]["iterations"]) == ("done", "fine", 1)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
@pytest.mark.parametrize("name", VENDORS)
def test_what_does_not_pass_is_sent_once(vendors, name, status):
    ran = vendors[name].call("llm_retries: 3, llm_backoff_ms: 1", Reply(fault=faults.error(status)), "never")
    assert len(ran.requests) == 1


@pytest.mark.parametrize("name", VENDORS)
def test_a_stream_that_breaks_ends_with_the_error_and_is_not_repeated(vendors, name):
    program = 'for x in llm_stream("q", nil, {provider: PROVIDER, model: MODEL, llm_retries: 3}) { print("[${x}]") }'
    fault = faults.error_in_stream(5)
    ran = vendors[name].run(program, Reply("one two three four five six", pace=0.02, fault=fault), "never")
    assert ran.out.startswith("[one two]")
    assert "[error: " in ran.out
    assert (len(ran.requests), ran.error) == (1, "")


@pytest.mark.parametrize("name", VENDORS)
def test_thinking_is_not_streamed_as_text(vendors, name):
    program = 'for x in llm_stream("q", nil, {provider: PROVIDER, model: MODEL}) { print("[${x}]") }'
    ran = vendors[name].run(program, Reply(Thinking(text="secret thoughts"), "one two three"))
    assert ran.out == "[one two][ three]"


@pytest.mark.parametrize("name", VENDORS)
@pytest.mark.parametrize(("wait", "as_date"), [(0.3, False), (0.1, True)])
@pytest.mark.timed
def test_retry_after_is_obeyed(vendors, name, wait, as_date):
    fault = faults.rate_limited(wait, as_date=as_date)
    ran = vendors[name].call("llm_retries: 1, llm_backoff_ms: 1", Reply(fault=fault), "fine")
    first, second = ran.requests
    assert ran.value["text"] == "fine"
    # A date has whole seconds, so that the wait is only known not to be shorter.
    assert second.arrived - first.arrived >= (0 if as_date else wait)
