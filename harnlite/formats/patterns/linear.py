"""Patterns on RE2, an engine whose time is linear in the text, and the text of a pattern in its syntax.

RE2 knows Unicode in an older or newer version than `regex` and has other tables of letter case, so the classes are
written out: `regex` says which characters are in them. On ASCII text almost all of them stay as they are.
"""

from __future__ import annotations

import functools

from harnlite.formats.patterns.atoms import ASSERTION, LITERAL, MARK, escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias

    from harnlite.formats.patterns.atoms import Atom, Parts

    Span: TypeAlias = tuple[int, int]

_MAX_MEMORY = 64 * 2**20
_MAX_WORK = 2 * 10**8
_NOTHING = r"[^\x00-\x{10ffff}]"
_BLANKS = (r"\s", r"\t\n\x0b\x0c\r\x20"), (r"\S", r"\x00-\x08\x0e-\x1f\x21-\x7f")
_ASCII_CLASSES = {
    ".": r"[^\n]",
    "(?s:.)": r"[\x00-\x7f]",
    r"\d": "[0-9]",
    r"\D": "[^0-9]",
    r"\w": r"[0-9A-Za-z\x5f]",
    r"\W": r"[^0-9A-Za-z\x5f]",
    r"\s": r"[\t\n\x0b\x0c\r\x20]",
    r"\S": r"[^\t\n\x0b\x0c\r\x20]",
}
_ASSERTIONS = {r"\A": r"\A", r"\Z": r"\z", r"(?a:\b)": r"\b", "(?m:^)": "(?m:^)", "(?m:$)": "(?m:$)"}
_ASCII_ASSERTIONS = {**_ASSERTIONS, r"\b": r"\b", r"\B": r"\B", r"(?a:\B)": r"\B"}


class _InexpressibleError(Exception):
    """A part of a pattern cannot be expressed in the syntax of RE2."""


class Found:
    """A match of RE2, with what the callers need of a match of `regex`; the spans of its groups count characters."""

    __slots__ = ("_spans", "_text")

    def __init__(self, text: str, spans: list[Span]) -> None:
        self._text = text
        self._spans = spans

    def __getitem__(self, group: int) -> str | None:
        first, end = self._spans[group]
        return self._text[first:end] if first >= 0 else None

    def start(self) -> int:
        """Return where the match starts."""
        return self._spans[0][0]

    def end(self) -> int:
        """Return where the match ends."""
        return self._spans[0][1]

    def groups(self) -> tuple[str | None, ...]:
        """Return the texts of all groups."""
        text = self._text
        return tuple([text[first:end] if first >= 0 else None for first, end in self._spans[1:]])


class LinearPattern:
    """A pattern compiled by RE2."""

    __slots__ = ("_anchor", "_most", "_search")

    def __init__(self, compiled: Any, anchor: object) -> None:  # noqa: ANN401 - the package has no types
        # A match object of the package would take twice the time of the search.
        self._search: Callable[[object, bytes, int, int], list[Span]] = compiled._regexp.Match  # noqa: SLF001
        self._anchor = anchor
        self._most: int = _MAX_WORK // max(compiled.programsize, 1)

    def takes(self, text: str) -> bool:
        """Return whether one search of the text surely ends in a few seconds: RE2 itself has no time limit."""
        return len(text) <= self._most

    def matches(self, text: str, start: int = 0, last: int = -1) -> Iterator[Found]:
        """Return the matches from a position on; an empty match never follows another one, which ended at `last`."""
        if text.isascii():
            return self._ascii_matches(text, start, last)
        return self._unicode_matches(text, start, last)

    def _ascii_matches(self, text: str, start: int, last: int) -> Iterator[Found]:
        search, anchor, data, size = self._search, self._anchor, text.encode(), len(text)
        while start <= size:
            spans = search(anchor, data, start, size)
            first, start = spans[0]
            if first < 0:
                return
            if first == start == last:
                start += 1
                continue
            last = start
            yield Found(text, spans)

    def _unicode_matches(self, text: str, start: int, last: int) -> Iterator[Found]:
        data = text.encode()
        place = len(text[:start].encode())
        last = place if last == start else -1
        while place <= len(data):
            spans = self._search(self._anchor, data, place, len(data))
            first, end = spans[0]
            if first < 0:
                return
            start += len(data[place:first].decode())
            if first == end == last:
                start += 1
                place = end + (len(text[start - 1].encode()) if start <= len(text) else 1)
                continue
            yield Found(text, [_in_characters(span, data, first, start) for span in spans])
            start += len(data[first:end].decode())
            place = last = end


def _in_characters(span: Span, data: bytes, place: int, chars: int) -> Span:
    """Return a span of bytes as one of characters, given the number of characters before a place at or before it."""
    first, end = span
    if first < 0:
        return span
    start = chars + len(data[place:first].decode())
    return start, start + len(data[first:end].decode())


def linear_pattern(parts: Parts, *, ascii_only: bool) -> LinearPattern | None:
    """Compile a pattern for texts of ASCII or for all texts; return None without RE2 or if RE2 cannot express it."""
    try:
        import re2
    except ImportError:
        return None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_MEMORY
    try:
        compiled = re2.compile(_text(parts, ascii_only=ascii_only).encode(), options)
    except (_InexpressibleError, UnicodeEncodeError, re2.error):
        return None
    return LinearPattern(compiled, re2._Anchor.UNANCHORED)  # noqa: SLF001


def word_search(words: Iterable[str]) -> Callable[..., Any] | None:
    """Return a function that searches UTF-8, from an offset on, for words in any case; return None without RE2."""
    try:
        import re2
    except ImportError:
        return None
    found: Callable[..., Any] = re2.compile(b"(?i)" + b"|".join([re2.escape(word.encode()) for word in words])).search
    return found


def _text(parts: Parts, *, ascii_only: bool) -> str:
    write = _ascii_atom if ascii_only else _atom
    return "".join([part if isinstance(part, str) else write(part) for part in parts])


def _ascii_atom(atom: Atom) -> str:
    text, kind = atom.text, atom.kind
    if kind == MARK:
        return ""
    if kind == ASSERTION:
        return _assertion(text, _ASCII_ASSERTIONS)
    if kind == LITERAL:
        if not atom.folded or (text.isascii() and not text.isalpha()):
            return escaped(text)
        return f"[{text.lower()}{text.upper()}]" if text.isascii() else _members(f"(?i-f:{text})", ascii_only=True)
    known = _ASCII_CLASSES.get(text)
    if known is not None:
        return known
    if "[" in text[1:] or not text.isascii() or r"\p" in text or r"\P" in text:
        return _members(f"(?i-f:{text})" if atom.folded else text, ascii_only=True)
    for name, items in _BLANKS:
        text = text.replace(name, items)
    return f"(?i:{text})" if atom.folded else text


def _atom(atom: Atom) -> str:
    if atom.kind == MARK:
        return ""
    if atom.kind == ASSERTION:
        return _assertion(atom.text, _ASSERTIONS)
    text = escaped(atom.text) if atom.kind == LITERAL else atom.text
    if atom.folded:
        return _members(f"(?i-f:{text})", ascii_only=False)
    return text if atom.kind == LITERAL else _members(text, ascii_only=False)


def _assertion(text: str, known: dict[str, str]) -> str:
    found = known.get(text)
    if found is None:
        raise _InexpressibleError
    return found


@functools.lru_cache(maxsize=256)
def _members(text: str, *, ascii_only: bool) -> str:
    """Return the class of the characters that a class of `regex` contains."""
    import regex

    chars = _characters(ascii_only=ascii_only)
    runs = regex.compile(f"(?:{text})++", regex.VERSION1).finditer(chars)
    items = [f"\\x{{{ord(chars[run.start()]):x}}}-\\x{{{ord(chars[run.end() - 1]):x}}}" for run in runs]
    return f"[{''.join(items)}]" if items else _NOTHING


@functools.cache
def _characters(*, ascii_only: bool) -> str:
    """Return all characters; they take 4 MB, which only slow patterns on other text than ASCII need."""
    return "".join(map(chr, range(128) if ascii_only else (*range(0xD800), *range(0xE000, 0x110000))))
