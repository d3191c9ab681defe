"""The errors that a vendor reports inside a reply, and the error for a reply that cannot be read."""

from __future__ import annotations

from harnlite.llm.errors import GENERIC, categorised, category_of_status, http_error_message
from harnlite.values.display import display

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

_POLICIES = ("content_filter", "policyviolation", "policy_violation")
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


def unreadable(provider: str, what: str) -> ScriptError:
    """Return the error for a reply that does not have the form of the API; it is transient."""
    return categorised("server_error", f"{provider} sent a reply that is not valid: {what}")
