"""A cursor over the text of a pattern, and errors that point to positions in it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Span: TypeAlias = tuple[int, int]

_DIVIDER = "~" * 79


class PatternError(Exception):
    """The error for an invalid pattern; `reason` is the short text, and str() also marks the spans in the pattern."""

    def __init__(self, pattern: str, reason: str, spans: list[Span]) -> None:
        super().__init__(_report(pattern, reason, spans))
        self.reason = reason


class Cursor:
    """A position in a pattern; `loose` (the flag x) means that blanks and comments are ignored."""

    __slots__ = ("loose", "pattern", "pos")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.pos = 0
        self.loose = False

    @property
    def char(self) -> str:
        """Return the current character, or an empty string at the end."""
        return self.pattern[self.pos : self.pos + 1]

    def bump(self) -> bool:
        """Advance by one character; return whether there is another."""
        self.pos = min(self.pos + 1, len(self.pattern))
        return self.pos < len(self.pattern)

    def bump_over(self, text: str) -> bool:
        """Skip a text if it is next; return whether it was."""
        found = self.pattern.startswith(text, self.pos)
        if found:
            self.pos += len(text)
        return found

    def skip_blanks(self) -> None:
        """Skip blanks and comments if the flag x is set."""
        while self.loose and self.char:
            if self.char.isspace():
                self.pos += 1
            elif self.char == "#":
                end = self.pattern.find("\n", self.pos)
                self.pos = len(self.pattern) if end < 0 else end + 1
            else:
                return

    def bump_and_skip(self) -> bool:
        """Advance by one character and skip blanks; return whether there is another character."""
        self.bump()
        self.skip_blanks()
        return self.pos < len(self.pattern)

    def peek(self) -> str:
        """Return the character after the current one."""
        return self.pattern[self.pos + 1 : self.pos + 2]

    def peek_past_blanks(self) -> str:
        """Return the next significant character after the current one."""
        here = self.pos
        self.bump_and_skip()
        found = self.char
        self.pos = here
        return found

    def error(self, reason: str, start: int, end: int | None = None, other: Span | None = None) -> PatternError:
        """Return the error for a span of the pattern (by default up to the cursor), and for a second span if given."""
        spans = [(start, self.pos if end is None else end)]
        return PatternError(self.pattern, reason, spans if other is None else sorted([*spans, other]))

    def error_here(self, reason: str, width: int = 1) -> PatternError:
        """Return the error for the current character, or for the position itself if the width is 0."""
        return self.error(reason, self.pos, self.pos + width)


def _report(pattern: str, reason: str, spans: list[Span]) -> str:
    if not spans:
        return reason
    if "\n" not in pattern:
        return f"regex parse error:\n    {pattern}\n    {_carets(0, spans)}\nerror: {reason}"
    lines = pattern.split("\n")
    width = len(str(len(lines)))
    if not lines[-1]:
        lines.pop()
    shown, offset, notes = [], 0, []
    starts = []
    for number, line in enumerate(lines, 1):
        starts.append(offset)
        shown.append(f"{number:>{width}}: {line.removesuffix(chr(13))}")
        here = [span for span in spans if offset <= span[0] <= offset + len(line) and span[1] <= offset + len(line) + 1]
        if here:
            shown.append(" " * (width + 2) + _carets(offset, here))
        offset += len(line) + 1
    for start, end in spans:
        first, last = _place(starts, start), _place(starts, end)
        if first[0] != last[0] and "\n" in pattern[start : end - 1]:
            notes.append(f"on line {first[0]} (column {first[1]}) through line {last[0]} (column {last[1] - 1})")
    body = "".join(f"{line}\n" for line in [_DIVIDER, *shown, _DIVIDER, *notes])
    return f"regex parse error:\n{body}error: {reason}"


def _place(starts: list[int], offset: int) -> Span:
    line = max(i for i, start in enumerate(starts) if start <= offset)
    return line + 1, offset - starts[line] + 1


def _carets(offset: int, spans: list[Span]) -> str:
    row = ""
    for start, end in spans:
        row = row.ljust(start - offset) + "^" * max(1, end - start)
    return row
