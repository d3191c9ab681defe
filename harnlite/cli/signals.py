"""Ctrl-C and SIGTERM: they stop a running program cleanly; otherwise there is nothing to clean up."""

from __future__ import annotations

import os

from harnlite.cli import exit_codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
    from types import FrameType
else:
    import _signal

PATIENCE = 3
STATUS: dict[int, int] = {_signal.SIGINT: exit_codes.INTERRUPTED, _signal.SIGTERM: exit_codes.TERMINATED}


class Signals:
    """The signal handlers of this process. The third signal exits even if the program is still running."""

    __slots__ = ("_count", "_stop", "status")

    def __init__(self) -> None:
        self.status = exit_codes.INTERRUPTED
        self._count = 0
        self._stop: Callable[[], None] | None = None

    def listen(self) -> None:
        """Replace Python's handlers, whose KeyboardInterrupt may be raised anywhere."""
        for number in STATUS:
            _signal.signal(number, self._hear)

    def running(self, stop: Callable[[], None] | None) -> None:
        """Set the callback that stops the running program, or None when no program is running."""
        self._stop = stop

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        self.status = STATUS[number]
        self._count += 1
        if self._stop is None or self._count >= PATIENCE:
            os._exit(self.status)
        self._stop()
