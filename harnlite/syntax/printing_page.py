"""The page that a formatted text is written on: lines, the indent, and how much room is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.syntax.trivia import blank_follows

if TYPE_CHECKING:
    from harnlite.syntax.printing_documents import Piece
    from harnlite.syntax.tokens import Token
    from harnlite.syntax.trivia import Trivia

STEP = 2


class Page:
    """Takes pieces in the order of the text; `is_round` says whether line ends mean nothing here."""

    __slots__ = ("fresh", "indent", "is_round", "line", "lines", "source", "starts", "width")

    def __init__(self, source: str, width: int) -> None:
        self.source = source
        self.width = width
        self.lines: list[str] = []
        self.line = ""
        self.indent = 0
        self.fresh = True
        self.starts = True
        self.is_round = False

    def text(self) -> str:
        """Return all that was written."""
        lines = [*self.lines, self.line.rstrip()]
        return "\n".join(lines).strip("\n") + "\n" if any(lines) else ""

    def write(self, text: str) -> None:
        """Write words on the line."""
        if self.starts:
            text = text.lstrip(" ")
            self.starts = False
            self.fresh = False
        self.line += text

    def write_lines(self, text: str) -> None:
        """Write a text that brings its own line ends and indents."""
        first, *others = text.split("\n")
        self.write(first)
        for line in others:
            self.lines.append(self.line)
            self.line = line
        self.starts = False

    def newline(self, *, blank: bool = False) -> None:
        """Begin a line, maybe with a blank one before it."""
        if self.fresh:
            return
        self.lines.append(self.line.rstrip())
        if blank:
            self.lines.append("")
        self.line = " " * self.indent
        self.starts = True

    def put(self, piece: Piece, tail: int) -> None:
        """Write a piece on the line if there is room for it and so many characters more, else on several lines."""
        if piece.__class__ is str:
            self.write(piece)
            return
        flat = piece.flat
        if flat is not None and len(self.line) + len(flat) + tail <= self.width:
            self.write(flat)
        else:
            piece.lay(self, tail)

    def fits(self, length: int) -> bool:
        """Say whether there is room for so many characters."""
        return len(self.line) + length <= self.width

    def begin(self, piece: Piece, *, blank: bool = False, first: bool = False) -> None:
        """Begin the line of a piece, behind the comments in front of it."""
        trivia = None if piece.__class__ is str else piece.lead
        if trivia is not None:
            self.remark(trivia, first=first)
            blank = trivia.blank
        self.newline(blank=blank)

    def remark(self, trivia: Trivia, *, first: bool = False) -> None:
        """Write comments: behind what is there, or on lines of their own."""
        trivia.used = True
        ends_line = False
        for comment in trivia.comments:
            if comment.trails and not ends_line:
                self.line = f"{self.line.rstrip()} " if self.line.strip() else self.line
            else:
                self.newline(blank=comment.blank and not first)
            first = False
            ends_line = True
            lines = comment.lines()
            self.write(lines[0])
            for line in lines[1:]:
                self.newline()
                self.write_after_indent(line)

    def write_after_indent(self, text: str) -> None:
        """Write a line of a comment, blanks at its start included."""
        self.starts = False
        self.line += text

    def interrupt(self, trivia: Trivia | None, step: int) -> None:
        """Write comments where no line had to end, and go on behind them, deeper by a step."""
        if trivia is None:
            return
        self.indent += step
        self.remark(trivia)
        self.newline()
        self.indent -= step

    def has_blank(self, separator: Token | None) -> bool:
        """Say whether a blank line follows a separator."""
        return separator is not None and blank_follows(self.source, separator.start)
