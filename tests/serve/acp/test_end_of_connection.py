"""The end of a connection: end of input, signals, a closed stdout."""

import json
import signal
import time

import pytest

from tests.serve.acp_client import is_request, is_update, text_block
from tests.serve.models import ToolCall

CANCELLED = {"stopReason": "cancelled"}


def test_the_end_of_input_ends_the_server(start):
    client = start()
    begin = time.monotonic()
    assert client.finish() == 0
    assert time.monotonic() - begin < 5


def test_the_end_of_input_before_initialize(start):
    client = start(initialize=False)
    assert client.finish() == 0
    assert client.lines == []


def test_lines_already_read_are_served(start, tmp_path):
    client = start()
    requests = [{"jsonrpc": "2.0", "id": f"r{n}", "method": "session/list"} for n in range(200)]
    client.send(*requests)
    assert client.finish() == 0
    assert [line["id"] for line in client.lines[1:]] == [f"r{n}" for n in range(200)]


def test_a_prompt_before_the_end_is_answered(start, tmp_path):
    client = start()
    session = client.new_session(tmp_path)
    prompt = client.start_prompt(session, "return null")
    assert client.finish() == 0
    assert client.answer(prompt)["result"]["stopReason"] in {"end_turn", "cancelled"}


ENDS = {
    "end of input": (lambda client: client.close_input(), 0),
    "SIGTERM": (lambda client: client.kill(signal.SIGTERM), 0),
    "SIGINT": (lambda client: client.kill(signal.SIGINT), 130),
}


@pytest.mark.parametrize(("end", "code"), ENDS.values(), ids=ENDS)
def test_running_turns_are_cancelled_and_answered(start, tmp_path, model, end, code):
    client = start()
    sessions = [client.new_session(tmp_path) for _ in range(3)]
    calls = [model.on(f"task {n}", "never", hold=True) for n in range(2)]
    model.on("task 2", ToolCall("pause", {"ms": 60_000}, id="long"))
    prompts = [client.start_prompt(session, f"task {n}") for n, session in enumerate(sessions)]
    prompts.append(client.start_prompt(sessions[0], "in line"))
    for call in calls:
        call.wait()
    client.wait_for(is_update("tool_call_update", sessions[2], status="in_progress"))
    client.sync()
    end(client)
    assert client.wait(10) == code
    for prompt in prompts:
        assert client.answer(prompt)["result"] == CANCELLED
    assert client.updates(sessions[2], "tool_call_update")[-1]["status"] == "failed"
    assert not client.garbage
    assert "Traceback" not in client.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_when_nothing_runs(start, number):
    client = start()
    client.kill(number)
    assert client.wait(5) == (130 if number == signal.SIGINT else 0)
    assert "Traceback" not in client.stderr


def test_a_signal_before_initialize(start):
    client = start(initialize=False)
    client.ask("{")
    client.kill(signal.SIGTERM)
    assert client.wait(5) == 0


STUBBORN = """
tool stubborn() -> string {
  description "Does not stop."
  shell("trap '' TERM INT; sleep 30")
  return "at last"
}
pipeline main(task) {
  return agent_loop(task, nil, {tools: stubborn, tool_format: "native"})
}
"""


@pytest.mark.slow
def test_a_tool_that_does_not_stop_gets_five_seconds(start, tmp_path, model):
    client = start(STUBBORN)
    session = client.new_session(tmp_path)
    model.queue(ToolCall("stubborn", {}))
    prompt = client.start_prompt(session, "go")
    client.wait_for(is_update("tool_call_update", session, status="in_progress"))
    begin = time.monotonic()
    assert client.finish(12) == 0
    assert time.monotonic() - begin < 8
    assert client.answer(prompt)["result"] == CANCELLED


def test_a_permission_that_waits_is_withdrawn(start, tmp_path, model):
    client = start()
    session = client.new_session(tmp_path)
    model.queue(ToolCall("danger", {"what": "harm"}))
    prompt = client.start_prompt(session, "do it")
    client.wait_for(is_request("session/request_permission"))
    client.kill(signal.SIGTERM)
    assert client.wait(8) == 0
    assert client.answer(prompt)["result"] == CANCELLED


def closed_pipe(start):
    """Start a server whose stdout is closed by the client before it answers."""
    client = start(initialize=False, reading=False)
    client.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}})
    output = client.process.stdout
    assert b"protocolVersion" in output.readline()
    return client


def test_a_closed_stdout_ends_the_server_silently(start, tmp_path):
    client = closed_pipe(start)
    client.process.stdout.close()
    for n in range(3):
        try:
            client.send({"jsonrpc": "2.0", "id": n, "method": "session/list"})
        except BrokenPipeError:
            break
        time.sleep(0.1)
    assert client.wait() == 0
    assert client.stderr == ""


def test_a_closed_stdout_in_a_turn(start, tmp_path, model):
    client = closed_pipe(start)
    new = {"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": {"cwd": str(tmp_path), "mcpServers": []}}
    client.send(new)
    session = json.loads(client.process.stdout.readline())["result"]["sessionId"]
    held = model.queue(*["piece "] * 200, hold=True)
    client.send({"jsonrpc": "2.0", "id": 3, "method": "session/prompt",
                 "params": {"sessionId": session, "prompt": [text_block("go")]}})  # fmt: skip
    held.wait()
    client.process.stdout.close()
    held.allow(100)
    assert client.wait() == 0
    held.wait_gone()
    assert "Traceback" not in client.stderr


def test_what_waits_is_delivered_by_the_next_process(start, tmp_path, model):
    store = str(tmp_path / "store.db")
    first = start(store=store)
    session = first.new_session(tmp_path)
    held = model.queue("never", hold=True)
    first.start_prompt(session, "one")
    held.wait()
    inject = {"sessionId": session, "mode": "queue", "content": [text_block("queued words")]}
    message = first.request("session/inject", inject)["messageId"]
    first.request("session/inject_reminder", {"sessionId": session, "body": "Old reminder."})
    assert first.finish() == 0
    assert not first.matching(is_update("user_message", session))
    second = start(store=store)
    second.request("session/resume", {"sessionId": session, "cwd": str(tmp_path)})
    pending = second.request("session/pending_injections", {"sessionId": session})
    assert [one["kind"] for one in pending["injections"]] == ["user", "reminder"]
    second.sync()
    assert len(model.requests) == 1, "loading never starts a turn"
    second.prompt(session, "two")
    text = str(model.requests[-1]["messages"])
    assert text.index("queued words") < text.rindex("two")
    assert "Old reminder." in text
    assert len(second.matching(is_update("user_message", session, messageId=message))) == 1


@pytest.mark.parametrize("arguments", [["--nonsense"], ["a.harn", "b.harn"], ["--max-message-bytes", "x"]])
def test_wrong_usage_exits_with_two(start, arguments):
    client = start(None, initialize=False, arguments=arguments)
    client.close_input()
    assert client.wait() == 2
    assert client.lines == []
    assert client.stderr
