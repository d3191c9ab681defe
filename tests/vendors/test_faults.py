"""The misbehaviours reach a client as they are described."""

import email.utils
import gzip
import json
import socket
import ssl
import time
from typing import Any

import httpx2
import pytest

from tests.http.servers import eventually
from tests.vendors import Reply, faults, vendor_server
from tests.vendors.exchanges import headers_for, send
from tests.vendors.server import PATIENCE

TEXT = "Grüße aus der Ferne, 世界, und noch mehr"
PATHS = {
    "anthropic": "/v1/messages",
    "openai": "/chat/completions",
    "gemini": "/v1beta/models/gemini-2.5-pro:generateContent",
    "ollama": "/api/chat",
}
VENDORS = list(PATHS)


def body_for(vendor: str, *, stream: bool) -> dict[str, Any]:
    messages = [{"role": "user", "content": "hi"}]
    return {
        "anthropic": {"model": "claude-sonnet-4-5", "max_tokens": 50, "messages": messages, "stream": stream},
        "openai": {"model": "gpt-4o", "messages": messages, "stream": stream},
        "gemini": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
        "ollama": {"model": "llama3.2", "messages": messages, "stream": stream},
    }[vendor]


def path_for(vendor: str, *, stream: bool) -> str:
    if vendor == "gemini" and stream:
        return PATHS[vendor].replace("generateContent", "streamGenerateContent") + "?alt=sse"
    return PATHS[vendor]


def post(server: Any, vendor: str = "anthropic", *, stream: bool = False, **options: Any) -> httpx2.Response:
    options.setdefault("verify", False)  # loading the system's authorities takes longer than the whole test
    return httpx2.post(
        server.base_url + path_for(vendor, stream=stream),
        json=body_for(vendor, stream=stream),
        headers=headers_for(vendor, server.key),
        timeout=PATIENCE,
        trust_env=False,
        **options,
    )


END_MARKS = {"anthropic": "message_stop", "openai": "[DONE]", "gemini": '"finishReason"', "ollama": '"done":true'}


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_stream_and_one_without_its_end_mark(vendor):
    with vendor_server(vendor, [Reply(TEXT), Reply(TEXT, fault=faults.cut("end_mark"))]) as server:
        whole, cut = post(server, vendor, stream=True).text, post(server, vendor, stream=True).text
        assert END_MARKS[vendor] in whole
        assert END_MARKS[vendor] not in cut
        assert whole.count("\n") > cut.count("\n") > 5


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("vendor", VENDORS)
def test_a_cut_inside_a_character(vendor, stream):
    with vendor_server(vendor, [Reply(TEXT, fault=faults.cut("character"))]) as server:
        content = post(server, vendor, stream=stream).content
        with pytest.raises(UnicodeDecodeError, match="unexpected end of data"):
            content.decode()


@pytest.mark.parametrize("where", ["chunk", "half"])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("vendor", VENDORS)
def test_a_connection_that_closes_early(vendor, stream, where):
    with (
        vendor_server(vendor, [Reply(TEXT, fault=faults.cut(where))]) as server,
        pytest.raises(httpx2.RemoteProtocolError, match=r"peer closed|without"),
    ):
        post(server, vendor, stream=stream)


@pytest.mark.parametrize("place", ["before_headers", "after_headers", "inside_body"])
@pytest.mark.parametrize("stream", [False, True])
def test_resets(stream, place):
    with (
        vendor_server("anthropic", [Reply(TEXT, fault=faults.reset(place))]) as server,
        pytest.raises((httpx2.ReadError, httpx2.RemoteProtocolError)),
    ):
        post(server, stream=stream)


@pytest.mark.parametrize("vendor", VENDORS)
def test_errors_in_the_style_of_the_vendor(vendor):
    fault = faults.error(503, "out of order", echo_key=vendor != "ollama")
    with vendor_server(vendor, [Reply(fault=fault)]) as server:
        answer = post(server, vendor)
        error = answer.json()["error"]
        message = error if vendor == "ollama" else error["message"]
        assert (answer.status_code, message.startswith("out of order")) == (503, True)
        assert (server.key in message) == (vendor != "ollama")


def test_retry_after():
    replies = [Reply(fault=faults.rate_limited(1.5)), Reply(fault=faults.rate_limited(20, as_date=True))]
    with vendor_server("openai", replies) as server:
        seconds, date = post(server, "openai"), post(server, "openai")
        assert (seconds.status_code, seconds.headers["retry-after"]) == (429, "1.5")
        at = email.utils.parsedate_to_datetime(date.headers["retry-after"]).timestamp()
        assert 18 < at - time.time() <= 21


@pytest.mark.parametrize("vendor", VENDORS)
def test_an_error_inside_a_stream(vendor):
    with vendor_server(vendor, [Reply(TEXT, fault=faults.error_in_stream(2, "no more"))]) as server:
        answer = post(server, vendor, stream=True)
        assert answer.status_code == 200
        assert "no more" in answer.text
        assert END_MARKS[vendor] not in answer.text


def test_bodies_that_are_no_answers():
    given = [faults.garbage(), faults.html(), faults.html(502), faults.wrong_content_type()]
    with vendor_server("anthropic", [Reply("ok", fault=fault) for fault in given]) as server:
        garbage, page, bad_gateway, plain = (post(server) for _ in given)
        assert garbage.headers["content-type"] == "application/json"
        with pytest.raises(ValueError):  # noqa: PT011 - any error of the parser
            garbage.json()
        assert (page.status_code, bad_gateway.status_code) == (200, 502)
        assert page.headers["content-type"].startswith("text/html")
        assert (plain.headers["content-type"], plain.json()["role"]) == ("text/plain", "assistant")


def test_lengths_and_encodings():
    given = [faults.wrong_content_length(-5), faults.gzipped(), faults.http10(), faults.huge(3_000_000)]
    with vendor_server("anthropic", [Reply(TEXT, fault=fault) for fault in given]) as server:
        assert post(server).content.endswith(b"}") is False
        packed = send(server, "anthropic", "/v1/messages", body_for("anthropic", stream=False))
        assert json.loads(gzip.decompress(packed.body))["content"][0]["text"] == TEXT
        old = post(server)
        assert (old.http_version, "content-length" in old.headers) == ("HTTP/1.0", False)
        assert old.json()["content"][0]["text"] == TEXT
        huge = post(server)
        assert len(huge.content) > 2_900_000
        assert huge.json()["content"][0]["text"] == TEXT
        server.set_replies(Reply(TEXT, fault=faults.wrong_content_length(5)))
        with pytest.raises(httpx2.RemoteProtocolError):
            post(server)


def test_gzipped_and_fragmented_streams_hold_the_same_events():
    replies = [Reply(TEXT), Reply(TEXT, fault=faults.gzipped()), Reply(TEXT, fragment=3)]
    with vendor_server("openai", replies) as server:
        bodies = [post(server, "openai", stream=True).text for _ in replies]
        assert len({body.count("data:") for body in bodies}) == 1
        assert all(body.endswith("[DONE]\n\n") for body in bodies)


def test_redirects():
    with vendor_server("anthropic") as other, vendor_server("anthropic") as server:
        server.set_replies(Reply(fault=faults.redirect(f"{other.origin}/v1/messages", 302)))
        answer = post(server)
        assert (answer.status_code, answer.headers["location"]) == (302, f"{other.origin}/v1/messages")
        assert other.requests == []


def test_an_endless_stream_ends_with_the_client():
    with vendor_server("anthropic", [Reply(TEXT, fault=faults.endless())]) as server:
        with httpx2.stream(
            "POST",
            f"{server.base_url}/v1/messages",
            json=body_for("anthropic", stream=True),
            headers=headers_for("anthropic", server.key),
        ) as answer:
            received = 0
            for block in answer.iter_raw():
                received += len(block)
                if received > 200_000:
                    break
        assert server.requests[0].closed_by_client.wait(PATIENCE)


def test_a_client_that_leaves_while_the_server_is_silent():
    with vendor_server("anthropic", [Reply("late", latency=30)]) as server:
        with pytest.raises(httpx2.ReadTimeout):
            httpx2.post(
                f"{server.base_url}/v1/messages",
                json=body_for("anthropic", stream=True),
                headers=headers_for("anthropic", server.key),
                timeout=0.2,
            )
        assert eventually(lambda: server.requests)
        assert server.requests[0].closed_by_client.wait(PATIENCE)
        assert not server.requests[0].answered.is_set()


def test_latency_and_pace():
    with vendor_server("ollama", [Reply("abcdef", latency=0.2, pace=0.05, piece=1)]) as server:
        begun = time.monotonic()
        post(server, "ollama", stream=True)
        assert 0.5 <= time.monotonic() - begun < 20


@pytest.mark.parametrize(
    ("flaw", "words"),
    [
        ("expired", "expired"),
        ("untrusted", "self-signed|unable to get local issuer"),
        ("wrong_host", "IP address mismatch"),
    ],
)
def test_flawed_certificates(flaw, words):
    with vendor_server("anthropic", ["ok"], tls=flaw) as server:
        context = ssl.create_default_context(cafile=server.ca_bundle)
        with pytest.raises(httpx2.ConnectError, match=words):
            post(server, verify=context)
        assert server.requests == []


def test_a_valid_certificate():
    with vendor_server("anthropic", ["ok", "ok"], tls="valid") as server:
        context = ssl.create_default_context(cafile=server.ca_bundle)
        assert post(server, verify=context).json()["content"][0]["text"] == "ok"
        assert post(server, verify=context, stream=True).text.endswith("\n\n")


def test_requests_are_recorded_as_they_arrived():
    head = (
        "POST /v1/messages?beta=true HTTP/1.1\r\nHost: x\r\nX-API-Key: {key}\r\nanthropic-version:  2023-06-01\r\n"
        "Content-Type: application/json; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    sent = json.dumps(body_for("anthropic", stream=False), indent=1).encode()
    with vendor_server("anthropic", ["ok"]) as server:
        host, _, port = server.origin.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as connection:
            framed = b"%x\r\n%b\r\n%x\r\n%b\r\n0\r\n\r\n" % (5, sent[:5], len(sent) - 5, sent[5:])
            connection.sendall(head.format(key=server.key).encode() + framed)
            assert connection.recv(100).startswith(b"HTTP/1.1 200 OK")
        request = server.requests[0]
        assert (request.method, request.target, request.path) == ("POST", "/v1/messages?beta=true", "/v1/messages")
        assert request.query == {"beta": "true"}
        assert request.headers[1:3] == (("X-API-Key", server.key), ("anthropic-version", "2023-06-01"))
        assert request.body == sent


def test_connections_are_kept_alive():
    with vendor_server("anthropic", default="ok") as server, httpx2.Client(base_url=server.base_url) as client:
        for stream in (False, True, False):
            client.post(
                "/v1/messages", json=body_for("anthropic", stream=stream), headers=headers_for("anthropic", server.key)
            ).raise_for_status()
        assert (server.connections, len(server.requests)) == (1, 3)


def test_a_connection_that_dies_in_the_pool():
    with (
        vendor_server("anthropic", [Reply("one", fault=faults.closes_silently()), "two"]) as server,
        httpx2.Client(base_url=server.base_url, headers=headers_for("anthropic", server.key)) as client,
    ):
        assert "one" in client.post("/v1/messages", json=body_for("anthropic", stream=True)).text
        assert eventually(lambda: server.http.is_idle)
        assert "two" in client.post("/v1/messages", json=body_for("anthropic", stream=False)).text
        assert server.connections == 2


def test_a_fault_of_the_whole_server_and_an_empty_queue():
    with vendor_server("openai", fault=faults.error(503)) as server:
        assert send(server, "openai", "/models", None).status == 503
    with vendor_server("openai") as server:
        assert "no further reply" in post(server, "openai").text


def test_replies_that_depend_on_the_request():
    with vendor_server("anthropic", default=lambda request: request.json()["model"][:6]) as server:
        assert post(server).json()["content"][0]["text"] == "claude"


def test_mistakes_of_a_test_are_reported():
    with (
        pytest.raises(ValueError, match="not ASCII"),
        vendor_server("anthropic", [Reply("plain", fault=faults.cut("character"))]) as server,
        pytest.raises(httpx2.RemoteProtocolError),
    ):
        post(server)
