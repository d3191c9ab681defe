"""The patterns of match arms."""

from __future__ import annotations

from harnlite.syntax.nodes.base import MatchPattern, Node, node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.nodes.base import Expr, Ident


@node
class WildcardPattern(MatchPattern):
    """`_`."""


@node
class BindPattern(MatchPattern):
    """A name, which matches any value and binds it."""

    name: str


@node
class ValuePattern(MatchPattern):
    """A literal or another expression; it matches values that are equal (`==`) to it."""

    value: Expr


@node
class OrPattern(MatchPattern):
    """`1 | 2 | _`."""

    alternatives: list[MatchPattern]


@node
class DictMatchEntry(Node):
    """`kind: "a"`, `val: x` or just `x`; the pattern is a BindPattern, WildcardPattern or ValuePattern."""

    key: Ident
    pattern: MatchPattern


@node
class DictMatchPattern(MatchPattern):
    """`{kind: "a", val: x}`."""

    entries: list[DictMatchEntry]


@node
class ListMatchPattern(MatchPattern):
    """`[1, y, _]`."""

    items: list[MatchPattern]


@node
class VariantPattern(MatchPattern):
    """`Shape.Circle(r)` or `Shape.Dot` (without args): a name that starts with a capital, a dot and a name."""

    enum: Ident
    variant: Ident
    args: list[MatchPattern] | None
