"""The builtins of scripts for HTTP, against servers on loopback."""

import gzip
import json
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.host.engine import Engine
from harnlite.library.http_answers import Answer, body_value

from .servers import PATIENCE, always, raw, silent_port


def printed(source, **options):
    """Run a program and return the lines that it has printed."""
    result = Engine(cache=False, **options).run(source)
    assert result.exit_code == 0, result.error
    return result.stdout.splitlines()


def caught(call, **options):
    """Return what a call throws, as the catch sees it, and its category."""
    return printed(f"try {{ {call} }} catch (e) {{ println(e)\nprintln(error_category(e)) }}", **options)


def in_turn(*replies):
    """Return a behaviour that answers with one reply after the other; the last one is repeated."""
    left = list(replies)

    def answer(server, connection):
        while (request := connection.request()) is not None:
            server.requests.append(request)
            connection.reply(**(left.pop(0) if len(left) > 1 else left[0]))

    return answer


def sent(server):
    """Return the request line, the headers and the body of the last request."""
    head, body = server.requests[-1]
    line, *rows = head.split("\r\n")
    return line, {name.lower(): value.strip() for name, _, value in (row.partition(":") for row in rows)}, body


def test_the_result_has_everything(serve):
    server = serve(always(body=b'{"b": [1, 2.5]}', kind="application/json; charset=utf-8", X_One="1"))
    [line] = printed(f'println(json_stringify(http_get("{server.url}a?b=1")))')
    found = json.loads(line)
    assert found.pop("elapsed_ms") >= 0
    assert found == {
        "status": 200,
        "ok": True,
        "headers": {"content-length": "15", "content-type": "application/json; charset=utf-8", "x-one": "1"},
        "body": '{"b": [1, 2.5]}',
        "json": {"b": [1, 2.5]},
        "url": f"{server.url}a?b=1",
    }
    assert sent(server)[0] == "GET /a?b=1 HTTP/1.1"


@pytest.mark.parametrize("method", ["get", "head", "post", "put", "patch", "delete"])
def test_each_method_has_a_builtin(serve, method):
    server = serve(raw(b"HTTP/1.1 204 No Content\r\n\r\n"))
    assert printed(f'println(http_{method}("{server.url}").status)') == ["204"]
    assert sent(server)[0] == f"{method.upper()} / HTTP/1.1"


def test_any_other_method(serve):
    server = serve(always(body=b"x"))
    assert printed(f'println(http_request("purge", "{server.url}").body)') == ["x"]
    assert sent(server)[0] == "PURGE / HTTP/1.1"


@pytest.mark.parametrize("status", ["404 Not Found", "500 Broken", "299 Fine"])
def test_no_status_throws(serve, status):
    server = serve(raw(f"HTTP/1.1 {status}\r\ncontent-length: 1\r\n\r\nx".encode()))
    expected = [status[:3], "true" if status.startswith("2") else "false", "x"]
    assert printed(f'let r = http_get("{server.url}")\nprintln(r.status)\nprintln(r.ok)\nprintln(r.body)') == expected


@pytest.mark.parametrize(
    ("options", "target"),
    [
        ('{query: {q: "a b&c", n: 1, none: nil, many: [1, "x"]}}', "/?many=1&many=x&n=1&q=a+b%26c"),
        ('{query: [{key: "z", value: 1}, {key: "a", value: true}]}', "/?z=1&a=true"),
        ("{query: {}}", "/"),
    ],
)
def test_a_query_is_added(serve, options, target):
    server = serve(always())
    printed(f'http_get("{server.url}", {options})')
    assert sent(server)[0] == f"GET {target} HTTP/1.1"


def test_a_query_is_added_before_the_fragment_and_after_another_query(serve):
    server = serve(always())
    assert printed(f'println(http_get("{server.url}x?a=1#f", {{query: {{b: "é"}}}}).url)') == [
        f"{server.url}x?a=1&b=%C3%A9"
    ]
    assert sent(server)[0] == "GET /x?a=1&b=%C3%A9 HTTP/1.1"


@pytest.mark.parametrize(
    ("options", "kind", "body"),
    [
        ('{json: {b: "é", a: [1, 2.0, nil]}}', "application/json", '{"a":[1,2,null],"b":"é"}'.encode()),
        ("{json: false}", "application/json", b"false"),
        ('{form: {b: "x y", a: "&"}}', "application/x-www-form-urlencoded", b"a=%26&b=x+y"),
        ('{body: "é"}', "text/plain; charset=utf-8", "é".encode()),
        ('{body: bytes_from_hex("00ff")}', "application/octet-stream", b"\x00\xff"),
        ('{body: "<a/>", headers: {"content-type": "text/xml"}}', "text/xml", b"<a/>"),
    ],
)
def test_a_body_and_its_content_type(serve, options, kind, body):
    server = serve(always())
    printed(f'http_post("{server.url}", {options})')
    _, headers, found = sent(server)
    assert (headers["content-type"], headers["content-length"], found) == (kind, str(len(body)), body)


def test_headers(serve):
    server = serve(always())
    printed(f'http_get("{server.url}", {{headers: {{"X-A": "1", n: 2, none: nil, Accept: "text/html"}}}})')
    _, headers, _ = sent(server)
    assert (headers["x-a"], headers["n"], headers["accept"], "none" in headers) == ("1", "2", "text/html", False)


def test_blanks_around_an_address_and_a_header_are_not_sent(serve):
    server = serve(always())
    headers = '{A: " x y\\t", "Content-Length": "1"}'
    printed(f'http_post(" {server.url}a\\n", {{headers: {headers}, body: "z", query: {{b: 1}}}})')
    line, headers, body = sent(server)
    assert (line, headers["a"], headers["content-length"], body) == ("POST /a?b=1 HTTP/1.1", "x y", "1", b"z")


def test_cookies_that_a_server_sets_stay_apart(serve):
    server = serve(raw(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nSet-Cookie: b=2\r\ncontent-length: 0\r\n\r\n"))
    source = f'let h = http_get("{server.url}").headers\nprintln(h)\nprintln(cookie_round_trip(h).cookie_header)'
    assert printed(source) == ["{content-length: 0, set-cookie: [a=1; Path=/, b=2]}", "a=1; b=2"]


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        (b"caf\xe9", "text/plain; charset=latin-1", "café"),
        (b"caf\xe9", 'text/plain; charset="ISO-8859-1"', "café"),
        ("é".encode(), "text/plain; charset=nonsense", "é"),
        (b"abc", "text/plain; charset=rot13", "abc"),
        (b"\xef\xbb\xbfa", "text/plain", "a"),
        ("hé".encode("utf-16"), "text/plain; charset=utf-16", "hé"),
        (b"caf\xe9", "text/plain", 'b"636166e9"'),
        (b"\x89PNG\0", "image/png", 'b"89504e4700"'),
        (b"a\0b", "application/octet-stream", 'b"610062"'),
        (b"", "text/plain", ""),
    ],
)
def test_a_body_that_is_text_is_a_string(serve, body, kind, text):
    server = serve(always(body=body, kind=kind))
    assert printed(f'println(http_get("{server.url}").body)') == [text]


@pytest.mark.parametrize(
    ("body", "kind", "value"),
    [
        (b"[1]", "application/json", "[1]"),
        (b"[1]", "application/problem+json", "[1]"),
        (b"[1]", "Text/JSON; charset=utf-8", "[1]"),
        (b"[1]", "text/plain", "nil"),
        (b"[1,", "application/json", "nil"),
        (b"", "application/json", "nil"),
        (b"\xff", "application/json", "nil"),
        (b"[1]", "application/jsonl", "nil"),
    ],
)
def test_json_is_the_value_of_a_json_body(serve, body, kind, value):
    server = serve(always(body=body, kind=kind))
    assert printed(f'println(http_get("{server.url}").json)') == [value]


@given(st.binary(), st.text(st.characters(max_codepoint=255)) | st.from_regex(r"[a-z/]+; ?charset=[\w.:-]+"))
def test_any_body_of_any_content_type_is_a_value(body, kind):
    value = body_value(body, kind)
    assert isinstance(value, str) or value == body
    result = Answer(200, {"content-type": kind}, "http://a.test/", body).result(None, 0, None)
    assert result["body"] == value


def test_a_compressed_body(serve):
    server = serve(always(body=gzip.compress(b"packed"), content_encoding="gzip"))
    assert printed(f'println(http_get("{server.url}").body)') == ["packed"]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_retries_after_a_status(serve, status):
    server = serve(in_turn({"status": f"{status} No"}, {"status": f"{status} No"}, {"body": b"x"}))
    assert printed(f'println(http_get("{server.url}", {{retries: 2}}).body)') == ["x"]
    assert (len(server.requests), len(server.connections)) == (3, 1)


def test_the_last_status_is_the_result(serve):
    server = serve(always(status="503 No", retry_after="0", body=b"busy"))
    assert printed(f'let r = http_get("{server.url}", {{retries: 2}})\nprintln(r.status)\nprintln(r.body)') == [
        "503",
        "busy",
    ]
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 500, 501])
def test_no_retry_after_another_status(serve, status):
    server = serve(always(status=f"{status} No"))
    assert printed(f'println(http_get("{server.url}", {{retries: 2}}).status)') == [str(status)]
    assert len(server.requests) == 1


def test_retry_after_is_the_least_wait(serve):
    server = serve(in_turn({"status": "429 Slow", "retry_after": "1"}, {"body": b"x"}))
    started = time.monotonic()
    printed(f'http_get("{server.url}", {{retries: 1}})')
    assert time.monotonic() - started >= 1


def test_retries_after_a_connection_that_breaks(serve):
    attempts = []

    def answer(server, connection):
        server.requests.append(connection.request())
        attempts.append(1)
        if len(attempts) == 1:
            connection.reset()
        elif len(attempts) == 2:
            connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf")
        else:
            connection.reply(b"whole")

    server = serve(answer)
    assert printed(f'println(http_get("{server.url}", {{retries: 2}}).body)') == ["whole"]


def test_a_server_that_is_not_there():
    with silent_port() as port:
        text = f"Error [transient_network]: cannot connect to 127.0.0.1:{port}: connection refused"
        assert caught(f'http_get("http://127.0.0.1:{port}/")') == [text, "transient_network"]
        assert caught(f'http_get("http://127.0.0.1:{port}/", {{retries: 1}})') == [text, "transient_network"]


@pytest.mark.parametrize("timeout", ["150ms", "150"])
def test_a_server_that_does_not_answer(serve, timeout):
    server = serve(raw(stays=True))
    text = f"Error [timeout]: 127.0.0.1:{server.port} did not answer in 0.15 s: timed out"
    assert caught(f'http_get("{server.url}", {{timeout: {timeout}}})') == [text, "timeout"]


def test_a_body_that_is_too_large(serve):
    server = serve(always(body=b"x" * 11))
    assert printed(f'println(len(http_get("{server.url}", {{max_bytes: 11}}).body))') == ["11"]
    text = f"Error [generic]: 127.0.0.1:{server.port} sent a body of more than 10 bytes"
    assert caught(f'http_get("{server.url}", {{max_bytes: 10}})') == [text, "generic"]


def test_a_compressed_body_counts_unpacked(serve):
    server = serve(always(body=gzip.compress(b"x" * 100_000), content_encoding="gzip"))
    [text, _] = caught(f'http_get("{server.url}", {{max_bytes: 50000}})')
    assert text.endswith("sent a body of more than 50000 bytes")


def test_a_body_keeps_the_limits_of_values(serve):
    server = serve(always(body=b"x" * 5_000_000))
    assert caught(f'http_get("{server.url}")', limits={"max_items": 2_000_000})[0] == "Value too large"


def streaming(*chunks, stays=False):
    def answer(server, connection):
        server.requests.append(connection.request())
        connection.start("text/plain")
        for chunk in chunks:
            connection.chunk(chunk)
            time.sleep(0.02)
        if stays:
            connection.wait_for_close()
        connection.finish()

    return answer


def test_a_stream_of_lines(serve):
    server = serve(streaming(b"one\ntw", b"o\r\n", b"\nthree"))
    source = f'let r = http_get("{server.url}", {{stream: "lines"}})\nprintln(type_of(r.body))\nprintln(r.json)\n'
    assert printed(source + "for line in r.body { println(line) }") == ["iter", "nil", "one", "two", "", "three"]


@pytest.mark.parametrize(
    ("charset", "data", "lines"),
    [
        ("latin-1", "\xe9\n\xfc".encode("latin-1"), "[é, ü]"),
        ("shift_jis", "表\r\n示".encode("shift_jis"), "[表, 示]"),
        ("utf-16", b"a\nb", "[a, b]"),
        ("unknown", "é\nb".encode(), "[é, b]"),
    ],
)
def test_the_lines_of_a_charset(serve, charset, data, lines):
    server = serve(always(body=data, kind=f"text/plain; charset={charset}"))
    assert printed(f'println(http_get("{server.url}", {{stream: "lines"}}).body.to_list())') == [lines]


def test_a_stream_of_chunks(serve):
    server = serve(streaming(b"one", b"\xff"))
    source = f'for part in http_get("{server.url}", {{stream: "chunks"}}).body {{ println(part) }}'
    assert printed(source) == ['b"6f6e65"', 'b"ff"']


def test_a_stream_is_read_while_it_arrives(serve):
    server = serve(streaming(b"first\n", stays=True))
    started = time.monotonic()
    source = f'for line in http_get("{server.url}", {{stream: "lines"}}).body {{ println(line)\nbreak }}'
    assert printed(source) == ["first"]
    assert time.monotonic() - started < 20


def test_a_stream_keeps_the_limit(serve):
    server = serve(streaming(b"x" * 20, b"x" * 20))
    [text, _] = caught(f'for c in http_get("{server.url}", {{stream: "chunks", max_bytes: 30}}).body {{ }}')
    assert text.endswith("sent a body of more than 30 bytes")


def test_other_tasks_run_while_a_request_waits(serve):
    """The server answers none of the requests before all have arrived."""
    arrived = threading.Barrier(10)

    def together(server, connection):
        while (request := connection.request()) is not None:
            server.requests.append(request)
            arrived.wait(PATIENCE)
            connection.reply(b"x")

    server = serve(together)
    assert printed(f'println(parallel each 1 to 10 {{ i -> http_get("{server.url}").body }})') == [
        str(["x"] * 10).replace("'", "")
    ]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("http_get()", "Type error: 'http_get' parameter `url` expects string, got nil"),
        ('http_get("http://a.test", 1)', "Type error: 'http_get' parameter `options` expects dict, got int"),
        ('http_request(1, "http://a.test")', "Type error: 'http_request' parameter `method` expects string, got int"),
        ('http_request("G T", "http://a.test")', "Runtime error: http_request: 'G T' is not a method of a request"),
        ('http_request("Connect", "http://a")', "Runtime error: http_request: 'Connect' is not a method of a request"),
        ('http_get("http://a\\r\\nb/")', "Error [generic]: the URL contains a line break or another control character"),
        ('http_get("a.test")', "Error [generic]: the URL has the scheme ''; only http and https are supported"),
        ('http_get("file:///a")', "Error [generic]: the URL has the scheme 'file'; only http and https are supported"),
    ],
)
def test_wrong_arguments(call, text):
    assert caught(call)[0] == text


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("{timeuot: 1}", "Runtime error: http_get: unknown option `timeuot` (did you mean `timeout`?)"),
        ('{timeout: "5s"}', "Type error: 'http_get' option `timeout` expects duration | int, got string"),
        ("{timeout: 0}", "Runtime error: http_get: `timeout` must be positive"),
        ("{retries: 1.5}", "Type error: 'http_get' option `retries` expects int, got float"),
        ("{follow: -1}", "Runtime error: http_get: `follow` must not be negative"),
        ('{stream: "words"}', 'Runtime error: http_get: `stream` must be "lines" or "chunks"'),
        ("{query: 1}", "Type error: 'http_get' option `query` expects dict | list, got int"),
        ("{query: [1]}", "Runtime error: http_get: each item of `query` must be a {key, value} dict"),
        ("{headers: []}", "Type error: 'http_get' option `headers` expects dict, got list"),
        ("{headers: {a: {}}}", "Runtime error: http_get: the header 'a' must be a string, got dict"),
        ('{headers: {"a b": "1"}}', "Runtime error: http_get: 'a b' is not the name of a header"),
        ('{headers: {a: "1\\nb: 2"}}', "Runtime error: http_get: the header 'a' must not contain line breaks"),
        (
            '{headers: {"Content-Length": "9"}}',
            "Runtime error: http_get: the header 'Content-Length' does not fit the body; omit it",
        ),
        (
            '{body: "x", headers: {"transfer-encoding": "chunked"}}',
            "Runtime error: http_get: the header 'transfer-encoding' does not fit the body; omit it",
        ),
        ('{json: 1, body: "x"}', "Runtime error: http_get: only one of the options json, form and body may be given"),
        ("{body: 1}", "Type error: 'http_get' option `body` expects bytes | string, got int"),
    ],
)
def test_wrong_options(options, text):
    assert caught(f'http_get("http://a.test", {options})')[0] == text


def test_the_door_is_net(serve):
    server = serve(always(body=b"x"))
    text = "Error [tool_rejected]: Tool 'http_post' is not permitted: it needs net (--allow net=…)"
    assert caught(f'http_post("{server.url}")', sandbox=True) == [text, "tool_rejected"]
    assert caught("http_post(1)", sandbox=True) == [text, "tool_rejected"]
    [text, _] = caught(f'http_get("{server.url}", {{retries: 3}})', allow=["net=a.test"], sandbox=True)
    assert text.startswith("Error [tool_rejected]: Tool 'http_get' is not permitted")
    assert not server.requests
    assert printed(f'println(http_get("{server.url}").body)', allow=["net=127.0.0.1"], sandbox=True) == ["x"]
