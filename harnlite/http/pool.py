"""The one pool of the process: a thread with an event loop that performs all HTTP requests."""

from __future__ import annotations

import asyncio
import os
import threading

import httpcore2

from harnlite.http.connections import Connections
from harnlite.http.failures import failure_of
from harnlite.runtime.tasks.clock import waiting_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from typing import Any

    from harnlite.http.exchange import Exchange
    from harnlite.http.request import HttpRequest

_STOP_SECONDS = 5.0
CHUNKS_AHEAD = 16
"""How many pieces of an answer, of at most 64 kB each, may wait for the task that reads it."""
DRAINED_BYTES, DRAIN_SECONDS = 65_536, 1.0
"""How much of an answer is read after its end mark, so that the connection can be used again."""


class Pool:
    """The thread that performs requests, its event loop and its connections. They start with the first request."""

    __slots__ = ("_connections", "_inherited", "_lock", "_loop", "_owner", "_thread")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._connections = Connections()
        self._owner = 0
        # A forked process inherits a loop without its thread. Its collection would close what the parent still uses.
        self._inherited: list[object] = []

    def loop(self) -> AbstractEventLoop:
        """Return the loop of this process; any thread may call this method."""
        loop = self._loop
        if loop is not None and self._owner == os.getpid():
            return loop
        with self._lock:
            if self._loop is None or self._owner != os.getpid():
                self._start()
            return self._loop  # type: ignore[return-value]  # _start has set it

    def _start(self) -> None:
        if self._loop is not None:
            self._inherited += (self._loop, self._connections, self._thread)
        self._connections = Connections()
        self._owner = os.getpid()
        self._loop = loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_serve, args=(loop,), name="harnlite-http", daemon=True)
        self._thread.start()

    def after_fork(self) -> None:
        """Give up what belongs to the parent of a forked process. Another thread may have held the lock."""
        self._lock = threading.Lock()
        if self._loop is not None:
            self._connections.abandon()

    def start(self, exchange: Exchange) -> None:
        """Begin to perform a request; any thread may call this method."""
        self.loop().call_soon_threadsafe(self._begin, exchange)

    def _begin(self, exchange: Exchange) -> None:
        if not exchange.is_closed:
            exchange.job = asyncio.get_running_loop().create_task(self._perform(exchange))

    async def _perform(self, exchange: Exchange) -> None:
        """Send the request of an exchange and pass on its answer."""
        request = exchange.request
        loop = asyncio.get_running_loop()
        limit = None if request.until is None else loop.call_later(request.until - waiting_time(), exchange.expire)
        failure = None
        try:
            await _transfer(self._connections, exchange)
        except asyncio.CancelledError:
            failure = exchange.time_failure()
        except BaseException as error:  # noqa: BLE001 - passed to the task that waits for the answer
            failure = failure_of(error, request.address.place, request.idle_timeout)
        finally:
            if limit is not None:
                limit.cancel()
        exchange.job = None
        exchange.end(failure)

    def count(self) -> int:
        """Return the number of open connections."""
        return self._connections.count()

    def close(self) -> None:
        """Close all connections and end the thread; the next request starts a new one."""
        with self._lock:
            loop, thread, self._loop = self._loop, self._thread, None
        if loop is None or thread is None or self._owner != os.getpid():
            return
        asyncio.run_coroutine_threadsafe(_stop(self._connections), loop).result(_STOP_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_STOP_SECONDS)


async def _transfer(connections: Connections, exchange: Exchange) -> None:
    request = exchange.request
    connection = await connections.take(request.address, is_public_only=request.is_public_only)
    try:
        response = await connection.handle_async_request(_wire_request(request))
        exchange.begin(response.status, response.headers)
        body: Any = response.stream
        chunks = body.__aiter__()
        try:
            async for chunk in chunks:
                exchange.put(chunk)
                if exchange.is_full() and not exchange.is_closed:
                    await exchange.room()
        finally:
            await chunks.aclose()
            await body.aclose()
    finally:
        await connections.give_back(connection)


def _wire_request(request: HttpRequest) -> httpcore2.Request:
    """Return a request in the form of the library."""
    address = request.address
    seconds = {
        "connect": request.connect_timeout,
        "read": request.idle_timeout,
        "write": request.idle_timeout,
        "pool": None,
    }
    return httpcore2.Request(
        request.method,
        httpcore2.URL(
            scheme=address.scheme.encode(),
            host=address.host.encode(),
            port=address.unusual_port,
            target=address.target.encode("ascii"),
        ),
        headers=request.sent_headers(),
        content=request.body,
        extensions={"timeout": seconds},
    )


async def _stop(connections: Connections) -> None:
    """Cancel all requests, close all connections and stop the threads of the loop."""
    loop = asyncio.get_running_loop()
    jobs = asyncio.all_tasks(loop) - {asyncio.current_task(loop)}
    for job in jobs:
        job.cancel()
    if jobs:
        await asyncio.wait(jobs, timeout=_STOP_SECONDS)
    await connections.close()
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()


def _serve(loop: AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


POOL = Pool()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=POOL.after_fork)
