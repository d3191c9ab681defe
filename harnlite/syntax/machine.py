"""The LALR(1) machine, which shifts and reduces according to the tables, and recovers from syntax errors."""

from __future__ import annotations

from harnlite.syntax.recovery import Recovery
from harnlite.syntax.tables import Tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.syntax.builder import Workshop
    from harnlite.syntax.tables import Build
    from harnlite.syntax.tokens import Token

_UNIT = Tables.UNIT


class Machine:
    """One parse of a sequence of tokens with a state stack and a value stack."""

    __slots__ = ("builds", "index", "recovery", "rows", "shop", "start", "states", "tables", "tokens", "values")

    def __init__(self, tables: Tables, builds: list[Build], shop: Workshop, tokens: list[Token], start: str) -> None:
        self.tables = tables
        self.rows = tables.rows
        self.builds = builds
        self.shop = shop
        self.tokens = tokens
        self.start = start
        self.states = [tables.starts[start]]
        self.values: list[Any] = []
        self.index = 0
        self.recovery: Recovery | None = None

    def run(self) -> Any:  # noqa: ANN401, C901, PLR0915 - the value of any start symbol; the hot loop
        """Return the value of the start symbol, or None if the tokens could not be parsed."""
        rows, builds, states, values, tokens = self.rows, self.builds, self.states, self.values, self.tokens
        tables, steps, shorts = self.tables, self.tables.steps, self.tables.shorts
        row = rows[states[-1]]
        index = 0
        kind = tokens[0].kind
        while True:
            try:
                action = row[kind]
            except KeyError:
                index = self._recover(index)
                if index < 0:
                    return None
                row = rows[states[-1]]
                kind = tokens[index].kind
                continue
            if action > 0:
                if kind == "END":
                    return values[-1]
                value: Any = tokens[index]
                index += 1
                kind = tokens[index].kind
                short = shorts[action]
                if short is not None:
                    try:
                        found = short[states[-1]][kind]
                    except KeyError:
                        found = tables.shorten(short, states[-1], action, kind)
                    if found is not None:
                        number, action = found
                        value = builds[number](value)
                states.append(action)
                values.append(value)
                row = rows[action]
                continue
            if action < -_UNIT:
                target = states[-1] = tables.leap(states[-2], states[-1], kind)
                row = rows[target]
                continue
            size, number, arrange, jumps = steps[~action]
            build = builds[number]
            if arrange is None:
                values[-1] = build(values[-1])
                states.pop()
            else:
                values.append(None)
                taken = arrange(values)
                values[~size] = taken if build is None else build(*taken)
                if size:
                    del values[-size:], states[-size:]
            try:
                target = jumps[states[-1]][kind]
            except KeyError:
                target = tables.jump(tables.rules[~action][1], states[-1], kind)
            states.append(target)
            row = rows[target]

    def _recover(self, index: int) -> int:
        """Recover from an unexpected token; return the index at which to continue, or -1 if that is impossible."""
        if self.recovery is None:
            self.recovery = Recovery(self)
        self.index = index
        return self.index if self.recovery.recover() else -1

    def beside(self, tokens: list[Token], start: str) -> Machine:
        """Return a new machine for another part of the same text."""
        return Machine(self.tables, self.builds, self.shop, tokens, start)

    def reduce(self, action: int) -> None:
        """Reduce by one rule."""
        if action < -_UNIT:
            self.states.pop()
            self.states.append(self.rows[self.states[-1]][self.tables.rule(action)[1]])
            return
        size, number, arrange, _jumps = self.tables.steps[~action]
        build = self.builds[number]
        values = self.values
        values.append(None)
        taken = values[-2:-1] if arrange is None else arrange(values)
        values[~size] = taken if build is None else build(*taken)
        if size:
            del values[-size:], self.states[-size:]
        self.states.append(self.rows[self.states[-1]][self.tables.rules[~action][1]])

    def push(self, symbol: str, value: object) -> None:
        """Continue as if the symbol had been parsed."""
        self.states.append(self.rows[self.states[-1]][symbol])
        self.values.append(value)

    def feed(self, token: Token) -> bool:
        """Shift a token that is not in the text if it is allowed here; return whether it was."""
        if not self.fits(token.kind):
            return False
        action = self.rows[self.states[-1]][token.kind]
        while action < 0:
            self.reduce(action)
            action = self.rows[self.states[-1]][token.kind]
        self.states.append(action)
        self.values.append(token)
        return True

    def fits(self, kind: str, *, dropping: int = 0) -> bool:
        """Return whether a token of this kind is allowed next, after dropping the given number of values."""
        stack = self.states[: len(self.states) - dropping]
        while True:
            action = self.rows[stack[-1]].get(kind)
            if action is None:
                return False
            if action > 0:
                return True
            size, origin = self.tables.rule(action)[:2]
            if size:
                del stack[-size:]
            stack.append(self.rows[stack[-1]][origin])


class StrictMachine(Machine):
    """A machine that gives up at the first syntax error and reports nothing."""

    __slots__ = ()

    def _recover(self, index: int) -> int:  # noqa: ARG002 - the signature of the base class
        return -1
