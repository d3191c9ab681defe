"""The scanner that distinguishes the angle brackets of type arguments from comparison operators."""

from __future__ import annotations

from harnlite.syntax.tokens import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.tokens import Token

AFTER_TYPE_ARGUMENTS = kinds("LPAR COMMA RPAR NL ASSIGN LB RB RSQB BAR ARROW GT SEMI EXTENDS FN TYPE END")
_LITERALS = kinds("STRING INT FLOAT TRUE FALSE NIL")
_DEEPEST = 64
_FAILED = -1


class TypeScanner:
    """Scans tokens as long as they form types, and records the angle brackets."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.angles: list[int] = []
        self.unclosed: list[int] = []
        self.hopeless: set[int] = set()
        self.depth = 0

    def mark_arguments(self, at: int) -> int:
        """Retag the angle brackets of the type arguments that start at an index; return the index after them, or -1."""
        if at in self.hopeless:
            return _FAILED
        self.angles.clear()
        self.unclosed.clear()
        self.depth = 0
        end = self._arguments(at)
        if end < 0:
            self.hopeless.update(self.unclosed)
            return _FAILED
        following = self.tokens[end]
        if following.kind not in AFTER_TYPE_ARGUMENTS and following.text != "where":
            return _FAILED
        for index in self.angles:
            token = self.tokens[index]
            token.kind = "LTG" if token.text == "<" else "GTG"
        return end

    def _skip_lines(self, at: int) -> int:
        while self.tokens[at].kind == "NL":
            at += 1
        return at

    def _arguments(self, at: int) -> int:
        """Skip `<T, …>`; return the index after it, or -1."""
        self.depth += 1
        if self.depth > _DEEPEST:
            return _FAILED
        self.angles.append(at)
        self.unclosed.append(at)
        while True:
            at = self._skip_lines(at + 1)
            token = self.tokens[at]
            if token.kind == "GT" and self.tokens[at - 1].kind != "LT":
                break
            if token.kind == "IN" or (token.text == "out" and self.tokens[at + 1].kind == "ID"):
                at += 1
            at = self._type(at)
            if at < 0:
                return _FAILED
            at = self._skip_lines(at)
            kind = self.tokens[at].kind
            if kind == "GT":
                break
            if kind != "COMMA":
                return _FAILED
        self.angles.append(at)
        self.unclosed.pop()
        self.depth -= 1
        return at + 1

    def _type(self, at: int) -> int:
        at = self._member(at)
        while at > 0:
            following = self._skip_lines(at)
            if self.tokens[following].kind != "BAR":
                break
            at = self._member(self._skip_lines(following + 1))
        return at

    def _member(self, at: int) -> int:
        kind = self.tokens[at].kind
        if kind == "ID":
            return self._arguments(at + 1) if self.tokens[at + 1].kind == "LT" else at + 1
        if kind in _LITERALS:
            return at + 1
        if kind == "MINUS":
            return at + 2 if self.tokens[at + 1].kind in ("INT", "FLOAT") else _FAILED
        walk = _NESTED.get(kind)
        if walk is None:
            return _FAILED
        self.depth += 1
        if self.depth > _DEEPEST:
            return _FAILED
        at = walk(self, at + 1)
        self.depth -= 1
        return at

    def list(self, at: int) -> int:
        """Skip the rest of `[T]`."""
        at = self._type(self._skip_lines(at))
        at = self._skip_lines(at) if at > 0 else at
        return at + 1 if at > 0 and self.tokens[at].kind == "RSQB" else _FAILED

    def shape(self, at: int) -> int:
        """Skip the rest of `{name: T}`."""
        while True:
            at = self._skip_lines(at)
            if self.tokens[at].kind == "RB":
                return at + 1
            if not self.tokens[at].text.isidentifier():
                return _FAILED
            at += 2 if self.tokens[at + 1].kind == "QUESTION" else 1
            if self.tokens[at].kind != "COLON":
                return _FAILED
            at = self._type(at + 1)
            if at < 0:
                return _FAILED
            kind = self.tokens[at].kind
            if kind == "COMMA":
                at += 1
            elif kind not in ("NL", "RB"):
                return _FAILED

    def function(self, at: int) -> int:
        """Skip the rest of `fn(T) -> T`."""
        if self.tokens[at].kind != "LPAR":
            return _FAILED
        at = self._skip_lines(at + 1)
        while self.tokens[at].kind != "RPAR":
            at = self._type(at)
            if at < 0:
                return _FAILED
            at = self._skip_lines(at)
            if self.tokens[at].kind == "COMMA":
                at = self._skip_lines(at + 1)
        return self._type(at + 2) if self.tokens[at + 1].kind == "ARROW" else _FAILED


_NESTED = {"LSQB": TypeScanner.list, "LB": TypeScanner.shape, "FN": TypeScanner.function}
