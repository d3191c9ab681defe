"""Applies the edits of the server, as an editor would."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.editor.texts.documents import Document


def edited(document: Document, edits: Sequence[types.TextEdit]) -> str:
    """Return a text with edits; these may not overlap."""
    placed = sorted((document.offset(one.range.start), document.offset(one.range.end), one.new_text) for one in edits)
    assert all(before[1] <= after[0] for before, after in pairwise(placed)), "edits overlap"
    text = document.text
    for start, end, new in reversed(placed):
        text = text[:start] + new + text[end:]
    return text


def changed(document: Document, change: types.WorkspaceEdit | None) -> str:
    """Return a text with a change that is about it alone, for the version that it has."""
    assert change is not None
    (only,) = change.document_changes or ()
    assert isinstance(only, types.TextDocumentEdit)
    assert (only.text_document.uri, only.text_document.version) == (document.uri, document.version)
    return edited(document, [one for one in only.edits if isinstance(one, types.TextEdit)])
