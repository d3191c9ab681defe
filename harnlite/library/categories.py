"""The categories of errors, and which one a text belongs to."""

from __future__ import annotations

import re

from harnlite.library.native import native
from harnlite.runtime.display import display
from harnlite.runtime.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

GENERIC = "generic"
CATEGORIES = frozenset(
    {
        GENERIC,
        "auth",
        "budget_exceeded",
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

_STATUS = re.compile(r"(?<![0-9])[45][0-9][0-9](?![0-9])")
_BY_STATUS = {
    "401": "auth",
    "403": "auth",
    "404": "not_found",
    "410": "not_found",
    "408": "timeout",
    "504": "timeout",
    "522": "timeout",
    "524": "timeout",
    "429": "rate_limit",
    "503": "overloaded",
    "529": "overloaded",
    "500": "server_error",
    "502": "server_error",
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
_NETWORK = re.compile(
    "connection reset|connection refused|connection closed|broken pipe|dns error|stream error|unexpected eof",
    re.IGNORECASE,
)


def category_of_text(text: str) -> str:
    """Return the category that the words and numbers of an error text suggest."""
    for number in _STATUS.findall(text):
        if number in _BY_STATUS:
            return _BY_STATUS[number]
    for phrase, category in _BY_PHRASE:
        if phrase in text:
            return category
    return "transient_network" if _NETWORK.search(text) else GENERIC


def category_of(error: object) -> str:
    """Return the category of a caught error: what a dict says of itself, what a text suggests."""
    if isinstance(error, str):
        return category_of_text(error)
    if isinstance(error, dict) and "category" in error:
        return display(error["category"])
    return GENERIC


@native("throw_error")
def throw_error(message: object = "", category: object = GENERIC) -> NoReturn:
    """Throw a dict with this message and category."""
    name = display(category)
    raise thrown({"category": name if name in CATEGORIES else GENERIC, "message": display(message)})


@native("error_category")
def error_category(error: object = None) -> str:
    """Return the category of a caught error."""
    return category_of(error)


@native("is_timeout")
def is_timeout(error: object = None) -> bool:
    """Say whether a caught error is a timeout."""
    return category_of(error) == "timeout"


@native("is_rate_limited")
def is_rate_limited(error: object = None) -> bool:
    """Say whether a caught error says that there were too many requests."""
    return category_of(error) == "rate_limit"
