"""A small HTTP/1.1 server on asyncio: keep-alive, chunked bodies, TLS, and every misbehaviour of `faults`."""

import asyncio
import contextlib
import itertools
import socket
import ssl
import struct
import time
from collections.abc import Callable, Coroutine

from tests.vendors.delivery import Delivery
from tests.vendors.exchange import RecordedRequest

HEAD_LIMIT = 256 * 1024
HOLD = 0.002
REASONS = {200: "OK", 302: "Found", 307: "Temporary Redirect", 400: "Bad Request", 401: "Unauthorized",
           404: "Not Found", 422: "Unprocessable Entity", 429: "Too Many Requests", 500: "Internal Server Error",
           502: "Bad Gateway", 503: "Service Unavailable", 529: "Overloaded"}  # fmt: skip
Handler = Callable[[RecordedRequest], Delivery]


class ClientGone(Exception):
    """The client has closed the connection."""


class _Protocol(asyncio.StreamReaderProtocol):
    """A connection that knows at once when the client closes it, also while the server writes nothing."""

    def __init__(self, connected: Callable[["Connection"], None], transports: set[asyncio.BaseTransport]) -> None:
        self.gone = asyncio.Event()
        self._transports = transports
        super().__init__(
            asyncio.StreamReader(limit=HEAD_LIMIT),
            lambda reader, writer: connected(Connection(reader, writer, self.gone)),
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transports.add(transport)
        self._mine = transport
        super().connection_made(transport)

    def eof_received(self) -> bool | None:
        self.gone.set()
        return super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()
        # asyncio closes the socket after this method.
        asyncio.get_running_loop().call_soon(self._transports.discard, self._mine)
        super().connection_lost(exc)


class Connection:
    """The server's end of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, gone: asyncio.Event) -> None:
        self.reader = reader
        self.writer = writer
        self.gone = gone

    async def read_request(self, number: int) -> RecordedRequest | None:
        """Read one request, or return None at the end of the connection."""
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            method, target, _ = lines[0].split(" ", 2)
            pairs = tuple((name, value.strip()) for name, _, value in (line.partition(":") for line in lines[1:-2]))
            fields = {name.lower(): value for name, value in pairs}
            if fields.get("expect", "").lower() == "100-continue":
                self.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            if "chunked" in fields.get("transfer-encoding", ""):
                body = await self._read_chunks()
            else:
                body = await self.reader.readexactly(int(fields.get("content-length", "0")))
        except (asyncio.IncompleteReadError, OSError, ValueError):
            return None
        return RecordedRequest(
            method=method, target=target, headers=pairs, body=body, connection=number, arrived=time.monotonic()
        )

    async def _read_chunks(self) -> bytes:
        body = bytearray()
        while True:
            size = int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16)
            if not size:
                while await self.reader.readuntil(b"\r\n") != b"\r\n":
                    pass
                return bytes(body)
            body += await self.reader.readexactly(size)
            await self.reader.readexactly(2)

    async def pause(self, seconds: float) -> None:
        """Wait, but raise ClientGone as soon as the client closes the connection."""
        if self.gone.is_set():
            raise ClientGone
        if seconds > 0:
            try:
                await asyncio.wait_for(self.gone.wait(), seconds)
            except TimeoutError:
                return
            raise ClientGone

    async def send(self, data: bytes) -> None:
        """Write the bytes and wait until the client has room for more."""
        if self.gone.is_set():
            raise ClientGone
        self.writer.write(data)
        try:
            await self.writer.drain()
        except OSError:
            raise ClientGone from None

    def reset(self) -> None:
        """Close the connection with RST."""
        sock: socket.socket | None = self.writer.get_extra_info("socket")
        if sock is not None and sock.fileno() >= 0:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def deliver(self, delivery: Delivery) -> bool:
        """Send an answer; return whether the connection stays open."""
        await self.pause(delivery.latency)
        if delivery.ending == "reset" and delivery.head is None:
            self.reset()
            return False
        await self.send(delivery.head_bytes(REASONS))
        first = True
        for piece in itertools.chain(delivery.pieces, itertools.repeat(delivery.endless) if delivery.endless else ()):
            if not first:
                await self.pause(delivery.pace)
            first = False
            while delivery.holds is not None and delivery.holds(piece):
                await self.pause(HOLD)
            await self.send(delivery.framed(piece))
            if delivery.endless:
                await asyncio.sleep(0)
        if delivery.ending == "reset":
            await self.pause(0.05)  # what was sent arrives first
            self.reset()
            return False
        if delivery.ending == "keep" and delivery.is_chunked:
            await self.send(b"0\r\n\r\n")
        return delivery.ending == "keep" and not delivery.closes


class HttpServer:
    """Connections are served in the event loop of the thread that calls `run`."""

    def __init__(self, handler: Handler, failed: Callable[[BaseException], None], tls: ssl.SSLContext | None) -> None:
        self._handler = handler
        self._failed = failed
        self._tls = tls
        self._tasks: set[asyncio.Task[None]] = set()
        self._transports: set[asyncio.BaseTransport] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self.connections = 0
        self.port = 0

    def run(self, started: Callable[[], None]) -> None:
        """Serve until `stop` is called."""
        asyncio.run(self._run(started))

    @property
    def is_idle(self) -> bool:
        """Return whether all connections that clients have opened are closed."""
        return self.connections > 0 and not self._transports

    def stop(self) -> None:
        """Stop the server, from any thread."""
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)

    async def _run(self, started: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
            listener.settimeout(0)
            self.port = listener.getsockname()[1]
            accepting = asyncio.create_task(self._accept(listener, self._stop))
            started()
            await self._stop.wait()
            with socket.socket() as last:
                last.settimeout(0)
                await self._loop.sock_connect(last, listener.getsockname())
                await accepting
        await self._close_connections()

    async def _accept(self, listener: socket.socket, stop: asyncio.Event) -> None:
        """Accept connections. After `stop`, the next one ends this: a cancelled `sock_accept` may lose its socket.

        A server of asyncio drops the sockets that it has accepted in the turn of the loop in which it is closed.
        """
        loop = asyncio.get_running_loop()
        while True:
            accepted, _ = await loop.sock_accept(listener)
            if stop.is_set():
                accepted.close()
                return
            self._start(self._establish(accepted))

    async def _establish(self, accepted: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):  # the client refuses the certificate, or has gone
            await loop.connect_accepted_socket(
                lambda: _Protocol(self._connected, self._transports), accepted, ssl=self._tls
            )

    async def _close_connections(self) -> None:
        """Close every connection, also one that is not established yet.

        A socket or a transport that is collected while it is open would warn in the test that runs then.
        """
        await asyncio.sleep(0)  # each task has begun: it has made a transport of its socket
        while self._tasks or self._transports:
            for task in self._tasks:
                task.cancel()
            for transport in [*self._transports]:
                transport.abort() if isinstance(transport, asyncio.WriteTransport) else transport.close()
            await asyncio.sleep(0)

    def _connected(self, connection: Connection) -> None:
        self.connections += 1
        self._start(self._serve(connection, self.connections))

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, connection: Connection, number: int) -> None:
        try:
            while request := await connection.read_request(number):
                delivery = self._handler(request)
                try:
                    is_open = await connection.deliver(delivery)
                except ClientGone:
                    request.closed_by_client.set()
                    return
                request.answered.set()
                if not is_open or (request.header("connection") or "").lower() == "close":
                    return
        except asyncio.CancelledError:
            connection.writer.transport.abort()
        except BaseException as error:  # noqa: BLE001 - reported to the test that uses the server
            self._failed(error)
        finally:
            connection.writer.close()
