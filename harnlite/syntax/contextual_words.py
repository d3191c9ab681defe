"""The kinds of contextual words, which depend on their neighbours, and of words that start the header of a block."""

from __future__ import annotations

from harnlite.syntax.tokens import ENDS_OPERAND, WORD_KINDS, kinds

TYPE_CHECKING = False
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
    """Return the kind of `const`: a keyword at the start of a statement, before the binding."""
    kind = walk.ahead().kind
    binds = kind in ("ID", "LB", "LSQB") or (kind in RESERVED and kind not in _NO_BINDING)
    return "CONST" if binds and walk.prev in _STATEMENT_START else "ID"


def gen(walk: Prepass, _token: Token) -> str:
    """Return the kind of `gen`: a keyword before `fn`."""
    return "GEN" if walk.ahead().kind == "FN" else "ID"


def extern(walk: Prepass, _token: Token) -> str:
    """Return the kind of `extern`: a keyword before `fn` in the declarations of the builtins."""
    return "EXTERN" if walk.declarations and walk.ahead().kind == "FN" else "ID"


def parallel_mode(walk: Prepass, token: Token) -> str:
    """Return the kind of `each` and `settle`: keywords after `parallel`."""
    return token.text.upper() if walk.prev == "PARALLEL" else "ID"


def with_(walk: Prepass, _token: Token) -> str:
    """Return the kind of `with`: a keyword in the header of a `parallel`, before the options."""
    headers = walk.top.headers
    return "WITH" if headers and headers[-1] == "PARALLEL" and walk.ahead().kind == "LB" else "ID"


def as_(walk: Prepass, token: Token) -> str:
    """Return the kind of `as`: merged with `stream` after a block, else a name."""
    return walk.merge(token, "AS_STREAM") if walk.prev == "RB" and walk.ahead().text == "stream" else "ID"


def not_(walk: Prepass, token: Token) -> str:
    """Return the kind of `not`: merged with `in` if that follows, else a name; a loop variable can be named `not`."""
    return walk.merge(token, "NOTIN") if walk.prev != "FOR" and walk.ahead().kind == "IN" else "ID"


def where(walk: Prepass, _token: Token) -> str:
    """Return the kind of `where`: a keyword after a type or parameters, before `T:`."""
    bounds = walk.ahead().kind == "ID" and walk.ahead(2).kind == "COLON"
    return "WHERE" if bounds and walk.prev in ENDS_OPERAND else "ID"


def timeout(walk: Prepass, _token: Token) -> str:
    """Return the kind of `timeout`: a keyword at the start of a part of a select, unless it names a case."""
    if walk.top.role == "SELECT" and walk.prev in _CASE_START and walk.ahead().kind != "FROM":
        walk.top.headers.append("TIMEOUT")
        return "TIMEOUT"
    return "ID"


def default(walk: Prepass, _token: Token) -> str:
    """Return the kind of `default`: a keyword at the start of a part of a select."""
    is_part = walk.top.role == "SELECT" and walk.prev in _CASE_START and walk.ahead().kind == "LB"
    return "DEFAULT" if is_part else "ID"


def header(walk: Prepass, token: Token) -> str:
    """Record that a header of a block starts."""
    walk.top.headers.append(token.kind)
    return token.kind


def from_(walk: Prepass, token: Token) -> str:
    """Record that the header of a select case continues after `from`."""
    if walk.top.role == "SELECT":
        walk.top.headers.append("FROM")
    return token.kind


def else_(walk: Prepass, token: Token) -> str:
    """Record that the header of a guard ends at `else`."""
    if walk.top.headers and walk.top.headers[-1] == "GUARD":
        walk.top.headers.pop()
    return token.kind


def try_(walk: Prepass, token: Token) -> str:
    """Merge `try *` into one token."""
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
