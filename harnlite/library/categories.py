"""Builtins for the categories of errors."""

from __future__ import annotations

from harnlite.library.native import native
from harnlite.llm.errors import CATEGORIES, GENERIC, category_of_text
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def category_of(error: object) -> str:
    """Return the category of a caught error: the `category` of a dict, or the one that a text suggests."""
    if isinstance(error, str):
        return category_of_text(error)
    if isinstance(error, dict) and "category" in error:
        return display(error["category"])
    return GENERIC


@native("throw_error")
def throw_error(message: object = "", category: object = GENERIC) -> NoReturn:
    """Throw a dict with a message and a category."""
    name = display(category)
    raise thrown({"category": name if name in CATEGORIES else GENERIC, "message": display(message)})


@native("error_category")
def error_category(error: object = None) -> str:
    """Return the category of a caught error."""
    return category_of(error)


@native("is_timeout")
def is_timeout(error: object = None) -> bool:
    """Return whether a caught error is a timeout."""
    return category_of(error) == "timeout"


@native("is_rate_limited")
def is_rate_limited(error: object = None) -> bool:
    """Return whether a caught error reports too many requests."""
    return category_of(error) == "rate_limit"
