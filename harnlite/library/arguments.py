"""Types of arguments: the complaint that all builtins of the agent share."""

from __future__ import annotations

from harnlite.runtime.errors import type_error
from harnlite.runtime.values import type_name


def expect(function: str, name: str, value: object, *kinds: str, optional: bool = False) -> None:
    """Raise the type error of a builtin unless the value has one of these types; nil is no value if optional."""
    found = type_name(value)
    if found in kinds or (optional and value is None):
        return
    raise type_error(f"'{function}' parameter `{name}` expects {' | '.join(sorted(kinds))}, got {found}")
