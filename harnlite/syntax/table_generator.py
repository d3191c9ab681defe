"""Builds parse tables from the grammar with Lark; only development and a lost cache ever come here.

`python -m harnlite.syntax.table_generator` writes the packaged file.
"""

from __future__ import annotations

import marshal
from sys import intern
from typing import TYPE_CHECKING, Any

from lark import Lark
from lark.grammar import Rule
from lark.lexer import Lexer, TerminalDef

from harnlite.syntax.tables import PACKAGED, Tables, grammar_text

if TYPE_CHECKING:
    from collections.abc import Iterator

STARTS = ("module", "interpolation", "block_body")

Row = dict[str, int]


class _NoLexer(Lexer):
    """A dummy lexer, because Lark only builds the tables."""

    def __init__(self, _conf: object) -> None:
        pass

    def lex(self, *_: object) -> Iterator[Any]:
        """Yield nothing."""
        return iter(())


def build(grammar: str) -> Tables:
    """Return the tables of a grammar."""
    lark = Lark(
        grammar,
        parser="lalr",
        lexer=_NoLexer,
        start=list(STARTS),
        maybe_placeholders=True,
        keep_all_tokens=True,
    )
    data, memo = lark.memo_serialize([TerminalDef, Rule])
    table = data["parser"]["parser"]
    # Dicts find an interned key without comparing its characters; marshal keeps strings interned.
    names = {number: intern("END" if name == "$END" else name) for number, name in table["tokens"].items()}
    numbers: dict[int, int] = {}
    rules: list[tuple[Any, ...]] = []
    for item in _rules_in_order(memo):
        numbers[item["id"]] = len(rules)
        rules.append(_rule(item))
    rows = {
        state: {names[symbol]: ~numbers[value["@"]] if reduces else value for symbol, (reduces, value) in row.items()}
        for state, row in table["states"].items()
    }
    for state in table["end_states"].values():
        rows[state]["END"] = state
    _skip_units(rows, rules)
    _mark_units(rows, rules)
    return _renumber(rows, rules, table["start_states"], grammar)


def _rules_in_order(memo: dict[int, Any]) -> list[dict[str, Any]]:
    """Return the rules in an order that does not depend on Lark's internal order."""
    items = [{"id": number, **item} for number, item in memo.items() if item["__type__"] == "Rule"]
    return sorted(items, key=lambda item: (item["origin"]["name"], item["order"], _expansion(item)))


def _expansion(item: dict[str, Any]) -> list[str]:
    return [symbol["name"] for symbol in item["expansion"]]


def _rule(item: dict[str, Any]) -> tuple[Any, ...]:
    """Return the size, the origin, the name of the callback and the arrangement of its arguments.

    A rule without a callback only passes its value on. Without an arrangement, the values are the arguments. An
    arrangement lists the indices of the arguments: -1 for a missing optional part, and an index plus SPLICE for a list
    that is spliced in.
    """
    expansion = _expansion(item)
    origin = intern(item["origin"]["name"])
    options = item["options"]
    missing = list(options["empty_indices"])
    if options["expand1"] and not item["alias"] and len(expansion) == 1 and not any(missing):
        return (1, origin, "", None)
    places: list[int] = []
    place = 0
    for is_missing in missing or [False] * len(expansion):
        if is_missing:
            places.append(-1)
            continue
        places.append(place + Tables.SPLICE if expansion[place].startswith("_") else place)
        place += 1
    name = "" if origin.startswith("_") else item["alias"] or origin
    plain = places == list(range(len(expansion))) and not origin.startswith("_")
    return (len(expansion), origin, name, None if plain else tuple(places))


def _skip_units(rows: dict[int, Row], rules: list[tuple[Any, ...]]) -> None:
    """Redirect every edge past the states that only pass a value on."""
    passes: dict[int, str] = {}
    for state, row in rows.items():
        actions = set(row.values())
        if len(actions) == 1:
            (action,) = actions
            if action < 0 and rules[~action][2] == "" and rules[~action][3] is None:
                passes[state] = rules[~action][1]
    for row in rows.values():
        for symbol, action in row.items():
            target = action
            while target in passes:
                target = row[passes[target]]
            row[symbol] = target


def _mark_units(rows: dict[int, Row], rules: list[tuple[Any, ...]]) -> None:
    """Renumber reductions that only pass a value on, so that the machine can perform several of them at once."""
    units = {~number for number, rule in enumerate(rules) if rule[2] == "" and rule[3] is None}
    for row in rows.values():
        for symbol, action in row.items():
            if action in units:
                row[symbol] = action - Tables.UNIT


def _renumber(rows: dict[int, Row], rules: list[tuple[Any, ...]], starts: dict[str, int], grammar: str) -> Tables:
    """Renumber the reachable states from 1, in the order of a traversal with sorted symbols."""
    numbers: dict[int, int] = {}
    order: list[int] = []
    symbols: list[str] = [""]

    def visit(state: int, symbol: str) -> int:
        if state not in numbers:
            numbers[state] = len(order) + 1
            order.append(state)
            symbols.append(symbol)
        return numbers[state]

    first = {start: visit(starts[start], "") for start in STARTS}
    result: list[Row] = [{}]
    done = 0
    while done < len(order):
        row = rows[order[done]]
        result.append(
            {symbol: visit(row[symbol], symbol) if row[symbol] >= 0 else row[symbol] for symbol in sorted(row)}
        )
        done += 1
    return Tables(grammar, rules, result, symbols, first)


def main() -> None:
    """Write the packaged tables."""
    data = marshal.dumps(build(grammar_text()).facts(), 4)
    with open(PACKAGED, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
