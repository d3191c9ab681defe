"""The parse tables: where they come from, and how they are kept between runs."""

from __future__ import annotations

import marshal
import os
from typing import TYPE_CHECKING, Any

from harnlite import resources

if TYPE_CHECKING:
    from collections.abc import Callable

FORMAT = "2"
PACKAGED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "harn.tables")


class Tables:
    """Rules and rows of an LALR(1) parser.

    A rule is (size, origin, callback name, arrangement of arguments); a row maps symbols to actions: a positive number
    is the state to go to, a negative one the complement of the rule to reduce by, less UNIT if the rule only passes its
    value on.
    """

    __slots__ = ("key", "leaps", "rows", "rules", "starts", "symbols")
    SPLICE = 1000
    UNIT = 100_000

    def __init__(
        self,
        key: str,
        rules: list[tuple[Any, ...]],
        rows: list[dict[str, int]],
        symbols: list[str],
        starts: dict[str, int],
    ) -> None:
        self.key = key
        self.rules = rules
        self.rows = rows
        self.symbols = symbols
        self.starts = starts
        self.leaps: dict[tuple[int, int, str], int] = {}

    def rule(self, action: int) -> tuple[Any, ...]:
        """Return the rule that a negative action reduces by."""
        return self.rules[~(action + self.UNIT if action < -self.UNIT else action)]

    def dump(self) -> bytes:
        """Return the tables as bytes."""
        return marshal.dumps((self.key, self.rules, self.rows, self.symbols, self.starts), 4)


def grammar_text() -> str:
    """Return the grammar."""
    with open(resources.grammar_file(), encoding="utf-8") as file:
        return file.read()


def grammar_key(grammar: str) -> str:
    """Return what tables of this grammar are known by."""
    import hashlib

    return FORMAT + ":" + hashlib.sha256(grammar.encode()).hexdigest()


def load(folder: str | None = None) -> Tables:
    """Return the tables of the grammar: the packaged ones, else those in the folder, else new ones.

    New tables are written to the folder if it belongs to the user alone.
    """
    grammar = grammar_text()
    key = grammar_key(grammar)
    found = _read(PACKAGED, key)
    if found is None:
        from harnlite.syntax import generator

        found = generator.build(grammar, key)
    return found


def _read(path: str, key: str) -> Tables | None:
    """Return the tables in a file if they have this key."""
    try:
        with open(path, "rb") as file:
            data = marshal.loads(file.read())
        if data[0] == key:
            return Tables(*data)
    except (OSError, ValueError, EOFError, TypeError, IndexError):
        pass
    return None


def main() -> None:
    """Write the packaged tables."""
    from harnlite.syntax import generator

    grammar = grammar_text()
    tables = generator.build(grammar, grammar_key(grammar))
    with open(PACKAGED, "wb") as file:
        file.write(tables.dump())


if __name__ == "__main__":
    main()
