"""The server process follows the protocol, whatever messages it receives."""

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from harnlite.cli import exit_codes
from harnlite.editor.features import FEATURES
from harnlite.editor.offers import OFFERS
from tests.commands import run_command


def _frames(*messages: object) -> bytes:
    made = io.BytesIO()
    for message in messages:
        body = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        made.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    return made.getvalue()


def _conversation(*messages: object) -> tuple[int, list[dict], str]:
    """Say something to a server, and return its exit status, its answers and its log."""
    return _answers_to(_frames(*messages))


def _answers_to(given: bytes) -> tuple[int, list[dict], str]:
    """Send bytes to a server, and return its exit status, its answers and its log."""
    done = run_command("lsp", stdin=given, text=False)
    answers, rest = [], done.stdout
    while rest:
        head, _, rest = rest.partition(b"\r\n\r\n")
        size = int(head.lower().split(b"content-length:")[1].split()[0])
        answers.append(json.loads(rest[:size]))
        rest = rest[size:]
    return done.returncode, answers, done.stderr.decode()


BEGIN = {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}}
READY = {"method": "initialized", "params": {}}
HERE = {"textDocument": {"uri": "untitled:1"}, "position": {"line": 0, "character": 0}}
BYE = ({"id": 9, "method": "shutdown"}, {"method": "exit"})


OFFERED = {
    "callHierarchy", "codeAction", "completion", "declaration", "definition", "documentFormatting", "documentHighlight",
    "documentLink", "documentOnTypeFormatting", "documentRangeFormatting", "documentSymbol", "executeCommand",
    "foldingRange", "hover", "implementation", "inlayHint", "references", "rename", "selectionRange", "semanticTokens",
    "signatureHelp", "typeDefinition", "workspaceSymbol",
}  # fmt: skip


def test_an_orderly_end_is_a_success():
    status, (began, ended), log = _conversation(BEGIN, READY, *BYE)
    assert (status, log, ended["result"]) == (exit_codes.OK, "", None)
    assert began["result"]["serverInfo"]["name"] == "harnlite"


@pytest.mark.parametrize("messages", [(BEGIN, READY), (BEGIN, READY, {"method": "exit"}), ()])
def test_an_end_without_a_goodbye_is_none(messages):
    status, _, log = _conversation(*messages)
    assert (status, log) == (exit_codes.FAILED, "")


def test_what_is_offered_is_what_is_served():
    _, (began, _), _ = _conversation(BEGIN, *BYE)
    offered = began["result"]["capabilities"]
    assert offered["positionEncoding"] == "utf-16"
    assert offered["textDocumentSync"] == {"openClose": True, "change": 2, "save": True}
    kinds = {name.removesuffix("Provider") for name in offered if name.endswith("Provider")}
    assert kinds == OFFERED
    assert offered["workspace"]["workspaceFolders"] == {"supported": True, "changeNotifications": True}


def test_every_request_that_is_announced_has_a_function():
    assert list(OFFERS) == list(FEATURES)


@pytest.mark.parametrize(("known", "chosen"), [(["utf-32", "utf-8"], "utf-32"), (["utf-7"], "utf-16")])
def test_columns_are_counted_as_the_editor_counts(known, chosen):
    capabilities = {"general": {"positionEncodings": known}}
    begin = {**BEGIN, "params": {**BEGIN["params"], "capabilities": capabilities}}
    _, (began, _), _ = _conversation(begin, *BYE)
    assert began["result"]["capabilities"]["positionEncoding"] == chosen


def _errors(*messages):
    """Return the numbers of the requests that were refused, each with the code of the error."""
    status, answers, log = _conversation(*messages)
    assert "Traceback" not in log
    assert status == exit_codes.OK
    return [(one["id"], one["error"]["code"]) for one in answers if "error" in one]


def test_a_request_at_the_wrong_time_is_refused():
    ask = {"method": "textDocument/hover", "params": HERE}
    assert _errors({**ask, "id": 5}, {"method": "textDocument/didOpen"}, BEGIN, {**BEGIN, "id": 6}, *BYE) == [
        (5, -32002),
        (6, -32600),
    ]
    assert _errors(BEGIN, READY, BYE[0], {**ask, "id": 7}, READY, BYE[1]) == [(7, -32600)]


def test_a_request_that_cannot_be_read_is_refused():
    given = [7, [], None, {}, {**HERE, "position": {"line": -1, "character": 0}}]
    asked = [{"id": number, "method": "textDocument/hover", "params": params} for number, params in enumerate(given)]
    assert _errors(BEGIN, READY, *asked, *BYE) == [(number, -32602) for number in range(len(given))]


def test_what_is_not_known_is_refused_or_passed_over():
    known = {"method": "$/setTrace", "params": {"value": "verbose"}}
    notes = [{"method": name, "params": {}} for name in ("$/nothing", "nothing/atAll", "workspace/didRenameFiles")]
    cancelled = {"method": "$/cancelRequest", "params": {"id": 77}}
    asked = [{"id": name, "method": f"{name}/atAll"} for name in ("$", "nothing")]
    answer = {"id": "no question", "result": None}
    assert _errors(BEGIN, READY, known, *notes, cancelled, *asked, answer, *BYE) == [("$", -32601), ("nothing", -32601)]


def test_what_has_no_parameters_may_leave_them_out():
    status, answers, log = _conversation(BEGIN, {"method": "initialized"}, *BYE)
    assert (status, answers[-1]["result"], log) == (exit_codes.OK, None, "")


def test_garbage_does_not_end_the_conversation():
    opened = b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"x": 1}}'
    assert _errors(BEGIN, READY, b"{", b"[]", b"\xff", opened, *BYE) == [(None, -32700), (None, -32700)]


BAD_HEADERS = {
    "endless": b"Content-Length: 99999999999999\r\n\r\n{}",
    "a little too long": b"Content-Length: 67108865\r\n\r\n{}",
    "more digits than a number may have": b"Content-Length: %s\r\n\r\n{}" % (b"9" * 4090),
    "negative": b"Content-Length: -5\r\n\r\n{}",
    "no number": b"Content-Length: many\r\n\r\n{}",
    "other digits": "Content-Length: \u0665\r\n\r\n{}".encode(),
    "nothing": b"Content-Length:\r\n\r\n{}",
    "no length": b"Content-Type: text\r\n\r\n{}",
    "no header": b'{"jsonrpc": "2.0"}\r\n\r\n',
    "a long line": b"x" * 20_000,
    "many lines": b"X: y\r\n" * 1000,
    "a frame across the limit of a line": b"X: y\r\n\r\n" + b"x" * 4080,
}


def _between(raw):
    """Return bytes between two sound messages."""
    return _frames(BEGIN, READY) + raw + _frames({"id": 5, "method": "nothing/atAll"}, *BYE)


@pytest.mark.parametrize("name", BAD_HEADERS)
def test_a_bad_header_is_refused_and_the_next_message_is_read(name):
    status, answers, log = _answers_to(_between(BAD_HEADERS[name]))
    assert status == exit_codes.OK
    assert "Traceback" not in log
    assert "a message has no effect: " in log
    errors = [(one.get("id"), one["error"]["code"]) for one in answers if "error" in one]
    assert sorted(errors, key=str) == [(5, -32601), (None, -32700)]
    assert answers[-1]["id"] == 9


@pytest.mark.parametrize("raw", [b"\r\n\r\n", b"Content-Length: 0\r\n\r\n", b"X: y\r\ncontent-length:2\n\n{}"])
def test_a_harmless_header_is_read(raw):
    status, answers, log = _answers_to(_between(raw))
    assert (status, "Traceback" in log) == (exit_codes.OK, False)
    assert answers[-1]["id"] == 9


def test_a_bad_header_at_the_end_of_the_input_ends_the_server():
    for raw in (b"Content-Length: 99999999999999\r\n\r\n", b"Content-Length: 50\r\n\r\n{", b"Content-Le"):
        done = run_command("lsp", stdin=_frames(BEGIN, READY) + raw, text=False)
        assert done.returncode == exit_codes.FAILED
        assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the memory of a process")
@pytest.mark.parametrize("header", [b"", b"Content-Length: 99999999999999\r\n\r\n"])
def test_bad_headers_take_no_memory(header):
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-m", "harnlite", "lsp"], stdin=pipe, stdout=pipe, stderr=pipe) as process:
        process.stdin.write(_frames(BEGIN, READY) + header)
        for _ in range(400):
            process.stdin.write(b"x" * 1_000_000)
        process.stdin.write(_frames(*({"id": number, "method": "nothing/atAll"} for number in (5, 6))))
        process.stdin.flush()
        said = b""
        while b'"id": 5' not in said:
            said += process.stdout.readline()
        state = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        kilobytes = int(state.split("VmHWM:")[1].split()[0])
        process.stdin.write(_frames(*BYE))
        process.stdin.close()
        process.stdout.read()
        assert process.wait(60) == exit_codes.OK
    assert said.count(b'"code": -32700') == 1
    assert kilobytes < 300_000


def test_a_dead_editor_ends_the_server():
    process = subprocess.Popen(
        [sys.executable, "-m", "harnlite", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        process.stdin.write(_frames(BEGIN, READY))
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(_frames({"id": 2, "method": "nothing"}, *BYE))
            process.stdin.close()
        assert process.wait(60) in (exit_codes.OK, exit_codes.FAILED)
        assert "Traceback" not in process.stderr.read().decode()
