"""How connections are opened: to which addresses, through which proxy, and with which certificates."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from urllib.parse import unquote, urlsplit

import httpcore2

from harnlite.http.addresses import is_public
from harnlite.http.failures import PrivateAddressError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from harnlite.http.addresses import Address

    # the file and the folder with the certificates to trust, or None for those of the system
    Trusted = tuple[str | None, str | None]

_ATTEMPT_SECONDS = 3.0
_FEW_SOCKETS = 32
_PROXY_SCHEMES = frozenset({"http", "https", "socks5", "socks5h"})


class OpenSockets:
    """The sockets that are open. Those that have closed are removed whenever their number has doubled."""

    __slots__ = ("_most", "_sockets")

    def __init__(self) -> None:
        self._sockets: list[Any] = []
        self._most = _FEW_SOCKETS

    def add(self, sock: Any) -> None:  # noqa: ANN401 - a socket, or what asyncio gives for one
        """Add a socket."""
        if len(self._sockets) >= self._most:
            self._sockets = [known for known in self._sockets if known.fileno() >= 0]
            self._most = max(_FEW_SOCKETS, 2 * len(self._sockets))
        self._sockets.append(sock)

    def abandon(self) -> None:
        """Give up sockets that a forked process has inherited, so that they close when its parent closes them."""
        sink = os.open(os.devnull, os.O_RDWR)
        for sock in self._sockets:
            if sock.fileno() >= 0:
                # The number stays in use, since the objects of the parent close it once more.
                os.dup2(sink, sock.fileno(), inheritable=False)
        os.close(sink)


class AnyHosts(httpcore2.AnyIOBackend):
    """Connects to any host, and knows the sockets that are open."""

    def __init__(self, sockets: OpenSockets) -> None:
        self._sockets = sockets

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature of the library
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Return a connection to a host."""
        stream = await super().connect_tcp(host, port, timeout, local_address, socket_options)
        self._sockets.add(stream.get_extra_info("socket"))
        return stream


class PublicHosts(httpcore2.AsyncNetworkBackend):
    """Connects to public addresses only: to the very address that was checked, without a second look-up."""

    def __init__(self, inner: AnyHosts) -> None:
        self._inner = inner

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature of the library
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Return a connection to the first public address of a host that accepts one."""
        places = await _public_addresses(host, port)
        for number, place in enumerate(places):
            is_last = number == len(places) - 1
            seconds = timeout if is_last else min(timeout or _ATTEMPT_SECONDS, _ATTEMPT_SECONDS)
            try:
                return await self._inner.connect_tcp(place, port, seconds, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if is_last:
                    raise
        raise httpcore2.ConnectError("no address")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


async def _public_addresses(host: str, port: int) -> list[str]:
    """Return the addresses of a host; raise if none of them is public."""
    loop = asyncio.get_running_loop()
    try:
        rows = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpcore2.ConnectError(str(error)) from error
    found = [str(row[4][0]) for row in rows]
    public = [place for place in dict.fromkeys(found) if is_public(place)]
    if not public:
        raise PrivateAddressError(f"{host} has the private address {found[0]}, and no scope of net names this host")
    return public


def trusted_certificates() -> Trusted:
    """Return the file and the folder of certificates that the environment names."""
    environment = os.environ
    file, folder = environment.get("SSL_CERT_FILE"), environment.get("SSL_CERT_DIR")
    if not file and not folder:
        file = environment.get("REQUESTS_CA_BUNDLE") or environment.get("CURL_CA_BUNDLE")
        if file and os.path.isdir(file):
            file, folder = None, file
    return file or None, folder or None


def tls_context(trusted: Trusted) -> ssl.SSLContext:
    """Return a TLS context with the certificates to trust: those that the environment names, or those of the system."""
    file, folder = trusted
    if file or folder:
        return ssl.create_default_context(cafile=file, capath=folder)
    return httpcore2.default_ssl_context()


def proxy_for(address: Address) -> str | None:
    """Return the URL of the proxy that the environment names for an address, or None."""
    environment = os.environ
    names = (f"{address.scheme}_proxy", "all_proxy")
    if not any(environment.get(name) or environment.get(name.upper()) for name in names):
        return None
    import urllib.request

    proxies = urllib.request.getproxies_environment()
    found = proxies.get(address.scheme) or proxies.get("all")
    is_exempt = urllib.request.proxy_bypass_environment(address.place, proxies)  # type: ignore[attr-defined]  # not in the stubs
    if not found or is_exempt:
        return None
    return found if "://" in found else f"http://{found}"


def proxy_of(url: str) -> httpcore2.Proxy:
    """Return a proxy in the form of the library."""
    parts = urlsplit(url)
    user = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    scheme = parts.scheme or "http"
    if scheme not in _PROXY_SCHEMES:
        raise ValueError(f"'{scheme}' is not the scheme of a proxy")
    port = parts.port or (443 if scheme == "https" else 1080 if scheme.startswith("socks") else 80)
    host = parts.hostname or ""
    return httpcore2.Proxy(f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}", auth=user)
