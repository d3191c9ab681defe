"""Errors of the servers of vendors: refused requests, replies in another form, and texts without keys."""

from __future__ import annotations

from harnlite.llm.errors import categorised
from harnlite.llm.secrets import redacted
from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harnlite.http.response import HttpResponse
    from harnlite.llm.secrets import Secret
    from harnlite.llm.vendors.vendor_backend import Endpoint

_READ_BYTES, _SHOWN, _SHOWN_GARBAGE = 65_536, 4_000, 200


def response_error(response: HttpResponse, endpoint: Endpoint) -> ScriptError:
    """Return the error for a response whose status is not 2xx."""
    secrets = endpoint.secrets
    status = response.status
    body = _body(response)
    if 300 <= status < 400:  # noqa: PLR2004 - HTTP
        place = response.headers.get("location", "").partition("?")[0]
        body = f"the server redirects to {place or 'nowhere'}; set the address of the provider to the final one"
    error = endpoint.dialect.failure(status, redacted(body, secrets), endpoint.host, _retry_after(response))
    return without_secrets(error, secrets)


def _body(response: HttpResponse) -> str:
    try:
        text = response.start(_READ_BYTES).decode("utf-8", "replace").strip()
    except ScriptError:
        text = ""
    if response.content_type == "text/html":
        return f"an HTML page: {_title(text)}"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _title(page: str) -> str:
    """Return the title of an HTML page, or its beginning."""
    lowered = page.lower()
    start = lowered.find("<title>")
    end = lowered.find("</title>", start)
    found = page[start + len("<title>") : end] if 0 <= start < end else page
    return " ".join(found.split())[:_SHOWN_GARBAGE]


def _retry_after(response: HttpResponse) -> str | None:
    """Return the wait that the server requests, in seconds or as a date; milliseconds are more exact."""
    ms = response.headers.get("retry-after-ms", "").strip()
    if ms.isascii() and ms.isdigit():
        return f"{int(ms) / 1000:g}"
    return response.headers.get("retry-after")


def unexpected(name: str, what: str, shown: str) -> ScriptError:
    """Return the error for a reply with status 200 that is not in the form of the vendor."""
    text = " ".join(shown.split())
    if len(text) > _SHOWN_GARBAGE:
        text = text[:_SHOWN_GARBAGE] + "…"
    return categorised("server_error", f"{name} HTTP 200 [http_error]: the server sent {what}: {text}")


def without_secrets(error: ScriptError, secrets: Sequence[Secret | str]) -> ScriptError:
    """Return an error like this one in which no text contains a secret, without the exceptions that led to it."""
    value = _without(error.value, secrets)
    notes = tuple(redacted(note, secrets) for note in error.notes)
    return ScriptError(value, thrown=error.thrown, notes=notes)


def _without(value: Any, secrets: Sequence[Secret | str]) -> Any:  # noqa: ANN401 - any value
    if isinstance(value, str):
        return redacted(value, secrets)
    if isinstance(value, dict):
        return {key: _without(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item, secrets) for item in value]
    return value
