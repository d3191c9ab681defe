"""What the arms of a match look for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.syntax.nodes.base import MatchPattern, Node

if TYPE_CHECKING:
    from harnlite.syntax.nodes.base import Expr, Ident


class WildcardPattern(MatchPattern):
    """`_`."""


class BindPattern(MatchPattern):
    """A name: binds the value."""

    name: str


class ValuePattern(MatchPattern):
    """A literal or other expression: fits what is `==` to it."""

    value: Expr


class OrPattern(MatchPattern):
    """`1 | 2 | _`."""

    alternatives: list[MatchPattern]


class DictMatchEntry(Node):
    """`kind: "a"` or `val: x` or just `x`; the pattern is a BindPattern, WildcardPattern or ValuePattern."""

    key: Ident
    pattern: MatchPattern


class DictMatchPattern(MatchPattern):
    """`{kind: "a", val: x}`."""

    entries: list[DictMatchEntry]


class ListMatchPattern(MatchPattern):
    """`[1, y, _]`."""

    items: list[MatchPattern]


class VariantPattern(MatchPattern):
    """`Shape.Circle(r)` or `Shape.Dot` (args None): always an upper-case name, a dot and a name."""

    enum: Ident
    variant: Ident
    args: list[MatchPattern] | None
