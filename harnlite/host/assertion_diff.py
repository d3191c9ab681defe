"""The difference between the two sides of a failed assertion, as text."""

from __future__ import annotations

from harnlite.library.value_snapshots import snapshot_text
from harnlite.values.data_types import type_name
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FEW_LINES = 200
"""The maximum number of lines for a comparison within lines, which takes quadratic time."""
_HEAD = "difference: - expected, + actual\n"
_COLORS = {"-": "\x1b[31m", "+": "\x1b[32m"}
_RESET = "\x1b[0m"


def difference(expected: object, actual: object, *, color: bool = False) -> str:
    """Compare both sides line by line: `-` marks a line of the expected side only, `+` one of the actual side only."""
    left, right = (snapshot_text(side).split("\n") for side in (expected, actual))
    if left == right:
        left, right = (f"{display(side)}  ({_type_name(side)})".split("\n") for side in (expected, actual))
    lines = _painted(_compared(left, right)) if color else _compared(left, right)
    return _HEAD + "".join(f"  {line}\n" for line in lines)


def _type_name(value: object) -> str:
    return type_name(value)


def _compared(left: list[str], right: list[str]) -> Iterator[str]:
    from difflib import ndiff, unified_diff

    if max(len(left), len(right)) > FEW_LINES:
        rows = list(unified_diff(left, right, lineterm=""))[2:]
        return (f"{row[:1]} {row[1:]}" if row[:1] in "+- " else row for row in rows)
    return (row.rstrip() for row in ndiff(left, right))


def _painted(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        start = _COLORS.get(line[:1], "")
        yield f"{start}{line}{_RESET}" if start else line
