"""A JSON reader: Python's scanner reads valid texts; ours reports the error in invalid ones, and its position."""

from __future__ import annotations

import itertools
import json
import math
import re

from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.size_limits import check_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final, NoReturn

MAX_DEPTH: Final = 128
_STORED_DEPTH = 512
_INTERRUPTED_FROM: Final = 8_000_000
_BLOCK: Final = 65_536
_CONTAINER_BYTES, _ITEM_BYTES = 72, 40
_MIN_INT, _MAX_INT = -(2**63), 2**63 - 1
_SAFE_DIGITS, _MAX_DIGITS = 18, 20
_SPARSE_BYTES: Final = 20
"""The bytes per item from which a call for each number takes less time than a search for special numbers."""

# Maps digits to 0 and exponent marks to e, so that plain searches find the numbers that need special treatment.
_SHAPES: Final = bytes.maketrans(b"123456789E", b"000000000e")
_LARGE_EXPONENTS: Final = (b"0e000", b"0e+000")
_NEGATIVE_ZERO: Final = re.compile(rb"-0(?![.0-9eE])")
_STRINGS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NOT_STRUCTURE: Final = bytes(set(range(256)) - set(b'"[]{}'))
_SQUARE: Final = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_STEPS: Final = bytes(1 if byte in b"[{" else 255 if byte in b"]}" else 0 for byte in range(256))
_SURROGATE: Final = re.compile(rb"\\u[dD]")
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
    # Other characters occur in strings only, where nothing depends on them.
    data = text.encode("ascii", "ignore")
    containers = data.count(b"[") + data.count(b"{")
    commas = data.count(b",")
    check_bytes(len(text) + containers * _CONTAINER_BYTES + commas * _ITEM_BYTES)
    if containers < MAX_DEPTH or _is_shallow(data):
        try:
            return _read_quickly(text, data, commas)
        except ValueError:
            pass
    return _Scanner(text.encode("utf-8", "surrogatepass")).read()


def read_stored_json(text: str) -> object:
    """Return the value of a JSON text of this program; raise ValueError if it is invalid or nested too deeply.

    Programs can write a value that is nested more deeply than what `read_json` accepts.
    """
    try:
        return read_json(text)
    except JsonError as error:
        reason = str(error)
    data = text.encode("utf-8", "surrogatepass")
    if depth_of(data) > _STORED_DEPTH:
        raise ValueError(reason)
    try:
        return _read_quickly(text, data, data.count(b","))
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


def _is_shallow(data: bytes) -> bool:
    """Return whether the brackets outside strings, of whatever kind, are balanced and within the limit of the depth."""
    plain = data.replace(b"\\\\", b"") if b"\\\\" in data else data
    if b'\\"' in plain:
        plain = plain.replace(b'\\"', b"")
    brackets = plain.translate(None, _NOT_STRUCTURE).replace(b'""', b"")
    if b'"' in brackets:
        brackets = _STRINGS.sub(_nothing, data).translate(None, _NO_BRACKETS)
    brackets = brackets.translate(_SQUARE)
    for _ in range(MAX_DEPTH - 1):
        if BUILTINS["_hintr"]:
            poll_here()
        size = len(brackets)
        brackets = brackets.replace(b"[]", b"")
        if not brackets:
            return True
        if len(brackets) == size:
            break
    return False


def _nothing(_string: re.Match[bytes]) -> bytes:
    if BUILTINS["_hintr"]:
        poll_here()
    return b""


def depth_of(data: bytes) -> int:
    """Estimate the depth from the brackets, including those in strings, before any recursion."""
    brackets = memoryview(data.translate(_STEPS, _NO_BRACKETS)).cast("b")
    depth = deepest = 0
    for start in range(0, len(brackets), _BLOCK):
        poll_here()
        depths = [*itertools.accumulate(brackets[start : start + _BLOCK], initial=depth), deepest]
        deepest = max(depths)
        if deepest > _STORED_DEPTH:
            break
        depth = depths[-2]
    return deepest


def _read_quickly(text: str, data: bytes, commas: int) -> object:
    if len(data) > _INTERRUPTED_FROM:
        # The functions are called often, so a run can be interrupted.
        value = json.loads(text, parse_int=_int, parse_float=_float, parse_constant=_refuse, object_hook=_polled)
    elif len(data) > _SPARSE_BYTES * commas or _has_special_numbers(data):
        value = json.loads(text, parse_int=_int, parse_float=_float, parse_constant=_refuse)
    else:
        value = json.loads(text, parse_constant=_refuse)
    if b"\\" in data and _SURROGATE.search(data):
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _has_special_numbers(data: bytes) -> bool:
    """Return whether there may be numbers that Python reads differently: large ones, and a zero with a sign."""
    shapes = data.translate(_SHAPES)
    if b"0" * (_SAFE_DIGITS + 1) in shapes:
        return True
    if b"0e" in shapes and any(mark in shapes for mark in _LARGE_EXPONENTS):
        return True
    return b"-0" in data and _NEGATIVE_ZERO.search(data) is not None


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


def _polled(entries: dict[str, object]) -> dict[str, object]:
    if BUILTINS["_hintr"]:
        poll_here()
    return entries


def _int(digits: str) -> int | float:
    if BUILTINS["_hintr"]:
        poll_here()
    if len(digits) <= _MAX_DIGITS:
        value = int(digits)
        if _MIN_INT <= value <= _MAX_INT and (value or digits == "0"):
            return value
    return _float(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(digits)
    return value


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
