"""Builtins for permits: mutexes, semaphores, gates and read-write locks."""

from __future__ import annotations

from harnlite.library.native import native
from harnlite.runtime.concurrency.permits import DEFAULT_MUTEX, MUTEX, Permit, pool_of, pools_of
from harnlite.runtime.tasks.waiting import timeout_of
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_READERS = 1024
_SHARES = {"read": 1, "write": _READERS}


def _acquire(run: Execution, kind: str, key: object, sizes: tuple[object, object], timeout: object) -> Permit | None:
    """Acquire a permit; the sizes are the capacity and the number of shares, where any value but an int counts as 1."""
    function = f"sync_{kind}_acquire"
    capacity, count = (size if size.__class__ is int else 1 for size in sizes)
    if capacity <= 0 or count <= 0:
        raise runtime_error(f"{function}: value must be positive")
    name = display(key)
    pool = pool_of(run, kind, name, capacity)
    if count > capacity:
        raise runtime_error(f"sync {kind} '{name}' requested {count} permits from capacity {capacity}")
    return pool.acquire(count, timeout_of(timeout))


@native("sync_mutex_acquire")
def sync_mutex_acquire(run: Execution, key: object = DEFAULT_MUTEX, timeout: object = None) -> Permit | None:
    """Acquire a mutex and return its permit, or nil after the timeout."""
    return _acquire(run, MUTEX, key, (1, 1), timeout)


@native("sync_semaphore_acquire")
def sync_semaphore_acquire(
    run: Execution, key: object = "default", capacity: object = 1, permits: object = 1, timeout: object = None
) -> Permit | None:
    """Acquire one or more permits of a semaphore, or return nil after the timeout."""
    return _acquire(run, "semaphore", key, (capacity, permits), timeout)


@native("sync_gate_acquire")
def sync_gate_acquire(
    run: Execution, key: object = "default", limit: object = 1, timeout: object = None
) -> Permit | None:
    """Acquire a permit to pass a gate, or return nil after the timeout."""
    return _acquire(run, "gate", key, (limit, 1), timeout)


@native("sync_rwlock_acquire")
def sync_rwlock_acquire(
    run: Execution, key: object = "default", mode: object = "read", timeout: object = None
) -> Permit | None:
    """Acquire a shared permit to read or an exclusive permit to write, or return nil after the timeout."""
    shares = _SHARES.get(mode) if mode.__class__ is str else None
    if shares is None:
        raise runtime_error("sync_rwlock_acquire: mode must be read or write")
    return _acquire(run, "rwlock", key, (_READERS, shares), timeout)


@native("sync_release")
def sync_release(permit: object = None) -> bool:
    """Release a permit; return whether it had not been released before."""
    if permit.__class__ is not Permit:
        raise runtime_error("sync_release: first argument must be a sync permit")
    return permit.release()


@native("sync_metrics")
def sync_metrics(run: Execution, kind: object = None, key: object = None) -> object:
    """Return the metrics of one pool of permits, or of all pools that match."""
    pools = pools_of(run)
    if kind is not None and key is not None:
        pool = pools.get((display(kind), display(key)))
        return pool and pool.metrics()
    wanted = display(kind) if kind is not None else None
    matching = [
        pool for pool in pools.values() if wanted in {None, pool.kind} and (key is None or display(key) == pool.key)
    ]
    return [pool.metrics() for pool in sorted(matching, key=lambda pool: pool.name)]
