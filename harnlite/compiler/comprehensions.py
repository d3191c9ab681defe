"""List methods that have an equivalent Python expression if the receiver is a list."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.inference import kind_of
from harnlite.compiler.python_shapes import (
    IS,
    LOAD,
    Constant,
    choose,
    class_of,
    compare,
    constant,
    fields_of,
    list_display,
    name,
    named,
    place,
    starred,
    subscript,
    tuple_display,
)
from harnlite.syntax import nodes
from harnlite.syntax.visitor import all_below

if TYPE_CHECKING:
    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At

BLOCKS = frozenset(
    {
        nodes.ClosureExpr,
        nodes.IfExpr,
        nodes.MatchExpr,
        nodes.TryExpr,
        nodes.RetryExpr,
        nodes.DeadlineExpr,
        nodes.SpawnExpr,
        nodes.ParallelExpr,
        nodes.PropagateExpr,
        nodes.PipeExpr,
    }
)


def write_quick_method(c: Emitter, node: nodes.MethodCallExpr, at: At) -> ast.expr | None:
    """Compile a simple `xs.map({ x -> … })`, `xs.filter({ x -> … })` or `xs.push(x)` to a Python list expression."""
    if node.optional or c.plain or len(node.args) != 1 or node.name.text in c.methods:
        return None
    argument = node.args[0]
    if node.name.text == "push":
        return _push(c, node, argument, at) if isinstance(argument, (nodes.NameExpr, nodes.LiteralExpr)) else None
    if node.name.text not in {"map", "filter"} or not isinstance(argument, nodes.ClosureExpr):
        return None
    body = short_body(argument)
    if body is None or len(argument.params) != 1 or c.bindings.get(argument.params[0]) is None:
        return None
    return _comprehension(c, node, argument, body, at)


def _push(c: Emitter, node: nodes.MethodCallExpr, argument: nodes.Expr, at: At) -> ast.expr | None:
    value, item = c.ordered((node.receiver, argument))
    if item.__class__ is not Constant and not c.is_fixed_name(item):
        value = c.hold(value, at)
        item = c.hold(item, at)
    first, again = named(c, value, at)
    longer = list_display([starred(again, LOAD, at), item], LOAD, at)
    is_list = compare(class_of(first, at), IS, c.helper("list", at), at)
    return choose(is_list, longer, c.call("invoke", [again, constant("push", at), item], at), at)


def _comprehension(
    c: Emitter,
    node: nodes.MethodCallExpr,
    closure: nodes.ClosureExpr,
    body: nodes.Expr,
    at: At,
) -> ast.expr | None:
    binding = c.bindings[closure.params[0]]
    assert binding is not None  # noqa: S101 - the caller has checked it
    with c.writing([]) as out:
        result = c.expr(body)
    if out:
        return None
    temps = c.temps
    value = c.expr(node.receiver)
    has_names = c.temps > temps
    first, again = named(c, value, at)
    item = place(binding.variable, at)
    is_map = node.name.text == "map"
    # Over a long list, or with a limit on memory, the comprehension has to be interrupted between items.
    loop = ast.comprehension(item, c.call("polled", [again], at), [] if is_map else [result], 0)
    quick = ast.ListComp(result if is_map else name(item.id, at), [loop], **fields_of(at))
    if kind_of(c, node.receiver) == "list":
        if not has_names:
            loop.iter = c.call("polled", [value], at)
            return quick
        both = tuple_display([first, quick], LOAD, at)
        return subscript(both, constant(1, at), LOAD, at)
    is_list = compare(class_of(first, at), IS, c.helper("list", at), at)
    slow = c.call("invoke", [again, constant(node.name.text, at), c.expr(closure)], at)
    return choose(is_list, quick, slow, at)


def short_body(node: nodes.ClosureExpr) -> nodes.Expr | None:
    """Return the single expression of a closure's body, or None if the body needs statements."""
    statements = node.body.statements
    names = [param.name.text for param in node.params if param.name.text != "_"]
    if len(statements) != 1 or any(param.type or param.default or param.rest for param in node.params):
        return None
    if len(set(names)) < len(names):
        return None
    only = statements[0]
    if isinstance(only, (nodes.ReturnStmt, nodes.ExprStmt)):
        value = only.value
    else:
        return None
    return value if value is not None and _is_short(value) else None


def _is_short(node: nodes.Node) -> bool:
    """Return whether an expression needs no statements; checking this first avoids compiling the expression twice."""
    return not any(one.__class__ in BLOCKS for one in all_below(node))
