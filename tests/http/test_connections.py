"""The connections of the pool: when they are used again, when they are closed, and the proxies on the way."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time

import pytest

from harnlite.http import connections
from harnlite.http.client import send
from harnlite.http.pool import POOL

from .servers import KEYS, PATIENCE, always, eventually, spawned, within

SPELLINGS = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]
IN_FLIGHT = """
pipeline default() {
  spawn { llm_call("hi", nil, {provider: "openai", model: "gpt-4o", stream: true}) }
  sleep(3s)
  println("over")
  exit(3)
}
"""


class Proxy:
    """A proxy that forwards requests and tunnels, and notes the first line of each."""

    def __init__(self):
        self.seen = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=(self.socket.accept()[0],), daemon=True).start()

    def _serve(self, client):
        with contextlib.suppress(OSError), client:
            self._forward(client)

    def _forward(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            piece = client.recv(65_536)
            if not piece:
                return
            head += piece
        first, _, rest = head.partition(b"\r\n")
        method, target, version = first.decode().split(" ")
        self.seen.append(f"{method} {target}")
        place, _, path = target.removeprefix("http://").partition("/")
        with socket.create_connection(("127.0.0.1", int(place.rpartition(":")[2]))) as server:
            if method == "CONNECT":
                client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                server.sendall(f"{method} /{path} {version}\r\n".encode() + rest)
            back = threading.Thread(target=_copy, args=(client, server), daemon=True)
            back.start()
            _copy(server, client)
            back.join()

    def close(self):
        self.socket.close()


def _copy(source, sink):
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def proxy():
    """Run a proxy."""
    running = Proxy()
    yield running
    running.close()


def fetch(url):
    return within(lambda run: send(run, "GET", url, name="x").read())


def test_an_idle_connection_that_the_server_has_closed_is_not_used(serve):
    def answer(server, connection):
        server.requests.append(connection.request())
        connection.reply(b"x")

    server = serve(answer)
    for number in range(1, 6):
        assert fetch(server.url) == b"x"
        assert len(server.requests) == number
        assert eventually(lambda: server.connections[-1].sock.fileno() < 0)


def test_idle_connections_are_closed_after_a_while(serve, fresh_pool, monkeypatch):
    monkeypatch.setattr(connections, "KEPT_SECONDS", 0.2)

    replied = []

    def answer(_server, connection):
        connection.request()
        replied.append(time.monotonic())
        connection.reply(b"x")
        connection.wait_for_close()

    server = serve(answer)
    assert fetch(server.url) == b"x"
    assert eventually(lambda: POOL.count() == 0 and server.connections[0].closed_at is not None)
    assert server.connections[0].closed_at - replied[0] >= 0.2


def test_few_idle_connections_are_kept(serve, fresh_pool, monkeypatch):
    monkeypatch.setattr(connections, "KEPT_CONNECTIONS", 3)
    barrier = threading.Barrier(10)

    def answer(_server, connection):
        connection.request()
        barrier.wait(PATIENCE)
        connection.reply(b"x")
        connection.wait_for_close()

    server = serve(answer)

    def work(run):
        tasks = [spawned(run, lambda: send(run, "GET", server.url, name="x").read()) for _ in range(10)]
        while not all(task.done for task in tasks):
            run.sleep(0.01)

    within(work)
    assert eventually(lambda: POOL.count() == 3)
    assert eventually(lambda: sum(connection.closed_at is not None for connection in server.connections) == 7)


def test_a_new_connection_displaces_the_oldest_idle_one(serve, fresh_pool, monkeypatch):
    monkeypatch.setattr(connections, "KEPT_CONNECTIONS", 2)

    def answer(server, connection):
        while (request := connection.request()) is not None:
            server.requests.append(request)
            connection.reply(b"x")

    servers = [serve(answer) for _ in range(3)]
    for server in [*servers, servers[2], servers[1]]:
        assert fetch(server.url) == b"x"
    assert [len(server.connections) for server in servers] == [1, 1, 1]
    assert eventually(lambda: servers[0].connections[0].closed_at is not None or POOL.count() == 2)
    fetch(servers[0].url)
    assert len(servers[0].connections) == 2


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_proxy_forwards_requests(serve, proxy, monkeypatch, name):
    server = serve(always(body=b"x"))
    monkeypatch.setenv(name, proxy.url)
    assert [fetch(server.url), fetch(f"{server.url}a?b")] == [b"x", b"x"]
    assert proxy.seen == [f"GET http://127.0.0.1:{server.port}/"]
    assert server.requests[1][0].startswith("GET ")


@pytest.mark.parametrize("name", ["https_proxy", "HTTPS_PROXY", "ALL_PROXY"])
def test_a_proxy_tunnels_tls(serve, proxy, monkeypatch, name):
    server = serve(always(body=b"x"), key="good.pem")
    monkeypatch.setenv(name, proxy.url)
    monkeypatch.setenv("SSL_CERT_FILE", str(KEYS / "good.pem"))
    assert [fetch(server.url), fetch(server.url)] == [b"x", b"x"]
    assert proxy.seen == [f"CONNECT 127.0.0.1:{server.port}"]


@pytest.mark.parametrize("name", ["no_proxy", "NO_PROXY"])
@pytest.mark.parametrize("hosts", ["127.0.0.1", "*", "a.test, 127.0.0.1:{port}"])
def test_hosts_without_a_proxy(serve, proxy, monkeypatch, name, hosts):
    server = serve(always(body=b"x"))
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    monkeypatch.setenv(name, hosts.format(port=server.port))
    assert fetch(server.url) == b"x"
    assert proxy.seen == []


def test_a_proxy_that_refuses_a_tunnel(serve, monkeypatch):
    refusing = serve(always(status="407 Proxy Authentication Required"))
    monkeypatch.setenv("HTTPS_PROXY", refusing.url)
    with pytest.raises(Exception, match=r"cannot connect to 127\.0\.0\.1:1: "):
        fetch("https://127.0.0.1:1/")


def test_the_end_of_a_program_does_not_wait_for_a_call(serve, tmp_path):
    def answer(server, connection):
        server.requests.append(connection.request())
        connection.start()
        connection.wait_for_close()

    server = serve(answer)
    (tmp_path / "main.harn").write_text(IN_FLIGHT)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "OPENAI_BASE_URL": f"{server.url}v1",
        "OPENAI_API_KEY": "sk-0123456789",
        "HOME": str(tmp_path),
    }
    command = [sys.executable, "-m", "harnlite", "run", "main.harn"]
    result = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (result.returncode, result.stdout, result.stderr) == (3, "over\n", "")
    assert len(server.requests) == 1
