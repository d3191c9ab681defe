"""Builtins for strings."""

from __future__ import annotations

from itertools import islice

from harnlite.library.native import MISSING, native
from harnlite.values.equality import position_in
from harnlite.values.errors import runtime_error
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.iteration import polled
from harnlite.values.list_operations import joined, key_of
from harnlite.values.size_limits import check_bytes, check_items, check_size
from harnlite.values.text_operations import WHITE_SPACE, characters, lower, parts, replaced, upper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal

_BLOCK, _CLUSTER_BYTES = 4_096, 84
_MOST_COMBINED = 16_384
_MOST_GROWTH = 4
_LAST_SIMPLE = "\uffff"
_JAMO = frozenset(map(chr, range(0x1160, 0x1200)))
_FORMS: dict[str, Literal["NFC", "NFD", "NFKC", "NFKD"]] = {
    "NFC": "NFC",
    "NFD": "NFD",
    "NFKC": "NFKC",
    "NFKD": "NFKD",
}


def _filled_by_name(template: str, entries: dict[str, object]) -> str:
    pieces: list[object] = []
    at = 0
    while True:
        if BUILTINS["_hintr"]:
            poll_here()
        start = template.find("{", at)
        end = template.find("}", start + 1) if start >= 0 else -1
        if end < 0:
            pieces.append(template[at:])
            return joined(pieces, "")
        name = template[start + 1 : end]
        pieces += (template[at:start], key_of(entries[name]) if name in entries else template[start : end + 1])
        at = end + 1


@native("format")
def format_text(template: object = "", *values: object) -> str:
    """Replace each `{name}` by an entry of a dict, or each `{}` by the next value."""
    text = key_of(template)
    if values and values[0].__class__ is dict:
        return _filled_by_name(text, values[0])
    literals = text.split("{}")
    pieces: list[object] = [literals[0]]
    for index, literal in enumerate(polled(literals[1:])):
        pieces += (values[index] if index < len(values) else "{}", literal)
    return joined(pieces, "")


@native("trim")
def trim(text: object = "") -> str:
    """Return the text without white space at both ends."""
    return key_of(text).strip(WHITE_SPACE)


@native("lowercase")
def lowercase(text: object = "") -> str:
    """Return the text in lower case."""
    return lower(key_of(text))


@native("uppercase")
def uppercase(text: object = "") -> str:
    """Return the text in upper case."""
    return upper(key_of(text))


@native("split")
def split(text: object = "", sep: object = " ") -> list[object]:
    """Return the pieces between the separators."""
    return parts(key_of(text), key_of(sep))


@native("join")
def join(items: object = None, sep: object = "") -> str:
    """Return the texts of the items with a separator between them."""
    return joined(items, key_of(sep)) if items.__class__ is list else ""


@native("replace")
def replace(text: object = "", old: object = "", new: object = "") -> str:
    """Return the text with every occurrence of a part replaced."""
    return replaced(key_of(text), key_of(old), key_of(new))


@native("starts_with")
def starts_with(text: object = "", part: object = "") -> bool:
    """Return whether the text starts with a part."""
    return key_of(text).startswith(key_of(part))


@native("ends_with")
def ends_with(text: object = "", part: object = "") -> bool:
    """Return whether the text ends with a part."""
    return key_of(text).endswith(key_of(part))


@native("contains")
def contains(container: object = None, part: object = MISSING) -> bool:
    """Return whether a string contains a part, or a list contains an equal item."""
    if container.__class__ is str:
        return ("" if part is MISSING else key_of(part)) in container
    if container.__class__ is list:
        return position_in(container, None if part is MISSING else part) >= 0
    return False


@native("substring")
def substring(text: object = "", start: object = None, length: object = None) -> str:
    """Return the part of a text from a start position, optionally limited to a length."""
    whole = key_of(text)
    first = max(start, 0) if isinstance(start, int) and start.__class__ is int else 0
    if isinstance(length, int) and length.__class__ is int:
        return whole[first : first + max(length, 0)]
    return whole[first:]


# Unicode


@native("unicode_normalize")
def unicode_normalize(text: object = "", form: object = "NFC") -> str:
    """Return the text in a Unicode normalization form."""
    import unicodedata

    name = _FORMS.get(key_of(form).upper())
    if name is None:
        raise runtime_error("unicode_normalize: form must be NFC, NFD, NFKC, or NFKD")
    whole = key_of(text)
    if len(whole) <= _BLOCK or whole.isascii():
        return unicodedata.normalize(name, whole)
    return "".join([unicodedata.normalize(name, block) for block in _normal_blocks(whole, unicodedata.category)])


def _normal_blocks(text: str, category: Callable[[str], str]) -> Iterator[str]:
    """Yield the blocks of a text that can be normalized on their own: each starts with a character of its own."""
    start, size = 0, 0
    while start < len(text):
        poll_here()
        end = start + _BLOCK
        while end < len(text) and (category(text[end])[0] == "M" or text[end] > _LAST_SIMPLE or text[end] in _JAMO):
            end += 1
            if end - start > _MOST_COMBINED:
                raise runtime_error(f"unicode_normalize: more than {_MOST_COMBINED} characters that may be combined")
        size += (end - start) * _MOST_GROWTH
        check_bytes(size)
        yield text[start:end]
        start = end


def _graphemes(text: str) -> list[object]:
    if text.isascii() and "\r" not in text:
        return characters(text)
    import regex

    matches = regex.finditer(r"\X", text)
    found: list[object] = []
    while block := [match[0] for match in islice(matches, _BLOCK)]:
        poll_here()
        found += block
        check_items(len(found), _CLUSTER_BYTES)
    return found


def _width(text: str) -> int:
    return len(text) if text.isascii() and "\r" not in text else len(_graphemes(text))


@native("unicode_graphemes")
def unicode_graphemes(text: object = "") -> list[object]:
    """Return the grapheme clusters of a text: the characters as a reader perceives them."""
    return _graphemes(key_of(text))


@native("str_pad")
def str_pad(text: object = "", width: object = 0, fill: object = " ", side: object = "right") -> str:
    """Return the text padded to a width in grapheme clusters."""
    whole = key_of(text)
    missing = (width if isinstance(width, int) and width.__class__ is int else 0) - _width(whole)
    if missing <= 0:
        return whole
    where = key_of(side).lower()
    if where not in ("left", "right", "both"):
        raise runtime_error("str_pad: side must be left, right, or both")
    char = key_of(next(iter(_graphemes(key_of(fill)[:_BLOCK])), " "))
    check_size(missing * len(char) + len(whole))
    before = {"left": missing, "right": 0, "both": missing // 2}[where]
    return char * before + whole + char * (missing - before)
