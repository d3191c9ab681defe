"""The limits for connections: how many there may be, and how slowly a request may arrive."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

MOST_CONNECTIONS = 4096
RESERVED_FILES = 128
"""The files that the process needs for everything but connections."""
WINDOW = 10.0
"""The seconds in which the headers of a request have to arrive."""
LEAST_BYTES = 10 * 1024
"""The bytes of a body that have to arrive in each window."""
TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class PatientConnection(H11Protocol):
    """A connection that ends if its client sends a request too slowly, because it would stay open forever."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - those of uvicorn
        super().__init__(*arguments, **options)
        self._timer: asyncio.TimerHandle | None = None
        self._received = 0
        """The bytes that have arrived in the window."""

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - a transport
        """Start to wait for the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request."""
        self._received += len(data)
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Go on with the next request."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to wait."""
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Measure the time while a request is incomplete. Between two requests, uvicorn measures it."""
        is_incomplete = self.conn.their_state in {h11.IDLE, h11.SEND_BODY} and not self.transport.is_closing()
        if not is_incomplete or self.timeout_keep_alive_task is not None:
            self._stop()
        elif self._timer is None:
            self._received = 0
            self._timer = self.loop.call_later(WINDOW, self._end_window)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_window(self) -> None:
        self._timer = None
        if self.conn.their_state is h11.SEND_BODY and self._received >= LEAST_BYTES:
            self._watch()
            return
        has_begun = bool(self.conn.trailing_data[0])
        if has_begun if self.conn.their_state is h11.IDLE else not self.cycle.response_started:
            self.transport.write(TIMEOUT)
        self.transport.close()


def most_connections() -> int:
    """Return the number of connections that the limit for open files leaves room for."""
    if sys.platform == "win32":
        return MOST_CONNECTIONS
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if limit < 0 else max(min(limit - RESERVED_FILES, MOST_CONNECTIONS), 1)
