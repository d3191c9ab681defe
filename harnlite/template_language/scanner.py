"""Split a template into its texts and directives."""

from __future__ import annotations

from harnlite.template_language.errors import TemplateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnlite.template_language.errors import Place

_OPEN, _CLOSE, _COMMENT_CLOSE = "{{", "}}", "#}}"
_RAW, _END_RAW = "raw", "endraw"
_BLANKS = " \t"


class Piece:
    """A part of a template: text to copy, or the inside of a directive and the offset where that begins."""

    __slots__ = ("is_text", "offset", "place", "text")

    def __init__(self, text: str, offset: int, place: Place, *, is_text: bool) -> None:
        self.text = text
        self.offset = offset
        self.place = place
        self.is_text = is_text


class _Directive:
    """The bounds of a directive: `start` to `end` with the braces, and those of what is inside them."""

    __slots__ = ("end", "first", "last", "start", "trims_after", "trims_before")

    def __init__(self, text: str, start: int, end: int) -> None:
        self.start = start
        self.end = end
        first, last = start + len(_OPEN), end - len(_CLOSE)
        self.trims_before = text.startswith("-", first)
        first += self.trims_before
        self.trims_after = last > first and text[last - 1] == "-"
        last -= self.trims_after
        while first < last and text[first].isspace():
            first += 1
        while first < last and text[last - 1].isspace():
            last -= 1
        self.first = first
        self.last = last


class Scanner:
    """Reads a template from its start to its end. The callback is called at each directive; it may raise."""

    __slots__ = ("_line", "_line_start", "_poll", "_seen", "_text")

    def __init__(self, text: str, poll: Callable[[], object]) -> None:
        self._text = text
        self._poll = poll
        self._line = 1
        self._line_start = self._seen = 0

    def pieces(self) -> Iterator[Piece]:
        """Yield the parts of the template, with the trim marks applied and without comments and empty texts."""
        text = self._text
        at, is_trimmed = 0, False
        while True:
            self._poll()
            start = text.find(_OPEN, at)
            if start < 0:
                yield from self._copied(at, len(text), trims_start=is_trimmed)
                return
            if text.startswith(("#", "-#"), start + len(_OPEN)):
                trims = text[start + len(_OPEN)] == "-"
                yield from self._copied(at, start, trims_start=is_trimmed, trims_end=trims)
                at, is_trimmed = self._end_of_comment(start), False
                continue
            end = _end_of(text, start + len(_OPEN))
            if end < 0:
                raise TemplateError(self._place_of(start), "unterminated directive")
            found = _Directive(text, start, end)
            yield from self._copied(at, start, trims_start=is_trimmed, trims_end=found.trims_before)
            at, is_trimmed = end, found.trims_after
            inside = text[found.first : found.last]
            if inside == _RAW:
                close = self._end_of_raw(found)
                yield from self._copied(end, close.start, trims_start=is_trimmed, trims_end=close.trims_before)
                at, is_trimmed = close.end, close.trims_after
            else:
                yield Piece(inside, found.first, self._place_of(start), is_text=False)

    def _copied(self, start: int, end: int, *, trims_start: bool, trims_end: bool = False) -> Iterator[Piece]:
        """Yield a text unless it is empty."""
        text = self._text
        if trims_start:
            while start < end and text[start] in _BLANKS:
                start += 1
            if text.startswith("\r\n", start, end):
                start += 2
            elif text.startswith("\n", start, end):
                start += 1
        if trims_end:
            while end > start and text[end - 1] in _BLANKS:
                end -= 1
            if text.endswith("\r\n", start, end):
                end -= 2
            elif text.endswith("\n", start, end):
                end -= 1
        if start < end:
            yield Piece(text[start:end], start, self._place_of(start), is_text=True)

    def _place_of(self, offset: int) -> Place:
        """Return the line and the column of an offset, which is not before the last one."""
        text = self._text
        breaks = text.count("\n", self._seen, offset)
        if breaks:
            self._line += breaks
            self._line_start = text.rfind("\n", self._seen, offset) + 1
        self._seen = offset
        return self._line, offset - self._line_start + 1

    def _end_of_comment(self, start: int) -> int:
        found = self._text.find(_COMMENT_CLOSE, self._text.index("#", start) + 1)
        if found < 0:
            raise TemplateError(self._place_of(start), "unterminated comment")
        return found + len(_COMMENT_CLOSE)

    def _end_of_raw(self, opening: _Directive) -> _Directive:
        """Return the `{{ endraw }}` after a `{{ raw }}`."""
        text, at = self._text, opening.end
        while True:
            self._poll()
            word = text.find(_END_RAW, at)
            if word < 0:
                raise TemplateError(self._place_of(opening.start), "unterminated `{{ raw }}` block")
            at = end = word + len(_END_RAW)
            start = word
            while start > opening.end and text[start - 1].isspace():
                start -= 1
            start -= text[start - 1] == "-"
            start -= len(_OPEN)
            while end < len(text) and text[end].isspace():
                end += 1
            end += text.startswith("-", end)
            if start >= opening.end and text.startswith(_OPEN, start) and text.startswith(_CLOSE, end):
                return _Directive(text, start, end + len(_CLOSE))


def _end_of(text: str, at: int) -> int:
    """Return where a directive ends, after its braces, or -1; braces inside quotes do not end it."""
    close = -1
    marks = dict.fromkeys("\"'", at)
    while True:
        if close < at:
            close = text.find(_CLOSE, at)
            if close < 0:
                return -1
        first = close
        for quote, seen in marks.items():
            if not text.startswith(quote, seen) or seen < at:
                # What was searched before is not searched again after every string.
                found = text.find(quote, max(seen, at), close)
                marks[quote] = found if found >= 0 else max(close, seen)
            first = min(first, marks[quote])
        if first == close:
            return close + len(_CLOSE)
        at = _end_of_string(text, first)
        if at < 0:
            return -1


def _end_of_string(text: str, start: int) -> int:
    """Return where a quoted string ends, after its closing quote, or -1."""
    quote, at = text[start], start + 1
    end = text.find(quote, at)
    while end >= 0:
        escape = text.find("\\", at, end)
        if escape < 0:
            return end + 1
        at = escape + 2
        if end < at:
            end = text.find(quote, at)
    return -1
