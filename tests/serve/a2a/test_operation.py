"""Running the server: its log, its health, its end and its ceilings."""

import json
import re
import signal
import socket
import time
import uuid

import pytest

from tests.commands import run_command
from tests.serve.a2a_agent import AGENT
from tests.serve.a2a_client import (
    Client,
    Server,
    a2a_server,
    eventually,
    last_text_of,
    message,
    state_of,
    status_text,
    text_of,
)
from tests.serve.models import ToolCall


def test_the_address_is_printed_on_stderr(server):
    assert f"http://127.0.0.1:{server.port}" in server.stderr
    assert server.stdout == b""


def test_health(client):
    answer = client.get("/healthz")
    assert answer.status == 200
    assert client.post({}, path="/healthz").status == 405


def log_of(server, word):
    return [line for line in server.stderr.splitlines() if word in line]


def test_the_access_log_has_one_line_per_request(server, client):
    before = len(server.stderr.splitlines())
    client.send("echo secret-text")
    client.get("/nothing")
    eventually(lambda: any("SendMessage" in line and "200" in line for line in server.stderr.splitlines()[before:]))
    eventually(lambda: any("/nothing" in line and "404" in line for line in server.stderr.splitlines()[before:]))
    assert "secret-text" not in server.stderr


@pytest.mark.slow
def test_the_access_log_may_be_json(tmp_path):
    with a2a_server(AGENT, "--access-log", "json", "--store", ":memory:", cwd=tmp_path) as server:
        Client(server.port).send("echo x")
        line = eventually(lambda: log_of(server, "SendMessage"))[0]
        row = json.loads(line)
        assert "SendMessage" in row.values()
        assert 200 in row.values()


@pytest.mark.slow
def test_the_access_log_may_be_off(tmp_path):
    with a2a_server(AGENT, "--access-log", "off", "--store", ":memory:", cwd=tmp_path) as server:
        client = Client(server.port)
        client.send("echo x")
        client.get("/nothing")
        time.sleep(0.2)
        assert not log_of(server, "SendMessage")
        assert not log_of(server, "/nothing")


def test_text_of_a_client_cannot_make_lines_of_the_log(server, client):
    client.post({"jsonrpc": "2.0", "id": 1, "method": "No\nFORGED line\r\x1b[31m", "params": {}})
    client.get("/No%0AFORGED%0D%1b[31m")
    eventually(lambda: [line for line in log_of(server, "FORGED") if "404" in line])
    assert not any(line.startswith("FORGED") for line in re.split(r"[\r\n]", server.stderr))
    assert "\x1b[31m" not in server.stderr


@pytest.mark.parametrize("number", [pytest.param(signal.SIGTERM, marks=pytest.mark.slow), signal.SIGINT])
def test_an_idle_server_stops_at_once(tmp_path, number):
    with a2a_server(AGENT, "--store", ":memory:", cwd=tmp_path) as server:
        Client(server.port).send("echo x")
        began = time.monotonic()
        status = server.stop(number)
        assert status == (0 if number == signal.SIGTERM else 130)
        assert time.monotonic() - began < 10
        assert "Traceback" not in server.stderr


def test_sigterm_finishes_or_parks_what_works(tmp_path, gates):
    """A task that ends soon is finished; its reader gets the end of its stream."""
    gate, store = gates(), str(tmp_path / "store.sqlite")
    with a2a_server(AGENT, "--store", store, cwd=tmp_path) as server:
        client = Client(server.port)
        stream = client.stream_text(f"wait {gate}")
        stream.wait_for("working")
        asking = client.send('json {"status":"input_required","text":"?"}')
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        gate.open()
        last = stream.all()[-1]
        client.close_streams()
        assert server.wait() == 0
        assert "Traceback" not in server.stderr
    with a2a_server(AGENT, "--store", store, cwd=tmp_path) as server:
        client = Client(server.port)
        task = client.task(stream.task_id)
        assert state_of(task) in {"completed", "canceled", "failed"}
        if last.state in {"completed", "failed", "canceled"}:
            assert state_of(task) == last.state
        assert state_of(client.task(asking["id"])) == "input-required"
        assert last_text_of(client.send("echo that", taskId=asking["id"])) == "that"


@pytest.mark.slow
def test_sigterm_ends_what_does_not_end_by_itself(tmp_path, gate):
    with a2a_server(AGENT, "--store", ":memory:", cwd=tmp_path) as server:
        client = Client(server.port)
        stream = client.stream_text(f"wait {gate}")
        stream.wait_for("working")
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 40
        stream.all()
        stream.close()


def is_refused(client):
    """Return whether the server refuses a new message."""
    sent = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message("echo x")}}
    try:
        answer = client.post(sent)
    except OSError:
        return True
    return answer.status == 503 or "error" in answer.json


@pytest.mark.slow
def test_after_sigterm_new_requests_are_refused(tmp_path, gate):
    with a2a_server(AGENT, "--store", ":memory:", cwd=tmp_path) as server:
        client = Client(server.port)
        stream = client.stream_text(f"wait {gate}")
        stream.wait_for("working")
        server.process.send_signal(signal.SIGTERM)
        eventually(lambda: is_refused(client))
        gate.open()
        server.wait()
        stream.close()


def run(tmp_path, *words):
    (tmp_path / "agent.harn").write_text(AGENT)
    return run_command("a2a", *words, cwd=tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        ("missing.harn",),
        ("agent.harn", "--port", "99999"),
        ("agent.harn", "--port", "x"),
        ("agent.harn", "--max-tasks", "0"),
        ("agent.harn", "--max-cost", "-1"),
        ("agent.harn", "--access-log", "xml"),
        ("agent.harn", "--public-url", "nonsense"),
        ("agent.harn", "--public-url", "ftp://agents.example.org/"),
        ("agent.harn", "--public-url", "https://"),
        ("agent.harn", "--public-url", "https:///path"),
        ("agent.harn", "--public-url", "https://agents.example.org:99999/"),
        ("agent.harn", "--public-url", "https://[::1/"),
        ("agent.harn", "--unknown"),
    ],
)
def test_wrong_options_are_usage_errors(tmp_path, words):
    done = run(tmp_path, *words)
    assert done.returncode == 2
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_in_use_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run(tmp_path, "agent.harn", "--port", str(taken.getsockname()[1]), "--store", ":memory:")
    assert done.returncode not in {0, -6}
    assert "Traceback" not in done.stderr
    assert done.stderr


def test_max_tasks_limits_what_runs_at_once(tmp_path, gates):
    with a2a_server(AGENT, "--max-tasks", "2", "--store", ":memory:", cwd=tmp_path) as server:
        client = Client(server.port)
        holds = [gates() for _ in range(4)]
        answers = [
            client.call(
                "SendMessage", {"message": message(f"wait {hold}"), "configuration": {"returnImmediately": True}}
            )
            for hold in holds
        ]
        for answer in answers[:2]:
            client.wait_for(answer["result"]["task"]["id"], "working")
        time.sleep(0.5)
        tasks = [client.task(answer["result"]["task"]["id"]) for answer in answers if "result" in answer]
        states = [state_of(task) for task in tasks]
        assert states[:2] == ["working", "working"]
        assert "working" not in states[2:]
        for hold in holds:
            hold.open()
        for task in tasks:
            assert state_of(client.wait_for(task["id"], "completed", "rejected")) in {"completed", states[2]}
        assert state_of(client.send("echo x")) == "completed"


def test_max_turns_stops_a_task(tmp_path, model, word):
    with a2a_server(AGENT, "--max-turns", "2", "--store", ":memory:", cwd=tmp_path, env=model.environment) as server:
        for _ in range(6):
            model.on(word, "thinking", ToolCall("peek"))
        task = Client(server.port).send(word)
        assert state_of(task) == "failed"
        assert text_of(task) or task.get("artifacts") is None


@pytest.mark.slow
def test_max_cost_stops_a_task(tmp_path, model, word):
    with a2a_server(
        AGENT, "--max-cost", "0.0000001", "--store", ":memory:", cwd=tmp_path, env=model.environment
    ) as server:
        for _ in range(6):
            model.on(word, ToolCall("peek"))
        task = Client(server.port).send(word)
        assert state_of(task) == "failed", status_text(task)


def test_a_missing_model_key_fails_the_task_and_names_the_variable(tmp_path):
    with a2a_server(
        None, "--store", ":memory:", cwd=tmp_path, env={"HARNLITE_LLM_PROVIDER": "openai", "OPENAI_API_KEY": ""}
    ) as server:
        task = Client(server.port).send("hello")
        assert state_of(task) == "failed"
        assert "OPENAI_API_KEY" in status_text(task)


@pytest.mark.slow
def test_two_servers_share_a_store_file_or_say_why_not(tmp_path):
    store = str(tmp_path / "store.sqlite")
    with a2a_server(AGENT, "--store", store, cwd=tmp_path) as first:
        context = str(uuid.uuid4())
        Client(first.port).send("echo x", contextId=context)
        (tmp_path / "agent.harn").write_text(AGENT)
        second = Server(tmp_path.joinpath("agent.harn"), "--store", store, cwd=tmp_path)
        try:
            second.wait_until_it_listens()
            assert state_of(Client(second.port).send("echo y")) == "completed"
        except AssertionError:
            assert "Traceback" not in second.stderr
        finally:
            second.kill()
        assert state_of(Client(first.port).send("echo z", contextId=context)) == "completed"
