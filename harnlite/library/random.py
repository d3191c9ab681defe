"""Builtins for random numbers, from the source of the run or from one that the script has seeded."""

from __future__ import annotations

from harnlite.library.native import native
from harnlite.runtime.random_source import Rng
from harnlite.values.errors import type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random

    from harnlite.runtime.tasks.execution import Execution


@native("rng_seed")
def rng_seed(seed: object = None) -> Rng:
    """Return a source of random numbers that starts from a seed."""
    if seed.__class__ is not int:
        raise type_error("rng_seed(seed): seed must be an integer")
    from random import Random

    return Rng(Random(seed))  # noqa: S311 - not for cryptography


def _source(run: Execution, args: tuple[object, ...]) -> tuple[Random, tuple[object, ...]]:
    """Return the source of random numbers and the remaining arguments."""
    if args and args[0].__class__ is Rng:
        return args[0].source, args[1:]
    return run.random, args


@native("random")
def random_float(run: Execution, rng: object = None) -> float:
    """Return a random float from 0 up to, but not including, 1."""
    return _source(run, (rng,))[0].random()


@native("random_int")
def random_int(run: Execution, *args: object) -> int | None:
    """Return a random int between two bounds, both included."""
    source, bounds = _source(run, args)
    if len(bounds) < 2:  # noqa: PLR2004 - from and to
        return None
    low, high = bounds[:2]
    if low.__class__ is not int:
        raise type_error("random_int: min must be an integer")
    if high.__class__ is not int:
        raise type_error("random_int: max must be an integer")
    return source.randint(low, high) if low <= high else None


@native("random_choice")
def random_choice(run: Execution, *args: object) -> object:
    """Return a random item of a list."""
    source, rest = _source(run, args)
    if not rest or rest[0].__class__ is not list or not rest[0]:
        return None
    items: list[object] = rest[0]
    return items[source.randrange(len(items))]


@native("random_shuffle")
def random_shuffle(run: Execution, *args: object) -> list[object] | None:
    """Return the items of a list in random order."""
    source, rest = _source(run, args)
    if not rest or rest[0].__class__ is not list:
        return None
    items = list(rest[0])
    source.shuffle(items)
    return items
