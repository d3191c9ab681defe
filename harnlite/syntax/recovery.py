"""How a parse goes on behind a mistake: at the next item of the innermost list of statements, arms or fields.

A mistake is reported once. What a missing or superfluous bracket brings about later is known and kept quiet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.diagnostics.diagnostic import Label
from harnlite.diagnostics.source import Span
from harnlite.syntax.errors import (
    AS_STREAM,
    Outlook,
    closer_for,
    notes_for,
    open_brackets,
    special_text,
    token_text,
)
from harnlite.syntax.tokens import CLOSERS, OPENERS, Token

if TYPE_CHECKING:
    from harnlite.syntax.machine import Machine

_LINES = frozenset(("NL",))
_STATEMENTS = frozenset(("NL", "SEMI"))
_FIELDS = frozenset(("NL", "COMMA"))
_LISTS = {
    "item": _STATEMENTS,
    "tool_item": _STATEMENTS,
    "stmt": _STATEMENTS,
    "skill_field": _STATEMENTS,
    "arm": _LINES,
    "method": _STATEMENTS,
    "member": _STATEMENTS,
    "select_case": _STATEMENTS,
    "field": _FIELDS,
    "variant": _FIELDS,
}
"""The lists to go on in, by the symbol of their items, with what separates the items."""

_TOP_LEVEL = frozenset(("PIPELINE", "IMPORT", "OVERRIDE"))


class Recovery:
    """Mends the stacks of one machine, as often as needed."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.shop = machine.shop
        self.last_index = -1
        self.missing_closers = 0
        self.missing_openers = 0
        self._depths: list[int] | None = None

    # What the text looks like

    @property
    def depths(self) -> list[int]:
        """Return the bracket depth of each token; an opener and its closer count as outside."""
        if self._depths is None:
            depth = 0
            uncounted = self.shop.unclosed | self.shop.strays
            self._depths = []
            for token in self.machine.tokens:
                counts = token.start not in uncounted
                if token.kind in CLOSERS and counts:
                    depth -= 1
                self._depths.append(depth)
                if token.kind in OPENERS and counts:
                    depth += 1
        return self._depths

    def _begins_line(self, index: int) -> bool:
        """Say whether a token is the first of its line."""
        tokens = self.machine.tokens
        return index > 0 and "\n" in self.shop.text[tokens[index - 1].end : tokens[index].start]

    def _innermost(self) -> Token | None:
        brackets = open_brackets(self.machine.values)
        return brackets[-1] if brackets else None

    # Mending

    def mend(self) -> bool:
        """Report the token the machine stopped at, and put its stacks and index where it can go on."""
        machine = self.machine
        tokens = machine.tokens
        index = machine.index
        token = tokens[index]
        outlook = Outlook(machine.tables, machine.states)
        opener = self._innermost()
        unclosed = opener is not None and opener.start in self.shop.unclosed
        if token.kind == "NL" and unclosed and opener is not None and opener.kind in ("LPAR", "LSQB"):
            token = tokens[index + 1]
        self._report(token, outlook, opener if unclosed else None)
        if index == self.last_index:
            machine.index = index = self._skip_one(index)
            if index < 0:
                return False
        self.last_index = index
        if machine.start == "interpolation":
            return False
        if tokens[index].kind == "END":
            return self._finish()
        if opener is not None and self._close(opener, unclosed=unclosed, index=index):
            return True
        if outlook.is_list:
            for action in outlook.reductions:
                machine.reduce(action)
        return self._resume(index, unclosed=unclosed)

    def _skip_one(self, index: int) -> int:
        """Return the index behind a token that stopped the machine twice, or -1 at the end."""
        if self.machine.tokens[index].kind == "END":
            return -1
        return index + 1

    def _close(self, opener: Token, *, unclosed: bool, index: int) -> bool:
        """Supply a closing bracket that is known to be missing, if it fits and a new line begins here."""
        tokens = self.machine.tokens
        token = tokens[index]
        at_line = token.kind == "NL" or self._begins_line(index)
        if not unclosed or not (at_line or token.kind in CLOSERS):
            return False
        if opener.kind not in ("LPAR", "LSQB") and token.kind not in _TOP_LEVEL and token.kind != "NL":
            return False
        closer = closer_for(opener)
        if not self.machine.feed(Token(closer, "", token.start, token.start)):
            return False
        if closer == "RB":
            self.missing_closers += 1
        if token.kind != "NL" and token.kind not in CLOSERS:
            self.machine.feed(Token("NL", "", token.start, token.start))
        return True

    def _finish(self) -> bool:
        """Complete everything that is open at the end of the text."""
        machine = self.machine
        end = machine.tokens[-1]
        for _ in range(len(machine.states) + 1):
            if machine.fits("END"):
                return True
            opener = self._innermost()
            if opener is not None and machine.feed(Token(closer_for(opener), "", end.start, end.start)):
                continue
            if not self._drop_item():
                return False
        return machine.fits("END")

    def _drop_item(self) -> frozenset[str] | None:
        """Drop the item under construction of the innermost list; return what separates the items of that list."""
        machine = self.machine
        states, values, rows = machine.states, machine.values, machine.rows
        while states:
            row = rows[states[-1]]
            item = next((symbol for symbol in _LISTS if symbol in row), None)
            if item is not None:
                machine.push(item, None)
                return _LISTS[item]
            if not values:
                return None
            states.pop()
            dropped = values.pop()
            if dropped.__class__ is Token and dropped.kind == "RB" and False:
                pass
        return None

    def _resume(self, index: int, *, unclosed: bool) -> bool:
        """Go on at the next item of the innermost list."""
        machine = self.machine
        symbol = machine.tables.symbols[machine.states[-1]]
        separators = _STATEMENTS
        if symbol not in ("items", "stmts", "tool_items", "skill_fields"):
            dropped = self._drop_item()
            if dropped is None:
                return False
            separators = dropped
        tokens, depths = machine.tokens, self.depths
        opener = self._innermost()
        depth = 0
        if opener is not None:
            at = next(i for i, token in enumerate(tokens) if token is opener)
            depth = depths[at] + (opener.start not in self.shop.unclosed)
        if unclosed and self._begins_line(index) and tokens[index].kind != "NL":
            machine.feed(Token("NL", "", tokens[index].start, tokens[index].start))
            machine.index = index
            return True
        while tokens[index].kind != "END":
            if depths[index] < depth or (depths[index] == depth and tokens[index].kind in separators):
                break
            index += 1
        machine.index = index
        return True

    # Telling

    def _report(self, token: Token, outlook: Outlook, opener: Token | None) -> None:
        """Tell about a token that does not fit, unless it follows from something told before."""
        machine, shop = self.machine, self.shop
        at_end = token.kind == "END" and machine.start != "interpolation"
        what = outlook.what(at_end=at_end)
        if self._is_known(token, what, at_end=at_end):
            return
        if what == "{":
            self.missing_openers += 1
        labels = [Label(Span(opener.start, opener.end), "opened here")] if opener else []
        if at_end:
            shop.report(f"Unexpected end of file, expected {what}", token.start, token.end, labels=labels)
            return
        last = machine.values[-1] if machine.values else None
        special = special_text(token, last, what)
        if special is not None:
            shop.report(special, token.start, token.end)
            return
        if token.kind == "AS_STREAM":
            what = AS_STREAM
        index = machine.index
        following = machine.tokens[index + 1] if index + 1 < len(machine.tokens) else None
        notes = [*shop.notes, *notes_for(token, following, what)]
        end = max(token.end, token.start + 1) if token.kind != "NL" else token.start + 1
        shop.expect(what, token_text(token, what), token.start, end, notes=notes, labels=labels)

    def _is_known(self, token: Token, what: str, *, at_end: bool) -> bool:
        """Say whether a mistake follows from one that was told before."""
        if self.machine.index == self.last_index or self.shop.is_garbled(self._item_start(), token.end):
            return True
        if at_end and what == "}" and self.missing_closers:
            return True
        if token.kind == "RB" and token.start in self.shop.strays and self.missing_openers:
            self.missing_openers -= 1
            return True
        return False

    def _item_start(self) -> int:
        """Return the offset of the statement under construction."""
        tokens, depths = self.machine.tokens, self.depths
        index = self.machine.index
        depth = depths[index]
        index -= 1
        while index >= 0:
            if depths[index] < depth:
                depth = depths[index]
                if tokens[index].kind in ("LB", "LBA"):
                    break
            if depths[index] == depth and tokens[index].kind in _STATEMENTS:
                break
            index -= 1
        return tokens[index].end if index >= 0 else 0
