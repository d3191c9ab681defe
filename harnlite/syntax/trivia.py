"""Comments and blank lines, which the grammar does not contain, attached to the tokens that they belong to."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from harnlite.syntax.tokens import CONTINUES_LINE, ENDS_OPERAND, NEEDS_OPERAND, kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.syntax.tokens import Token

_BOUND_LEFT = kinds("COMMA SEMI COLON RPAR RSQB RB GTG TRYQ DOT OPTDOT ASSIGN ASSIGN_OP ARROW LTG QMARK OPTB END")
"""A comment in the middle of a line before one of these belongs to the token before the comment."""

_PASSED = kinds("COMMA SEMI ASSIGN ASSIGN_OP ARROW LTG TRYQ OPTB")
"""A comment at the end of a line before one of these moves after it."""

_SEPARATORS = kinds("COMMA SEMI")
_DOTS = kinds("DOT OPTDOT")
_OPENS_PLACE = NEEDS_OPERAND - {"QMARK"}
"""The kinds after which a statement always continues across a line end."""

_ROUND = kinds("LPAR LSQB LTG")
_LINE_END = re.compile(r"(?<!\\)(?<!\\\r)\n")
"""A line end that is not escaped with a backslash."""

_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_AFTER_SEPARATOR = re.compile(r"[ \t\r;,]*\n[ \t\r]*\n")
_REST_OF_LINE = re.compile(r"[ \t\r]*(?:/\*(?:(?!\*/)[^\n])*\*/[ \t\r]*)*(?://[^\n]*)?\n")
_MARGIN_AND_COMMENTS = re.compile(r"[ \t]*(?:/\*(?:(?!\*/)[^\n])*\*/[ \t]*)*")
_MARGIN = re.compile(r"[ \t]*")


class Comment:
    """A comment that ends its line.

    `trails` is true if there is code before it on its line; `blank` is true if there is a blank line above it.
    """

    __slots__ = ("blank", "column", "text", "trails")

    def __init__(self, text: str, column: int, *, trails: bool, blank: bool) -> None:
        self.text = text
        self.column = column
        self.trails = trails
        self.blank = blank

    def lines(self) -> list[str]:
        """Return the lines of the comment; the lines after the first keep their indent relative to the first."""
        if self.text.startswith("//"):
            return [self.text.rstrip()]
        first, *others = self.text.split("\n")
        return [first.rstrip(), *(self._line(line) for line in others)]

    def _line(self, line: str) -> str:
        text = line.strip()
        if text.startswith("*"):
            return f" {text}"
        found = _MARGIN.match(line)
        margin = found.end() if found is not None else 0
        return line[min(margin, self.column) :].rstrip()


class Trivia:
    """The comments before a token, and whether there is a blank line between them and the token."""

    __slots__ = ("blank", "comments", "used")

    def __init__(self) -> None:
        self.comments: list[Comment] = []
        self.blank = False
        self.used = False


def blank_follows(text: str, offset: int) -> bool:
    """Return whether a blank line follows a separator."""
    return _AFTER_SEPARATOR.match(text, offset) is not None


def opens_line(text: str, end: int) -> bool:
    """Return whether the rest of a line contains only comments."""
    character = text[end]
    return character == "\n" or (character in " \t\r/" and _REST_OF_LINE.match(text, end) is not None)


def begins_line(text: str, start: int) -> bool:
    """Return whether the line before an offset contains only short comments."""
    if start and text[start - 1] not in " \t\n/":
        return False
    return _MARGIN_AND_COMMENTS.fullmatch(text, text.rfind("\n", 0, start) + 1, start) is not None


class Gatherer:
    """Attaches the comments of a text to tokens; short comments inside a line become part of the text of a token."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self.tokens = [token for token in tokens if token.kind != "NL"]
        self.begun = {after.start for token, after in pairwise(tokens) if token.kind == "NL"}
        self.starts = [token.start for token in self.tokens]
        self.found: dict[int, Trivia] = {}

    def gather(self, comments: Sequence[tuple[int, int]]) -> dict[int, Trivia]:
        """Return the trivia by the offset of the token after them."""
        at = 0
        while at < len(comments):
            behind = bisect_right(self.starts, comments[at][0])
            before = self.tokens[behind - 1] if behind else None
            if before is not None and before.kind == "TEMPLATE" and comments[at][0] < before.end:
                at += 1  # a part of its text
                continue
            stop = at + 1
            while stop < len(comments) and comments[stop][0] < self.starts[behind]:
                stop += 1
            self._place(comments[at:stop], before, behind)
            at = stop
        return self.found

    def _place(self, comments: Sequence[tuple[int, int]], before: Token | None, behind: int) -> None:
        """Attach the comments between two tokens, in order."""
        following = self.tokens[behind]
        last = before.end if before is not None else 0
        has_line = before is None or following.kind == "END" or self._has_line(last, following.start, comments)
        begins_line = before is None
        place = self.found.get(following.start)
        noted = False
        leading = self._leading(before, comments)
        short: list[str] = []
        for index, (start, end) in enumerate(comments):
            text = self.text[start:end]
            gap = self.text[last:start]
            begins_line = begins_line or _LINE_END.search(gap) is not None
            if "\n" in text and not has_line:
                text = " ".join(text.split())
            last = end
            if index >= leading and not text.startswith("//") and "\n" not in text:
                ends_line = following.kind == "END" or (has_line and "\n" in self.text[end : following.start])
                if place is None and self._goes_left(behind, begins_line=begins_line, ends_line=ends_line):
                    self._append(text, behind - 1)
                    continue
                if not ends_line and following.kind not in _BOUND_LEFT:
                    short.append(text)
                    continue
            place = place or self._trivia(behind)
            blank = _BLANK_LINE.search(gap) is not None
            self._note(place, text, start, trails=not begins_line, blank=blank, joins=noted and "\n" not in gap)
            noted = True
            stop = comments[index + 1][0] if index + 1 < len(comments) else following.start
            place.blank = _BLANK_LINE.search(self.text, end, stop) is not None
        following.text = " ".join([*short, following.text])

    def _leading(self, before: Token | None, comments: Sequence[tuple[int, int]]) -> int:
        """Return how many comments after a token move before it: those after a dot, up to the last with a line end."""
        if before is None or before.kind not in _DOTS:
            return 0
        for index in range(len(comments) - 1, -1, -1):
            start, end = comments[index]
            if self.text.startswith("//", start) or "\n" in self.text[start:end]:
                return index
        return 0

    def _goes_left(self, behind: int, *, begins_line: bool, ends_line: bool) -> bool:
        """Return whether a short comment is attached to the token before it."""
        following, before = self.tokens[behind].kind, self.tokens[behind - 1].kind
        if behind == 0 or following == "END":
            return False
        if following in _ROUND and before in ENDS_OPERAND and self.starts[behind] not in self.begun:
            return True
        if begins_line:
            return following in _PASSED or following == "COLON"
        return following in _BOUND_LEFT or (ends_line and before not in _ROUND)

    def _note(self, place: Trivia, text: str, start: int, *, trails: bool, blank: bool, joins: bool) -> None:
        """Add a comment to trivia; a comment directly after a short one stays on the same line."""
        others = place.comments
        if others and joins and "\n" not in others[-1].text + text:
            others[-1].text = f"{others[-1].text} {text}"
            return
        column = start - self.text.rfind("\n", 0, start) - 1
        trails = trails and all(other.trails for other in others)
        others.append(Comment(text, column, trails=trails, blank=blank))

    def _has_line(self, start: int, end: int, comments: Sequence[tuple[int, int]]) -> bool:
        """Return whether a line ends between two tokens, outside comments."""
        for comment_start, comment_end in comments:
            if _LINE_END.search(self.text, start, comment_start) is not None:
                return True
            start = comment_end
        return _LINE_END.search(self.text, start, end) is not None

    def _append(self, text: str, index: int) -> None:
        """Append a comment to the text of the token before it, skipping separators."""
        while index > 0 and self.tokens[index].kind in _SEPARATORS:
            index -= 1
        before = self.tokens[index]
        space = "" if before.kind in _ROUND and not before.text.endswith("*/") else " "
        before.text = f"{before.text}{space}{text}"

    def _trivia(self, behind: int) -> Trivia:
        if behind and self.tokens[behind - 1].kind in _DOTS:
            behind -= 1
        elif self.tokens[behind].kind in _PASSED:
            behind = self._next_place(behind)
        return self.found.setdefault(self.starts[behind], Trivia())

    def _next_place(self, behind: int) -> int:
        """Return the index of the next token before which a line end does not end a statement."""
        tokens = self.tokens
        while behind + 1 < len(tokens):
            behind += 1
            if tokens[behind].kind in _PASSED:
                continue
            if tokens[behind - 1].kind in _OPENS_PLACE or tokens[behind].kind in CONTINUES_LINE:
                break
        return behind

    def move_on(self, start: int) -> None:
        """Move trivia that cannot be written before a token to the next possible token."""
        trivia = self.found.pop(start)
        behind = self._next_place(self.starts.index(start))
        target = self.found.get(self.starts[behind])
        if target is None:
            self.found[self.starts[behind]] = trivia
        else:
            target.comments[:0] = trivia.comments
