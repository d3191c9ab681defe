"""Builtins for sessions that are stored in a signed cookie."""

from __future__ import annotations

from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import json_text
from harnlite.library.cookies import cookie_text, expect_arguments, option_values, read_cookies
from harnlite.library.hashing import constant_time_eq
from harnlite.library.native import MISSING, native
from harnlite.library.signatures import decoded, encoded, signature
from harnlite.values.display import display

_VERSION = "v1"
_PARTS = 3
_DEFAULTS = {"path": "/", "http_only": True, "secure": True, "same_site": "Lax"}


@native("session_sign")
def session_sign(payload: object = MISSING, secret: object = MISSING) -> str:
    """Return a signed token that holds a value as JSON."""
    expect_arguments("session_sign", payload, secret)
    return _token(payload, secret)


def _token(payload: object, secret: object) -> str:
    middle = encoded(json_text(payload).encode("utf-8", "surrogatepass"))
    return f"{_VERSION}.{middle}.{signature(middle, display(secret))}"


@native("session_verify")
def session_verify(token: object = MISSING, secret: object = MISSING) -> dict[str, object]:
    """Return the value in a token, if the signature is valid."""
    expect_arguments("session_verify", token, secret)
    return _verified(display(token), display(secret))


def _verified(token: str, secret: str) -> dict[str, object]:
    parts = token.split(".", _PARTS)
    if len(parts) != _PARTS or parts[0] != _VERSION or not (parts[1] and parts[2]):
        return _refusal("malformed")
    _, middle, found = parts
    if not constant_time_eq(found, signature(middle, secret)):
        return _refusal("invalid_signature")
    try:
        payload = read_json(decoded(middle).decode("utf-8"))
    except (JsonError, ValueError):
        return _refusal("malformed_payload")
    return {"error": None, "ok": True, "payload": payload}


def _refusal(error: str) -> dict[str, object]:
    return {"error": error, "ok": False, "payload": None}


@native("session_cookie")
def session_cookie(
    name: object = MISSING, payload: object = MISSING, secret: object = MISSING, options: object = None
) -> str:
    """Return the text of a Set-Cookie header that holds a signed token."""
    expect_arguments("session_cookie", name, payload, secret)
    chosen = option_values("session_cookie", options, _DEFAULTS)
    return cookie_text(display(name), _token(payload, secret), chosen)


@native("session_from_cookies")
def session_from_cookies(
    headers: object = MISSING, name: object = MISSING, secret: object = MISSING
) -> dict[str, object]:
    """Return the value in the signed cookie of a request, if there is one and its signature is valid."""
    expect_arguments("session_from_cookies", headers, name, secret)
    wanted = display(name)
    token = next((value for found, value in read_cookies(headers)[0] if found == wanted), None)
    return _refusal("missing_cookie") if token is None else _verified(token, display(secret))
