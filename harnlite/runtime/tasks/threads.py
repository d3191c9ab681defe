"""Worker threads for blocking work, started on demand."""

from __future__ import annotations

import _thread
from _queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from harnlite.runtime.tasks.scheduler import Scheduler

    T = TypeVar("T")

_MOST_THREADS = 16


class Job:
    """A piece of work and how it ended; `tell` is called on the worker's thread when it is done."""

    __slots__ = ("_tell", "_work", "done", "error")

    def __init__(self, work: Callable[[], object], tell: Callable[[], object]) -> None:
        self._work = work
        self._tell = tell
        self.error: BaseException | None = None
        self.done = False

    def run(self) -> None:
        """Do the work, store the result, and notify the scheduler."""
        try:
            self._work()
        except BaseException as error:  # noqa: BLE001 - raised again where the work was asked for
            self.error = error
        self.done = True
        self._tell()


class Workers:
    """A small pool of threads that run jobs in order."""

    __slots__ = ("_busy", "_jobs", "_lock", "_threads")

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._lock = _thread.allocate_lock()
        self._threads = 0
        self._busy = 0

    def submit(self, job: Job) -> None:
        """Queue a job; it runs as soon as a thread is free."""
        with self._lock:
            self._busy += 1
            starts = self._busy > self._threads and self._threads < _MOST_THREADS
            self._threads += starts
        if starts:
            try:
                _thread.start_new_thread(self._work, ())
            except RuntimeError:
                with self._lock:
                    self._busy -= 1
                    self._threads -= 1
                raise MemoryError from None  # the system has no memory for the stack
        self._jobs.put(job)

    def stop(self) -> None:
        """Stop each thread when no jobs are left."""
        for _ in range(self._threads):
            self._jobs.put(None)
        self._threads = 0

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job.run()
            del job
            with self._lock:
                self._busy -= 1


def block(scheduler: Scheduler, work: Callable[..., T], args: tuple[object, ...]) -> T:
    """Run blocking work on another thread while the current task waits."""
    outside, me = scheduler.outside, scheduler.current
    if outside.workers is None:
        outside.workers = Workers()
    found: list[T] = []
    job = Job(lambda: found.append(work(*args)), lambda: outside.post(lambda: scheduler.wake(me)))
    outside.expected += 1
    try:
        outside.workers.submit(job)
        while not job.done:
            scheduler.wait()
    finally:
        outside.expected -= 1
    if job.error is not None:
        raise job.error
    return found[0]
