"""The token pre-pass, which makes decisions for which the grammar needs more than one look-ahead token.

It keeps only the line ends that separate statements or items, and gives braces, question marks, angle brackets and
contextual words the kinds that the grammar uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.syntax import brackets, contextual_words, question_marks
from harnlite.syntax.angle_brackets import TypeScanner
from harnlite.syntax.frames import MAX_DEPTH, Frame, TooDeepError
from harnlite.syntax.tokens import CONTINUES_LINE, NEEDS_OPERAND, TemplateToken, kinds

if TYPE_CHECKING:
    from harnlite.syntax.tokens import Token

_ENTRY_START = kinds("LB LBA LBS LBP COMMA")
_DOTS = kinds("DOT OPTDOT")
_ANGLES = kinds("LT LTG")


class Prepass:
    """One pass over the tokens of a text or of an interpolation."""

    def __init__(
        self,
        raw: list[Token],
        *,
        declarations: bool = False,
        depth: int = 0,
        inside: bool = False,
        dead: frozenset[int] = frozenset(),
    ) -> None:
        self.raw = raw
        self.declarations = declarations
        self.dead = dead
        self.base = depth
        self.index = 0
        self.prev = ""
        self.out: list[Token] = []
        self.frames = [Frame(None, is_brace=not inside)]
        self.top = self.frames[0]
        self.unclosed: list[Token] = []
        self.strays: set[int] = set()
        self.closed_fn = False
        self.scanner = TypeScanner(raw)

    def run(self) -> list[Token]:
        """Return the tokens for the grammar."""
        raw, out, actions = self.raw, self.out, ACTIONS
        reserved, contextual = contextual_words.RESERVED, contextual_words.CONTEXTUAL
        pending: Token | None = None
        index = 0
        count = len(raw)
        while index < count:
            token = raw[index]
            kind = token.kind
            if kind == "NL":
                if pending is None:
                    pending = token
                index += 1
                continue
            if kind in reserved:
                kind = self._reserved(token, index, after_line=pending is not None)
            if pending is not None:
                if self._separates(kind):
                    self.end_statement()
                    out.append(pending)
                    self.prev = "NL"
                pending = None
            if kind == "ID":
                if self.prev in _DOTS or raw[index + 1].kind in _ANGLES or token.text in contextual:
                    self.index = index
                    kind = self._name(token)
                    index = self.index
            elif kind in actions:
                self.index = index
                kind = actions[kind](self, token)
                index = self.index
            out.append(token)
            self.prev = kind
            index += 1
        self.unclosed.extend(frame.opener for frame in self.frames if frame.opener is not None)
        return out

    # Line ends

    def _separates(self, kind: str) -> bool:
        """Return whether a line end before a token of this kind ends a statement."""
        if not self.top.is_brace or self.prev in NEEDS_OPERAND or not self.prev:
            return False
        return kind not in CONTINUES_LINE or (kind == "RB" and self.top.opener is None)

    def end_statement(self) -> None:
        """Clear the state of the current statement."""
        self.top.ternary = False
        self.top.headers.clear()

    # Names

    def _reserved(self, token: Token, index: int, *, after_line: bool) -> str:
        """Turn a keyword into a name where keywords are allowed as names; return its kind."""
        if self.prev in _DOTS:
            token.kind = "ID"
        elif self.top.is_brace and (after_line or self.prev in _ENTRY_START):
            following = self.raw[self.beyond_lines(index + 1)].kind
            if following == "COLON" or (following == "QUESTION" and self.raw[index + 2].kind == "COLON"):
                token.kind = "ID"
        return token.kind

    def _name(self, token: Token) -> str:
        """Return the kind of a name that follows a dot, precedes an angle bracket, or is a contextual word."""
        following = self.ahead_in_bracket()
        is_called = following.kind == "LPAR"
        if following.kind == "LT":
            end = self.scanner.mark_arguments(self.raw.index(following, self.index))
            is_called = end > 0 and self.raw[end].kind == "LPAR"
        if self.prev in _DOTS:
            if is_called:
                token.kind = "METHOD"
        elif token.text in contextual_words.CONTEXTUAL:
            token.kind = contextual_words.CONTEXTUAL[token.text](self, token)
        return token.kind

    # Support for the actions of token kinds

    def ahead(self, distance: int = 1) -> Token:
        """Return the token at a distance ahead; line ends count."""
        return self.raw[min(self.index + distance, len(self.raw) - 1)]

    def beyond_lines(self, index: int) -> int:
        """Return the index of the first token from an index that is not a line end."""
        while self.raw[index].kind == "NL":
            index += 1
        return index

    def ahead_in_bracket(self) -> Token:
        """Return the next token; inside brackets other than braces, skip line ends."""
        following = self.index + 1
        return self.raw[following if self.top.is_brace else self.beyond_lines(following)]

    def merge(self, token: Token, kind: str) -> str:
        """Merge this token and the next one."""
        following = self.ahead()
        token.text = f"{token.text}{'' if following.text == '*' else ' '}{following.text}"
        token.end = following.end
        self.index += 1
        return kind

    def push(self, token: Token, frame: Frame) -> None:
        """Enter a bracket; raise TooDeepError if brackets are nested too deeply."""
        if len(self.frames) + self.base > MAX_DEPTH:
            raise TooDeepError(token)
        self.frames.append(frame)
        self.top = frame


def _template(walk: Prepass, token: Token) -> str:
    """Record the depth of a template, so that the nesting of interpolations is limited."""
    if isinstance(token, TemplateToken):
        token.depth = walk.base + len(walk.frames)
    return token.kind


ACTIONS = {**contextual_words.ACTIONS, **brackets.ACTIONS, **question_marks.ACTIONS, "TEMPLATE": _template}
