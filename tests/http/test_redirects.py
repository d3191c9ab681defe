"""Redirects of the requests of scripts."""

import time

import pytest

from .servers import always
from .test_scripts import caught, in_turn, printed, sent


def test_redirects(serve):
    server = serve(in_turn(*({"status": "302 Found", "location": f"/{number}"} for number in range(3)), {"body": b"x"}))
    assert printed(f'let r = http_get("{server.url}")\nprintln(r.url)\nprintln(r.body)') == [f"{server.url}2", "x"]
    server = serve(always(status="302 Found", location="/again"))
    assert printed(f'println(http_get("{server.url}").status)') == ["302"]
    assert len(server.requests) == 11
    printed(f'http_get("{server.url}", {{follow: 0}})')
    assert len(server.requests) == 12


def test_a_redirect_to_another_server_takes_no_credentials(serve):
    other = serve(always(body=b"x"))
    server = serve(always(status="307 Temporary Redirect", location=other.url))
    printed(
        f'http_post("{server.url}", {{headers: {{Authorization: "Bearer abc", Cookie: "a=1", "X-A": "1"}}, body: "b"}})'
    )
    _, headers, body = sent(other)
    assert ("authorization" in headers, "cookie" in headers, headers["x-a"], body) == (False, False, "1", b"b")


def to(location, status=302, **reply):
    """Return a behaviour that redirects all requests but those for a path that begins with `/to`."""

    def answer(server, connection):
        while (request := connection.request()) is not None:
            server.requests.append(request)
            if request[0].split()[1].startswith("/to"):
                connection.reply(**reply)
            else:
                connection.reply(status=f"{status} Elsewhere", location=location)

    return answer


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
def test_the_method_after_a_redirect(serve, status, method):
    server = serve(to("/to", status))
    options = "" if method in ("GET", "HEAD") else ', {body: "abc"}'
    assert printed(f'println(http_request("{method}", "{server.url}"{options}).status)') == ["200"]
    becomes_get = method != "HEAD" and (status == 303 or (method == "POST" and status in (301, 302)))
    keeps_body = bool(options) and not becomes_get
    line, headers, body = sent(server)
    assert line == f"{'GET' if becomes_get else method} /to HTTP/1.1"
    assert (body, "content-type" in headers) == (b"abc" if keeps_body else b"", keeps_body)


def test_the_password_of_an_address_goes_to_the_same_server_only(serve):
    other = serve(always())
    server = serve(to("/to"))
    away = serve(to(other.url))
    for one, target, has_password in ((server, server, True), (away, other, False)):
        printed(f'http_get("{one.url.replace("//", "//user:pass@")}")')
        assert sent(one)[1]["authorization"] == "Basic dXNlcjpwYXNz"
        assert ("authorization" in sent(target)[1]) is has_password


@pytest.mark.parametrize(
    ("location", "target"), [("/to/\u00fc x?q=\u20ac", "/to/%C3%BC%20x?q=%E2%82%AC"), ("/to?a#b", "/to?a")]
)
def test_a_location_is_read_as_utf_8(serve, location, target):
    server = serve(to(location))
    assert printed(f'println(http_get("{server.url}").url)') == [server.url[:-1] + target]
    assert sent(server)[0] == f"GET {target} HTTP/1.1"


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "javascript:x", "http://[::1", "http://a b/", "http://a\tb/"]
)
def test_an_address_that_is_not_valid(serve, location):
    server = serve(to(location))
    [text, category] = caught(f'http_get("{server.url}")')
    assert text.startswith(f"Error [generic]: 127.0.0.1:{server.port} redirects to an invalid address: ")
    assert category == "generic"


def test_the_time_limit_covers_all_redirects(serve):
    def answer(server, connection):
        while (request := connection.request()) is not None:
            server.requests.append(request)
            time.sleep(0.1)
            connection.reply(status="302 Elsewhere", location="/again")

    server = serve(answer)
    text = f"Error [timeout]: 127.0.0.1:{server.port} did not answer in 0.25 s: timed out"
    assert caught(f'http_get("{server.url}", {{timeout: 250ms}})') == [text, "timeout"]
    assert len(server.requests) <= 3
