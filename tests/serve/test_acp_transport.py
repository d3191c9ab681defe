"""The lines of a connection, and the rules of JSON-RPC, without any conversation."""

import json
import os
import signal
import threading
import time

import pytest

from harnlite.serve.acp import service as service_module
from harnlite.serve.acp.server import AcpServer, ConnectionSettings
from harnlite.serve.acp.transport import Line, TooLong, Writer, read_lines
from harnlite.serve.conversation_values import ServerSettings, UnknownSession

INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'
KEY = "sk-1234567890abcdef1234567890"
PARSE_ERROR = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'


def lines_of(data, limit=10, step=None):
    incoming, outgoing = os.pipe()

    def feed():
        with os.fdopen(outgoing, "wb", buffering=0) as stream:
            for start in range(0, len(data), step or len(data) or 1):
                stream.write(data[start : start + (step or len(data))])

    thread = threading.Thread(target=feed)
    thread.start()
    found = list(read_lines(incoming, limit))
    thread.join()
    os.close(incoming)
    return found


@pytest.mark.parametrize("step", [1, 3, None])
@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"a\nb\r\n\nc\n", [Line(b"a"), Line(b"b\r"), Line(b""), Line(b"c")]),
        (b"a\nrest", [Line(b"a"), Line(b"rest", is_cut=True)]),
        (b"0123456789\n01234567890\nb\n", [Line(b"0123456789"), TooLong(), Line(b"b")]),
        (b"x" * 35 + b"\nb\n", [TooLong(), Line(b"b")]),
        (b"x" * 35, [TooLong()]),
        (b"x" * 200_000 + b"\n", [TooLong()]),
    ],
)
def test_lines_are_cut_at_newlines_and_long_ones_are_skipped(data, lines, step):
    if step == 1 and len(data) > 1000:
        step = 4096
    assert lines_of(data, step=step) == lines


def test_a_reader_that_stops_reading_blocks_no_writer():
    incoming, outgoing = os.pipe()
    writer = Writer(outgoing, lambda: None)
    started = time.monotonic()
    for _ in range(1000):
        writer.write(b"x" * 10_000)
    assert time.monotonic() - started < 30
    received = 0
    closing = threading.Thread(target=writer.close, args=(60,))
    closing.start()
    while received < 1000 * 10_001:
        received += len(os.read(incoming, 1 << 20))
    closing.join(60)
    assert not closing.is_alive()


def test_closing_gives_up_on_a_reader_that_reads_nothing():
    _incoming, outgoing = os.pipe()
    writer = Writer(outgoing, lambda: None)
    writer.write(b"x" * 1_000_000)
    started = time.monotonic()
    writer.close(0.2)
    assert 0.1 < time.monotonic() - started < 30


def test_a_lost_reader_is_reported_once_and_lines_are_dropped():
    incoming, outgoing = os.pipe()
    os.close(incoming)
    gone = threading.Event()
    writer = Writer(outgoing, gone.set)
    writer.write(b"x")
    assert gone.wait(60)
    writer.write(b"y")
    writer.close(60)
    assert writer.is_gone


class NoConversations:
    """Conversations without a session."""

    def __init__(self, *_args, **_options):
        self.is_closed = False

    def shutdown(self, _grace):
        self.is_closed = True

    def info(self, session_id):
        raise UnknownSession(session_id)

    prompt = close = pending = lambda self, session_id, *_args, **_options: self.info(session_id)

    def running_sessions(self):
        return []

    def last_used(self):
        return None

    def cancel(self, _session_id):
        return False

    def listed(self, cwd, _after, _limit):
        if cwd == "/broken":
            raise RuntimeError(f"first line\n{KEY}")
        return []


@pytest.fixture
def exchange(monkeypatch, capsys):
    """Send lines to a server and return what it writes until its end."""
    monkeypatch.setattr(service_module, "Conversations", NoConversations)

    def run(*lines, **connection):
        here, there = os.pipe()
        back, out = os.pipe()
        data = b"".join(line.encode() if isinstance(line, str) else line for line in lines)
        feeding = threading.Thread(target=lambda: (os.write(there, data), os.close(there)))
        feeding.start()
        received = []

        def read():
            with os.fdopen(back, "rb") as stream:
                received.extend(stream)

        reading = threading.Thread(target=read)
        reading.start()
        server = AcpServer(lambda: ServerSettings(None), None, here, out, ConnectionSettings(**connection))
        server.run()
        os.close(out)
        reading.join(60)
        feeding.join(60)
        assert server.conversations.is_closed
        return [json.loads(line) for line in received]

    return run


def test_a_signal_that_another_thread_receives_ends_the_server(monkeypatch):
    monkeypatch.setattr(service_module, "Conversations", NoConversations)
    here, there = os.pipe()
    with open(os.devnull, "wb") as out:
        server = AcpServer(lambda: ServerSettings(None), None, here, out.fileno(), ConnectionSettings())
        before = signal.signal(signal.SIGINT, lambda *_: server.stop())
        # The system delivers the signal to this thread, so that it does not end the wait of the main thread.
        receiver = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
        os.write(there, f"{INITIALIZE}\n".encode())
        receiver.start()
        try:
            server.run()
        finally:
            signal.signal(signal.SIGINT, before)
            os.close(there)
            receiver.join()
    assert server.conversations.is_closed


def error(code, message, request_id=None, **data):
    found = {"code": code, "message": message}
    return {"jsonrpc": "2.0", "id": request_id, "error": {**found, "data": data} if data else found}


def test_initialize_names_what_is_served(exchange):
    (answer,) = exchange(INITIALIZE)
    result = answer["result"]
    assert result["protocolVersion"] == 1
    assert result["authMethods"] == []
    assert result["_meta"] == {"steering": {"supported": True}}
    capabilities = result["agentCapabilities"]
    assert capabilities["_meta"]["harn"]["reminders"] == capabilities["reminders"]
    assert capabilities["_meta"]["harn"]["session"] == capabilities["session"]
    assert capabilities["reminders"]["emit"] is True


def test_a_client_can_switch_reminders_off(exchange):
    line = INITIALIZE.replace("}}", ',"clientCapabilities":{"_meta":{"harn":{"reminders":false}}}}}')
    capabilities = exchange(line)[0]["result"]["agentCapabilities"]
    assert capabilities["reminders"]["emit"] is capabilities["_meta"]["harn"]["reminders"]["emit"] is False


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("nonsense\n", json.loads(PARSE_ERROR)),
        ("[]\n", error(-32600, "Invalid request", reason="batch_not_supported")),
        ("x" * 200 + "\n", error(-32600, "Invalid request", reason="message_too_large", limit=150)),
        (
            '{"jsonrpc":"2.0","id":"1","method":"session/fork"}\n',
            error(-32601, "Method not found", "1", method="session/fork"),
        ),
        (
            '{"jsonrpc":"2.0","id":null,"method":"authenticate","params":{"methodId":"x"}}\n',
            error(-32602, "Invalid params", None, reason="no_auth_methods"),
        ),
        (
            '{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"here"}}\n',
            error(-32602, "Invalid params", 2, reason="invalid_cwd"),
        ),
        (
            '{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"a","prompt":[]}}\n',
            error(-32602, "Invalid params", 2, reason="invalid_content"),
        ),
        (
            '{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"a","prompt":[{"type":"image"}]}}\n',
            error(-32602, "Invalid params", 2, reason="unsupported_content", index=0),
        ),
        (
            '{"jsonrpc":"2.0","id":2,"method":"_harn/session/inject","params":{"sessionId":"a","mode":"x"}}\n',
            error(-32602, "Invalid params", 2, reason="unsupported_mode", modes=["queue", "steer"]),
        ),
        (
            '{"jsonrpc":"2.0","id":2,"method":"_session/inject","params":{"sessionid":"a","_meta":{"x":1}}}\n',
            error(-32602, "Invalid params", 2, reason="unknown_key", field="sessionid"),
        ),
        (
            '{"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"a","cwd":"/"}}\n',
            error(-32002, "Resource not found", 2, reason="unknown_session", sessionId="a"),
        ),
        (
            '{"jsonrpc":"2.0","id":2,"method":"session/pending_injections"}\n',
            error(-32002, "Resource not found", 2, reason="unknown_session"),
        ),
        (
            '{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cursor":"AAAA"}}\n',
            error(-32602, "Invalid params", 2, reason="invalid_cursor"),
        ),
        (
            '{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cwd":"/broken"}}\n',
            error(-32603, "Internal error", 2, kind="RuntimeError"),
        ),
        ('{"jsonrpc":"2.0","id":2,"method":"session/list"}', {"jsonrpc": "2.0", "id": 2, "result": {"sessions": []}}),
        (
            '{"jsonrpc":"2.0","id":2,"method":"session/cancel","params":{"sessionId":"a"}}\n',
            {"jsonrpc": "2.0", "id": 2, "result": None},
        ),
    ],
)
def test_answers(exchange, line, answer):
    assert exchange(f"{INITIALIZE}\n", line, max_message_bytes=150)[1:] == [answer]


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","method":"session/unknown"}\n',
        '{"jsonrpc":"2.0","method":"session/new","params":{"cwd":"/"}}\n',
        '{"jsonrpc":"2.0","id":"h-1","result":{}}\n',
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}\n',
        '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"a"}}\n',
        '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":9}}\n',
        "\r\n\n",
        '{"jsonrpc":"2.0","id":2,"method":"session/li',
    ],
)
def test_what_is_not_answered(exchange, line):
    assert len(exchange(f"{INITIALIZE}\n", line)) == 1


def test_nothing_is_served_before_initialize(exchange):
    lines = exchange(
        '{"jsonrpc":"2.0","id":1,"method":"session/list"}\n',
        '{"jsonrpc":"2.0","id":2,"method":"unknown"}\n',
        '{"jsonrpc":"2.0","method":"session/remind","params":{"body":"x"}}\n',
        '{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"1"}}\n',
        '{"jsonrpc":"2.0","id":4,"method":"session/list"}\n',
    )
    assert [line["error"]["code"] for line in lines] == [-32600, -32600, -32602, -32600]
    assert lines[0]["error"]["data"] == {"reason": "not_initialized"}


def test_the_mistake_of_a_notification_is_one_line_on_stderr(exchange, capsys):
    exchange(f"{INITIALIZE}\n", '{"jsonrpc":"2.0","method":"session/remind","params":{"body":""}}\n')
    assert capsys.readouterr().err == (
        "harnlite acp: session/remind: HARN-RMD-002: `body` must be a non-empty string\n"
    )


def test_a_traceback_needs_debug(exchange, capsys):
    line = '{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cwd":"/broken"}}\n'
    exchange(f"{INITIALIZE}\n", line)
    assert "Traceback" not in capsys.readouterr().err
    exchange(f"{INITIALIZE}\n", line, debug=True)
    shown = capsys.readouterr().err
    assert "Traceback" in shown
    assert "sk-1234567890" not in shown


def test_the_trace_shows_both_directions(exchange, tmp_path):
    with (tmp_path / "trace").open("w") as trace:
        exchange(f"{INITIALIZE}\n", "nonsense\n", trace=trace)
    shown = [line.split(" ", 1)[1] for line in (tmp_path / "trace").read_text().splitlines()]
    assert shown[0] == '--> initialize #0 {"protocolVersion": 1}'
    assert shown[1].startswith('<-- result #0 {"protocolVersion": 1')
    assert shown[2:] == [
        '--> invalid message #null {"code": -32700}',
        '<-- error #null {"code": -32700, "message": "Parse error"}',
    ]
