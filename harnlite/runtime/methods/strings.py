"""The methods of strings."""

from __future__ import annotations

from harnlite.runtime.methods.method_arguments import int_or
from harnlite.values.data_types import MISSING
from harnlite.values.iterators import iter_of
from harnlite.values.list_operations import key_of
from harnlite.values.size_limits import check_size
from harnlite.values.text_operations import (
    BLOCK,
    WHITE_SPACE,
    characters,
    lines,
    lower,
    padding,
    parts,
    position_from_end,
    replaced,
    upper,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def _count(text: str, *_: object) -> int:
    return len(text)


def _empty(text: str, *_: object) -> bool:
    return not text


def _contains(text: str, part: object = "", *_: object) -> bool:
    return key_of(part) in text


def _starts_with(text: str, part: object = "", *_: object) -> bool:
    return text.startswith(key_of(part))


def _ends_with(text: str, part: object = "", *_: object) -> bool:
    return text.endswith(key_of(part))


def _index_of(text: str, part: object = "", *_: object) -> int:
    return text.find(key_of(part))


def _last_index_of(text: str, part: object = "", *_: object) -> int:
    return position_from_end(text, key_of(part))


def _replace(text: str, old: object = MISSING, new: object = MISSING, *_: object) -> str | None:
    return None if new is MISSING else replaced(text, key_of(old), key_of(new))


def _split(text: str, separator: object = ",", *_: object) -> list[object]:
    return parts(text, key_of(separator))


def _trim(text: str, *_: object) -> str:
    return text.strip(WHITE_SPACE)


def _trim_start(text: str, *_: object) -> str:
    return text.lstrip(WHITE_SPACE)


def _trim_end(text: str, *_: object) -> str:
    return text.rstrip(WHITE_SPACE)


def _lowercase(text: str, *_: object) -> str:
    return text.lower() if len(text) <= BLOCK else lower(text)


def _uppercase(text: str, *_: object) -> str:
    return text.upper() if len(text) <= BLOCK else upper(text)


def _substring(text: str, start: object = None, end: object = None, *_: object) -> str:
    stop = int_or(end, len(text))
    return text[max(int_or(start, 0), 0) : len(text) if stop < 0 else stop]


def _chars(text: str, *_: object) -> list[object]:
    return [*text] if len(text) <= BLOCK else characters(text)


def _char_at(text: str, index: object = None, *_: object) -> str | None:
    place = int_or(index, 0)
    return text[place] if 0 <= place < len(text) else None


def _lines(text: str, *_: object) -> list[object]:
    return lines(text)


def _repeat(text: str, number: object = None, *_: object) -> str:
    times = int_or(number, 1)
    check_size(len(text) * times)
    return text * times


def _reverse(text: str, *_: object) -> str:
    return text[::-1]


def _pad_left(text: str, width: object = None, fill: object = " ", *_: object) -> str:
    return padding(text, width, key_of(fill)) + text


def _pad_right(text: str, width: object = None, fill: object = " ", *_: object) -> str:
    return text + padding(text, width, key_of(fill))


def _iter(text: str, *_: object) -> object:
    return iter_of(text)


STRING_METHODS: dict[str, Callable[..., object]] = {
    "char_at": _char_at,
    "chars": _chars,
    "contains": _contains,
    "count": _count,
    "empty": _empty,
    "ends_with": _ends_with,
    "index_of": _index_of,
    "iter": _iter,
    "last_index_of": _last_index_of,
    "len": _count,
    "lines": _lines,
    "lower": _lowercase,
    "lowercase": _lowercase,
    "pad_left": _pad_left,
    "pad_right": _pad_right,
    "repeat": _repeat,
    "replace": _replace,
    "reverse": _reverse,
    "split": _split,
    "starts_with": _starts_with,
    "substring": _substring,
    "to_lower": _lowercase,
    "to_upper": _uppercase,
    "trim": _trim,
    "trim_end": _trim_end,
    "trim_start": _trim_start,
    "upper": _uppercase,
    "uppercase": _uppercase,
}
