"""Compiled patterns, and iteration over their matches within a time limit."""

from __future__ import annotations

import functools
import time

import regex

from harnlite.formats.patterns.cursor import PatternError
from harnlite.formats.patterns.parser import PatternParser
from harnlite.values.errors import runtime_error
from harnlite.values.interrupts import BUILTINS, poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 5.0


class Pattern:
    """A compiled pattern: the engine's pattern, the number of groups, and the numbers of the named groups."""

    __slots__ = ("compiled", "groups", "names")

    def __init__(self, compiled: regex.Pattern[str], groups: int, names: dict[str, int]) -> None:
        self.compiled = compiled
        self.groups = groups
        self.names = names

    def matches(self, text: str, caller: str) -> Iterator[regex.Match[str]]:
        """Yield the non-overlapping matches; an empty match never directly follows another match."""
        end = time.monotonic() + SECONDS
        search, start, last = self.compiled.search, 0, -1
        while start <= len(text):
            if BUILTINS["_hintr"]:
                poll_here()
            try:
                found = search(text, start, timeout=max(end - time.monotonic(), 0.001))
            except TimeoutError:
                raise runtime_error(f"{caller}: pattern takes too long") from None
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

    def found_in(self, text: str, caller: str) -> bool:
        """Return whether there is a match anywhere in the text."""
        return next(self.matches(text, caller), None) is not None


@functools.lru_cache(maxsize=256)
def compile_pattern(pattern: str, flags: str = "") -> Pattern:
    """Compile a pattern; raise PatternError if it is invalid."""
    parser = PatternParser(pattern, flags)
    text = parser.read()
    try:
        compiled = regex.compile(text, regex.VERSION1)
    except (regex.error, OverflowError, MemoryError) as error:
        raise PatternError(pattern, f"the regex engine rejects the pattern: {error}", []) from None
    return Pattern(compiled, parser.groups, parser.names)
