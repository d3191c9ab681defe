"""The errors that OpenAI and compatible hosts report, with an HTTP status or inside a reply."""

from __future__ import annotations

from harnlite.llm.dialects.replies import http_failure
from harnlite.llm.errors import GENERIC, TERMINAL, categorised, category_of_status, http_error_message
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.values.errors import ScriptError

_CATEGORIES = (
    ("rate_limit", "rate_limit"),
    ("insufficient_quota", "rate_limit"),
    ("too_many_requests", "rate_limit"),
    ("overloaded", "overloaded"),
    ("unavailable", "overloaded"),
    ("insufficient_system_resource", "overloaded"),
    ("timeout", "timeout"),
    ("api_key", "auth"),
    ("authentication", "auth"),
    ("permission", "auth"),
    ("not_found", "not_found"),
    ("invalid", GENERIC),
    ("context_length", GENERIC),
    ("policy", GENERIC),
    ("content_filter", GENERIC),
    ("bad_request", GENERIC),
)
"""The categories of errors whose code or type contains a word; any other error is the server's."""

_POLICIES = ("content_filter", "policyviolation", "policy_violation", "content management policy")
_REFUSALS = (400, 403)
_LOWEST_STATUS, _HIGHEST_STATUS = 400, 599


def reported_error(provider: str, error: object) -> ScriptError:
    """Return the error that a reply with status 200 contains: a text, or `{message, type?, code?}`."""
    fields: dict[str, Any] = error if isinstance(error, dict) else {"message": error}
    message = display(fields.get("message") or "no message")
    status = _status(fields.get("code"))
    if status is not None:
        return categorised(category_of_status(status) or GENERIC, http_error_message(provider, status, message))
    names = [name for key in ("code", "type") if isinstance(name := fields.get(key), str) and name and name != "error"]
    known = " ".join(names).lower()
    category = next((category for word, category in _CATEGORIES if word in known), "server_error")
    if any(word in known for word in _POLICIES):
        names.append("content_policy")
    reason = f" ({', '.join(names)})" if names else ""
    return categorised(category, f"{provider} reported an error: {message}{reason}")


def _status(code: object) -> int | None:
    """Return an error code that is an HTTP status."""
    number = int(code) if isinstance(code, str) and code.isascii() and code.isdigit() and len(code) < 4 else code  # noqa: PLR2004 - HTTP
    return number if isinstance(number, int) and _LOWEST_STATUS <= number <= _HIGHEST_STATUS else None


def http_failure_of(provider: str, status: int, body: str, retry_after: str | None) -> ScriptError:
    """Return the error for an HTTP error response; a request that a filter of the host refused is one of policy."""
    if status in _REFUSALS and any(word in body.lower() for word in _POLICIES):
        message = f"{provider} HTTP {status} [content_policy]: {body}"
        fields = {"category": GENERIC, "kind": TERMINAL, "reason": "content_policy", "message": message}
        return thrown({**fields, "status": status})
    return http_failure(provider, status, body, retry_after=retry_after)
