"""Translation of globs into regular expressions."""

from __future__ import annotations

import re

_CLASS_OPEN = "unclosed character class; missing ']'"
_GROUP_OPEN = "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"
_GROUP_EXTRA = "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)"
_DANGLING = "dangling '\\'"


class GlobError(ValueError):
    """A syntax error in a glob."""

    def __init__(self, pattern: str, reason: str) -> None:
        super().__init__(f"error parsing glob '{pattern}': {reason}")


class _Reader:
    """A reader that translates a glob into a regular expression, from left to right."""

    __slots__ = ("at", "depth", "pattern", "pieces")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.depth = 0
        self.pieces: list[str] = []

    def expression(self) -> str:
        """Return the regular expression of the whole pattern."""
        while self.at < len(self.pattern):
            char = self.pattern[self.at]
            step = _STEPS.get(char)
            if step is None:
                self.pieces.append(re.escape(char))
                self.at += 1
            else:
                step(self)
        if self.depth:
            raise GlobError(self.pattern, _GROUP_OPEN)
        return "".join(self.pieces)

    def _take(self, piece: str, length: int = 1) -> None:
        self.pieces.append(piece)
        self.at += length

    def star(self) -> None:
        """Read `*`, or `**/`, which matches any number of folders."""
        end = self.at
        while self.pattern[end : end + 1] == "*":
            end += 1
        starts = self.at == 0 or self.pattern[self.at - 1] == "/"
        if end - self.at == 2 and starts and self.pattern[end : end + 1] == "/":  # noqa: PLR2004 - `**/`
            self._take("(?:.*/)?", 3)
        else:
            self._take(".*", end - self.at)

    def one(self) -> None:
        """Read `?`."""
        self._take(".")

    def escape(self) -> None:
        r"""Read `\` and the character that it escapes."""
        if self.at + 1 == len(self.pattern):
            raise GlobError(self.pattern, _DANGLING)
        self._take(re.escape(self.pattern[self.at + 1]), 2)

    def open_group(self) -> None:
        """Read `{`."""
        self.depth += 1
        self._take("(?:")

    def next_choice(self) -> None:
        """Read `,`, which is a separator only inside braces."""
        self._take("|" if self.depth else ",")

    def close_group(self) -> None:
        """Read `}`."""
        if not self.depth:
            raise GlobError(self.pattern, _GROUP_EXTRA)
        self.depth -= 1
        self._take(")")

    def character_class(self) -> None:
        """Read `[ab]`, `[a-z]` or `[!a]`; a `]` in the first position is a member of the class."""
        start = self.at + 1
        negated = self.pattern[start : start + 1] in {"!", "^"}
        start += negated
        end = self.pattern.find("]", start + 1)
        if end < 0:
            raise GlobError(self.pattern, _CLASS_OPEN)
        self.pieces.append(f"[{'^' if negated else ''}{self._members(self.pattern[start:end])}]")
        self.at = end + 1

    def _members(self, text: str) -> str:
        pieces = []
        at = 0
        while at < len(text):
            low = text[at]
            if text[at + 1 : at + 2] == "-" and at + 2 < len(text):
                high = text[at + 2]
                if low > high:
                    raise GlobError(self.pattern, f"invalid range; '{low}' > '{high}'")
                pieces.append(f"{re.escape(low)}-{re.escape(high)}")
                at += 3
            else:
                pieces.append(re.escape(low))
                at += 1
        return "".join(pieces)


_STEPS = {
    "*": _Reader.star,
    "?": _Reader.one,
    "\\": _Reader.escape,
    "{": _Reader.open_group,
    ",": _Reader.next_choice,
    "}": _Reader.close_group,
    "[": _Reader.character_class,
}


def compile_glob(pattern: str) -> re.Pattern[str]:
    """Return the regular expression that is equivalent to a glob; `*` and `?` match slashes too."""
    return re.compile(_Reader(pattern).expression(), re.DOTALL)
