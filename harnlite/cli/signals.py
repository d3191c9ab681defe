"""Ctrl-C and SIGTERM: while a program runs they end it cleanly, at any other moment there is nothing to clean up."""

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
    """Hears the signals of this process. A program that does not end at the third one is left behind."""

    __slots__ = ("_count", "_stop", "status")

    def __init__(self) -> None:
        self.status = exit_codes.INTERRUPTED
        self._count = 0
        self._stop: Callable[[], None] | None = None

    def listen(self) -> None:
        """Take the place of Python's own handlers, whose KeyboardInterrupt may strike anywhere."""
        for number in STATUS:
            _signal.signal(number, self._hear)

    def running(self, stop: Callable[[], None] | None) -> None:
        """Take note of what ends the running program, or that none runs any more."""
        self._stop = stop

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        self.status = STATUS[number]
        self._count += 1
        if self._stop is None or self._count >= PATIENCE:
            os._exit(self.status)
        self._stop()
