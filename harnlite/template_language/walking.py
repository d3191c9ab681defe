"""Walk over the nodes and expressions of a template."""

from __future__ import annotations

from harnlite.template_language.nodes import Bare, Comparison, Filtered, For, If, Include, Insert, Logic, Not

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from harnlite.template_language.nodes import Expression, Node

_CHILDREN: dict[type, Callable[[Any], Sequence[Expression]]] = {
    Not: lambda node: (node.operand,),
    Logic: lambda node: node.operands,
    Comparison: lambda node: (node.left, node.right),
    Filtered: lambda node: (node.value, *node.arguments),
}
_EXPRESSIONS: dict[type, Callable[[Any], Sequence[Expression]]] = {
    Bare: lambda node: (node.path,),
    Insert: lambda node: (node.value,),
    If: lambda node: [condition for condition, _ in node.branches],
    For: lambda node: (node.source,),
    Include: lambda node: (node.target, *(value for _, value in node.bindings)),
}


def expressions_in(node: Node) -> Iterator[Expression]:
    """Yield the expressions of a directive, with those inside them, but not those of its bodies."""
    of_node = _EXPRESSIONS.get(node.__class__)
    waiting = list(of_node(node)) if of_node else []
    while waiting:
        expression = waiting.pop()
        yield expression
        inside = _CHILDREN.get(expression.__class__)
        if inside is not None:
            waiting += inside(expression)


def bodies_of(node: Node) -> Sequence[Sequence[Node]]:
    """Return the bodies of a block."""
    if isinstance(node, If):
        return [*(body for _, body in node.branches), node.otherwise]
    return (node.body, node.otherwise) if isinstance(node, For) else ()


def nodes_in(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield nodes and those inside them."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        for body in bodies_of(node):
            waiting += body
