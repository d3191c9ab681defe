"""Compiled patterns, and iteration over their matches within a time limit.

RE2 searches ASCII text. `regex` searches any other text, because its tables of Unicode are compiled in; if it does not
find an answer soon, RE2 takes over, with all classes written out. `regex` does alone what RE2 cannot express.
"""

from __future__ import annotations

import functools
import time

from harnlite.formats.patterns.atoms import backtracking_text
from harnlite.formats.patterns.cursor import PatternError
from harnlite.formats.patterns.linear import linear_pattern
from harnlite.formats.patterns.parser import PatternParser
from harnlite.values.errors import runtime_error
from harnlite.values.interrupts import BUILTINS, poll_here, seconds_left
from harnlite.values.limits import beyond, limits_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    import regex

    from harnlite.formats.patterns.atoms import Parts
    from harnlite.formats.patterns.linear import LinearPattern

    class Match(Protocol):
        """What both engines return for a match."""

        def __getitem__(self, group: int, /) -> str | None:
            """Return the text of a group."""

        def start(self) -> int:
            """Return where the match starts."""

        def end(self) -> int:
            """Return where the match ends."""

        def groups(self) -> tuple[str | None, ...]:
            """Return the texts of all groups."""


PATIENCE = 0.1
"""How long `regex` may search before RE2 takes over."""
_LATE = 0.01
_SHOWN = 200


class Pattern:
    """A compiled pattern: the number of groups, the numbers of the named groups, and the engines that it needed."""

    __slots__ = ("_ascii", "_backtracking", "_linear", "groups", "names", "parts", "source")

    def __init__(self, parser: PatternParser) -> None:
        self.source = parser.cursor.pattern
        self.parts = parser.read()
        self.groups = parser.groups
        self.names = parser.names
        self._ascii = None if parser.has_empty_loops else linear_pattern(self.parts, ascii_only=True)
        self._linear: LinearPattern | bool | None = False if self._ascii else None
        self._backtracking: regex.Pattern[str] | None = None
        if self._ascii is None:
            self.backtracking()

    def matches(self, text: str, caller: str) -> Iterator[Match]:
        """Yield the non-overlapping matches; an empty match never directly follows another match."""
        linear = self._ascii
        if linear is None or not text.isascii() or not linear.takes(text):
            return self._backtracking_matches(text, caller)
        return _timed(linear.matches(text), time.monotonic() + limits_here().regex_milliseconds / 1000, caller)

    def found_in(self, text: str, caller: str) -> bool:
        """Return whether there is a match anywhere in the text."""
        return next(self.matches(text, caller), None) is not None

    def backtracking(self) -> regex.Pattern[str]:
        """Return the pattern compiled by `regex`."""
        found = self._backtracking
        if found is None:
            found = self._backtracking = _compile(self.source, self.parts)
        return found

    def linear(self) -> LinearPattern | None:
        """Return the pattern compiled by RE2 for all texts, or None if that is impossible."""
        found = self._linear
        if isinstance(found, bool):
            found = self._linear = linear_pattern(self.parts, ascii_only=False)
        return found

    def _backtracking_matches(self, text: str, caller: str) -> Iterator[Match]:
        seconds = limits_here().regex_milliseconds / 1000
        end, patience = time.monotonic() + seconds, PATIENCE
        search, start, last = self.backtracking().search, 0, -1
        while start <= len(text):
            if BUILTINS["_hintr"]:
                poll_here()
            left = end - time.monotonic()
            slot = min(patience, left)
            try:
                found = search(text, start, timeout=max(min(slot, seconds_left() + _LATE), 0.001))
            except TimeoutError:
                poll_here()
                if end - time.monotonic() <= 0:
                    raise runtime_error(f"{caller}: pattern takes too long") from None
                patience = seconds
                linear = self._linear_for(text)
                if linear is not None:
                    yield from _timed(linear.matches(text, start, last), end, caller)
                    return
                continue
            if found is None:
                return
            first, start = found.span()
            if first == start == last:
                start += 1
                if start > len(text):
                    return
                continue
            last = start
            yield found

    def _linear_for(self, text: str) -> LinearPattern | None:
        if text.isascii():
            return None
        try:
            text.encode()
        except UnicodeEncodeError:
            return None
        linear = self.linear()
        return linear if linear is not None and linear.takes(text) else None


def _timed(matches: Iterator[Match], end: float, caller: str) -> Iterator[Match]:
    for match in matches:
        if BUILTINS["_hintr"]:
            poll_here()
        if time.monotonic() > end:
            raise runtime_error(f"{caller}: pattern takes too long")
        yield match


def _compile(source: str, parts: Parts) -> regex.Pattern[str]:
    import regex

    try:
        return regex.compile(backtracking_text(parts), regex.VERSION1)
    except (regex.error, OverflowError, MemoryError) as error:
        raise PatternError(source, f"the regex engine rejects the pattern: {error}", []) from None


def compile_pattern(pattern: str, flags: str = "") -> Pattern:
    """Compile a pattern; raise PatternError if it is invalid."""
    if len(pattern) > limits_here().regex_length:
        raise PatternError(pattern[:_SHOWN] + "…", beyond("regex_length"), [])
    return _compiled(pattern, flags)


@functools.lru_cache(maxsize=256)
def _compiled(pattern: str, flags: str) -> Pattern:
    return Pattern(PatternParser(pattern, flags))
