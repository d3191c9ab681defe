"""Clients that send slowly or not at all lose their connections; the number of connections has a limit."""

import asyncio
import contextlib
import socket
import threading
import time

import pytest
import uvicorn

from harnlite.serve.a2a import connections
from tests.serve.a2a_client import PATIENCE

pytestmark = pytest.mark.timed
HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n"


async def answer(_scope, receive, send):
    """Answer a request with the size of its body; stop if the client goes away."""
    size, is_complete = 0, False
    while not is_complete:
        given = await receive()
        if given["type"] == "http.disconnect":
            return
        size += len(given["body"])
        is_complete = not given["more_body"]
    await asyncio.sleep(0.4 if size == 7 else 0)
    body = str(size).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextlib.contextmanager
def listening(**options):
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        answer, http=connections.PatientConnection, lifespan="off", log_config=None, log_level="critical", **options
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = server.force_exit = True
        thread.join(PATIENCE)
        listener.close()


@pytest.fixture
def port(monkeypatch):
    monkeypatch.setattr(connections, "WINDOW", 0.2)
    monkeypatch.setattr(connections, "LEAST_BYTES", 1000)
    with listening() as found:
        yield found


def answer_to(port, pieces, pause):
    """Send pieces with a pause after each, and return what arrives until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        with contextlib.suppress(OSError):
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(pause)
        found = b""
        with contextlib.suppress(ConnectionError):
            while data := connection.recv(1 << 16):
                found += data
        return found


def test_a_connection_without_a_request_is_closed(port):
    assert answer_to(port, [], 0) == b""


@pytest.mark.parametrize(
    "pieces",
    [
        [b"POST / HT"],
        [HEAD],
        [bytes([byte]) for byte in HEAD],
        [HEAD + b"\r\n"],
        [HEAD + b"\r\n", *[b"x"] * 30],
    ],
    ids=["line", "headers", "bytes", "body", "slow-body"],
)
def test_a_request_that_does_not_arrive_is_given_up(port, pieces):
    found = answer_to(port, pieces, 0.03)
    assert found.startswith(b"HTTP/1.1 408 Request Timeout\r\n")


def test_a_second_request_that_does_not_arrive_is_given_up(port):
    first = HEAD.replace(b"100000", b"3") + b"\r\nabc"
    found = answer_to(port, [first, b"POST / "], 0.05)
    assert b" 200 " in found
    assert b" 408 " in found


def test_a_body_that_arrives_steadily_is_read(port):
    pieces = [HEAD + b"Connection: close\r\n\r\n", *[b"x" * 5000] * 20]
    found = answer_to(port, pieces, 0.03)
    assert found.endswith(b"100000")
    assert found.startswith(b"HTTP/1.1 200")


def test_an_answer_may_take_longer(port):
    """Only the arrival of a request has a limit."""
    request = HEAD.replace(b"100000", b"7") + b"Connection: close\r\n\r\n" + b"x" * 7
    assert answer_to(port, [request], 0).endswith(b"7")


def test_the_number_of_connections_has_a_limit(monkeypatch):
    with contextlib.ExitStack() as stack:
        port = stack.enter_context(listening(limit_concurrency=3))
        for _ in range(3):
            stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
        request = HEAD.replace(b"100000", b"0") + b"\r\n"
        assert answer_to(port, [request], 0).startswith(b"HTTP/1.1 503")
    assert 1 <= connections.most_connections() <= connections.MOST_CONNECTIONS
