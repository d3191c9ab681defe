"""A JSON reader: Python's scanner reads valid texts; ours reports the error in invalid ones, and its position."""

from __future__ import annotations

import json
import math
import re

from harnlite.formats.json.nesting import MAX_DEPTH, STORED_DEPTH, depth_of, is_shallow, marks_of
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.size_limits import check_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final, NoReturn

_INTERRUPTED_FROM: Final = 8_000_000
_CONTAINER_BYTES, _ITEM_BYTES = 72, 40
_MIN_INT, _MAX_INT = -(2**63), 2**63 - 1
_SAFE_DIGITS, _MAX_DIGITS = 18, 20
_FEW_NUMBERS: Final = 100
"""The characters per number from which a call for each number takes less time than a search for special numbers."""
_SAMPLE_BITS: Final = 6
_NUMBER: Final = re.compile(r"[\[:,][ \n]*-?[0-9]")
_SHORT: Final = 512
"""The characters up to which a call for each number takes less time than a search for special numbers."""
_RARE_BITS: Final = 9
"""Commas and brackets are rare if there is at most one of each in this power of two of characters."""
_MOST_MARKS: Final = MAX_DEPTH // 2 - 1
"""The number of each bracket that is too small for a text that is nested too deeply."""

# Maps digits to 0 and exponent marks to e, so that plain searches find the numbers that need special treatment.
_SHAPES: Final = bytes.maketrans(b"123456789E", b"000000000e")
_LARGE_EXPONENTS: Final = (b"0e000", b"0e+000")
_NEGATIVE_ZERO: Final = re.compile(rb"-0(?![.0-9eE])")
_NOT_NUMBERS: Final = bytes(set(range(256)) - set(b'0123456789+-.eE:,[]"'))
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATES: Final = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]")
_BLANKS: Final = re.compile(rb"[ \t\n\r]*")
_PLAIN: Final = re.compile(rb'[^"\\\x00-\x1f]*')
_DIGITS: Final = re.compile(rb"[0-9]*")
_HEX: Final = re.compile(rb"[0-9a-fA-F]{4}")
_ESCAPES: Final = {b'"': '"', b"\\": "\\", b"/": "/", b"b": "\b", b"f": "\f", b"n": "\n", b"r": "\r", b"t": "\t"}
_WORDS: Final[dict[bytes, tuple[bytes, object]]] = {
    b"n": (b"null", None),
    b"t": (b"true", True),
    b"f": (b"false", False),
}

_EOF_VALUE, _EOF_STRING = "EOF while parsing a value", "EOF while parsing a string"
_EOF_LIST, _EOF_OBJECT = "EOF while parsing a list", "EOF while parsing an object"
_CONTROL = "control character (\\u0000-\\u001F) found while parsing a string"
_LONE_SURROGATE = "lone leading surrogate in hex escape"
_HIGH, _LOW, _AFTER = 0xD800, 0xDC00, 0xE000


class JsonError(Exception):
    """The error for invalid JSON: the reason, and the position as a line and a column in bytes."""


def read_json(text: str) -> object:
    """Return the value of a JSON text, or raise JsonError."""
    try:
        if _is_sparse(text):
            check_bytes(len(text))
            return _read(_CHECKED, text)
        data = _ascii_parts(text)
        marks = marks_of(data)
        commas, containers = marks.count(b","), marks.count(b"[") + marks.count(b"{")
        check_bytes(len(text) + containers * _CONTAINER_BYTES + commas * _ITEM_BYTES)
        if containers < MAX_DEPTH or is_shallow(data, marks):
            return _read_quickly(text, data)
    except ValueError:
        pass
    return _Scanner(text.encode("utf-8", "surrogatepass")).read()


def _ascii_parts(text: str) -> bytes:
    """Return bytes that are equal to a text except for what is not ASCII."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _is_sparse(text: str) -> bool:
    """Return whether a text has few values for its length, so that nothing about it has to be checked beforehand."""
    size = len(text)
    if size < _SHORT:
        return text.count("[") + text.count("{") < MAX_DEPTH
    if size > _INTERRUPTED_FROM:
        return False
    most = min(size >> _RARE_BITS, _MOST_MARKS)
    return not any(_exceeds(text, mark, most) for mark in ",[{")


def _exceeds(text: str, mark: str, most: int) -> bool:
    """Return whether a text has more than so many of a mark."""
    at = -1
    for _ in range(most + 1):
        at = text.find(mark, at + 1)
        if at < 0:
            return False
    return True


def read_stored_json(text: str) -> object:
    """Return the value of a JSON text of this program; raise ValueError if it is invalid or nested too deeply.

    Programs can write a value that is nested more deeply than what `read_json` accepts.
    """
    try:
        return read_json(text)
    except JsonError as error:
        reason = str(error)
    data = text.encode("utf-8", "surrogatepass")
    if depth_of(data) > STORED_DEPTH:
        raise ValueError(reason)
    try:
        return _read_quickly(text, data)
    except RecursionError:
        raise ValueError(reason) from None


def can_be_stored(text: str) -> bool:
    """Return whether `read_stored_json` can read a valid JSON text as a part of an object."""
    if depth_of(text.encode("utf-8", "surrogatepass")) < MAX_DEPTH - 1:
        return True
    try:
        read_stored_json(f"[{text}]")
    except ValueError:
        return False
    return True


def _read_quickly(text: str, data: bytes) -> object:
    if len(data) > _INTERRUPTED_FROM:
        return _read(_INTERRUPTED, text)
    if _has_few_numbers(text) or _has_special_numbers(data):
        return _read(_CHECKED, text)
    return _read(_UNCHECKED, text)


def _has_few_numbers(text: str) -> bool:
    """Return whether the middle of a text suggests that few of its values are numbers."""
    middle = len(text) >> 1
    size = max(len(text) >> _SAMPLE_BITS, MAX_DEPTH)
    return len(_NUMBER.findall(text, middle, middle + size)) * _FEW_NUMBERS < size


def _read(decoder: json.JSONDecoder, text: str) -> object:
    try:
        value, end = decoder.scan_once(text, 0)  # type: ignore[attr-defined]  # typeshed omits it
    except StopIteration:
        end = -1
    if end != len(text):
        value = decoder.decode(text)
    if "\\" in text and _has_single_surrogates(text):
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _has_single_surrogates(text: str) -> bool:
    """Return whether there may be escapes of surrogates that are not a pair."""
    count = len(_SURROGATE.findall(text))
    return count > 0 and ("\\\\u" in text or count != 2 * len(_SURROGATES.findall(text)))


def _has_special_numbers(data: bytes) -> bool:
    """Return whether there may be numbers that Python reads differently: large ones, and a zero with a sign."""
    shapes = data.translate(_SHAPES, _NOT_NUMBERS)
    if b"0" * (_SAFE_DIGITS + 1) in shapes:
        return True
    if b"e" in shapes and any(mark in shapes for mark in _LARGE_EXPONENTS):
        return True
    return b"-" in shapes and _NEGATIVE_ZERO.search(data) is not None


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


def _polled(entries: dict[str, object]) -> dict[str, object]:
    if BUILTINS["_hintr"]:
        poll_here()
    return entries


def _int(digits: str) -> int | float:
    if len(digits) <= _SAFE_DIGITS and digits != "-0":
        return int(digits)
    if len(digits) <= _MAX_DIGITS:
        value = int(digits)
        if _MIN_INT <= value <= _MAX_INT and (value or digits == "0"):
            return value
    return _float(digits)


def _polled_int(digits: str) -> int | float:
    if BUILTINS["_hintr"]:
        poll_here()
    return _int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(digits)
    return value


_UNCHECKED: Final = json.JSONDecoder(parse_constant=_refuse)
_CHECKED: Final = json.JSONDecoder(parse_int=_int, parse_float=_float, parse_constant=_refuse)
_INTERRUPTED: Final = json.JSONDecoder(
    parse_int=_polled_int, parse_float=_float, parse_constant=_refuse, object_hook=_polled
)
"""The decoder whose functions are called often, so that a run can be interrupted."""


class _Scanner:
    """A byte-by-byte scanner of one text; `at` is the index of the next byte."""

    __slots__ = ("at", "data", "depth")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.depth = 0

    def read(self) -> object:
        """Read the whole text as one value."""
        value = self._value()
        if self._peek():
            self._refuse("trailing characters")
        return value

    def _fail(self, reason: str) -> NoReturn:
        """Raise the error for the byte before the current position."""
        start = self.data.rfind(b"\n", 0, self.at) + 1
        line = self.data.count(b"\n", 0, start) + 1
        raise JsonError(f"{reason} at line {line} column {self.at - start}")

    def _refuse(self, reason: str) -> NoReturn:
        """Raise the error for the byte at the current position or, at the end of the text, for the last byte."""
        self.at = min(self.at + 1, len(self.data))
        self._fail(reason)

    def _byte(self) -> bytes:
        """Return the current byte, or an empty value at the end."""
        return self.data[self.at : self.at + 1]

    def _pass(self, pattern: re.Pattern[bytes]) -> None:
        """Go past what a pattern matches here."""
        found = pattern.match(self.data, self.at)
        if found is not None:
            self.at = found.end()

    def _peek(self) -> bytes:
        """Skip blanks and return the byte after them."""
        self._pass(_BLANKS)
        return self._byte()

    def _value(self) -> object:
        if BUILTINS["_hintr"]:
            poll_here()
        first = self._peek()
        if first == b'"':
            return self._string()
        if first == b"{":
            return self._nested(self._object)
        if first == b"[":
            return self._nested(self._array)
        if first in _WORDS:
            return self._word(*_WORDS[first])
        if first and first in b"-0123456789":
            return self._number()
        return self._refuse("expected value" if first else _EOF_VALUE)

    def _word(self, word: bytes, value: object) -> object:
        for expected in word:
            byte = self._byte()
            if not byte:
                self._fail(_EOF_VALUE)
            if byte[0] != expected:
                self._refuse("expected ident")
            self.at += 1
        return value

    def _nested(self, read: Callable[[], object]) -> object:
        self.depth += 1
        if self.depth >= MAX_DEPTH:
            self._refuse("recursion limit exceeded")
        self.at += 1
        value = read()
        self.at += 1
        self.depth -= 1
        return value

    def _array(self) -> list[object]:
        items: list[object] = []
        if self._peek() == b"]":
            return items
        while True:
            items.append(self._value_of(_EOF_LIST if not items else _EOF_VALUE))
            byte = self._peek()
            if byte == b"]":
                return items
            if byte != b",":
                self._refuse("expected `,` or `]`" if byte else _EOF_LIST)
            self.at += 1
            if self._peek() == b"]":
                self._refuse("trailing comma")

    def _value_of(self, at_end: str) -> object:
        if not self._peek():
            self._fail(at_end)
        return self._value()

    def _object(self) -> dict[str, object]:
        entries: dict[str, object] = {}
        if self._peek() == b"}":
            return entries
        at_end = _EOF_OBJECT
        while True:
            byte = self._peek()
            if byte != b'"':
                self._refuse("key must be a string" if byte else at_end)
            key = self._string()
            byte = self._peek()
            if byte != b":":
                self._refuse("expected `:`" if byte else _EOF_OBJECT)
            self.at += 1
            entries[key] = self._value()
            byte = self._peek()
            if byte == b"}":
                return entries
            if byte != b",":
                self._refuse("expected `,` or `}`" if byte else _EOF_OBJECT)
            self.at += 1
            if self._peek() == b"}":
                self._refuse("trailing comma")
            at_end = _EOF_VALUE

    # Numbers

    def _digits(self) -> bytes:
        start = self.at
        self._pass(_DIGITS)
        return self.data[start : self.at]

    def _number(self) -> int | float:
        start = self.at
        if self._byte() == b"-":
            self.at += 1
        if not self._byte():
            self._fail(_EOF_VALUE)
        if self._byte() == b"0":
            self.at += 1
            if self._byte() and self._byte() in b"0123456789":
                self._refuse("invalid number")
        elif not self._digits():
            self._refuse("invalid number")
        whole = True
        if self._byte() == b".":
            whole = False
            self.at += 1
            if not self._digits():
                self._refuse("invalid number" if self._byte() else _EOF_VALUE)
        if self._byte() in (b"e", b"E"):
            whole = False
            self._exponent()
        text = self.data[start : self.at].decode("ascii")
        try:
            return _int(text) if whole else _float(text)
        except ValueError:
            self._fail("number out of range")

    def _exponent(self) -> None:
        self.at += 1
        if self._byte() in (b"+", b"-"):
            self.at += 1
        if not self._byte():
            self._fail(_EOF_VALUE)
        if not self._digits():
            self._refuse("invalid number")

    # Strings

    def _string(self) -> str:
        self.at += 1
        parts: list[str] = []
        while True:
            if BUILTINS["_hintr"]:
                poll_here()
            start = self.at
            self._pass(_PLAIN)
            parts.append(self.data[start : self.at].decode("utf-8", "surrogatepass"))
            byte = self._byte()
            if byte == b'"':
                self.at += 1
                return "".join(parts)
            if byte == b"\\":
                self.at += 1
                parts.append(self._escape())
            else:
                self._refuse(_CONTROL if byte else _EOF_STRING)

    def _escape(self) -> str:
        byte = self._byte()
        if byte == b"u":
            self.at += 1
            return self._unicode_escape()
        if byte not in _ESCAPES:
            self._refuse("invalid escape" if byte else _EOF_STRING)
        self.at += 1
        return _ESCAPES[byte]

    def _unicode_escape(self) -> str:
        code = self._hex()
        if not _HIGH <= code < _AFTER:
            return chr(code)
        if code >= _LOW:
            self._fail(_LONE_SURROGATE)
        for expected in (b"\\", b"u"):
            byte = self._byte()
            if byte != expected:
                self._refuse("unexpected end of hex escape" if byte else _EOF_STRING)
            self.at += 1
        low = self._hex()
        if not _LOW <= low < _AFTER:
            self._fail(_LONE_SURROGATE)
        return chr(0x10000 + ((code - _HIGH) << 10) + (low - _LOW))

    def _hex(self) -> int:
        digits = self.data[self.at : self.at + 4]
        if len(digits) < 4:  # noqa: PLR2004 - four hex digits
            self.at = len(self.data)
            self._fail(_EOF_STRING)
        self.at += 4
        if not _HEX.fullmatch(digits):
            self._fail("invalid escape")
        return int(digits, 16)
