"""Places as editors count them: lines from 0, columns in UTF-16 units (or what was agreed on), to offsets and back."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ENDS = re.compile(r"\r\n|\n|\r")
_CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class Ruler:
    """Measures one text; `units` is what a column counts: utf-8, utf-16 or utf-32."""

    __slots__ = ("_codec", "_starts", "_text", "_width")

    def __init__(self, text: str, units: str = "utf-16") -> None:
        self._text = text
        self._codec, self._width = _CODECS[units]
        starts = accumulate(len(line) + 1 for line in text.split("\n")[:-1])
        self._starts: list[int] = [0, *((found.end() for found in _ENDS.finditer(text)) if "\r" in text else starts)]

    @property
    def starts(self) -> Sequence[int]:
        """Return the offset at which each line begins."""
        return self._starts

    @property
    def lines(self) -> int:
        """Return how many lines there are; behind the last line break is one more."""
        return len(self._starts)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place; one beyond a line or the text is the end of it."""
        if line >= len(self._starts):
            return len(self._text)
        start, end = self._starts[line], self.line_end(line)
        row = self._text[start:end]
        if row.isascii():
            return start + min(column, len(row))
        before = row.encode(self._codec, "surrogatepass")[: column * self._width]
        return start + len(before.decode(self._codec, "ignore"))

    def line_end(self, line: int) -> int:
        """Return where the text of a line ends, its line break not included."""
        if line + 1 >= len(self._starts):
            return len(self._text)
        end = self._starts[line + 1]
        return end - (2 if self._text.endswith("\r\n", self._starts[line], end) else 1)

    def width(self, start: int, end: int) -> int:
        """Return how many columns lie between two offsets of one line."""
        return len(self._text[start:end].encode(self._codec, "surrogatepass")) // self._width

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset."""
        line = bisect_right(self._starts, offset) - 1
        before = self._text[self._starts[line] : offset]
        if before.isascii():
            return line, len(before)
        return line, len(before.encode(self._codec, "surrogatepass")) // self._width
