"""Conversion between offsets and editor positions: lines from 0, columns in UTF-16 units or the negotiated unit."""

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
    """A converter of positions in one text; `units` is the unit of a column: utf-8, utf-16 or utf-32."""

    __slots__ = ("_codec", "_starts", "_text", "_width")

    def __init__(self, text: str, units: str = "utf-16") -> None:
        self._text = text
        self._codec, self._width = _CODECS[units]
        starts = accumulate(len(line) + 1 for line in text.split("\n")[:-1])
        self._starts: list[int] = [0, *((found.end() for found in _ENDS.finditer(text)) if "\r" in text else starts)]

    @property
    def starts(self) -> Sequence[int]:
        """Return the offsets at which the lines start."""
        return self._starts

    @property
    def lines(self) -> int:
        """Return the number of lines; a line break at the end of the text starts another line."""
        return len(self._starts)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position; a position beyond the end of a line or of the text is moved to that end."""
        if line >= len(self._starts):
            return len(self._text)
        start, end = self._starts[line], self.line_end(line)
        row = self._text[start:end]
        if row.isascii():
            return start + min(column, len(row))
        before = row.encode(self._codec, "surrogatepass")[: column * self._width]
        return start + len(before.decode(self._codec, "ignore"))

    def line_end(self, line: int) -> int:
        """Return the offset of the end of a line, without its line break."""
        if line + 1 >= len(self._starts):
            return len(self._text)
        end = self._starts[line + 1]
        return end - (2 if self._text.endswith("\r\n", self._starts[line], end) else 1)

    def width(self, start: int, end: int) -> int:
        """Return the number of columns between two offsets on one line."""
        return len(self._text[start:end].encode(self._codec, "surrogatepass")) // self._width

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset."""
        line = bisect_right(self._starts, offset) - 1
        before = self._text[self._starts[line] : offset]
        if before.isascii():
            return line, len(before)
        return line, len(before.encode(self._codec, "surrogatepass")) // self._width
