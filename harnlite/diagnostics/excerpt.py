"""Lines of a source for the terminal: tabs are expanded, control characters made visible, long lines cut."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.diagnostics.source import Source, Span

TAB = 4
LINE_CELLS = 140
_CUT = "…"
_DELETE, _SPACE, _CONTROL_PICTURES, _DELETE_PICTURE = 0x7F, 0x20, 0x2400, "\u2421"
_UNSAFE = frozenset(
    chr(code)
    for first, last in (
        (0x80, 0x9F),
        (0x61C, 0x61C),
        (0x200B, 0x200F),
        (0x2028, 0x202E),
        (0x2066, 0x2069),
    )
    for code in range(first, last + 1)
) | {"\ufeff"}
_SURROGATES = range(0xD800, 0xE000)


class Mark:
    """The part of one line that a span covers: columns from 0, in code points of that line."""

    __slots__ = ("end", "line", "start")

    def __init__(self, line: int, start: int, end: int) -> None:
        self.line = line
        self.start = start
        self.end = end


def mark(source: Source, span: Span) -> Mark:
    """Return the part of the first line that a span covers. The span may exceed the text."""
    size = len(source.text)
    begin = min(max(span.start, 0), size)
    place = source.position(begin)
    start = min(place.column - 1, len(source.line(place.line)))
    room = len(source.line(place.line)) - start
    return Mark(place.line, start, start + max(min(span.end - begin, room), 1))


def without_controls(text: str, kept: str = "") -> str:
    """Return a text that a terminal or a log shows as it is: control and bidi characters escaped, except some.

    Messages and file names come from scripts, and may try to move the cursor or to begin a line of their own.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in kept else f"\\u{{{ord(char):x}}}" for char in text)


def visible(text: str) -> list[str]:
    """Return the printable text for each code point of a line. Tabs are expanded to their stops."""
    if text.isascii() and text.isprintable():
        return list(text)
    shown: list[str] = []
    column = 0
    for char in text:
        piece = " " * (TAB - column % TAB) if char == "\t" else _safe(char)
        column += len(piece)
        shown.append(piece)
    return shown


def _safe(char: str) -> str:
    code = ord(char)
    if code < _SPACE:
        return chr(_CONTROL_PICTURES + code)
    if code == _DELETE:
        return _DELETE_PICTURE
    return "\ufffd" if char in _UNSAFE or code in _SURROGATES else char


def cells(text: str) -> int:
    """Return the width of a text in terminal cells."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


class Excerpt:
    """One line, cut to a maximum width around a column."""

    __slots__ = ("_before", "_first", "_last", "_shown")

    def __init__(self, text: str, focus: int) -> None:
        shown = visible(text)
        self._first, self._last = _window(shown, focus)
        self._shown = shown
        self._before = _CUT if self._first else ""

    @property
    def text(self) -> str:
        """Return the printable line."""
        after = _CUT if self._last < len(self._shown) else ""
        return self._before + "".join(self._shown[self._first : self._last]) + after

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return the number of cells before the columns `start` to `end`, and their width in cells (at least 1)."""
        first = min(max(start, self._first), self._last)
        last = min(max(end, first), self._last)
        before = cells(self._before + "".join(self._shown[self._first : first]))
        through = cells(self._before + "".join(self._shown[self._first : last]))
        return before, max(through - before, 1)


def _window(shown: list[str], focus: int) -> tuple[int, int]:
    if len(shown) <= LINE_CELLS and cells("".join(shown)) <= LINE_CELLS:
        return 0, len(shown)
    focus = min(focus, len(shown))
    first = last = focus
    room = LINE_CELLS // 3
    while first and room > 0:
        first -= 1
        room -= cells(shown[first])
    room = LINE_CELLS - cells("".join(shown[first:last]))
    while last < len(shown) and room > 0:
        room -= cells(shown[last])
        last += 1
    return first, last
