"""Operations on text that methods and builtins share."""

from __future__ import annotations

from harnlite.values.size_limits import check_size

# White space as Unicode defines it; Python's own strip would remove four more control characters.
WHITE_SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def replaced(text: str, old: str, new: str) -> str:
    """Return the text with every occurrence replaced; an empty `old` matches between all characters."""
    if len(new) * (len(text) + 1) > len(text):
        check_size(len(text) + (text.count(old)) * max(len(new) - len(old), 0))
    return text.replace(old, new)


def parts(text: str, separator: str) -> list[object]:
    """Return the pieces between the separators; an empty separator splits between all characters."""
    if separator == "":
        check_size(len(text) + 2)
        return ["", *text, ""]
    return [*text.split(separator)]


def lines(text: str) -> list[object]:
    """Return the lines of a text; a final line break does not add an empty line."""
    found: list[object] = []
    rows = text.split("\n")
    last = rows.pop()
    found.extend([row.removesuffix("\r") for row in rows])
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
