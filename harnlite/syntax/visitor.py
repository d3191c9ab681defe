"""Traversals and changes of syntax trees. The traversals are iterative, so no tree is too deep for them."""

from __future__ import annotations

from harnlite.syntax.nodes import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeVar

    N = TypeVar("N", bound=Node)
    Visit = Callable[[Any], bool | None]


def walk(root: Node) -> Iterator[Node]:
    """Yield a node and all its descendants, parents first, and children in the order of their fields."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        below = node.children()
        below.reverse()
        pending += below


def all_below(root: Node) -> list[Node]:
    """Return a node and all its descendants in an unspecified order, which is the fastest traversal."""
    found = [root]
    for node in found:  # the list grows during the loop
        if node.branches:
            found += node.children()
    return found


def visit(root: Node, visits: dict[type[Node], Visit]) -> None:
    """Call the callback for the class of each node, parents first; if it returns False, skip the node's descendants."""
    pending = [root]
    while pending:
        node = pending.pop()
        call = visits.get(type(node))
        if call is not None and call(node) is False:
            continue
        below = node.children()
        below.reverse()
        pending += below


def shift(tree: Iterable[Node], distance: int) -> None:
    """Shift the offsets of nodes; each node must be given only once."""
    for node in tree:
        node.start += distance
        node.end += distance
        if node.places:
            for field in node.places:
                setattr(node, field, getattr(node, field) + distance)


def clone(node: N) -> N:
    """Return a deep copy of a tree, so that the same text can occur in two functions."""
    values = []
    for field in type(node).fields:
        value = getattr(node, field)
        if isinstance(value, Node):
            value = clone(value)
        elif isinstance(value, (list, tuple)):
            value = [clone(item) if isinstance(item, Node) else item for item in value]
        values.append(value)
    copy: N = type(node)(*values)
    return copy
