"""Inlay hints: parameter names before arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from harnlite.editor.handlers.inlay_hints import inlay_hints
from harnlite.editor.texts.uris import uri_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_lsp import LanguageClient


def hinted(desk) -> str:
    """Return the last line of a file with its hints in it, each in angle brackets."""
    document = desk.document
    everything = types.Range(types.Position(0, 0), types.Position(1000, 0))
    hints = inlay_hints(desk.files, types.InlayHintParams(desk.text_document, everything))
    text = document.text
    for hint in sorted(hints, key=lambda hint: (hint.position.line, hint.position.character), reverse=True):
        at = document.offset(hint.position)
        text = f"{text[:at]}<{hint.label}>{text[at:]}"
    return text.rpartition("\n")[2]


ADD = "fn add(first, second = 2, ...rest) { return first + second }\n"
LINES = [
    (f"{ADD}add(1, 2, 3)", "add(<first:>1, <second:>2, 3)"),
    (f"{ADD}add(x, -2)", "add(x, <second:>-2)"),
    (f"{ADD}add(second, add(1))", "add(second, add(<first:>1))"),
    (f'{ADD}add("first", "${{x}}")', 'add("first", <second:>"${x}")'),
    (f"{ADD}add(...xs, 2)", "add(...xs, 2)"),
    (f"{ADD}println(1)", "println(1)"),
    ("len([1])", "len([1])"),
    ('replace("a", "b", "c")', 'replace(<text:>"a", <old:>"b", <new:>"c")'),
    ('"a".replace("b", "c")', '"a".replace(<old:>"b", <new:>"c")'),
    ('"a,b".split(",")', '"a,b".split(",")'),
    ("struct P { x: int }\nimpl P { fn far(self, n: int) {} }\nP { x: 1 }.far(2)", "P { x: 1 }.far(<n:>2)"),
    ("enum S { C(r: float) }\nlet s = S.C(1.0)", "let s = S.C(<r:>1.0)"),
    ("let f = { one, two -> one }\nf(1, y)", "f(<one:>1, y)"),
    ('let s = "😀"; replace("漢", s, "c")', 'let s = "😀"; replace(<text:>"漢", s, <new:>"c")'),
    ('transcript.inject_reminder(t, {body: "x"})', 'transcript.inject_reminder(t, <options:>{body: "x"})'),
]


@pytest.mark.parametrize(("text", "line"), LINES)
def test_hints(desk, text, line):
    assert hinted(desk(text)) == line


def test_functions_of_other_files(desk):
    other = "pub fn look(path, deep = false) { return path }"
    assert hinted(desk('import "other"\nlook("a", true)', other=other)) == 'look(<path:>"a", <deep:>true)'
    assert hinted(desk('import { look } from "other"\nlook("a")', other=other)) == 'look(<path:>"a")'


def test_only_the_part_that_is_shown(desk):
    there = desk(f"{ADD}add(1)\nadd(2)")
    line = types.Range(types.Position(2, 0), types.Position(2, 6))
    hints = inlay_hints(there.files, types.InlayHintParams(there.text_document, line))
    assert [hint.position.line for hint in hints] == [2]


@pytest.mark.asyncio
async def test_over_the_wire(client: LanguageClient, tmp_path: Path):
    document = types.TextDocumentItem(uri_of(str(tmp_path / "a.harn")), "harn", 1, 'let s = "😀"; replace(s, "b", s)')
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    everything = types.Range(types.Position(0, 0), types.Position(9, 0))
    found = await client.text_document_inlay_hint_async(
        types.InlayHintParams(types.TextDocumentIdentifier(document.uri), everything)
    )
    assert [(hint.label, hint.position.character) for hint in found] == [("old:", 25)]
