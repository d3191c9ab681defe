"""Type checks for the entries of dict arguments."""

from __future__ import annotations

from harnlite.values.data_types import type_name
from harnlite.values.errors import type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def expect_shape(function: str, name: str, value: dict[str, Any], shape: dict[str, str], *required: str) -> None:
    """Raise a type error unless the entries of a dict match a shape; an entry that is nil counts as missing."""
    for key, kind in shape.items():
        found = value.get(key)
        is_wrong = key in required if found is None else type_name(found) != kind
        if is_wrong:
            raise type_error(f"'{function}' parameter `{name}` expects {_written(shape, required)}, got dict")


def _written(shape: dict[str, str], required: tuple[str, ...]) -> str:
    entries = [f"{key}{'' if key in required else '?'}: {kind}" for key, kind in shape.items()]
    return "{" + ", ".join(entries) + "}"
