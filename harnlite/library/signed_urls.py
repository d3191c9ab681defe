"""Builtins for URLs with claims, an expiry and a signature in their query."""

from __future__ import annotations

import hmac
import re

from harnlite.library.binary_text import base64url_text, utf8
from harnlite.library.native import MISSING, native
from harnlite.library.percent_encoding import percent_decoded, percent_encoded
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Pairs = Sequence[tuple[str, str]]

_VERSION = "harn-signed-url-v1"
_NAMES = {"signature_param": "sig", "expires_param": "exp", "kid_param": "kid"}
_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ABSOLUTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)(?:\?([^#]*))?", re.DOTALL)
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s:\[\]]+)(?::([0-9]*))?")
_DEFAULT_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}
_IN_PATH = re.compile(r"[^!$-;=@-Z\[-\]_a-z|~%]")
_DOT = re.compile(r"\.|%2e", re.IGNORECASE)
_INT = re.compile(r"[+-]?[0-9]{1,19}")
_MIN_INT, _MAX_INT = -(2**63), 2**63 - 1


class _Options:
    """The options of a signed URL."""

    __slots__ = ("expires", "kid", "kid_param", "signature", "skew")

    def __init__(self, function: str, given: object) -> None:
        options = _dict(function, "options", {} if given is None or given is MISSING else given)
        names = {key: _name(function, key, options.get(key), default) for key, default in _NAMES.items()}
        self.signature, self.expires, self.kid_param = names.values()
        kid = options.get("kid")
        self.kid = None if kid is None else _name(function, "kid", kid, "")
        skew = options.get("skew_seconds", 0)
        if skew.__class__ is not int:
            raise runtime_error(f"{function}: option `skew_seconds` must be an int, got {type_name(skew)}")
        self.skew: int = skew
        if len(set(names.values())) < len(names):
            raise runtime_error(f"{function}: signature_param, expires_param, and kid_param must be distinct")
        if skew < 0:
            raise runtime_error(f"{function}: skew_seconds must be greater than or equal to 0")

    @property
    def reserved(self) -> tuple[str, str, str]:
        """The parameters that are not claims."""
        return self.signature, self.expires, self.kid_param


def _name(function: str, key: str, value: object, default: str) -> str:
    if value is None:
        return default
    if not isinstance(value, str):
        raise runtime_error(f"{function}: option `{key}` must be a string, got {type_name(value)}")
    if not value:
        raise runtime_error(f"{function}: option `{key}` cannot be empty")
    return value


def _text(function: str, name: str, value: object) -> str:
    if not isinstance(value, str):
        raise runtime_error(f"{function}: {name} must be a string, got {type_name(value)}")
    return value


def _int(function: str, name: str, value: object) -> int:
    if value.__class__ is not int:
        raise runtime_error(f"{function}: {name} must be an int, got {type_name(value)}")
    return value


def _dict(function: str, name: str, value: object) -> dict[str, object]:
    if value.__class__ is not dict:
        raise runtime_error(f"{function}: {name} must be a dict, got {type_name(value)}")
    return value


# The parts of a URL


def _split(function: str, url: str) -> tuple[str, str]:
    """Return the resource of a URL, which is its origin and path or its path alone, and the query."""
    if url.startswith("/"):
        path, _, query = url.partition("#")[0].partition("?")
        return path, query
    found = _ABSOLUTE.match(url)
    host = None if found is None else _HOST.fullmatch(found[2].rpartition("@")[2])
    if found is None or host is None:
        with_host = " with a host" if _HAS_SCHEME.match(url) else ""
        raise runtime_error(f"{function}: expected an absolute URL{with_host} or an absolute path starting with `/`")
    scheme, path, query = found[1].lower(), found[3], found[4] or ""
    port = "" if host[2] in {None, "", _DEFAULT_PORTS.get(scheme)} else f":{host[2]}"
    return f"{scheme}://{host[1].lower()}{port}{_normal_path(path)}", query


def _normal_path(path: str) -> str:
    """Return a path without dot segments and with characters escaped that no URL contains."""
    parts: list[str] = []
    segments = path.replace("\\", "/").split("/")[1:] or [""]
    for index, segment in enumerate(segments):
        plain = _DOT.sub(".", segment)
        if plain == ".." and parts:
            parts.pop()
        if plain not in {".", ".."}:
            parts.append(segment)
        elif index == len(segments) - 1:
            parts.append("")
    return "/" + _IN_PATH.sub(lambda char: percent_encoded(utf8(char[0])), "/".join(parts))


def _pairs(query: str) -> list[tuple[str, str]]:
    """Return the decoded pairs of a query."""
    parts = (part.partition("=") for part in query.split("&") if part)
    return [(percent_decoded(key), percent_decoded(value)) for key, _, value in parts]


def _query(pairs: Iterable[tuple[str, str]]) -> str:
    """Return the canonical query of pairs."""
    encoded = sorted((percent_encoded(utf8(key)), percent_encoded(utf8(value))) for key, value in pairs)
    return "&".join(f"{key}={value}" for key, value in encoded)


def _signature(secret: str, resource: str, pairs: Pairs) -> str:
    message = f"{_VERSION}\n{resource}\n{_query(pairs)}"
    return base64url_text(hmac.digest(utf8(secret), utf8(message), "sha256"))


# Signing


@native("signed_url")
def signed_url(
    base: object = MISSING,
    claims: object = MISSING,
    secret: object = MISSING,
    expires_at: object = MISSING,
    options: object = None,
) -> str:
    """Return a URL with claims, an expiry and a signature."""
    function = "signed_url"
    if expires_at is MISSING:
        raise runtime_error(f"{function}: requires 4 or 5 arguments: base, claims, secret, expires_at, options?")
    url, given = _text(function, "base", base), _dict(function, "claims", claims)
    key, expires = _text(function, "secret", secret), _int(function, "expires_at", expires_at)
    names = _Options(function, options)
    resource, query = _split(function, url)
    pairs = [pair for pair in _pairs(query) if pair[0] not in names.reserved]
    for name, value in sorted(given.items()):
        if name in names.reserved:
            raise runtime_error(f"{function}: claims cannot contain reserved parameter `{name}`")
        pairs.append((name, display(value)))
    pairs.append((names.expires, str(expires)))
    if names.kid is not None:
        pairs.append((names.kid_param, names.kid))
    signature = _signature(key, resource, pairs)
    return f"{resource}?{_query([*pairs, (names.signature, signature)])}"


# Verifying


@native("verify_signed_url")
def verify_signed_url(
    url: object = MISSING, secret_or_keys: object = MISSING, now: object = MISSING, options: object = None
) -> dict[str, object]:
    """Return whether a signed URL is valid, and its claims."""
    function = "verify_signed_url"
    if now is MISSING:
        raise runtime_error(f"{function}: requires 3 or 4 arguments: url, secret_or_keys, now, options?")
    text = _text(function, "url", url)
    if not isinstance(secret_or_keys, str) and secret_or_keys.__class__ is not dict:
        kind = type_name(secret_or_keys)
        raise runtime_error(f"{function}: secret_or_keys must be a string or dict, got {kind}")
    time = _int(function, "now", now)
    names = _Options(function, options)
    resource, query = _split(function, text)
    return _verdict(names, resource, _pairs(query), secret_or_keys, time)


def _verdict(names: _Options, resource: str, pairs: Pairs, keys: object, now: int) -> dict[str, object]:
    signatures, expiries, kids = ([value for key, value in pairs if key == name] for name in names.reserved)
    expires_at = _whole(expiries[0]) if len(expiries) == 1 else None
    kid = kids[0] if len(kids) == 1 else None
    result: dict[str, object] = {
        "claims": {}, "expired": False, "expires_at": expires_at, "kid": kid, "reason": "", "signature_valid": False,
        "valid": False,
    }  # fmt: skip
    secret = _secret(keys, kid)
    if not signatures:
        return {**result, "reason": "missing_signature"}
    if not expiries:
        return {**result, "reason": "missing_expiry"}
    if expires_at is None:
        return {**result, "reason": "invalid_expiry"}
    if len(kids) > 1:
        return {**result, "reason": "duplicate_kid"}
    if secret is None:
        return {**result, "reason": "unknown_key"}
    result["claims"] = {key: value for key, value in pairs if key not in names.reserved}
    result["expired"] = now > expires_at + names.skew
    expected = _signature(secret, resource, [pair for pair in pairs if pair[0] != names.signature])
    if len(signatures) > 1 or not hmac.compare_digest(utf8(expected), utf8(signatures[0])):
        return {**result, "reason": "bad_signature"}
    reason = "expired" if result["expired"] else "ok"
    return {**result, "reason": reason, "signature_valid": True, "valid": reason == "ok"}


def _secret(keys: object, kid: str | None) -> str | None:
    """Return the secret that signs with a key, or None if there is none."""
    found = keys.get(kid) if isinstance(keys, dict) else keys
    return found if isinstance(found, str) else None


def _whole(text: str) -> int | None:
    """Return the int that a text is, or None."""
    if not _INT.fullmatch(text):
        return None
    value = int(text)
    return value if _MIN_INT <= value <= _MAX_INT else None
