"""The check of formatted text: it has the tokens and comments of the source, so it is parsed in the same way.

The parse of a text depends only on its tokens after the pre-pass. The formatter may change one separator to another,
add or remove those beside brackets, and add one between two items that need none.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from harnlite.diagnostics.source import Source
from harnlite.syntax.lexer import Lexer
from harnlite.syntax.prepass import Prepass
from harnlite.syntax.tokens import CLOSERS, ENDS_OPERAND, OPENERS, STATEMENT_ENDS, Piece, TemplateToken, kinds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harnlite.syntax.tokens import Token

_SEPARATORS = STATEMENT_ENDS | {"COMMA"}
_OPENING = OPENERS | {"LTG"}
_CLOSING = CLOSERS | {"GTG", "ARROW", "END"}
_STARTS_ITEM = kinds(
    "ID INT FLOAT DURATION STRING TEMPLATE TRUE FALSE NIL LBP AT PUB GEN FN EXTERN OVERRIDE PIPELINE STRUCT ENUM "
    "INTERFACE IMPL TYPE TOOL SKILL LET VAR CONST TIMEOUT DEFAULT",
)
"""The kinds that cannot continue an expression or a header, so that a separator before them has no other effect."""

_AFTER_PATTERN = kinds("ARROW IF BAR")
_MERGED = kinds("AS_STREAM NOTIN TRYSTAR")
"""Kinds of several words, with any white space between them."""

_MULTILINE = ('"""', "/*", "\\\n", "\\\r\n")
"""Parts of long strings, block comments and joined lines."""
_SHORT_INTERPOLATION = re.compile(r"\$\{[^\"{}\n/\\]*\}")

_BLANK = " \t\r"
_start = attrgetter("start")

_UNUSUAL = _SEPARATORS | _MERGED | kinds("STRING TEMPLATE")


_WORD_FORM = (
    r"[ \t\r]*+("
    r"(?!r\")[a-zA-Z_]\w*+"
    r"|[(){}\[\],:;@]"
    r"|\n"
    r"|[=+%<>!]=?|\.(?:\.\.)?|-[>=]?"
    r"|[0-9][\w.]*+(?:(?<=[eE])[+-][0-9]\w*+)?"
    r'|"(?:[^"\\$\n]|\\[^\n]|\$(?!\{)|\$\{[^"{}\n/\\]*\})*+"(?!")'
    r'|r"[^"\n]*"'
    r"|\*[*=]?|\|[|>]?|&&|\?[?.]?|/(?![/*])=?"
    r"|//[^\n]*+"
    r"|[^\W\da-zA-Z_]\w*+"
    r"|)(?:(?<=\n)[ \t\r\n]*+)?"
)
"""The tokens of the lexer, with numbers and the simple templates as single words; or nothing before other tokens."""


class Content(NamedTuple):
    """The parts of a text that formatting keeps: its tokens without separators, and its comments.

    `divided` has the indices of the tokens after separators.
    """

    kinds: list[str]
    texts: list[str]
    divided: set[int]
    comments: list[str]


def content_of(source: Source, tokens: Iterable[Token], comments: Iterable[tuple[int, int]]) -> Content:
    """Return the content of a text, given its tokens after the pre-pass and the spans of its comments."""
    text = source.text
    found = Content([], [], set(), [" ".join(text[start:end].split()) for start, end in comments])
    _collect(text, tokens, found)
    return found


def _collect(text: str, tokens: Iterable[Token], found: Content) -> None:
    """Add tokens to a content."""
    kinds, texts, divided, _ = found
    for token in tokens:
        kind = token.kind
        if kind not in _UNUSUAL:
            kinds.append(kind)
            texts.append(text[token.start : token.end])
        elif kind in _SEPARATORS:
            divided.add(len(kinds))
        else:
            kinds.append(kind)
            if kind in _MERGED:
                texts.append("")
            else:
                _collect_string(text, token, found)


def _collect_string(text: str, token: Token, found: Content) -> None:
    """Add the text of a string and the tokens of its interpolations to a content."""
    if not isinstance(token, TemplateToken):
        found.texts.append(text[token.start : token.end].replace("\r\n", "\n"))
        return
    literals = [part.value.replace("\r\n", "\n") if isinstance(part, Piece) else "${}" for part in token.parts]
    found.texts.append("".join(literals))
    for part in token.parts:
        if not isinstance(part, Piece):
            _collect(text, part.tokens, found)


def content_of_text(source: Source) -> Content | None:
    """Return the content of a text that has not been parsed, or None if it is not a sequence of tokens."""
    lexer = Lexer(source)
    raw = lexer.read()
    if lexer.errors:
        return None
    tokens = Prepass(raw, declarations=True).run()
    pending = list(tokens)
    while pending:
        token = pending.pop()
        if isinstance(token, TemplateToken):
            for part in token.parts:
                if not isinstance(part, Piece):
                    part.tokens = Prepass(part.tokens, depth=token.depth, inside=True).run()
                    pending += part.tokens
    return content_of(source, tokens, lexer.comments)


def has_same_words(before: str, after: str) -> bool:
    """Return whether two texts differ only in the white space between tokens on a line, as far as this is simple.

    If no token contains the start of a line, lines can be compared one by one, and the white space around them does
    not matter.
    """
    if _may_span_lines(before) or _may_span_lines(after):
        return False
    lines, others = _lines(before), _lines(after)
    if len(lines) != len(others):
        return False
    changed = [pair for pair in zip(lines, others, strict=True) if pair[0] != pair[1]]
    if not changed:
        return True
    found_in = _words().findall
    words = found_in("\n".join([line for line, _ in changed]))
    return words.count("") == 1 and words == found_in("\n".join([line for _, line in changed]))


def _may_span_lines(text: str) -> bool:
    """Return whether a token of a text may span several lines."""
    if any(mark in text for mark in _MULTILINE):
        return True
    return text.count("${") != len(_SHORT_INTERPOLATION.findall(text))


def _lines(text: str) -> list[str]:
    """Return the lines of a text without the white space around them; blank lines are omitted."""
    stripped = [line.strip(_BLANK) for line in text.split("\n")]
    return [line for line in stripped if line]


@lru_cache(maxsize=1)
def _words() -> re.Pattern[str]:
    """Compile the form of words, which a text that is already formatted does not need."""
    return re.compile(_WORD_FORM)


def is_same_part(
    text: str, start: int, end: int, tokens: Sequence[Token], comments: Sequence[tuple[int, int]], after: str
) -> bool:
    """Return whether some statements have the content that a part of the source has, whose tokens are given.

    The part starts at the beginning of the source or with the line end that separates it from the part before it.
    """
    first = bisect_left(tokens, start, key=_start) + bool(start)
    own = tokens[first : bisect_left(tokens, end, key=_start)]
    remarks = comments[bisect_left(comments, (start,)) : bisect_left(comments, (end,))]
    found = content_of_text(Source("\n" * bool(start) + after))
    known = content_of(Source(text), own, remarks)
    known.kinds.append("END")
    known.texts.append("")
    return difference(known, found) is None


def difference(before: Content, after: Content | None) -> str | None:
    """Return the first change of the content by formatting, or None if it is the same."""
    if after is None:
        return "the text has an invalid token"
    if before.texts != after.texts:
        return _change(before.texts, after.texts)
    if before.kinds != after.kinds:
        return _change(before.kinds, after.kinds)
    for index in before.divided ^ after.divided:
        is_new = index in after.divided
        if not _is_free(before.kinds, index, is_new=is_new):
            return f"a separator {'before' if is_new else 'is missing before'} {before.texts[index]!r}"
    comments = sorted(before.comments), sorted(after.comments)  # a comment may move past another one
    return _change(*comments) if comments[0] != comments[1] else None


def _is_free(kinds: Sequence[str], index: int, *, is_new: bool) -> bool:
    """Return whether a separator before a token can be added, or removed, without an effect on the parse."""
    kind, previous = kinds[index], kinds[index - 1]
    if kind in _CLOSING or previous in _OPENING or not index:
        return True
    if kind not in _STARTS_ITEM and not (previous == "RB" and _starts_arm(kinds, index)):
        return False
    return is_new and previous in ENDS_OPERAND


def _starts_arm(kinds: Sequence[str], index: int) -> bool:
    """Return whether a pattern that starts like the rest of an expression, `-1` or `[a]`, is at an index."""
    if kinds[index] == "MINUS":
        return kinds[index + 2] in _AFTER_PATTERN
    if kinds[index] != "LSQB":
        return False
    depth = 0
    for at in range(index, len(kinds)):
        depth += (kinds[at] in OPENERS) - (kinds[at] in CLOSERS)
        if not depth:
            return kinds[at + 1] in _AFTER_PATTERN
    return False


def _change(before: Sequence[str], after: Sequence[str]) -> str:
    """Return the first difference between two sequences."""
    pairs = zip_longest(before, after, fillvalue="nothing")
    return next(f"{old!r} became {new!r}" for old, new in pairs if old != new)
