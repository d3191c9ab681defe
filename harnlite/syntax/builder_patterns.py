"""Reduce callbacks for the patterns of match arms, which are first parsed as expressions."""

from __future__ import annotations

from harnlite.syntax.nodes import (
    BindPattern,
    DictMatchEntry,
    DictMatchPattern,
    Expr,
    Ident,
    ListExpr,
    ListMatchPattern,
    LiteralExpr,
    MatchPattern,
    MethodCallExpr,
    NameExpr,
    OrPattern,
    PropertyExpr,
    SpreadExpr,
    UnaryExpr,
    ValuePattern,
    VariantPattern,
    WildcardPattern,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.syntax.builder import Workshop
    from harnlite.syntax.tokens import StringToken, Token

OR_PATTERN = (
    "Or-pattern alternatives must be literal patterns (string, int, float, bool, nil, or `_`). "
    "Identifier bindings and destructuring patterns are not allowed inside `|`."
)
SPREAD = "spread (...) can only be used inside list literals, dict literals, or function call arguments"


class PatternBuilder:
    """Builds the patterns of match arms."""

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop

    def expr_pattern(self, value: Expr) -> MatchPattern:
        """Convert an expression at the start of an arm to a pattern."""
        if isinstance(value, ListExpr):
            return ListMatchPattern(value.start, value.end, self._items(value.items))
        if isinstance(value, (PropertyExpr, MethodCallExpr)):
            receiver = value.receiver
            if isinstance(receiver, NameExpr) and receiver.name[:1].isupper() and not value.optional:
                enum = Ident(receiver.start, receiver.end, receiver.name)
                args = self._items(value.args) if isinstance(value, MethodCallExpr) else None
                return VariantPattern(value.start, value.end, enum, value.name, args)
        return self._item(value)

    def _items(self, values: Sequence[Expr]) -> list[MatchPattern]:
        return [self._item(value) for value in values]

    def _item(self, value: Expr) -> MatchPattern:
        """Convert an expression to a pattern where nested patterns are not allowed."""
        if isinstance(value, NameExpr):
            if value.name == "_":
                return WildcardPattern(value.start, value.end)
            return BindPattern(value.start, value.end, value.name)
        if isinstance(value, SpreadExpr):
            self.shop.report(SPREAD, value.start, value.end)
        return ValuePattern(value.start, value.end, value)

    def or_pattern(self, *parts: MatchPattern | Token) -> MatchPattern:
        """Build `a | b`; only literals and `_` may be alternatives."""
        alternatives = [part for part in parts if isinstance(part, MatchPattern)]
        wrong = [part for part in alternatives if not _is_literal(part)]
        if wrong:
            self.shop.report(OR_PATTERN, wrong[0].start, wrong[0].end)
        return OrPattern(alternatives[0].start, alternatives[-1].end, alternatives)

    def dict_pattern(self, left: Token, entries: list[DictMatchEntry] | None, right: Token) -> MatchPattern:
        """Build `{kind: "a", val: x}`."""
        return DictMatchPattern(left.start, right.end, entries or [])

    def pattern_entry(self, key: Ident, _colon: Token | None, value: Expr | None) -> DictMatchEntry:
        """Build `key: pattern`, or just `key`, which binds the entry to a variable with that name."""
        pattern = BindPattern(key.start, key.end, key.text) if value is None else self._item(value)
        return DictMatchEntry(key.start, pattern.end, key, pattern)

    def quoted_ident(self, token: StringToken) -> Ident:
        """Build a key that is written as a string."""
        return Ident(token.start, token.end, token.value)


def _is_literal(pattern: MatchPattern) -> bool:
    if isinstance(pattern, WildcardPattern):
        return True
    if not isinstance(pattern, ValuePattern):
        return False
    value = pattern.value
    if isinstance(value, UnaryExpr) and value.op == "-":
        value = value.operand
    return isinstance(value, LiteralExpr)
