"""The parse tables of the grammar, and the packaged file that holds them."""

from __future__ import annotations

import marshal
import os
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from harnlite import resources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Arrange = Callable[[list[Any]], Any]
    Targets = dict[int, dict[str, int]]
    Rule = tuple[int, Callable[..., Any] | None, Arrange | None, Targets]
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
    after a token, the state below and the next kind, the rule of size 1 that reduces the token and the state after it.
    """

    __slots__ = ("arranging", "grammar", "jumps", "rows", "rules", "shorts", "starts", "symbols")
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
        self.arranging = [_arranging(name, places) for _size, _origin, name, places in rules]
        self.jumps: dict[str, Targets] = {origin: {} for _size, origin, _name, _places in rules}
        short = {~number for number, (size, _, name, places) in enumerate(rules) if size == 1 and name and not places}
        self.shorts: list[Short | None] = [None if short.isdisjoint(row.values()) else {} for row in rows]

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
        action = self.rows[top].get(kind, 0)
        found = None
        if -self.UNIT <= action < 0:
            size, origin, name, places = self.rules[~action]
            if size == 1 and name and places is None:
                found = ~action, self.leap(below, self.rows[below][origin], kind)
        short.setdefault(below, {})[kind] = found
        return found

    def bind(self, callbacks: Mapping[str, Callable[..., Any]]) -> list[Rule]:
        """Return the rules: size, callback, function that arranges the arguments, and states after the reduction."""
        jumps = self.jumps
        return [
            (size, callbacks[name] if name else None, arrange, jumps[origin])
            for (size, origin, name, _places), arrange in zip(self.rules, self.arranging, strict=True)
        ]

    def facts(self) -> tuple[Any, ...]:
        """Return the data that is stored in a file."""
        return FORMAT, self.grammar, self.rules, self.rows, self.symbols, self.starts


def _arranging(name: str, places: tuple[int, ...] | None) -> Arrange | None:
    """Return a function from the values and a None to the arguments, or to the list of a rule without a callback."""
    if places is None:
        return None
    if not name:
        return _added if places[0] >= Tables.SPLICE else _gathered
    is_plain = max(places) < Tables.SPLICE and len(places) > 1
    return itemgetter(*places) if is_plain else partial(_spliced, places)


def _gathered(values: list[Any]) -> list[Any]:
    values.pop()
    return values


def _added(values: list[Any]) -> Any:  # noqa: ANN401 - the list that was collected before
    items = values[0]
    items += values[1:-1]
    return items


def _spliced(places: tuple[int, ...], values: list[Any]) -> list[Any]:
    arguments: list[Any] = []
    for place in places:
        if place >= Tables.SPLICE:
            arguments += values[place - Tables.SPLICE]
        else:
            arguments.append(values[place])
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
