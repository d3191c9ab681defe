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
from harnlite.syntax.tokens import CLOSER_TEXT, CLOSERS, OPENERS, Token

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

_ROUND = frozenset(("LPAR", "LSQB"))
_BLOCK_WORDS = frozenset(("FN", "PIPELINE", "PUB", "GEN", "IF", "WHILE", "FOR", "GUARD"))
_MAX_LEVEL = 16
_TOP_LEVEL = frozenset(("PIPELINE", "IMPORT", "OVERRIDE"))


class Recovery:
    """Mends the stacks of one machine, as often as needed."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.shop = machine.shop
        self.last_index = -1
        self.owed = 0
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
        if index == 0:
            return True
        before = self.machine.tokens[index - 1]
        return before.kind == "NL" or "\n" in self.shop.text[before.end : self.machine.tokens[index].start]

    def _ends_line(self, index: int) -> bool:
        return self.machine.tokens[index].kind == "NL" or self._begins_line(index)

    # Mending

    def mend(self) -> bool:
        """Report the token the machine stopped at, and put its stacks and index where it can go on."""
        machine = self.machine
        index = machine.index
        outlook = Outlook(machine.tables, machine.states)
        missing = self._missing_closer(index, outlook)
        self._report(index, outlook, missing)
        if machine.start == "interpolation":
            return False
        if index == self.last_index:
            index += 1
            if index == len(machine.tokens):
                return False
        self.last_index = machine.index = index
        if machine.tokens[index].kind == "END":
            return self._finish()
        if missing is not None and self._closes(missing) and self._close(missing, index):
            return True
        return self._resume(index, outlook)

    def _missing_closer(self, index: int, outlook: Outlook) -> Token | None:
        """Return the innermost open bracket if its end is missing and this is where it should be."""
        machine, shop = self.machine, self.shop
        brackets = open_brackets(machine.values)
        if not brackets:
            return None
        opener = brackets[-1]
        token = machine.tokens[index]
        if token.kind == "END":
            return opener
        if opener.kind in _ROUND:
            return opener if opener.start in shop.unclosed else None
        if not any(bracket.start in shop.unclosed for bracket in brackets) or not self._ends_line(index):
            return None
        if "stmt" in outlook.row or outlook.symbol == "stmts":
            return opener if token.kind in _TOP_LEVEL and opener.start in shop.unclosed else None
        following = machine.tokens[index + 1 : index + 3]
        is_entry = token.kind == "NL" and len(following) > 1 and following[1].kind in ("COLON", "COMMA")
        return None if is_entry else opener

    def _closes(self, opener: Token) -> bool:
        """Say whether the end of a bracket fits here, or in place of the line end before."""
        machine = self.machine
        closer = closer_for(opener)
        return machine.fits(closer) or (self._follows_line() and machine.fits(closer, dropping=1))

    def _follows_line(self) -> bool:
        values = self.machine.values
        return bool(values) and values[-1].__class__ is Token and values[-1].kind == "NL"

    def _close(self, opener: Token, index: int) -> bool:
        """Supply a closing bracket that is missing, if it fits."""
        machine = self.machine
        token = machine.tokens[index]
        if not machine.fits(closer_for(opener)) and self._follows_line():
            machine.states.pop()
            machine.values.pop()
        if not machine.feed(Token(closer_for(opener), "", token.start, token.start)):
            return False
        if opener.start not in self.shop.unclosed:
            self.owed -= 1
        if token.kind not in ("NL", *CLOSERS):
            machine.feed(Token("NL", "", token.start, token.start))
        return True

    def _finish(self) -> bool:
        """Complete everything that is open at the end of the text."""
        machine = self.machine
        end = machine.tokens[-1]
        for _ in range(len(machine.states) + 1):
            if machine.fits("END"):
                return True
            brackets = open_brackets(machine.values)
            if brackets and machine.feed(Token(closer_for(brackets[-1]), "", end.start, end.start)):
                continue
            if self._drop_item() is None:
                return False
        return machine.fits("END")

    def _drop_item(self) -> frozenset[str] | None:
        """Drop the item under construction of the innermost list; return what separates the items of that list."""
        machine = self.machine
        states, values, rows = machine.states, machine.values, machine.rows
        while True:
            row = rows[states[-1]]
            item = next((symbol for symbol in _LISTS if symbol in row), None)
            if item is not None:
                machine.push(item, None)
                return _LISTS[item]
            if not values:
                return None
            states.pop()
            values.pop()

    def _resume(self, index: int, outlook: Outlook) -> bool:
        """Go on at the next item of the innermost list."""
        machine = self.machine
        tokens, depths = machine.tokens, self.depths
        begins_line = self._begins_line(index)
        brackets = open_brackets(machine.values)
        in_unclosed = bool(brackets) and brackets[-1].kind in _ROUND and brackets[-1].start in self.shop.unclosed
        separators: frozenset[str] | None = _STATEMENTS
        if outlook.is_list:
            for action in outlook.reductions:
                machine.reduce(action)
        else:
            separators = self._drop_item()
            if separators is None:
                return False
        if in_unclosed and begins_line and tokens[index].kind != "NL":
            machine.feed(Token("NL", "", tokens[index].start, tokens[index].start))
            return True
        brackets = open_brackets(machine.values)
        depth = 0
        if brackets:
            opener = brackets[-1]
            at = next(i for i, token in enumerate(tokens) if token is opener)
            depth = depths[at] + (opener.start not in self.shop.unclosed)
        start = index
        while tokens[index].kind != "END":
            if depths[index] < depth or (depths[index] == depth and tokens[index].kind in separators):
                break
            index += 1
        machine.index = index
        self._check_blocks(start, index, depth)
        return True

    def _check_blocks(self, start: int, end: int, depth: int) -> None:
        """Look for mistakes in the blocks behind a header that could not be read."""
        machine, shop = self.machine, self.shop
        tokens, depths = machine.tokens, self.depths
        first = self._item_index(start)
        if tokens[first].kind not in _BLOCK_WORDS or shop.level == _MAX_LEVEL:
            return
        at = start
        while at < end:
            if tokens[at].kind in ("LB", "LBA", "LBS") and depths[at] == depth:
                close = at + 1
                while close < end and depths[close] > depth:
                    close += 1
                if tokens[close].kind == "RB" and tokens[at + 2].kind != "COLON":
                    brace = tokens[close]
                    inside = [*tokens[at + 1 : close], Token("END", brace.text, brace.start, brace.end)]
                    shop.level += 1
                    machine.beside(inside, "block_body").run()
                    shop.level -= 1
                at = close
            at += 1

    # Telling

    def _report(self, index: int, outlook: Outlook, missing: Token | None) -> None:
        """Tell about a token that does not fit, unless it follows from something told before."""
        machine, shop = self.machine, self.shop
        token = machine.tokens[index]
        at_end = not token.text
        what = outlook.what(at_end=at_end)
        if missing is not None and not at_end and self._closes(missing):
            what = CLOSER_TEXT[closer_for(missing)]
            if token.kind == "NL":
                token = machine.tokens[index + 1]
                at_end = not token.text
        if self._is_known(index, what, missing):
            return
        if what == "{":
            self.missing_openers += 1
        if what == "}" and missing is not None:
            self.owed += 1
        labels = [Label(Span(missing.start, missing.end), "opened here")] if missing else []
        if at_end:
            shop.report(f"Unexpected end of file, expected {what}", token.start, token.end, labels=labels)
            return
        special = special_text(token, machine.values[-1] if machine.values else None, what)
        if special is not None:
            shop.report(special, token.start, token.end)
            return
        if token.kind == "AS_STREAM":
            what = AS_STREAM
        following = machine.tokens[index + 1] if index + 1 < len(machine.tokens) else None
        notes = [*shop.notes, *notes_for(token, following, what, shop.text)]
        end = token.start + 1 if token.kind == "NL" else token.end
        shop.expect(what, token_text(token, what), token.start, end, notes=notes, labels=labels)

    def _is_known(self, index: int, what: str, missing: Token | None) -> bool:
        """Say whether a mistake follows from one that was told before."""
        token = self.machine.tokens[index]
        if index == self.last_index or self.shop.is_garbled(self._item_start(index), token.end):
            return True
        if what == "}" and missing is not None and self.owed:
            self.owed -= 1
            return True
        if token.kind == "RB" and token.start in self.shop.strays and self.missing_openers:
            self.missing_openers -= 1
            return True
        return False

    def _item_index(self, index: int) -> int:
        """Return the index of the first token of the statement under construction."""
        tokens, depths = self.machine.tokens, self.depths
        depth = depths[index]
        while index > 0:
            index -= 1
            if depths[index] < depth:
                depth = depths[index]
                if tokens[index].kind in ("LB", "LBA"):
                    return index + 1
            if depths[index] == depth and tokens[index].kind in _STATEMENTS:
                return index + 1
        return 0

    def _item_start(self, index: int) -> int:
        first = self._item_index(index)
        return self.machine.tokens[first - 1].end if first else 0
