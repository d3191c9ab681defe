"""The painting of a file: its semantic tokens, which are made of those of the version before where that is possible.

A change of the text inside a statement leaves the tokens of all other statements as they are, unless it declares other
names. So only the statements that were parsed again are read, and the rest of the data is kept.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import attrgetter

from harnlite.editor.names.kinds import DOCUMENTATION, circumstances_of, declared_by, kinds_of
from harnlite.editor.names.token_types import TYPES
from harnlite.editor.texts.lexemes import COMMENT, STRING, lexemes_between
from harnlite.editor.texts.paintings import Painting
from harnlite.syntax import nodes
from harnlite.syntax.tokens import CONTEXTUAL_WORDS, KEYWORDS, kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnlite.editor.names.kinds import Kind
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace
    from harnlite.syntax.incremental import Region
    from harnlite.syntax.tokens import Token

    Pieces = Iterator[tuple[int, int, Kind]]

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
_SIZE = 5
"""The count of numbers for each token."""


def paint(files: Workspace, document: Document) -> Painting:
    """Return the tokens of a file under a new name, and remember them."""
    known = files.painted.get(document.path)
    name = str(int(known.name) + 1) if known is not None else "1"
    made = None
    if known is not None and known.document is document and known.is_sound and document.region is not None:
        made = _repainted(files, document, known, document.region, name)
    if made is None:
        names, has_effects = kinds_of(files, document, document.module.statements)
        starts, data = encoded(document, _pieces(document.lexemes, names))
        made = Painting(name, document, starts, data)
        made.is_sound = document.has_valid_lexemes and not has_effects and not _is_extended(document)
        made.circumstances = circumstances_of(files, document)
        made.blocks = {index: declared_by(body) for index, body in _bodies(document.module.statements)}
    document.mark()
    files.painted[document.path] = made
    return made


def pieces_between(files: Workspace, document: Document, start: int, end: int) -> Pieces:
    """Return the lexemes between two offsets with their kinds, in order."""
    statements = document.module.statements
    touched = statements[bisect_left(statements, start, key=_END) : bisect_right(statements, end, key=_START)]
    lexemes = document.lexemes
    first, last = bisect_left(lexemes, start, key=_END), bisect_right(lexemes, end, key=_START)
    return _pieces(lexemes[first:last], kinds_of(files, document, touched)[0])


def _bodies(statements: Sequence[nodes.Stmt]) -> Iterator[tuple[int, Sequence[nodes.Stmt]]]:
    """Yield the statements of the functions of a file, with the indices of the functions."""
    for index, node in enumerate(statements):
        if isinstance(node, (nodes.FnDecl, nodes.PipelineDecl)) and node.body is not None:
            yield index, node.body.statements


def _is_extended(document: Document) -> bool:
    """Return whether a pipeline extends another one, whose variables it shares."""
    return any(isinstance(node, nodes.PipelineDecl) and node.extends is not None for node in document.module.statements)


def _repainted(files: Workspace, document: Document, known: Painting, region: Region, name: str) -> Painting | None:
    """Return the tokens with those of a region replaced, or None if other tokens may have changed too."""
    start, end = (0, 0) if region.start < 0 else (region.start, region.end)
    around = _place_of(document.module.statements, start, end)
    lexemes = lexemes_between(document.source, start, end)
    if around is None or lexemes is None:
        return None
    index, statements = around
    blocks, circumstances = known.blocks, circumstances_of(files, document)
    if circumstances != known.circumstances or (index >= 0 and declared_by(statements) != blocks.get(index)):
        return None
    touched = statements[bisect_left(statements, start, key=_START) : bisect_right(statements, end, key=_END)]
    names, has_effects = kinds_of(files, document, touched, start if index >= 0 else None)
    if has_effects or _is_extended(document):
        return None
    if index < 0:
        blocks = {at: declared_by(body) for at, body in _bodies(statements)}
    first = bisect_left(known.starts, start)
    last = bisect_left(known.starts, end - region.growth)
    before = known.starts[first - 1] if first else -1
    new_starts, new_data = encoded(document, _pieces(lexemes, names), before)
    starts = [*known.starts[:first], *new_starts, *(at + region.growth for at in known.starts[last:])]
    data = known.data[: _SIZE * first] + new_data
    rest = known.data[_SIZE * last :]
    if rest:
        at = len(data) // _SIZE
        rest[:2] = _distance(document, starts[at - 1] if at else -1, starts[at])
    made = Painting(name, document, starts, data + rest)
    made.is_sound, made.circumstances, made.blocks = True, circumstances, blocks
    made.head, made.tail = _SIZE * first, max(len(rest) - _SIZE, 0)
    return made


def _place_of(statements: Sequence[nodes.Stmt], start: int, end: int) -> tuple[int, Sequence[nodes.Stmt]] | None:
    """Return the statements of the block that a region consists of statements of, and the index of its function.

    The index is -1 for the statements of the file. Return None for a region that begins or ends inside a statement.
    """
    index = bisect_right(statements, start, key=_START) - 1
    node = statements[index] if index >= 0 else None
    if node is not None and node.start < start < node.end:
        body = node.body if isinstance(node, (nodes.FnDecl, nodes.PipelineDecl)) else None
        is_inside = body is not None and body.start < start and end < body.end
        return (index, body.statements) if body is not None and is_inside else None
    last = bisect_right(statements, end, key=_END)
    return None if last < len(statements) and statements[last].start < end else (-1, statements)


def _pieces(lexemes: Sequence[Token], names: dict[int, Kind]) -> Pieces:
    """Yield lexemes with their kinds."""
    for lexeme in lexemes:
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


def encoded(document: Document, pieces: Pieces, before: int = -1) -> tuple[list[int], list[int]]:
    """Encode tokens as editors read them: five numbers each, relative to the token at an offset before them, if any.

    Return the offsets of the tokens and the numbers.
    """
    ruler, found, data = document.ruler, list[int](), list[int]()
    last_line, last_column = (0, 0) if before < 0 else ruler.place(before)
    line_seen, first, is_plain = -1, 0, False
    for line, start, end, (kind, modifiers) in _lines(document, pieces, last_line):
        if line != line_seen:
            line_seen, first = line, ruler.starts[line]
            is_plain = document.text[first : ruler.line_end(line)].isascii()
        if line != last_line:
            last_column = 0
        column = start - first if is_plain else ruler.width(first, start)
        width = end - start if is_plain else ruler.width(start, end)
        data += (line - last_line, column - last_column, width, _NUMBER_OF[kind], modifiers)
        found.append(start)
        last_line, last_column = line, column
    return found, data


def _distance(document: Document, before: int, start: int) -> tuple[int, int]:
    """Return the lines and the columns from one token, or the start of the file, to the next one."""
    line, column = document.ruler.place(start)
    last_line, last_column = (0, 0) if before < 0 else document.ruler.place(before)
    return line - last_line, column - (last_column if line == last_line else 0)


def _lines(document: Document, pieces: Pieces, line: int) -> Iterator[tuple[int, int, int, Kind]]:
    """Yield tokens from a line on with their lines; a token that spans several lines is split."""
    ruler = document.ruler
    starts = ruler.starts
    next_start = starts[line + 1] if line + 1 < len(starts) else len(document.text) + 1
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
