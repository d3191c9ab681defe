"""Edits in the form that editors accept: minimal, and only for the version of the text they were made for."""

from __future__ import annotations

from difflib import SequenceMatcher

from lsprotocol import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from harnlite.diagnostics.diagnostic import Edit
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace


def change_of(files: Workspace, edits: Mapping[Document, Sequence[types.TextEdit]]) -> types.WorkspaceEdit:
    """Return the edit of several files; an editor that supports versions applies it only to the matching version."""
    if not files.versioned_changes:
        return types.WorkspaceEdit(changes={document.uri: list(made) for document, made in edits.items()})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version), list(made)
            )
            for document, made in edits.items()
        ]
    )


def edits_of(document: Document, edits: Iterable[Edit]) -> list[types.TextEdit]:
    """Convert the edits of a fix."""
    return [types.TextEdit(document.range(edit.span), edit.text) for edit in edits]


def rewritten(document: Document, text: str, start: int = 0, end: int | None = None) -> list[types.TextEdit]:
    """Return the edits that replace the lines between two offsets by a text."""
    old = document.text[start:end].splitlines(keepends=True)
    new = text.splitlines(keepends=True)
    at, edits = start, []
    for kept, out, into in _hunks(old, new):
        at += len(kept)
        edits.append(_trimmed(document, at, out, into))
        at += len(out)
    return edits


def _hunks(old: list[str], new: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield triples of kept, removed and inserted text."""
    head, tail = _common(old, new)
    seen = 0
    inside, outside = old[head : len(old) - tail], new[head : len(new) - tail]
    for tag, first, last, start, end in SequenceMatcher(None, inside, outside).get_opcodes():
        if tag != "equal":
            yield "".join(old[seen : head + first]), "".join(inside[first:last]), "".join(outside[start:end])
            seen = head + last


def _trimmed(document: Document, at: int, out: str, into: str) -> types.TextEdit:
    """Return an edit without the text that is equal at both ends; the parts of a line break stay together."""
    head, tail = _common(out, into)
    head -= out[head - 1 : head + 1] == "\r\n"
    tail -= out[len(out) - tail - 1 : len(out) - tail + 1] == "\r\n"
    where = types.Range(document.position(at + head), document.position(at + len(out) - tail))
    return types.TextEdit(where, into[head : len(into) - tail])


def _common(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return the lengths of the common prefix and of the common suffix of the rest."""
    head = _common_prefix(old, new)
    return head, _common_prefix(old[head:][::-1], new[head:][::-1])


def _common_prefix(old: Sequence[str], new: Sequence[str]) -> int:
    return next(
        (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new))
    )
