"""Builtins for bytes."""

from __future__ import annotations

from harnlite.library.binary_text import base64_bytes, base64_text, hex_bytes
from harnlite.library.native import MISSING, native
from harnlite.values.data_types import type_name
from harnlite.values.errors import runtime_error
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.values.errors import ScriptError


def _wrong(function: str, position: int, kind: str, value: object) -> ScriptError:
    if value is MISSING:
        return runtime_error(f"{function}: missing argument {position}")
    return runtime_error(f"{function}: expected {kind} at argument {position}, got {type_name(value)}")


def _bytes(function: str, value: object, position: int = 1) -> bytes:
    if isinstance(value, bytes):
        return value
    raise _wrong(function, position, "bytes", value)


def _text(function: str, value: object) -> str:
    if isinstance(value, str):
        return value
    raise _wrong(function, 1, "string", value)


def _int(function: str, value: object, position: int) -> int:
    if value.__class__ is int:
        return value
    raise _wrong(function, position, "int", value)


@native("bytes_from_string")
def bytes_from_string(text: object = MISSING) -> bytes:
    """Return a string in UTF-8."""
    return _text("bytes_from_string", text).encode("utf-8", "surrogatepass")


@native("bytes_to_string")
def bytes_to_string(data: object = MISSING) -> str:
    """Return the string of bytes in UTF-8."""
    try:
        return _bytes("bytes_to_string", data).decode("utf-8")
    except UnicodeDecodeError as error:
        raise _utf8_error(error) from None


def _utf8_error(error: UnicodeDecodeError) -> ScriptError:
    if error.reason == "unexpected end of data":
        reason = f"incomplete utf-8 byte sequence from index {error.start}"
    else:
        reason = f"invalid utf-8 sequence of {error.end - error.start} bytes from index {error.start}"
    return runtime_error(f"bytes_to_string: {reason}")


@native("bytes_to_string_lossy")
def bytes_to_string_lossy(data: object = MISSING) -> str:
    """Return the string of bytes in UTF-8, with U+FFFD for bad sequences."""
    return _bytes("bytes_to_string_lossy", data).decode("utf-8", "replace")


@native("bytes_from_hex")
def bytes_from_hex(text: object = MISSING) -> bytes:
    """Return the bytes that hex digits stand for."""
    digits = _text("bytes_from_hex", text).encode("utf-8", "surrogatepass")
    try:
        return hex_bytes(digits)
    except ValueError as error:
        raise runtime_error(f"bytes_from_hex: {error}") from None


@native("bytes_to_hex")
def bytes_to_hex(data: object = MISSING) -> str:
    """Return bytes as hex digits."""
    value = _bytes("bytes_to_hex", data)
    check_size(2 * len(value))
    return value.hex()


@native("bytes_from_base64")
def bytes_from_base64(text: object = MISSING) -> bytes:
    """Return the bytes that base64 encodes."""
    encoded = _text("bytes_from_base64", text).encode("utf-8", "surrogatepass")
    try:
        return base64_bytes(encoded)
    except ValueError as error:
        raise runtime_error(f"bytes_from_base64: {error}") from None


@native("bytes_to_base64")
def bytes_to_base64(data: object = MISSING) -> str:
    """Return bytes in base64."""
    return base64_text(_bytes("bytes_to_base64", data))


@native("bytes_len")
def bytes_len(data: object = MISSING) -> int:
    """Return the number of bytes."""
    return len(_bytes("bytes_len", data))


@native("bytes_concat")
def bytes_concat(left: object = MISSING, right: object = MISSING) -> bytes:
    """Return two byte sequences joined."""
    first, second = _bytes("bytes_concat", left), _bytes("bytes_concat", right, 2)
    check_size(len(first) + len(second))
    return first + second


@native("bytes_slice")
def bytes_slice(data: object = MISSING, start: object = MISSING, end: object = MISSING) -> bytes:
    """Return the bytes from one position up to, but not including, another."""
    value = _bytes("bytes_slice", data)
    first, last = _int("bytes_slice", start, 2), _int("bytes_slice", end, 3)
    return value[max(first, 0) : max(last, 0)]


@native("bytes_eq")
def bytes_eq(left: object = MISSING, right: object = MISSING) -> bool:
    """Return whether two byte sequences are equal."""
    return _bytes("bytes_eq", left) == _bytes("bytes_eq", right, 2)
