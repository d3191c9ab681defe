"""Lazy, single-pass iters, implemented as one chain of Python iterators."""

from __future__ import annotations

from itertools import chain, count, dropwhile, islice, takewhile

from harnlite.values.data_types import Pair, Range, type_name
from harnlite.values.errors import STACK_OVERFLOW, ScriptError, type_error
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.iteration import iterable_or_none
from harnlite.values.size_limits import check_items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, ClassVar, Self

_MAX_STAGES = 10_000
_BLOCK = 4_096
_ITEM_BYTES = 40
"""The memory of an item of a new list: the reference and an int or a short string, which iters usually make."""


class _End:
    """An empty iterator after the last item; it records whether a read has reached it."""

    __slots__ = ("reached",)

    def __init__(self) -> None:
        self.reached = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> object:
        self.reached = True
        raise StopIteration


class HarnIter:
    """A lazy iter over a Python iterator; `size` is the number of items if it is known from the start."""

    __slots__ = ("_end", "size", "source", "stages")
    harn_type: ClassVar[str] = "iter"

    def __init__(self, source: Iterator[object], *, size: int | None = None, stages: int = 0) -> None:
        if stages > _MAX_STAGES:
            raise ScriptError(STACK_OVERFLOW)
        self._end = _End()
        self.source: Iterator[object] = chain(source, self._end)
        self.size = size
        self.stages = stages

    def harn_text(self, _display: Callable[[object], str]) -> str:
        """Return `<iter>` or `<iter (exhausted)>`."""
        return "<iter (exhausted)>" if self._end.reached else "<iter>"

    def harn_iterate(self) -> Iterator[object]:
        """Return the iterator that every reader of this iter shares."""
        return self.source

    def followed_by(self, source: Iterator[object], size: int | None = None) -> HarnIter:
        """Return an iter with one more stage, which reads this iter."""
        return HarnIter(source, size=size, stages=self.stages + 1)

    def items(self) -> list[object]:
        """Read the remaining items into a list."""
        if self.size is not None:
            check_items(self.size, _ITEM_BYTES)
        return _read(self.source)


def _read(source: Iterator[object], most: int | None = None) -> list[object]:
    """Read the next items, at most `most` of them, in blocks with a check for interrupts before each."""
    if most is not None and most <= _BLOCK:
        return list(islice(source, most))
    found = list(islice(source, _BLOCK))
    more = len(found) == _BLOCK
    while more:
        if BUILTINS["_hintr"]:
            poll_here()
        wanted = _BLOCK if most is None else min(_BLOCK, most - len(found))
        block = list(islice(source, wanted))
        found += block
        check_items(len(found), _ITEM_BYTES)
        more = len(block) == _BLOCK
    return found


_SIZES: dict[type, Callable[[Any], int]] = {list: len, dict: len, str: len, Range: lambda value: value.size}


def iter_of(value: object) -> HarnIter:
    """Return an iter over a value; an iter is returned unchanged."""
    if value.__class__ is HarnIter:
        return value
    source = iterable_or_none(value)
    if source is None:
        raise type_error(f"iter: value of type {type_name(value)} is not iterable")
    size = _SIZES.get(value.__class__)
    return HarnIter(source, size=size(value) if size is not None else None)


# The lazy stages. Each reads the previous iter through Python's own iterators, not through generators. So a callback
# may read the same iter again without the error of a generator that is already running.


class _Taking:
    """The first items of an iter; the iter counts as exhausted as soon as the last of them is read."""

    __slots__ = ("left", "owner", "source")

    def __init__(self, source: Iterator[object], left: int) -> None:
        self.source = source
        self.left = left
        self.owner: _End | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> object:
        if self.left <= 0:
            raise StopIteration
        item = next(self.source)
        self.left -= 1
        if self.left == 0 and self.owner is not None:
            self.owner.reached = True
        return item


class _Windows:
    """Full windows, each one item after the previous one."""

    __slots__ = ("current", "size", "source")

    def __init__(self, source: Iterator[object], size: int) -> None:
        self.source = source
        self.size = size
        self.current: list[object] | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> list[object]:
        if self.current is None:
            self.current = _read(self.source, self.size)
            if len(self.current) < self.size:
                raise StopIteration
        else:
            self.current = [*self.current[1:], next(self.source)]
        return self.current


def take(source: HarnIter, limit: int) -> HarnIter:
    """Return an iter over the first items."""
    taking = _Taking(source.source, limit)
    taken = source.followed_by(taking, None if source.size is None else min(source.size, limit))
    taking.owner = taken._end  # noqa: SLF001 - both halves of one iter
    return taken


def skip(source: HarnIter, number: int) -> HarnIter:
    """Return an iter over the items after the first `number` items."""
    return source.followed_by(islice(source.source, number, None))


def mapped(source: HarnIter, change: Callable[..., object]) -> HarnIter:
    """Return an iter over the results of a function for each item."""
    return source.followed_by(map(change, source.source), source.size)


def filtered(source: HarnIter, test: Callable[..., object]) -> HarnIter:
    """Return an iter over the items that pass a test."""
    return source.followed_by(filter(test, source.source))


def take_while(source: HarnIter, test: Callable[..., object]) -> HarnIter:
    """Return an iter over the items before the first that fails a test."""
    return source.followed_by(takewhile(test, source.source))


def skip_while(source: HarnIter, test: Callable[..., object]) -> HarnIter:
    """Return an iter that starts with the first item that fails a test."""
    return source.followed_by(dropwhile(test, source.source))


def flat_mapped(source: HarnIter, change: Callable[..., object]) -> HarnIter:
    """Return an iter over the items of all results of a function."""

    def inner(item: object) -> Iterator[object]:
        return iter_of(change(item)).source

    return source.followed_by(chain.from_iterable(map(inner, source.source)))


def zipped(source: HarnIter, other: HarnIter) -> HarnIter:
    """Return an iter over pairs of items; it ends when either source ends."""
    return HarnIter(map(Pair, source.source, other.source), stages=max(source.stages, other.stages) + 1)


def enumerated(source: HarnIter) -> HarnIter:
    """Return an iter over pairs of index and item."""
    return source.followed_by(map(Pair, count(), source.source), source.size)


def chained(source: HarnIter, other: HarnIter) -> HarnIter:
    """Return an iter over the items of the first source, then those of the second."""
    return HarnIter(chain(source.source, other.source), stages=max(source.stages, other.stages) + 1)


def chunked(source: HarnIter, size: int) -> HarnIter:
    """Return an iter over lists of a given size; the last one may be shorter."""
    return source.followed_by(iter(lambda: _read(source.source, size), []))


def windowed(source: HarnIter, size: int) -> HarnIter:
    """Return an iter over full windows of a given size."""
    return source.followed_by(_Windows(source.source, size))
