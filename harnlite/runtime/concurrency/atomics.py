"""Numbers that several tasks can change."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from harnlite.values.data_types import Display


class Atomic:
    """A shared int; all copies of the handle refer to the same number."""

    __slots__ = ("value",)
    harn_type: ClassVar[str] = "atomic"

    def __init__(self, value: int) -> None:
        self.value = value

    def harn_text(self, _display: Display) -> str:
        """Return `<atomic:3>`."""
        return f"<atomic:{self.value}>"

    def harn_equals(self, other: object) -> bool:
        """Return whether another atomic currently has the same value."""
        return isinstance(other, Atomic) and self.value == other.value
