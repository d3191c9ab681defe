"""A request as it is sent over HTTP."""

from __future__ import annotations

from base64 import b64encode

from harnlite.runtime.tasks.clock import waiting_time
from harnlite.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol, TypeAlias

    from harnlite.http.addresses import Address

    class Hidden(Protocol):
        """A header value that no text shows."""

        def reveal(self) -> str:
            """Return the value."""
            ...

    Headers: TypeAlias = Iterable[tuple[str, str | Hidden]]

CONNECT_SECONDS = 30.0
AUTHORIZATION = "authorization"


class HttpRequest:
    """A request. `timeout` limits the whole exchange, `idle_timeout` the time between two pieces, both in seconds.

    The requests that follow redirects share one time limit, which ends at `until`.
    """

    __slots__ = (
        "_headers",
        "address",
        "body",
        "connect_timeout",
        "idle_timeout",
        "is_public_only",
        "method",
        "timeout",
        "until",
    )

    def __init__(
        self,
        *,
        method: str,
        address: Address,
        headers: Headers = (),
        body: bytes = b"",
        timeout: float | None = None,
        idle_timeout: float | None = None,
        is_public_only: bool = False,
        until: float | None = None,
    ) -> None:
        self.method = method
        self.address = address
        self._headers = tuple(headers)
        self.body = body
        self.timeout = timeout
        self.until = waiting_time() + timeout if until is None and timeout is not None else until
        self.idle_timeout = idle_timeout
        self.connect_timeout = min(timeout or CONNECT_SECONDS, CONNECT_SECONDS)
        self.is_public_only = is_public_only

    def sent_headers(self) -> list[tuple[bytes, bytes]]:
        """Return all headers as bytes; only here is a hidden value revealed."""
        found = [
            (name.encode("ascii"), _encoded(value if isinstance(value, str) else value.reveal()))
            for name, value in self._headers
        ]
        names = {name.lower() for name, _ in found}
        usual = [
            (b"Host", self.address.authority.encode("ascii")),
            (b"User-Agent", f"harnlite/{VERSION}".encode()),
            (b"Accept", b"*/*"),
            (b"Accept-Encoding", b"identity"),
        ]
        if self.body or self.method in ("POST", "PUT", "PATCH"):
            usual.append((b"Content-Length", str(len(self.body)).encode()))
        if self.address.user:
            usual.append((b"Authorization", b"Basic " + b64encode(self.address.user.encode())))
        return [*(row for row in usual if row[0].lower() not in names), *found]

    def redirected(self, status: int, address: Address, *, is_public_only: bool) -> HttpRequest:
        """Return the request that follows a redirect; credentials go only to the same server."""
        method, body = self.method, self.body
        if method != "HEAD" and (status == 303 or (status in (301, 302) and method == "POST")):  # noqa: PLR2004 - HTTP
            method, body = "GET", b""
        dropped = set() if body or not self.body else {"content-type", "content-length"}
        if not address.is_same_origin(self.address):
            dropped |= {AUTHORIZATION, "cookie", "proxy-authorization", "host"}
        headers = [
            (name, value)
            for name, value in self._headers
            if name.lower() not in dropped and (isinstance(value, str) or address.is_same_origin(self.address))
        ]
        return HttpRequest(
            method=method,
            address=address,
            headers=headers,
            body=body,
            timeout=self.timeout,
            idle_timeout=self.idle_timeout,
            is_public_only=is_public_only,
            until=self.until,
        )


def _encoded(value: str) -> bytes:
    try:
        return value.encode("latin-1")
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace")
