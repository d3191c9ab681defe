"""HTTP for the tasks of a run: each request is checked by the access control and waits without blocking other tasks."""

from __future__ import annotations

import socket

from harnlite.http.addresses import address_of, is_public
from harnlite.http.exchange import Exchange
from harnlite.http.failures import OTHER, REJECTED, Failure
from harnlite.http.request import HttpRequest
from harnlite.http.response import MAX_BODY, HttpResponse
from harnlite.runtime.access_control import permissions_of, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.http.addresses import Address
    from harnlite.http.request import Headers
    from harnlite.runtime.tasks.execution import Execution

NET = "net"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


def send(  # noqa: PLR0913 - each is a keyword
    run: Execution,
    method: str,
    url: str,
    *,
    name: str,
    headers: Headers = (),
    body: bytes = b"",
    timeout: float | None = None,
    idle_timeout: float | None = None,
    follow: int = 0,
    max_bytes: int = MAX_BODY,
    is_configured: bool = False,
) -> HttpResponse:
    """Send a request for the builtin `name`, and return the answer as soon as its headers have arrived.

    At most `follow` redirects are followed; the access control is asked about each of them. `is_configured` means that
    the user has configured the address, as that of a model provider: then it counts as named by the scopes of `net`.
    """
    address = _address(url)
    request = HttpRequest(
        method=method,
        address=address,
        headers=headers,
        body=body,
        timeout=timeout,
        idle_timeout=idle_timeout,
        is_public_only=check_access(run, name, address, is_configured=is_configured),
    )
    while True:
        response = _exchanged(run, request, max_bytes)
        location = response.headers.get("location")
        if follow <= 0 or response.status not in _REDIRECTS or not location:
            return response
        response.close()
        follow -= 1
        address = _redirection(request.address, location)
        # The user has configured the first address only, not the one that its server names.
        is_public_only = check_access(run, name, address)
        request = request.redirected(response.status, address, is_public_only=is_public_only)


def _exchanged(run: Execution, request: HttpRequest, max_bytes: int) -> HttpResponse:
    exchange = Exchange(run, request)
    exchange.start()
    try:
        head = exchange.head()
    except BaseException:
        exchange.close()
        raise
    return HttpResponse(exchange, request.address, head, max_bytes)


def check_access(run: Execution, name: str, address: Address, *, is_configured: bool = False) -> bool:
    """Raise if the named builtin may not connect to an address; return whether only a public IP address may be used."""
    require(run, NET, name, None if is_configured else address.place)
    permissions = permissions_of(run)
    if is_configured or permissions is None or not permissions.restricts(NET):
        return False
    if permissions.names(NET, address.place):
        return False
    number = _numeric(address.host)
    if (number is not None and not is_public(number)) or _is_local_name(address.host):
        raise Failure(
            REJECTED, f"Tool '{name}' is not permitted: {address.place} is a private address that no scope of net names"
        ).error()
    return True


def _numeric(host: str) -> str | None:
    """Return the IP address that a host is, also in forms such as `127.1`, `0x7f000001` and `2130706433`, or None."""
    if ":" in host:
        return host
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


def _is_local_name(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")


def _address(url: str) -> Address:
    try:
        return address_of(url)
    except ValueError as error:
        raise Failure(OTHER, str(error)).error() from None


def _as_utf_8(value: str) -> str:
    """Return the value of a header whose bytes are UTF-8; other values do not change."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value


def _redirection(address: Address, location: str) -> Address:
    try:
        return address.joined(_as_utf_8(location))
    except ValueError as error:
        raise Failure(OTHER, f"{address.place} redirects to an invalid address: {error}").error() from None
