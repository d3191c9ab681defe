"""Selection ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from harnlite.editor.handlers.selection_ranges import selection_ranges

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_lsp import LanguageClient

    from tests.language_server.conftest import Desk

    Open = Callable[..., Desk]


def _grown(desk: Desk) -> list[str]:
    """Return the texts that are selected around the cursor, the smallest first, without the file."""
    place = desk.document.position(desk.offset)
    (chain,) = selection_ranges(desk.files, types.SelectionRangeParams(desk.text_document, [place]))
    found, at = [], chain
    while at.parent is not None:
        start, end = desk.document.offset(at.range.start), desk.document.offset(at.range.end)
        found.append(desk.document.text[start:end])
        at = at.parent
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("let a = f(1, b + c<|>c)\n",
         ["cc", "b + cc", "1, b + cc", "(1, b + cc)", "f(1, b + cc)", "let a = f(1, b + cc)"]),
        ('log("one tw<|>o")\n', ["two", "one two", '"one two"', '("one two")', 'log("one two")']),
        ("fn f() {\n  g()\n  h<|>()\n}\n",
         ["h", "h()", "g()\n  h()", "{\n  g()\n  h()\n}", "fn f() {\n  g()\n  h()\n}"]),
        ("// some wo<|>rds\nlet a = 1\n", ["words", "// some words"]),
        ('"""\n  one li<|>ne\n  two\n"""\n', ["line", "one line", "\n  one line\n  two\n"]),
        ('let 字 = "😀" + x<|>y\n', ["xy", '"😀" + xy', 'let 字 = "😀" + xy']),
    ],
)  # fmt: skip
def test_it_grows_from_the_word_to_what_that_is_a_part_of(desk: Open, text: str, expected: list[str]):
    found = _grown(desk(text))
    assert found[: len(expected)] == expected


@pytest.mark.parametrize("text", ["<|>", "\n\n<|>\n", "let a = (1, [<|>", "}}<|>{{", "let a = 1<|>"])
def test_there_is_always_the_file_around(desk: Open, text: str):
    made = desk(text)
    place = made.document.position(made.offset)
    (chain,) = selection_ranges(made.files, types.SelectionRangeParams(made.text_document, [place]))
    while chain.parent is not None:
        chain = chain.parent
    assert made.document.offset(chain.range.end) == len(made.document.text)


async def test_the_server_answers_for_several_places(client: LanguageClient, tmp_path: Path):
    uri = (tmp_path / "a.harn").as_uri()
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "harn", 1, "f(ab, cd)\n"))
    )
    places = [types.Position(0, 3), types.Position(0, 7)]
    asked = types.SelectionRangeParams(types.TextDocumentIdentifier(uri), places)
    found = await client.text_document_selection_range_async(asked)
    assert found is not None
    assert [one.range.start.character for one in found] == [2, 6]
