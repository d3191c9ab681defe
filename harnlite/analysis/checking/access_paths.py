"""Places whose types can be narrowed: variables, and the entries that fixed keys lead to."""

from __future__ import annotations

from harnlite.analysis.types.environment import Binding
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.checking.checker import Checker


def step_of(node: nodes.Expr) -> tuple[nodes.Expr, str] | None:
    """Return the receiver and the key of the last step of `x.a`, `x["a"]` or `x[0]`."""
    if isinstance(node, nodes.PropertyExpr):
        return node.receiver, node.name.text
    if isinstance(node, nodes.IndexExpr) and isinstance(node.index, nodes.LiteralExpr):
        kind, value = node.index.kind, node.index.value
        if kind == "string":
            return node.receiver, str(value)
        if kind == "int":
            return node.receiver, f"[{value}]"
    return None


def known_place(c: Checker, node: nodes.Expr) -> Binding | None:
    """Return the place that an expression reads, if it is a variable or a place that was created before."""
    if isinstance(node, nodes.NameExpr):
        return c.lookup(node.name)
    step = step_of(node)
    if step is None:
        return None
    start = known_place(c, step[0])
    return start.inner.get(step[1]) if start is not None and start.inner else None


def inner_place(place: Binding, key: str) -> Binding:
    """Return the place that a key of another place leads to; create it if necessary."""
    if place.inner is None:
        place.inner = {}
    found = place.inner.get(key)
    if found is None:
        found = place.inner[key] = Binding(place.name, "place", None, place.start, place.end)
        found.mutable = place.mutable
        found.root = place.root or place
    return found
