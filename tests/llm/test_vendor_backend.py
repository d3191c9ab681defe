"""A dialect over HTTP: replies, streams, broken servers, and keys that nothing shows."""

import json
import sys
import traceback

import pytest

from harnlite.capabilities.grants import Permissions, grants_of
from harnlite.http.pool import POOL
from harnlite.llm.backend import ChatReply, ChatRequest, backends_of
from harnlite.llm.dialects.dialect import END_MARK, JSON_LINES, SSE, TEXT, THINKING, TOOL_CALL, Delta, Host, WireRequest
from harnlite.llm.dialects.replies import http_failure
from harnlite.llm.model_call import call
from harnlite.llm.secrets import Secret
from harnlite.llm.stream_listener import StreamListener
from harnlite.llm.streaming import stream
from harnlite.llm.vendors.vendor_backend import Endpoint, VendorBackend
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import ScriptError, thrown
from tests.http.servers import Server, always, eventually, raw

KEY = "sk-test-0123456789abcdef"
USED = 'data: {"usage": 7}\n\n'
END = 'data: {"end": true}\n\n'


def event(text):
    return f"data: {json.dumps({'text': text}, ensure_ascii=False)}\n\n"


class Reader:
    def __init__(self, request):
        self.request = request
        self.text = ""
        self.is_complete = False
        self.tokens = 0

    def feed(self, name, data):
        if name == END_MARK or data.get("end"):
            self.is_complete = True
        if "error" in data:
            raise thrown({"category": "overloaded", "message": data["error"]})
        self.tokens += data.get("usage", 0)
        self.text += data.get("text", "")
        found = [Delta(kind, data[kind], "c1") for kind in (THINKING, TOOL_CALL) if kind in data]
        return [Delta(TEXT, data["text"]), *found] if "text" in data else found

    def reply(self):
        return ChatReply(text=self.text, output_tokens=self.tokens, model=self.request.model, provider="tiny")


class Tiny:
    """A dialect of three keys."""

    def __init__(self, framing=SSE):
        self.framing = framing

    def wire(self, request, host):
        body = {"model": request.model, "messages": list(request.messages), "stream": request.stream}
        notes = ("option 'seed' is not sent to tiny",) if "seed" in request.options else ()
        return WireRequest(host.base_url + "chat?x=1", {**host.headers, "x-dialect": "1"}, body, notes)

    def reply(self, body, request, _host):
        if "error" in body:
            raise thrown({"category": "server_error", "message": body["error"]})
        return ChatReply(text=body["text"], output_tokens=1, model=request.model, provider="tiny")

    def failure(self, status, body, host, retry_after=None):
        return http_failure(host.provider, status, body, retry_after=retry_after)

    def reader(self, request, _host):
        return Reader(request)


def backend(url, framing=SSE):
    host = Host(provider="tiny", base_url=url, headers={"x-configured": "1"})
    endpoint = Endpoint(Tiny(framing), host, {"authorization": Secret(KEY).prefixed("Bearer "), "x-key": Secret(KEY)})
    return VendorBackend("tiny", lambda _run, _request: endpoint)


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("LLM", "LLM_PROVIDER", "LLM_MODEL", "LLM_CALLS_DISABLED", "LLM_STREAM"):
        monkeypatch.delenv(f"HARN_{name}", raising=False)
        monkeypatch.delenv(f"HARNLITE_{name}", raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def serve():
    servers = []

    def start(answer):
        servers.append(Server(answer))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def streamed(*parts, ends=True, kind="text/event-stream"):
    """Return a behaviour that streams these parts in answer to each request of a connection."""

    def answer(server, connection):
        while (request := connection.request()) is not None:
            server.requests.append(request)
            connection.start(kind)
            for part in parts:
                connection.chunk(part.encode() if isinstance(part, str) else part)
            if not ends:
                return
            connection.finish()

    return answer


def in_turn(*behaviours):
    """Return a behaviour that is another one for each request."""
    left = list(behaviours)

    def answer(server, connection):
        left.pop(0)(server, connection)

    return answer


def one(**reply):
    def answer(server, connection):
        server.requests.append(connection.request())
        connection.reply(**{"connection": "close", **reply})

    return answer


def calling(server, options=None, framing=SSE, on_delta=None, **context):
    run = Execution(context=context)

    def work():
        backends_of(run).register(backend(server.url, framing))
        return call(run, "hi", None, {"provider": "tiny", "model": "m", **(options or {})}, None, on_delta)

    return run.enter(work)


def error_of(server, options=None, framing=SSE, **context):
    with pytest.raises(ScriptError) as caught:
        calling(server, options, framing, **context)
    text = "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value))
    assert KEY[:8] not in text
    return caught.value.value


def test_a_stream(serve):
    server = serve(streamed(event("grü"), event("ße 🎉"), USED, END))
    pieces = []
    result = calling(server, on_delta=pieces.append)
    assert (result["text"], result["output_tokens"], pieces) == ("grüße 🎉", 7, ["grü", "ße 🎉"])
    [(head, body)] = server.requests
    lines = head.lower().split("\r\n")
    assert lines[0] == "post /chat?x=1 http/1.1"
    wanted = {"x-configured: 1", "x-dialect: 1", f"authorization: bearer {KEY}", "accept: text/event-stream"}
    assert wanted <= set(lines)
    assert json.loads(body) == {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}


def test_every_cut_of_a_stream_gives_the_same_text(serve):
    data = (event("grüße 🎉") + event("x") + "data: [DONE]\n\n").encode()
    cuts = range(1, len(data), 5)
    server = serve(in_turn(*(streamed(data[:cut], data[cut:], ends=False) for cut in cuts)))
    texts = {calling(server)["text"] for _ in cuts}
    assert texts == {"grüße 🎉x"}


def test_a_reply_that_is_not_streamed(serve):
    server = serve(always(body=b'{"text": "whole"}', kind="application/json; charset=utf-8"))
    assert calling(server, {"stream": False})["text"] == "whole"
    assert json.loads(server.requests[0][1])["stream"] is False
    assert "accept: application/json" in server.requests[0][0].lower()
    # A server without streaming sends one object although a stream was requested.
    assert calling(server)["text"] == "whole"


def test_lines_of_json(serve):
    server = serve(streamed('{"text": "a"}\n{"te', 'xt": "b"}\n', '{"end": true}', kind="application/x-ndjson"))
    assert calling(server, framing=JSON_LINES)["text"] == "ab"


def test_thinking_and_tool_calls_reach_a_listener_that_wants_them(serve):
    server = serve(streamed('data: {"thinking": "hm", "tool_call": "{}"}\n\n', event("x"), END))
    texts, details = [], []
    calling(server, on_delta=StreamListener(texts.append, lambda delta: details.append((delta.kind, delta.text))))
    assert (texts, details) == (["x"], [("thinking", "hm"), ("tool_call", "{}")])


def test_the_connection_is_used_again_after_the_end_mark(serve):
    server = serve(streamed(event("x"), "data: [DONE]\n\n", ": late\n\n"))
    for _ in range(3):
        assert calling(server)["text"] == "x"
        assert eventually(lambda: not POOL._connections._busy), "the rest of the answer is not read"
    assert len(server.connections) == 1


def test_a_stream_that_stays_open_after_its_end_mark_ends(serve):
    def answer(_server, connection):
        connection.request()
        connection.start()
        connection.chunk((event("x") + END).encode())
        connection.chunk(USED.encode())
        connection.wait_for_close()

    result = calling(serve(answer))
    assert (result["text"], result["output_tokens"]) == ("x", 7)


# Servers that misbehave


@pytest.mark.parametrize(
    ("answer", "category", "reason", "words"),
    [
        (streamed(event("a")), "transient_network", "network_error", "without its end mark"),
        (streamed(event("a"), ends=False), "transient_network", "network_error", "connection closed"),
        (streamed('data: {"text": "a"'), "transient_network", "network_error", "without its end mark"),
        (streamed("data: {nonsense\n\n"), "server_error", "server_error", "no JSON object: {nonsense"),
        (streamed("data: [1]\n\n"), "server_error", "server_error", "no JSON object"),
        (streamed('data: {"usage": "x"}\n\n'), "server_error", "server_error", "unknown form"),
        (streamed('data: {"error": "busy"}\n\n'), "overloaded", "server_error", "busy"),
        (one(body=b"<html><title>Hi</title>", kind="text/html"), "server_error", "server_error", "text/html instead"),
        (one(body=b'{"text": 1', kind="application/json"), "server_error", "server_error", "no JSON object"),
        (one(body=b'{"error": "x"}', kind="application/json"), "server_error", "server_error", "x"),
        (one(body=b'{"other": "x"}', kind="application/json"), "server_error", "server_error", "unknown form"),
        (one(body=b"no", status="401 Unauthorized"), "auth", "auth_failure", "tiny HTTP 401 [auth_failure]: no"),
        (one(body=b"API_KEY_INVALID", status="400 Bad"), "auth", "auth_failure", "tiny HTTP 400"),
        (one(body=b"x", status="529 Overloaded"), "overloaded", "server_error", "tiny HTTP 529 [http_error]: x"),
        (one(body=b"x", status="520 Odd"), "server_error", "server_error", "tiny HTTP 520 [http_error]: x"),
        (
            one(body=b"<html><title>Bad gateway</title>", status="502 Bad", kind="text/html"),
            "server_error",
            "server_error",
            "tiny HTTP 502 [http_error]: an HTML page: Bad gateway",
        ),
        (raw(b"garbage\r\n\r\n"), "server_error", "server_error", "did not answer in HTTP"),
        (raw(), "transient_network", "network_error", "broke"),
    ],
)  # fmt: skip
def test_broken_replies(serve, answer, category, reason, words):
    error = error_of(serve(answer))
    assert (error["category"], error["reason"], error["provider"], error["model"]) == (category, reason, "tiny", "m")
    assert words in error["message"]


def test_a_reset(serve):
    def answer(_server, connection):
        connection.request()
        connection.reset()

    assert error_of(serve(answer))["reason"] == "network_error"


def test_a_slow_first_byte(serve):
    server = serve(raw(stays=True))
    error = error_of(server, {"timeout": 0.2})
    assert (error["category"], error["kind"]) == ("timeout", "transient")
    assert error_of(server, {"idle_timeout": 0.2})["category"] == "timeout"


def test_an_endless_line(serve):
    def answer(_server, connection):
        connection.request()
        connection.start()
        connection.chunk(b"data: ")
        while True:
            connection.chunk(b"x" * 1_000_000)

    assert "sent an event of more than" in error_of(serve(answer))["message"]


def test_an_error_page_without_end_is_cut(serve):
    def answer(_server, connection):
        connection.request()
        connection.start("text/plain", "500 Oops")
        while True:
            connection.chunk(b"y" * 1000)

    message = error_of(serve(answer))["message"]
    assert message.startswith("tiny HTTP 500 [http_error]: yyy")
    assert len(message) < 5000


@pytest.mark.parametrize(
    ("headers", "ms"),
    [
        ({"retry_after": "2"}, 2000),
        ({"retry_after": "1.5"}, 1500),
        ({"retry_after": "3600"}, 60_000),
        ({"retry_after_ms": "250", "retry_after": "1"}, 250),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry_after": "soon"}, None),
    ],
)
def test_the_wait_that_the_server_requests(serve, headers, ms):
    error = error_of(serve(one(body=b"slow down", status="429 Too Many", **headers)))
    assert (error["category"], error["kind"], error.get("retry_after_ms")) == ("rate_limit", "transient", ms)


def test_redirects_are_not_followed(serve):
    other = serve(always(body=b'{"text": "stolen"}', kind="application/json"))
    server = serve(one(status="307 Temporary", location=f"{other.url}?secret=1"))
    error = error_of(server)
    assert f"redirects to {other.url}" in error["message"]
    assert "secret" not in error["message"]
    assert not other.requests


# Attempts


def test_nothing_of_a_broken_attempt_stays(serve, monkeypatch):
    waits = []
    monkeypatch.setattr(Execution, "sleep", lambda _run, seconds: waits.append(seconds))
    broken, good = streamed(event("old "), ends=False), streamed(event("new"), END)
    assert calling(serve(in_turn(broken, good)), {"llm_retries": 1, "llm_backoff_ms": 100})["text"] == "new"
    assert 0.1 <= waits[0] <= 0.15


def test_a_listener_that_can_restart_is_told(serve):
    heard = []
    listener = StreamListener(heard.append, None, lambda: heard.append(None))
    server = serve(in_turn(streamed(event("old "), ends=False), streamed(event("new"), END)))
    result = calling(server, {"llm_retries": 1, "llm_backoff_ms": 1}, on_delta=listener)
    assert (result["text"], heard) == ("new", ["old ", None, "new"])


def test_an_attempt_is_not_repeated_if_its_text_cannot_be_taken_back(serve):
    pieces = []
    server = serve(in_turn(streamed(event("old "), ends=False), streamed(event("new"), END)))
    with pytest.raises(ScriptError, match="error"):
        calling(server, {"llm_retries": 1, "llm_backoff_ms": 1, "fallback_chain": ["mock"]}, on_delta=pieces.append)
    assert (pieces, len(server.requests)) == (["old "], 1)
    # Before the first piece of text, it is.
    server = serve(in_turn(streamed(": waiting\n\n", ends=False), streamed(event("new"), END)))
    assert calling(server, {"llm_retries": 1, "llm_backoff_ms": 1}, on_delta=pieces.append)["text"] == "new"


def test_a_channel_delivers_pieces_and_then_the_error(serve):
    server = serve(streamed(event("a"), event("b"), ends=False))
    run = Execution()

    def work():
        backends_of(run).register(backend(server.url))
        channel = stream(run, "hi", None, {"provider": "tiny", "model": "m", "llm_retries": 2}, None)
        return list(channel.harn_iterate())

    pieces = run.enter(work)
    assert pieces[:2] == ["a", "b"]
    assert pieces[2].startswith("error: connection to 127.0.0.1:")
    assert len(server.requests) == 1


# Keys


@pytest.mark.parametrize("shown", [KEY, KEY[:12], f"{KEY[:9]}***cdef", f"Bearer {KEY}"])
def test_no_error_repeats_the_key(serve, shown):
    body = json.dumps({"error": f"Incorrect API key: {shown}."})
    replies = [
        one(body=body.encode(), status="401 Unauthorized", retry_after=shown),
        one(body=body.encode(), status="500 Oops", kind="text/html"),
        one(body=body.encode(), kind="application/json"),
        one(body=body.encode(), kind="text/html"),
        one(body=shown.encode(), kind="application/json"),
        one(status="302 Found", location=f"http://x/{shown}"),
        streamed(f"data: {body}\n\n"),
        streamed(f"data: {shown}\n\n"),
    ]
    for reply in replies:
        assert KEY[:8] not in repr(error_of(serve(reply)))


def test_no_frame_of_an_error_shows_the_key(serve):
    server = serve(raw(b"garbage\r\n\r\n"))
    with pytest.raises(ScriptError) as caught:
        calling(server)
    seen = []
    error = caught.value
    while error is not None:
        trace = error.__traceback__
        while trace is not None:
            if "harnlite" in trace.tb_frame.f_code.co_filename and "/tests/" not in trace.tb_frame.f_code.co_filename:
                seen.append(repr(trace.tb_frame.f_locals))
            trace = trace.tb_next
        error = error.__context__
    assert seen
    assert not [text for text in seen if KEY[:8] in text]


def test_notes_are_written_once_in_a_run(serve, capsys):
    server = serve(streamed(event("x"), END))
    run = Execution(stderr=sys.stderr)

    def work():
        backends_of(run).register(backend(server.url))
        for _ in range(3):
            call(run, "hi", None, {"provider": "tiny", "model": "m", "seed": 1})

    run.enter(work)
    assert capsys.readouterr().err == "[harn] warning: option 'seed' is not sent to tiny\n"


# Access


@pytest.mark.parametrize(("denied", "missing"), [("net", "net"), ("llm", "llm")])
def test_a_call_needs_llm_and_net(serve, denied, missing):
    server = serve(streamed(event("x"), END))
    permissions = Permissions([grants_of("", "/", deny=[denied])])
    text = error_of(server, permissions=permissions)
    assert text.startswith(f"Error [tool_rejected]: Tool 'llm_call' is not permitted: it needs {missing} ")
    assert not server.connections


@pytest.mark.parametrize("uses_network", [None, False])
def test_a_backend_of_a_user_needs_net_unless_it_says_otherwise(uses_network):
    class Own:
        name = "own"

        def complete(self, _run, request, _on_delta):
            return ChatReply(text="mine", model=request.model, provider="own")

    own = Own()
    if uses_network is not None:
        own.uses_network = uses_network
    run = Execution(context={"permissions": Permissions([grants_of("", "/", deny=["net"])])})

    def work():
        backends_of(run).register(own)
        return call(run, "x", None, {"provider": "own", "model": "m"})["text"]

    if uses_network is False:
        assert run.enter(work) == "mine"
    else:
        with pytest.raises(ScriptError, match=r"^Error \[tool_rejected\].*needs net"):
            run.enter(work)


def test_the_mock_needs_only_llm(serve):
    for denied, is_refused in (("net", False), ("llm", True)):
        permissions = Permissions([grants_of("", "/", deny=[denied])])
        run = Execution(context={"permissions": permissions})
        if is_refused:
            with pytest.raises(ScriptError, match=r"^Error \[tool_rejected\]"):
                run.enter(lambda run=run: call(run, "x", None, {"provider": "mock"}))
        else:
            assert run.enter(lambda run=run: call(run, "x", None, {"provider": "mock"}))["provider"] == "mock"


def test_the_configured_address_counts_as_named(serve):
    server = serve(streamed(event("x"), END))
    permissions = Permissions([grants_of("", "/", allow=["net=example.com"])])
    assert calling(server, permissions=permissions)["text"] == "x"


def test_nothing_is_sent_when_models_are_off(serve, monkeypatch):
    server = serve(streamed(event("x"), END))
    monkeypatch.setenv("HARNLITE_LLM", "off")
    assert "disabled" in error_of(server)["message"]
    assert not server.connections


def test_a_cancelled_call_closes_its_connection(serve):
    server = serve(raw(stays=True))
    run = Execution()

    def work():
        backends_of(run).register(backend(server.url))
        channel = stream(run, "hi", None, {"provider": "tiny", "model": "m"}, None)
        while not server.requests:
            run.sleep(0.01)
        [task] = run.scheduler.live
        assert server.connections[0].closed_at is None
        run.scheduler.cancel(task)
        while server.connections[0].closed_at is None:
            run.sleep(0.01)
        return channel

    run.enter(work)  # which ends when the connection is closed


def test_a_value_that_json_cannot_hold_is_not_sent(serve):
    server = serve(streamed(event("x"), END))
    messages = [{"role": "user", "content": float("nan")}]
    run = Execution()
    request = ChatRequest(provider="tiny", model="m", messages=messages)
    with pytest.raises(ScriptError, match="JSON cannot represent"):
        run.enter(lambda: backend(server.url).complete(run, request, None))
    assert not server.connections
