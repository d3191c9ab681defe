"""The threads on which the turns of hosts run: each takes the next work when its own is done."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from harnlite.host.run_limits import RESERVE
from harnlite.runtime.tasks.pace import PACE
from harnlite.stack import start_thread, within_large_stack

if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable

MOST_THREADS = 1_000
"""The number of sessions whose turns run at a time; those of further sessions wait."""
_IDLE_SECONDS = 1.0
_BEGIN_SECONDS = 0.1


class _Worker:
    """A thread of the pool: the work that it is to do, and the lock that it waits for until it may begin."""

    __slots__ = ("begun", "gate", "work")

    def __init__(self, work: Callable[[], object]) -> None:
        self.work: Callable[[], object] | None = work
        self.gate = _closed()
        self.begun: LockType | None = None


class TurnThreads:
    """A pool of threads with large stacks. A thread ends when it has been idle for a while."""

    __slots__ = ("_count", "_idle", "_lock", "_waiting")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._waiting: deque[Callable[[], object]] = deque()
        """The work for which all threads are busy."""
        self._count = 0

    def run(self, work: Callable[[], object]) -> None:
        """Do work on a thread as soon as one is free, at the pace of all hosts.

        Return when the work has begun, or at once if another thread computes or all threads are busy. Raise MemoryError
        if the work needs a new thread and the system has no memory for it.
        """
        begun = _closed() if PACE.is_free else None
        with self._lock:
            if self._idle:
                # The idle thread is not woken before it may compute.
                worker = self._idle.pop()
                worker.work, worker.begun = work, begun
                starts = False
            elif self._count < MOST_THREADS:
                self._count += 1
                starts = True
            else:
                self._waiting.append(work)
                return
        if starts:
            worker = _Worker(work)
            worker.begun = begun
            self._start(worker)
        PACE.queue(worker.gate)
        if begun is not None:
            begun.acquire(timeout=_BEGIN_SECONDS)

    def _start(self, worker: _Worker) -> None:
        thread = threading.Thread(target=self._serve, args=(worker,), name="harnlite-turn", daemon=True)
        try:
            start_thread(thread.start)
        except BaseException:
            with self._lock:
                self._count -= 1
            raise

    def _serve(self, worker: _Worker) -> None:
        RESERVE.keep()
        try:
            self._work(worker)
        finally:
            RESERVE.release()

    def _work(self, worker: _Worker) -> None:
        while True:
            while not worker.gate.acquire(timeout=_IDLE_SECONDS):
                with self._lock:
                    if worker in self._idle:
                        self._idle.remove(worker)
                        self._count -= 1
                        return
            if worker.begun is not None:
                worker.begun.release()
                worker.begun = None
            try:
                if worker.work is not None:
                    within_large_stack(worker.work)
            finally:
                PACE.leave()
            worker.work = None
            with self._lock:
                if not self._waiting:
                    self._idle.append(worker)
                    continue
                worker.work = self._waiting.popleft()
            PACE.queue(worker.gate)


def _closed() -> LockType:
    """Return a lock that is held until another thread releases it."""
    lock = threading.Lock()
    lock.acquire()
    return lock
