"""The check whether a provider can be reached and accepts its key: one request to its cheapest address."""

from __future__ import annotations

from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from harnlite.llm.providers import ANTHROPIC, AZURE, GEMINI, OLLAMA
from harnlite.llm.secrets import redacted, revealed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from harnlite.llm.dialects.dialect import Host
    from harnlite.llm.secrets import Secret

    # the address and the headers of a GET request; the status and the body of its reply
    Fetch: TypeAlias = Callable[[str, Mapping[str, str]], tuple[int, str]]

REACHABLE, REFUSED, UNREACHABLE, FAILED = "reachable", "key refused", "unreachable", "failed"
_SECONDS = 10
_MOST_READ = 65_536
_PATHS = {
    ANTHROPIC: "/v1/models?limit=1",
    GEMINI: "/v1beta/models?pageSize=1",
    OLLAMA: "/api/version",
    "openrouter": "/key",
}
_AZURE_VERSION = "2024-10-21"


class Status:
    """The result of a check: a word, and what a person needs to know about it."""

    __slots__ = ("detail", "word")

    def __init__(self, word: str, detail: str = "") -> None:
        self.word = word
        self.detail = detail

    @property
    def is_good(self) -> bool:
        """Return whether the provider can be called."""
        return self.word == REACHABLE

    def __str__(self) -> str:
        return f"{self.word}: {self.detail}" if self.detail else self.word


def check(host: Host, credentials: Mapping[str, Secret], fetch: Fetch) -> Status:
    """Return whether a host can be reached and accepts the key."""
    headers = {**host.headers, **revealed(credentials)}
    if host.provider == ANTHROPIC:
        headers.setdefault("anthropic-version", "2023-06-01")
    try:
        code, body = fetch(listing_url(host), headers)
    except OSError as error:
        reason = getattr(error, "reason", None) or error
        reason = getattr(reason, "strerror", None) or reason
        return Status(UNREACHABLE, redacted(str(reason), credentials.values()))
    return _status(code, body)


def listing_url(host: Host) -> str:
    """Return the address of a host that costs least."""
    base, mark, query = host.base_url.partition("?")
    if host.provider == AZURE and not base.endswith("/openai/v1"):
        version = query if mark else f"api-version={_AZURE_VERSION}"
        return f"{base.removesuffix('/openai')}/openai/models?{version}"
    return f"{base}{_PATHS.get(host.provider, '/models')}"


def _status(code: int, body: str) -> Status:
    if code in (401, 403) or (code == 400 and "API_KEY_INVALID" in body):  # noqa: PLR2004 - statuses of HTTP
        return Status(REFUSED, f"HTTP {code}")
    if code == 429:  # noqa: PLR2004 - likewise
        return Status(REACHABLE, "it limits requests now")
    if 200 <= code < 300:  # noqa: PLR2004 - likewise
        return Status(REACHABLE)
    if code == 404:  # noqa: PLR2004 - likewise
        return Status(FAILED, "HTTP 404: the address may be wrong")
    return Status(FAILED, f"HTTP {code}")


class _Staying(HTTPRedirectHandler):
    """A handler that follows no redirect, which could take the key to another server."""

    def redirect_request(self, *_: object) -> None:
        """Return None for every redirect."""


def fetched(url: str, headers: Mapping[str, str]) -> tuple[int, str]:
    """Send a GET request and return the status and the beginning of the body; redirects are not followed."""
    request = Request(url, headers=dict(headers))  # noqa: S310 - the user has configured the address
    try:
        with build_opener(_Staying).open(request, timeout=_SECONDS) as reply:
            return reply.status, reply.read(_MOST_READ).decode("utf-8", "replace")
    except HTTPError as error:
        return error.code, error.read(_MOST_READ).decode("utf-8", "replace")
    except ValueError as error:
        raise OSError(f"the address is not valid: {error}") from None
