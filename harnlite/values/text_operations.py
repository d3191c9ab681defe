"""Operations on text that methods and builtins share."""

from __future__ import annotations

from harnlite.values.interrupts import poll_here
from harnlite.values.iteration import polled
from harnlite.values.limits import UNCHECKED
from harnlite.values.size_limits import check_items, check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# White space as Unicode defines it; Python's own strip would remove four more control characters.
WHITE_SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


BLOCK = 1 << 16
"""A text up to this length is changed at once."""
_SHORT = 64
_PIECE_BYTES, _CHAR_BYTES, _ASCII_CHAR_BYTES = 66, 84, 8


def by_blocks(change: Callable[[str], str], text: str) -> str:
    """Apply a function that changes each character on its own; a long text in blocks, between which runs can end."""
    if len(text) <= BLOCK:
        return change(text)
    found: list[str] = []
    size = 0
    for start in range(0, len(text), BLOCK):
        poll_here()
        found.append(change(text[start : start + BLOCK]))
        size += len(found[-1])
        check_size(size)
    return "".join(found)


def lower(text: str) -> str:
    """Return the text in lower case; that of a capital sigma depends on its neighbours."""
    return text.lower() if len(text) <= BLOCK or "\u03a3" in text else by_blocks(str.lower, text)


def upper(text: str) -> str:
    """Return the text in upper case."""
    return by_blocks(str.upper, text)


def characters(text: str) -> list[object]:
    """Return the characters of a text."""
    if len(text) > UNCHECKED:
        check_items(len(text), _ASCII_CHAR_BYTES if text.isascii() else _CHAR_BYTES)
    return [*text]


def position_from_end(text: str, part: str) -> int:
    """Return the index of the last occurrence of a part, or -1; a search from the end takes long for a long part."""
    if len(part) <= _SHORT:
        return text.rfind(part)
    found = text[::-1].find(part[::-1])
    return found if found < 0 else len(text) - len(part) - found


def replaced(text: str, old: str, new: str) -> str:
    """Return the text with every occurrence replaced; an empty `old` matches between all characters."""
    if len(new) * (len(text) + 1) > len(text):
        check_size(len(text) + (text.count(old)) * max(len(new) - len(old), 0))
    return text.replace(old, new)


def parts(text: str, separator: str) -> list[object]:
    """Return the pieces between the separators; an empty separator splits between all characters."""
    if separator == "":
        check_size(len(text) + 2)
        return ["", *characters(text), ""]
    if len(text) > UNCHECKED:
        check_items(text.count(separator) + 1, _PIECE_BYTES)
    return [*text.split(separator)]


def lines(text: str) -> list[object]:
    """Return the lines of a text; a final line break does not add an empty line."""
    found: list[object] = []
    if len(text) > UNCHECKED:
        check_items(text.count("\n"), _PIECE_BYTES)
    rows = text.split("\n")
    last = rows.pop()
    found.extend([row.removesuffix("\r") for row in polled(rows)])
    if last:
        found.append(last)
    return found


def padding(text: str, width: object, fill: str) -> str:
    """Return the padding that a text needs to reach a width, made of the first character of `fill`."""
    if width.__class__ is not int:
        return ""
    missing = width - len(text)
    if missing <= 0:
        return ""
    check_size(width)
    return (fill[:1] or " ") * missing
