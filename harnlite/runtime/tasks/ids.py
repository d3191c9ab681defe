"""Unique random ids."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.clock import Clock

_TIME_BYTES = 6
_UUID_BYTES = 16
_AT_ONCE = 64


class _RandomBytes:
    """Random bytes for the next ids of the process: a call of the system for each id would cost more than the id."""

    __slots__ = ("_process", "_ready")

    def __init__(self) -> None:
        self._ready: list[bytes] = []
        self._process = 0

    def take(self) -> bytes:
        """Return as many random bytes as a UUID has."""
        if self._process != os.getpid():
            # A forked process must not give the same ids.
            self._ready, self._process = [], os.getpid()
        try:
            return self._ready.pop()
        except IndexError:
            data = os.urandom(_AT_ONCE * _UUID_BYTES)
            self._ready += [data[start : start + _UUID_BYTES] for start in range(_UUID_BYTES, len(data), _UUID_BYTES)]
            return data[:_UUID_BYTES]


_RANDOM_BYTES = _RandomBytes()


class Ids:
    """The source of random ids; tests inject their own. Any thread may use it."""

    __slots__ = ("_clock",)

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def hex(self, count: int) -> str:
        """Return `count` random bytes as hex digits."""
        return (_RANDOM_BYTES.take()[:count] if count <= _UUID_BYTES else os.urandom(count)).hex()

    def uuid4(self) -> str:
        """Return a random UUID."""
        data = _RANDOM_BYTES.take()
        return _uuid(4, data[:_TIME_BYTES].hex(), data)

    def uuid7(self) -> str:
        """Return a random UUID that starts with the time."""
        ms = int(self._clock.now() * 1000)
        return _uuid(7, ms.to_bytes(_TIME_BYTES, "big").hex(), _RANDOM_BYTES.take())


def _uuid(version: int, start: str, data: bytes) -> str:
    """Format a UUID of a version (RFC 9562) from 12 digits and all but the first 6 of 16 random bytes.

    `uuid.UUID` supports version 7 only since Python 3.14.
    """
    digits = data.hex()
    return f"{start[:8]}-{start[8:]}-{version}{digits[13:16]}-{'89ab'[data[8] >> 4 & 3]}{digits[17:20]}-{digits[20:]}"
