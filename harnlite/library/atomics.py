"""Builtins for atomic integers."""

from __future__ import annotations

from math import isfinite

from harnlite.library.native import native
from harnlite.runtime.concurrency.atomics import Atomic
from harnlite.values.operators import wrap

_MIN_INT, _MAX_INT = -(2**63), 2**63 - 1


def _start_value(value: object) -> int:
    if value.__class__ is float:
        return max(_MIN_INT, min(int(value), _MAX_INT)) if isfinite(value) else 0
    return int(value) if isinstance(value, int) else 0


@native("atomic")
def make_atomic(value: object = 0) -> Atomic:
    """Create an atomic integer."""
    return Atomic(_start_value(value))


@native("atomic_get")
def atomic_get(atomic: object = None) -> int | None:
    """Return the value of an atomic integer."""
    return atomic.value if atomic.__class__ is Atomic else None


@native("atomic_set")
def atomic_set(atomic: object = None, value: object = None) -> int | None:
    """Set the value of an atomic integer and return the old value."""
    if atomic.__class__ is not Atomic or value.__class__ is not int:
        return None
    old, atomic.value = atomic.value, value
    return old


@native("atomic_add")
def atomic_add(atomic: object = None, amount: object = None) -> int | None:
    """Add to the value of an atomic integer and return the old value."""
    if atomic.__class__ is not Atomic or amount.__class__ is not int:
        return None
    old, atomic.value = atomic.value, wrap(atomic.value + amount)
    return old


@native("atomic_cas")
def atomic_cas(atomic: object = None, expected: object = None, new: object = None) -> bool:
    """Set the value if it equals the expected one; return whether it did."""
    if atomic.__class__ is not Atomic or expected.__class__ is not int or new.__class__ is not int:
        return False
    if atomic.value != expected:
        return False
    atomic.value = new
    return True
