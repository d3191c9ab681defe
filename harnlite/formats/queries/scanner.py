"""The scanner of queries."""

from __future__ import annotations

import re

from harnlite.formats.json.reading import JsonError, read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_BLANKS: Final = re.compile(r"\s*")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INDEX: Final = re.compile(r"-?[0-9]+")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![0-9A-Za-z_.])")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


class QueryError(Exception):
    """The error for an invalid query."""


class Scanner:
    """A position in the text of a query."""

    __slots__ = ("at", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def skip_blanks(self) -> None:
        """Skip blanks."""
        self._match(_BLANKS)

    def sees(self, word: str) -> bool:
        """Return whether the text at the current position is `word`."""
        return self.text.startswith(word, self.at)

    def take(self, mark: str) -> bool:
        """Skip blanks and then a mark; return whether the mark was there."""
        self.skip_blanks()
        found = self.sees(mark)
        if found:
            self.at += len(mark)
        return found

    def take_word(self, *words: str) -> str | None:
        """Skip blanks and then a whole name if it is one of `words`; return the name or None."""
        self.skip_blanks()
        found = _NAME.match(self.text, self.at)
        if found is None or found[0] not in words:
            return None
        self.at = found.end()
        return found[0]

    def expect(self, mark: str) -> None:
        """Skip blanks and then a mark, which is required."""
        if not self.take(mark):
            raise self.error(f"expected '{mark}'")

    def name(self) -> str | None:
        """Read a name at the current position; return None if there is none."""
        return self._match(_NAME)

    def index(self) -> int | None:
        """Skip blanks and read a whole number; return None if there is none."""
        self.skip_blanks()
        digits = self._match(_INDEX)
        return None if digits is None else int(digits[:20])

    def string(self) -> str:
        """Read a string at the current position, which is required."""
        quoted = self._match(_STRING)
        if quoted is None:
            raise QueryError("unterminated string literal")
        try:
            return str(read_json(quoted))
        except JsonError:
            raise QueryError("unterminated string literal") from None

    def number(self) -> object:
        """Read a number at the current position, which is required."""
        start = self.at
        digits = self._match(_NUMBER)
        try:
            return read_json(digits or "")
        except JsonError:
            self.at = start
            raise self.error("invalid number") from None

    def _match(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def error(self, problem: str) -> QueryError:
        """Return an error that shows the rest of the text."""
        self.skip_blanks()
        return QueryError(f"{problem} near '{self.text[self.at :]}'")
