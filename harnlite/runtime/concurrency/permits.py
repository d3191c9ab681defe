"""Permits: mutexes, semaphores, gates and read-write locks. Each run has one registry of them."""

from __future__ import annotations

from harnlite.runtime.tasks.clock import waiting_time
from harnlite.values import interrupts
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import OrderedDict
    from typing import ClassVar

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.runtime.tasks.task import Task
    from harnlite.values.data_types import Display
else:
    from _collections import OrderedDict

STATE_KEY = "permits"
MUTEX = "mutex"
DEFAULT_MUTEX = "__default__"


class Permit:
    """An acquired share of a pool; the pool gets it back when the permit is released or garbage collected."""

    __slots__ = ("_count", "_pool", "_since", "released")
    harn_type: ClassVar[str] = "sync_permit"

    def __init__(self, pool: Pool, count: int) -> None:
        self._pool = pool
        self._count = count
        self._since = waiting_time()
        self.released = False

    def harn_text(self, _display: Display) -> str:
        """Return `<sync_permit:mutex:key>`."""
        return f"<sync_permit:{self._pool.name}>"

    def release(self) -> bool:
        """Return the share to the pool; only the first call has an effect."""
        if self.released:
            return False
        self.released = True
        self._pool.take_back(self._count, waiting_time() - self._since)
        return True

    def __del__(self) -> None:
        if self.released:
            return
        if interrupts.current() is self._pool.run:
            self.release()
        else:
            # Garbage may be collected on any thread, or after the run.
            pool, count, since = self._pool, self._count, self._since
            pool.run.scheduler.outside.post(lambda: pool.take_back(count, waiting_time() - since))


class Pool:
    """The capacity that all permits of one kind and key share. Waiting tasks are served in order."""

    __slots__ = (
        "_waiters",
        "acquisitions",
        "cancellations",
        "capacity",
        "held",
        "held_seconds",
        "key",
        "kind",
        "max_queue",
        "releases",
        "run",
        "timeouts",
        "waited_seconds",
    )

    def __init__(self, run: Execution, kind: str, key: str, capacity: int) -> None:
        self.run = run
        self.kind = kind
        self.key = key
        self.capacity = capacity
        self.held = 0
        self.acquisitions = self.cancellations = self.timeouts = self.releases = self.max_queue = 0
        self.held_seconds = self.waited_seconds = 0.0
        self._waiters: OrderedDict[Task, int] = OrderedDict()

    @property
    def name(self) -> str:
        """Return the kind and the key, joined by a colon."""
        return f"{self.kind}:{self.key}"

    def acquire(self, count: int, timeout: float | None) -> Permit | None:
        """Acquire a share, waiting at most `timeout` seconds (None: no limit, 0: do not wait)."""
        is_free = not self._waiters and self.held + count <= self.capacity
        if timeout is not None and timeout <= 0:
            if not is_free:
                self.timeouts += 1
                return None
        else:
            self.max_queue = max(self.max_queue, len(self._waiters) + 1)
            if not is_free:
                return self._wait(count, None if timeout is None else waiting_time() + timeout)
        return self._grant(count)

    def _grant(self, count: int) -> Permit:
        self.held += count
        self.acquisitions += 1
        return Permit(self, count)

    def _wait(self, count: int, until: float | None) -> Permit | None:
        """Join the queue and wait; `_serve` removes a task from the queue when it grants its share."""
        scheduler = self.run.scheduler
        me = scheduler.current
        start = waiting_time()
        self._waiters[me] = count
        try:
            while me in self._waiters:
                if until is not None and waiting_time() >= until:
                    del self._waiters[me]
                    self.timeouts += 1
                    self._serve()
                    return None
                scheduler.wait(until)
        except BaseException:
            self.cancellations += 1
            if self._waiters.pop(me, None) is None:
                self.held -= count
            self._serve()
            raise
        finally:
            self.waited_seconds += waiting_time() - start
        self.acquisitions += 1
        return Permit(self, count)

    def take_back(self, count: int, seconds: float) -> None:
        """Take back the share of a permit, and serve the next waiting tasks."""
        self.held -= count
        self.releases += 1
        self.held_seconds += seconds
        self._serve()

    def _serve(self) -> None:
        # At any step a permit may be garbage collected, which serves the same tasks.
        while (task := next(iter(self._waiters), None)) is not None:
            count = self._waiters.get(task, 0)
            if self.held + count > self.capacity:
                return
            if self._waiters.pop(task, None) is not None:
                self.held += count
                self.run.scheduler.wake(task)

    def metrics(self) -> dict[str, object]:
        """Return the counters as a dict for scripts."""
        return {
            "acquisition_count": self.acquisitions,
            "cancellation_count": self.cancellations,
            "capacity": self.capacity,
            "current_held": self.held,
            "current_queue_depth": len(self._waiters),
            "key": self.key,
            "kind": self.kind,
            "max_queue_depth": self.max_queue,
            "release_count": self.releases,
            "timeout_count": self.timeouts,
            "total_held_ms": int(self.held_seconds * 1000),
            "total_wait_ms": int(self.waited_seconds * 1000),
        }


def pools_of(run: Execution) -> dict[tuple[str, str], Pool]:
    """Return the registry of a run."""
    return run.state(STATE_KEY, dict)


def pool_of(run: Execution, kind: str, key: str, capacity: int) -> Pool:
    """Return the pool of a kind and key; it is created on first use."""
    pools = pools_of(run)
    pool = pools.get((kind, key))
    if pool is None:
        pool = pools[kind, key] = Pool(run, kind, key, capacity)
    if pool.capacity != capacity:
        raise runtime_error(f"sync {kind} '{key}' already exists with capacity {pool.capacity}, not {capacity}")
    return pool


class MutexBlock:
    """The block of `mutex { … }`."""

    __slots__ = ("_permit", "_run")

    def __init__(self, run: Execution) -> None:
        self._run = run
        self._permit: Permit | None = None

    def __enter__(self) -> None:
        self._permit = pool_of(self._run, MUTEX, DEFAULT_MUTEX, 1).acquire(1, None)

    def __exit__(self, *_: object) -> None:
        if self._permit is not None:
            self._permit.release()
