"""The JSON text of plain data, written by Python's encoder."""

from __future__ import annotations

try:
    import _json
except ImportError:
    _json = None  # type: ignore[assignment]  # other Pythons have no such module

from harnlite.values.display import float_text
from harnlite.values.interrupts import BUILTINS, poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Final

_LARGEST: Final = 10_000_000
"""The estimated characters up to which a text is written in one step, which nothing interrupts."""
_DEEPEST: Final = 100
_ITEM_SIZE: Final = 8
_LEAST, _MOST = 1e-4, 1e16
"""The absolute values between which Python writes a float without an exponent."""
_FIXED: Final = frozenset({int, bool, type(None)})
_SIMPLE: Final = _FIXED | {str}
_MOST_FLAT: Final = 64
"""The entries up to which a dict of plain values is written without being prepared."""
_CONTROL_LEAD: Final = b"\xc2"
"""The first byte of the controls above ASCII, and of few other characters, in UTF-8."""
_CONTROLS: Final = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}


class _NotPlain(Exception):
    """A value that Python's encoder does not write as harnlite does, or that is too large for one step."""


def _encoder() -> Callable[[object, int], Iterable[str]] | None:
    """Return Python's encoder in C, or None if this Python has none."""
    library: Any = _json
    if library is None:
        return None
    options = {"sort_keys": True, "skipkeys": False, "allow_nan": True}
    separators = {"indent": None, "key_separator": ":", "item_separator": ","}
    made: Callable[[object, int], Iterable[str]] = library.make_encoder(
        markers=None, default=None, encoder=library.encode_basestring, **separators, **options
    )
    return made


_encode = _encoder()


def plain_json(value: list[Any] | dict[str, Any]) -> str | None:
    """Return a list or a dict as compact JSON, or None if Python would write it differently or it is large or deep."""
    if _encode is None:
        return None
    try:
        if value.__class__ is dict and len(value) < _MOST_FLAT and _SIMPLE.issuperset(map(type, value.values())):
            if sum(map(len, value)) + sum([len(item) for item in value.values() if item.__class__ is str]) > _LARGEST:
                return None
            text = "".join(_encode(value, 0))
        else:
            preparation = _Preparation()
            prepared = preparation.entries(value, 0) if isinstance(value, dict) else preparation.items(value, 0)
            if preparation.size > _LARGEST:
                return None
            text = "".join(_encode(prepared, 0))
    except _NotPlain:
        return None
    if "\\" in text and ("\\b" in text or "\\f" in text):
        return None
    if "\x7f" in text or (not text.isascii() and _CONTROL_LEAD in text.encode("utf-8", "surrogatepass")):
        return text.translate(_CONTROLS)
    return text


class _Preparation:
    """The walk through a value before it is written: it limits the size and replaces floats that look like ints.

    A call of Python takes as long as the encoder needs for several items, so the two methods repeat each other.
    """

    __slots__ = ("size",)

    def __init__(self) -> None:
        self.size = 0

    def entries(self, value: dict[str, Any], depth: int) -> object:
        """Return a dict that Python's encoder writes correctly; raise _NotPlain if there is none."""
        if type(value) is not dict:
            raise _NotPlain
        self._check(depth)
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
        self._check(depth)
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

    def _check(self, depth: int) -> None:
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
