"""The open brackets of the token pre-pass."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.tokens import Token

MAX_DEPTH = 256


class TooDeepError(Exception):
    """The error for brackets that are nested too deeply."""

    def __init__(self, token: Token) -> None:
        super().__init__()
        self.token = token


class Frame:
    """An open bracket, with the state of its content that determines the kinds of later tokens."""

    __slots__ = ("closer", "colon", "colon_known_to", "headers", "is_brace", "is_fn", "opener", "role", "ternary")

    def __init__(self, opener: Token | None, closer: str, is_brace: bool, role: str, is_fn: bool) -> None:  # noqa: FBT001 - called for each bracket
        self.opener = opener
        self.closer = closer
        self.is_brace = is_brace
        self.role = role
        self.is_fn = is_fn
        self.headers: list[str] = []
        self.ternary = False
        self.colon = -1
        self.colon_known_to = -1
