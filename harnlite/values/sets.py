"""Sets: immutable values in insertion order. Sets that were extended from one another share one growing store."""

from __future__ import annotations

from itertools import islice

from harnlite.values.equality import equal, position_in
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.iteration import polled
from harnlite.values.keys import NO_KEY, distinct, equality_key, structural_key
from harnlite.values.size_limits import check_size, join_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from typing import ClassVar, TypeAlias

    Test: TypeAlias = Callable[[object], bool]


class _Store:
    """An append-only list of items, and the indexes over them that have been needed so far."""

    __slots__ = ("by_equality", "by_structure", "items", "loose")

    def __init__(self, items: list[object]) -> None:
        self.items = items
        self.by_structure: dict[Hashable, int] | None = None
        self.by_equality: dict[Hashable, int] | None = None
        self.loose: list[int] = []

    def structure(self) -> dict[Hashable, int]:
        """Return the first position of each structural key."""
        if self.by_structure is None:
            self.by_structure = {}
            for position, item in enumerate(polled(self.items)):
                self.by_structure.setdefault(structural_key(item), position)
        return self.by_structure

    def equality(self) -> dict[Hashable, int]:
        """Return the first position of each equality key; `loose` holds the positions of items without a key."""
        if self.by_equality is None:
            self.by_equality = {}
            for position, item in enumerate(polled(self.items)):
                self._file(self.by_equality, item, position)
        return self.by_equality

    def append(self, item: object) -> None:
        """Append an item, and add it to the existing indexes."""
        position = len(self.items)
        if self.by_structure is not None:
            self.by_structure.setdefault(structural_key(item), position)
        if self.by_equality is not None:
            self._file(self.by_equality, item, position)
        self.items.append(item)

    def _file(self, index: dict[Hashable, int], item: object, position: int) -> None:
        key = equality_key(item)
        if key is NO_KEY:
            self.loose.append(position)
        else:
            index.setdefault(key, position)


class HarnSet:
    """A set value: the first `len` items of a store. Extending the newest set of a store does not copy the items."""

    __slots__ = ("_size", "_store")
    harn_type: ClassVar[str] = "set"

    def __init__(self, items: list[object]) -> None:
        """Take ownership of a list of items that are already distinct."""
        self._store = _Store(items)
        self._size = len(items)

    def __len__(self) -> int:
        return self._size

    def harn_text(self, display: Callable[[object], str]) -> str:
        """Return `set(1, 2)` in insertion order."""
        return f"set({join_texts([display(item) for item in self.harn_iterate()])})"

    def harn_iterate(self) -> Iterator[object]:
        """Return an iterator over the items."""
        return islice(self._store.items, self._size)

    def harn_equals(self, other: HarnSet) -> bool:
        """Return whether the other set has equal items, in any order."""
        return self._size == len(other) and _is_true_of_all(other.holds, self)

    @property
    def items(self) -> list[object]:
        """Return the items as a new list."""
        return self._store.items[: self._size]

    def holds(self, value: object) -> bool:
        """Return whether an item equals the value (`==`)."""
        key = equality_key(value)
        if key is NO_KEY:
            return position_in(self.items, value) >= 0
        store = self._store
        position = store.equality().get(key)
        if position is not None and position < self._size:
            return True
        return any(equal(store.items[at], value) for at in store.loose if at < self._size)

    def holds_structure(self, value: object) -> bool:
        """Return whether an item has the structural key of the value."""
        position = self._store.structure().get(structural_key(value))
        return position is not None and position < self._size

    def extended(self, value: object) -> HarnSet:
        """Return a set with one more item, which must not be in this set."""
        check_size(self._size + 1)
        if len(self._store.items) != self._size:
            return HarnSet([*self.harn_iterate(), value])
        grown = HarnSet.__new__(HarnSet)
        grown._store = self._store  # noqa: SLF001 - the same class
        grown._size = self._size + 1  # noqa: SLF001
        self._store.append(value)
        return grown


def _is_true_of_all(test: Test, items: HarnSet) -> bool:
    for item in items.harn_iterate():
        if BUILTINS["_hintr"]:
            poll_here()
        if not test(item):
            return False
    return True


def set_of(items: list[object]) -> HarnSet:
    """Return a set of the items without duplicates; items with the same structural key are duplicates."""
    return HarnSet(distinct(items))


def set_of_unequal(items: list[object]) -> HarnSet:
    """Return a set of the items without duplicates; items that are equal (`==`) are duplicates."""
    found = HarnSet([])
    for item in polled(items):
        if not found.holds(item):
            found = found.extended(item)
    return found


def by_equality(container: HarnSet) -> Test:
    """Return a function that tests by `==` whether a set has an item."""
    return container.holds


def by_structure(container: HarnSet) -> Test:
    """Return a function that tests by structural key whether a set has an item."""
    return container.holds_structure


def union(left: HarnSet, right: HarnSet, test: Callable[[HarnSet], Test]) -> HarnSet:
    """Return the items of both sets, those of the left set first."""
    known = test(left)
    check_size(len(left) + len(right))
    return HarnSet(left.items + [item for item in polled(right.items) if not known(item)])


def intersection(left: HarnSet, right: HarnSet, test: Callable[[HarnSet], Test]) -> HarnSet:
    """Return the items of the left set that are also in the right set."""
    known = test(right)
    return HarnSet([item for item in polled(left.items) if known(item)])


def difference(left: HarnSet, right: HarnSet, test: Callable[[HarnSet], Test]) -> HarnSet:
    """Return the items of the left set that are not in the right set."""
    known = test(right)
    return HarnSet([item for item in polled(left.items) if not known(item)])


def symmetric_difference(left: HarnSet, right: HarnSet, test: Callable[[HarnSet], Test]) -> HarnSet:
    """Return the items that are in exactly one of the sets."""
    return HarnSet(difference(left, right, test).items + difference(right, left, test).items)


def is_subset(left: HarnSet, right: HarnSet, test: Callable[[HarnSet], Test]) -> bool:
    """Return whether all items of the left set are in the right set."""
    return _is_true_of_all(test(right), left)


def is_disjoint(left: HarnSet, right: HarnSet, test: Callable[[HarnSet], Test]) -> bool:
    """Return whether the sets have no item in common."""
    known = test(right)
    return _is_true_of_all(lambda item: not known(item), left)
