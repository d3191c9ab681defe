"""Glob patterns for names: `*` matches any text, `?` matches one character."""

from __future__ import annotations

from harnlite.values.interrupts import BUILTINS, poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def fits(pattern: str, name: str) -> bool:
    """Return whether a pattern matches a whole name."""
    if pattern in {"*", name}:
        return True
    if "?" not in pattern:
        star = pattern.find("*")
        if star < 0:
            return False
        if star == len(pattern) - 1:
            return name.startswith(pattern[:star])
    return _matches_with_backtracking(pattern, name)


def _matches_with_backtracking(pattern: str, name: str) -> bool:
    """Compare character by character; after a mismatch, let the last `*` match one more character."""
    at = place = 0
    star, resume = -1, 0
    while place < len(name):
        if BUILTINS["_hintr"]:
            poll_here()
        char = pattern[at] if at < len(pattern) else ""
        if char == "*":
            star, resume = at, place
            at += 1
        elif char in {"?", name[place]}:
            at += 1
            place += 1
        elif star >= 0:
            resume += 1
            at, place = star + 1, resume
        else:
            return False
    return all(char == "*" for char in pattern[at:])


def first_fit(patterns: Iterable[str], name: str) -> str | None:
    """Return the first pattern that matches a name, or None."""
    for pattern in patterns:
        if fits(pattern, name):
            return pattern
    return None
