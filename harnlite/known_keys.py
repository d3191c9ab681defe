"""The API keys that this process knows, and texts from which they are removed.

Keys of environment variables are known at once. Those that a command prints, and the values of configured headers, are
known as soon as `add_key` is called. They belong to the process rather than to a run: a key of one run must not stand
in the log of another one either.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

REDACTED = "[redacted]"
_KEY_ENDS = ("_API_KEY", "_TOKEN")
SHORTEST = 6
"""Shorter values, such as `none`, are placeholders that occur in too many other words."""
_added: tuple[str, ...] = ()


def add_key(key: str) -> None:
    """Add a key to those that are removed from texts."""
    global _added  # noqa: PLW0603 - replaced as a whole, so that other threads see the old or the new keys
    if len(key) >= SHORTEST and key not in _added:
        _added = (*_added, key)


def added_keys() -> tuple[str, ...]:
    """Return the added keys; the tuple is a new one if and only if a key was added."""
    return _added


def environment_keys(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the API keys and tokens in the environment, longest first."""
    values = {value.strip() for name, value in environment.items() if name.endswith(_KEY_ENDS)}
    return tuple(sorted((value for value in values if len(value) >= SHORTEST), key=len, reverse=True))


def forms_of(key: str) -> tuple[str, ...]:
    """Return a key and its spellings in JSON, in HTML, in Python and in addresses, each once."""
    if key.isascii() and key.translate(_ALIKE).isalnum():
        return (key,)
    in_json = key.replace("\\", "\\\\").replace('"', '\\"')
    spellings = (key, in_json, in_json.replace("/", "\\/"), _encoded(key, "%%%02X"), _encoded(key, "%%%02x"))
    return tuple(dict.fromkeys((*spellings, repr(key)[1:-1], key.translate(_IN_HTML))))


_UNRESERVED = "-._~"
_ALIKE = {ord(sign): "a" for sign in _UNRESERVED}
"""Characters that every spelling keeps."""
_IN_HTML = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;", ord("'"): "&#x27;"}


def _encoded(key: str, style: str) -> str:
    """Return a key as it stands in an address; `style` writes a byte."""
    return "".join(
        sign if sign.isascii() and (sign.isalnum() or sign in _UNRESERVED) else "".join(style % byte for byte in found)
        for sign in key
        for found in [sign.encode("utf-8", "replace")]
    )


def without_keys(text: str) -> str:
    """Return a text without the known keys."""
    for key in sorted({*environment_keys(), *_added}, key=len, reverse=True):
        for form in forms_of(key):
            if form in text:
                text = text.replace(form, REDACTED)
    return text
