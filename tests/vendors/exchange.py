"""What passes between the HTTP server and a vendor: a recorded request and the answer to it."""

import dataclasses
import json
import threading
import typing
import urllib.parse
from collections.abc import Callable

from tests.vendors.checks import Refused
from tests.vendors.replies import Reply

JSON = "application/json"
EVENTS = "text/event-stream; charset=utf-8"


@dataclasses.dataclass(slots=True, kw_only=True, eq=False)
class RecordedRequest:
    """A request exactly as it arrived. `headers` keeps order and case; `body` is without the framing of HTTP."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    connection: int
    arrived: float
    answered: threading.Event = dataclasses.field(default_factory=threading.Event)
    closed_by_client: threading.Event = dataclasses.field(default_factory=threading.Event)

    @property
    def path(self) -> str:
        """Return the path of the target, still percent-encoded."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> dict[str, str]:
        """Return the parameters of the query."""
        return dict(urllib.parse.parse_qsl(self.target.partition("?")[2], keep_blank_values=True))

    def header(self, name: str) -> str | None:
        """Return the value of a header, or None."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    def json(self) -> typing.Any:
        """Return the parsed body."""
        return json.loads(self.body)


@dataclasses.dataclass(slots=True, kw_only=True)
class Answer:
    """A correct answer: the events of a stream, or a body as a single event."""

    events: list[bytes]
    reply: Reply | None = None
    content_type: str = JSON
    streamed: bool = False
    end_marks: int = 1  # how many of the last events make up the end mark
    filler: bytes = b" "  # what an endless answer repeats
    padding: bytes = b" " * 1024  # filler that clients must ignore
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200


class Vendor(typing.Protocol):
    """An API that a server speaks."""

    mount: str  # the path that belongs to the base URL

    def answer(self, request: RecordedRequest, next_reply: Callable[[], Reply]) -> Answer:
        """Check the request and answer it, or raise `Refused`."""

    def error_body(self, refusal: Refused) -> bytes:
        """Return the error JSON."""

    def error_event(self, message: str | None, code: str | None) -> bytes:
        """Return the event that reports an error inside a stream."""


def encoded(value: object) -> bytes:
    """Return compact JSON in UTF-8, as most vendors send it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def event(data: object, name: str | None = None, newline: bytes = b"\n") -> bytes:
    """Return one server-sent event."""
    prefix = b"event: " + name.encode() + newline if name else b""
    return prefix + b"data: " + encoded(data) + newline * 2


SSE_PADDING = b": " + b"-" * 1020 + b"\n\n"
