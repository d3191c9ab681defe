"""The server process follows the protocol, whatever messages it receives."""

import contextlib
import io
import json
import subprocess
import sys

import pytest

from harnlite.cli import exit_codes
from tests.commands import run_command


def _frames(*messages: object) -> bytes:
    made = io.BytesIO()
    for message in messages:
        body = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        made.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    return made.getvalue()


def _conversation(*messages: object) -> tuple[int, list[dict], str]:
    """Say something to a server, and return its exit status, its answers and its log."""
    done = run_command("lsp", stdin=_frames(*messages), text=False)
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
