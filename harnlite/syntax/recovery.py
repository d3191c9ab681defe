"""Error recovery: after an error, parsing continues at the next item of the innermost list of statements or fields.

Each error is reported once. Later errors that are caused by a missing or extra bracket are suppressed.
"""

from __future__ import annotations

from harnlite.syntax.layout import Layout
from harnlite.syntax.lexer import MAX_ERRORS
from harnlite.syntax.reporting import Reporter
from harnlite.syntax.syntax_messages import Outlook, open_brackets
from harnlite.syntax.tokens import BLOCK_BRACES, CLOSER_OF, CLOSERS, ROUND, STATEMENT_ENDS, Token, kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.machine import Machine

_LINES = frozenset(("NL",))
_FIELDS = frozenset(("NL", "COMMA"))
_LISTS = {
    "item": STATEMENT_ENDS,
    "tool_item": STATEMENT_ENDS,
    "stmt": STATEMENT_ENDS,
    "skill_field": STATEMENT_ENDS,
    "arm": _LINES,
    "method": STATEMENT_ENDS,
    "member": STATEMENT_ENDS,
    "select_case": STATEMENT_ENDS,
    "field": _FIELDS,
    "variant": _FIELDS,
}
"""The lists in which parsing can continue: the symbols of their items, and the separators of the items."""

_BLOCK_WORDS = kinds("FN PIPELINE PUB GEN IF WHILE FOR GUARD")
_STATEMENT_WORDS = kinds(
    "LET VAR CONST RETURN BREAK CONTINUE WHILE FOR GUARD REQUIRE DEFER MUTEX SELECT THROW YIELD EMIT STRUCT ENUM "
    "INTERFACE IMPL TYPE TOOL SKILL PIPELINE IMPORT OVERRIDE PUB GEN AT",
)
_MAX_LEVEL = 16
_TOP_LEVEL = frozenset(("PIPELINE", "IMPORT"))


class Recovery:
    """Repairs the stacks of one machine after each error."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.shop = machine.shop
        self.layout = Layout(self.shop, machine.tokens, 0 if machine.start == "module" else machine.tokens[0].start)
        self.reporter = Reporter(machine, self.layout)

    def recover(self) -> bool:
        """Report the token at which the machine stopped, and set its stacks and index so that it can continue."""
        machine = self.machine
        index = machine.index
        outlook = Outlook(machine.tables, machine.states)
        missing = self._missing_closer(index, outlook)
        closes = missing is not None and self._closes(missing)
        self.reporter.report(index, outlook, missing, closes=closes)
        if machine.start == "interpolation":
            return False
        if len(self.shop.diagnostics) >= MAX_ERRORS:
            machine.index = len(machine.tokens) - 1
            return self._finish()
        if index == self.reporter.last_index:
            index += 1
            if index == len(machine.tokens):
                return False
        self.reporter.last_index = machine.index = index
        if machine.tokens[index].kind == "END":
            return self._finish()
        if self._skips_line(index):
            return True
        if missing is not None and closes and self._close(missing, index):
            return True
        return self._resume(index, outlook)

    def _missing_closer(self, index: int, outlook: Outlook) -> Token | None:
        """Return the innermost open bracket if its closing bracket is missing at this token."""
        machine, shop = self.machine, self.shop
        brackets = open_brackets(machine.values)
        if not brackets:
            return None
        opener = brackets[-1]
        token = machine.tokens[index]
        if token.kind == "END":
            return opener
        if opener.kind in ROUND:
            return opener if opener.start in shop.unclosed else None
        ends_line = token.kind == "NL" or self.layout.begins_line(index)
        if not ends_line or not any(bracket.start in shop.unclosed for bracket in brackets):
            return None
        if "stmt" in outlook.row or outlook.symbol == "stmts":
            return opener if token.kind in _TOP_LEVEL and opener.start in shop.unclosed else None
        following = machine.tokens[index + 1 : index + 3]
        is_entry = token.kind == "NL" and len(following) > 1 and following[1].kind in ("COLON", "COMMA")
        return None if is_entry else opener

    def _closes(self, opener: Token) -> bool:
        """Return whether the closing bracket is allowed here, or instead of the line end before this token."""
        machine = self.machine
        closer = CLOSER_OF[opener.kind]
        return machine.fits(closer) or (self._follows_line() and machine.fits(closer, dropping=1))

    def _follows_line(self) -> bool:
        values = self.machine.values
        return bool(values) and values[-1].__class__ is Token and values[-1].kind == "NL"

    def _skips_line(self, index: int) -> bool:
        """Skip a line end before a brace that should be on the previous line; return whether there is one."""
        machine = self.machine
        token, following = machine.tokens[index : index + 2]
        if token.kind != "NL" or following.kind not in BLOCK_BRACES or not machine.fits(following.kind):
            return False
        machine.index = index + 1
        self.reporter.missing_openers -= 1
        return True

    def _close(self, opener: Token, index: int) -> bool:
        """Insert a missing closing bracket if it is allowed here; return whether it was inserted."""
        machine = self.machine
        token = machine.tokens[index]
        if not machine.fits(CLOSER_OF[opener.kind]) and self._follows_line():
            machine.states.pop()
            machine.values.pop()
        if not machine.feed(Token(CLOSER_OF[opener.kind], "", token.start, token.start)):
            return False
        if token.kind not in ("NL", *CLOSERS):
            machine.feed(Token("NL", "", token.start, token.start))
        return True

    def _finish(self) -> bool:
        """Complete all open constructs at the end of the text."""
        machine = self.machine
        end = machine.tokens[-1]
        for _ in range(len(machine.states) + 1):
            if machine.fits("END"):
                return True
            brackets = open_brackets(machine.values)
            if brackets and machine.feed(Token(CLOSER_OF[brackets[-1].kind], "", end.start, end.start)):
                continue
            if self._drop_item() is None:
                return False
        return machine.fits("END")

    def _drop_item(self) -> frozenset[str] | None:
        """Drop the incomplete item of the innermost list; return the separators of that list."""
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
        """Continue at the next item of the innermost list."""
        machine, layout = self.machine, self.layout
        tokens, depths = machine.tokens, layout.depths
        brackets = open_brackets(machine.values)
        in_unclosed = bool(brackets) and brackets[-1].kind in ROUND and brackets[-1].start in self.shop.unclosed
        separators: frozenset[str] | None = STATEMENT_ENDS
        if outlook.is_list:
            for action in outlook.reductions:
                machine.reduce(action)
        else:
            separators = self._drop_item()
        if separators is None:
            return False
        depth = layout.depth_inside(open_brackets(machine.values))
        if tokens[index].kind != "NL" and layout.begins_line(index):
            is_statement = tokens[index].kind in _STATEMENT_WORDS
            if in_unclosed or (is_statement and (depths[index] == depth or self.shop.lacks_braces)):
                machine.feed(Token("NL", "", tokens[index].start, tokens[index].start))
                return True
        start = index
        while tokens[index].kind != "END":
            if depths[index] < depth or (depths[index] == depth and tokens[index].kind in separators):
                break
            index += 1
        machine.index = index
        self._check_blocks(start, index, depth)
        return True

    def _check_blocks(self, start: int, end: int, depth: int) -> None:
        """Check the blocks after a header that could not be parsed for errors."""
        machine, shop = self.machine, self.shop
        tokens = machine.tokens
        if tokens[self.layout.statement_index(start)].kind not in _BLOCK_WORDS or shop.level == _MAX_LEVEL:
            return
        shop.level += 1
        for at, close in self.layout.groups(start, end, depth):
            if tokens[at + 2].kind != "COLON":
                brace = tokens[close]
                inside = [*tokens[at + 1 : close], Token("END", brace.text, brace.start, brace.end)]
                machine.beside(inside, "block_body").run()
        shop.level -= 1
