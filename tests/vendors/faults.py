"""The ways in which a vendor server can misbehave. A test passes one of them to a reply."""

import dataclasses
import datetime as dt
import email.utils
import typing

Place = typing.Literal["before_headers", "after_headers", "inside_body"]
Cut = typing.Literal["end_mark", "character", "chunk", "half"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One misbehaviour. The functions of this module make the useful ones; use `dataclasses.replace` to mix them."""

    status: int | None = None  # the vendor's own error with this status
    message: str | None = None  # the text of that error, or of the error inside a stream
    code: str | None = None  # the vendor's code or type of the error instead of the usual one for the status
    echo_key: bool = False  # the text of the error repeats the API key of the request
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None  # these bytes instead of the body
    content_type: str | None = None
    content_length: int = 0  # added to the true content length; the body is then never chunked
    error_after: int | None = None  # an error event after this number of events of a stream
    cut: Cut | None = None
    reset: Place | None = None
    endless: bool = False
    padding: int = 0  # bytes of insignificant filler before the end of the body
    gzip: bool = False
    http10: bool = False
    closes: bool = False  # the server closes the connection after the answer without saying so


def error(status: int, message: str | None = None, *, code: str | None = None, echo_key: bool = False) -> Fault:
    """Answer with the vendor's own error JSON."""
    return Fault(status=status, message=message, code=code, echo_key=echo_key)


def rate_limited(retry_after: float | None = None, *, as_date: bool = False, status: int = 429) -> Fault:
    """Answer 429 with `Retry-After`, as seconds or as an HTTP date (whole seconds, rounded up)."""
    if retry_after is None:
        return Fault(status=status)
    value = f"{retry_after:g}"
    if as_date:
        at = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=retry_after + 0.999)
        value = email.utils.format_datetime(at, usegmt=True)
    return Fault(status=status, headers=(("retry-after", value),))


def error_in_stream(after: int = 2, message: str | None = None, *, code: str | None = None) -> Fault:
    """Start a stream with status 200 and send the vendor's error event after the given number of events."""
    return Fault(error_after=after, message=message, code=code)


def cut(where: Cut = "end_mark") -> Fault:
    """End the body early: without the end mark (closed properly), inside a character or a chunk, or after half of it.

    `character` needs text that is not ASCII. `end_mark` and `character` end the HTTP message in order, so only the
    vendor's protocol shows the loss; `chunk` and `half` close the connection inside the HTTP message.
    """
    return Fault(cut=where)


def reset(place: Place = "before_headers") -> Fault:
    """Reset the connection (RST)."""
    return Fault(reset=place)


def garbage(body: bytes = b"\x00\xff\xfe{]not json\r\n\r\n") -> Fault:
    """Answer 200 with bytes that are neither JSON nor events, but with the content type of the API."""
    return Fault(body=body)


def html(status: int = 200) -> Fault:
    """Answer with the HTML page of a proxy or a login form."""
    page = f"<!DOCTYPE html><html><head><title>{status}</title></head><body><h1>Welcome</h1></body></html>"
    return Fault(status=status, body=page.encode(), content_type="text/html; charset=utf-8")


def wrong_content_type(content_type: str = "text/plain") -> Fault:
    """Answer correctly, but with another content type."""
    return Fault(content_type=content_type)


def wrong_content_length(difference: int) -> Fault:
    """Announce more (positive) or fewer (negative) bytes than the body has, then close the connection."""
    return Fault(content_length=difference)


def gzipped() -> Fault:
    """Compress the body, whether the client asked for it or not."""
    return Fault(gzip=True)


def redirect(location: str, status: int = 307) -> Fault:
    """Redirect the request, usually to another host."""
    return Fault(status=status, body=b"", headers=(("location", location),))


def huge(size: int = 64 * 1024 * 1024) -> Fault:
    """Add this number of bytes to the body: spaces to JSON, comments or empty lines to a stream."""
    return Fault(padding=size)


def endless() -> Fault:
    """Repeat one event of the stream (spaces in JSON) until the client closes the connection."""
    return Fault(endless=True)


def closes_silently() -> Fault:
    """Answer correctly, then close the connection although nothing announces it; a pool keeps a dead connection."""
    return Fault(closes=True)


def http10() -> Fault:
    """Answer as HTTP/1.0: no length and no chunks; the end of the connection is the end of the body."""
    return Fault(http10=True)
