"""The answers that scripts get to their HTTP requests, from a server, a mock or a recording."""

from __future__ import annotations

import codecs
import re

from harnlite.formats.json.reading import JsonError, read_json
from harnlite.http.framing import Lines
from harnlite.library.http_options import LINES
from harnlite.runtime.tasks.generators import Generator
from harnlite.values.iterators import HarnIter
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator as Generation
    from collections.abc import Iterable, Mapping
    from typing import Any

    from harnlite.http.response import HttpResponse
    from harnlite.runtime.tasks.execution import Execution

_JSON = re.compile(r"(?:application|text)/(?:[\w.+-]+\+)?json\Z")
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([\w.:-]+)", re.IGNORECASE)
_TEXT_CODECS = re.compile(
    r"utf-(?:8|16|32)(?:-[lb]e)?|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|shift_jis|euc_\w+|gb\w+|big5"
)
_WIDE = ("utf-16", "utf-32")
_MARK = b"\xef\xbb\xbf"
SUCCESSES = range(200, 300)


class Answer:
    """An answer: `body` is what has been read of it, or the answer of a server that is still to be read."""

    __slots__ = ("body", "headers", "status", "url")

    def __init__(self, status: int, headers: Mapping[str, object], url: str, body: bytes | HttpResponse) -> None:
        self.status = status
        self.headers = headers
        self.url = url
        self.body = body

    def content_type(self) -> str:
        """Return the whole value of the header Content-Type."""
        found = self.headers.get("content-type")
        return found if isinstance(found, str) else ""

    def read(self) -> bytes:
        """Return the whole body."""
        if isinstance(self.body, bytes):
            return self.body
        parts, size = [], 0
        try:
            for chunk in self.body.chunks():
                size += len(chunk)
                check_size(size)
                parts.append(chunk)
        finally:
            self.close()
        self.body = b"".join(parts)
        return self.body

    def close(self) -> None:
        """Close the connection unless the whole body has arrived."""
        if not isinstance(self.body, bytes):
            self.body.close()

    def drop(self) -> None:
        """End the answer without reading it; the connection may be used again if the rest is short."""
        if not isinstance(self.body, bytes):
            self.body.drain()

    def pieces(self, run: Execution, kind: str) -> HarnIter:
        """Return the body as a lazy iter of its lines or chunks."""
        return HarnIter(Generator(self._pieces(kind), True, run))  # noqa: FBT003 - a Generator is always made by position

    def _pieces(self, kind: str) -> Generation[object, None, None]:
        body = self.body
        try:
            if not isinstance(body, bytes):
                yield from body.lines(codec=self._line_codec()) if kind == LINES else body.chunks()
            elif kind == LINES:
                yield from _lines(body, self._line_codec())
            elif body:
                yield body
        finally:
            self.close()

    def _line_codec(self) -> str:
        codec = _codec(self.content_type())
        return "utf-8" if codec.startswith(_WIDE) else codec

    def result(self, run: Execution, elapsed_ms: int, stream: str | None) -> dict[str, object]:
        """Return the dict that the script receives."""
        body: object
        if stream is not None:
            body, json = self.pieces(run, stream), None
        else:
            data = self.read()
            body, json = body_value(data, self.content_type()), self._json(data)
        return {
            "body": body,
            "elapsed_ms": elapsed_ms,
            "headers": {name: self.headers[name] for name in sorted(self.headers)},
            "json": json,
            "ok": self.status in SUCCESSES,
            "status": self.status,
            "url": self.url,
        }

    def _json(self, data: bytes) -> Any:  # noqa: ANN401 - any JSON value
        """Return the value of a JSON body, or None if the body is not JSON."""
        if not _JSON.match(self.content_type().partition(";")[0].strip().lower()):
            return None
        try:
            return read_json(data.removeprefix(_MARK).decode())
        except (JsonError, UnicodeDecodeError):
            return None


def _lines(body: bytes, codec: str) -> Iterable[str]:
    lines = Lines(len(body), codec)
    found = lines.feed(body)
    complete, rest = lines.rest()
    return [*found, *complete, *([rest] if rest else [])]


def body_value(data: bytes, content_type: str) -> str | bytes:
    """Return a body as a string, or as bytes if it is not a text in the charset of its content type."""
    if b"\0" in data and "utf-16" not in content_type.lower() and "utf-32" not in content_type.lower():
        return data
    try:
        return data.removeprefix(_MARK).decode(_codec(content_type))
    except UnicodeError:
        return data


def _codec(content_type: str) -> str:
    """Return the codec of the charset of a content type: UTF-8 if it names none that is known."""
    found = _CHARSET.search(content_type)
    if found is None:
        return "utf-8"
    try:
        name = codecs.lookup(found[1]).name
    except LookupError:
        return "utf-8"
    return name if _TEXT_CODECS.fullmatch(name) else "utf-8"
