"""The reports of unexpected tokens, one for each error.

Every recovery drops or inserts tokens, so a text that needs a recovery has at least one error: the first token at which
a machine stops is always reported.
"""

from __future__ import annotations

from harnlite.diagnostics.diagnostic import Label
from harnlite.diagnostics.source import Span
from harnlite.syntax.foreign_habits import habit
from harnlite.syntax.syntax_messages import AS_STREAM, is_name, notes_for, open_brackets, special_text, token_text
from harnlite.syntax.tokens import CLOSER_OF, CLOSER_TEXT, is_reserved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.diagnostics.diagnostic import Fix
    from harnlite.syntax.layout import Layout
    from harnlite.syntax.machine import Machine
    from harnlite.syntax.syntax_messages import Outlook
    from harnlite.syntax.tokens import Token


class Reporter:
    """Reports the errors of one machine, and recognises later errors that they cause."""

    def __init__(self, machine: Machine, layout: Layout) -> None:
        self.machine = machine
        self.shop = machine.shop
        self.layout = layout
        self.last_index = -1
        self.missing_openers = 0

    def report(self, index: int, outlook: Outlook, missing: Token | None, *, closes: bool) -> None:
        """Report a token, unless a reported error causes it.

        `missing` is the unclosed bracket, and `closes` is true if its end is allowed here.
        """
        machine, shop = self.machine, self.shop
        token = machine.tokens[index]
        at_end = not token.text
        what = outlook.what(at_end=at_end)
        if missing is not None and (what in CLOSER_TEXT.values() if at_end else closes):
            what = CLOSER_TEXT[CLOSER_OF[missing.kind]]
            if token.kind == "NL":
                token = machine.tokens[index + 1]
                at_end = not token.text
        if self._is_known(index, what, missing):
            if shop.diagnostics:
                return
            # No error can cause the first one: this bracket has its end, but another one is unclosed.
            token, missing = machine.tokens[index], None
            at_end = not token.text
            what = outlook.what(at_end=at_end)
        self.missing_openers += what == "{"
        shop.missing_braces -= what == "}" and missing is not None
        labels = []
        if missing is not None:
            opener = self.layout.suspect(missing, index)
            labels.append(Label(Span(opener.start, opener.end), "opened here"))
        elif not shop.diagnostics and (unclosed := self._unclosed()) is not None:
            labels.append(Label(Span(unclosed.start, unclosed.end), "this bracket is not closed"))
        special = special_text(token, machine.values[-1] if machine.values else None, what)
        if at_end:
            shop.report(f"Unexpected end of file, expected {what}", token.start, token.end, labels=labels)
        elif special is not None:
            shop.report(special, token.start, token.end)
        else:
            self._expect(token, AS_STREAM if token.kind == "AS_STREAM" else what, index, labels)

    def _unclosed(self) -> Token | None:
        """Return the innermost open bracket without an end in the text."""
        brackets = reversed(open_brackets(self.machine.values))
        return next((bracket for bracket in brackets if bracket.start in self.shop.unclosed), None)

    def _expect(self, token: Token, what: str, index: int, labels: list[Label]) -> None:
        shop, tokens = self.shop, self.machine.tokens
        if is_name(what) and is_reserved(token):
            shop.misused.add(token.text)
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        notes = [*shop.notes, *notes_for(token, following, what, shop.text)]
        fixes: list[Fix] = []
        if not notes:
            hint, fix = habit(token, tokens[index - 1] if index else None, following, what, shop.text)
            notes = [hint] if hint else []
            fixes = [fix] if fix is not None else []
        end = token.start + 1 if token.kind == "NL" else token.end
        shop.expect(what, token_text(token, what), token.start, end, notes=notes, labels=labels, fixes=fixes)

    def _is_known(self, index: int, what: str, missing: Token | None) -> bool:
        """Return whether an error follows from one that has been reported."""
        token = self.machine.tokens[index]
        if token.text in self.shop.misused and not is_name(what):
            return True
        if index == self.last_index or self.shop.is_garbled(self.layout.statement_start(index), token.end):
            return True
        if what == "}" and missing is not None and not self.shop.missing_braces:
            return True
        if token.kind == "RB" and token.start in self.shop.strays and self.missing_openers:
            self.missing_openers -= 1
            return True
        return False
