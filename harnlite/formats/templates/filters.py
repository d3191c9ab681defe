"""The filters of templates."""

from __future__ import annotations

from harnlite.formats.templates.json_filter import json_of
from harnlite.values import text_operations
from harnlite.values.data_types import Range, type_name
from harnlite.values.display import display
from harnlite.values.interrupts import poll_here
from harnlite.values.iteration import polled
from harnlite.values.sets import HarnSet
from harnlite.values.size_limits import check_size, join_texts
from harnlite.values.text_operations import BLOCK, WHITE_SPACE, by_blocks, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_MARKUP = {ord(char): f"\\{char}" for char in "\\`*_{}[]()#+-.!|<>"}


class FilterError(Exception):
    """An error of a filter, whose position the caller knows."""


def text_of(value: object) -> str:
    """Return the text of a value in a template, in which nil is empty."""
    return value if value.__class__ is str else "" if value is None else display(value)


def is_true(value: object) -> bool:
    """Return whether a condition holds."""
    if isinstance(value, str):
        # `isspace` stops at the first letter, but it also counts four control characters.
        return value != "" and (not value.isspace() or value.strip(WHITE_SPACE) != "")
    if value.__class__ in _TRUE_UNLESS_EMPTY:
        return bool(value)
    return value is not None


_TRUE_UNLESS_EMPTY = frozenset({bool, int, float, list, dict})


def _upper(value: object) -> str:
    text = text_of(value)
    return text.upper() if len(text) <= BLOCK else text_operations.upper(text)


def _lower(value: object) -> str:
    text = text_of(value)
    return text.lower() if len(text) <= BLOCK else text_operations.lower(text)


def _trim(value: object) -> str:
    return text_of(value).strip(WHITE_SPACE)


def _capitalize(value: object) -> str:
    text = text_of(value)
    return text[:1].upper() + text_operations.lower(text[1:])


def _title(value: object) -> str:
    """Return the text with the first letter of each word in upper case, and the rest in lower case."""
    parts: list[str] = []
    begins = True
    for char in polled(text_operations.characters(text_of(value))):
        parts.append(char.upper() if begins else char.lower())
        begins = char in WHITE_SPACE
    return "".join(parts)


def _length(value: object) -> int:
    if isinstance(value, (str, list, dict, HarnSet)):
        return len(value)
    if value is None:
        return 0
    if isinstance(value, Range):
        return value.size
    raise FilterError(f"`length` not defined for {type_name(value)}")


def _items(value: object) -> Any:  # noqa: ANN401 - a list or a string
    if isinstance(value, HarnSet):
        return value.items
    return value if value.__class__ is list or value.__class__ is str else ()


def _first(value: object) -> object:
    items = _items(value)
    return items[0] if items else None


def _last(value: object) -> object:
    items = _items(value)
    return items[-1] if items else None


def _reverse(value: object) -> object:
    return value[::-1] if value.__class__ is list or value.__class__ is str else value


def _join(value: object, separator: object) -> str:
    if value.__class__ is str:
        return value
    if value.__class__ is not list and value.__class__ is not HarnSet:
        raise FilterError(f"`join` requires a list (got {type_name(value)})")
    return join_texts([text_of(item) for item in polled(_items(value))], text_of(separator))


def _default(value: object, other: object) -> object:
    return value if is_true(value) else other


def _json(value: object, pretty: object = None) -> str:
    return json_of(value, pretty=is_true(pretty))


def _indent(value: object, width: object, first: object = None) -> str:
    """Return the text with blanks before its lines; the first line and empty lines are unchanged."""
    if width.__class__ is not int:
        raise FilterError("`indent` requires an integer width")
    rows = text_of(value).split("\n")
    count = max(width, 0)
    check_size(sum(map(len, rows)) + (count + 1) * len(rows))
    blanks = " " * count
    found = [blanks + row if row else row for row in polled(rows)]
    if not is_true(first):
        found[0] = rows[0]
    return "\n".join(found)


def _lines(value: object) -> list[object]:
    return text_operations.lines(text_of(value))


def _escape_md(value: object) -> str:
    return by_blocks(lambda text: text.translate(_MARKUP), text_of(value))


def _replace(value: object, old: object, new: object) -> str:
    poll_here()
    return replaced(text_of(value), text_of(old), text_of(new))


FILTERS: dict[str, Callable[..., object]] = {
    "upper": _upper,
    "lower": _lower,
    "trim": _trim,
    "capitalize": _capitalize,
    "title": _title,
    "length": _length,
    "first": _first,
    "last": _last,
    "reverse": _reverse,
    "join": _join,
    "default": _default,
    "json": _json,
    "indent": _indent,
    "lines": _lines,
    "escape_md": _escape_md,
    "replace": _replace,
}
