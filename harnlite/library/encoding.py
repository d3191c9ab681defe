"""Builtins that encode text in base64, base32, hex and percent-encoding, and decode it."""

from __future__ import annotations

from harnlite.library.binary_text import (
    base32_bytes,
    base32_text,
    base64_bytes,
    base64_text,
    base64url_bytes,
    base64url_text,
    bytes_or_utf8,
    hex_bytes,
    utf8,
)
from harnlite.library.native import native
from harnlite.library.percent_encoding import percent_decoded, percent_encoded
from harnlite.values.display import display
from harnlite.values.errors import runtime_error
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def _decoded(what: str, decode: Callable[[bytes], bytes], text: object) -> str:
    try:
        return decode(utf8(text)).decode("utf-8", "replace")
    except ValueError as error:
        raise runtime_error(f"{what} decode error: {error}") from None


@native("base64_encode")
def base64_encode(value: object = "") -> str:
    """Return bytes, or the text of any other value, in base64."""
    return base64_text(bytes_or_utf8(value))


@native("base64_decode")
def base64_decode(text: object = "") -> str:
    """Return the text that base64 encodes."""
    return _decoded("base64", base64_bytes, text)


@native("base64url_encode")
def base64url_encode(value: object = "") -> str:
    """Return bytes, or the text of any other value, in unpadded base64 with the alphabet for URLs."""
    return base64url_text(bytes_or_utf8(value))


@native("base64url_decode")
def base64url_decode(text: object = "") -> str:
    """Return the text that unpadded base64 with the alphabet for URLs encodes."""
    return _decoded("base64url", base64url_bytes, text)


@native("base32_encode")
def base32_encode(value: object = "") -> str:
    """Return bytes, or the text of any other value, in base32."""
    return base32_text(bytes_or_utf8(value))


@native("base32_decode")
def base32_decode(text: object = "") -> str:
    """Return the text that base32 encodes."""
    return _decoded("base32", base32_bytes, text)


@native("hex_encode")
def hex_encode(value: object = "") -> str:
    """Return bytes, or the text of any other value, as hex digits."""
    data = bytes_or_utf8(value)
    check_size(2 * len(data))
    return data.hex()


@native("hex_decode")
def hex_decode(text: object = "") -> str:
    """Return the text that hex digits encode."""
    return _decoded("hex", hex_bytes, text)


@native("url_encode")
def url_encode(value: object = "") -> str:
    """Return the text of a value in percent-encoding."""
    return percent_encoded(utf8(value))


@native("url_decode")
def url_decode(text: object = "") -> str:
    """Return the text that percent-encoding encodes."""
    return percent_decoded(display(text))
