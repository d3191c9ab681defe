"""Names that nobody else has."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.clock import Clock

_TIME_BYTES = 6
_UUID_BYTES = 16


class Ids:
    """Random names; tests inject their own."""

    __slots__ = ("_clock",)

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def hex(self, count: int) -> str:
        """Return that many random bytes as hex digits."""
        return os.urandom(count).hex()

    def uuid4(self) -> str:
        """Return a random UUID."""
        return _uuid(4, os.urandom(_UUID_BYTES))

    def uuid7(self) -> str:
        """Return a random UUID that starts with the time."""
        ms = int(self._clock.now() * 1000)
        return _uuid(7, ms.to_bytes(_TIME_BYTES, "big") + os.urandom(_UUID_BYTES - _TIME_BYTES))


def _uuid(version: int, data: bytes) -> str:
    """Write 16 bytes as a UUID of that version (RFC 9562); `uuid.UUID` knows 7 only from Python 3.14 on."""
    octets = bytearray(data)
    octets[6] = octets[6] & 0x0F | version << 4
    octets[8] = octets[8] & 0x3F | 0x80
    digits = octets.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
