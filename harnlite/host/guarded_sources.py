"""The clock and the ids of a host, whose exceptions and wrong results become errors that a script can catch."""

from __future__ import annotations

from math import isfinite

from harnlite.runtime.tasks.clock import Clock
from harnlite.runtime.tasks.ids import Ids
from harnlite.values.errors import Unwinding, runtime_error


class GuardedClock(Clock):
    """A clock that checks another clock."""

    __slots__ = ("_clock",)

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> float:
        """Return the current time in seconds since 1970."""
        return _seconds(self._clock, "now")

    def monotonic(self) -> float:
        """Return a time in seconds that never decreases."""
        return _seconds(self._clock, "monotonic")


class GuardedIds(Ids):
    """A source of ids that checks another source."""

    __slots__ = ("_ids",)

    def __init__(self, ids: Ids, clock: Clock) -> None:
        super().__init__(clock)
        self._ids = ids

    def hex(self, count: int) -> str:
        """Return `count` random bytes as hex digits."""
        return _text(self._ids, "hex", count)

    def uuid4(self) -> str:
        """Return a random UUID."""
        return _text(self._ids, "uuid4")

    def uuid7(self) -> str:
        """Return a random UUID that starts with the time."""
        return _text(self._ids, "uuid7")


def _seconds(clock: Clock, name: str) -> float:
    value = _answer(clock, "clock", name)
    try:
        if isinstance(value, (int, float)) and isfinite(value):
            return value
    except OverflowError:
        pass  # an int that no float can hold
    raise runtime_error(f"clock.{name}: the host must return a finite number of seconds, got {_kind(value)}")


def _text(ids: Ids, name: str, *arguments: int) -> str:
    value = _answer(ids, "ids", name, *arguments)
    if isinstance(value, str):
        return str(value)
    raise runtime_error(f"ids.{name}: the host must return a string, got {_kind(value)}")


def _answer(source: Clock | Ids, title: str, name: str, *arguments: int) -> object:
    try:
        return getattr(source, name)(*arguments)
    except (KeyboardInterrupt, GeneratorExit, Unwinding):
        raise
    except BaseException as error:
        raise runtime_error(f"{title}.{name}: {type(error).__name__}: {error}") from error


def _kind(value: object) -> str:
    return repr(value) if isinstance(value, float) else type(value).__name__
