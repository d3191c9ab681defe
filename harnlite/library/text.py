"""Builtins for strings."""

from __future__ import annotations

from harnlite.library.native import MISSING, native
from harnlite.values.equality import position_in
from harnlite.values.errors import runtime_error
from harnlite.values.list_operations import joined, key_of
from harnlite.values.size_limits import check_size
from harnlite.values.text_operations import WHITE_SPACE, parts, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

_FORMS: dict[str, Literal["NFC", "NFD", "NFKC", "NFKD"]] = {
    "NFC": "NFC",
    "NFD": "NFD",
    "NFKC": "NFKC",
    "NFKD": "NFKD",
}


def _filled_by_name(template: str, entries: dict[str, object]) -> str:
    pieces: list[object] = []
    rest = template
    while True:
        before, brace, after = rest.partition("{")
        name, close, follow = after.partition("}")
        pieces.append(before)
        if not close:
            pieces.append(brace + after)
            return joined(pieces, "")
        pieces.append(key_of(entries[name]) if name in entries else f"{{{name}}}")
        rest = follow


@native("format")
def format_text(template: object = "", *values: object) -> str:
    """Replace each `{name}` by an entry of a dict, or each `{}` by the next value."""
    text = key_of(template)
    if values and values[0].__class__ is dict:
        return _filled_by_name(text, values[0])
    literals = text.split("{}")
    pieces: list[object] = [literals[0]]
    for index, literal in enumerate(literals[1:]):
        pieces += (values[index] if index < len(values) else "{}", literal)
    return joined(pieces, "")


@native("trim")
def trim(text: object = "") -> str:
    """Return the text without white space at both ends."""
    return key_of(text).strip(WHITE_SPACE)


@native("lowercase")
def lowercase(text: object = "") -> str:
    """Return the text in lower case."""
    return key_of(text).lower()


@native("uppercase")
def uppercase(text: object = "") -> str:
    """Return the text in upper case."""
    return key_of(text).upper()


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
    return unicodedata.normalize(name, key_of(text))


def _graphemes(text: str) -> list[str]:
    if text.isascii() and "\r" not in text:
        return [*text]
    import regex

    return regex.findall(r"\X", text)


@native("unicode_graphemes")
def unicode_graphemes(text: object = "") -> list[object]:
    """Return the grapheme clusters of a text: the characters as a reader perceives them."""
    return [*_graphemes(key_of(text))]


@native("str_pad")
def str_pad(text: object = "", width: object = 0, fill: object = " ", side: object = "right") -> str:
    """Return the text padded to a width in grapheme clusters."""
    whole = key_of(text)
    missing = (width if isinstance(width, int) and width.__class__ is int else 0) - len(_graphemes(whole))
    if missing <= 0:
        return whole
    where = key_of(side).lower()
    if where not in ("left", "right", "both"):
        raise runtime_error("str_pad: side must be left, right, or both")
    char = next(iter(_graphemes(key_of(fill))), " ")
    check_size(missing * len(char) + len(whole))
    before = {"left": missing, "right": 0, "both": missing // 2}[where]
    return char * before + whole + char * (missing - before)
