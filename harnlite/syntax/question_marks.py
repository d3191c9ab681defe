"""The kinds of `?`: part of a ternary, an optional subscript, or a postfix that propagates errors."""

from __future__ import annotations

from harnlite.syntax.tokens import CLOSER_OF, CONTINUES_LINE, NEEDS_OPERAND, STARTS_OPERAND, kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.syntax.prepass import Prepass
    from harnlite.syntax.tokens import Token

    Action = Callable[[Prepass, Token], str]

_CLOSERS = kinds("RPAR RSQB RB")
_ENDS = _CLOSERS | {"COMMA", "SEMI"}


def question(walk: Prepass, token: Token) -> str:
    """Set the kind of a `?` by the tokens after it; the first half of a ternary cannot contain another ternary."""
    kind = walk.ahead_in_bracket().kind
    if kind == "LSQB":
        token.kind = "OPTB"
    elif kind in STARTS_OPERAND and not walk.top.ternary and _colon_follows(walk):
        token.kind = "QMARK"
        walk.top.ternary = True
    else:
        token.kind = "TRYQ"
    return token.kind


def _colon_follows(walk: Prepass) -> bool:
    """Return whether a `:` follows in the same statement at the same depth; each token is searched only once."""
    top = walk.top
    if walk.index >= top.colon_known_to:
        top.colon, top.colon_known_to = _find_colon(walk)
    return top.colon > walk.index


def _find_colon(walk: Prepass) -> tuple[int, int]:
    """Return the index of the next colon (or -1), and the index at which the search ended."""
    raw = walk.raw
    depth = 0
    at = walk.index + 1
    while raw[at].kind != "END":
        kind = raw[at].kind
        if depth == 0:
            if kind == "COLON":
                return at, at
            if kind in _ENDS or (kind == "NL" and _ends_line(walk, at)):
                break
        if kind in CLOSER_OF:
            depth += 1
        elif kind in _CLOSERS:
            depth -= 1
        at += 1
    return -1, at


def _ends_line(walk: Prepass, at: int) -> bool:
    """Return whether a line end ends the statement, as far as the look-ahead can tell."""
    raw = walk.raw
    if not walk.top.is_brace or raw[at - 1].kind in NEEDS_OPERAND:
        return False
    while raw[at].kind == "NL":
        at += 1
    return raw[at].kind not in CONTINUES_LINE


def end_half(walk: Prepass, token: Token) -> str:
    """End the first half of a ternary at a `:` or `,`."""
    walk.top.ternary = False
    return token.kind


def end_statement(walk: Prepass, token: Token) -> str:
    """End a statement at a `;`."""
    walk.end_statement()
    return token.kind


ACTIONS: dict[str, Action] = {
    "QUESTION": question,
    "COLON": end_half,
    "COMMA": end_half,
    "SEMI": end_statement,
}
