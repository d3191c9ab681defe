"""Takes the words of a query one by one."""

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
    """A query that cannot be read."""


class Scanner:
    """A place in the text of a query."""

    __slots__ = ("at", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def skip_blanks(self) -> None:
        """Go past blanks."""
        self._match(_BLANKS)

    def sees(self, word: str) -> bool:
        """Say whether a text stands right here."""
        return self.text.startswith(word, self.at)

    def take(self, mark: str) -> bool:
        """Go past a mark if it is next after blanks."""
        self.skip_blanks()
        found = self.sees(mark)
        if found:
            self.at += len(mark)
        return found

    def take_word(self, *words: str) -> str | None:
        """Go past a whole name if it is next and one of these."""
        self.skip_blanks()
        found = _NAME.match(self.text, self.at)
        if found is None or found[0] not in words:
            return None
        self.at = found.end()
        return found[0]

    def expect(self, mark: str) -> None:
        """Go past a mark that must be next."""
        if not self.take(mark):
            raise self.error(f"expected '{mark}'")

    def name(self) -> str | None:
        """Go past a name if one stands right here."""
        return self._match(_NAME)

    def index(self) -> int | None:
        """Go past a whole number if it is next."""
        self.skip_blanks()
        digits = self._match(_INDEX)
        return None if digits is None else int(digits[:20])

    def string(self) -> str:
        """Go past a string, which must stand right here."""
        quoted = self._match(_STRING)
        if quoted is None:
            raise QueryError("unterminated string literal")
        try:
            return str(read_json(quoted))
        except JsonError:
            raise QueryError("unterminated string literal") from None

    def number(self) -> object:
        """Go past a number, which must stand right here."""
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
        """Make the error that shows what is left of the text."""
        self.skip_blanks()
        return QueryError(f"{problem} near '{self.text[self.at :]}'")
