"""Percent-encoding of text for URLs."""

from __future__ import annotations

import re

from harnlite.library.binary_text import steps
from harnlite.values.interrupts import BUILTINS, FLAG, poll_here
from harnlite.values.size_limits import check_size

UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
_ENCODED = {byte: f"%{byte:02X}" for byte in range(256) if byte not in UNRESERVED}
_RUN = re.compile(rb"(?:%[0-9A-Fa-f]{2})+")


def percent_encoded(data: bytes) -> str:
    """Return bytes with all but the unreserved characters of URLs percent-encoded."""
    check_size(len(data) + 2 * len(data.translate(None, UNRESERVED)))
    return "".join([part.decode("latin-1").translate(_ENCODED) for part in steps(data)])


def percent_decoded(text: str) -> str:
    """Return the text that a part of a query encodes, with `+` for blanks; malformed `%` signs stay."""
    data = text.encode("utf-8", "surrogatepass").replace(b"+", b" ")
    return (_RUN.sub(_bytes_of, data) if b"%" in data else data).decode("utf-8", "replace")


def _bytes_of(run: re.Match[bytes]) -> bytes:
    if BUILTINS[FLAG]:
        poll_here()
    return bytes.fromhex(run[0].replace(b"%", b"").decode("ascii"))
