"""Failures of HTTP requests: their categories and texts, which name the host and the reason and nothing secret."""

from __future__ import annotations

import errno
import os
import socket
import ssl

import httpcore2

from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NETWORK, TIMEOUT, SERVER, REJECTED, OTHER = (
    "transient_network",
    "timeout",
    "server_error",
    "tool_rejected",
    "generic",
)
_REASONS = {
    errno.ECONNREFUSED: "connection refused",
    errno.ECONNRESET: "connection reset",
    errno.EPIPE: "broken pipe",
}


class Failure:
    """How a request failed. It keeps no exception, because the frames of one hold the headers of the request."""

    __slots__ = ("category", "text")

    def __init__(self, category: str, text: str) -> None:
        self.category = category
        self.text = text

    def error(self) -> ScriptError:
        """Return the error that a script can catch."""
        return ScriptError(f"Error [{self.category}]: {self.text}")


class PrivateAddressError(OSError):
    """The name of a host leads only to addresses that the scopes of the run do not cover."""


def too_large(place: str, what: str, limit: int) -> ScriptError:
    """Return the error for an answer, or a line of one, with more bytes than a limit."""
    return Failure(OTHER, f"{place} sent {what} of more than {limit} bytes").error()


def broken(place: str, detail: str) -> ScriptError:
    """Return the error for an answer that ended too early."""
    return Failure(NETWORK, f"stream error: {detail} ({place})").error()


def failure_of(error: BaseException, place: str, idle_seconds: float | None) -> Failure:
    """Return the failure that an exception of the HTTP library means."""
    causes = list(_causes(error))
    found = _connection_failure(causes, place)
    if found is not None:
        return found
    if isinstance(error, httpcore2.ConnectTimeout):
        return Failure(TIMEOUT, f"cannot connect to {place}: timed out")
    if isinstance(error, (httpcore2.TimeoutException, TimeoutError)):
        return Failure(TIMEOUT, f"{place} sent nothing for {idle_seconds or 0:g} s: timed out")
    if isinstance(error, (httpcore2.UnsupportedProtocol, httpcore2.LocalProtocolError, ValueError)):
        return Failure(OTHER, f"cannot send the request to {place}: a header or the address is not valid")
    if isinstance(error, httpcore2.RemoteProtocolError):
        return _protocol_failure(error, place)
    reason = _reason(causes) or "connection closed"
    is_new = isinstance(error, (httpcore2.ConnectError, httpcore2.ProxyError))
    return Failure(
        NETWORK, f"cannot connect to {place}: {reason}" if is_new else f"connection to {place} broke: {reason}"
    )


def _connection_failure(causes: list[BaseException], place: str) -> Failure | None:
    """Return the failure of a connection that was refused by us, by its certificate or by DNS, or None."""
    for cause in causes:
        if isinstance(cause, PrivateAddressError):
            return Failure(REJECTED, f"connection to {place} is not permitted: {cause}")
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Failure(OTHER, f"cannot connect securely to {place}: {cause.verify_message}")
        if isinstance(cause, socket.gaierror):
            return Failure(NETWORK, f"cannot connect to {place}: dns error ({cause.strerror or 'unknown host'})")
        if isinstance(cause, ImportError):
            return Failure(OTHER, f"cannot connect to {place}: socks5 proxies need the package socksio")
    return None


def _protocol_failure(error: BaseException, place: str) -> Failure:
    text = str(error)
    if "disconnected" in text or "closed" in text:
        return Failure(NETWORK, f"connection to {place} broke: connection closed before the answer was complete")
    return Failure(SERVER, f"{place} did not answer in HTTP")


def _reason(causes: list[BaseException]) -> str:
    """Return the reason of the system, of TLS, or an empty text."""
    for cause in causes:
        if isinstance(cause, ssl.SSLError):
            return f"TLS failed ({(cause.reason or 'unexpected eof').replace('_', ' ').lower()})"
        if isinstance(cause, OSError) and cause.errno is not None:
            return _REASONS.get(cause.errno) or os.strerror(cause.errno).lower()
    return ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception, those that caused it and those in groups."""
    seen: set[int] = set()
    pending = [error]
    while pending:
        found = pending.pop(0)
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        pending += [found.__cause__, found.__context__]
        if isinstance(found, BaseExceptionGroup):
            pending += found.exceptions
