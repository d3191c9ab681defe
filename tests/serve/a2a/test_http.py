"""The rules of HTTP and of JSON-RPC over HTTP."""

import json
import socket
import time

import pytest

from tests.serve.a2a_client import PATIENCE, eventually, message

MIB = 1 << 20


def request_bytes(method="GetTask", params=None, **fields):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}, **fields}).encode()


@pytest.mark.parametrize("verb", ["GET", "PUT", "DELETE", "PATCH", "HEAD"])
def test_the_endpoint_takes_post_only(client, verb):
    assert client.http(verb, "/").status == 405


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/xml", "application/x-www-form-urlencoded", "text/json", None]
)
def test_other_content_types_are_refused(client, kind):
    answer = client.post(request_bytes(), {"Content-Type": kind})
    assert answer.status == 415
    assert answer.json["id"] is None
    assert answer.json["jsonrpc"] == "2.0"
    assert answer.error["code"] == -32005
    assert answer.error["message"] == "Incompatible content types"


@pytest.mark.parametrize(
    "kind", ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/a2a+json"]
)
def test_json_content_types_are_served(client, kind):
    answer = client.post(request_bytes("ListTasks", {"pageSize": 1}), {"Content-Type": kind})
    assert answer.status == 200
    assert "result" in answer.json


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_over_16_mib_is_refused(server, is_chunked):
    framing = b"Transfer-Encoding: chunked" if is_chunked else b"Content-Length: %d" % (16 * MIB + 1)
    body = b"".join(b"%x\r\n%b\r\n" % (MIB, b" " * MIB) for _ in range(17)) + b"0\r\n\r\n"
    answer = _answer_to(server, framing, body if is_chunked else b" " * (16 * MIB + 1))
    assert answer["id"] is None
    assert answer["error"]["code"] == -32600
    assert answer["error"]["message"] == "Request payload validation error"


def test_a_body_of_a_gigabyte_is_refused_before_it_arrives(server):
    assert _answer_to(server, b"Content-Length: 1000000000", b" " * 10)["error"]["code"] == -32600


def _answer_to(server, framing, body):
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
        connection.sendall(
            b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%b\r\n\r\n" % framing
        )
        connection.sendall(body)
        head, _, answer = _read(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 413 "), head
    return json.loads(answer)


def _read(connection):
    data = b""
    while True:
        head, found, body = data.partition(b"\r\n\r\n")
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        if found and lengths and len(body) >= int(lengths[0].split(b":")[1]):
            return data
        piece = connection.recv(1 << 16)
        if not piece:
            return data
        data += piece


def test_a_body_of_16_mib_is_read(client):
    body = request_bytes("ListTasks", {"pageSize": 1})
    answer = client.post(body + b" " * (16 * MIB - len(body)))
    assert answer.status == 200
    assert "result" in answer.json


PARSE = (-32700, "Invalid JSON payload")
INVALID = (-32600, "Request payload validation error")
UNKNOWN = (-32601, "Method not found")
DEEP = b'{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":' + b'{"a":' * 200_000 + b"1" + b"}" * 200_001


@pytest.mark.parametrize(
    ("body", "expected", "id_"),
    [
        (b"", PARSE, None),
        (b"{", PARSE, None),
        (b"nothing", PARSE, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":NaN}}', PARSE, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":Infinity}}', PARSE, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"x":-Infinity}}', PARSE, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"List\xff\xfe"}', PARSE, None),
        (DEEP, PARSE, None),
        (b"[]", INVALID, None),
        (b"[" + request_bytes("ListTasks") + b"]", INVALID, None),
        (b"7", INVALID, None),
        (b'"text"', INVALID, None),
        (b"null", INVALID, None),
        (b"{}", INVALID, None),
        (b'{"id":1,"method":"ListTasks"}', INVALID, 1),
        (b'{"jsonrpc":"1.0","id":1,"method":"ListTasks"}', INVALID, 1),
        (b'{"jsonrpc":2.0,"id":1,"method":"ListTasks"}', INVALID, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', INVALID, 1),
        (b'{"jsonrpc":"2.0","id":1}', INVALID, 1),
        (b'{"jsonrpc":"2.0","id":true,"method":"ListTasks"}', INVALID, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ListTasks"}', INVALID, None),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ListTasks"}', INVALID, None),
        (b'{"jsonrpc":"2.0","id":{},"method":"ListTasks"}', INVALID, None),
        (b'{"jsonrpc":"2.0","id":"a","method":"ListTasks","params":[]}', INVALID, "a"),
        (b'{"jsonrpc":"2.0","id":"a","method":"ListTasks","params":7}', INVALID, "a"),
        (b'{"jsonrpc":"2.0","id":"a","method":"NoSuch"}', UNKNOWN, "a"),
        (b'{"jsonrpc":"2.0","id":"a","method":"tasks/list"}', UNKNOWN, "a"),
        (b'{"jsonrpc":"2.0","id":"a","method":"session/inject_reminder","params":{}}', UNKNOWN, "a"),
        (b'{"jsonrpc":"2.0","id":"a","method":"sendmessage","params":{}}', UNKNOWN, "a"),
        (b'{"jsonrpc":"2.0","id":"a","method":"","params":{}}', UNKNOWN, "a"),
    ],
    ids=lambda value: repr(value)[:40] if isinstance(value, bytes) else "",
)
def test_what_is_no_request_is_an_error_with_http_200(client, body, expected, id_):
    answer = client.post(body)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json["jsonrpc"] == "2.0"
    assert answer.json["id"] == id_
    assert (answer.error["code"], answer.error["message"]) == expected
    assert answer.error.get("data", "absent") is not None


@pytest.mark.parametrize("id_", [1, "1", 0, -7, "", "ä\n", None, 2**53 + 1])
def test_ids_go_back_as_they_came(client, id_):
    assert client.post({"jsonrpc": "2.0", "id": id_, "method": "NoSuch"}).json["id"] == id_
    answer = client.post({"jsonrpc": "2.0", "id": id_, "method": "ListTasks", "params": {"pageSize": 1}}).json
    assert answer["id"] == id_
    assert type(answer["id"]) is type(id_)
    assert "result" in answer


@pytest.mark.parametrize("params", [b'"params":null', b'"params":{}', b'"unknown":1'])
def test_absent_params_are_empty_and_unknown_members_are_ignored(client, params):
    assert "result" in client.post(b'{"jsonrpc":"2.0","id":1,"method":"ListTasks",' + params + b"}").json


def test_a_byte_order_mark_is_tolerated(client):
    assert "result" in client.post(b"\xef\xbb\xbf" + request_bytes("ListTasks", {"pageSize": 1})).json


def test_of_duplicate_keys_the_last_wins(client):
    body = (
        b'{"jsonrpc":"2.0","id":1,"id":2,"method":"NoSuch","method":"ListTasks","params":{"pageSize":0,"pageSize":1}}'
    )
    answer = client.post(body).json
    assert answer["id"] == 2
    assert answer["result"]["pageSize"] == 1


def test_lone_surrogates_become_the_replacement_character(client):
    body = request_bytes("SendMessage", {"message": message("echo a?b")}).replace(b"a?b", b"a\\ud800b")
    task = client.post(body).result["task"]
    assert task["artifacts"][0]["parts"] == [{"text": "a\ufffdb"}]


def test_text_of_every_script_survives(client):
    text = 'äß 漢字 🙂 \u2028 \\ " \x07'
    task = client.send("echo " + text)
    assert task["artifacts"][0]["parts"] == [{"text": text}]


def test_a_reminder_without_id_is_carried_out_and_answered_204(client, word, model):
    held = model.on(word, "done", hold=True)
    task = client.start(word)
    held.wait()
    answer = client.post(
        {
            "jsonrpc": "2.0",
            "method": "tasks/inject_reminder",
            "params": {"taskId": task["id"], "reminder": {"body": "B " + word}},
        }
    )
    assert (answer.status, answer.body) == (204, b"")
    model.on(word, "again")
    held.release()
    client.wait_for(task["id"], "completed")
    assert any("B " + word in json.dumps(request) for request in model.requests)


@pytest.mark.parametrize("name", ["tasks/inject_reminder", "_tasks/inject_reminder", "_harn/tasks/inject_reminder"])
def test_a_bad_reminder_without_id_is_a_line_on_stderr(client, server, name):
    before = server.stderr.count("HARN-RMD-002")
    task = client.send('json {"status":"input_required","text":"?"}')
    params = {"taskId": task["id"], "reminder": {"body": ""}}
    answer = client.post({"jsonrpc": "2.0", "method": name, "params": params})
    assert (answer.status, answer.body) == (204, b"")
    eventually(lambda: server.stderr.count("HARN-RMD-002") > before)


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"method": "NoSuch"}, -32601),
        ({"method": "SendMessage", "params": {}}, -32602),
        ({"method": "SendMessage", "params": {"message": {"role": "ROLE_USER"}}}, -32602),
        ({"method": "GetTask", "params": {}}, -32602),
        ({"method": "GetTask", "params": {"id": 7}}, -32602),
        ({"method": "SendMessage", "params": {"message": message("echo x")}}, -32600),
        ({"method": "ListTasks"}, -32600),
        ({"method": "message/send", "params": {}}, -32602),
        ({"method": "tasks/send", "params": {}}, -32602),
    ],
)
def test_other_requests_need_an_id(client, request_, code):
    before = client.result("ListTasks", {"pageSize": 1})["totalSize"]
    answer = client.post({"jsonrpc": "2.0", **request_})
    assert answer.status == 200
    assert answer.json["id"] is None
    assert answer.error["code"] == code
    assert client.result("ListTasks", {"pageSize": 1})["totalSize"] == before


def test_a_stream_is_server_sent_events_with_data_lines_only(client):
    stream = client.stream_text("echo hello")
    stream.all()
    assert stream.status == 200
    assert stream.headers["content-type"].split(";")[0] == "text/event-stream"
    assert stream.headers["cache-control"] == "no-cache"
    assert {line[:6] for line in stream.lines if line} == {"data: "}
    assert all(first == "" or second == "" for first, second in zip(stream.lines, stream.lines[1:], strict=False))


@pytest.mark.slow
def test_a_silent_stream_is_kept_alive(client, gate):
    stream = client.stream_text(f"wait {gate}")
    stream.wait_for("working")
    began = time.monotonic()
    while not any(line == ": keep-alive" for line in stream.lines):
        assert time.monotonic() - began < 40
        time.sleep(0.1)
    assert 10 < time.monotonic() - began < 25
    gate.open()
    assert stream.all()[-1].state == "completed"
    assert {line for line in stream.lines if line.startswith(":")} == {": keep-alive"}


@pytest.mark.parametrize("path", ["/nothing", "/v1/message:send", "/.well-known/other.json", "//", "/../etc/passwd"])
def test_other_paths_are_not_found(client, path):
    answer = client.get(path)
    assert answer.status in {404, 405}
    assert client.post(request_bytes(), path="/nothing").status in {404, 405}


def test_many_requests_share_a_connection(server):
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
        for number in range(20):
            body = request_bytes("ListTasks", {"pageSize": 1}, id=number)
            connection.sendall(
                b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
                % (len(body), body)
            )
            assert json.loads(_read(connection).partition(b"\r\n\r\n")[2])["id"] == number
