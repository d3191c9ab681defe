"""Secrets: values that no text shows by accident, and texts from which they are removed."""

from __future__ import annotations

from harnlite.known_keys import forms_of, without_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import NoReturn

HIDDEN = "[hidden]"
"""What stands in a text instead of a secret."""
_LEAST = 8
"""The number of characters from which a piece of a secret is hidden too."""
_MASKS = "*.…•xX"
_SCHEMES = frozenset({"basic", "bearer", "token"})
_LEAST_MASKED = 2
"""The number of characters from which the beginning of a secret in front of a mask is hidden."""
_ORDINARY_HEADERS = frozenset(
    {
        *("accept", "accept-encoding", "accept-language", "content-type", "host", "http-referer", "referer"),
        *("user-agent", "x-title", "anthropic-version", "anthropic-beta", "openai-beta", "openai-organization"),
        *("openai-project",),
    }
)
"""Configured headers whose values are known not to be secret."""


class Secret:
    """An API key. Its text is returned by `reveal` only, never by `str`, `repr`, `format` or `pickle`."""

    __slots__ = ("_prefix", "_text")

    def __init__(self, text: str, prefix: str = "") -> None:
        self._text = text
        self._prefix = prefix

    def reveal(self) -> str:
        """Return the text, for the header of a request."""
        return self._prefix + self._text

    def prefixed(self, prefix: str) -> Secret:
        """Return the secret with a text in front of it that is not secret: `Bearer ` and a key."""
        return Secret(self._text, prefix + self._prefix)

    def bare(self) -> str:
        """Return the text without what stands in front of it, for a search."""
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other.reveal() == self.reveal()

    def __hash__(self) -> int:
        return hash((Secret, self.reveal()))

    def __repr__(self) -> str:
        return HIDDEN

    def __format__(self, spec: str) -> str:
        return format(HIDDEN, spec)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not copied to a file or another process")


def redacted(text: str, secrets: Iterable[Secret | str]) -> str:
    """Return a text without the secrets, without pieces of them, and without all other keys that are known.

    A vendor may shorten the key that it rejects: `sk-abcde***wxyz`. The mask and the end of the key are removed too. A
    piece without a mask counts from 8 characters on.
    """
    keys = {key.bare() if isinstance(key, Secret) else key for key in secrets}
    for key in sorted(keys, key=len, reverse=True):
        for form in forms_of(key):
            text = _without(text, form)
        text = _without_masked(text, key)
    return without_keys(text)


def revealed(headers: Mapping[str, Secret | str]) -> dict[str, str]:
    """Return headers as they are sent."""
    return {name: value.reveal() if isinstance(value, Secret) else value for name, value in headers.items()}


def secret_parts(headers: Mapping[str, str]) -> list[str]:
    """Return what may be secret in configured headers: all values, without a scheme such as `Bearer` before them."""
    found: list[str] = []
    for name, value in headers.items():
        scheme, _, rest = value.partition(" ")
        if name.lower() not in _ORDINARY_HEADERS:
            found.append(rest.strip() if rest and scheme.lower() in _SCHEMES else value)
    return found


def shown_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return configured headers as a script or a person may see them, with a text instead of what may be secret."""
    return {name: value if name.lower() in _ORDINARY_HEADERS else HIDDEN for name, value in headers.items()}


def _without(text: str, key: str) -> str:
    """Return a text without the key and without pieces of it that are not too short to be chance."""
    size = min(_LEAST, len(key))
    windows = {key[start : start + size] for start in range(len(key) - size + 1)} - {""}
    if not any(window in text for window in windows):
        return text
    pieces: list[str] = []
    done = at = 0
    while at + size <= len(text):
        if text[at : at + size] not in windows:
            at += 1
            continue
        end = at + size
        while text[end - size + 1 : end + 1] in windows:
            end += 1
        pieces += (text[done:at], HIDDEN)
        done = at = end if end - at == len(key) else _after_mask(text, end, key)
    return "".join([*pieces, text[done:]])


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


def _without_masked(text: str, key: str) -> str:
    """Return a text without a mask that stands between a short beginning and an end of the key: `sk-a****wxyz`."""
    start = key[:_LEAST_MASKED]
    if len(key) < _LEAST or start not in text:
        return text
    import re

    def replaced(found: re.Match[str]) -> str:
        first, last = found[1], found[2]
        return HIDDEN if key.startswith(first) and key.endswith(last) else found[0]

    return re.sub(rf"(?<![\w-])({re.escape(start)}[\w-]*)[{re.escape(_MASKS)}]{{2,}}([\w-]*)", replaced, text)
