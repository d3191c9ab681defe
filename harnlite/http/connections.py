"""The open connections of the process, of which each carries one request at a time."""

from __future__ import annotations

import asyncio

import httpcore2

from harnlite.http.network import (
    AnyHosts,
    OpenSockets,
    PublicHosts,
    proxy_for,
    proxy_of,
    tls_context,
    trusted_certificates,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from harnlite.http.addresses import Address
    from harnlite.http.network import Trusted

    # the proxy, whether only public addresses are reached, and the trusted certificates
    Way: TypeAlias = tuple[str, bool, Trusted | None]
    # a way, and the scheme, the host and the port at its end
    Place: TypeAlias = tuple[Way, str, str, int]

KEPT_CONNECTIONS, KEPT_SECONDS = 256, 30.0


class Connections:
    """The connections of the process: those that carry a request, and the idle ones by where they lead.

    A connection that leads to public addresses only is never used for a request that may go anywhere, nor the other
    way round: so an address is checked whenever a connection is opened, and need not be checked when it is used again.
    The pool of the library would test every idle connection for each request; this one tests the connection it takes.
    """

    __slots__ = ("_busy", "_factories", "_idle", "_idle_count", "_sockets", "_sweep")

    def __init__(self) -> None:
        self._sockets = OpenSockets()
        self._factories: dict[Way, httpcore2.AsyncConnectionPool] = {}
        self._busy: dict[httpcore2.AsyncConnectionInterface, Place] = {}
        self._idle: dict[Place, list[httpcore2.AsyncConnectionInterface]] = {}
        self._idle_count = 0
        self._sweep: asyncio.TimerHandle | None = None

    async def take(self, address: Address, *, is_public_only: bool) -> httpcore2.AsyncConnectionInterface:
        """Return a connection for one request to an address: the idle one that was used last, or a new one."""
        proxy = proxy_for(address)
        trusted = trusted_certificates() if address.scheme == "https" else None
        way = (proxy or "", is_public_only and proxy is None, trusted)
        place = (way, address.scheme, address.host, address.port)
        while place in self._idle:
            connection = self._popped(place)
            if connection.is_idle() and not connection.has_expired():
                self._busy[connection] = place
                return connection
            await connection.aclose()
        origin = httpcore2.Origin(address.scheme.encode(), address.host.encode(), address.port)
        connection = self._factory(way).create_connection(origin)
        self._busy[connection] = place
        return connection

    async def give_back(self, connection: httpcore2.AsyncConnectionInterface) -> None:
        """Keep a connection whose request has ended, or close it if it cannot be used again."""
        place = self._busy.pop(connection, None)
        is_reusable = connection.is_idle() and not connection.is_closed()
        surplus: httpcore2.AsyncConnectionInterface | None = connection
        if place is not None and is_reusable:
            surplus = self._kept(connection, place)
            self._plan_sweep()
        if surplus is not None and not surplus.is_closed():
            await surplus.aclose()

    def _kept(
        self, connection: httpcore2.AsyncConnectionInterface, place: Place
    ) -> httpcore2.AsyncConnectionInterface | None:
        """Keep an idle connection. Return one that it displaces if too many are kept, from the place used least."""
        connections = self._idle[place] = self._idle.pop(place, [])
        connections.append(connection)
        self._idle_count += 1
        if self._idle_count <= KEPT_CONNECTIONS:
            return None
        oldest = next(iter(self._idle))
        displaced = self._idle[oldest].pop(0)
        if not self._idle[oldest]:
            del self._idle[oldest]
        self._idle_count -= 1
        return displaced

    def _popped(self, place: Place) -> httpcore2.AsyncConnectionInterface:
        connections = self._idle[place]
        connection = connections.pop()
        if not connections:
            del self._idle[place]
        self._idle_count -= 1
        return connection

    def _factory(self, way: Way) -> httpcore2.AsyncConnectionPool:
        """Return the object of the library that knows how to make a connection; its pool stays empty."""
        found = self._factories.get(way)
        if found is None:
            proxy, is_public_only, trusted = way
            hosts = AnyHosts(self._sockets)
            # Loading certificates takes 70 ms; requests without encryption need none.
            found = self._factories[way] = httpcore2.AsyncConnectionPool(
                ssl_context=None if trusted is None else tls_context(trusted),
                proxy=proxy_of(proxy) if proxy else None,
                keepalive_expiry=KEPT_SECONDS,
                network_backend=PublicHosts(hosts) if is_public_only else hosts,
            )
        return found

    def _plan_sweep(self) -> None:
        if self._sweep is None:
            loop = asyncio.get_running_loop()
            self._sweep = loop.call_later(KEPT_SECONDS, lambda: loop.create_task(self._close_expired()))

    async def _close_expired(self) -> None:
        """Close the idle connections that are too old, or that the server has closed."""
        self._sweep = None
        expired: list[httpcore2.AsyncConnectionInterface] = []
        for place, connections in list(self._idle.items()):
            old = [connection for connection in connections if connection.has_expired()]
            kept = [connection for connection in connections if connection not in old]
            expired += old
            self._idle[place] = kept
            if not kept:
                del self._idle[place]
        self._idle_count -= len(expired)
        if self._idle:
            self._plan_sweep()
        for connection in expired:
            await connection.aclose()

    def count(self) -> int:
        """Return the number of connections."""
        return len(self._busy) + self._idle_count

    def abandon(self) -> None:
        """Give up the connections that a forked process has inherited."""
        self._sockets.abandon()

    async def close(self) -> None:
        """Close all connections."""
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        found = [*self._busy, *(connection for connections in self._idle.values() for connection in connections)]
        self._busy.clear()
        self._idle.clear()
        self._idle_count = 0
        self._factories.clear()
        for connection in found:
            await connection.aclose()
