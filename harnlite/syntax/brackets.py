"""The roles of brackets (blocks, dicts, closures, struct literals, patterns), and unclosed brackets."""

from __future__ import annotations

from harnlite.syntax.contextual_words import RESERVED
from harnlite.syntax.frames import Frame
from harnlite.syntax.tokens import CLOSER_OF, ENDS_OPERAND, kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.syntax.prepass import Prepass
    from harnlite.syntax.tokens import Token

    Action = Callable[[Prepass, Token], str]

_PATTERN_START = kinds("LB LBA RB NL BAR")
_KEYS = RESERVED | {"ID", "STRING"}
_DOTS = kinds("DOT OPTDOT")


def open_round(walk: Prepass, token: Token) -> str:
    """Open `(` or `[`."""
    if token.start not in walk.dead:
        walk.push(token, Frame(token, CLOSER_OF[token.kind], False, "", walk.prev == "FN"))  # noqa: FBT003 - see Frame
    return token.kind


def open_brace(walk: Prepass, token: Token) -> str:
    """Open `{` and set its kind, as far as the tokens before it determine the kind."""
    role = ""
    if walk.top.role == "MATCH" and walk.prev in _PATTERN_START:
        token.kind = "LBP"
    elif walk.prev == "SELECT":
        role = "SELECT"
    elif walk.prev in ENDS_OPERAND:
        role = _after_operand(walk, token)
    walk.push(token, Frame(token, "RB", True, role, False))  # noqa: FBT003 - see Frame
    return token.kind


def _after_operand(walk: Prepass, token: Token) -> str:
    """Set the kind of a brace after an operand; return the keyword of the header if the brace opens its block."""
    raw = walk.raw
    first = walk.beyond_lines(walk.index + 1)
    following = raw[walk.beyond_lines(first + 1)].kind if raw[first].kind != "END" else "END"
    headers = walk.top.headers
    if _follows_type_name(walk):
        is_entry = raw[first].kind in _KEYS and following == "COLON"
        if is_entry or (raw[first].kind == "RB" and not headers):
            token.kind = "LBS"
    if not headers or (token.kind == "LBS" and headers[-1] != "PARALLEL"):
        return ""
    role = headers.pop()
    if role == "PARALLEL" and following in ("COLON", "ARROW") and raw[first].text.isidentifier():
        raw[first].kind = "PVAR"
        token.kind = "LB"
    return role


def _follows_type_name(walk: Prepass) -> bool:
    name = walk.out[-1]
    if name.kind != "ID" or not name.text[0].isupper():
        return False
    return len(walk.out) == 1 or walk.out[-2].kind not in _DOTS


def close(walk: Prepass, token: Token) -> str:
    """Close the innermost bracket of this kind; brackets that are open inside it count as unclosed."""
    frames = walk.frames
    at = len(frames) - 1
    kind = token.kind
    while at > 0 and frames[at].closer != kind:
        at -= 1
    if at == 0:
        walk.strays.add(token.start)
        return kind
    if at < len(frames) - 1:
        walk.unclosed.extend(frame.opener for frame in frames[at + 1 :] if frame.opener is not None)
    walk.closed_fn = frames[at].is_fn
    del frames[at:]
    walk.top = frames[-1]
    return kind


def arrow(walk: Prepass, _token: Token) -> str:
    """Mark the brace around an arrow, unless the arrow belongs to a function type or an anonymous function."""
    if walk.prev == "RPAR" and walk.closed_fn:
        return "ARROW"
    top = walk.top
    if top.role == "MATCH":
        top.headers.clear()
    if top.opener is not None and top.opener.kind in ("LB", "LBS"):
        top.opener.kind = "LBA"
    return "ARROW"


ACTIONS: dict[str, Action] = {
    "LPAR": open_round,
    "LSQB": open_round,
    "LB": open_brace,
    "RPAR": close,
    "RSQB": close,
    "RB": close,
    "ARROW": arrow,
}
