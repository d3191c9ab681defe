"""Contextual words, and the words that begin the header of a block: what their neighbours make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.syntax.tokens import ENDS_OPERAND, WORD_KINDS, kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.syntax.prepass import Prepass
    from harnlite.syntax.tokens import Token

    Action = Callable[[Prepass, Token], str]

RESERVED = frozenset(WORD_KINDS.values())
_STATEMENT_START = frozenset(("", "NL", "SEMI", "LB", "LBA", "LBS", "ARROW"))
_CASE_START = kinds("LB LBA LBS NL SEMI RB")
_NO_BINDING = kinds("IN TO EXCLUSIVE")


def const(walk: Prepass, _token: Token) -> str:
    """`const` is the first word of a statement, before what it binds."""
    kind = walk.ahead().kind
    binds = kind in ("ID", "LB", "LSQB") or (kind in RESERVED and kind not in _NO_BINDING)
    return "CONST" if binds and walk.prev in _STATEMENT_START else "ID"


def gen(walk: Prepass, _token: Token) -> str:
    """`gen` stands before `fn`."""
    return "GEN" if walk.ahead().kind == "FN" else "ID"


def extern(walk: Prepass, _token: Token) -> str:
    """`extern` stands before `fn`, in the declarations of the builtins only."""
    return "EXTERN" if walk.declarations and walk.ahead().kind == "FN" else "ID"


def parallel_mode(walk: Prepass, token: Token) -> str:
    """`each` and `settle` stand behind `parallel`."""
    return token.text.upper() if walk.prev == "PARALLEL" else "ID"


def with_(walk: Prepass, _token: Token) -> str:
    """`with` stands in the header of a `parallel`, before its options."""
    headers = walk.top.headers
    return "WITH" if headers and headers[-1] == "PARALLEL" and walk.ahead().kind == "LB" else "ID"


def as_(walk: Prepass, token: Token) -> str:
    """`as stream` stands behind a block."""
    return walk.merge(token, "AS_STREAM") if walk.prev == "RB" and walk.ahead().text == "stream" else "ID"


def not_(walk: Prepass, token: Token) -> str:
    """`not` before `in` is no name, but for that of a loop variable."""
    return walk.merge(token, "NOTIN") if walk.prev != "FOR" and walk.ahead().kind == "IN" else "ID"


def where(walk: Prepass, _token: Token) -> str:
    """`where` stands behind a type or parameters, before `T:`."""
    bounds = walk.ahead().kind == "ID" and walk.ahead(2).kind == "COLON"
    return "WHERE" if bounds and walk.prev in ENDS_OPERAND else "ID"


def timeout(walk: Prepass, _token: Token) -> str:
    """`timeout` begins a part of a select, unless it is the name of a case."""
    if walk.top.role == "SELECT" and walk.prev in _CASE_START and walk.ahead().kind != "FROM":
        walk.top.headers.append("TIMEOUT")
        return "TIMEOUT"
    return "ID"


def default(walk: Prepass, _token: Token) -> str:
    """`default` begins a part of a select."""
    is_part = walk.top.role == "SELECT" and walk.prev in _CASE_START and walk.ahead().kind == "LB"
    return "DEFAULT" if is_part else "ID"


def header(walk: Prepass, token: Token) -> str:
    """Begin the header of a block."""
    walk.top.headers.append(token.kind)
    return token.kind


def from_(walk: Prepass, token: Token) -> str:
    """`from` begins the rest of the header of a case in a select."""
    if walk.top.role == "SELECT":
        walk.top.headers.append("FROM")
    return token.kind


def else_(walk: Prepass, token: Token) -> str:
    """`else` ends the header of a guard."""
    if walk.top.headers and walk.top.headers[-1] == "GUARD":
        walk.top.headers.pop()
    return token.kind


def try_(walk: Prepass, token: Token) -> str:
    """`try *` is one word."""
    if walk.ahead().kind == "STAR":
        token.kind = walk.merge(token, "TRYSTAR")
    return token.kind


CONTEXTUAL: dict[str, Action] = {
    "const": const,
    "gen": gen,
    "extern": extern,
    "each": parallel_mode,
    "settle": parallel_mode,
    "with": with_,
    "as": as_,
    "not": not_,
    "where": where,
    "timeout": timeout,
    "default": default,
}

ACTIONS: dict[str, Action] = {
    **dict.fromkeys(kinds("IF WHILE FOR MATCH GUARD RETRY DEADLINE PARALLEL"), header),
    "FROM": from_,
    "ELSE": else_,
    "TRY": try_,
}
