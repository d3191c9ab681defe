"""Walks over trees without recursion, so that no tree is too deep for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnlite.syntax.nodes import Node

    Visit = Callable[[Any], bool | None]


def walk(root: Node) -> Iterator[Node]:
    """Yield a node and everything below it, parents first, children in the order of their fields."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(list(node.children())))


def visit(root: Node, visits: dict[type[Node], Visit]) -> None:
    """Call for each node, parents first, what is registered for its class; False leaves out what is below the node."""
    pending = [root]
    while pending:
        node = pending.pop()
        call = visits.get(type(node))
        if call is not None and call(node) is False:
            continue
        pending.extend(reversed(list(node.children())))
