"""A server for the measurements of HTTP: it answers after 100 ms, whole or as a stream. Prints its port."""

from __future__ import annotations

import asyncio
import contextlib
import sys

LATENCY_SECONDS, EVENTS = 0.1, 20
BODY = b'{"text": "hello"}'
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\n%s\r\n\r\n"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    await reader.readexactly(int(line.partition(b":")[2]))
            if b"/stream" in head.partition(b"\r\n")[0]:
                await _stream(writer)
            elif b"/now" in head.partition(b"\r\n")[0]:
                writer.write(_HEAD % (b"application/json", b"content-length: %d" % len(BODY)) + BODY)
            else:
                await asyncio.sleep(LATENCY_SECONDS)
                writer.write(_HEAD % (b"application/json", b"content-length: %d" % len(BODY)) + BODY)
            await writer.drain()
    writer.close()


async def _stream(writer: asyncio.StreamWriter) -> None:
    writer.write(_HEAD % (b"text/event-stream", b"transfer-encoding: chunked"))
    for number in range(EVENTS + 1):
        await asyncio.sleep(LATENCY_SECONDS / (EVENTS + 1))
        data = b'data: {"text": "word "}\n\n' if number < EVENTS else b'data: {"end": true}\n\n'
        writer.write(b"%x\r\n%s\r\n" % (len(data), data))
    writer.write(b"0\r\n\r\n")


async def _main() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0, backlog=1024)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
