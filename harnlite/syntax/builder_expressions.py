"""Reduce callbacks for expressions."""

from __future__ import annotations

from harnlite.syntax.nodes import (
    BinaryExpr,
    CallExpr,
    DictEntry,
    DictExpr,
    Expr,
    Ident,
    IndexExpr,
    ListExpr,
    LiteralExpr,
    MethodCallExpr,
    NameExpr,
    Node,
    PipeExpr,
    PropagateExpr,
    PropertyExpr,
    RangeExpr,
    SliceExpr,
    SpreadExpr,
    StructExpr,
    TemplateExpr,
    TernaryExpr,
    TryStarExpr,
    TypeExpr,
    UnaryExpr,
)
from harnlite.syntax.numbers import duration_value, float_value, integer_value
from harnlite.syntax.precedence import climb
from harnlite.syntax.tokens import StringToken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.builder import Workshop
    from harnlite.syntax.tokens import TemplateToken, Token

_PLAIN = (NameExpr, LiteralExpr, TemplateExpr)
_BINARY = 3


class ExpressionBuilder:
    """Builds operators, calls, literals and collections."""

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop

    def interpolation(self, value: Expr) -> Expr:
        """Return the expression of an interpolation."""
        return value

    # Operators

    def pipe(self, left: Expr, _operator: Token, right: Expr) -> Expr:
        """Build `left |> right`."""
        return PipeExpr(left.start, right.end, left, right)

    def range_(self, low: Expr, _to: Token, high: Expr, exclusive: Token | None) -> Expr:
        """Build `low to high exclusive`."""
        return RangeExpr(low.start, exclusive.end if exclusive else high.end, low, high, exclusive is not None)

    def ternary(self, condition: Expr, _mark: Token, then: Expr, _colon: Token, otherwise: Expr) -> Expr:
        """Build `condition ? then : otherwise`."""
        return TernaryExpr(condition.start, otherwise.end, condition, then, otherwise)

    def binary(self, *run: Expr | Token) -> Expr:
        """Build the tree for a sequence of binary operators."""
        if len(run) == _BINARY:
            left, operator, right = run
            return BinaryExpr(left.start, right.end, operator.text, left, right, operator.start)  # type: ignore[union-attr, arg-type]  # the grammar puts an operator between operands
        return climb(run)

    def unary(self, operator: Token, operand: Expr) -> Expr:
        """Build `-x` or `!x`."""
        return UnaryExpr(operator.start, operand.end, operator.text, operand)

    def try_star(self, word: Token, value: Expr) -> Expr:
        """Build `try* value`."""
        return TryStarExpr(word.start, value.end, value)

    # Postfix

    def property_(self, receiver: Expr, dot: Token, name: Ident) -> Expr:
        """Build `receiver.name`."""
        return PropertyExpr(receiver.start, name.end, receiver, name, dot.kind == "OPTDOT")

    def method_call(
        self,
        receiver: Expr,
        dot: Token,
        name: Ident,
        type_args: list[TypeExpr] | None,
        _left: Token,
        args: list[Expr] | None,
        right: Token,
    ) -> Expr:
        """Build `receiver.name(args)`."""
        return MethodCallExpr(
            receiver.start, right.end, receiver, name, type_args or [], args or [], dot.kind == "OPTDOT"
        )

    def call(self, callee: Expr, _left: Token, args: list[Expr] | None, right: Token) -> Expr:
        """Build `callee(args)`."""
        return CallExpr(callee.start, right.end, callee, [], args or [])

    def generic_call(
        self, name: Token, type_args: list[TypeExpr], _left: Token, args: list[Expr] | None, right: Token
    ) -> Expr:
        """Build `name<T>(args)`."""
        callee = NameExpr(name.start, name.end, name.text)
        return CallExpr(name.start, right.end, callee, type_args, args or [])

    def type_args(self, _left: Token, types: list[TypeExpr], _right: Token) -> list[TypeExpr]:
        """Return the types between angle brackets."""
        return types

    def index(self, receiver: Expr, _left: Token, index: Expr, right: Token) -> Expr:
        """Build `receiver[index]`."""
        return IndexExpr(receiver.start, right.end, receiver, index)

    def optional_index(self, receiver: Expr, _mark: Token, _left: Token, index: Expr, right: Token) -> Expr:
        """Build `receiver?[index]`."""
        return IndexExpr(receiver.start, right.end, receiver, index, optional=True)

    def slice_(
        self, receiver: Expr, _left: Token, low: Expr | None, _colon: Token, high: Expr | None, right: Token
    ) -> Expr:
        """Build `receiver[low:high]`."""
        return SliceExpr(receiver.start, right.end, receiver, low, high)

    def optional_slice(
        self,
        receiver: Expr,
        _mark: Token,
        _left: Token,
        low: Expr | None,
        _colon: Token,
        high: Expr | None,
        right: Token,
    ) -> Expr:
        """Build `receiver?[low:high]`."""
        return SliceExpr(receiver.start, right.end, receiver, low, high, optional=True)

    def propagate(self, value: Expr, mark: Token) -> Expr:
        """Build `value?`."""
        return PropagateExpr(value.start, mark.end, value)

    # Primaries

    def name(self, token: Token) -> Expr:
        """Build the read of a name."""
        return NameExpr(token.start, token.end, token.text)

    def integer(self, token: Token) -> Expr:
        """Build an int, or a float if the value exceeds 64 bits."""
        value = integer_value(token.text)
        return LiteralExpr(token.start, token.end, value, "int" if value.__class__ is int else "float")

    def float_(self, token: Token) -> Expr:
        """Build a float."""
        return LiteralExpr(token.start, token.end, float_value(token.text), "float")

    def duration(self, token: Token) -> Expr:
        """Build a duration in milliseconds."""
        return LiteralExpr(token.start, token.end, duration_value(token.text), "duration")

    def string(self, token: StringToken) -> Expr:
        """Build a string."""
        return LiteralExpr(token.start, token.end, token.value, "string")

    def template(self, token: TemplateToken) -> Expr:
        """Build a string with interpolations, which are parsed after the surrounding text."""
        node = TemplateExpr(token.start, token.end, [])
        self.shop.templates.append((node, token))
        return node

    def true(self, token: Token) -> Expr:
        """Build `true`."""
        return LiteralExpr(token.start, token.end, True, "bool")  # noqa: FBT003 - the value of the literal

    def false(self, token: Token) -> Expr:
        """Build `false`."""
        return LiteralExpr(token.start, token.end, False, "bool")  # noqa: FBT003 - the value of the literal

    def nil(self, token: Token) -> Expr:
        """Build `nil`."""
        return LiteralExpr(token.start, token.end, None, "nil")

    def parenthesized(self, left: Token, value: Expr, right: Token) -> Expr:
        """Return the expression; its span includes the parentheses unless it is a name, a literal or a string."""
        if not isinstance(value, _PLAIN):
            value.start = left.start
            value.end = right.end
        return value

    # Collections

    def list_(self, left: Token, items: list[Expr] | None, right: Token) -> Expr:
        """Build `[items]`."""
        return ListExpr(left.start, right.end, items or [])

    def dict_(self, left: Token, entries: list[Node] | None, right: Token) -> Expr:
        """Build `{entries}`."""
        return DictExpr(left.start, right.end, entries or [])

    def struct(self, name: Token, _left: Token, entries: list[Node] | None, right: Token) -> Expr:
        """Build `Name {entries}`."""
        ident = Ident(name.start, name.end, name.text)
        for entry in entries or []:
            if isinstance(entry, DictEntry) and entry.computed:
                self.shop.expect("field name", self.shop.text[entry.start], entry.start, entry.start + 1)
        return StructExpr(name.start, right.end, ident, entries or [])

    def entry(self, key: DictEntry, _colon: Token, value: Expr) -> Node:
        """Add the value to an entry that has only a key so far."""
        key.value = value
        key.end = value.end
        return key

    def plain_key(self, token: Token) -> Node:
        """Build an entry whose key is a name or string; the value is added later."""
        value = token.value if isinstance(token, StringToken) else token.text
        key = LiteralExpr(token.start, token.end, value, "string")
        return DictEntry(token.start, token.end, key, key)

    def template_key(self, token: TemplateToken) -> Node:
        """Build an entry whose key is a string with interpolations; the value is added later."""
        key = self.template(token)
        return DictEntry(token.start, token.end, key, key, computed=True)

    def computed_key(self, left: Token, key: Expr, _right: Token) -> Node:
        """Build an entry with a computed key; the value is added later."""
        return DictEntry(left.start, key.end, key, key, computed=True)

    def spread(self, dots: Token, value: Expr) -> Expr:
        """Build `...value`."""
        return SpreadExpr(dots.start, value.end, value)
