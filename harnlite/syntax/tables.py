"""The parse tables of the grammar, and the packaged file that holds them."""

from __future__ import annotations

import marshal
import os
from functools import partial
from operator import itemgetter

from harnlite import resources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Arrange = Callable[[list[Any]], Any]
    Targets = dict[int, dict[str, int]]
    Step = tuple[int, int, Arrange | None, Targets]
    Build = Any
    """A callback, or None; the precise type would need a cast in the hot loop."""
    Short = dict[int, dict[str, tuple[int, int] | None]]

FORMAT = 3
FILE_NAME = "harn.tables"
PACKAGED = os.path.join(os.path.dirname(os.path.abspath(__file__)), FILE_NAME)


class Tables:
    """The rules and rows of an LALR(1) parser, and the grammar that they were built from.

    A rule is (size, origin, callback name, arrangement of arguments). A row maps symbols to actions: a positive number
    is the next state, and a negative number is the complement of the number of the rule to reduce by, minus UNIT if
    the rule only passes its value on. An arrangement lists indices: -1 for a missing optional part, and an index plus
    SPLICE for a list that is spliced in; without an arrangement, the values are the arguments.

    Two tables fill up while programs are parsed. `jumps` has the state after a reduction and all reductions behind it
    that only pass a value on, by the origin of the rule, the state below and the next kind. `shorts` has, by the state
    after a token, the state below and the next kind, the number of the callback that converts the token, and the state
    after it. `numbers` has the numbers of the callbacks by their names; 0 stands for none.
    """

    __slots__ = ("grammar", "jumps", "numbers", "plans", "rows", "rules", "shorts", "starts", "steps", "symbols")
    SPLICE = 1000
    UNIT = 100_000

    def __init__(
        self,
        grammar: str,
        rules: list[tuple[Any, ...]],
        rows: list[dict[str, int]],
        symbols: list[str],
        starts: dict[str, int],
    ) -> None:
        self.grammar = grammar
        self.rules = rules
        self.rows = rows
        self.symbols = symbols
        self.starts = starts
        self.numbers = {name: number for number, name in enumerate(dict.fromkeys(["", *(rule[2] for rule in rules)]))}
        self.plans: dict[tuple[type, ...], list[tuple[int, str]]] = {}
        self.jumps: dict[str, Targets] = {origin: {} for _size, origin, _name, _places in rules}
        self.steps: list[Step] = [
            (size, self.numbers[name], _arranging(size, name, places), self.jumps[origin])
            for size, origin, name, places in rules
        ]
        self.shorts: list[Short | None] = [{} for _ in rows]

    def rule(self, action: int) -> tuple[Any, ...]:
        """Return the rule of a reduce action."""
        found: tuple[Any, ...] = self.rules[~(action + self.UNIT if action < -self.UNIT else action)]
        return found

    def leap(self, below: int, top: int, kind: str) -> int:
        """Return the state after all reductions that only pass the top value on."""
        rows = self.rows
        action = rows[top].get(kind)
        while action is not None and action < -self.UNIT:
            top = rows[below][self.rule(action)[1]]
            action = rows[top].get(kind)
        return top

    def jump(self, origin: str, below: int, kind: str) -> int:
        """Compute the state after a reduction, and add it to `jumps`."""
        target = self.leap(below, self.rows[below][origin], kind)
        self.jumps[origin].setdefault(below, {})[kind] = target
        return target

    def shorten(self, short: Short, below: int, top: int, kind: str) -> tuple[int, int] | None:
        """Compute the reduction of a single token and the state after it, or None, and add it to `short`."""
        found = None
        number = self._single(self.rows[top].get(kind, 0))
        if number:
            found = number, self.leap(below, self.rows[below][self.rules[~self.rows[top][kind]][1]], kind)
        elif not any(map(self._single, self.rows[top].values())):
            self.shorts[top] = None
        short.setdefault(below, {})[kind] = found
        return found

    def _single(self, action: int) -> int:
        """Return the number of the callback if an action reduces one value by calling it, else 0."""
        if not -self.UNIT <= action < 0:
            return 0
        size, _origin, name, places = self.rules[~action]
        return self.numbers[name] if size == 1 and places is None else 0

    def bind(self, owners: Sequence[object]) -> list[Build]:
        """Return the callbacks by their numbers: attributes of some objects, of which the last one has precedence.

        The attribute of a callback whose name is a word of Python has an underscore at its end.
        """
        kinds = tuple(map(type, owners))
        plan = self.plans.get(kinds)
        if plan is None:
            places = {name.rstrip("_"): (at, name) for at, owner in enumerate(owners) for name in _names(owner)}
            plan = self.plans[kinds] = [places[name] for name in self.numbers if name]
        return [None, *[getattr(owners[at], name) for at, name in plan]]

    def facts(self) -> tuple[Any, ...]:
        """Return the data that is stored in a file."""
        return FORMAT, self.grammar, self.rules, self.rows, self.symbols, self.starts


def _names(owner: object) -> tuple[str, ...]:
    return (*vars(type(owner)), *vars(owner))


def _arranging(size: int, name: str, places: tuple[int, ...] | None) -> Arrange | None:
    """Return a function from the stack to the arguments, or to the list of a rule without a callback.

    The function expects a None above the values of the rule. A single value needs no function.
    """
    if places is None:
        return itemgetter(*range(~size, -1)) if size > 1 else None
    if not name:
        return partial(_added if places[0] >= Tables.SPLICE else _gathered, ~size)
    parts = tuple((place % Tables.SPLICE + ~size if place >= 0 else place, place >= Tables.SPLICE) for place in places)
    is_plain = max(places) < Tables.SPLICE and len(places) > 1
    return itemgetter(*(index for index, _ in parts)) if is_plain else partial(_spliced, parts)


def _gathered(first: int, values: list[Any]) -> list[Any]:
    return values[first:-1]


def _added(first: int, values: list[Any]) -> Any:  # noqa: ANN401 - the list that was collected before
    items = values[first]
    items += values[first + 1 : -1]
    return items


def _spliced(parts: tuple[tuple[int, bool], ...], values: list[Any]) -> list[Any]:
    arguments: list[Any] = []
    for index, is_list in parts:
        if is_list:
            arguments += values[index]
        else:
            arguments.append(values[index])
    return arguments


def grammar_text() -> str:
    """Return the text of the grammar file."""
    with open(resources.grammar_file(), encoding="utf-8") as file:
        return file.read()


def packaged() -> Tables | None:
    """Return the packaged tables if they are for the grammar."""
    return read(PACKAGED, grammar_text())


def read(path: str, grammar: str) -> Tables | None:
    """Return the tables in a file if they are for this grammar."""
    try:
        with open(path, "rb") as file:
            data = marshal.loads(file.read())  # noqa: S302 - ours, or in a folder that only the user can write to
        form, *rest = data
        return Tables(*rest) if form == FORMAT and rest[0] == grammar else None
    except (OSError, ValueError, EOFError, TypeError, IndexError):
        return None
