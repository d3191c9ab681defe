"""Functions that read the options of a script; a value of the wrong type counts as omitted."""

from __future__ import annotations

from harnlite.values.data_types import is_callable, type_name
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def int_option(given: Mapping[str, object], key: str, default: int) -> int:
    """Return an option that is an int, or the default."""
    value = given.get(key)
    return value if value.__class__ is int else default


def flag_option(given: Mapping[str, object], key: str, *, default: bool) -> bool:
    """Return an option as a bool: the default if it is nil, otherwise its truth value in the language."""
    value = given.get(key)
    return default if value is None else bool(value)


def declared_int(given: Mapping[str, object], key: str, defaults: Mapping[str, Any]) -> int:
    """Return an option that is an int, or the default that a table of options declares."""
    return int_option(given, key, defaults[key])


def declared_flag(given: Mapping[str, object], key: str, defaults: Mapping[str, Any]) -> bool:
    """Return an option as a bool, or the default that a table of options declares."""
    return flag_option(given, key, default=defaults[key])


def text_option(given: Mapping[str, object], key: str) -> str | None:
    """Return an option that is a non-blank string, or None."""
    value = given.get(key)
    return value if isinstance(value, str) and value.strip() else None


def dict_option(given: Mapping[str, object], key: str) -> dict[str, object]:
    """Return an option that is a dict, or an empty dict."""
    value = given.get(key)
    return value if value.__class__ is dict else {}


def callable_option(given: Mapping[str, object], key: str) -> Callable[..., object] | None:
    """Return an option that a script may call, or None."""
    value = given.get(key)
    return value if is_callable(value) else None


def dicts_in(value: object) -> list[dict[str, Any]]:
    """Return the items of a list that are dicts."""
    return [item for item in value if item.__class__ is dict] if isinstance(value, list) else []


def names_in(value: object) -> list[str]:
    """Return the strings in a list; a single string counts as a list with one item."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def rules_in(options: dict[str, object], key: str) -> dict[str, object] | None:
    """Return the rules for tool calls in an option; raise an error if the option is neither a dict nor nil."""
    rules = options.get(key)
    if rules is None or rules.__class__ is dict:
        return rules
    raise runtime_error(f"{key} must be a dict or nil, got {type_name(rules)}")
