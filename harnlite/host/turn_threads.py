"""The threads on which the turns of hosts run: each takes the next work when its own is done."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from harnlite.host.run_limits import RESERVE
from harnlite.runtime.tasks.pace import PACE
from harnlite.stack import start_thread, within_large_stack

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_THREADS = 1_000
"""The number of sessions whose turns run at a time; those of further sessions wait."""
_IDLE_SECONDS = 1.0
_BEGIN_SECONDS = 0.1


class _Job:
    """Some work, and whether a thread has begun it."""

    __slots__ = ("begun", "work")

    def __init__(self, work: Callable[[], object]) -> None:
        self.work = work
        self.begun = threading.Lock()
        self.begun.acquire()


class TurnThreads:
    """A pool of threads with large stacks. A thread ends when it has been idle for a while."""

    __slots__ = ("_count", "_idle", "_lock", "_ready", "_waiting")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ready = threading.Condition(self._lock)
        self._waiting: deque[_Job] = deque()
        self._count = self._idle = 0

    def run(self, work: Callable[[], object]) -> None:
        """Do work on a thread as soon as one is free, at the pace of all hosts.

        Return when the work has begun, or at once if another thread computes or all threads are busy. Raise MemoryError
        if the work needs a new thread and the system has no memory for it.
        """
        job = _Job(work)
        begins = PACE.is_free
        with self._lock:
            self._waiting.append(job)
            starts = len(self._waiting) > self._idle and self._count < MOST_THREADS
            begins = begins and (starts or len(self._waiting) <= self._idle)
            self._count += starts
            if not starts:
                self._ready.notify()
        if starts:
            thread = threading.Thread(target=self._serve, name="harnlite-turn", daemon=True)
            try:
                start_thread(thread.start)
            except BaseException:
                with self._lock:
                    self._count -= 1
                    if job in self._waiting:
                        self._waiting.remove(job)
                        raise
        if begins:
            job.begun.acquire(timeout=_BEGIN_SECONDS)

    def _serve(self) -> None:
        RESERVE.keep()
        try:
            self._work()
        finally:
            RESERVE.release()

    def _work(self) -> None:
        while True:
            with self._lock:
                self._idle += 1
                try:
                    if not self._waiting:
                        self._ready.wait_for(lambda: self._waiting, _IDLE_SECONDS)
                finally:
                    self._idle -= 1
                if not self._waiting:
                    self._count -= 1
                    return
                job = self._waiting.popleft()
            PACE.enter()
            job.begun.release()
            try:
                within_large_stack(job.work)
            finally:
                PACE.leave()
            del job
