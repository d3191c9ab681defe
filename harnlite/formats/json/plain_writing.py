"""The JSON text of plain data, written by Python's encoder."""

from __future__ import annotations

try:
    import _json
except ImportError:
    _json = None  # type: ignore[assignment]  # other Pythons have no such module

from harnlite.stack import has_large_stack
from harnlite.values.display import float_text
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Final

_LARGEST: Final = 10_000_000
"""The estimated characters up to which a text is written in one step, which nothing interrupts."""
_LARGEST_PICKLE: Final = 4_000_000
_DEEPEST: Final = 100
_BATCHES: Final = 32
_MOST_WALKED: Final = 400
"""The items and containers up to which a walk in Python takes less time than the preparation of a faster check."""
_ITEM_SIZE: Final = 8
_LEAST, _MOST = 1e-4, 1e16
"""The absolute values between which Python writes a float without an exponent."""
_LONGEST_WHOLE: Final = 24
"""More characters than a whole float without an exponent has, its key's end included."""
_DIGITS: Final = "0123456789"
_BEFORE_VALUES: Final = (":", "[", ",")
_FIXED: Final = frozenset({int, bool, type(None)})
_SIMPLE: Final = _FIXED | {str}
_MOST_FLAT: Final = 64
"""The entries up to which a dict of plain values is written without being prepared."""
_CONTROL_LEAD: Final = b"\xc2"
"""The first byte of the controls above ASCII, and of few other characters, in UTF-8."""
_CONTROL_BYTES: Final = bytes(range(0x80, 0xA0))
_CONTROL_ENDS: Final = frozenset(_CONTROL_BYTES[place : place + 1] for place in range(len(_CONTROL_BYTES)))
_CONTROLS: Final = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}


class _NotPlain(Exception):
    """A value that Python's encoder does not write as harnlite does, or that is too large for one step."""


class _Large(Exception):
    """A value with more parts than the walk in Python looks at."""


def _refuse(_value: object) -> object:
    raise _NotPlain


def _encoder() -> Callable[[object, int], Iterable[str]] | None:
    """Return Python's encoder in C, or None if this Python has none."""
    library: Any = _json
    if library is None:
        return None
    options = {"sort_keys": True, "skipkeys": False, "allow_nan": False}
    separators = {"indent": None, "key_separator": ":", "item_separator": ","}
    made: Callable[[object, int], Iterable[str]] = library.make_encoder(
        markers=None, default=_refuse, encoder=library.encode_basestring, **separators, **options
    )
    return made


_encode = _encoder()


def plain_json(value: list[Any] | dict[str, Any]) -> str | None:
    """Return a list or a dict as compact JSON, or None if Python would write it differently or it is large or deep."""
    if _encode is None:
        return None
    if value.__class__ is dict and len(value) < _MOST_FLAT:
        size = 0
        for key, item in value.items():
            if item.__class__ is str:
                size += len(key) + len(item)
            elif item.__class__ in _FIXED:
                size += len(key)
            else:
                break
        else:
            try:
                return None if size > _LARGEST else _written(value)
            except _NotPlain:  # a value that is made when it is read
                return None
    try:
        return _prepared_json(value, _MOST_WALKED)
    except _Large:
        if not has_large_stack():
            return _prepared_json(value)
        text = _large_json(value)
        if text is None and len(value) >= _MOST_WALKED * _BATCHES and isinstance(value, list):
            text = _batched_json(value)
        return text


def _prepared_json(value: list[Any] | dict[str, Any], most: int | None = None) -> str | None:
    """Return a value as compact JSON after a walk in Python; raise _Large if it has more than so many parts."""
    try:
        preparation = _Preparation(most)
        prepared = preparation.entries(value, 0) if isinstance(value, dict) else preparation.items(value, 0)
    except _NotPlain:
        return None
    if preparation.size > _LARGEST:
        return None
    return _written(prepared)


def _written(value: object) -> str | None:
    """Return the text of Python's encoder with all controls escaped, or None if it has escapes that harnlite lacks."""
    if _encode is None:
        return None
    text = "".join(_encode(value, 0))
    # A search from the end looks for the backslash first, which is rarer than the letters.
    if "\\" in text and (text.rfind("\\b") >= 0 or text.rfind("\\f") >= 0):
        return None
    if "\x7f" in text or (not text.isascii() and _has_controls(text)):
        return text.translate(_CONTROLS)
    return text


def _has_controls(text: str) -> bool:
    try:
        data = text.encode("latin-1")
    except UnicodeEncodeError:
        _, *parts = text.encode("utf-8", "surrogatepass").split(_CONTROL_LEAD)
        return not _CONTROL_ENDS.isdisjoint({part[:1] for part in parts})
    return len(data.translate(None, _CONTROL_BYTES)) < len(data)


def _large_json(value: list[Any] | dict[str, Any]) -> str | None:
    """Return a value of many parts as compact JSON, or None if it is not plain or larger than one step may write."""
    from harnlite.formats.json.plain_checks import has_floats

    try:
        floats = has_floats(value, _LARGEST_PICKLE)
        text = None if floats is None else _written(value)
    except _NotPlain:
        return None
    except (ValueError, RecursionError):
        return None  # a float that is not finite, or a deep value
    if text is None or not floats:
        return text
    if _may_have_exponents(text):
        return _with_short_floats(text) or _prepared_json(value)
    return _with_short_entries(text) or _with_short_floats(text)


def _batched_json(items: list[Any]) -> str | None:
    """Return a long list as compact JSON that is written in several steps, or None if one of them is not possible."""
    step = len(items) // _BATCHES
    size = 0
    texts = []
    for start in range(0, len(items), step):
        text = _large_json(items[start : start + step])
        if text is None:
            return None
        size += len(text)
        check_size(size)
        texts.append(text[1:-1])
    return f"[{','.join(texts)}]"


def _may_have_exponents(text: str) -> bool:
    # A search for one character is much faster.
    return ("-" in text and "e-" in text) or ("+" in text and "e+" in text)


def _with_short_entries(text: str) -> str | None:
    """Return a JSON text in which whole floats have no `.0`; None if some are not clearly values of plain keys."""
    pieces = []
    done = 0
    at = text.find(".0")
    while at >= 0:
        if BUILTINS["_hintr"]:
            poll_here()
        before = text[max(at - _LONGEST_WHOLE, 0) : at] if text[at + 2] in ",]}" else ""
        start = before.rstrip(_DIGITS).removesuffix("-")
        if before[-1:].isdigit() and start[-1:] in _BEFORE_VALUES:
            if start[-2:] == '":' and start[-3:-2].isalnum():
                pieces.append(text[done:at])
                done = at + 2
            elif start[-1:] != ":" or start[-2:] == '":':
                return None
        at = text.find(".0", at + 2)
    if not pieces:
        return text
    pieces.append(text[done:])
    return "".join(pieces)


def _with_short_floats(text: str) -> str | None:
    """Return a JSON text in which floats that are whole have no `.0`; None if there are exponents."""
    # The two marks are not in the text, which has no controls.
    hidden = text.replace("\\\\", "\0").replace('\\"', "\1") if "\\" in text else text
    parts = hidden.split('"')
    structure = '"'.join(parts[::2])
    if "e-" in structure or "e+" in structure:
        return None
    shorter = structure.replace(".0,", ",").replace(".0]", "]").replace(".0}", "}")
    if len(shorter) == len(structure):
        return text
    parts[::2] = shorter.split('"')
    return '"'.join(parts).replace("\1", '\\"').replace("\0", "\\\\")


class _Preparation:
    """The walk through a value before it is written: it limits the size and replaces floats that look like ints.

    A call of Python takes as long as the encoder needs for several items, so the two methods repeat each other.
    """

    __slots__ = ("left", "size")

    def __init__(self, most: int | None) -> None:
        self.left = _LARGEST if most is None else most
        self.size = 0

    def entries(self, value: dict[str, Any], depth: int) -> object:
        """Return a dict that Python's encoder writes correctly; raise _NotPlain if there is none."""
        if type(value) is not dict:
            raise _NotPlain
        self._check(depth, len(value))
        size = _ITEM_SIZE * len(value)
        changed: dict[str, object] = {}
        for key, item in value.items():
            size += len(key)
            kind = item.__class__
            if kind is str:
                size += len(item)
            elif kind is float:
                if not _LEAST <= item < _MOST or item.is_integer():
                    changed[key] = _written_float(item)
            elif kind is dict or kind is list:
                part = self.entries(item, depth + 1) if kind is dict else self.items(item, depth + 1)
                if part is not item:
                    changed[key] = part
            elif kind not in _FIXED:
                raise _NotPlain
        self.size += size
        return {**value, **changed} if changed else value

    def items(self, value: list[Any], depth: int) -> object:
        """Return a list that Python's encoder writes correctly; raise _NotPlain if there is none."""
        self._check(depth, len(value))
        size = _ITEM_SIZE * len(value)
        if len(value) > _ITEM_SIZE and (kinds := set(map(type, value))) <= _SIMPLE:
            self.size += size + sum(map(len, filter(_is_text, value) if kinds & _FIXED else value))
            return value
        changed: dict[int, object] = {}
        for place, item in enumerate(value):
            kind = item.__class__
            if kind is str:
                size += len(item)
            elif kind is float:
                if not _LEAST <= item < _MOST or item.is_integer():
                    changed[place] = _written_float(item)
            elif kind is dict or kind is list:
                part = self.entries(item, depth + 1) if kind is dict else self.items(item, depth + 1)
                if part is not item:
                    changed[place] = part
            elif kind not in _FIXED:
                raise _NotPlain
        self.size += size
        return [changed.get(place, item) for place, item in enumerate(value)] if changed else value

    def _check(self, depth: int, parts: int) -> None:
        self.left -= parts + 1
        if self.left < 0:
            raise _Large
        if BUILTINS["_hintr"]:
            poll_here()
        if depth > _DEEPEST or self.size > _LARGEST:
            raise _NotPlain


def _is_text(value: object) -> bool:
    return value.__class__ is str


def _written_float(value: float) -> float:
    """Return a float, or the int with its text; raise _NotPlain if Python's encoder writes neither correctly."""
    if value.is_integer():
        if value or repr(value) == "0.0":
            return int(value) if -_MOST < value < _MOST else int(float_text(value).removesuffix(".0"))
    elif _LEAST <= abs(value) < _MOST:
        return value
    raise _NotPlain
