"""Unique random ids."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.clock import Clock

_TIME_BYTES = 6
_UUID_BYTES = 16


class Ids:
    """The source of random ids; tests inject their own."""

    __slots__ = ("_clock",)

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def hex(self, count: int) -> str:
        """Return `count` random bytes as hex digits."""
        return os.urandom(count).hex()

    def uuid4(self) -> str:
        """Return a random UUID."""
        return _uuid(4, os.urandom(_UUID_BYTES))

    def uuid7(self) -> str:
        """Return a random UUID that starts with the time."""
        ms = int(self._clock.now() * 1000)
        return _uuid(7, ms.to_bytes(_TIME_BYTES, "big") + os.urandom(_UUID_BYTES - _TIME_BYTES))


def _uuid(version: int, data: bytes) -> str:
    """Format 16 bytes as a UUID of a version (RFC 9562); `uuid.UUID` supports version 7 only since Python 3.14."""
    octets = bytearray(data)
    octets[6] = octets[6] & 0x0F | version << 4
    octets[8] = octets[8] & 0x3F | 0x80
    digits = octets.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
