"""Builtins that create iters and pairs."""

from __future__ import annotations

from harnlite.library.native import MISSING, native
from harnlite.values.data_types import Pair
from harnlite.values.errors import type_error
from harnlite.values.iterators import HarnIter, iter_of


@native("iter")
def make_iter(value: object = MISSING) -> HarnIter:
    """Return a lazy iter over a value."""
    if value is MISSING:
        raise type_error("iter: expected 1 argument")
    return iter_of(value)


@native("pair")
def make_pair(*items: object) -> Pair:
    """Return a pair of two values."""
    if len(items) != 2:  # noqa: PLR2004 - a pair
        raise type_error(f"pair: expected 2 arguments, got {len(items)}")
    return Pair(*items)
