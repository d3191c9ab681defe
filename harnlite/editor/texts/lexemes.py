"""The lexemes of a text as an editor shows them, in order: with comments, and with templates split into parts."""

from __future__ import annotations

import gc
from operator import attrgetter
from typing import NamedTuple

from harnlite.diagnostics.source import Source
from harnlite.syntax.lexer import Lexer
from harnlite.syntax.tokens import Interpolation, TemplateToken, Token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMMENT, STRING = "COMMENT", "STRING"
_OPENERS = {"(": ")", "[": "]", "{": "}", "${": "}"}
_CLOSERS = frozenset(_OPENERS.values())
_OMITTED = frozenset({"NL", "END"})
_START = attrgetter("start")


class Pair(NamedTuple):
    """Two matching brackets."""

    opening: Token
    closing: Token


def lexemes_between(source: Source, start: int, end: int) -> list[Token] | None:
    """Return the lexemes between two borders of statements, or None if one of them is not valid."""
    found, is_valid = lexemes_of(Source(source.text[:end], source.name, source.path), start)
    return found if is_valid else None


def lexemes_of(source: Source, start: int = 0) -> tuple[list[Token], bool]:
    """Return all lexemes of a text from an offset, and whether they are valid; `${` and `}` count as braces."""
    collects = gc.isenabled()
    gc.disable()  # as in the parser
    try:
        lexer = Lexer(source)
        found = _flat(lexer.read(start))
        comments = [*(() if start else _first_line(source.text)), *lexer.comments]
        if comments:
            found += [Token(COMMENT, source.text[start:end], start, end) for start, end in comments]
            found.sort(key=_START)
        if lexer.errors:
            found = list(_without_overlaps(found))
    finally:
        if collects:
            gc.enable()
    return found, not lexer.errors


def _first_line(text: str) -> Iterator[tuple[int, int]]:
    """Yield the span of a `#!` line, which is shown as a comment."""
    if text.startswith("#!"):
        yield 0, len(text.splitlines()[0])


def _without_overlaps(found: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens that do not overlap an earlier one: an unterminated string may have been read in two ways."""
    end = 0
    for token in found:
        if token.start >= end:
            yield token
            end = token.end


def _flat(tokens: Sequence[Token]) -> list[Token]:
    found: list[Token] = []
    pending = list(reversed(tokens))
    while pending:
        token = pending.pop()
        if token.__class__ is TemplateToken:
            pending += reversed(_pieces(token))
        elif token.kind not in _OMITTED:
            found.append(token)
    return found


def _pieces(template: TemplateToken) -> list[Token]:
    """Split a template into its strings and the tokens of its interpolations."""
    found: list[Token] = []
    at = template.start
    for part in template.parts:
        if isinstance(part, Interpolation):
            opening = part.start - len("${")
            found += [_string(template, at, opening), Token("LB", "${", opening, part.start), *part.tokens]
            at = part.end + 1
            found.append(Token("RB", "}", part.end, at))
    found.append(_string(template, at, template.end))
    return [piece for piece in found if piece.start < piece.end]


def _string(template: TemplateToken, start: int, end: int) -> Token:
    return Token(STRING, template.text[start - template.start : end - template.start], start, end)


def pairs_of(lexemes: Sequence[Token]) -> Iterator[Pair]:
    """Yield the pairs of matching brackets, inner pairs first; a bracket without a partner is skipped."""
    waiting: list[Token] = []
    for lexeme in lexemes:
        if lexeme.text in _OPENERS:
            waiting.append(lexeme)
        elif lexeme.text in _CLOSERS and any(_OPENERS[opening.text] == lexeme.text for opening in waiting):
            opening = waiting.pop()
            while _OPENERS[opening.text] != lexeme.text:
                opening = waiting.pop()
            yield Pair(opening, lexeme)
