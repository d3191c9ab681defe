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
    Rule = tuple[int, str, Callable[..., Any] | None, Arrange | None]

FORMAT = 3
FILE_NAME = "harn.tables"
PACKAGED = os.path.join(os.path.dirname(os.path.abspath(__file__)), FILE_NAME)


class Tables:
    """The rules and rows of an LALR(1) parser, and the grammar that they were built from.

    A rule is (size, origin, callback name, arrangement of arguments). A row maps symbols to actions: a positive number
    is the next state, and a negative number is the complement of the number of the rule to reduce by, minus UNIT if
    the rule only passes its value on. An arrangement lists indices: -1 for a missing optional part, and an index plus
    SPLICE for a list that is spliced in; without an arrangement, the values are the arguments.
    """

    __slots__ = ("arranging", "grammar", "leaps", "rows", "rules", "starts", "symbols")
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
        self.leaps: dict[tuple[int, int, str], int] = {}
        self.arranging = [_arranging(name, places) for _size, _origin, name, places in rules]

    def rule(self, action: int) -> tuple[Any, ...]:
        """Return the rule of a reduce action."""
        found: tuple[Any, ...] = self.rules[~(action + self.UNIT if action < -self.UNIT else action)]
        return found

    def bind(self, callbacks: Mapping[str, Callable[..., Any]]) -> list[Rule]:
        """Return the rules with their callbacks, and with functions that arrange the arguments."""
        return [
            (size, origin, callbacks[name] if name else None, arrange)
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
