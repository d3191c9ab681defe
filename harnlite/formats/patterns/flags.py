"""The flags that are in effect at a position of a pattern."""

from __future__ import annotations

NAMES = "imsUuRx"


class Flags:
    """The set of flags that are on; u (Unicode) is on by default."""

    __slots__ = ("on",)

    def __init__(self, on: frozenset[str] = frozenset("u")) -> None:
        self.on = on

    def changed(self, items: str) -> Flags:
        """Return the flags after a change such as `i`, `-i` or `im-s`."""
        add, _, remove = items.partition("-")
        return Flags((self.on | frozenset(add)) - frozenset(remove))

    def __contains__(self, name: str) -> bool:
        return name in self.on
