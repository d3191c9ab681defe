"""Walks over trees without recursion, so that no tree is too deep for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from harnlite.syntax.nodes import Node

N = TypeVar("N", bound=Node)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Visit = Callable[[Any], bool | None]


def walk(root: Node) -> Iterator[Node]:
    """Yield a node and everything below it, parents first, children in the order of their fields."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        below = node.children()
        below.reverse()
        pending += below


def all_below(root: Node) -> list[Node]:
    """Return a node and everything below it, in no order to rely on, which is the fastest way to see them."""
    found = [root]
    for node in found:  # which grows meanwhile
        found += node.children()
    return found


def visit(root: Node, visits: dict[type[Node], Visit]) -> None:
    """Call for each node, parents first, what is registered for its class; False leaves out what is below the node."""
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
    """Move the nodes of a tree, each of which is given once, to where their text has moved."""
    for node in tree:
        node.start += distance
        node.end += distance
        for field in node.places:
            setattr(node, field, getattr(node, field) + distance)


def clone(node: N) -> N:
    """Copy a tree, so that one text can stand in two frames."""
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
