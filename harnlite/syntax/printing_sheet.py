"""The state that the formatting callbacks share: the text, its comments, and the conversion of tokens to pieces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from harnlite.syntax.printing_brackets import NEVER, Block, Brackets
from harnlite.syntax.printing_documents import Piece, Verbatim, Word, flat_of
from harnlite.syntax.tokens import Interpolation
from harnlite.syntax.trivia import opens_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnlite.syntax.tokens import TemplateToken, Token
    from harnlite.syntax.trivia import Trivia

    Listed = Sequence[Any] | None
    """Items alternating with the separators between them."""


_SIMPLE = re.compile(r"[\w.?]*")
_KEPT = ("\n", "//", "/*", "\\")
"""An interpolation that contains one of these is not reformatted."""


class Sheet:
    """The state of formatting one text; `read` converts the tokens of an interpolation to a piece."""

    __slots__ = ("read", "text", "trivia")

    def __init__(self, text: str, trivia: dict[int, Trivia]) -> None:
        self.text = text
        self.trivia = trivia
        self.read: Callable[[list[Token]], Piece] = list

    def word(self, token: Token) -> Piece:
        """Return the text of a token with the comments before it."""
        lead = self.trivia.get(token.start)
        return token.text if lead is None else Word(token.text, lead)

    def spaced(self, token: Token) -> Piece:
        """Return the text of a token between blanks."""
        lead = self.trivia.get(token.start)
        return f" {token.text} " if lead is None else Word(f" {token.text} ", lead)

    def before(self, token: Token) -> Piece:
        """Return the text of a token followed by a blank."""
        lead = self.trivia.get(token.start)
        return f"{token.text} " if lead is None else Word(f"{token.text} ", lead)

    def string(self, token: Token) -> Piece:
        """Return a string, which may span several lines."""
        lead = self.trivia.get(token.start)
        if "\n" in token.text:
            return Verbatim(token.text.replace("\r\n", "\n"), lead)
        return token.text if lead is None else Word(token.text, lead)

    def template(self, token: TemplateToken) -> Piece:
        """Return a string with interpolations; interpolations on one line are reformatted."""
        text = self.text
        pieces: list[str] = []
        last = token.start
        for part in token.parts:
            if isinstance(part, Interpolation):
                inside = text[part.start : part.end]
                piece = part.tokens[0].text if part.is_name else self.read(part.tokens)
                if _SIMPLE.fullmatch(inside) is None and not any(mark in inside for mark in _KEPT):
                    pieces += (text[last : part.start], flat_of(piece) or inside)
                    last = part.end
        if pieces:
            pieces.append(text[last : token.end])
            token.text = token.text.replace(text[token.start : token.end], "".join(pieces), 1)
        return self.string(token)

    def brackets(self, left: Token, listed: Listed, right: Token, *, pad: str = "", hugging: str = NEVER) -> Brackets:
        """Return items between brackets; each stays on its own line if the first one starts a line in the source."""
        listed = listed or ()
        return Brackets(
            self.word(left),
            listed[::2],
            listed[1::2],
            self.word(right),
            pad=pad,
            forced=opens_line(self.text, left.end) or self._has_lines(listed),
            hugging=hugging,
        )

    def _has_lines(self, listed: Sequence[Any]) -> bool:
        return len(listed) > 1 and any(mark is not None and mark.kind == "NL" for mark in listed[1::2])

    def block(self, left: Token, listed: Listed, right: Token, *, opener: Piece = None, end: int = 0) -> Block:
        """Return statements between braces; each stays on its own line if the first one starts a line in the source."""
        listed = listed or ()
        forced = opens_line(self.text, end or left.end)
        head = self.word(left) if opener is None else opener
        return Block(head, listed[::2], listed[1::2], self.word(right), forced=forced)

    def open_block(self, left: Token, listed: Listed, right: Token) -> Block:
        """Return a block that always has several lines."""
        listed = listed or ()
        return Block(self.word(left), listed[::2], listed[1::2], self.word(right), forced=True)
