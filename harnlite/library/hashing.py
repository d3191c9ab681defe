"""Builtins for hashes and keyed hashes, as lower-case hex digits."""

from __future__ import annotations

import hashlib
import hmac

from harnlite.library.binary_text import bytes_or_utf8, utf8
from harnlite.library.native import native


def _text_hash(algorithm: str, value: object) -> str:
    """Hash the display text of a value, also if it is bytes."""
    return hashlib.new(algorithm, utf8(value), usedforsecurity=False).hexdigest()


def _bytes_hash(algorithm: str, value: object) -> str:
    """Hash bytes directly, and the display text of any other value."""
    return hashlib.new(algorithm, bytes_or_utf8(value), usedforsecurity=False).hexdigest()


@native("md5")
def md5(value: object = "") -> str:
    """Return the MD5 of the text of a value."""
    return _text_hash("md5", value)


@native("sha224")
def sha224(value: object = "") -> str:
    """Return the SHA-224 of the text of a value."""
    return _text_hash("sha224", value)


@native("sha256")
def sha256(value: object = "") -> str:
    """Return the SHA-256 of the text of a value."""
    return _text_hash("sha256", value)


@native("sha384")
def sha384(value: object = "") -> str:
    """Return the SHA-384 of the text of a value."""
    return _text_hash("sha384", value)


@native("sha512")
def sha512(value: object = "") -> str:
    """Return the SHA-512 of the text of a value."""
    return _text_hash("sha512", value)


@native("sha512_256")
def sha512_256(value: object = "") -> str:
    """Return the SHA-512/256 of the text of a value."""
    return _text_hash("sha512_256", value)


@native("sha3_256")
def sha3_256(value: object = "") -> str:
    """Return the SHA3-256 of bytes or of the text of a value."""
    return _bytes_hash("sha3_256", value)


@native("sha3_512")
def sha3_512(value: object = "") -> str:
    """Return the SHA3-512 of bytes or of the text of a value."""
    return _bytes_hash("sha3_512", value)


@native("blake3")
def blake3(value: object = "") -> str:
    """Return the BLAKE3 of bytes or of the text of a value."""
    from blake3 import blake3 as hasher

    return hasher(bytes_or_utf8(value)).hexdigest()


def _hmac(key: object, message: object) -> bytes:
    return hmac.digest(utf8(key), utf8(message), "sha256")


@native("hmac_sha256")
def hmac_sha256(key: object = "", message: object = "") -> str:
    """Return the HMAC-SHA256 of a message."""
    return _hmac(key, message).hex()


@native("hmac_sha256_base64")
def hmac_sha256_base64(key: object = "", message: object = "") -> str:
    """Return the HMAC-SHA256 of a message in base64."""
    from binascii import b2a_base64

    return b2a_base64(_hmac(key, message), newline=False).decode("ascii")


@native("constant_time_eq")
def constant_time_eq(left: object = "", right: object = "") -> bool:
    """Return whether two texts are equal; the time does not depend on where they differ."""
    return hmac.compare_digest(utf8(left), utf8(right))
