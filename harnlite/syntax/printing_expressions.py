"""Callbacks that format expressions and the patterns of match arms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.syntax.printing_brackets import LAST, SOLE, Compound, Parentheses
from harnlite.syntax.printing_chains import Chain, Link, gap_before
from harnlite.syntax.printing_documents import Parts, Piece, flat_of, row, subscript
from harnlite.syntax.printing_operators import Operator, Operators, Pipes, Ternary, headed, keep_comparisons
from harnlite.syntax.trivia import begins_line

if TYPE_CHECKING:
    from harnlite.syntax.printing_sheet import Listed, Sheet
    from harnlite.syntax.tokens import Token

_NOTHING = ""


class ExpressionSetter:
    """Formats operators, calls, literals and collections."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.integer = self.float = self.duration = self.true = self.false = self.nil = self.name = sheet.word
        self.string = self.plain_key = sheet.string
        self.template = self.template_key = sheet.template
        self.quoted_ident = self.ident = sheet.word

    # Operators

    def pipe(self, left: Piece, operator: Token, right: Piece) -> Piece:
        """Format `left |> right`."""
        pipes = left if left.__class__ is Pipes else Pipes(left)
        pipes.add(self.sheet.word(operator), right, forced=begins_line(self.sheet.text, operator.start))
        return pipes

    def range(self, low: Piece, to: Token, high: Piece, exclusive: Token | None) -> Piece:
        """Format `low to high exclusive`."""
        if exclusive is None:
            return row(low, self.sheet.spaced(to), high)
        return row(low, self.sheet.spaced(to), high, " ", self.sheet.word(exclusive))

    def ternary(self, condition: Piece, mark: Token, then: Piece, colon: Token, otherwise: Piece) -> Piece:
        """Format `condition ? then : otherwise`."""
        word = self.sheet.word
        return Ternary(condition, word(mark), then, word(colon), otherwise)

    def binary(self, *run: Parts) -> Piece:
        """Format a run of binary operators."""
        word = self.sheet.word
        operators = [Operator(token.kind, word(token)) for token in run[1::2]]
        if len(operators) > 1:
            keep_comparisons(self.sheet.text, operators, [token.start for token in run[1::2]])
        return Operators(run[::2], operators)

    def unary(self, operator: Token, operand: Piece) -> Piece:
        """Format `-x` or `!x`."""
        return row(self.sheet.word(operator), operand)

    def try_star(self, word: Token, value: Piece) -> Piece:
        """Format `try* value`."""
        return row(self.sheet.before(word), value)

    # Postfix

    def _link(self, receiver: Piece, text: str, args: Piece, dot: Token | None = None) -> Piece:
        lead = None if dot is None else self.sheet.trivia.get(dot.start)
        breaks = dot is not None and lead is None and begins_line(self.sheet.text, dot.start)
        link = Link(text, args, lead, is_dotted=dot is not None, breaks=breaks)
        if receiver.__class__ is Chain:
            receiver.add(link)
            return receiver
        return Chain(receiver, link)

    def property(self, receiver: Piece, dot: Token, name: Piece) -> Piece:
        """Format `receiver.name`."""
        if receiver.__class__ is str and name.__class__ is str and dot.start not in self.sheet.trivia:
            character = self.sheet.text[dot.start - 1]
            if character not in " \t\n" or not begins_line(self.sheet.text, dot.start):
                return f"{receiver}{gap_before(dot.text, receiver)}{dot.text}{name}"
        return self._link(receiver, f"{dot.text}{flat_of(name)}", _NOTHING, dot)

    def method_call(
        self, receiver: Piece, dot: Token, name: Piece, type_args: Piece, left: Token, args: Listed, right: Token
    ) -> Piece:
        """Format `receiver.name(args)`."""
        brackets = self.sheet.brackets(left, args, right, hugging=LAST)
        return self._link(receiver, f"{dot.text}{flat_of(name)}{type_args or _NOTHING}", brackets, dot)

    def call(self, callee: Piece, left: Token, args: Listed, right: Token) -> Piece:
        """Format `callee(args)`."""
        return self._link(callee, _NOTHING, self.sheet.brackets(left, args, right, hugging=LAST))

    def generic_call(self, name: Token, type_args: Piece, left: Token, args: Listed, right: Token) -> Piece:
        """Format `name<T>(args)`."""
        brackets = self.sheet.brackets(left, args, right, hugging=LAST)
        return self._link(self.sheet.word(name), type_args, brackets)

    def type_args(self, left: Token, types: Listed, right: Token) -> Piece:
        """Format `<types>`."""
        return self.sheet.brackets(left, types, right).line()

    def index(self, receiver: Piece, left: Token, index: Piece, right: Token) -> Piece:
        """Format `receiver[index]`."""
        word = self.sheet.word
        return self._link(receiver, _NOTHING, subscript(word(left), index, word(right)))

    def optional_index(self, receiver: Piece, mark: Token, left: Token, index: Piece, right: Token) -> Piece:
        """Format `receiver?[index]`."""
        word = self.sheet.word
        return self._link(receiver, mark.text, subscript(word(left), index, word(right)))

    def slice(self, receiver: Piece, left: Token, low: Piece, colon: Token, high: Piece, right: Token) -> Piece:
        """Format `receiver[low:high]`."""
        word = self.sheet.word
        bounds = subscript(word(left), low or _NOTHING, colon.text, high or _NOTHING, word(right))
        return self._link(receiver, _NOTHING, bounds)

    def optional_slice(
        self, receiver: Piece, mark: Token, left: Token, low: Piece, colon: Token, high: Piece, right: Token
    ) -> Piece:
        """Format `receiver?[low:high]`."""
        word = self.sheet.word
        bounds = subscript(word(left), low or _NOTHING, colon.text, high or _NOTHING, word(right))
        return self._link(receiver, mark.text, bounds)

    def propagate(self, value: Piece, mark: Token) -> Piece:
        """Format `value?`."""
        if value.__class__ is str:
            return f"{value}{gap_before(mark.text, value)}{mark.text}"
        return self._link(value, mark.text, _NOTHING)

    # Primaries and collections

    def interpolation(self, value: Piece) -> Piece:
        """Return the expression of an interpolation."""
        return value

    def parenthesized(self, left: Token, value: Piece, right: Token) -> Piece:
        """Format `(value)`."""
        word = self.sheet.word
        return Parentheses(word(left), value, word(right))

    def list(self, left: Token, items: Listed, right: Token) -> Piece:
        """Format `[items]`."""
        return self.sheet.brackets(left, items, right, hugging=SOLE)

    def dict(self, left: Token, entries: Listed, right: Token) -> Piece:
        """Format `{entries}`."""
        return self.sheet.brackets(left, entries, right)

    def struct(self, name: Token, left: Token, entries: Listed, right: Token) -> Piece:
        """Format `Name {entries}`."""
        return row(self.sheet.before(name), self.sheet.brackets(left, entries, right))

    def entry(self, key: Piece, colon: Token, value: Piece) -> Piece:
        """Format `key: value`."""
        return row(key, f"{colon.text} ", value)

    def computed_key(self, left: Token, key: Piece, right: Token) -> Piece:
        """Format `[key]`."""
        return row(self.sheet.word(left), key, self.sheet.word(right))

    def spread(self, dots: Token, value: Piece) -> Piece:
        """Format `...value`."""
        return row(self.sheet.word(dots), value)

    # Patterns

    def expr_pattern(self, value: Piece) -> Piece:
        """Return a pattern that has the form of an expression."""
        return value

    def or_pattern(self, *parts: Parts) -> Piece:
        """Format `a | b`."""
        return self.binary(*parts)

    def dict_pattern(self, left: Token, entries: Listed, right: Token) -> Piece:
        """Format `{kind: "a"}`."""
        return self.sheet.brackets(left, entries, right)

    def pattern_entry(self, key: Piece, colon: Token | None, value: Piece) -> Piece:
        """Format `key: pattern`."""
        return key if colon is None else row(key, f"{colon.text} ", value)


class BlockSetter:
    """Formats blocks and the expressions that contain them."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet

    def block(self, left: Token, statements: Listed, _semicolon: Token | None, right: Token) -> Piece:
        """Format `{ statements }`."""
        return self.sheet.block(left, statements, right)

    def block_body(self, statements: Listed, _semicolon: Token | None) -> Piece:
        """Return the statements unchanged: only texts with syntax errors have such blocks."""
        return statements

    def closure(
        self, left: Token, params: Listed, arrow: Token, statements: Listed, _semicolon: Token | None, right: Token
    ) -> Piece:
        """Format `{ params -> statements }`."""
        opener = self.sheet.before(left)
        for at, part in enumerate(params or ()):
            opener = row(opener, part) if at % 2 == 0 else row(opener, ", ")
        opener = row(opener, " ", arrow.text) if params else row(opener, arrow.text)
        return self.sheet.block(left, statements, right, opener=opener, end=arrow.end)

    def anonymous_fn(self, word: Token, params: Piece, result: Piece, body: Piece) -> Piece:
        """Format `fn(params) -> result { … }`."""
        return Compound((self.sheet.word(word), params, *(result or ()), " ", body))

    def if_(self, word: Token, condition: Piece, then: Piece, otherwise: Parts) -> Piece:
        """Format `if condition { … } else …`."""
        return Compound((self.sheet.before(word), headed(condition), " ", then, *(otherwise or ())))

    def otherwise(self, word: Token, branch: Piece) -> Parts:
        """Return the parts of `else …`."""
        middle = self.sheet.spaced(word)
        return (middle, *branch.parts) if branch.__class__ is Compound else (middle, branch)

    def match(self, word: Token, subject: Piece, left: Token, arms: Listed, right: Token) -> Piece:
        """Format `match subject { arms }`."""
        block = self.sheet.open_block(left, arms, right)
        return Compound((self.sheet.before(word), headed(subject), " ", block))

    def arm(self, pattern: Piece, guard: Parts, arrow: Token, body: Piece) -> Piece:
        """Format `pattern if guard -> { … }`."""
        return Compound((pattern, *(guard or ()), f" {arrow.text} ", body))

    def guard(self, word: Token, condition: Piece) -> Parts:
        """Return the parts of the guard of an arm."""
        return self.sheet.spaced(word), headed(condition)

    def try_(self, word: Token, body: Piece, caught: Parts, finally_body: Parts) -> Piece:
        """Format `try { … } catch … finally { … }`."""
        return Compound((self.sheet.before(word), body, *(caught or ()), *(finally_body or ())))

    def catch_all(self, word: Token, body: Piece) -> Parts:
        """Return the parts of `catch { … }`."""
        return self.sheet.spaced(word), body

    def catch(self, word: Token, name: Piece, body: Piece) -> Parts:
        """Return the parts of `catch e { … }`."""
        return self.sheet.spaced(word), name, " ", body

    def catch_typed(
        self, word: Token, left: Token, name: Piece, colon: Token | None, kind: Piece, right: Token, body: Piece
    ) -> Parts:
        """Return the parts of `catch (e: T) { … }`."""
        typed = () if colon is None else (f"{colon.text} ", kind)
        return self.sheet.spaced(word), self.sheet.word(left), name, *typed, self.sheet.before(right), body

    def finally_(self, word: Token, body: Piece) -> Parts:
        """Return the parts of `finally { … }`."""
        return self.sheet.spaced(word), body

    def retry(self, word: Token, count: Piece, body: Piece) -> Piece:
        """Format `retry count { … }`."""
        return Compound((self.sheet.before(word), count, " ", body))

    deadline = retry

    def spawn(self, word: Token, body: Piece) -> Piece:
        """Format `spawn { … }`."""
        return Compound((self.sheet.before(word), body))

    def parallel(
        self,
        word: Token,
        mode: Token | None,
        source: Piece,
        options: Parts,
        body: Piece,
        stream: Token | None,
    ) -> Piece:
        """Format `parallel each source with {…} { param -> … } as stream`."""
        begin = (self.sheet.before(word),) if mode is None else (self.sheet.before(word), self.sheet.before(mode))
        end = () if stream is None else (" ", self.sheet.word(stream))
        return Compound((*begin, headed(source), *(options or ()), " ", body, *end))

    def options(self, word: Token, left: Token, *rest: Parts) -> Parts:
        """Return the parts of `with { options }`."""
        return self.sheet.spaced(word), self.sheet.brackets(left, rest[:-2], rest[-1], pad=" ")

    def option(self, name: Piece, colon: Token, value: Piece) -> Piece:
        """Format an option of `parallel`."""
        return row(name, f"{colon.text} ", value)

    def parallel_body(
        self,
        left: Token,
        param: Parts,
        statements: Listed,
        _semicolon: Token | None,
        right: Token,
    ) -> Piece:
        """Format `{ param -> … }`."""
        if param is None:
            return self.sheet.block(left, statements, right)
        piece, end = param
        return self.sheet.block(left, statements, right, opener=row(self.sheet.before(left), piece), end=end)

    def parallel_param(self, name: Token, colon: Token | None, kind: Piece, arrow: Token) -> tuple[Piece, int]:
        """Return `param ->` and its end offset."""
        typed = () if colon is None else (f"{colon.text} ", kind)
        return row(self.sheet.word(name), *typed, f" {arrow.text}"), arrow.end
