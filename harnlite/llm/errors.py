"""Errors of model calls: their categories, kinds and reasons, and the error dict that a script catches."""

from __future__ import annotations

from harnlite.values.display import display
from harnlite.values.errors import ScriptError, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

GENERIC = "generic"
BUDGET_EXCEEDED = "budget_exceeded"
CATEGORIES = frozenset(
    {
        GENERIC,
        "auth",
        BUDGET_EXCEEDED,
        "cancelled",
        "circuit_open",
        "egress_blocked",
        "not_found",
        "overloaded",
        "rate_limit",
        "schema_validation",
        "server_error",
        "timeout",
        "tool_error",
        "tool_rejected",
        "transient_network",
    }
)
TRANSIENT = "transient"
TERMINAL = "terminal"
KINDS = (TRANSIENT, TERMINAL)

_LOWEST_STATUS, _HIGHEST_STATUS = 400, 599
BY_STATUS = {
    401: "auth",
    403: "auth",
    404: "not_found",
    410: "not_found",
    408: "timeout",
    504: "timeout",
    522: "timeout",
    524: "timeout",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
    500: "server_error",
    502: "server_error",
}
_BY_PHRASE = (
    ("Deadline exceeded", "timeout"),
    ("context deadline exceeded", "timeout"),
    ("overloaded_error", "overloaded"),
    ("api_error", "server_error"),
    ("insufficient_quota", "rate_limit"),
    ("billing_hard_limit_reached", "rate_limit"),
    ("invalid_api_key", "auth"),
    ("authentication_error", "auth"),
    ("not_found_error", "not_found"),
    ("model_not_found", "not_found"),
    ("circuit_open", "circuit_open"),
)
_CANCELLED = ("cancelled", "canceled")
_NETWORK = (
    "connection reset",
    "connection refused",
    "connection closed",
    "broken pipe",
    "dns error",
    "stream error",
    "unexpected eof",
)

_BY_REASON_OF_KIND = (
    (("rate_limit",), "rate_limit"),
    (("timeout",), "timeout"),
    (("network_error", "transient_network"), "network_error"),
    (("server_error", "overloaded"), "server_error"),
)
_OVERFLOW = (
    "maximum context length",
    "context length",
    "context exceeded",
    "context_length_exceeded",
    "context_overflow",
    "prompt is too long",
    "prompt_tokens_exceeded",
    "exceeds the maximum",
)
_BY_WORDS = (
    (
        (
            "content_policy",
            "content policy",
            "safety policy",
            "moderation",
            "responsible_ai_policy",
            "blocked by policy",
        ),
        TERMINAL,
        "content_policy",
    ),
    (
        ("invalid_api_key", "authentication_error", "auth_failure", "unauthorized", "forbidden"),
        TERMINAL,
        "auth_failure",
    ),
    (
        ("model_not_found", "not_found_error", "model unavailable", "model is unavailable", "model not found"),
        TERMINAL,
        "model_unavailable",
    ),
    (
        ("[rate_limited]", "too many requests", "insufficient_quota", "billing_hard_limit_reached"),
        TRANSIENT,
        "rate_limit",
    ),
    (
        ("[http_error]", "bad gateway", "service unavailable", "overloaded", "api_error"),
        TRANSIENT,
        "server_error",
    ),
    (("timed out", "timeout"), TRANSIENT, "timeout"),
    ((*_NETWORK, "eof"), TRANSIENT, "network_error"),
    (("invalid_request", "bad request"), TERMINAL, "invalid_request"),
)
"""The kind and reason of a message that contains one of these phrases, in lower case; the first match wins."""

_BY_CATEGORY = {
    "rate_limit": (TRANSIENT, "rate_limit"),
    "timeout": (TRANSIENT, "timeout"),
    "overloaded": (TRANSIENT, "server_error"),
    "server_error": (TRANSIENT, "server_error"),
    "transient_network": (TRANSIENT, "network_error"),
    "auth": (TERMINAL, "auth_failure"),
    "not_found": (TERMINAL, "model_unavailable"),
}
_CATEGORY_OF_REASON = {
    "rate_limit": "rate_limit",
    "server_error": "server_error",
    "network_error": "transient_network",
    "timeout": "timeout",
    "auth_failure": "auth",
    "model_unavailable": "not_found",
}
_LABEL = "Error ["
_RETRY_AFTER = "retry-after:"
_LONGEST_WAIT_MS = 60_000


def categorised(category: str, text: str) -> ScriptError:
    """Return an error that is caught and printed as `Error [category]: text`."""
    return ScriptError(f"{_LABEL}{category}]: {text}")


def split_category(text: str) -> tuple[str, str] | None:
    """Split the text of a categorised error into its category and its message; return None for any other text."""
    if not text.startswith(_LABEL):
        return None
    category, mark, words = text[len(_LABEL) :].partition("]: ")
    return (category, words) if mark and category in CATEGORIES else None


def category_of_text(text: str) -> str:
    """Return the category that an error text states, or the one that its words and numbers suggest."""
    found = split_category(text)
    if found is not None:
        return found[0]
    category = _category_of_numbers(text)
    if category is not None:
        return category
    words = text.lower()
    if any(word in words for word in _CANCELLED):
        return "cancelled"
    for phrase, category in _BY_PHRASE:
        if phrase in text:
            return category
    return "transient_network" if any(phrase in words for phrase in _NETWORK) else GENERIC


def _category_of_numbers(text: str) -> str | None:
    """Return the category of the first number in a text that is an HTTP status with a category."""
    if "4" not in text and "5" not in text:
        return None
    import re

    for match in re.finditer("[0-9]+", text):
        number = match[0]
        status = int(number) if len(number) == len(str(_LOWEST_STATUS)) else 0
        if _LOWEST_STATUS <= status <= _HIGHEST_STATUS and status in BY_STATUS:
            return BY_STATUS[status]
    return None


def error_category(error: object) -> str:
    """Return the category, one of CATEGORIES, of an error that is given as a ScriptError or as its value."""
    value = error.value if isinstance(error, ScriptError) else error
    if isinstance(value, str):
        return category_of_text(value)
    if isinstance(value, dict):
        name = value.get("category")
        return name if isinstance(name, str) and name in CATEGORIES else GENERIC
    return GENERIC


def category_of_status(status: int) -> str | None:
    """Return the category of an HTTP status, or None if it has none."""
    return BY_STATUS.get(status)


def category_of_response(status: int, body: str) -> str:
    """Return the category of an HTTP error response: that of its status, otherwise what its body states."""
    if status in BY_STATUS:
        return BY_STATUS[status]
    if 500 <= status <= _HIGHEST_STATUS:  # noqa: PLR2004 - HTTP
        return "server_error"
    if "API_KEY_INVALID" in body:
        return "auth"
    return next((category for phrase, category in _BY_PHRASE if phrase in body), GENERIC)


def category_of_reason(reason: str) -> str | None:
    """Return the category that corresponds to the reason of a failure, or None if there is none."""
    return _CATEGORY_OF_REASON.get(reason)


def classify(message: str, category: str) -> tuple[str, str]:
    """Return the kind and the reason of a failed model call."""
    text = message.lower()
    if "kind" in text and TRANSIENT in text:
        for words, reason in _BY_REASON_OF_KIND:
            if any(word in text for word in words):
                return TRANSIENT, reason
    if any(phrase in text for phrase in _OVERFLOW) or (
        "exceed" in text and ("context" in text or "max_tokens" in text)
    ):
        return TERMINAL, "context_overflow"
    for phrases, kind, reason in _BY_WORDS:
        if any(phrase in text for phrase in phrases):
            return kind, reason
    return _BY_CATEGORY.get(category, (TERMINAL, "unknown"))


def retry_after_ms(run: Execution, message: str) -> int | None:
    """Return the wait that a message requests (`retry-after:` with seconds or an HTTP date), or None."""
    at = message.lower().find(_RETRY_AFTER)
    if at < 0:
        return None
    text = message[at + len(_RETRY_AFTER) :].split("\n", 1)[0].split(")", 1)[0].strip()
    try:
        seconds = float(text)
    except ValueError:
        until = _http_date(text)
        if until is None:
            return None
        seconds = until - run.clock.now()
    if seconds != seconds:  # noqa: PLR0124 - only NaN differs from itself
        return None
    return int(max(0.0, min(seconds * 1000, _LONGEST_WAIT_MS)))


def _http_date(text: str) -> float | None:
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, IndexError, TypeError, OverflowError):
        return None


def http_error_message(
    route: str,
    status: int,
    body: str,
    *,
    offending_tokens: int | None = None,
    retry_after: str | None = None,
) -> str:
    """Return the error message for an HTTP error response."""
    reason = classify(body, category_of_status(status) or GENERIC)[1]
    tag = "rate_limited" if status == 429 else "http_error" if 500 <= status <= _HIGHEST_STATUS else reason  # noqa: PLR2004 - HTTP
    text = f"{route} HTTP {status} [{tag}]: {body}"
    if reason == "context_overflow" and offending_tokens is not None:
        text += f" (offending_tokens: {offending_tokens})"
    return text if retry_after is None else f"{text} (retry-after: {retry_after})"


def message_of(error: ScriptError) -> str:
    """Return the message of an error, as the error dict contains it."""
    value = error.value
    if isinstance(value, dict):
        return display(value["message"]) if "message" in value else display(value)
    if not isinstance(value, str):
        return display(value)
    found = None if error.thrown else split_category(value)
    return value if found is None else found[1]


def error_fields(run: Execution, error: ScriptError) -> dict[str, object]:
    """Return `{category, kind, reason, message, retry_after_ms?}` of an error; a thrown dict keeps its own fields."""
    message = message_of(error)
    category = error_category(error)
    kind, reason = classify(message, category)
    fields: dict[str, object] = {"category": category, "kind": kind, "reason": reason, "message": message}
    wait = retry_after_ms(run, message)
    if wait is not None:
        fields["retry_after_ms"] = wait
    if isinstance(error.value, dict):
        own = {key: value for key, value in error.value.items() if value is not None}
        fields.update(own)
        if "category" in own:
            fields["category"] = category
    return fields


def llm_error(run: Execution, error: ScriptError, route: object, model: object) -> ScriptError:
    """Return the error that a failed model call throws: the LLM error dict."""
    found = thrown({**error_fields(run, error), "provider": route, "model": model})
    found.notes = error.notes
    return found


def refused_call(run: Execution, refusal: ScriptError, options: object) -> ScriptError:
    """Return the error of a call that the run may not make; its message is the whole refusal."""
    given = options if isinstance(options, dict) else {}
    error = thrown({"category": error_category(refusal), "message": refusal.value})
    return llm_error(run, error, given.get("provider"), given.get("model"))
