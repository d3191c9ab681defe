"""Signatures of texts, as they are appended to signed cookies and session tokens."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode


def signature(text: str, secret: str) -> str:
    """Return the HMAC-SHA256 of a text in unpadded base64url."""
    return encoded(hmac.digest(_utf8(secret), _utf8(text), "sha256"))


def encoded(data: bytes) -> str:
    """Return bytes in unpadded base64url."""
    return urlsafe_b64encode(data).decode("ascii").rstrip("=")


def decoded(text: str) -> bytes:
    """Return the bytes of unpadded base64url, or raise ValueError."""
    data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if encoded(data) != text:
        raise ValueError(text)
    return data


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
