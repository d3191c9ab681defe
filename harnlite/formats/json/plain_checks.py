"""A quick check that a large value is plain data of a limited size, done by Python's pickler."""

from __future__ import annotations

from _pickle import Pickler

from harnlite.values.interrupts import BUILTINS, poll_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, NoReturn

_PROTOCOL: Final = 5
_FLOAT: Final = b"G"
"""The mark of a float in a pickle."""


class _NotPlain(Exception):
    """A value that is not plain, or has too many bytes."""


class _Parts:
    """A file that checks the bytes of a pickle and keeps none; `floats` is whether there may be floats."""

    __slots__ = ("floats", "left")

    def __init__(self, most: int) -> None:
        self.floats = False
        self.left = most

    def write(self, data: bytes) -> None:
        """Check a frame, of which a pickler writes one for every 64 KB."""
        if BUILTINS["_hintr"]:
            poll_here()
        self.left -= len(data)
        if self.left < 0:
            raise _NotPlain
        if _FLOAT in data:
            self.floats = True


class _PlainPickler(Pickler):
    def reducer_override(self, _value: object) -> NoReturn:
        """Refuse a value that is not of one of Python's own types."""
        raise _NotPlain


def has_floats(value: object, most: int) -> bool | None:
    """Return whether a value may contain floats, or None if it is not plain or its pickle would be larger than `most`.

    The pickle has no references, so its size grows with that of the JSON text. A deep value raises RecursionError,
    for which the thread needs a large stack.
    """
    parts = _Parts(most)
    pickler = _PlainPickler(parts, _PROTOCOL)
    pickler.fast = True
    try:
        pickler.dump(value)
    except _NotPlain:
        return None
    return parts.floats
