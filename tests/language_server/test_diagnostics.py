"""Findings are reported while the user types."""

import asyncio
import threading
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from harnlite.diagnostics.source import Source
from harnlite.editor import diagnosing
from harnlite.editor.diagnosing import Diagnoser
from harnlite.editor.texts.uris import uri_of
from harnlite.editor.texts.workspace import Workspace
from harnlite.host.linting import Desk, Wishes

SECONDS = 60
"""The time limit of a wait; it guards against hanging."""
WRONG = "transcript.inject_reminder(transcript(), {body: 1})\n"


class Editor:
    """Types into files, and waits for what the server has to say about what was typed."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.versions: dict[str, int] = {}
        self.reports: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()

    async def open(self, name: str, text: str) -> list[types.Diagnostic]:
        uri = uri_of(str(self.folder / name))
        self.versions[uri] = 1
        item = types.TextDocumentItem(uri, "harn", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.said(name)

    async def type(
        self, name: str, *changes: tuple[int, int, int, int, str], version: int | None = None
    ) -> list[types.Diagnostic]:
        uri = uri_of(str(self.folder / name))
        self.versions[uri] = version or self.versions[uri] + 1
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
            report = await asyncio.wait_for(self.reports.get(), SECONDS)
            if report.uri == uri and report.version == self.versions.get(uri):
                return list(report.diagnostics)

    def save(self, name: str) -> None:
        document = types.TextDocumentIdentifier(uri_of(str(self.folder / name)))
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(document))


@pytest.fixture
async def editor(client: LanguageClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editor:
    made = Editor(client, tmp_path)
    reported = types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS
    monkeypatch.setitem(client.protocol.fm.features, reported, made.reports.put_nowait)
    return made


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
    shown = client.messages[-1]
    assert shown.type == types.MessageType.Error
    assert "unknown key 'lint.selct'; did you mean 'lint.select'?" in shown.message


async def test_closing_a_file_takes_back_what_was_said(editor: Editor, client: LanguageClient, tmp_path: Path):
    assert await editor.open("a.harn", WRONG) != []
    uri = uri_of(str(tmp_path / "a.harn"))
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    del editor.versions[uri]  # a report about no version
    assert await editor.said("a.harn") == []
    assert await editor.open("a.harn", WRONG) != []


async def test_a_text_without_a_file_is_looked_at_too(editor: Editor, client: LanguageClient):
    item = types.TextDocumentItem("untitled:Untitled-1", "harn", 1, WRONG)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    report = await asyncio.wait_for(editor.reports.get(), SECONDS)
    while report.uri != item.uri:
        report = await asyncio.wait_for(editor.reports.get(), SECONDS)
    assert len(report.diagnostics) == 1


async def test_versions_and_borders_may_be_anything(editor: Editor):
    await editor.open("a.harn", WRONG)
    assert len(await editor.type("a.harn")) == 1  # a change without a change is a new version
    for version, text, codes in [
        (2, "println(1)\n", []),
        (-3, WRONG, ["HARN-RMD-001"]),
        (-3, "1 +\n", ["HARN-SYN-001"]),
    ]:
        found = await editor.type("a.harn", (9, 7, 0, 0, text), version=version)
        assert [one.code for one in found] == codes


async def test_only_the_end_of_many_quick_changes_counts(editor: Editor, client: LanguageClient, tmp_path: Path):
    await editor.open("a.harn", "")
    uri = uri_of(str(tmp_path / "a.harn"))
    for column, letter in enumerate(WRONG):
        editor.versions[uri] += 1
        place = types.Position(0, column)
        document = types.VersionedTextDocumentIdentifier(editor.versions[uri], uri)
        change = types.TextDocumentContentChangePartial(types.Range(place, place), letter)
        client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
    assert [one.code for one in await editor.said("a.harn")] == ["HARN-RMD-001"]


async def test_a_change_of_a_file_that_is_not_open_does_no_harm(editor: Editor, client: LanguageClient, tmp_path: Path):
    uri = uri_of(str(tmp_path / "a.harn"))
    document = types.VersionedTextDocumentIdentifier(2, uri)
    change = types.TextDocumentContentChangeWholeDocument(WRONG)
    client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
    assert await editor.open("a.harn", "println(1)\n") == []
    assert await editor.open("b.harn", WRONG) != []


async def test_the_configuration_of_the_folder_counts_for_what_is_in_no_file(client: LanguageClient, tmp_path: Path):
    (tmp_path / "harn.toml").write_text('[lint]\nignore = ["HARN-RMD"]\n')
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem("untitled:1", "harn", 1, WRONG))
    )
    report = await asyncio.wait_for(client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS), SECONDS)
    assert list(report.diagnostics) == []


def test_a_fault_in_one_report_does_not_silence_the_others(monkeypatch):
    reported, faults = [], []
    files = Workspace()

    def inspect(self, document, memory=None):
        if "fault" in document.text:
            raise ZeroDivisionError
        return []

    monkeypatch.setattr(Workspace, "inspect", inspect)
    monkeypatch.setattr(diagnosing, "POLL_INTERVAL", 0)

    def publish(document, _found, _shown):
        reported.append(document.path)
        diagnoser.end()

    diagnoser = Diagnoser(publish, faults.append, lambda text, _error: faults.append(text), files, threading.Lock())
    diagnoser.tell(lambda files: files.opened("untitled:a", "fault", 1))
    diagnoser.tell(lambda files: files.opened("untitled:b", "fine", 1))
    diagnoser.run()
    assert (reported, faults) == (["untitled:b"], ["internal error in a report: ZeroDivisionError()"])
