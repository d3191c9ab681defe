"""The answer to an HTTP request, read while it arrives."""

from __future__ import annotations

import zlib

from harnlite.http.failures import OTHER, Failure, broken, too_large
from harnlite.http.framing import Events, Lines, LineTooLongError
from harnlite.runtime.tasks.clock import waiting_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harnlite.http.addresses import Address
    from harnlite.http.exchange import Exchange, Head

MAX_BODY, MAX_LINE = 256 * 1024 * 1024, 16 * 1024 * 1024
_GZIP_OR_ZLIB, _RAW = 47, -15
_GZIP_START = b"\x1f"
"""The start of a further member of a compressed body; anything else after the end of one is padding."""
_MOST_MEMBERS = 10_000
_COMPRESSED = frozenset({"gzip", "x-gzip", "deflate"})


class HttpResponse:
    """An answer: its status and headers, and its body as bytes, lines or events.

    Whoever has asked for it calls `close`; if the body has not been read to its end, that closes the connection.
    """

    __slots__ = ("_exchange", "_limit", "_until", "address", "cookies", "headers", "status")

    def __init__(self, exchange: Exchange, address: Address, head: Head, max_bytes: int = MAX_BODY) -> None:
        self._exchange = exchange
        self._limit = max_bytes
        self._until: float | None = None
        self.address = address
        self.status = head.status
        self.headers: dict[str, str] = {}
        """The headers by their names in lower case; several of one name are joined with commas."""
        self.cookies: list[str] = []
        """The values of the headers Set-Cookie, which joining would make ambiguous."""
        for key, value in head.headers:
            name, text = key.decode("latin-1").lower(), value.decode("latin-1")
            if name == "set-cookie":
                self.cookies.append(text)
            self.headers[name] = f"{self.headers[name]}, {text}" if name in self.headers else text

    @property
    def content_type(self) -> str:
        """Return the content type without parameters, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def chunks(self) -> Iterator[bytes]:
        """Yield the body as it arrives, decompressed; raise if it is larger than the limit."""
        unpacked = self._unpacker()
        size = 0
        while True:
            chunk = self._exchange.take(self._until)
            if not isinstance(chunk, bytes):
                break
            for part in (chunk,) if unpacked is None else unpacked.feed(chunk, self._limit - size):
                size += len(part)
                if size > self._limit:
                    self.close()
                    raise too_large(self.address.place, "a body", self._limit)
                yield part
        if unpacked is not None and not unpacked.is_complete:
            raise broken(self.address.place, "the compressed answer is cut")

    def _unpacker(self) -> _Unpacker | None:
        coding = self.headers.get("content-encoding", "").strip().lower()
        if coding in ("", "identity"):
            return None
        if coding not in _COMPRESSED:
            self.close()
            raise Failure(OTHER, f"{self.address.place} sent a body with the unknown encoding {coding!r}").error()
        return _Unpacker(self.address.place)

    def read(self) -> bytes:
        """Return the whole body."""
        return b"".join(self.chunks())

    def start(self, count: int) -> bytes:
        """Return at most `count` bytes from the start of the body, and close the answer if there are more."""
        parts: list[bytes] = []
        left = count
        for chunk in self.chunks():
            parts.append(chunk[:left])
            left -= len(chunk)
            if left <= 0:
                self.close()
                break
        return b"".join(parts)

    def lines(self, limit: int = MAX_LINE, codec: str = "utf-8") -> Iterator[str]:
        """Yield the lines of the body; the last one may lack its end."""
        lines = Lines(limit, codec)
        try:
            for chunk in self.chunks():
                yield from lines.feed(chunk)
            complete, rest = lines.rest()
            yield from complete
            if rest:
                yield rest
        except LineTooLongError:
            self.close()
            raise too_large(self.address.place, "a line", limit) from None

    def events(self, limit: int = MAX_LINE) -> Iterator[tuple[str | None, str]]:
        """Yield the server-sent events of the body: the name, or None, and the data.

        The empty line after the last event may be missing, but not the end of its last line.
        """
        lines, events = Lines(limit), Events(limit)
        try:
            for chunk in self.chunks():
                for line in lines.feed(chunk):
                    found = events.feed(line)
                    if found is not None:
                        yield found
            complete, rest = lines.rest()
            for line in [*complete, *([] if rest else [""])]:
                found = events.feed(line)
                if found is not None:
                    yield found
        except LineTooLongError:
            self.close()
            raise too_large(self.address.place, "an event", limit) from None

    def end_within(self, seconds: float) -> None:
        """Treat the body as complete if it does not end within a time."""
        self._until = waiting_time() + seconds

    def drain(self) -> None:
        """End an answer whose last useful piece has been read; the connection may be used again."""
        self._exchange.drain()

    def close(self) -> None:
        """Close the connection at once, unless the whole answer has arrived."""
        self._exchange.close()


class _Unpacker:
    """Decompresses a body piece by piece, and never produces much more than was asked for."""

    __slots__ = ("_engine", "_has_started", "_members", "_place")

    def __init__(self, place: str) -> None:
        self._place = place
        self._engine: Any = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._has_started = False
        self._members = 1

    @property
    def is_complete(self) -> bool:
        """Return whether the compressed data has ended, or nothing has arrived."""
        return bool(self._engine.eof) or not self._has_started

    def feed(self, chunk: bytes, most: int) -> Iterator[bytes]:
        """Yield what a chunk contains, in pieces; stop soon after `most` bytes."""
        data = chunk
        while data:
            if self._engine.eof:
                if not data.startswith(_GZIP_START):
                    return
                self._members += 1
                if self._members > _MOST_MEMBERS:
                    raise broken(self._place, "the compressed answer has too many members")
                self._engine = zlib.decompressobj(_GZIP_OR_ZLIB)
            try:
                part = self._engine.decompress(data, 65_536)
            except zlib.error:
                if self._has_started:
                    raise broken(self._place, "the compressed answer is damaged") from None
                self._engine = zlib.decompressobj(_RAW)
                self._has_started = True
                continue
            self._has_started = True
            data = self._engine.unused_data if self._engine.eof else self._engine.unconsumed_tail
            most -= len(part)
            if part:
                yield part
            if most < 0:
                return
