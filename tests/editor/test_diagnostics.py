"""What is wrong is reported while somebody types."""

import asyncio
import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from harnlite.cli import exit_codes
from harnlite.diagnostics.source import Source
from harnlite.editor.workspace import uri_of
from harnlite.host.linting import Desk, Wishes

WRONG = "transcript.inject_reminder(transcript(), {body: 1})\n"


class Editor:
    """Types into files, and waits for what the server has to say about what was typed."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.versions: dict[str, int] = {}
        self.reports: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = self.reports.put_nowait

    async def open(self, name: str, text: str) -> list[types.Diagnostic]:
        uri = uri_of(str(self.folder / name))
        self.versions[uri] = 1
        item = types.TextDocumentItem(uri, "harn", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.said(name)

    async def type(self, name: str, *changes: tuple[int, int, int, int, str]) -> list[types.Diagnostic]:
        uri = uri_of(str(self.folder / name))
        self.versions[uri] += 1
        given = [
            types.TextDocumentContentChangePartial(
                types.Range(types.Position(line, column), types.Position(end_line, end_column)), text
            )
            for line, column, end_line, end_column, text in changes
        ]
        document = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, given))
        return await self.said(name)

    async def said(self, name: str) -> list[types.Diagnostic]:
        """Wait for a report about the newest version of a file."""
        uri = uri_of(str(self.folder / name))
        while True:
            report = await asyncio.wait_for(self.reports.get(), 20)
            if report.uri == uri and report.version == self.versions.get(uri):
                return list(report.diagnostics)

    def save(self, name: str) -> None:
        document = types.TextDocumentIdentifier(uri_of(str(self.folder / name)))
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(document))


@pytest.fixture
async def editor(client: LanguageClient, tmp_path: Path) -> Editor:
    return Editor(client, tmp_path)


def _place(found: types.Diagnostic) -> tuple[int, int, int, int]:
    return found.range.start.line, found.range.start.character, found.range.end.line, found.range.end.character


async def test_a_finding_has_code_severity_place_and_advice(editor: Editor):
    text = 'let t = transcript()\nlet 字 = "😀"; transcript.inject_reminder(t, {body: "x", ttl_turn: 1})\nprintln(字)\n'
    (one,) = await editor.open("a.harn", text)
    assert (one.code, one.source, one.severity) == ("HARN-RMD-001", "harnlite", types.DiagnosticSeverity.Error)
    start = text.splitlines()[1].index("ttl_turn") + 1  # the emoji counts twice
    assert _place(one) == (1, start, 1, start + len("ttl_turn"))
    assert one.message.startswith("transcript.inject_reminder: unknown option(s): ttl_turn\nhelp: ")


async def test_what_the_editor_shows_is_what_lint_prints(editor: Editor, tmp_path: Path):
    text = "fn f(a, b) {\n  let x = 1\n  return a +\n}\nlet y = f(1, 2, 3)\n" + WRONG
    shown = await editor.open("a.harn", text)
    path = str(tmp_path / "a.harn")
    printed = Desk(Wishes()).lint(Source(text, path, path))
    assert [(one.code, one.message.split("\n")[0]) for one in shown] == [(one.code, one.message) for one in printed]
    assert len(shown) > 1


async def test_unused_names_are_faded_and_other_places_are_linked(editor: Editor):
    found = await editor.open("a.harn", "fn f(a: int) -> int { return a }\nlet x = f(true)\n")
    (wrong,) = [one for one in found if one.code == "HARN-CHK-001"]
    assert [info.location.range.start.line for info in wrong.related_information] == [0]
    (unused,) = await editor.open("b.harn", 'import { parse_int_or } from "std/text"\n')
    assert list(unused.tags) == [types.DiagnosticTag.Unnecessary]


async def test_typing_mends_and_breaks(editor: Editor):
    assert await editor.open("a.harn", 'println("😀 字")\n') == []
    (broken,) = await editor.type("a.harn", (0, 9, 0, 11, "${"))
    assert (broken.code, broken.range.start.line) == ("HARN-SYN-001", 0)
    assert await editor.type("a.harn", (0, 9, 0, 11, "😀")) == []
    # Two changes at once: the second one stands in the text that the first one has made.
    (unknown,) = await editor.type("a.harn", (0, 9, 0, 9, "\\\\"), (1, 0, 1, 0, "nothing()\n"))
    assert unknown.range.start == types.Position(1, 0)


async def test_a_whole_text_may_be_sent(editor: Editor, client: LanguageClient, tmp_path: Path):
    await editor.open("a.harn", "1 +\n")
    uri = uri_of(str(tmp_path / "a.harn"))
    change = types.TextDocumentContentChangeWholeDocument("println(1)\n")
    editor.versions[uri] = 7
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(7, uri), [change])
    )
    assert await editor.said("a.harn") == []


async def test_a_change_shows_in_the_files_that_import_it(editor: Editor):
    assert await editor.open("shape.harn", "pub fn area(w: int, h: int) -> int { return w * h }\n") == []
    assert await editor.open("main.harn", 'import { area } from "./shape.harn"\nprintln(area(1, 2))\n') == []
    assert await editor.type("shape.harn", (0, 12, 0, 26, "w: int")) != []
    (wrong,) = await editor.said("main.harn")
    assert "area" in wrong.message


async def test_a_change_on_the_disk_shows_after_a_save(editor: Editor, tmp_path: Path):
    shape = tmp_path / "shape.harn"
    shape.write_text("pub fn area(w: int, h: int) -> int { return w * h }\n")
    assert await editor.open("main.harn", 'import { area } from "./shape.harn"\nprintln(area(1, 2))\n') == []
    shape.write_text("pub fn area(w: int) -> int { return w }\n")
    editor.save("main.harn")
    assert await editor.said("main.harn") != []


async def test_the_configuration_counts_and_is_read_again(editor: Editor, tmp_path: Path):
    settings = tmp_path / "harn.toml"
    settings.write_text('[lint]\nignore = ["HARN-RMD"]\n')
    assert await editor.open("a.harn", WRONG) == []
    settings.write_text("[lint]\nignore = []\n")
    editor.save("a.harn")
    assert [one.code for one in await editor.said("a.harn")] == ["HARN-RMD-001"]


async def test_a_wrong_configuration_is_shown(editor: Editor, client: LanguageClient, tmp_path: Path):
    (tmp_path / "harn.toml").write_text("[lint]\nselct = []\n")
    assert [one.code for one in await editor.open("a.harn", WRONG)] == ["HARN-RMD-001"]
    (shown,) = client.messages
    assert shown.type == types.MessageType.Error
    assert "unknown key 'lint.selct'; did you mean 'lint.select'?" in shown.message


async def test_closing_a_file_takes_back_what_was_said(editor: Editor, client: LanguageClient, tmp_path: Path):
    assert await editor.open("a.harn", WRONG) != []
    uri = uri_of(str(tmp_path / "a.harn"))
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    del editor.versions[uri]  # a report about no version
    assert await editor.said("a.harn") == []
    assert await editor.open("a.harn", WRONG) != []


async def test_a_text_without_a_file_is_looked_at_too(client: LanguageClient):
    item = types.TextDocumentItem("untitled:Untitled-1", "harn", 1, WRONG)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    report = await asyncio.wait_for(client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS), 20)
    assert (report.uri, len(report.diagnostics)) == ("untitled:Untitled-1", 1)


# The process


def _frames(*messages: object) -> bytes:
    made = io.BytesIO()
    for message in messages:
        body = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        made.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    return made.getvalue()


def _conversation(*messages: object) -> tuple[int, list[dict], str]:
    """Say something to a server, and return its exit status, its answers and its log."""
    command = [sys.executable, "-m", "harnlite", "lsp"]
    done = subprocess.run(command, input=_frames(*messages), capture_output=True, timeout=60, check=False)
    answers, rest = [], done.stdout
    while rest:
        head, _, rest = rest.partition(b"\r\n\r\n")
        size = int(head.lower().split(b"content-length:")[1].split()[0])
        answers.append(json.loads(rest[:size]))
        rest = rest[size:]
    return done.returncode, answers, done.stderr.decode()


BEGIN = {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}}
READY = {"method": "initialized", "params": {}}
BYE = ({"id": 9, "method": "shutdown"}, {"method": "exit"})


def test_an_orderly_end_is_a_success():
    status, (began, ended), log = _conversation(BEGIN, READY, *BYE)
    assert (status, log, ended["result"]) == (exit_codes.OK, "", None)
    assert began["result"]["serverInfo"]["name"] == "harnlite"


@pytest.mark.parametrize("messages", [(BEGIN, READY), (BEGIN, READY, {"method": "exit"}), ()])
def test_an_end_without_a_goodbye_is_none(messages):
    status, _, log = _conversation(*messages)
    assert (status, log) == (exit_codes.FAILED, "")


@pytest.mark.parametrize(
    "garbage",
    [
        b"{",
        b"[]",
        b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"x": 1}}',
        b'{"jsonrpc": "2.0", "id": 3, "method": "textDocument/hover", "params": 7}',
        b'{"jsonrpc": "2.0", "id": 3, "method": "nothing/atAll", "params": {}}',
    ],
)
def test_garbage_does_not_end_the_conversation(garbage):
    status, answers, log = _conversation(BEGIN, READY, garbage, *BYE)
    assert (status, answers[-1]) == (exit_codes.OK, {"id": 9, "jsonrpc": "2.0", "result": None})
    assert "Traceback" not in log


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
        assert process.wait(30) in (exit_codes.OK, exit_codes.FAILED)
        assert "Traceback" not in process.stderr.read().decode()
