"""Framing: lines of UTF-8 JSON on stdin and stdout, and nothing else on stdout."""

import json
import os

import pytest

from tests.serve.acp_client import AcpClient, is_update, prompt_params
from tests.serve.models import ToolCall

LIST = b'{"jsonrpc":"2.0","id":"l","method":"session/list"}'

FRAMED = {
    "a carriage return": LIST + b"\r",
    "blank lines before": b"\n\n  \n\t\n" + LIST,
    "blank lines with carriage returns": b"\r\n\r\n" + LIST,
    "spaces around": b"  " + LIST + b"  ",
}


@pytest.mark.parametrize("data", FRAMED.values(), ids=FRAMED)
def test_what_is_tolerated_around_a_line(client, data):
    count = len(client.lines)
    assert "result" in client.ask(data, "l").message
    assert len(client.lines) == count + 1


def test_a_leading_byte_order_mark(start):
    client = start(initialize=False)
    client.send_bytes(b"\xef\xbb\xbf")
    client.initialize()
    assert len(client.lines) == 1


def test_many_lines_in_one_piece_and_one_line_in_many_pieces(client):
    requests = [json.dumps({"jsonrpc": "2.0", "id": f"m{n}", "method": "session/list"}) for n in range(50)]
    after = len(client.lines) - 1
    client.send_bytes("\n".join([*requests, ""]).encode())
    client.answer("m49", after=after)
    assert [line["id"] for line in client.lines[after + 1 :]] == [f"m{n}" for n in range(50)]
    for at in range(0, len(LIST), 5):
        client.send_bytes(LIST[at : at + 5])
    client.send_bytes(b"\n")
    assert "result" in client.answer("l", after=after + 50).message


def test_a_character_in_two_pieces(client, session):
    data = json.dumps({"jsonrpc": "2.0", "id": "é", "method": "what"}, ensure_ascii=False).encode() + b"\n"
    at = data.index("é".encode()) + 1
    client.send_bytes(data[:at])
    client.send_bytes(data[at:])
    assert client.answer("é")["error"]["code"] == -32601


def test_output_is_not_escaped(client, session, model):
    model.queue("Zoë sieht 日本 😀 \u2028 fin")
    client.prompt(session, "say it")
    lines = client.matching(is_update("agent_message_chunk", session))
    assert "".join(line.update["content"]["text"] for line in lines) == "Zoë sieht 日本 😀 \u2028 fin"
    assert all(b"\\u" not in line.raw or b"\\u2028" in line.raw for line in lines)
    assert "日本 😀".encode() in b"".join(line.raw for line in lines)


def test_newlines_in_texts_do_not_break_lines(client, session, model):
    model.queue("one\ntwo\r\nthree\n\n")
    client.prompt(session, "first\nsecond\r\nthird")
    text = "".join(update["content"]["text"] for update in client.updates(session, "agent_message_chunk"))
    assert text == "one\ntwo\r\nthree\n\n"
    assert not client.garbage


NOISY = r"""
tool shout() -> string {
  description "Runs a noisy command."
  let result = shell("echo from-a-child; echo from-a-child-error >&2")
  return "shouted"
}
pipeline main(task) {
  println("from println")
  print("from print")
  eprintln("from eprintln")
  let result = agent_loop(task, nil, {tools: shout, tool_format: "native"})
  println({not: "json"})
  return result
}
println("from the top level")
"""


def test_what_scripts_print_goes_to_stderr(start, tmp_path, model):
    client = start(NOISY)
    session = client.new_session(tmp_path)
    model.queue(ToolCall("shout", {}))
    model.queue("Heard.")
    assert client.prompt(session, "make noise")["stopReason"] == "end_turn"
    for text in ("from println", "from print", "from eprintln", "from the top level"):
        client.wait_for_stderr(text)
    assert client.finish() == 0
    assert not client.garbage
    assert not [line for line in client.lines if b"from print" in line.raw]


def test_stdout_of_a_child_that_inherits_it_is_not_the_wire(start, tmp_path):
    (tmp_path / "noise.py").write_text("print('raw noise', flush=True)")
    client = start('pipeline main(task) {\n  println(exec("python3", "-c", "print(123456)").stdout)\n}\n')
    session = client.new_session(tmp_path)
    assert client.prompt(session, "go")["stopReason"] == "end_turn"
    client.wait_for_stderr("123456")
    assert not client.garbage


def test_a_last_line_without_a_newline_is_served_if_it_is_whole(start):
    client = start()
    client.send_bytes(LIST)
    client.close_input()
    assert "result" in client.answer("l").message
    assert client.finish() == 0


def test_a_last_line_that_is_not_whole_is_not_served(start):
    client = start()
    client.send_bytes(LIST[:-5])
    assert client.finish() == 0
    assert not [line for line in client.lines if "result" in line.message and line["id"] == "l"]


@pytest.mark.parametrize("size", [1_000_000, 5_000_000])
def test_long_lines(client, session, size):
    result = client.request("session/prompt", {**prompt_params(session, "return null"), "_meta": {"x": "y" * size}})
    assert result == {"stopReason": "end_turn"}


def test_the_answer_is_flushed_at_once(client):
    for _ in range(5):
        client.request("session/list")


def test_a_trace_and_options_do_not_touch_stdout(start, tmp_path):
    trace = tmp_path / "trace.txt"
    client = start(arguments=["--trace-file", str(trace)])
    client.new_session(tmp_path)
    assert client.finish() == 0
    assert os.path.getsize(trace) > 0


TOO_LARGE = {"reason": "message_too_large", "limit": 2000}


@pytest.fixture(scope="module")
def limited(module_script):
    with AcpClient(module_script, arguments=["--max-message-bytes", "2000"]) as client:
        client.initialize()
        yield client


def test_a_line_over_the_limit_is_skipped_and_reported(limited):
    client = limited
    after = len(client.lines) - 1
    long = json.dumps({"jsonrpc": "2.0", "id": "big", "method": "what", "params": {"x": "y" * 5000}})
    client.send(long, long)
    line = client.ask(LIST, "l")
    found = client.matching(lambda line: line.message.get("id", 0) is None, after)
    assert [one["error"] for one in found] == [{"code": -32600, "message": "Invalid request", "data": TOO_LARGE}] * 2
    assert found[-1].index < line.index
    assert not client.matching(lambda line: line.message.get("id") == "big")


@pytest.mark.parametrize(("size", "is_served"), [(1999, True), (2000, True), (2001, False)])
def test_the_limit_is_exact(limited, size, is_served):
    head, tail = '{"jsonrpc":"2.0","id":"big","method":"session/list","params":{"x":"', '"}}'
    line = head + "y" * (size - len(head) - len(tail)) + tail
    assert len(line) == size
    found = limited.ask(line, "big" if is_served else None)
    assert ("result" in found.message) == is_served


@pytest.mark.parametrize("name", ["Content-Length: 20", "GET / HTTP/1.1"])
def test_the_framing_of_other_protocols_is_a_parse_error(client, name):
    assert client.ask(name)["error"]["code"] == -32700
