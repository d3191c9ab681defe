"""Semantic tokens for highlighting: of a whole file, of some lines, or the changes since the last request."""

from __future__ import annotations

from lsprotocol import types

from harnlite.editor.names.painting import encoded, paint, pieces_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.editor.texts.workspace import Workspace


def full(files: Workspace, params: types.SemanticTokensParams) -> types.SemanticTokens:
    """Return the tokens of a file."""
    made = paint(files, files.document(params.text_document.uri))
    return types.SemanticTokens(made.data, made.name)


def delta(
    files: Workspace, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta:
    """Return the changes relative to the tokens that the editor has, or all tokens if those are not known."""
    document = files.document(params.text_document.uri)
    known = files.painted.get(document.path)
    made = paint(files, document)
    if known is None or known.name != params.previous_result_id:
        return types.SemanticTokens(made.data, made.name)
    old, new = known.data[made.head : len(known.data) - made.tail], made.data[made.head : len(made.data) - made.tail]
    head = _common_prefix(old, new)
    tail = _common_prefix(old[head:][::-1], new[head:][::-1])
    if head == len(old) == len(new):
        return types.SemanticTokensDelta([], made.name)
    edit = types.SemanticTokensEdit(made.head + head, len(old) - head - tail, new[head : len(new) - tail])
    return types.SemanticTokensDelta([edit], made.name)


def in_range(files: Workspace, params: types.SemanticTokensRangeParams) -> types.SemanticTokens:
    """Return the tokens of a range."""
    document = files.document(params.text_document.uri)
    start, end = document.offset(params.range.start), document.offset(params.range.end)
    return types.SemanticTokens(encoded(document, pieces_between(files, document, start, end))[1])


def _common_prefix(old: list[int], new: list[int]) -> int:
    """Return the length of the common prefix."""
    return next(
        (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new))
    )
