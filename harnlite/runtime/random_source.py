"""The handle of a random number generator that a script has seeded."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random
    from typing import ClassVar


class Rng:
    """A random number generator; all copies of the handle share one sequence."""

    __slots__ = ("source",)
    harn_type: ClassVar[str] = "rng"

    def __init__(self, source: Random) -> None:
        self.source = source

    def harn_text(self, _display: Callable[[object], str]) -> str:
        """Return `<rng>`."""
        return "<rng>"
