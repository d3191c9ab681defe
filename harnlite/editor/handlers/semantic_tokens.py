"""Semantic tokens for highlighting: of a whole file, of some lines, or the changes since the last request."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import attrgetter

from lsprotocol import types

from harnlite.editor.names.kinds import DOCUMENTATION, MODIFIERS, kinds_of
from harnlite.editor.texts.lexemes import COMMENT, STRING
from harnlite.syntax.tokens import CONTEXTUAL_WORDS, KEYWORDS, kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.editor.names.kinds import Kind
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace
    from harnlite.syntax.tokens import Token

TYPES = (
    "namespace", "type", "enum", "interface", "struct", "typeParameter", "parameter", "variable", "property",
    "enumMember", "function", "method", "keyword", "comment", "string", "number", "operator", "decorator",
)  # fmt: skip
LEGEND = types.SemanticTokensLegend(TYPES, MODIFIERS)
_NUMBER_OF = {kind: number for number, kind in enumerate(TYPES)}

_KEYWORD: Kind = ("keyword", 0)
_FIXED: dict[str, Kind] = {
    **dict.fromkeys(kinds("INT FLOAT DURATION"), ("number", 0)),
    **dict.fromkeys(
        kinds(
            "ELLIPSIS QUESTION COALESCE ARROW BAR PIPE OR AND EQ NE LT GT LE GE PLUS MINUS STAR SLASH PERCENT POWER "
            "BANG ASSIGN ASSIGN_OP"
        ),
        ("operator", 0),
    ),
    STRING: ("string", 0),
    "AT": ("decorator", 0),
}
_START, _END = attrgetter("start"), attrgetter("end")


def full(files: Workspace, params: types.SemanticTokensParams) -> types.SemanticTokens:
    """Return the tokens of a file."""
    document = files.document(params.text_document.uri)
    name, data = _new_tokens(files, document)
    return types.SemanticTokens(data, name)


def delta(
    files: Workspace, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta:
    """Return the changes relative to the tokens that the editor has, or all tokens if those are not known."""
    document = files.document(params.text_document.uri)
    known = files.painted.get(document.path)
    name, data = _new_tokens(files, document)
    if known is None or known[0] != params.previous_result_id:
        return types.SemanticTokens(data, name)
    old = known[1]
    head = _common_prefix(old, data)
    tail = _common_prefix(old[head:][::-1], data[head:][::-1])
    if head == len(old) == len(data):
        return types.SemanticTokensDelta([], name)
    edit = types.SemanticTokensEdit(head, len(old) - head - tail, data[head : len(data) - tail])
    return types.SemanticTokensDelta([edit], name)


def in_range(files: Workspace, params: types.SemanticTokensRangeParams) -> types.SemanticTokens:
    """Return the tokens of a range."""
    document = files.document(params.text_document.uri)
    start, end = document.offset(params.range.start), document.offset(params.range.end)
    return types.SemanticTokens(_encoded(document, _pieces(files, document, start, end)))


def _new_tokens(files: Workspace, document: Document) -> tuple[str, list[int]]:
    """Return the tokens of a file with a new id, and remember both."""
    known = files.painted.get(document.path)
    name = str(int(known[0]) + 1) if known is not None else "1"
    made = files.painted[document.path] = name, _encoded(document, _pieces(files, document, 0, len(document.text)))
    return made


def _common_prefix(old: list[int], new: list[int]) -> int:
    """Return the length of the common prefix."""
    return next(
        (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new))
    )


# Tokens


def _pieces(files: Workspace, document: Document, start: int, end: int) -> Iterator[tuple[int, int, Kind]]:
    """Yield the lexemes between two offsets with their kinds, in order."""
    statements = document.module.statements
    touched = statements[bisect_left(statements, start, key=_END) : bisect_right(statements, end, key=_START)]
    names = kinds_of(files, document, touched)
    lexemes = document.lexemes
    for lexeme in lexemes[bisect_left(lexemes, start, key=_END) : bisect_right(lexemes, end, key=_START)]:
        kind = _kind(lexeme, names)
        if kind is not None:
            yield lexeme.start, lexeme.end, kind


def _kind(lexeme: Token, names: dict[int, Kind]) -> Kind | None:
    fixed = _FIXED.get(lexeme.kind)
    if fixed is not None:
        return fixed
    if lexeme.kind == COMMENT:
        return "comment", DOCUMENTATION if _documents(lexeme) else 0
    named = names.get(lexeme.start)
    if named is not None:
        return named
    word = lexeme.text
    return _KEYWORD if word in KEYWORDS or word in CONTEXTUAL_WORDS else None


def _documents(comment: Token) -> bool:
    opening = comment.text[:4]
    return opening[:3] in ("///", "/**") and opening not in ("////", "/***", "/**/")


def _encoded(document: Document, pieces: Iterator[tuple[int, int, Kind]]) -> list[int]:
    """Encode tokens as editors read them: five numbers each, with relative positions."""
    ruler, data = document.ruler, list[int]()
    last_line, last_column, first, is_plain = 0, 0, 0, False
    for line, start, end, (kind, modifiers) in _lines(document, pieces):
        if line != last_line or not data:
            first, last_column = ruler.starts[line], 0
            is_plain = document.text[first : ruler.line_end(line)].isascii()
        column = start - first if is_plain else ruler.width(first, start)
        width = end - start if is_plain else ruler.width(start, end)
        data += (line - last_line, column - last_column, width, _NUMBER_OF[kind], modifiers)
        last_line, last_column = line, column
    return data


def _lines(document: Document, pieces: Iterator[tuple[int, int, Kind]]) -> Iterator[tuple[int, int, int, Kind]]:
    """Yield tokens with their lines; a token that spans several lines is split."""
    ruler, line = document.ruler, 0
    starts = ruler.starts
    next_start = starts[1] if len(starts) > 1 else len(document.text) + 1
    for start, end, kind in pieces:
        at = start
        while at < end:
            while at >= next_start:
                line += 1
                next_start = starts[line + 1] if line + 1 < len(starts) else len(document.text) + 1
            stop = end if end < next_start - 1 else min(end, ruler.line_end(line))
            if at < stop:
                yield line, at, stop, kind
            at = min(next_start, end)
