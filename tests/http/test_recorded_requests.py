"""HTTP requests of scripts that a run records, and another run that is answered from the recording."""

import json
import socket
from pathlib import Path

import pytest

from harnlite.host.engine import Engine

from .servers import always, raw


def recorded(tmp_path, source):
    """Run a program that is recorded; return the lines that it has printed and the path of the recording."""
    path = tmp_path / "calls.jsonl"
    result = Engine(cache=False, record=str(path)).run(source)
    assert result.exit_code == 0, result.error
    return result.stdout.splitlines(), str(path)


def replayed(path, source, **options):
    """Run a program that is answered from a recording, where it may not reach the network."""
    return Engine(cache=False, replay=path, deny=["net"], **options).run(source)


SHOWN = "println(r.status)\nprintln(r.ok)\nprintln(r.headers)\nprintln(r.body)\nprintln(r.json)\nprintln(r.url)\n"


@pytest.mark.parametrize(
    ("body", "kind"),
    [(b'{"a": [1, 2.5]}', "application/json"), (b"caf\xe9", "text/plain; charset=latin-1"), (b"\0\xff", "image/png")],
)
def test_a_replay_needs_no_server(tmp_path, serve, body, kind):
    server = serve(always(body=body, kind=kind, status="201 Made"))
    source = f'let r = http_post("{server.url}", {{json: {{a: 1}}, query: {{q: "x y"}}}})\n{SHOWN}'
    lines, path = recorded(tmp_path, source)
    server.close()
    result = replayed(path, source)
    assert (result.exit_code, result.stdout.splitlines()) == (0, lines)
    assert len(server.requests) == 1


def test_the_record_of_a_request(tmp_path, serve):
    server = serve(always(body=b"x"))
    _, path = recorded(tmp_path, f'http_put("{server.url}a#f", {{body: "b", headers: {{"X-A": "1"}}}})')
    with open(path) as file:
        record = json.loads(file.read())
    assert record == {
        "version": 1,
        "kind": "http",
        "request": {
            "body": "b",
            "headers": {"content-type": "text/plain; charset=utf-8", "x-a": "1"},
            "method": "PUT",
            "url": f"{server.url}a",
        },
        "reply": {
            "body": "x",
            "headers": {"content-length": "1", "content-type": "text/plain"},
            "status": 200,
            "url": f"{server.url}a",
        },
    }


def test_secrets_are_not_recorded(tmp_path, serve):
    server = serve(
        raw(b"HTTP/1.1 200 OK\r\nset-cookie: sid=c0ffee; Path=/\r\nset-cookie: b=c0ffee\r\ncontent-length: 0\r\n\r\n")
    )
    url = server.url.replace("//", "//me:c0ffee@")
    headers = '{Authorization: "Custom c0ffee", Cookie: "sid=c0ffee", "X-Api-Key": "c0ffee"}'
    options = f'{{headers: {headers}, query: {{token: "c0ffee"}}}}'
    source = f'println(http_get("{url}", {options}).headers["set-cookie"])'
    lines, path = recorded(tmp_path, source)
    assert lines == ["[sid=c0ffee; Path=/, b=c0ffee]"]
    with open(path) as file:
        text = file.read()
    assert "c0ffee" not in text
    assert replayed(path, source).stdout == "[sid=[redacted]; Path=/, b=[redacted]]\n"


def test_failures_and_retries_are_replayed(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    source = f'try {{ http_get("http://127.0.0.1:{port}", {{retries: 1}}) }} catch (e) {{ println(e) }}'
    lines, path = recorded(tmp_path, source)
    assert lines == [f"Error [transient_network]: cannot connect to 127.0.0.1:{port}: connection refused"]
    result = replayed(path, source)
    assert (result.stdout.splitlines(), result.stderr) == (lines, "")


def test_a_stream_is_replayed(tmp_path, serve):
    server = serve(always(body=b"a\nb\n"))
    source = f'for line in http_get("{server.url}", {{stream: "lines"}}).body {{ println(line) }}'
    lines, path = recorded(tmp_path, source)
    assert lines == ["a", "b"]
    assert replayed(path, source).stdout.splitlines() == lines


def test_another_request_is_missing_in_the_recording(tmp_path, serve):
    server = serve(always(body=b"x"))
    _, path = recorded(tmp_path, f'http_get("{server.url}")')
    result = replayed(path, f'http_get("{server.url}other")')
    assert result.exit_code == 1
    assert "--replay: this request is not in the recording" in str(result.error)


def test_mocked_requests_are_not_recorded(tmp_path):
    _, path = recorded(tmp_path, 'http_mock("*", "x")\nhttp_get("http://a.test")')
    assert not Path(path).exists()
