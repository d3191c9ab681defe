"""Sources, and positions in them."""

from __future__ import annotations

from itertools import accumulate


class Position:
    """A line and a column, both from 1. Columns count code points."""

    __slots__ = ("column", "line")

    def __init__(self, line: int, column: int) -> None:
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class Span:
    """A half-open range of code point offsets into a source."""

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = max(start, end)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Span) and (self.start, self.end) == (other.start, other.end)

    def __hash__(self) -> int:
        return hash((self.start, self.end))

    def __repr__(self) -> str:
        return f"Span({self.start}, {self.end})"


class Source:
    """A text with its display name, and the path of its file if it has one."""

    __slots__ = ("_starts", "name", "path", "text")

    def __init__(self, text: str, name: str = "<input>", path: str | None = None) -> None:
        self.text = text
        self.name = name
        self.path = path
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """Return the offset at which each line begins."""
        if self._starts is None:
            self._starts = [0]
            self._starts += accumulate(len(line) + 1 for line in self.text.split("\n")[:-1])
        return self._starts

    def position(self, offset: int) -> Position:
        """Return the line and column of an offset."""
        starts = self.starts
        low, high = 0, len(starts)
        while high - low > 1:
            middle = (low + high) // 2
            if starts[middle] <= offset:
                low = middle
            else:
                high = middle
        return Position(low + 1, offset - starts[low] + 1)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column (both from 1), clamped to the text."""
        starts = self.starts
        if line > len(starts):
            return len(self.text)
        return min(starts[max(line, 1) - 1] + max(column, 1) - 1, len(self.text))

    def line(self, number: int) -> str:
        """Return a line (from 1) without its line break, or an empty string if it does not exist."""
        starts = self.starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")
