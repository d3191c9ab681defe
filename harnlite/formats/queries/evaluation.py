"""The operations of queries; a query takes a value and returns the list of its results."""

from __future__ import annotations

from harnlite.values.data_types import Struct, is_number
from harnlite.values.equality import equal
from harnlite.values.errors import thrown
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.iteration import polled
from harnlite.values.limits import beyond, limits_here
from harnlite.values.operators import truthy
from harnlite.values.sets import HarnSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Query: TypeAlias = Callable[[object], list[object]]

_TYPES: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    HarnSet: "array",
    dict: "object",
    Struct: "object",
}


class Steps:
    """Counts the results of all parts of one query, of which there may be far more than the query has in the end."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = limits_here().query_steps

    def counted(self, results: list[object]) -> list[object]:
        """Return the results of a part; raise an error if there are too many in all."""
        self.take(len(results) + 1)
        return results

    def take(self, count: int) -> None:
        """Count some results."""
        if BUILTINS["_hintr"]:
            poll_here()
        self._left -= count
        if self._left < 0:
            raise thrown(f"jq: {beyond('query_steps')}")


def identity(value: object) -> list[object]:
    """Evaluate `.`."""
    return [value]


def constant(result: object) -> Query:
    """Return a query that always has the same result."""
    return lambda _value: [result]


def field(name: str) -> Query:
    """Return the query `.name`."""
    return lambda value: [value.get(name) if value.__class__ is dict else None]


def item(index: int) -> Query:
    """Return the query `.[1]`."""

    def read(value: object) -> list[object]:
        if value.__class__ is not list or not -len(value) <= index < len(value):
            return [None]
        return [value[index]]

    return read


def part(low: int | None, high: int | None) -> Query:
    """Return the query `.[1:3]`."""
    return lambda value: [value[low:high] if value.__class__ is list else []]


def children(value: object) -> list[object]:
    """Evaluate `.[]`."""
    if value.__class__ is list:
        return value
    if value.__class__ is dict:
        return [value[key] for key in sorted(value)]
    return value.items if value.__class__ is HarnSet else []


def descendants(steps: Steps) -> Query:
    """Return the query `..`."""

    def run(value: object) -> list[object]:
        found: list[object] = []
        waiting = [value]
        while waiting:
            last = waiting.pop()
            found.append(last)
            inner = children(last)
            steps.take(len(inner) + 1)
            waiting.extend(reversed(inner))
        return found

    return run


def length(value: object) -> list[object]:
    """Evaluate `length`."""
    if value is None:
        return [0]
    return [len(value) if value.__class__ in (str, list, dict, HarnSet) else 1]


def keys(value: object) -> list[object]:
    """Evaluate `keys`."""
    return [sorted(value) if value.__class__ is dict else list(polled(range(len(children(value)))))]


def values(value: object) -> list[object]:
    """Evaluate `values`."""
    return [children(value)]


def kind(value: object) -> list[object]:
    """Evaluate `type`."""
    return [_TYPES.get(value.__class__, "string")]


def chain(first: Query, then: Query, steps: Steps) -> Query:
    """Return the query `a | b`."""

    def run(value: object) -> list[object]:
        found: list[object] = []
        for item in first(value):
            found += steps.counted(then(item))
        return found

    return run


def both(left: Query, right: Query, steps: Steps) -> Query:
    """Return the query `a, b`."""
    return lambda value: steps.counted(left(value) + right(value))


def first_of(query: Query, value: object) -> object:
    """Return the first result of a query, or nil."""
    results = query(value)
    return results[0] if results else None


def _holds(query: Query, value: object) -> bool:
    return truthy(first_of(query, value))


def conjunction(left: Query, right: Query) -> Query:
    """Return the query `a and b`."""
    return lambda value: [_holds(left, value) and _holds(right, value)]


def disjunction(left: Query, right: Query) -> Query:
    """Return the query `a or b`."""
    return lambda value: [_holds(left, value) or _holds(right, value)]


def negation(query: Query) -> Query:
    """Return the query `not a`."""
    return lambda value: [not _holds(query, value)]


def _less(left: object, right: object) -> bool:
    if left.__class__ is str and right.__class__ is str:
        return left < right
    return is_number(left) and is_number(right) and left < right


_TESTS: dict[str, Callable[[object, object], bool]] = {
    "==": equal,
    "!=": lambda left, right: not equal(left, right),
    "<": _less,
    ">": lambda left, right: _less(right, left),
}


def comparison(operator: str, left: Query, right: Query) -> Query:
    """Return the query `a == b`."""
    test = _TESTS[operator]
    return lambda value: [test(first_of(left, value), first_of(right, value))]


def mapping(query: Query, steps: Steps) -> Query:
    """Return the query `map(a)`."""

    def run(value: object) -> list[object]:
        found: list[object] = []
        for child in children(value):
            found += steps.counted(query(child))
        return [found]

    return run


def selection(query: Query, _steps: Steps) -> Query:
    """Return the query `select(a)`."""
    return lambda value: [value] if _holds(query, value) else []


def construction(fields: list[tuple[str, Query]]) -> Query:
    """Return the query `{k: a}`."""
    return lambda value: [{name: first_of(query, value) for name, query in fields}]
