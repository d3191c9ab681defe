"""Addresses of HTTP requests: what a URL names, and which IP addresses belong to public hosts."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import quote, unquote, urljoin, urlsplit

PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._~-]*[A-Za-z0-9_~])?\.?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_KEPT = "!#$%&'()*+,/:;=?@[]~"
_LONGEST_PORT = 5
_EMBEDDED = (
    # NAT64, 6to4 and IPv4-compatible addresses: how many bits to shift for the IPv4 address that they contain
    ("64:ff9b::", 96, 0),
    ("2002::", 16, 80),
    ("::", 96, 0),
)


class Address:
    """The parts of a URL. `host` is in lower case and never has brackets."""

    __slots__ = ("host", "port", "scheme", "target", "user")

    def __init__(self, scheme: str, host: str, port: int, target: str, user: str) -> None:
        self.scheme = scheme
        self.host = host
        self.port = port
        self.target = target
        """The path and the query as they are sent."""
        self.user = user
        """The user name and password of the URL, `name:password`, or an empty string."""

    @property
    def place(self) -> str:
        """Return `host:port`, as scopes and error messages name it."""
        return f"{self._bracketed}:{self.port}"

    @property
    def authority(self) -> str:
        """Return the value of the Host header: without the port if it is the usual one."""
        return self._bracketed if self.unusual_port is None else self.place

    @property
    def unusual_port(self) -> int | None:
        """Return the port, or None if it is the usual one of the scheme."""
        return None if self.port == PORTS[self.scheme] else self.port

    @property
    def url(self) -> str:
        """Return the URL without a user name and password."""
        return f"{self.scheme}://{self.authority}{self.target}"

    def is_same_origin(self, other: Address) -> bool:
        """Return whether another address is on the same server."""
        return (self.scheme, self.host, self.port) == (other.scheme, other.host, other.port)

    def joined(self, location: str) -> Address:
        """Return the address to which a redirect from here leads; raise ValueError if it is not valid."""
        found = address_of(urljoin(self.url, _trimmed(location)))
        if not found.user and found.is_same_origin(self):
            found.user = self.user
        return found

    @property
    def _bracketed(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def address_of(url: str) -> Address:
    """Return the address that a URL names; raise ValueError, with a text without the query and password, if invalid."""
    url = _trimmed(url)
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError("the URL is not valid") from None
    scheme = parts.scheme.lower()
    if scheme not in PORTS:
        raise ValueError(f"the URL has the scheme '{scheme}'; only http and https are supported")
    user, at, place = parts.netloc.rpartition("@")
    host, port = _split(place)
    target = quote(parts.path, safe=_KEPT) or "/"
    if parts.query:
        target += "?" + quote(parts.query, safe=_KEPT)
    return Address(scheme, host, port or PORTS[scheme], target.replace("#", "%23"), unquote(user) if at else "")


def _trimmed(url: str) -> str:
    """Return a URL without blanks around it; raise ValueError if it contains control characters.

    The library drops line breaks and tabs, so that the request would go to another address than the text names.
    """
    url = url.strip()
    if _CONTROL.search(url):
        raise ValueError("the URL contains a line break or another control character")
    return url


def _split(place: str) -> tuple[str, int]:
    """Return the host and the port of `host:port`; the port is 0 if there is none."""
    if place.startswith("["):
        text, bracket, rest = place[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise ValueError("the host of the URL is not valid")
        try:
            host = str(IPv6Address(text.partition("%")[0]))
        except ValueError:
            raise ValueError(f"'{text}' is not an IPv6 address") from None
        port = rest[1:]
    else:
        host, _, port = place.partition(":")
        host = _ascii(host)
    if port and not (port.isascii() and port.isdigit() and len(port) <= _LONGEST_PORT and 0 < int(port) <= 65_535):  # noqa: PLR2004 - the highest port
        raise ValueError(f"'{port[:20]}' is not a port")
    return host, int(port) if port else 0


def _ascii(host: str) -> str:
    """Return the name of a host in ASCII; raise ValueError if it is not a valid name."""
    if not host:
        raise ValueError("the URL has no host")
    if not host.isascii():
        import httpx2

        try:
            host = httpx2.URL(f"http://{host}/").raw_host.decode()
        except (httpx2.InvalidURL, UnicodeError):
            raise ValueError(f"'{host}' is not the name of a host") from None
    if not _HOST.fullmatch(host):
        raise ValueError(f"'{host}' is not the name of a host")
    return host.lower().rstrip(".")


def is_public(text: str) -> bool:
    """Return whether an IP address is neither loopback, link-local, private nor reserved, also if embedded in IPv6."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        inner = _embedded(address)
        if inner is not None and not is_public(str(inner)):
            return False
        if address.ipv4_mapped is not None:
            return True
    return address.is_global and not address.is_multicast


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address contains, or None."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    number = int(address)
    for prefix, bits, shift in _EMBEDDED:
        if number >> (128 - bits) == int(IPv6Address(prefix)) >> (128 - bits):
            return IPv4Address(number >> shift & 0xFFFF_FFFF)
    return None
