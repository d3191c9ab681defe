"""Broken servers, odd streams, retries and cancellation at OpenAI and compatible hosts."""

import json
import time

import pytest

from harnlite.host.engine import Engine
from tests.commands import run_command
from tests.llm.openai_scenarios.vendor_runs import COMPATIBLE
from tests.vendors import Fault, Reply, ToolCall, faults

TEXT = "Grüße aus Köln, überall ist es schön"
NETWORK = ("transient_network", "transient", "network_error")
SERVER = ("server_error", "transient", "server_error")
TIMEOUT = ("timeout", "transient", "timeout")
LIMITED = ("rate_limit", "transient", "rate_limit")
TERMINAL = ("generic", "terminal", "invalid_request")


def failed(vendors, vendor, reply, options="", **more):
    """Return the category, kind and reason of the error of a call, and its message."""
    script = f"""let r = llm_call_safe("hi ü", nil, {{provider: "$P", model: "$M", timeout: 5, {options}}})
    log(json_stringify(if r.ok {{ [r.response.text] }} else {{ r.error }}))"""
    ran = vendors.run(vendor, script, reply, **more)
    assert (ran.exit_code, ran.error) == (0, "")
    found = json.loads(ran.lines[0])
    if isinstance(found, list):
        return (), found[0], None
    return tuple(found[name] for name in ("category", "kind", "reason")), found["message"], found.get("retry_after_ms")


STATUSES = [
    (401, None, ("auth", "terminal", "auth_failure")),
    (403, None, ("auth", "terminal", "invalid_request")),
    (404, "model_not_found", ("not_found", "terminal", "model_unavailable")),
    (400, None, TERMINAL),
    (400, "context_length_exceeded", ("generic", "terminal", "context_overflow")),
    (400, "content_policy_violation", ("generic", "terminal", "content_policy")),
    (429, None, LIMITED),
    (429, "insufficient_quota", LIMITED),
    (500, None, SERVER),
    (502, None, SERVER),
    (503, None, ("overloaded", "transient", "server_error")),
    (504, None, ("timeout", "transient", "server_error")),
    (529, None, ("overloaded", "transient", "server_error")),
]


@pytest.mark.parametrize(("status", "code", "kinds"), STATUSES)
@pytest.mark.parametrize("mode", ["chat", "responses"])
def test_statuses(vendors, status, code, kinds, mode):
    fault = faults.error(status, "simulated", code=code)
    found, message, _wait = failed(vendors, "openai", Reply("x", fault=fault), f'api_mode: "{mode}"')
    assert found == kinds
    assert message.startswith(f"openai HTTP {status} [")


BROKEN = [
    (faults.error_in_stream(), SERVER, "reported an error"),
    *((faults.cut(where), NETWORK, "") for where in ("end_mark", "character", "chunk", "half")),
    (faults.reset("before_headers"), NETWORK, "connection reset"),
    (faults.reset("after_headers"), NETWORK, "connection reset"),
    (faults.reset("inside_body"), NETWORK, "connection reset"),
    (faults.garbage(), NETWORK, "without its end mark"),
    (faults.html(), SERVER, "text/html instead of an event stream"),
    (faults.html(502), SERVER, "an HTML page"),
    (faults.wrong_content_type(), SERVER, "text/plain instead of an event stream"),
    (faults.wrong_content_length(-10), NETWORK, ""),
    (faults.redirect("https://elsewhere.example/x"), ("generic", "terminal", "unknown"), "https://elsewhere.example/x"),
]
WHOLE = [
    (faults.cut("character"), SERVER, "no JSON object"),
    (faults.cut("chunk"), NETWORK, "closed before the answer was complete"),
    (faults.cut("half"), NETWORK, "closed before the answer was complete"),
    (faults.garbage(), SERVER, "no JSON object"),
    (faults.html(), SERVER, "text/html instead of JSON"),
    (faults.wrong_content_type(), SERVER, "text/plain instead of JSON"),
]


@pytest.mark.parametrize(("fault", "kinds", "part"), BROKEN)
@pytest.mark.parametrize("mode", ["chat", "responses"])
def test_broken_streams(vendors, fault, kinds, part, mode):
    found, message, _wait = failed(vendors, "openai", Reply(TEXT, fault=fault), f'api_mode: "{mode}"')
    assert found == kinds
    assert part in message


@pytest.mark.parametrize(("fault", "kinds", "part"), WHOLE)
@pytest.mark.parametrize("mode", ["chat", "responses"])
def test_broken_replies(vendors, fault, kinds, part, mode):
    options = f'stream: false, api_mode: "{mode}"'
    found, message, _wait = failed(vendors, "openai", Reply(TEXT, fault=fault), options)
    assert found == kinds
    assert part in message


@pytest.mark.parametrize("vendor", [name for name in COMPATIBLE if name != "openai"])
@pytest.mark.parametrize("fault", [faults.cut("end_mark"), faults.cut("half"), faults.error_in_stream()])
def test_streams_that_end_early_at_every_host(vendors, vendor, fault):
    found, _message, _wait = failed(vendors, vendor, Reply(TEXT, fault=fault))
    assert found[1] == "transient"


@pytest.mark.parametrize(
    "fault", [faults.gzipped(), faults.http10(), faults.closes_silently(), faults.wrong_content_length(10)]
)
@pytest.mark.parametrize("vendor", ["openai", "mistral"])
def test_answers_that_are_only_delivered_oddly(vendors, fault, vendor):
    assert failed(vendors, vendor, Reply(TEXT, fault=fault))[1] == TEXT


TIMES = [
    ("idle_timeout: 0.2", {"pace": 0.6}, "sent nothing for 0.2 s"),
    ("idle_timeout: 0.2", {"latency": 0.6}, "sent nothing for 0.2 s"),
    ("timeout: 0.3", {"latency": 1.0}, "did not answer in 0.3 s"),
    ("timeout: 0.3", {"pace": 0.1}, "did not answer in 0.3 s"),
    ("timeout: 0.3", {"fault": faults.endless()}, "did not answer in 0.3 s"),
]


@pytest.mark.parametrize(("options", "behaviour", "part"), TIMES)
@pytest.mark.timed
def test_time_limits(vendors, options, behaviour, part):
    script = f'log(llm_call_safe("hi", nil, {{provider: "$P", model: "$M", {options}}}).error)'
    ran = vendors.run("openai", script, Reply(TEXT, **behaviour))
    assert part in ran.lines[0]
    assert "reason: timeout" in ran.lines[0]


@pytest.mark.parametrize(("as_date", "least"), [(False, 2000), (True, 1000)])
def test_the_wait_that_a_server_asks_for(vendors, as_date, least):
    found, _message, wait = failed(vendors, "openai", Reply("x", fault=faults.rate_limited(2, as_date=as_date)))
    assert found == LIMITED
    assert least <= wait <= 3000


# Streams and replies that no test server writes by itself


def events(*values, ends=True):
    lines = [f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n" for value in values]
    return "".join([*lines, "data: [DONE]\n\n" if ends else ""]).encode()


def chunk(delta=None, reason=None):
    return {"id": "c", "choices": [{"index": 0, "delta": delta or {}, "finish_reason": reason}]}


HI, STOP = chunk({"content": "hi"}), chunk(reason="stop")
HALF = '{"choices":[{"index":0,"delta":{"content":"\\ud83d"},"finish_reason":null}]}'
STREAMS = [
    ("openai", events(HI, STOP), "hi"),
    ("openai", events({"choices": []}, HI, STOP, {"choices": [], "usage": {"prompt_tokens": 3}}), "hi"),
    ("openai", b": comment\r\n" + events(HI, STOP).replace(b"\n", b"\r\n"), "hi"),
    ("openai", b"\xef\xbb\xbf" + events(HI, STOP), "hi"),
    ("openai", events(HALF, HI, STOP), "\N{REPLACEMENT CHARACTER}hi"),
    ("openai", events(HI), NETWORK),
    ("openai", events(HI, STOP, ends=False), NETWORK),
    ("groq", events(HI, STOP, ends=False), NETWORK),
    ("openai", events(), NETWORK),
    ("openai", b"", NETWORK),
    ("openai", b'event: error\ndata: {"error": {"message": "slow down", "code": 429}}\n\n', LIMITED),
    ("openai", events(HI, {"error": {"message": "no", "type": "invalid_request_error"}}), TERMINAL),
    ("openrouter", events({"choices": [], "error": {"code": 502, "message": "Provider returned error"}}), SERVER),
    ("openai", events('{"choices": '), SERVER),
    ("openai", events('["a"]'), SERVER),
]  # fmt: skip
BODIES = [
    (b'{"choices": [{"message": {"content": "plain"}, "finish_reason": "stop"}]}', "plain"),
    (b'{"choices": []}', SERVER),
    (b'{"choices": [{}]}', SERVER),
    (b'{"choices": [{"message": null}]}', SERVER),
    (b"null", SERVER),
    (b"[]", SERVER),
    (b"{}", SERVER),
    (b'{"error": {"message": "nope", "type": "invalid_request_error"}}', TERMINAL),
    (b'{"error": "model is loading"}', SERVER),
    (b'{"choices": [{"message": {"content": 5}, "finish_reason": "stop"}]}', SERVER),
    (b'{"choices": [{"message": {"tool_calls": [{"function": {"arguments": "{}"}}]}}]}', SERVER),
]


@pytest.mark.parametrize(("vendor", "body", "expected"), STREAMS)
def test_streams(vendors, vendor, body, expected):
    reply = Reply("x", fault=Fault(body=body, content_type="text/event-stream"))
    found, message, _wait = failed(vendors, vendor, reply)
    assert (message if isinstance(expected, str) else found) == expected


@pytest.mark.parametrize(("body", "expected"), BODIES)
@pytest.mark.parametrize("stream", ["true", "false"])
def test_bodies(vendors, body, expected, stream):
    """A server may also answer a request for a stream with one JSON object."""
    reply = Reply("x", fault=Fault(body=body, content_type="application/json"))
    found, message, _wait = failed(vendors, "openai", reply, f"stream: {stream}")
    assert (message if isinstance(expected, str) else found) == expected


ARGUMENTS = [
    ('{"at": ', "its arguments are not a JSON object"),
    ("[1]", "its arguments are not a JSON object"),
    ('{"at": NaN}', "its arguments are not a JSON object"),
    ("", "missing required parameter(s): at"),
    ("{}", "missing required parameter(s): at"),
    ('{"at": null}', "missing required parameter(s): at"),
]


@pytest.mark.parametrize(("arguments", "part"), ARGUMENTS)
def test_bad_arguments_go_back_to_the_model(vendors, arguments, part):
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "look", "arguments": arguments}}
    body = events(chunk({"tool_calls": [call]}), chunk(reason="tool_calls"))
    script = """tool look(at: string) -> string { description "Look."; return "saw " + at }
    let o = {provider: "$P", model: "$M", tools: look, tool_format: "native", reminders: false}
    let r = agent_loop("go", nil, o)
    log(r.status, r.text)"""
    odd = Reply("x", fault=Fault(body=body, content_type="text/event-stream"))
    ran = vendors.run("openai", script, odd, "fine")
    assert (ran.lines, ran.refusals) == (["done fine"], [])
    result = ran.body["messages"][-1]
    assert (result["role"], result["tool_call_id"]) == ("tool", "call_1")
    assert part in result["content"]


# Retries


def test_nothing_of_a_broken_attempt_stays(vendors):
    script = """let c = llm_call("go", nil, {provider: "$P", model: "$M", llm_retries: 3, llm_backoff_ms: 5})
    log(c.text, len(transcript_messages(c.transcript)))"""
    broken = [Reply("one", fault=faults.error(500)), Reply("partial text", fault=faults.cut("half"))]
    ran = vendors.run("openai", script, *broken, Reply("x", fault=faults.rate_limited(0.05)), "good")
    assert (ran.lines, len(ran.requests)) == (["good 2"], 4)
    assert len({json.dumps(body) for body in ran.bodies}) == 1


@pytest.mark.parametrize(("status", "attempts"), [(400, 1), (401, 1), (404, 1), (429, 3), (500, 3), (503, 3)])
def test_only_transient_errors_are_retried(vendors, status, attempts):
    script = 'log(llm_call_safe("go", nil, {provider: "$P", model: "$M", llm_retries: 2, llm_backoff_ms: 1}).ok)'
    ran = vendors.run("openai", script, default=lambda _request: Reply("x", fault=faults.error(status)))
    assert (ran.lines, len(ran.requests)) == (["false"], attempts)


def test_a_failed_loop_says_why(vendors):
    script = """let r = agent_loop("go", nil, {provider: "$P", model: "$M", reminders: false, llm_backoff_ms: 1})
    log(r.status, r.stop_reason, r.error.category, r.error.phase)"""
    ran = vendors.run("openai", script, default=lambda _request: Reply("x", fault=faults.error(503)))
    assert (ran.lines, len(ran.requests)) == (["provider_error provider_error overloaded llm_call"], 3)
    assert "agent_loop ended with provider_error: openai HTTP 503" in ran.notes[0]


HELP = [
    (401, "check the key in OPENAI_API_KEY"),
    (429, "the option `llm_retries` repeats"),
    (400, ""),
]


@pytest.mark.parametrize(("status", "line"), HELP)
def test_a_person_reads_what_to_do(vendors, monkeypatch, tmp_path, status, line):
    vendors.configure("openai", monkeypatch, Reply("x", fault=faults.error(status)))
    (tmp_path / "a.harn").write_text('log(llm_call("hi").text)\n', encoding="utf-8")
    done = run_command("run", "a.harn", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"openai HTTP {status} [" in done.stderr
    assert ("help: " in done.stderr) is bool(line)
    assert line in done.stderr


# Cancellation


@pytest.mark.timed
def test_the_deadline_of_a_run_closes_the_connection(vendors, monkeypatch):
    server = vendors.configure("openai", monkeypatch, default=Reply("word " * 200, pace=0.05))
    begun = time.monotonic()
    result = Engine(deadline=0.4).run('log(llm_call("x").text)')
    assert (result.exit_code, time.monotonic() - begun < 1.5) == (1, True)
    assert "took longer" in str(result.error)
    assert server.requests[-1].closed_by_client.wait(2)


@pytest.mark.timed
@pytest.mark.parametrize("behaviour", [{"pace": 0.05}, {"latency": 5.0}])
def test_a_cancelled_call_closes_its_connection(vendors, monkeypatch, behaviour):
    server = vendors.configure("openai", monkeypatch, default=Reply("word " * 200, **behaviour))
    script = 'let h = spawn { llm_call("x") }\nsleep(200)\ncancel(h)\nlog("on")'
    begun = time.monotonic()
    result = Engine().run(script)
    assert (result.stdout, time.monotonic() - begun < 2) == ("[harn] on\n", True)
    assert server.requests[-1].closed_by_client.wait(2)


@pytest.mark.timed
def test_a_stream_that_nobody_reads_on_is_closed(vendors, monkeypatch):
    server = vendors.configure("openai", monkeypatch, default=Reply("word " * 200, pace=0.05))
    result = Engine().run('for x in llm_stream("x") { log(x); break }')
    assert result.exit_code == 0
    assert server.requests[-1].closed_by_client.wait(2)


def test_a_stream_delivers_its_pieces_and_its_error(vendors):
    script = 'for x in llm_stream("x", nil, {provider: "$P", model: "$M"}) { log(x) }'
    assert vendors.run("openai", script, Reply("hello there friend", piece=6)).lines == ["hello ", "there ", "friend"]
    lines = vendors.run("openai", script, Reply("hello there friend", fault=faults.error_in_stream(3))).lines
    assert lines[-1].startswith("error: openai reported an error")


@pytest.mark.timed
def test_fifty_calls_at_a_time(vendors):
    script = """let o = {provider: "$P", model: "$M"}
    let out = parallel each range(50) { x -> llm_call("n " + str(x), nil, o).text }
    log(out[0], out[49], len(out))"""
    echo = vendors.run(
        "openai", script, default=lambda request: Reply(request.json()["messages"][-1]["content"], latency=0.1)
    )
    assert (echo.lines, len(echo.requests), echo.refusals) == (["n 0 n 49 50"], 50, [])


def test_a_call_of_a_tool_without_id_or_name(vendors):
    script = """tool look(at: string) -> string { description "Look."; return "saw " + at }
    let r = agent_loop("go", nil, {provider: "$P", model: "$M", tools: look, tool_format: "native", reminders: false})
    log(r.status, r.tools.rejected)"""
    ran = vendors.run("openai", script, Reply(ToolCall("nope", {"a": 1})), "fine")
    assert (ran.lines, ran.refusals) == (["done [nope]"], [])
