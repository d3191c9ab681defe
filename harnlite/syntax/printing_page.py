"""The output of the formatter: lines, the current indent, and the remaining width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.syntax.trivia import blank_follows

if TYPE_CHECKING:
    from harnlite.syntax.printing_documents import Piece
    from harnlite.syntax.tokens import Token
    from harnlite.syntax.trivia import Trivia

STEP = 2


class Page:
    """Collects the output in order; `is_round` is true inside brackets where line ends have no meaning."""

    __slots__ = ("fresh", "has_broken", "indent", "is_round", "line", "lines", "source", "starts", "width")

    def __init__(self, source: str, width: int) -> None:
        self.source = source
        self.width = width
        self.lines: list[str] = []
        self.line = ""
        self.indent = 0
        self.fresh = True
        self.starts = True
        self.is_round = False
        self.has_broken = False
        """Whether something that has a form on one line was too long for it."""

    def text(self) -> str:
        """Return the written text."""
        lines = [*self.lines, self.line.rstrip()]
        return "\n".join(lines).strip("\n") + "\n" if any(lines) else ""

    def write(self, text: str) -> None:
        """Write text on the current line."""
        if self.starts:
            text = text.lstrip(" ")
            self.starts = False
            self.fresh = False
        self.line += text

    def write_lines(self, text: str) -> None:
        """Write a text that has its own line ends and indents."""
        first, *others = text.split("\n")
        self.write(first)
        for line in others:
            self.lines.append(self.line)
            self.line = line
        self.starts = False

    def newline(self, *, blank: bool = False) -> None:
        """Start a new line, with a blank line before it if `blank` is true."""
        if self.fresh:
            return
        self.lines.append(self.line.rstrip())
        if blank:
            self.lines.append("")
        self.line = " " * self.indent
        self.starts = True

    def put(self, piece: Piece, tail: int) -> None:
        """Write a piece on the current line if it and `tail` more characters fit, else on several lines."""
        if piece.__class__ is str:
            self.write(piece)
            return
        flat = piece.flat
        if flat is not None and len(self.line) + len(flat) + tail <= self.width:
            self.write(flat)
        else:
            self.has_broken |= flat is not None
            piece.lay(self, tail)

    def fits(self, length: int) -> bool:
        """Return whether `length` more characters fit on the current line."""
        return len(self.line) + length <= self.width

    def begin(self, piece: Piece, *, blank: bool = False, first: bool = False) -> None:
        """Start the line of a piece, after the comments before the piece."""
        trivia = None if piece.__class__ is str else piece.lead
        if trivia is not None:
            self.remark(trivia, first=first)
            blank = trivia.blank
        self.newline(blank=blank)

    def remark(self, trivia: Trivia, *, first: bool = False) -> None:
        """Write comments, at the end of the current line or on their own lines."""
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
        """Write a line of a comment, including blanks at its start."""
        self.starts = False
        self.line += text

    def interrupt(self, trivia: Trivia | None, step: int) -> None:
        """Write comments in the middle of a line, and continue on a new line with an extra indent."""
        if trivia is None:
            return
        self.indent += step
        self.remark(trivia)
        self.newline()
        self.indent -= step

    def has_blank(self, separator: Token | None) -> bool:
        """Return whether a blank line follows a separator."""
        return separator is not None and blank_follows(self.source, separator.start)
