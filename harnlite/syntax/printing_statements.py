"""Callbacks that format files, statements and destructuring patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.syntax.printing_brackets import Compound
from harnlite.syntax.printing_documents import Clause, Parts, Piece, assigned, row
from harnlite.syntax.printing_operators import headed

if TYPE_CHECKING:
    from harnlite.syntax.printing_sheet import Listed, Sheet
    from harnlite.syntax.tokens import Token


class ListSetter:
    """Collects the items of a list, alternating with the separators between them."""

    def __init__(self, _sheet: Sheet) -> None:
        pass

    def first(self, item: Piece) -> list[Parts]:
        """Start a list."""
        return [item]

    def more(self, items: list[Parts], separator: Token, item: Piece) -> list[Parts]:
        """Add an item after a separator."""
        items += (separator, item)
        return items

    def next(self, items: list[Parts], item: Piece) -> list[Parts]:
        """Add an item that needs no separator."""
        items += (None, item)
        return items

    def separated(self, *items: Parts) -> Parts:
        """Return items and commas, without a trailing comma."""
        if items[-1] is None:
            items = items[:-1]
        return items if len(items) % 2 else items[:-1]

    params = separated


class StatementSetter:
    """Formats statements."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet

    def module(self, items: Listed, _semicolon: Token | None) -> Parts:
        """Return the statements of the file."""
        return items or ()

    def expr_stmt(self, value: Piece) -> Piece:
        """Format an expression."""
        return value

    def assign_stmt(self, target: Piece, operator: Token, value: Piece) -> Piece:
        """Format an assignment."""
        return assigned(target, f" {operator.text} ", value)

    def let_stmt(self, word: Token, pattern: Piece, assign: Token, value: Piece) -> Piece:
        """Format `let pattern = value`."""
        return assigned(self.sheet.before(word), pattern, f" {assign.text} ", value)

    def let_typed(self, word: Token, pattern: Piece, colon: Token, kind: Piece, assign: Token, value: Piece) -> Piece:
        """Format `let name: T = value`."""
        return assigned(self.sheet.before(word), pattern, f"{colon.text} ", kind, f" {assign.text} ", value)

    def while_stmt(self, word: Token, condition: Piece, body: Piece) -> Piece:
        """Format `while condition { … }`."""
        return Compound((self.sheet.before(word), headed(condition), " ", body))

    def for_stmt(self, word: Token, pattern: Piece, in_: Token, iterable: Piece, body: Piece) -> Piece:
        """Format `for pattern in iterable { … }`."""
        return Compound((self.sheet.before(word), pattern, self.sheet.spaced(in_), headed(iterable), " ", body))

    def break_stmt(self, word: Token) -> Piece:
        """Format `break`."""
        return self.sheet.word(word)

    continue_stmt = break_stmt

    def return_stmt(self, word: Token, value: Piece) -> Piece:
        """Format `return value`."""
        return self.sheet.word(word) if value is None else row(self.sheet.before(word), value)

    yield_stmt = emit_stmt = throw_stmt = return_stmt

    def guard_stmt(self, word: Token, condition: Piece, else_: Token, body: Piece) -> Piece:
        """Format `guard condition else { … }`."""
        return Compound((self.sheet.before(word), headed(condition), self.sheet.spaced(else_), body))

    def require_stmt(self, word: Token, condition: Piece, comma: Token | None, message: Piece) -> Piece:
        """Format `require condition, message`."""
        if comma is None:
            return row(self.sheet.before(word), condition)
        return Clause((self.sheet.before(word), condition, f"{comma.text} ", message))

    def defer_stmt(self, word: Token, body: Piece) -> Piece:
        """Format `defer { … }`."""
        return Compound((self.sheet.before(word), body))

    mutex_stmt = defer_stmt

    # Select

    def select_stmt(self, word: Token, left: Token, parts: Listed, right: Token) -> Piece:
        """Format a select."""
        return Compound((self.sheet.before(word), self.sheet.open_block(left, parts, right)))

    def select_from(self, name: Piece, word: Token, channel: Piece, body: Piece) -> Piece:
        """Format `name from channel { … }`."""
        return Compound((name, self.sheet.spaced(word), channel, " ", body))

    def select_timeout(self, word: Token, duration: Piece, body: Piece) -> Piece:
        """Format the timeout of a select."""
        return Compound((self.sheet.before(word), duration, " ", body))

    def select_default(self, word: Token, body: Piece) -> Piece:
        """Format the default of a select."""
        return Compound((self.sheet.before(word), body))

    # Bindings

    def name_binding(self, name: Token) -> Piece:
        """Format a binding of a single name."""
        return self.sheet.word(name)

    def dict_binding(self, left: Token, parts: Listed, right: Token) -> Piece:
        """Format `{entries, ...rest}`."""
        return self.sheet.brackets(left, parts, right)

    list_binding = dict_binding

    def dict_binding_entries(self, *parts: Parts) -> Parts:
        """Return entries and commas, without a trailing comma."""
        present = [part for part in parts if part is not None]
        return present if len(present) % 2 else present[:-1]

    list_binding_items = dict_binding_entries

    def dict_binding_entry(
        self, key: Piece, colon: Token | None, name: Piece, assign: Token | None, default: Piece
    ) -> Piece:
        """Format `key: name = default`."""
        renamed = () if colon is None else (f"{colon.text} ", name)
        value = () if assign is None else (f" {assign.text} ", default)
        return row(key, *renamed, *value)

    def list_binding_item(self, name: Piece, assign: Token | None, default: Piece) -> Piece:
        """Format `name = default`."""
        return name if assign is None else row(name, f" {assign.text} ", default)

    def binding_rest(self, dots: Token, name: Piece) -> Piece:
        """Format `...rest`."""
        return row(self.sheet.word(dots), name)

    def pair_binding(self, left: Token, first: Piece, comma: Token, second: Piece, right: Token) -> Piece:
        """Format `(first, second)`."""
        word = self.sheet.word
        return row(word(left), first, f"{comma.text} ", second, word(right))
