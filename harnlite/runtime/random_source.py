"""A source of random numbers that a program has seeded itself."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random
    from typing import ClassVar


class Rng:
    """A handle: all copies of it draw from the same sequence."""

    __slots__ = ("source",)
    harn_type: ClassVar[str] = "rng"

    def __init__(self, source: Random) -> None:
        self.source = source

    def harn_text(self, _display: Callable[[object], str]) -> str:
        """Return `<rng>`."""
        return "<rng>"
