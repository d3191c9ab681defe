"""Decoders of base64, base32 and hex, whose errors give the reason and the position."""

from __future__ import annotations

import binascii

from harnlite.values.display import display
from harnlite.values.interrupts import poll_here
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

STANDARD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
URL_SAFE = STANDARD[:-2] + b"-_"
_BASE32 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_HEX = b"0123456789abcdefABCDEF"
_PAD = ord("=")
# The symbols that only the standard alphabet has become blanks, which neither has.
_FROM_URL_SAFE = bytes.maketrans(b"-_+/", b"+/  ")
_TO_URL_SAFE = bytes.maketrans(b"+/", b"-_")
# `int` reads base 32 with these digits.
_TO_INT_DIGITS = bytes.maketrans(_BASE32, b"0123456789abcdefghijklmnopqrstuv")

_STEP = 65_536
_QUAD = 4
_PAIR = 2
_BLOCK_CHARS, _BLOCK_BYTES = 8, 5
_BLOCKS_AT_ONCE = 2_000
_ESCAPES = {"\0": "\\0", "\t": "\\t", "\n": "\\n", "\r": "\\r", "'": "\\'", "\\": "\\\\"}
_FIRST_VISIBLE, _LAST_ASCII, _LAST_CONTROL, _SOFT_HYPHEN = 0x20, 0x7E, 0xA0, 0xAD


def utf8(value: object) -> bytes:
    """Return the display text of a value in UTF-8."""
    return display(value).encode("utf-8", "surrogatepass")


def bytes_or_utf8(value: object) -> bytes:
    """Return bytes unchanged, and the display text of any other value in UTF-8."""
    return value if isinstance(value, bytes) else utf8(value)


def steps(data: bytes) -> Iterator[bytes]:
    """Yield the parts of long bytes, between which an interrupt can end the run."""
    for start in range(0, len(data), _STEP):
        poll_here()
        yield data[start : start + _STEP]


# Hex


def hex_bytes(digits: bytes) -> bytes:
    """Return the bytes that hex digits stand for, or raise ValueError with the reason."""
    try:
        return binascii.unhexlify(digits)
    except binascii.Error:
        pass
    if len(digits) % 2:
        raise ValueError("Odd number of digits")
    position = _first_outside(digits, _HEX)
    raise ValueError(f"Invalid character '{_quoted(digits[position])}' at position {position}")


def _first_outside(data: bytes, alphabet: bytes) -> int:
    """Return the position of the first byte that is not in an alphabet, or the length."""
    others = data.translate(None, alphabet)
    return data.index(others[:1]) if others else len(data)


def _quoted(byte: int) -> str:
    char = chr(byte)
    if char in _ESCAPES:
        return _ESCAPES[char]
    is_visible = _FIRST_VISIBLE <= byte <= _LAST_ASCII or (byte > _LAST_CONTROL and byte != _SOFT_HYPHEN)
    return char if is_visible else f"\\u{{{byte:x}}}"


# Base64


def base64_text(data: bytes) -> str:
    """Return bytes in base64 with the standard alphabet and padding."""
    check_size((len(data) + 2) // 3 * _QUAD)
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def base64url_text(data: bytes) -> str:
    """Return bytes in base64 with the alphabet for URLs, without padding."""
    check_size((len(data) + 2) // 3 * _QUAD)
    return binascii.b2a_base64(data, newline=False).rstrip(b"=\n").translate(_TO_URL_SAFE).decode("ascii")


def base64_bytes(text: bytes) -> bytes:
    """Return the bytes of padded base64 with the standard alphabet, or raise ValueError with the reason."""
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except binascii.Error:
        raise _base64_error(text, STANDARD, is_padded=True) from None
    # Python ignores the spare bits of the last symbol.
    if text.endswith(b"="):
        _check_last_quad(text, STANDARD, is_padded=True)
    return data


def base64url_bytes(text: bytes) -> bytes:
    """Return the bytes of base64 with the alphabet for URLs, without padding, or raise ValueError with the reason."""
    rest = -len(text) % _QUAD
    try:
        if text.endswith(b"="):
            raise _base64_error(text, URL_SAFE, is_padded=False)
        data = binascii.a2b_base64(text.translate(_FROM_URL_SAFE) + b"=" * rest, strict_mode=True)
    except binascii.Error:
        raise _base64_error(text, URL_SAFE, is_padded=False) from None
    if rest:
        _check_last_quad(text, URL_SAFE, is_padded=False)
    return data


def _base64_error(text: bytes, alphabet: bytes, *, is_padded: bool) -> ValueError:
    """Return, or raise, the first error of a text that is not valid base64."""
    start = (len(text) - 1) // _QUAD * _QUAD
    if start == len(text) - 1 and text[start] != _PAD and text[start] not in alphabet:
        return _invalid_symbol(text, start)
    bad = _first_outside(text[:start], alphabet)
    if bad < start:
        return _invalid_symbol(text, bad)
    _check_last_quad(text, alphabet, is_padded=is_padded)
    return ValueError("Invalid padding")


def _invalid_symbol(text: bytes, position: int) -> ValueError:
    return ValueError(f"Invalid symbol {text[position]}, offset {position}.")


def _check_last_quad(text: bytes, alphabet: bytes, *, is_padded: bool) -> None:
    """Raise ValueError for the first error in the last quad, which may be incomplete or padded."""
    start = (len(text) - 1) // _QUAD * _QUAD
    tail = text[start:]
    symbols = tail.rstrip(b"=")
    for index, byte in enumerate(tail):
        if (byte == _PAD and index < max(len(symbols), _PAIR)) or (byte != _PAD and byte not in alphabet):
            raise _invalid_symbol(text, start + index)
    if len(symbols) < _PAIR:
        raise ValueError(f"Invalid input length: {start + len(symbols)}")
    if len(tail) != (_QUAD if is_padded else len(symbols)):
        raise ValueError("Invalid padding")
    spare_bits = len(symbols) * 6 % 8
    if alphabet.index(symbols[-1:]) & ((1 << spare_bits) - 1):
        last = start + len(symbols) - 1
        raise ValueError(f"Invalid last symbol {text[last]}, offset {last}.")


# Base32


def base32_text(data: bytes) -> str:
    """Return bytes in base32 with padding."""
    from base64 import b32encode

    check_size((len(data) + _BLOCK_BYTES - 1) // _BLOCK_BYTES * _BLOCK_CHARS)
    size = _BLOCKS_AT_ONCE * _BLOCK_BYTES
    parts = []
    for start in range(0, len(data), size):
        poll_here()
        parts.append(b32encode(data[start : start + size]))
    return b"".join(parts).decode("ascii")


def base32_bytes(text: bytes) -> bytes:
    """Return the bytes of padded base32 in upper case, or raise ValueError with the reason."""
    if len(text) % _BLOCK_CHARS:
        raise ValueError(f"invalid length at {len(text) - len(text) % _BLOCK_CHARS}")
    parts = []
    start = 0
    while start < len(text):
        poll_here()
        chunk = text[start : start + _BLOCKS_AT_ONCE * _BLOCK_CHARS]
        whole = _first_outside(chunk, _BASE32) // _BLOCK_CHARS * _BLOCK_CHARS
        if whole:
            number = int(chunk[:whole].translate(_TO_INT_DIGITS), 32)
            parts.append(number.to_bytes(whole // _BLOCK_CHARS * _BLOCK_BYTES, "big"))
            start += whole
        else:
            parts.append(_padded_block(chunk[:_BLOCK_CHARS], start))
            start += _BLOCK_CHARS
    return b"".join(parts)


def _padded_block(block: bytes, start: int) -> bytes:
    """Return the bytes of a block that is padded, or raise ValueError because it is not valid."""
    symbols = block.rstrip(b"=")
    size = len(symbols)
    spare_bits = 5 * size % 8
    if not size or spare_bits >= _BLOCK_BYTES:
        raise ValueError(f"invalid padding length at {start + size}")
    bad = _first_outside(symbols, _BASE32)
    if bad < size:
        raise ValueError(f"invalid symbol at {start + bad}")
    number = int(symbols.translate(_TO_INT_DIGITS), 32)
    if number & ((1 << spare_bits) - 1):
        raise ValueError(f"non-zero trailing bits at {start + size - 1}")
    return (number >> spare_bits).to_bytes(5 * size // 8, "big")
