"""The token pre-pass: decides by neighbours and brackets what one look-ahead token cannot tell the grammar.

Line ends are kept only where they separate; braces, question marks, angle brackets and contextual words get the kinds
the grammar knows them by.
"""

from __future__ import annotations

from harnlite.syntax.generics import TypeScanner
from harnlite.syntax.tokens import (
    BRACES,
    CLOSER_OF,
    CONTINUES_LINE,
    ENDS_OPERAND,
    NEEDS_OPERAND,
    STARTS_OPERAND,
    WORD_KINDS,
    TemplateToken,
    Token,
)

MAX_DEPTH = 256

_WORDS = frozenset(WORD_KINDS.values())
_STATEMENT_START = frozenset(("", "NL", "SEMI", "LB", "LBA", "LBS", "ARROW"))
_ITEM_START = frozenset(("LB", "LBA", "LBS", "NL", "SEMI", "RB"))
_ENTRY_START = frozenset(("LB", "LBA", "LBS", "LBP", "COMMA"))
_PATTERN_START = frozenset(("LB", "LBA", "RB", "NL", "BAR"))
_DOTS = frozenset(("DOT", "OPTDOT"))
_ANGLES = frozenset(("LT", "LTG"))
_HEADERS = frozenset(("IF", "WHILE", "FOR", "MATCH", "GUARD", "RETRY", "DEADLINE", "PARALLEL"))
_NO_BINDING = frozenset(("IN", "TO", "EXCLUSIVE"))


class TooDeepError(Exception):
    """Brackets that are nested deeper than anybody reads."""

    def __init__(self, token: Token) -> None:
        super().__init__()
        self.token = token


class Frame:
    """An open bracket: what was said inside it so far that decides about later tokens."""

    __slots__ = ("colon", "colon_known_to", "headers", "is_brace", "is_fn", "opener", "role", "ternary")

    def __init__(self, opener: Token | None, *, is_brace: bool, role: str = "", is_fn: bool = False) -> None:
        self.opener = opener
        self.is_brace = is_brace
        self.role = role
        self.is_fn = is_fn
        self.headers: list[str] = []
        self.ternary = False
        self.colon = -1
        self.colon_known_to = -1


class Prepass:
    """One walk over the tokens of a text or of an interpolation."""

    def __init__(
        self,
        raw: list[Token],
        *,
        declarations: bool = False,
        depth: int = 0,
        inside: bool = False,
        dead: frozenset[int],
    ) -> None:
        self.raw = raw
        self.declarations = declarations
        self.out: list[Token] = []
        self.base = depth
        self.frames = [Frame(None, is_brace=not inside)]
        self.top = self.frames[0]
        self.prev = ""
        self.index = 0
        self.dead = dead
        self.unclosed: list[Token] = []
        self.strays: set[int] = set()
        self.closed_fn = False
        self.scanner = TypeScanner(raw)

    def run(self) -> list[Token]:
        """Return the tokens the grammar is to see."""
        raw = self.raw
        out = self.out
        actions = _ACTIONS
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
            if kind in _WORDS:
                kind = self._word(token, index, after_line=pending is not None)
            if pending is not None:
                if self._separates(kind):
                    self._end_statement()
                    out.append(pending)
                    self.prev = "NL"
                pending = None
            if kind == "ID":
                if self.prev in _DOTS or raw[index + 1].kind in _ANGLES or token.text in _CONTEXTUAL:
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
        """Say whether a line end before a token of this kind ends a statement."""
        if not self.top.is_brace or self.prev in NEEDS_OPERAND or not self.prev:
            return False
        return kind not in CONTINUES_LINE or (kind == "RB" and self.top.opener is None)

    def _end_statement(self) -> None:
        self.top.ternary = False
        self.top.headers.clear()

    def _semicolon(self, _token: Token) -> str:
        self._end_statement()
        return "SEMI"

    # Words

    def _word(self, token: Token, index: int, *, after_line: bool) -> str:
        """Make a keyword a name where names of any kind may stand."""
        if self.prev in _DOTS:
            token.kind = "ID"
        elif self.top.is_brace and (after_line or self.prev in _ENTRY_START):
            following = self.raw[index + 1].kind
            if following == "COLON" or (following == "QUESTION" and self.raw[index + 2].kind == "COLON"):
                token.kind = "ID"
        return token.kind

    def _name(self, token: Token) -> str:
        """Decide about a name that follows a dot, precedes an angle bracket, or is a contextual word."""
        raw = self.raw
        following = self.index + 1
        while raw[following].kind == "NL" and not self.top.is_brace:
            following += 1
        kind = raw[following].kind
        if kind == "LT":
            end = self.scanner.mark_arguments(following)
            kind = raw[end].kind if end > 0 else ""
        elif kind == "LTG":
            kind = ""
        if self.prev in _DOTS:
            if kind == "LPAR":
                token.kind = "METHOD"
        elif token.text in _CONTEXTUAL:
            token.kind = _CONTEXTUAL[token.text](self, token)
        return token.kind

    def _next(self, distance: int = 1) -> Token:
        return self.raw[min(self.index + distance, len(self.raw) - 1)]

    def _merge(self, token: Token, kind: str) -> str:
        """Make one token of this and the next."""
        following = self._next()
        token.text = f"{token.text}{'' if following.text == '*' else ' '}{following.text}"
        token.end = following.end
        self.index += 1
        return kind

    def _const(self, _token: Token) -> str:
        kind = self._next().kind
        binds = kind in ("ID", "LB", "LSQB") or (kind in _WORDS and kind not in _NO_BINDING)
        return "CONST" if binds and self.prev in _STATEMENT_START else "ID"

    def _gen(self, _token: Token) -> str:
        return "GEN" if self._next().kind == "FN" else "ID"

    def _extern(self, _token: Token) -> str:
        return "EXTERN" if self.declarations and self._next().kind == "FN" else "ID"

    def _mode(self, token: Token) -> str:
        return token.text.upper() if self.prev == "PARALLEL" else "ID"

    def _with(self, _token: Token) -> str:
        headers = self.top.headers
        return "WITH" if headers and headers[-1] == "PARALLEL" and self._next().kind == "LB" else "ID"

    def _as(self, token: Token) -> str:
        return self._merge(token, "AS_STREAM") if self.prev == "RB" and self._next().text == "stream" else "ID"

    def _not(self, token: Token) -> str:
        return self._merge(token, "NOTIN") if self.prev in ENDS_OPERAND and self._next().kind == "IN" else "ID"

    def _where(self, _token: Token) -> str:
        bounds = self._next().kind == "ID" and self._next(2).kind == "COLON"
        return "WHERE" if bounds and self.prev in ENDS_OPERAND else "ID"

    def _timeout(self, _token: Token) -> str:
        if self.top.role == "SELECT" and self.prev in _ITEM_START and self._next().kind != "FROM":
            self.top.headers.append("TIMEOUT")
            return "TIMEOUT"
        return "ID"

    def _default(self, _token: Token) -> str:
        is_case = self.top.role == "SELECT" and self.prev in _ITEM_START and self._next().kind == "LB"
        return "DEFAULT" if is_case else "ID"

    # Headers of blocks

    def _header(self, token: Token) -> str:
        self.top.headers.append(token.kind)
        return token.kind

    def _from(self, token: Token) -> str:
        if self.top.role == "SELECT":
            self.top.headers.append("FROM")
        return token.kind

    def _else(self, token: Token) -> str:
        if self.top.headers and self.top.headers[-1] == "GUARD":
            self.top.headers.pop()
        return token.kind

    def _try(self, token: Token) -> str:
        if self._next().kind == "STAR":
            token.kind = self._merge(token, "TRYSTAR")
        return token.kind

    # Brackets

    def _push(self, token: Token, frame: Frame) -> None:
        if len(self.frames) + self.base > MAX_DEPTH:
            raise TooDeepError(token)
        self.frames.append(frame)
        self.top = frame

    def _open(self, token: Token) -> str:
        if token.start not in self.dead:
            self._push(token, Frame(token, is_brace=False, is_fn=self.prev == "FN"))
        return token.kind

    def _open_brace(self, token: Token) -> str:
        if token.start in self.dead:
            return token.kind
        role = ""
        top = self.top
        if top.role == "MATCH" and self.prev in _PATTERN_START:
            token.kind = "LBP"
        elif self.prev == "SELECT":
            role = "SELECT"
        elif self.prev in ENDS_OPERAND:
            role = self._after_operand(token)
        self._push(token, Frame(token, is_brace=True, role=role))
        return token.kind

    def _after_operand(self, token: Token) -> str:
        """Decide about a brace behind a complete operand: a struct literal, or the block of a header (its role)."""
        raw = self.raw
        first = self.index + 1
        while raw[first].kind == "NL":
            first += 1
        headers = self.top.headers
        begins_entry = raw[first + 1].kind == "COLON" if raw[first].kind != "END" else False
        if self._follows_type_name():
            is_key = raw[first].kind in ("ID", "STRING") or raw[first].kind in _WORDS
            if (is_key and begins_entry) or (raw[first].kind == "RB" and not headers):
                token.kind = "LBS"
        if (token.kind == "LBS" and (not headers or headers[-1] != "PARALLEL")) or not headers:
            return ""
        role = headers.pop()
        if role == "PARALLEL" and (begins_entry or raw[first + 1].kind == "ARROW") and raw[first].text.isidentifier():
            raw[first].kind = "PVAR"
            token.kind = "LB"
        return role

    def _follows_type_name(self) -> bool:
        name = self.out[-1]
        if name.kind != "ID" or not name.text[0].isupper():
            return False
        return len(self.out) == 1 or self.out[-2].kind not in _DOTS

    def _close(self, token: Token) -> str:
        """Close the innermost bracket of this kind; what is open above it will never be closed."""
        kind = token.kind
        frames = self.frames
        at = len(frames) - 1
        while at > 0 and CLOSER_OF[_kind_of(frames[at])] != kind:
            at -= 1
        if at == 0:
            self.strays.add(token.start)
            return kind
        self.unclosed.extend(frame.opener for frame in frames[at + 1 :] if frame.opener is not None)
        self.closed_fn = frames[at].is_fn
        del frames[at:]
        self.top = frames[-1]
        return kind

    def _arrow(self, _token: Token) -> str:
        """Mark the brace around an arrow, unless the arrow belongs to a function type or an anonymous function."""
        top = self.top
        if self.prev == "RPAR" and self.closed_fn:
            return "ARROW"
        opener = top.opener
        if top.role == "MATCH":
            top.headers.clear()
        if opener is not None and opener.kind in ("LB", "LBS"):
            opener.kind = "LBA"
        return "ARROW"

    # Question marks

    def _question(self, token: Token) -> str:
        raw = self.raw
        following = self.index + 1
        while raw[following].kind == "NL" and not self.top.is_brace:
            following += 1
        kind = raw[following].kind
        if kind == "LSQB":
            token.kind = "OPTB"
        elif kind in STARTS_OPERAND and not self.top.ternary and self._colon_follows():
            token.kind = "QMARK"
            self.top.ternary = True
        else:
            token.kind = "TRYQ"
        return token.kind

    def _colon_follows(self) -> bool:
        """Say whether a `:` follows in the same statement at the same depth; each stretch is searched once."""
        top = self.top
        if self.index >= top.colon_known_to:
            top.colon, top.colon_known_to = self._find_colon()
        return top.colon > self.index

    def _find_colon(self) -> tuple[int, int]:
        raw = self.raw
        depth = 0
        at = self.index + 1
        while True:
            kind = raw[at].kind
            if kind in CLOSER_OF:
                depth += 1
            elif kind == "END" or (
                depth == 0 and (kind in ("COMMA", "SEMI", "RPAR", "RSQB", "RB") or self._ends_line(at))
            ):
                return -1, at
            elif kind in ("RPAR", "RSQB", "RB"):
                depth -= 1
            elif kind == "COLON" and depth == 0:
                return at, at
            at += 1

    def _ends_line(self, at: int) -> bool:
        """Say whether a token is a line end that separates, as far as can be told ahead of it."""
        raw = self.raw
        if raw[at].kind != "NL" or not self.top.is_brace or raw[at - 1].kind in NEEDS_OPERAND:
            return False
        while raw[at].kind == "NL":
            at += 1
        return raw[at].kind not in CONTINUES_LINE

    def _colon(self, _token: Token) -> str:
        self.top.ternary = False
        return "COLON"

    def _comma(self, _token: Token) -> str:
        self.top.ternary = False
        return "COMMA"

    def _template(self, token: Token) -> str:
        if isinstance(token, TemplateToken):
            token.depth = self.base + len(self.frames)
        return "TEMPLATE"


def _kind_of(frame: Frame) -> str:
    return frame.opener.kind if frame.opener is not None else ""


_CONTEXTUAL = {
    "const": Prepass._const,
    "gen": Prepass._gen,
    "extern": Prepass._extern,
    "each": Prepass._mode,
    "settle": Prepass._mode,
    "with": Prepass._with,
    "as": Prepass._as,
    "not": Prepass._not,
    "where": Prepass._where,
    "timeout": Prepass._timeout,
    "default": Prepass._default,
}

_ACTIONS = {
    **dict.fromkeys(_HEADERS, Prepass._header),
    "FROM": Prepass._from,
    "ELSE": Prepass._else,
    "TRY": Prepass._try,
    "LPAR": Prepass._open,
    "LSQB": Prepass._open,
    "LB": Prepass._open_brace,
    "RPAR": Prepass._close,
    "RSQB": Prepass._close,
    "RB": Prepass._close,
    "ARROW": Prepass._arrow,
    "QUESTION": Prepass._question,
    "COLON": Prepass._colon,
    "COMMA": Prepass._comma,
    "SEMI": Prepass._semicolon,
    "TEMPLATE": Prepass._template,
}
