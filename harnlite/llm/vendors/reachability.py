"""The check whether a provider can be reached and accepts its key: one request to its cheapest address."""

from __future__ import annotations

from harnlite.http.client import send
from harnlite.llm.providers import ANTHROPIC, AZURE, GEMINI, OLLAMA
from harnlite.llm.secrets import redacted
from harnlite.values.display import display
from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.http.response import HttpResponse
    from harnlite.llm.dialects.dialect import Host
    from harnlite.llm.secrets import Secret
    from harnlite.runtime.tasks.execution import Execution

REACHABLE, REFUSED, UNREACHABLE, FAILED = "reachable", "key refused", "unreachable", "failed"
SECONDS = 10.0
"""How long a check may take."""
_NAME = "harnlite models"
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


def check(run: Execution, host: Host, credentials: Mapping[str, Secret], seconds: float = SECONDS) -> Status:
    """Return whether a host can be reached and accepts the key. Redirects are not followed: they could take the key."""
    headers: dict[str, str | Secret] = {**host.headers, **credentials}
    if host.provider == ANTHROPIC:
        headers.setdefault("anthropic-version", "2023-06-01")
    try:
        response = send(
            run, "GET", listing_url(host), name=_NAME, headers=headers.items(), timeout=seconds, is_configured=True
        )
        try:
            return _status(response, response.start(_MOST_READ).decode("utf-8", "replace"))
        finally:
            response.close()
    except ScriptError as error:
        return Status(UNREACHABLE, redacted(_reason(error), credentials.values()))


def _reason(error: ScriptError) -> str:
    """Return the text of an error of HTTP without its category."""
    text = display(error.value)
    return text.partition("]: ")[2] if text.startswith("Error [") else text


def listing_url(host: Host) -> str:
    """Return the address of a host that costs least."""
    base, mark, query = host.base_url.partition("?")
    if host.provider == AZURE and not base.endswith("/openai/v1"):
        version = query if mark else f"api-version={_AZURE_VERSION}"
        return f"{base.removesuffix('/openai')}/openai/models?{version}"
    return f"{base}{_PATHS.get(host.provider, '/models')}"


def _status(response: HttpResponse, body: str) -> Status:
    code = response.status
    if code in (401, 403) or (code == 400 and "API_KEY_INVALID" in body):  # noqa: PLR2004 - statuses of HTTP
        return Status(REFUSED, f"HTTP {code}")
    if code == 429:  # noqa: PLR2004 - likewise
        return Status(REACHABLE, "it limits requests now")
    if 200 <= code < 300:  # noqa: PLR2004 - likewise
        if response.content_type == "text/html" or body.lstrip().startswith("<"):
            return Status(FAILED, f"HTTP {code} with an HTML page: the address may be wrong")
        return Status(REACHABLE)
    if code == 404:  # noqa: PLR2004 - likewise
        return Status(FAILED, "HTTP 404: the address may be wrong")
    return Status(FAILED, f"HTTP {code}")
