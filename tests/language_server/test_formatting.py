"""The server formats texts like `harnlite fmt`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from harnlite.diagnostics.source import Source
from harnlite.editor.handlers import formatting
from harnlite.syntax.printer import format_source
from tests.language_server.editing import edited

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_lsp import LanguageClient

    from tests.language_server.conftest import Desk

    Open = Callable[..., Desk]

OPTIONS = types.FormattingOptions(8, insert_spaces=False)
UGLY = 'let 字="😀"\n\n\n\nfn f( a,b ){\nreturn a+b // sum\n}\nlet same = 1\nlet y=f(1,\n2)'


def _full(desk: Desk) -> list[types.TextEdit]:
    return formatting.full(desk.files, types.DocumentFormattingParams(desk.text_document, OPTIONS))


def _range(desk: Desk, first: int, last: int) -> str:
    lines = types.Range(types.Position(first, 0), types.Position(last, 0))
    asked = types.DocumentRangeFormattingParams(desk.text_document, lines, OPTIONS)
    return edited(desk.document, formatting.in_range(desk.files, asked))


def _typed(desk: Desk, character: str) -> str:
    place = desk.document.position(desk.offset)
    asked = types.DocumentOnTypeFormattingParams(desk.text_document, place, character, OPTIONS)
    return edited(desk.document, formatting.on_type(desk.files, asked))


@pytest.mark.parametrize(
    "text", [UGLY, UGLY.replace("\n", "\r\n"), "", "\n\n", "let a = 1\n", "\ufeffa;b;c", "#!/x\nlet a=1"]
)
def test_the_whole_file_becomes_what_the_command_writes(desk: Open, text: str):
    made = desk(text)
    assert edited(made.document, _full(made)) == format_source(Source(text))


def test_only_what_changes_is_touched(desk: Open):
    made = desk("let a = 1\nlet b=2\nlet c = 3\n")
    edits = _full(made)
    assert [(one.range.start.line, one.range.end.line) for one in edits] == [(1, 1)]
    assert not _full(desk("let a = 1\n"))


def test_a_file_that_cannot_be_read_stays_as_it_is(desk: Open):
    assert not _full(desk("let a=\nfn f( {"))


def test_a_selection_is_laid_out_with_the_statements_it_touches(desk: Open):
    text = "let a=1\nfn f( ){\n  g( )\n}\nlet b=2\n"
    assert _range(desk(text), 2, 2) == "let a=1\nfn f() {\n  g()\n}\nlet b=2\n"
    assert _range(desk(text), 0, 1) == "let a = 1\nfn f( ){\n  g( )\n}\nlet b=2\n"
    assert _range(desk("let a=1; let b=2\nlet c=3\n"), 0, 0) == "let a = 1\nlet b = 2\nlet c=3\n"


def test_a_selection_is_laid_out_though_the_rest_cannot_be_read(desk: Open):
    assert _range(desk("let a=1\nfn f( {\n"), 0, 0) == "let a = 1\nfn f( {\n"


@pytest.mark.parametrize(
    ("text", "character", "expected"),
    [
        ("fn f( ) {\ng( )\n}<|>\nlet a=1\n", "}", "fn f() {\n  g()\n}\nlet a=1\n"),
        ("fn f() {\n  if a {\n    b\n    }<|>\n", "}", "fn f() {\n  if a {\n    b\n  }\n"),
        ("let a = [\n1,\n  ]<|>", "]", "let a = [\n  1,\n]\n"),
        ("fn f() {\n  g(\n    1\n    )<|>\n", ")", "fn f() {\n  g(\n    1\n  )\n"),
        ("fn f() {\n<|>", "\n", "fn f() {\n  "),
        ("fn f() {\n  g({\n<|>\n})", "\n", "fn f() {\n  g({\n    \n})"),
        ("let a = 1\n    <|>", "\n", "let a = 1\n    "),
        ('let a = "}<|>', "}", 'let a = "}'),
        ("}<|>", "}", "}"),
    ],
)
def test_a_line_finds_its_indent_while_it_is_written(desk: Open, text: str, character: str, expected: str):
    assert _typed(desk(text), character) == expected


async def test_the_server_answers(client: LanguageClient, tmp_path: Path):
    uri = (tmp_path / "a.harn").as_uri()
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "harn", 1, "let a=1\n}")))
    name, line = types.TextDocumentIdentifier(uri), types.Range(types.Position(0, 0), types.Position(0, 7))
    assert not await client.text_document_formatting_async(types.DocumentFormattingParams(name, OPTIONS))
    asked = types.DocumentRangeFormattingParams(name, line, OPTIONS)
    edits = await client.text_document_range_formatting_async(asked)
    assert edits is not None
    assert [one.new_text for one in edits] == [" = "]
    typed = types.DocumentOnTypeFormattingParams(name, types.Position(1, 1), "}", OPTIONS)
    assert not await client.text_document_on_type_formatting_async(typed)
