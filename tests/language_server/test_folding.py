"""Folding ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from harnlite.editor.handlers.folding import folding_ranges

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_lsp import LanguageClient

    from tests.language_server.conftest import Desk

    Open = Callable[..., Desk]


def _folds(desk: Desk) -> list[tuple[int, int, str | None]]:
    found = folding_ranges(desk.files, types.FoldingRangeParams(desk.text_document))
    return [(one.start_line, one.end_line, one.kind) for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fn f() {\n  g()\n}\n", [(0, 1, None)]),
        ("if a {\n  b\n} else {\n  c\n  d\n}\n", [(0, 1, None), (2, 4, None)]),
        ("f({\n  a: [\n    1,\n  ],\n})\n", [(0, 3, None), (1, 2, None)]),
        ("f(a,\n  b)\n", [(0, 1, None)]),
        ("fn f() { g() }\n", []),
        ('let a = """\n  b ${c}\n  d\n"""\n', [(0, 2, None)]),
        ('let a = """\n  b ${[\n  1]}\n  c\n"""\n', [(0, 3, None), (1, 2, None)]),
        ('import "a"\nimport "b"\n\nimport "c"\nlet a = 1\n', [(0, 3, "imports")]),
        ("// a\n// b\n\n// c\nlet x = 1 // d\n// e\n", [(0, 1, "comment")]),
        ("/*\n a\n*/\n", [(0, 2, "comment")]),
        ("// region one\nlet a = 1\n// #region two\nlet b = 2\n// #endregion\n// endregion\n",
         [(0, 5, "region"), (2, 4, "region")]),
        ("fn f() {\n  g([\n}\nfn h() {\n  i()\n}\n", [(0, 1, None), (3, 4, None)]),
    ],
)  # fmt: skip
def test_blocks_strings_comments_imports_and_regions_fold(
    desk: Open, text: str, expected: list[tuple[int, int, str | None]]
):
    assert _folds(desk(text)) == expected


def test_line_ends_of_windows_count_once(desk: Open):
    assert _folds(desk("fn f() {\r\n  g()\r\n}\r\n// a\r\n// b\r\n")) == [(0, 1, None), (3, 4, "comment")]


async def test_the_server_answers(client: LanguageClient, tmp_path: Path):
    uri = (tmp_path / "a.harn").as_uri()
    text = "fn f() {\n  g()\n}\n"
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "harn", 1, text)))
    asked = types.FoldingRangeParams(types.TextDocumentIdentifier(uri))
    found = await client.text_document_folding_range_async(asked)
    assert found is not None
    assert [(one.start_line, one.end_line) for one in found] == [(0, 1)]
