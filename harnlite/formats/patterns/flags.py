"""The flags that hold at a place in a pattern."""

from __future__ import annotations

NAMES = "imsUuRx"


class Flags:
    """Which flags are on; u (Unicode) is on from the start."""

    __slots__ = ("on",)

    def __init__(self, on: frozenset[str] = frozenset("u")) -> None:
        self.on = on

    def changed(self, items: str) -> Flags:
        """Return the flags after `i`, `-i`, `im-s` and the like."""
        add, _, remove = items.partition("-")
        return Flags((self.on | frozenset(add)) - frozenset(remove))

    def __contains__(self, name: str) -> bool:
        return name in self.on
