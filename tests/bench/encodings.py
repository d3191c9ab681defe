"""The time of hashes and encodings of 10 MB, as ratios to Python's own libraries."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from typing import TYPE_CHECKING

from harnlite.library import byte_strings, encoding, hashing

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 10_000_000
ROUNDS = 7


def encoding_ratios() -> dict[str, float]:
    """Return the time of each builtin relative to what a Python program would call."""
    text = "abcdefghi\n" * (SIZE // 10)
    data = text.encode()
    encoded, url, digits = (change(data).decode() for change in (base64.b64encode, _unpadded, base64.b16encode))
    pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "sha256": (lambda: hashing.sha256(text), lambda: hashlib.sha256(text.encode()).hexdigest()),
        "md5": (lambda: hashing.md5(text), lambda: hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()),
        "sha3_256": (lambda: hashing.sha3_256(data), lambda: hashlib.sha3_256(data).hexdigest()),
        "hmac_sha256": (
            lambda: hashing.hmac_sha256("key", text),
            lambda: hmac.new(b"key", text.encode(), "sha256").hexdigest(),
        ),
        "base64_encode": (lambda: encoding.base64_encode(text), lambda: base64.b64encode(text.encode()).decode()),
        "base64_decode": (lambda: encoding.base64_decode(encoded), lambda: base64.b64decode(encoded).decode()),
        "base64url_encode": (lambda: encoding.base64url_encode(text), lambda: _unpadded(text.encode()).decode()),
        "base64url_decode": (
            lambda: encoding.base64url_decode(url),
            lambda: base64.urlsafe_b64decode(url + "=" * (-len(url) % 4)).decode(),
        ),
        "bytes_to_base64": (lambda: byte_strings.bytes_to_base64(data), lambda: base64.b64encode(data).decode()),
        "bytes_from_base64": (lambda: byte_strings.bytes_from_base64(encoded), lambda: base64.b64decode(encoded)),
        "hex_encode": (lambda: encoding.hex_encode(text), lambda: text.encode().hex()),
        "hex_decode": (lambda: encoding.hex_decode(digits), lambda: bytes.fromhex(digits).decode()),
    }
    return {name: _ratio(ours, theirs) for name, (ours, theirs) in pairs.items()}


def _unpadded(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def _ratio(*works: Callable[[], object]) -> float:
    """Return the ratio of the least times of two works, done in turn, since memory that the other freed counts."""
    best = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for number, work in enumerate(works):
            start = time.thread_time()
            work()
            best[number] = min(best[number], time.thread_time() - start)
    ours, theirs = best
    return ours / theirs
