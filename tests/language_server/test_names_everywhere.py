"""Requests about names at any cursor position in any text give consistent answers and never fail."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from harnlite.editor.handlers.call_hierarchy import incoming, outgoing, prepare
from harnlite.editor.handlers.definition import definition
from harnlite.editor.handlers.document_links import document_links
from harnlite.editor.handlers.implementation import implementation
from harnlite.editor.handlers.references import highlights
from harnlite.editor.handlers.renaming import prepare_rename, rename
from harnlite.editor.handlers.type_definition import type_definition
from harnlite.editor.names.occurrences import occurrences
from harnlite.editor.names.symbols import symbol_at
from tests.language_server.editing import changed
from tests.samples import thinned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.language_server.conftest import Desk

    Open = Callable[..., Desk]

SHORT = 700
PROGRAMS = [
    path for path in sorted((Path(__file__).parents[1] / "language").rglob("*.harn")) if path.stat().st_size < SHORT
][::97]
NEW = "quite_new"


def _texts(program: Path) -> list[str]:
    """Return a program, and what is left of it while somebody writes or tears it apart."""
    text = program.read_text(encoding="utf-8")
    middle = len(text) // 2
    return [text, text[:middle], text[middle:], text.replace("(", "", 3), text.replace("}", "😀", 2)]


def _cursors(desk: Desk, step: int) -> Iterator[dict[str, object]]:
    for offset in range(0, len(desk.document.text) + 1, step):
        desk.offset = offset
        yield desk.where


@pytest.fixture(params=thinned(PROGRAMS, 2), ids=lambda path: path.stem)
def desks(request: pytest.FixtureRequest, desk: Open) -> list[Desk]:
    """Return each form of a program on a desk of its own."""
    return [desk(text) for text in _texts(request.param)]


def test_no_question_is_too_strange(desks: list[Desk]):
    for desk in desks:
        files = desk.files
        document_links(files, types.DocumentLinkParams(desk.text_document))
        for where in _cursors(desk, 7):
            definition(files, types.DefinitionParams(**where))
            type_definition(files, types.TypeDefinitionParams(**where))
            implementation(files, types.ImplementationParams(**where))
            highlights(files, types.DocumentHighlightParams(**where))
            for item in prepare(files, types.CallHierarchyPrepareParams(**where)) or ():
                incoming(files, types.CallHierarchyIncomingCallsParams(item))
                outgoing(files, types.CallHierarchyOutgoingCallsParams(item))


def test_each_occurrence_means_what_is_looked_for(desks: list[Desk]):
    for desk in desks:
        for _ in _cursors(desk, 23):
            symbol = symbol_at(desk.files, desk.document, desk.offset)
            for found in occurrences(desk.files, symbol, desk.document, everywhere=False) if symbol else ():
                assert symbol.is_same(symbol_at(desk.files, found.document, found.span.start))


def test_a_rename_and_the_rename_back_leave_a_program_as_it_was(desks: list[Desk]):
    desk, text = desks[0], desks[0].document.text
    for where in _cursors(desk, 31):
        with suppress(JsonRpcInvalidParams):
            found = prepare_rename(desk.files, types.PrepareRenameParams(**where))
            change = rename(desk.files, types.RenameParams(new_name=NEW, **where))
            if found is not None and ": quite_new" not in str(change):
                made = changed(desk.document, change)
                assert NEW in made
                assert made.replace(NEW, found.placeholder) == text
