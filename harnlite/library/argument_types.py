"""Type checks for the arguments of builtins, with their common type error."""

from __future__ import annotations

from harnlite.values.data_types import is_callable, type_name
from harnlite.values.errors import type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.values.errors import ScriptError


def expect(function: str, name: str, value: object, *kinds: str, optional: bool = False) -> None:
    """Raise a type error unless the value has one of these types, or is nil and optional."""
    if type_name(value) in kinds or (optional and value is None):
        return
    raise mismatch(function, name, value, *kinds)


def mismatch(function: str, name: str, value: object, *kinds: str) -> ScriptError:
    """Return the type error for an argument that has none of these types."""
    return type_error(f"'{function}' parameter `{name}` expects {' | '.join(sorted(kinds))}, got {type_name(value)}")


def text_argument(function: str, name: str, value: object) -> str:
    """Return an argument that must be a string."""
    if value.__class__ is str:
        return value
    raise mismatch(function, name, value, "string")


def optional_text(function: str, name: str, value: object) -> str | None:
    """Return an argument that must be a string or nil."""
    if value is None or value.__class__ is str:
        return value
    raise mismatch(function, name, value, "string")


def expect_closure(function: str, name: str, value: object) -> Callable[..., object]:
    """Return an argument that must be a closure."""
    if is_callable(value):
        return value
    raise mismatch(function, name, value, "closure")


def int_argument(function: str, name: str, value: object, default: int | None = None) -> int:
    """Return an argument that must be an int; nil stands for the default if there is one."""
    if value.__class__ is int:
        return value
    if value is None and default is not None:
        return default
    raise mismatch(function, name, value, "int")


def expect_dict(function: str, name: str, value: object) -> dict[str, object]:
    """Return an argument that must be a dict."""
    if value.__class__ is dict:
        return value
    raise mismatch(function, name, value, "dict")


def optional_dict(function: str, name: str, value: object) -> dict[str, object] | None:
    """Return an argument that must be a dict or nil."""
    return None if value is None else expect_dict(function, name, value)


def dict_argument(function: str, name: str, value: object) -> dict[str, Any]:
    """Return an argument that must be a dict or nil; nil becomes an empty dict."""
    return {} if value is None else expect_dict(function, name, value)


def expect_list(function: str, name: str, value: object) -> list[Any]:
    """Return an argument that must be a list."""
    if value.__class__ is list:
        return value
    raise mismatch(function, name, value, "list")


def optional_list(function: str, name: str, value: object) -> list[Any] | None:
    """Return an argument that must be a list or nil."""
    return None if value is None else expect_list(function, name, value)
