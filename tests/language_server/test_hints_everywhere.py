"""Hover, completion, signature help and inlay hints at many places of many programs, valid or broken, never fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from harnlite.editor.handlers.completion import complete, resolve
from harnlite.editor.handlers.hover import hover
from harnlite.editor.handlers.inlay_hints import inlay_hints
from harnlite.editor.handlers.signature_help import signature_help
from harnlite.editor.texts.uris import uri_of
from harnlite.editor.texts.workspace import Workspace
from tests.samples import thinned

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "tests" / "language").rglob("*.harn")) + sorted((ROOT / "examples").rglob("*.harn"))
SAMPLE = PROGRAMS[:: max(len(PROGRAMS) // 24, 1)]
LONGEST = 1500
STEP = 53


@pytest.fixture(scope="module")
def files() -> Workspace:
    return Workspace([])


def ask(files: Workspace, text: str, offset: int) -> None:
    """Ask everything about one place."""
    document = files.opened(uri_of("/nowhere/main.harn"), text, 1)
    where = {
        "text_document": types.TextDocumentIdentifier(document.uri),
        "position": document.position(offset),
    }
    hover(files, types.HoverParams(**where))
    found = complete(files, types.CompletionParams(**where))
    for item in found.items[:2] if found is not None else ():
        assert item.text_edit is None or document.offset(item.text_edit.range.start) <= offset
        resolve(files, item)
    signature_help(files, types.SignatureHelpParams(**where))


@pytest.mark.parametrize("path", thinned(SAMPLE, 3), ids=lambda path: path.stem)
def test_no_place_makes_a_request_fail(files, path):
    text = path.read_text(encoding="utf-8")[:LONGEST]
    for offset in range(0, len(text), STEP):
        ask(files, text, offset)
        ask(files, text[:offset], offset)
    everything = types.Range(types.Position(0, 0), types.Position(10_000, 0))
    document = files.opened(uri_of("/nowhere/main.harn"), text, 1)
    inlay_hints(files, types.InlayHintParams(types.TextDocumentIdentifier(document.uri), everything))


@pytest.mark.parametrize(
    "text", ["", "\n", "{", "}", '"', '"${', "@", ".", "?.", "(", "import", "import {", "fn", "/*", "x |>"]
)
def test_scraps(files, text):
    for offset in range(len(text) + 1):
        ask(files, text, offset)
