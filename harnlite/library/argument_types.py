"""Types of arguments: the complaint that all builtins of the agent share."""

from __future__ import annotations

from harnlite.values.data_types import is_callable, type_name
from harnlite.values.errors import type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def expect(function: str, name: str, value: object, *kinds: str, optional: bool = False) -> None:
    """Raise the type error of a builtin unless the value has one of these types; nil is no value if optional."""
    found = type_name(value)
    if found in kinds or (optional and value is None):
        return
    raise type_error(f"'{function}' parameter `{name}` expects {' | '.join(sorted(kinds))}, got {found}")


def text_argument(function: str, name: str, value: object) -> str:
    """Return an argument that has to be a string."""
    expect(function, name, value, "string")
    return value  # type: ignore[return-value]


def optional_text(function: str, name: str, value: object) -> str | None:
    """Return an argument that has to be a string or nil."""
    expect(function, name, value, "string", optional=True)
    return value  # type: ignore[return-value]


def expect_closure(function: str, name: str, value: object) -> Callable[..., object]:
    """Return an argument that has to be a closure."""
    if not is_callable(value):
        raise type_error(f"'{function}' parameter `{name}` expects closure, got {type_name(value)}")
    return value  # type: ignore[return-value]


def int_argument(function: str, name: str, value: object, default: int | None = None) -> int:
    """Return an argument that has to be an int, or may be nil if there is a default."""
    expect(function, name, value, "int", optional=default is not None)
    return default if value is None else value  # type: ignore[return-value]


def expect_dict(function: str, name: str, value: object) -> dict[str, object]:
    """Return an argument that has to be a dict."""
    if value.__class__ is dict:
        return value
    raise type_error(f"'{function}' parameter `{name}` expects dict, got {type_name(value)}")


def dict_argument(function: str, name: str, value: object) -> dict[str, Any]:
    """Return an argument that has to be a dict or nil; nil is an empty one."""
    expect(function, name, value, "dict", optional=True)
    return {} if value is None else value  # type: ignore[return-value]


def expect_list(function: str, name: str, value: object) -> list[Any]:
    """Return an argument that has to be a list."""
    if value.__class__ is list:
        return value
    raise type_error(f"'{function}' parameter `{name}` expects list, got {type_name(value)}")
