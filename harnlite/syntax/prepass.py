"""The token pre-pass, which makes decisions for which the grammar needs more than one look-ahead token.

It keeps only the line ends that separate statements or items, and gives braces, question marks, angle brackets and
contextual words the kinds that the grammar uses.
"""

from __future__ import annotations

from harnlite.syntax import brackets, contextual_words, question_marks
from harnlite.syntax.angle_brackets import TypeScanner
from harnlite.syntax.frames import MAX_DEPTH, Frame, TooDeepError
from harnlite.syntax.tokens import CONTINUES_LINE, NEEDS_OPERAND, TemplateToken, kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.tokens import Token

_ENTRY_START = kinds("LB LBA LBS LBP COMMA")
_DOTS = kinds("DOT OPTDOT")
_ANGLES = kinds("LT LTG")
_RESERVED = contextual_words.RESERVED
_BEFORE_COLON = kinds("COLON QUESTION NL")
"""The kinds that may follow a keyword that is the key of an entry or the name of a field."""

_JOINS = NEEDS_OPERAND | {""}
"""The kinds after which, like at the start of the text, a line end does not end a statement."""


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
        self.numbered = enumerate(raw)
        self.declarations = declarations
        self.dead = dead
        self.base = depth
        self.index = 0
        self.prev = ""
        self.out: list[Token] = []
        self.frames = [Frame(None, "", not inside, "", is_fn=False)]
        self.top = self.frames[0]
        self.unclosed: list[Token] = []
        self.strays: set[int] = set()
        self.templates: list[TemplateToken] = []
        self.closed_fn = False
        self.scanner = TypeScanner(raw)

    def run(self) -> list[Token]:
        """Return the tokens for the grammar."""
        raw, out, action_of = self.raw, self.out, ACTIONS.get
        contextual = contextual_words.CONTEXTUAL
        pending: Token | None = None
        prev = ""
        for index, token in self.numbered:
            kind = token.kind
            if kind == "NL":
                if pending is None:
                    pending = token
                continue
            if kind in _RESERVED and (prev in _DOTS or raw[index + 1].kind in _BEFORE_COLON):
                self.prev = prev
                kind = self._reserved(token, index, after_line=pending is not None)
            if pending is not None:
                top = self.top
                if top.is_brace and prev not in _JOINS and (kind not in CONTINUES_LINE or self._ends_text(kind)):
                    top.ternary = False
                    if top.headers:
                        top.headers.clear()
                    out.append(pending)
                    prev = "NL"
                pending = None
            if kind == "ID":
                if prev in _DOTS or raw[index + 1].kind in _ANGLES or token.text in contextual:
                    self.index, self.prev = index, prev
                    kind = self._name(token)
            elif (action := action_of(kind)) is not None:
                self.index, self.prev = index, prev
                kind = action(self, token)
            out.append(token)
            prev = kind
        self.unclosed.extend(frame.opener for frame in self.frames if frame.opener is not None)
        return self.out

    # Line ends

    def _ends_text(self, kind: str) -> bool:
        """Return whether a token is a `}` that closes nothing, before which a line end ends a statement."""
        return kind == "RB" and self.top.opener is None

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
        """Merge this token and the next one, which has no turn of its own."""
        following = self.ahead()
        token.text = f"{token.text}{'' if following.text == '*' else ' '}{following.text}"
        token.end = following.end
        next(self.numbered)
        return kind

    def push(self, token: Token, frame: Frame) -> None:
        """Enter a bracket; raise TooDeepError if brackets are nested too deeply."""
        if len(self.frames) + self.base > MAX_DEPTH:
            raise TooDeepError(token)
        self.frames.append(frame)
        self.top = frame


def _template(walk: Prepass, token: Token) -> str:
    """Record a template, and its depth, so that the nesting of interpolations is limited."""
    if isinstance(token, TemplateToken):
        token.depth = walk.base + len(walk.frames)
        walk.templates.append(token)
    return token.kind


ACTIONS = {**contextual_words.ACTIONS, **brackets.ACTIONS, **question_marks.ACTIONS, "TEMPLATE": _template}
