"""Host, Origin, tokens, limits, and what no answer may contain."""

import contextlib
import json
import socket

import pytest

from tests.commands import run_command
from tests.serve.a2a_agent import AGENT
from tests.serve.a2a_client import CARD, PATIENCE, ROOT, TOKEN, Client, a2a_server, message

BODY = {"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {"pageSize": 1}}


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST", "localhost:{port}", "127.0.0.1:{port}", "[::1]:{port}"]
)
def test_loopback_names_are_hosts(client, server, host):
    given = {"Host": host.format(port=server.port)}
    assert client.post(BODY, given).status == 200
    assert client.get(CARD, **given).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example.org",
        "localhost.evil.example.org",
        "evil.example.org:{port}",
        "127.0.0.1.evil.org",
        "192.168.1.1",
        "",
        "localhost@evil.org",
    ],
)
def test_other_hosts_are_refused(client, server, host):
    given = {"Host": host.format(port=server.port)}
    assert client.post(BODY, given).status in {400, 403}
    assert client.get(CARD, **given).status in {400, 403}
    if host == "evil.example.org":
        assert client.post(BODY, given).status == 403


@pytest.mark.parametrize(
    "origin", ["https://evil.example.org", "http://localhost.evil.org", "null", "http://192.168.1.1"]
)
def test_foreign_origins_are_refused(client, origin):
    assert client.post(BODY, {"Origin": origin}).status == 403


@pytest.mark.parametrize("origin", ["http://localhost:{port}", "http://127.0.0.1:{port}", "http://[::1]:{port}"])
def test_its_own_origin_is_accepted(client, server, origin):
    assert client.post(BODY, {"Origin": origin.format(port=server.port)}).status == 200


def test_a_web_page_gets_no_permission_to_read(client):
    answer = client.http(
        "OPTIONS", "/", headers={"Origin": "https://evil.example.org", "Access-Control-Request-Method": "POST"}
    )
    assert answer.status in {403, 405}
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_another_address_needs_a_token(tmp_path, host, monkeypatch):
    monkeypatch.delenv("HARNLITE_A2A_TOKEN", raising=False)
    (tmp_path / "agent.harn").write_text(AGENT)
    done = run_command("a2a", "agent.harn", "--host", host, "--port", "0", "--store", ":memory:", cwd=tmp_path)
    assert done.returncode == 2
    assert "HARNLITE_A2A_TOKEN" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_each_post_needs_the_token(guarded):
    client = Client(guarded.port)
    for given in (
        None,
        "Bearer wrong",
        "Bearer",
        "Bearer ",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        "Bearer tök",
    ):
        answer = client.post(
            BODY, {} if given is None else {"Authorization": given.encode("latin-1").decode("latin-1")}
        )
        assert answer.status == 401, given
        assert answer.headers["www-authenticate"] == "Bearer"
        assert TOKEN.encode() not in answer.body
    assert client.post(BODY, {"Authorization": f"Bearer {TOKEN}"}).status == 200
    assert client.post(BODY, {"Authorization": f"bearer {TOKEN}"}).status == 200
    assert client.post(b"{", {}).status == 401
    assert client.post({**BODY, "method": "NoSuch"}, {}).status == 401


def test_the_card_is_public(guarded):
    assert Client(guarded.port).get(CARD).status == 200


def test_on_all_addresses_other_host_names_are_served(guarded):
    assert (
        Client(guarded.port).post(BODY, {"Authorization": f"Bearer {TOKEN}", "Host": "agents.example.org"}).status
        == 200
    )


def test_the_token_is_never_written(guarded):
    client = Client(guarded.port, headers={"Authorization": f"Bearer {TOKEN}"})
    task = client.send("fail the token is " + TOKEN)
    assert TOKEN not in json.dumps(task["status"])
    assert TOKEN not in guarded.stderr


def test_what_a_script_prints_is_redacted(guarded):
    client = Client(guarded.port, headers={"Authorization": f"Bearer {TOKEN}"})
    client.send(f"print the token is {TOKEN} and password=Zq8Zq8Zq8Zq8Zq8Zq8 here")
    guarded.wait_for_line("the token is .redacted. and password=.redacted. here")
    assert TOKEN not in guarded.stderr


def test_loopback_needs_no_token(client):
    assert client.post(BODY, {"Authorization": "Bearer any"}).status == 200


SECRET = "env-9f8e7d6c5b4a3210"


@pytest.fixture(scope="module")
def leaky(tmp_path_factory, model):
    """Return a server whose environment and script path must not leak."""
    folder = tmp_path_factory.mktemp("secret-folder")
    env = {**model.environment, "PRIVATE_VALUE": SECRET}
    with a2a_server(AGENT, "--store", ":memory:", cwd=folder, env=env) as server:
        yield server, str(folder), model.environment["OPENAI_API_KEY"]


BROKEN = [
    b"{", b"[]", b"7", b"\xff", b'{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":7}}',
    b'{"jsonrpc":"2.0","id":1,"method":"tasks/inject_reminder","params":{"taskId":"x","reminder":7}}',
    b'{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageToken":"\\u0000"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"../../etc/passwd"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"\\ud800"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"__class__","params":{}}',
]  # fmt: skip
TEXTS = [
    "fail boom",
    "call the model",
    "json {",
    "wait",
    "big minus",
    "pieces / x",
    "json " + "[" * 500,
    "delegate",
    "context",
]


def test_no_answer_has_a_path_a_traceback_or_a_value_of_the_environment(leaky):
    server, folder, key = leaky
    client = Client(server.port)
    bodies = [client.post(body).body for body in BROKEN]
    for text in TEXTS:
        given = {**message(text), "metadata": {"n": 1}}
        params = {"message": given, "configuration": {"returnImmediately": text == "wait"}}
        answer = client.post({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params})
        if text != "context":
            bodies.append(answer.body)
    bodies += [client.get("/nothing").body, client.get(CARD).body, client.http("PUT", "/").body]
    for body in bodies:
        text = body.decode("utf-8", "replace")
        for forbidden in ("Traceback", 'File "', folder, ".harn", "site-packages", SECRET, key, str(ROOT)):
            assert forbidden not in text, (forbidden, text)


def test_the_server_survives_what_is_no_http(server, client):
    for data in (
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01" * 50,
        b"POST / HTTP/9.9\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"A" * 10_000,
    ):
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection, contextlib.suppress(OSError):
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(5)
            connection.recv(1 << 16)
    assert client.post(BODY).status == 200
    assert "Traceback" not in server.stderr


@pytest.mark.parametrize(
    "headers", [{"X-Big": "x" * 200_000}, {f"X-{number}": "y" * 100 for number in range(3000)}], ids=["long", "many"]
)
def test_headers_have_a_limit(client, headers):
    try:
        answer = client.post(BODY, headers)
    except OSError:
        pass
    else:
        assert answer.status in {400, 413, 431}
    assert client.post(BODY).status == 200


def test_depth_and_size_of_values_do_not_end_the_server(client):
    for value in ({"a": [[[]]] * 10_000}, {"a": "x" * 1_000_000}, {str(n): n for n in range(50_000)}):
        sent = message("echo x", metadata=value)
        assert (
            "result"
            in client.post({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": sent}}).json
        )
    numbers = b'{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":' + b"9" * 10_000 + b"}}"
    assert client.post(numbers).error["code"] in {-32602, -32700}
    assert client.post(BODY).status == 200
