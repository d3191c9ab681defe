"""What may be written down: the JSON form of a value, with what is secret in it replaced."""

from __future__ import annotations

from harnlite.runtime.json_writing import json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

REDACTED = "[redacted]"


def published(value: object) -> Any:  # noqa: ANN401 - any JSON value
    """Return the JSON form of a value as plain Python, with its secrets replaced."""
    keep = _KEEP.get(value.__class__)
    return _through_json(value) if keep is None else keep(value)


def _entries(entries: dict[str, object]) -> dict[str, object]:
    return {
        key: hidden(value) if key[-3:] in _SECRET_ENDS and is_secret_name(key) else published(value)
        for key, value in entries.items()
    }


def _through_json(value: object) -> object:
    """Return what a value that JSON lacks is after a way through JSON."""
    from harnlite.runtime.json_reading import read_json

    text = json_text(value)
    return None if text == "null" else published(read_json(text))


def _same(value: object) -> object:
    return value


# Names of values that are secrets

_SECRET_WORDS = (
    "api_key",
    "apikey",
    "access_key",
    "secret_key",
    "private_key",
    "signing_key",
    "token",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "authorization",
    "credential",
    "credentials",
    "cookie",
)
_SECRET_ENDS = frozenset(end for word in _SECRET_WORDS for end in (word[-3:], word[-3:].upper(), word[-3:].title()))


def is_secret_name(name: str) -> bool:
    """Say whether a key names a secret: `api_key`, `accessToken`, `DB-PASSWORD` do, `max_tokens` does not."""
    plain = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name) if name != name.upper() else name
    plain = "_" + plain.lower().replace("-", "_").replace(".", "_")
    return plain.endswith(tuple(f"_{word}" for word in _SECRET_WORDS))


def hidden(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return what is left of the value of a secret name: that there is one."""
    if value.__class__ is str:
        return REDACTED if value else value
    if value.__class__ is list:
        return [hidden(item) for item in value]
    if value.__class__ is dict:
        return {key: hidden(item) for key, item in value.items()}
    return published(value)


# Texts that hold secrets

_HINTS = (
    *("secret", "token", "passw", "passphrase", "api_key", "apikey", "api-key", "access_key", "accesskey"),
    *("private_key", "privatekey", "signing_key", "credential", "cookie", "authorization", "bearer ", "-----begin"),
    *(
        "sk-",
        "k_live_",
        "k_test_",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "xox",
        "akia",
        "asia",
    ),
    *("aiza", "ya29.", "sg.", "hf_", "npm_", "pypi-", "eyj", "://"),
)
_SHORTEST = 10


def may_hold_secret(text: str) -> bool:
    """Say whether a text, or the JSON of a value, has anything in it by which secrets are known."""
    lower = text.lower()
    for hint in _HINTS:  # noqa: SIM110 - a generator costs as much as the search
        if hint in lower:
            return True
    return False


def redacted(text: str) -> str:
    """Return a text with the secrets in it replaced."""
    if len(text) < _SHORTEST or not may_hold_secret(text):
        return text
    from harnlite.store.secret_patterns import replace_secrets

    return replace_secrets(text, REDACTED)


def published_json(value: object) -> str:
    """Return the JSON text of a value, with what is secret in it replaced."""
    text = json_text(value)
    return json_text(published(value)) if may_hold_secret(text) else text


_KEEP: dict[type, Callable[..., object]] = {
    type(None): _same,
    bool: _same,
    int: _same,
    float: lambda value: value if value - value == 0 else None,
    str: redacted,
    list: lambda items: [published(item) for item in items],
    dict: _entries,
}
