"""Requests, answers and what goes wrong between them."""

import gzip
import socket
import time
import zlib

import pytest

from harnlite.http.client import send
from harnlite.http.pool import POOL
from harnlite.values.errors import ScriptError

from .servers import KEYS, always, raw, silent_port, within

OK = b"HTTP/1.1 200 OK\r\n"


def body_of(url, **options):
    def work(run):
        response = send(run, options.pop("method", "GET"), url, name="http_get", **options)
        try:
            return response.read()
        finally:
            response.close()

    return within(work)


def error_of(url, **options):
    with pytest.raises(ScriptError) as caught:
        body_of(url, **options)
    return caught.value.value


def test_a_request_and_its_answer(serve):
    server = serve(always(body=b"hello", x_one="1"))

    def work(run):
        response = send(run, "POST", server.url + "a b?x=1", name="http_post", headers=[("X-Two", "2")], body=b"{}")
        return response.status, response.headers["x-one"], response.content_type, response.read()

    assert within(work) == (200, "1", "text/plain", b"hello")
    [(head, body)] = server.requests
    assert head.startswith("POST /a%20b?x=1 HTTP/1.1\r\n")
    assert f"host: 127.0.0.1:{server.port}\r\n" in head.lower()
    assert "x-two: 2" in head.lower()
    assert body == b"{}"


def test_one_connection_serves_many_requests(serve):
    server = serve(always(body=b"x"))
    within(lambda run: [send(run, "GET", server.url, name="x").read() for _ in range(20)])
    assert (len(server.connections), len(server.requests)) == (1, 20)


def test_several_runs_share_the_connections(serve):
    server = serve(always(body=b"x"))
    for _ in range(3):
        body_of(server.url)
    assert len(server.connections) == 1


def test_a_refused_connection():
    with silent_port() as port:
        error = error_of(f"http://127.0.0.1:{port}/path?key=hidden")
        assert error == f"Error [transient_network]: cannot connect to 127.0.0.1:{port}: connection refused"


def test_a_host_that_does_not_exist(monkeypatch):
    def look_up(*_args, **_options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    error = error_of("http://nowhere.invalid/?key=hidden")
    assert error.startswith("Error [transient_network]: cannot connect to nowhere.invalid:80: dns error (")
    assert "hidden" not in error


@pytest.mark.parametrize(
    ("pieces", "category"),
    [
        ([], "transient_network"),
        ([b"HTTP/1.1 200"], "transient_network"),
        ([OK + b"content-length: 10\r\n\r\nabc"], "transient_network"),
        ([OK + b"transfer-encoding: chunked\r\n\r\n5\r\nab"], "transient_network"),
        ([OK + b"transfer-encoding: chunked\r\n\r\nzz\r\nab"], "server_error"),
        ([b"SSH-2.0-OpenSSH_9.9\r\n\r\n"], "server_error"),
        ([b"\x00\xff" * 5000], "server_error"),
        ([b"HTTP/1.1 200 OK\r\n" + b"x: " + b"y" * 500_000], "server_error"),
    ],
)
def test_broken_answers(serve, pieces, category):
    server = serve(raw(*pieces))
    error = error_of(server.url)
    assert error.startswith(f"Error [{category}]: ")
    assert f"127.0.0.1:{server.port}" in error


def test_a_reset(serve):
    def answer(_server, connection):
        connection.request()
        connection.reset()

    server = serve(answer)
    assert error_of(server.url) == (
        f"Error [transient_network]: connection to 127.0.0.1:{server.port} broke: connection reset"
    )


def test_time_limits(serve):
    server = serve(raw(stays=True))
    started = time.monotonic()
    assert error_of(server.url, timeout=0.2) == (
        f"Error [timeout]: 127.0.0.1:{server.port} did not answer in 0.2 s: timed out"
    )
    assert error_of(server.url, idle_timeout=0.2) == (
        f"Error [timeout]: 127.0.0.1:{server.port} sent nothing for 0.2 s: timed out"
    )
    assert time.monotonic() - started < 5


def test_the_whole_limit_covers_the_body_and_the_idle_limit_each_pause(serve):
    def answer(_server, connection):
        while connection.request() is not None:
            connection.start()
            for _ in range(20):
                connection.chunk(b"x")
                time.sleep(0.05)
            connection.finish()

    server = serve(answer)
    assert body_of(server.url, idle_timeout=30.0) == b"x" * 20
    assert "did not answer in 0.3 s" in error_of(server.url, timeout=0.3, idle_timeout=30.0)


def test_a_body_has_a_limit(serve):
    server = serve(always(body=b"x" * 100_000))
    assert error_of(server.url, max_bytes=1000) == (
        f"Error [generic]: 127.0.0.1:{server.port} sent a body of more than 1000 bytes"
    )


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(b"hello" * 1000, mtime=0)),
        ("gzip", gzip.compress(b"hello" * 400, mtime=0) + gzip.compress(b"hello" * 600, mtime=0)),
        ("gzip", gzip.compress(b"hello" * 1000, mtime=0) + bytes(9)),
        ("deflate", zlib.compress(b"hello" * 1000)),
        ("deflate", zlib.compress(b"hello" * 1000, wbits=-15)),
    ],
)
def test_compressed_bodies(serve, coding, packed):
    server = serve(always(body=packed, content_encoding=coding))
    assert body_of(server.url) == b"hello" * 1000


def test_a_compressed_body_cannot_exceed_the_limit_unnoticed(serve):
    server = serve(always(body=gzip.compress(b"0" * 50_000_000, mtime=0), content_encoding="gzip"))
    assert "more than 1000000 bytes" in error_of(server.url, max_bytes=1_000_000)


def test_members_of_a_compressed_body_that_come_in_small_pieces(serve):
    packed = gzip.compress(b"hello ", mtime=0) + gzip.compress(b"world", mtime=0)
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(packed)
    server = serve(raw(head, *(packed[at : at + 1] for at in range(len(packed))), pause=0.002))
    assert body_of(server.url) == b"hello world"


def test_a_body_of_countless_compressed_members_is_refused(serve):
    server = serve(always(body=gzip.compress(b"", mtime=0) * 20_000, content_encoding="gzip"))
    assert "stream error: the compressed answer has too many members" in error_of(server.url)


def test_a_cut_compressed_body_is_an_error(serve):
    packed = gzip.compress(b"hello", mtime=0)
    server = serve(always(body=packed + packed[:-4], content_encoding="gzip"))
    assert "stream error: the compressed answer is cut" in error_of(server.url)
    server = serve(always(body=gzip.compress(b"hello" * 1000, mtime=0)[:-12], content_encoding="gzip"))
    assert "stream error: the compressed answer is cut" in error_of(server.url)


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://a/", "http://", "http:///x", "http://a b/", "http://a:99999/", "http://[::1/"),
        *("http://a\nb/", "http://a/b\r\nx: y", "http://a/\tb", "http://a/\0", "http://a/\x7f"),
    ],
)
def test_urls_that_are_not_valid(url):
    assert error_of(url).startswith("Error [generic]: ")


def test_header_values_cannot_add_headers_and_are_not_shown(serve):
    server = serve(always())
    error = error_of(server.url, headers=[("x-key", "hidden\r\nx-other: 1")])
    assert error == (
        f"Error [generic]: cannot send the request to 127.0.0.1:{server.port}: a header or the address is not valid"
    )
    assert not server.requests


def test_tls(serve, monkeypatch):
    server = serve(always(body=b"secure"), key="good.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(KEYS / "good.pem"))
    assert body_of(server.url) == b"secure"


def test_an_expired_certificate_is_named_with_its_host(serve, monkeypatch):
    server = serve(always(), key="expired.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(KEYS / "expired.pem"))
    place = f"127.0.0.1:{server.port}"
    assert error_of(server.url) == f"Error [generic]: cannot connect securely to {place}: certificate has expired"


def test_a_server_without_tls_behind_https(serve):
    server = serve(lambda _server, connection: connection.send(b"HTTP/1.1 400 Bad Request\r\n\r\n"))
    error = error_of(server.url.replace("http:", "https:"))
    assert error.startswith(f"Error [transient_network]: cannot connect to 127.0.0.1:{server.port}: TLS failed (")


def test_redirects_are_followed_only_on_request_and_drop_credentials(serve):
    target = serve(always(body=b"there"))
    server = serve(always(status="302 Found", location=f"{target.url}new?x=1"))
    assert within(lambda run: send(run, "GET", server.url, name="x").status) == 302
    headers = [("Authorization", "Bearer hidden"), ("X-Kept", "1")]
    assert body_of(server.url, method="POST", body=b"b", headers=headers, follow=3) == b"there"
    head, body = target.requests[0]
    assert head.startswith("GET /new?x=1 ")
    assert body == b""
    assert "hidden" not in head
    assert "X-Kept" in head


def test_a_proxy_of_the_environment_is_used(serve, monkeypatch):
    proxy = serve(always(body=b"by proxy"))
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
    assert body_of("http://example.test/path") == b"by proxy"
    assert proxy.requests[0][0].startswith("GET http://example.test/path HTTP/1.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert body_of(serve(always(body=b"direct")).url) == b"direct"


@pytest.mark.parametrize("proxy", ["bogus://a", "http://127.0.0.1:99999"])
def test_a_proxy_that_is_not_valid(monkeypatch, proxy):
    monkeypatch.setenv("http_proxy", proxy)
    assert error_of("http://a.test/").startswith("Error [generic]: cannot send the request to a.test:80: ")


def test_the_pool_can_be_closed_and_starts_again(serve):
    server = serve(always(body=b"x"))
    body_of(server.url)
    POOL.close()
    assert body_of(server.url) == b"x"
    assert len(server.connections) == 2
