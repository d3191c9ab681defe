"""The pace of threads that run scripts: one computes at a time, and those that are ready stand in a line.

CPython executes one thread at a time, and a thread gives up the interpreter at each system call. Many threads that
compute therefore spend most of their time on handing over to each other. A thread whose turn it is meets no other.
"""

from __future__ import annotations

import _thread
import os

from harnlite.runtime.tasks.clock import waiting_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
else:
    from _collections import deque

PATIENCE_SECONDS = 0.010


class Pace:
    """Admits threads in the order of their arrival, one when another leaves.

    An admitted thread may block. If none leaves for a while, more threads are admitted, twice as many each time.
    """

    __slots__ = ("_admitted", "_at_once", "_line", "_lock", "_moved_at")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all threads: a forked process does not have them."""
        self._lock = _thread.allocate_lock()
        self._line: deque[_thread.LockType] = deque()
        self._admitted = 0
        self._at_once = 1
        self._moved_at = 0.0

    @property
    def is_free(self) -> bool:
        """Return whether a thread that enters now would not wait."""
        return not self._admitted

    def enter(self) -> None:
        """Wait until this thread may compute."""
        with self._lock:
            if not self._admitted:
                self._admitted = 1
                self._moved_at = waiting_time()
                return
            gate = _thread.allocate_lock()
            gate.acquire()
            self._line.append(gate)
            place = len(self._line)
        # The threads in front look more often, so that a long line costs no time.
        while not gate.acquire(True, place * PATIENCE_SECONDS):  # noqa: FBT003 - positional only
            place = self._look_after(gate)

    def leave(self) -> None:
        """Let the next thread compute, because this one waits or has ended."""
        with self._lock:
            self._moved_at = waiting_time()
            self._at_once = 1
            if self._line:
                self._line.popleft().release()
            elif self._admitted:
                self._admitted -= 1

    def _look_after(self, gate: _thread.LockType) -> int:
        """Admit more threads if none has left for a while; return the place of a gate in the line."""
        with self._lock:
            now = waiting_time()
            if now - self._moved_at >= PATIENCE_SECONDS:
                self._moved_at = now
                count = min(self._at_once, len(self._line))
                self._at_once *= 2
                self._admitted += count
                for _ in range(count):
                    self._line.popleft().release()
            return self._line.index(gate) + 1 if gate in self._line else 1


PACE = Pace()
"""The pace of all hosts of this process, because their threads share one interpreter."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=PACE.reset)
