"""The pace of threads that run scripts: one computes at a time, and those that are ready stand in a line.

CPython executes one thread at a time, and a thread gives up the interpreter at each system call. Many threads that
compute therefore spend most of their time on handing over to each other. A thread whose turn it is meets no other.
"""

from __future__ import annotations

import _thread
import os
import time

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

    __slots__ = ("_admitted", "_at_once", "_is_watched", "_line", "_lock", "_moved_at")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all threads: a forked process does not have them."""
        self._lock = _thread.allocate_lock()
        self._line: deque[_thread.LockType] = deque()
        self._is_watched = False
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
        self.queue(gate)
        gate.acquire()

    def queue(self, gate: _thread.LockType) -> bool:
        """Release a lock as soon as a thread that waits for it may compute; return whether that is now."""
        with self._lock:
            if not self._admitted:
                self._admitted = 1
                self._moved_at = waiting_time()
                gate.release()
                return True
            self._line.append(gate)
            if self._is_watched:
                return False
            self._is_watched = True
        try:
            _thread.start_new_thread(self._watch, ())
        except RuntimeError:  # the system has no memory for the thread
            with self._lock:
                self._is_watched = False
                self._admit(len(self._line))
        return False

    def leave(self) -> None:
        """Let the next thread compute, because this one waits or has ended."""
        with self._lock:
            self._moved_at = waiting_time()
            self._at_once = 1
            if self._line:
                self._line.popleft().release()
            elif self._admitted:
                self._admitted -= 1

    def _watch(self) -> None:
        """Admit more threads whenever none has left for a while; end when no thread waits."""
        lock = self._lock
        while True:
            time.sleep(PATIENCE_SECONDS)
            with lock:
                if not self._line:
                    self._is_watched = False
                    return
                now = waiting_time()
                if now - self._moved_at >= PATIENCE_SECONDS:
                    self._moved_at = now
                    count = min(self._at_once, len(self._line))
                    self._at_once *= 2
                    self._admit(count)

    def _admit(self, count: int) -> None:
        self._admitted += count
        for _ in range(count):
            self._line.popleft().release()


PACE = Pace()
"""The pace of all hosts of this process, because their threads share one interpreter."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=PACE.reset)
