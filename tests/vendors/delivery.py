"""Turn an answer and its fault into the bytes that are sent, and the way in which the connection ends."""

import dataclasses
import itertools
import typing
import zlib
from collections.abc import Callable, Iterable, Mapping

from tests.vendors.checks import Refused
from tests.vendors.exchange import Answer, RecordedRequest, Vendor
from tests.vendors.faults import Fault
from tests.vendors.replies import Reply

Ending = typing.Literal["keep", "close", "reset"]
Framing = typing.Literal["chunked", "length", "close"]
BLOCK = 64 * 1024


@dataclasses.dataclass(slots=True, kw_only=True)
class Delivery:
    """The bytes of one answer. Without a `head`, nothing is sent at all."""

    head: list[tuple[str, str]] | None = None
    status: int = 200
    pieces: Iterable[bytes] = ()
    framing: Framing = "length"
    version: str = "HTTP/1.1"
    ending: Ending = "keep"
    latency: float = 0.0
    pace: float = 0.0
    endless: bytes = b""
    closes: bool = False
    holds: Callable[[bytes], bool] | None = None  # asked again and again until the piece may be sent
    torn: int | None = None  # the last piece announces this number of bytes more than it has

    @property
    def is_chunked(self) -> bool:
        """Return whether each piece is an HTTP chunk."""
        return self.framing == "chunked"

    def head_bytes(self, reasons: Mapping[int, str]) -> bytes:
        """Return the status line and the headers."""
        lines = [f"{self.version} {self.status} {reasons.get(self.status, 'Unknown')}"]
        lines += [f"{name}: {value}" for name, value in self.head or ()]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def framed(self, piece: bytes) -> bytes:
        """Return a piece with the framing of HTTP."""
        if not self.is_chunked or not piece:
            return piece
        if self.torn:
            return b"%x\r\n%b" % (len(piece) + self.torn, piece)
        return b"%x\r\n%b\r\n" % (len(piece), piece)


def deliver(vendor: Vendor, answer: Answer, request: RecordedRequest, extra: Fault | None = None) -> Delivery:
    """Plan the delivery of a correct answer, spoiled by the fault of its reply."""
    reply = answer.reply or Reply()
    fault = extra or reply.fault or Fault()
    if fault.status is not None and fault.body is None:
        message = fault.message or f"simulated error {fault.status}"
        if fault.echo_key:
            message += f" (key {_key(request)})"
        refusal = Refused(fault.status, message, code=fault.code)
        answer = Answer(events=[vendor.error_body(refusal)], status=fault.status)
    elif fault.body is not None:
        answer = dataclasses.replace(answer, events=[fault.body], status=fault.status or 200, streamed=False)
    elif fault.error_after is not None:
        if not answer.streamed:
            raise ValueError("error_in_stream needs a request that asks for a stream")
        events = answer.events[: fault.error_after]
        answer = dataclasses.replace(
            answer, events=[*events, vendor.error_event(fault.message, fault.code)], end_marks=0
        )
    return _Plan(answer, fault, reply).delivery()


def _key(request: RecordedRequest) -> str:
    for name in ("x-api-key", "api-key", "x-goog-api-key", "authorization"):
        if value := request.header(name):
            return value.removeprefix("Bearer ")
    return ""


class _Plan:
    """The steps from an answer to a delivery."""

    def __init__(self, answer: Answer, fault: Fault, reply: Reply) -> None:
        self.answer = answer
        self.fault = fault
        self.result = Delivery(
            status=answer.status,
            pace=reply.pace,
            latency=reply.latency,
            framing="chunked" if answer.streamed else "length",
        )
        self.pieces = self._padded(list(answer.events))
        if reply.fragment:
            body = b"".join(self.pieces)
            self.pieces = [body[at : at + reply.fragment] for at in range(0, len(body), reply.fragment)]
            self.result.framing = "chunked"
        self.extra = [*reply.headers.items(), *fault.headers]

    def delivery(self) -> Delivery:
        """Return the finished delivery."""
        fault, result = self.fault, self.result
        if fault.reset == "before_headers":
            return Delivery(ending="reset", latency=result.latency)
        if fault.gzip:
            self._compress()
        total = sum(map(len, self.pieces))
        if fault.cut:
            total = self._cut(fault.cut, total)
        if fault.reset:
            result.ending = "reset"
            self.pieces = [] if fault.reset == "after_headers" else self._half()
        if fault.endless:
            result.endless = self.answer.filler * (1 if self.answer.streamed else BLOCK)
            result.framing = "chunked"
            self.pieces = self.pieces[: -self.answer.end_marks or None] if self.answer.streamed else []
        if fault.content_length:
            result.framing, result.ending = "length", "close"
            total += fault.content_length
        if fault.http10:
            result.framing, result.ending, result.version = "close", "close", "HTTP/1.0"
        result.closes = fault.closes
        result.head = self._head(total)
        result.pieces = self.pieces
        return result

    def _head(self, total: int) -> list[tuple[str, str]]:
        """Return the headers. The vendors write them in lower case, as HTTP/2 does."""
        head = [("content-type", self.fault.content_type or self.answer.content_type)]
        if self.result.framing == "chunked":
            head.append(("transfer-encoding", "chunked"))
        elif self.result.framing == "length":
            head.append(("content-length", str(total)))
        if self.fault.http10:
            head.append(("connection", "close"))
        return [*head, *self.answer.headers, *self.extra]

    def _padded(self, events: list[bytes]) -> list[bytes]:
        if not self.fault.padding:
            return events
        unit = self.answer.padding
        block = unit * max(1, BLOCK // len(unit))
        blocks = list(itertools.repeat(block, max(1, self.fault.padding // len(block))))
        at = len(events) - self.answer.end_marks if self.answer.streamed else len(events)
        return [*events[:at], *blocks, *events[at:]]

    def _compress(self) -> None:
        packer = zlib.compressobj(wbits=31)
        packed = [packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH) for piece in self.pieces]
        self.pieces = [*packed, packer.flush()]
        self.extra.append(("content-encoding", "gzip"))

    def _half(self) -> list[bytes]:
        """Return the first half of the pieces, or half of the only one."""
        if len(self.pieces) > 1:
            return self.pieces[: len(self.pieces) // 2]
        return [piece[: len(piece) // 2] for piece in self.pieces]

    def _cut(self, where: str, total: int) -> int:
        """Shorten the body; return the length to announce."""
        if where == "end_mark":
            if self.answer.streamed:
                self.pieces = self.pieces[: len(self.pieces) - self.answer.end_marks]
            else:
                self.pieces = [b"".join(self.pieces)[:-1]]
            return sum(map(len, self.pieces))
        if where == "character":
            body = b"".join(self.pieces)
            at = next((index for index, byte in enumerate(body) if byte >= 0x80), None)
            if at is None:
                raise ValueError("a cut inside a character needs a reply with text that is not ASCII")
            self.pieces = [body[: at + 1]]
            return at + 1
        self.result.ending = "close"
        if where == "half" or len(self.pieces) == 1:
            self.pieces = self._half()
            return total
        last = self.pieces[len(self.pieces) // 2]
        self.pieces = [b"".join(self.pieces[: len(self.pieces) // 2]) + last[: len(last) // 2]]
        self.result.torn = len(last) - len(last) // 2
        return total
