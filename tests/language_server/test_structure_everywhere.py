"""The structural answers about any text are consistent with each other."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from harnlite.editor.handlers import (
    code_actions,
    document_symbols,
    folding,
    formatting,
    selection_ranges,
    semantic_tokens,
)
from tests.language_server.editing import changed, edited
from tests.language_server.test_semantic_tokens import decoded
from tests.samples import thinned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.language_server.conftest import Desk

    Open = Callable[..., Desk]

PROGRAMS = sorted((Path(__file__).parents[1] / "language").rglob("*.harn"))[::29]
OPTIONS = types.FormattingOptions(2, insert_spaces=True)


def _texts(program: Path) -> list[str]:
    """Return a program, and what is left of it while somebody writes or tears it apart."""
    text = program.read_text(encoding="utf-8")
    middle = len(text) // 2
    return [text, text[:middle], text[middle:], text[: middle // 2] + "😀" + text[middle:], text.replace("}", "", 2)]


@pytest.fixture(params=thinned(PROGRAMS, 3), ids=lambda path: path.stem)
def desks(request: pytest.FixtureRequest, desk: Open) -> list[Desk]:
    """Return each form of a program on a desk of its own."""
    return [desk(text) for text in _texts(request.param)]


def test_coloured_words_stand_one_after_another_inside_of_their_lines(desks: list[Desk]):
    for desk in desks:
        answer = semantic_tokens.full(desk.files, types.SemanticTokensParams(desk.text_document))
        ruler = desk.document.ruler
        places = [(line, column, column + width) for line, column, width, _ in decoded(answer.data)]
        assert all(before[0] < after[0] or before[2] <= after[1] for before, after in pairwise(places))
        assert all(start < end <= ruler.width(ruler.starts[line], ruler.line_end(line)) for line, start, end in places)


def test_folds_begin_on_different_lines_of_the_text(desks: list[Desk]):
    for desk in desks:
        found = folding.folding_ranges(desk.files, types.FoldingRangeParams(desk.text_document))
        assert all(one.start_line < other.start_line for one, other in pairwise(found))
        assert all(one.start_line < one.end_line < desk.document.ruler.lines for one in found)


def test_symbols_lie_inside_of_those_above_them(desks: list[Desk]):
    for desk in desks:
        found = document_symbols.document_symbols(desk.files, types.DocumentSymbolParams(desk.text_document))
        _check(desk, found, types.Range(types.Position(0, 0), desk.document.position(len(desk.document.text))))


def _check(desk: Desk, found: Sequence[types.DocumentSymbol], around: types.Range) -> None:
    for one in found:
        assert one.name
        assert around.start <= one.range.start <= one.range.end <= around.end
        assert one.range.start <= one.selection_range.start <= one.selection_range.end <= one.range.end
        _check(desk, one.children or [], one.range)


def test_selections_grow_around_every_place(desks: list[Desk]):
    for desk in desks:
        places = [desk.document.position(offset) for offset in range(0, len(desk.document.text) + 1, 7)]
        asked = types.SelectionRangeParams(desk.text_document, places)
        for place, chain in zip(places, selection_ranges.selection_ranges(desk.files, asked), strict=True):
            assert chain.range.start <= place <= chain.range.end
            at = chain
            while at.parent is not None:
                assert at.parent.range.start <= at.range.start <= at.range.end <= at.parent.range.end
                assert at.parent.range != at.range
                at = at.parent


def test_a_part_laid_out_is_a_part_of_the_whole_laid_out(desks: list[Desk]):
    whole = desks[0]
    edits = formatting.full(whole.files, types.DocumentFormattingParams(whole.text_document, OPTIONS))
    laid_out = edited(whole.document, edits)
    lines = whole.document.ruler.lines
    for line in range(0, lines, 9):
        place = types.Position(line, 0)
        asked = types.DocumentRangeFormattingParams(whole.text_document, types.Range(place, place), OPTIONS)
        other = edited(whole.document, formatting.in_range(whole.files, asked))
        whole.document.change(other, 2)
        again = formatting.full(whole.files, types.DocumentFormattingParams(whole.text_document, OPTIONS))
        assert edited(whole.document, again) == laid_out


def test_everything_else_is_answered_at_every_place(desks: list[Desk]):
    for desk in desks:
        document = desk.document
        for offset in range(0, len(document.text) + 1, 97):
            place = document.position(offset)
            where = types.Range(place, place)
            for character in "}\n":
                asked = types.DocumentOnTypeFormattingParams(desk.text_document, place, character, OPTIONS)
                edited(document, formatting.on_type(desk.files, asked))
            context = types.CodeActionContext([])
            for action in code_actions.code_actions(
                desk.files, types.CodeActionParams(desk.text_document, where, context)
            ):
                assert changed(document, action.edit) != document.text
