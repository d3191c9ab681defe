"""The patterns of `let` and `for`."""

from __future__ import annotations

from harnlite.syntax.nodes.base import Node, Pattern, node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.nodes.base import Expr, Ident


@node
class NamePattern(Pattern):
    """A plain name; `_` drops the value."""

    name: str


@node
class DictPatternEntry(Node):
    """`key`, `key: name` or `key = default`; without `: name`, both Idents have the same text."""

    key: Ident
    name: Ident
    default: Expr | None = None


@node
class DictPattern(Pattern):
    """`{id, tag: label, size = 3, ...rest}`."""

    entries: list[DictPatternEntry]
    rest: Ident | None = None


@node
class ListPatternItem(Node):
    """`name` or `name = default`."""

    name: Ident
    default: Expr | None = None


@node
class ListPattern(Pattern):
    """`[head, second = 0, ...tail]`."""

    items: list[ListPatternItem]
    rest: Ident | None = None


@node
class PairPattern(Pattern):
    """`(k, v)`, only in `for`."""

    first: Ident
    second: Ident
