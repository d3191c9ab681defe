"""HTTP requests of scripts that mocks answer."""

import pytest

from harnlite.host.engine import Engine


def printed(source, **options):
    result = Engine(cache=False, sandbox=True, **options).run(source)
    assert result.exit_code == 0, result.error
    return result.stdout.splitlines()


def caught(call, before=""):
    return printed(f"{before}\ntry {{ {call} }} catch (e) {{ println(e)\nprintln(error_category(e)) }}")


MATCHES = [
    ("*", "GET", "http://a.test", True),
    ("http://a.test", "GET", "http://a.test", True),
    ("http://a.test/", "GET", "http://a.test", True),
    ("http://a.test", "GET", "http://a.test/", True),
    ("http://A.test:80/x#y", "GET", "http://a.test/x", True),
    ("http://a.test/é*", "GET", "http://a.test/%C3%A9/x", True),
    ("http://bücher.test/*", "GET", "http://xn--bcher-kva.test/x", True),
    ("http://a.test/*", "GET", "http://user:pass@a.test/x", True),
    ("http://a.test", "GET", "http://a.test/x", False),
    ("http://a.test*", "GET", "http://a.test/x", True),
    ("http://a.test/x", "POST", "http://a.test/x?y=1#z", True),
    ("http://a.test/x?y=2", "GET", "http://a.test/x?y=1", False),
    ("http://a.test/x?y=*", "GET", "http://a.test/x?y=1", True),
    ("get http://a.test/x", "GET", "http://a.test/x", True),
    ("POST http://a.test/x", "GET", "http://a.test/x", False),
    ("* http://a.test/x", "PUT", "http://a.test/x", True),
    ("http://*.test/*/b", "GET", "http://a.test/x/y/b", True),
    ("http://*.test/*/b", "GET", "http://a.test/x/y/c", False),
    ("*aab*b", "GET", "http://a.test/aab", False),
    ("http://a.test/[x]", "GET", "http://a.test/x", False),
]


@pytest.mark.parametrize(("pattern", "method", "url", "fits"), MATCHES)
def test_patterns(pattern, method, url, fits):
    call = f'http_request("{method}", "{url}").body'
    source = f'http_mock("{pattern}", "hit")\ntry {{ println({call}) }} catch (e) {{ println(e) }}'
    assert printed(source) == ["hit" if fits else f"http_request: no http_mock matches {method} {url}"]


RESPONSES = [
    ('"text"', "200 true text nil {}"),
    ("nil", "200 true  nil {}"),
    ('bytes_from_hex("ff")', '200 true b"ff" nil {}'),
    ('{status: 503, headers: {"Retry-After": 1}}', "503 false  nil {retry-after: 1}"),
    ('{headers: {"Set-Cookie": ["a=1", "b=2"]}}', "200 true  nil {set-cookie: [a=1, b=2]}"),
    ("{json: [1]}", "200 true [1] [1] {content-type: application/json}"),
    ("{body: {a: 1}}", '200 true {"a":1} {a: 1} {content-type: application/json}'),
    ('{body: "[1]", headers: {"Content-Type": "text/json"}}', "200 true [1] [1] {content-type: text/json}"),
    ("{ request -> request.method + request.body }", "200 true POSThello nil {}"),
    ("{ request -> {status: 201, json: request.headers.keys()} }",
     '201 true ["content-type"] [content-type] {content-type: application/json}'),
]  # fmt: skip


@pytest.mark.parametrize(("response", "text"), RESPONSES)
def test_responses(response, text):
    source = f'http_mock("*", {response})\nlet r = http_post("http://a.test", {{body: "hello"}})\n'
    assert printed(source + 'println(r.status, r.ok, r.body, r.json ?? "nil", r.headers)') == [text]


def test_a_result_may_be_a_response():
    source = 'http_mock("*", {status: 201, body: "x"})\nhttp_mock("*", http_get("http://a.test/"))\n'
    assert printed(source + 'let r = http_get("http://a.test/")\nprintln(r.status, r.body)') == ["201 x"]


def test_a_mock_answers_as_a_server_does():
    mock = 'http_mock("*", "text")\n'
    assert printed(mock + 'println(http_head("http://a.test/").body == "")') == ["true"]
    assert printed(mock + 'println(http_get("http://user:pass@A.test/x#y").url)') == ["http://a.test/x"]
    assert printed(mock + 'println(http_get("http://a.test/", {max_bytes: 4}).body)') == ["text"]
    text = "Error [generic]: a.test:80 sent a body of more than 3 bytes"
    assert caught('http_get("http://a.test/", {max_bytes: 3})', before=mock) == [text, "generic"]


def test_the_newest_mock_answers_and_the_last_response_stays():
    source = """
http_mock("*", "old")
http_mock("http://a.test/*", ["one", {status: 500}, "three"])
for path in ["a", "b", "c", "d"] { println(http_get("http://a.test/" + path).body) }
println(http_get("http://b.test").body)
"""
    assert printed(source) == ["one", "", "three", "three", "old"]


def test_errors_of_a_mock_and_requests_without_one():
    assert caught('http_get("http://a.test")', 'http_mock("*", {error: {category: "timeout", message: "slow"}})') == [
        "Error [timeout]: slow",
        "timeout",
    ]
    assert caught('http_get("http://a.test")', 'http_mock("*", {error: "gone"})') == [
        "Error [transient_network]: gone",
        "transient_network",
    ]
    assert caught('http_get("http://b.test/x", {query: {a: 1}})', 'http_mock("http://a.test/*", "x")')[0] == (
        "http_get: no http_mock matches GET http://b.test/x?a=1"
    )
    assert caught('http_get("http://a.test")')[0].startswith("Error [tool_rejected]")


def test_retries_of_mocked_requests_do_not_wait():
    source = 'http_mock("*", [{status: 503, headers: {"retry-after": "60"}}, {error: "gone"}, "x"])\n'
    assert printed(source + 'println(http_get("http://a.test", {retries: 2}).body)', deadline=30) == ["x"]


def test_the_calls_are_recorded():
    source = """
println(http_mock_calls())
http_mock("http://a.test/*", nil)
http_put("http://a.test/x", {json: {a: 1}, headers: {"X-A": 1}, query: {q: 1}})
http_post("http://a.test/y", {body: bytes_from_hex("ff")})
try { http_get("http://b.test") } catch (e) { }
for call in http_mock_calls() { println(call) }
"""
    assert printed(source) == [
        "[]",
        '{body: {"a":1}, headers: {content-type: application/json, x-a: 1}, method: PUT, url: http://a.test/x?q=1}',
        '{body: b"ff", headers: {content-type: application/octet-stream}, method: POST, url: http://a.test/y}',
    ]


def test_streams_of_mocks():
    source = 'http_mock("*", "a\\nb\\n\\nc")\nprintln(http_get("http://a.test", {stream: "lines"}).body.to_list())'
    assert printed(source) == ["[a, b, , c]"]
    source = 'http_mock("*", "a\\nb")\nprintln(http_get("http://a.test", {stream: "chunks"}).body.to_list())'
    assert printed(source) == ['[b"610a62"]']


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("http_mock(1)", "Type error: 'http_mock' parameter `pattern` expects string, got int"),
        ('http_mock(" ")', "Runtime error: http_mock: the pattern must not be empty"),
        ('http_mock("*", [])', "Runtime error: http_mock: the list of responses is empty"),
        ('http_mock("*", {staus: 1})', "Runtime error: http_mock: unknown key `staus` in the response"),
        ('http_mock("*", {status: 42})', "Runtime error: http_mock: `status` must be an int from 100 to 599"),
        ('http_mock("*", [{status: "ok"}])', "Runtime error: http_mock: `status` must be an int from 100 to 599"),
        ('http_mock("*", 1)\nhttp_get("http://a.test")',
         "Type error: http_mock: the body of a response must be bytes | dict | list | string, got int"),
    ],
)  # fmt: skip
def test_wrong_mocks(call, text):
    assert caught(call)[0] == text
