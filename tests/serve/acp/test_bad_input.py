"""Input at the limits: long lines, garbage, many sessions, a client that does not read, many messages."""

import json
import random
import threading
import time

import pytest

from tests.serve.acp_client import is_answer, is_update, prompt_params, text_block

MEBIBYTE = 1024 * 1024


def test_a_prompt_of_a_megabyte(client, session, model):
    text = "word " * 200_000
    assert client.prompt(session, text) == {"stopReason": "end_turn"}
    assert len(str(model.requests[0]["messages"])) > 1_000_000


def test_an_answer_of_a_megabyte(client, session, model):
    model.queue(*["word " * 20_000] * 10)
    assert client.prompt(session, "write", timeout=60) == {"stopReason": "end_turn"}
    texts = [update["content"]["text"] for update in client.updates(session, "agent_message_chunk")]
    assert len("".join(texts)) == 1_000_000


def test_the_default_limit_is_64_mebibytes(start):
    client = start()
    head, tail = '{"jsonrpc":"2.0","id":"big","method":"session/list","params":{"x":"', '"}}'

    def send(size):
        client.send_bytes(head.encode())
        block = b"y" * MEBIBYTE
        left = size - len(head) - len(tail)
        while left > 0:
            client.send_bytes(block[:left])
            left -= len(block)
        client.send_bytes(tail.encode() + b"\n")

    send(64 * MEBIBYTE + 1)
    line = client.answer(None)
    assert line["error"] == {
        "code": -32600,
        "message": "Invalid request",
        "data": {"reason": "message_too_large", "limit": 64 * MEBIBYTE},
    }
    client.request("session/list")


@pytest.mark.slow
def test_a_line_of_exactly_the_limit_is_served_and_a_longer_one_needs_no_memory(start):
    client = start()
    head, tail = b'{"jsonrpc":"2.0","id":"big","method":"session/list","params":{"x":"', b'"}}'
    client.send_bytes(head + b"y" * (64 * MEBIBYTE - len(head) - len(tail)) + tail + b"\n")
    assert "result" in client.answer("big", 60).message
    before = resident(client)
    block = b"z" * MEBIBYTE
    for _ in range(1024):
        client.send_bytes(block)
    client.send_bytes(b"\n")
    assert client.answer(None, 60)["error"]["data"]["reason"] == "message_too_large"
    assert resident(client) - before < 200 * MEBIBYTE


def resident(client):
    """Return the resident memory of the server in bytes."""
    with open(f"/proc/{client.process.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_garbage_between_requests(client, session):
    source = random.Random(7)
    after = len(client.lines) - 1
    for n in range(100):
        garbage = source.randbytes(source.randrange(1, 200)).replace(b"\n", b"")
        client.send_bytes(b"x" + garbage + b"\n")
        client.send({"jsonrpc": "2.0", "id": f"g{n}", "method": "session/list"})
    client.answer("g99", after=after)
    lines = client.lines[after + 1 :]
    assert [line["id"] for line in lines] == [id for n in range(100) for id in (None, f"g{n}")]  # noqa: A001
    assert {line["error"]["code"] for line in lines if line["id"] is None} == {-32700}


VALUES = [
    None, True, False, 0, -1, 1.5, 1e308, "", "x", "\x00", "é" * 10, [], [1], [[]], {}, {"a": 1}, {"type": "text"},
    [{"type": "text"}], [{"type": "text", "text": "x"}], "a" * 5000, 10**30,
]  # fmt: skip
PARAMS = [
    "sessionId", "session_id", "cwd", "mcpServers", "prompt", "content", "mode", "messageId", "reminderId", "body",
    "tags", "ttlTurns", "_meta", "cursor", "requestId", "reminder", "protocolVersion", "clientCapabilities",
]  # fmt: skip
METHODS = [
    "initialize", "authenticate", "session/new", "session/load", "session/resume", "session/list", "session/close",
    "session/delete", "session/prompt", "session/cancel", "$/cancel_request", "session/inject",
    "session/revoke_inject", "session/replace_inject", "_session/steering", "session/inject_reminder",
    "session/remind", "session/pending_injections", "session/revoke_reminder",
]  # fmt: skip
CODES = {-32600, -32601, -32602, -32002, -32010}


@pytest.mark.parametrize("method", METHODS)
def test_random_params_never_break_the_server(client, session, method):
    source = random.Random(method)
    for n in range(40):
        names = source.sample(PARAMS, source.randrange(1, 5))
        params = {name: source.choice(VALUES) for name in names}
        if source.random() < 0.5:
            params["sessionId"] = session
        line = client.ask(
            json.dumps({"jsonrpc": "2.0", "id": f"{method}{n}", "method": method, "params": params}), f"{method}{n}"
        )
        if "error" in line.message:
            assert line["error"]["code"] in CODES, (params, line.message)
    client.initialize()
    assert client.process.poll() is None
    assert "Traceback" not in client.stderr


def test_fifty_sessions_at_once(client, folder, model):
    sessions = [client.new_session(folder) for _ in range(50)]
    held = [model.on(f"task {n:02}", f"answer {n}", hold=True) for n in range(50)]
    prompts = [client.start_prompt(session, f"task {n:02}") for n, session in enumerate(sessions)]
    for one in held:
        one.wait()
    for one in reversed(held):
        one.release()
    for n, prompt in enumerate(prompts):
        assert client.answer(prompt)["result"] == {"stopReason": "end_turn"}
        assert [u["content"]["text"] for u in client.updates(sessions[n], "agent_message_chunk")] == [f"answer {n}"]


def test_requests_from_two_threads_are_all_answered(client, session):
    def send(name):
        for n in range(100):
            client.send({"jsonrpc": "2.0", "id": f"{name}{n}", "method": "session/list"})

    threads = [threading.Thread(target=send, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client.answer("a99")
    client.answer("b99")
    for name in ("a", "b"):
        ids = [
            line["id"]
            for line in client.lines
            if str(line.message.get("id")).startswith(name) and "result" in line.message
        ]
        assert ids == [f"{name}{n}" for n in range(100)]


@pytest.mark.slow
def test_a_client_that_stops_reading(start, tmp_path, model):
    client = start()
    sessions = [client.new_session(tmp_path) for _ in range(2)]
    loud = model.on("loud", *["word " * 4_000] * 400)
    quiet = model.on("quiet", "heard")
    client.stop_reading()
    prompts = [client.start_prompt(sessions[0], "loud"), client.start_prompt(sessions[1], "quiet")]
    loud.wait()
    quiet.wait()
    messages = [
        client.send_request("session/inject_reminder", {"sessionId": sessions[1], "body": f"b{n}"}) for n in range(50)
    ]
    time.sleep(10)
    assert loud.request.answered.is_set(), "the turn does not wait for the reader"
    client.go_on_reading()
    for prompt in prompts:
        assert client.answer(prompt)["result"] == {"stopReason": "end_turn"}
    for message in messages:
        client.answer(message)
    texts = [update["content"]["text"] for update in client.updates(sessions[0], "agent_message_chunk")]
    assert len("".join(texts)) == 400 * 20_000


@pytest.mark.slow
def test_ten_thousand_injects(start, tmp_path, model):
    client = start(store=str(tmp_path / "store.db"))
    session = client.new_session(tmp_path)
    held = model.queue("never", hold=True)
    prompt = client.start_prompt(session, "hello")
    held.wait()
    params = {"sessionId": session, "mode": "queue"}
    ids = []
    for n in range(10_000):
        ids.append(client.send_request("session/inject", {**params, "content": [text_block(f"number {n}")]}))
        if n % 500 == 499:
            client.answer(ids[-1], 120)
    found = client.request("session/pending_injections", {"sessionId": session}, 60)
    assert found["pendingCount"] == 10_000
    assert [one["content"][0]["text"] for one in found["injections"]] == [f"number {n}" for n in range(10_000)]
    for one in found["injections"][100:]:
        client.notify("session/revoke_inject", {"sessionId": session, "messageId": one["messageId"]})
    held.release()
    client.answer(prompt, 120)
    last = found["injections"][99]["messageId"]
    client.wait_for(is_update("user_message", session, messageId=last), 120)
    echoes = client.matching(is_update("user_message", session))
    assert [line.update["messageId"] for line in echoes] == [one["messageId"] for one in found["injections"][:100]]


def test_many_prompts_in_line(client, session, model):
    held = model.queue("first", hold=True)
    ids = [client.start_prompt(session, "first")]
    held.wait()
    ids += [client.start_prompt(session, f"return {n}") for n in range(100)]
    held.release()
    places = [client.answer(id).index for id in ids]  # noqa: A001
    assert places == sorted(places)


def test_the_same_id_twice_at_the_same_time(client, session, model):
    held = model.queue("slow", hold=True)
    client.send_request("session/prompt", prompt_params(session, "one"), id="twice")
    held.wait()
    client.send_request("session/list", {}, id="twice")
    client.sync()
    assert len(client.matching(is_answer("twice"))) == 1
    held.release()
    client.wait_for(lambda line: line.message.get("id") == "twice" and "stopReason" in line.message.get("result", {}))
