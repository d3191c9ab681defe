"""Secrets: values that no text shows by accident, and texts from which they are removed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import NoReturn

HIDDEN = "[hidden]"
"""What stands in a text instead of a secret."""
_LEAST = 8
"""The number of characters from which the beginning of a secret is hidden too."""
_MASKS = "*.…•xX"


class Secret:
    """An API key. Its text is returned by `reveal` only, never by `str`, `repr`, `format` or `pickle`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text, for the header of a request."""
        return self._text

    def prefixed(self, prefix: str) -> Secret:
        """Return the secret with a text in front of it: `Bearer ` and a key."""
        return Secret(prefix + self._text)

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash((Secret, self._text))

    def __repr__(self) -> str:
        return HIDDEN

    def __format__(self, spec: str) -> str:
        return format(HIDDEN, spec)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not copied to a file or another process")


def redacted(text: str, secrets: Iterable[Secret | str]) -> str:
    """Return a text without the secrets, and without beginnings of them that have at least 8 characters.

    A vendor may shorten the key that it rejects: `sk-abcde***wxyz`. The mask and the end of the key are removed too.
    """
    keys = {key.reveal() if isinstance(key, Secret) else key for key in secrets}
    for key in sorted(keys, key=len, reverse=True):
        for form in dict.fromkeys((key, _percent_encoded(key), _escaped(key))):
            text = _without(text, form)
    return text


def revealed(headers: Mapping[str, Secret | str]) -> dict[str, str]:
    """Return headers as they are sent."""
    return {name: value.reveal() if isinstance(value, Secret) else value for name, value in headers.items()}


def _without(text: str, key: str) -> str:
    start = key[:_LEAST]
    at = text.find(start) if key else -1
    if at < 0:
        return text
    pieces: list[str] = []
    done = 0
    while at >= 0:
        end = at + _shared(text, at, key)
        pieces += (text[done:at], HIDDEN)
        done = _after_mask(text, end, key) if end - at < len(key) else end
        at = text.find(start, done)
    return "".join([*pieces, text[done:]])


def _shared(text: str, at: int, key: str) -> int:
    """Return how many characters of the key stand at a place of the text."""
    length = 0
    while length < len(key) and text[at + length : at + length + 1] == key[length]:
        length += 1
    return length


def _after_mask(text: str, end: int, key: str) -> int:
    """Return the end of a mask at this place and of the end of the key after it; `end` if there is no mask."""
    after = end
    while after < len(text) and text[after] in _MASKS:
        after += 1
    if after == end:
        return end
    for length in range(min(len(key), len(text) - after), 0, -1):
        if text.startswith(key[-length:], after):
            return after + length
    return after if text[end] == "*" else end


def _percent_encoded(key: str) -> str:
    if key.isalnum():
        return key
    from urllib.parse import quote

    return quote(key, safe="")


def _escaped(key: str) -> str:
    """Return the key as a string in JSON spells it."""
    return key.replace("\\", "\\\\").replace('"', '\\"')
