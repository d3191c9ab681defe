"""The positions of Python nodes in the source."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harnlite.compiler.python_shapes import At
    from harnlite.diagnostics.source import Source
    from harnlite.syntax import nodes


class Where:
    """Converts offsets to Python's positions: lines start at 1, and columns are UTF-8 bytes."""

    __slots__ = ("_line", "ascii", "starts", "text")

    def __init__(self, source: Source) -> None:
        self.text = source.text
        self.starts = [*source.starts, len(source.text) + 1]
        self.ascii = source.text.isascii()
        self._line = (0, self.starts[1], 1)

    def _seek(self, offset: int) -> tuple[int, int, int]:
        """Return the start and the end of the line of an offset, and its number; it becomes the current line."""
        starts = self.starts
        line = bisect_right(starts, offset, 0, len(starts) - 1)
        self._line = found = (starts[line - 1], starts[line], line)
        return found

    def arguments(self, node: nodes.Node) -> At:
        """Return the position arguments for the Python node that is generated for a syntax node."""
        start, end = node.start, node.end
        begin, stop, line = self._line
        if not begin <= start < stop:
            begin, stop, line = self._seek(start)
        if end < stop and self.ascii:
            return line, start - begin, line, end - begin
        last = line if end < stop else min(bisect_right(self.starts, end), len(self.starts) - 1)
        last_begin = self.starts[last - 1]
        column, last_column = start - begin, end - last_begin
        if not self.ascii:
            column = len(self.text[begin:start].encode("utf-8", "replace"))
            last_column = len(self.text[last_begin:end].encode("utf-8", "replace"))
        return line, column, last, last_column
