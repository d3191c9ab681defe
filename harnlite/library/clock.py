"""Builtins for clocks and timers; a script can replace the clock with `mock_time`."""

from __future__ import annotations

from harnlite.library.native import native
from harnlite.library.permissions import require
from harnlite.values.display import display
from harnlite.values.errors import thrown
from harnlite.values.operators import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution


class _Clock:
    """The time of the first use of the clock, and the times that a script has mocked."""

    __slots__ = ("first", "mock_monotonic_ms", "mock_wall_ms")

    def __init__(self, first: float) -> None:
        self.first = first
        self.mock_wall_ms: int | None = None
        self.mock_monotonic_ms = 0

    def advance(self, ms: int) -> None:
        """Move both mocked clocks."""
        self.mock_wall_ms = wrap((self.mock_wall_ms or 0) + ms)
        self.mock_monotonic_ms = wrap(self.mock_monotonic_ms + ms)


def _clock(run: Execution) -> _Clock:
    return run.state("clock", lambda: _Clock(run.clock.monotonic()))


def _real_ms(run: Execution) -> int:
    return int(run.clock.now() * 1000)


@native("timestamp")
def timestamp(run: Execution) -> float:
    """Return the current Unix time in seconds."""
    mocked = _clock(run).mock_wall_ms
    return run.clock.now() if mocked is None else mocked / 1000


@native("now_ms")
def now_ms(run: Execution) -> int:
    """Return the current Unix time in milliseconds."""
    mocked = _clock(run).mock_wall_ms
    return _real_ms(run) if mocked is None else mocked


def _monotonic_ms(run: Execution) -> int:
    clock = _clock(run)
    if clock.mock_wall_ms is not None:
        return clock.mock_monotonic_ms
    return int((run.clock.monotonic() - clock.first) * 1000)


@native("monotonic_ms")
def monotonic_ms(run: Execution) -> int:
    """Return the milliseconds since the clock was first used; the result never decreases."""
    return _monotonic_ms(run)


@native("elapsed")
def elapsed(run: Execution) -> int:
    """Return the milliseconds since the clock was first used."""
    return _monotonic_ms(run)


@native("sleep_ms")
def sleep_ms(run: Execution, ms: object = 0) -> None:
    """Wait this many milliseconds; while time is mocked, only advance the mocked clocks."""
    require(run, "clock.sleep", "sleep_ms")
    if type(ms) is not int or ms <= 0:
        return
    clock = _clock(run)
    if clock.mock_wall_ms is None:
        run.sleep(ms / 1000)
    else:
        clock.advance(ms)


@native("mock_time")
def mock_time(run: Execution, ms: object = None) -> None:
    """Replace the clock by a mocked one that is stopped at this Unix time in milliseconds."""
    if type(ms) is not int:
        raise thrown("mock_time(ms): expected an integer millisecond timestamp")
    clock = _clock(run)
    clock.mock_wall_ms = ms
    clock.mock_monotonic_ms = 0


@native("advance_time")
def advance_time(run: Execution, ms: object = 0) -> int:
    """Advance the mocked clock and return its new Unix time in milliseconds."""
    clock = _clock(run)
    if clock.mock_wall_ms is None:
        raise thrown("advance_time: no mock active. Call mock_time(ms) first.")
    clock.advance(ms if type(ms) is int else 0)
    return clock.mock_wall_ms


@native("unmock_time")
def unmock_time(run: Execution) -> None:
    """Return to the real clock."""
    _clock(run).mock_wall_ms = None


@native("timer_start")
def timer_start(run: Execution, name: object = "default") -> dict[str, object]:
    """Start a timer and return it as a dict."""
    return {"name": display(name), "start_ms": _real_ms(run)}


@native("timer_end")
def timer_end(run: Execution, timer: object = None) -> int:
    """Write the elapsed time of a timer and return it in milliseconds."""
    start = timer.get("start_ms") if isinstance(timer, dict) else None
    if not isinstance(timer, dict) or type(start) is not int:
        raise thrown("timer_end: argument must be a timer dict from timer_start")
    ms = max(_real_ms(run) - start, 0)
    run.write(f"[timer] {display(timer.get('name', 'default'))}: {ms}ms\n")
    return ms
