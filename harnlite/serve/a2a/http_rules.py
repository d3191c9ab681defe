"""The rules for requests before anyone reads their content: Host, Origin, token, type and size."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

MOST_BYTES = 16 * 1024 * 1024
MOST_HEADER_BYTES = 32 * 1024
_BEARER = "bearer"


@dataclass(frozen=True, slots=True)
class HttpRules:
    """The rules of a server. On a loopback address, `hosts` are the names other than those of loopback."""

    is_loopback: bool
    hosts: frozenset[str]
    token: str | None

    def allows_host(self, host: str | None) -> bool:
        """Return whether the header `Host` names this server."""
        return not self.is_loopback or (host is not None and self._is_own(host_name(host)))

    def allows_origin(self, origin: str | None) -> bool:
        """Return whether a web page of this origin may send requests: web pages can reach loopback addresses."""
        if origin is None or not self.is_loopback:
            return True
        try:
            parts = urlsplit(origin)
            return parts.scheme in {"http", "https"} and self._is_own(parts.hostname)
        except ValueError:
            return False

    def _is_own(self, name: str | None) -> bool:
        return name is not None and (is_loopback(name) or name in self.hosts)

    def allows_token(self, authorization: str | None) -> bool:
        """Return whether the header `Authorization` has the token; the time does not depend on what it has."""
        if self.token is None:
            return True
        scheme, _, given = (authorization or "").strip().partition(" ")
        is_equal = hmac.compare_digest(_octets(given.strip()), _octets(self.token))
        return is_equal and scheme.lower() == _BEARER


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def host_name(host: str) -> str | None:
    """Return the name in a header `Host`, without the port and in lower case, or None if it is not well formed."""
    if any(mark in host for mark in "/@?#\\"):
        return None
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return None
    return parts.hostname


def is_loopback(name: str) -> bool:
    """Return whether a host name or address is one of this machine's loopback interface."""
    plain = name.removesuffix(".").lower()
    if plain == "localhost" or plain.endswith(".localhost"):
        return True
    try:
        return ip_address(plain.partition("%")[0]).is_loopback
    except ValueError:
        return False


def is_web_address(url: str) -> bool:
    """Return whether a URL is one of HTTP with a host and a valid port."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def is_json(content_type: str | None) -> bool:
    """Return whether a header `Content-Type` is JSON: `application/json`, or a type that ends in `+json`."""
    kind = (content_type or "").partition(";")[0].strip().lower()
    main, _, name = kind.partition("/")
    return kind == "application/json" or (bool(main) and len(name) > len("+json") and name.endswith("+json"))
