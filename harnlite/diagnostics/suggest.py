"""Suggestions for misspelled names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SHORTEST, _SHORT, _MIDDLE = 2, 2, 5


def distance(left: str, right: str, limit: int) -> int:
    """Return the edit distance of two names, or `limit + 1` if it exceeds the limit.

    An edit inserts, removes or replaces a character, or swaps two neighbours.
    """
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            steps = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and b == left[i - 2]:
                steps = min(steps, older[j - 2] + 1)
            row.append(steps)
        if min(row) > limit and min(before) > limit:
            return limit + 1
    return min(row[-1], limit + 1)


def near_name(name: str, candidates: Iterable[str], limit: int | None = None) -> str | None:
    """Return the candidate nearest to a name, or None if none is near enough.

    The default limit depends on the length of the name: 1 for two characters, 2 for up to five, 3 for more. A name of
    one character has no suggestions.
    """
    if limit is None:
        if len(name) < _SHORTEST:
            return None
        limit = 1 if len(name) <= _SHORT else 2 if len(name) <= _MIDDLE else 3
    best: tuple[int, int, str] | None = None
    for candidate in set(candidates):
        if candidate == name or candidate.startswith("__"):
            continue
        steps = distance(name, candidate, limit)
        if steps <= limit:
            entry = (steps, abs(len(candidate) - len(name)), candidate)
            if best is None or entry < best:
                best = entry
    return best[2] if best else None
