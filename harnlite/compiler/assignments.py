"""Assignments to variables."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.attempts import may_assign
from harnlite.compiler.inference import kind_of, variable_kind
from harnlite.compiler.ownership import ensure, is_push, note, release
from harnlite.compiler.places import write_place
from harnlite.compiler.python_shapes import (
    IS,
    attribute,
    binary,
    compare,
    constant,
    effect,
    if_else,
    invoke,
)
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from typing import TypeGuard

    from harnlite.analysis.names.scopes import Binding
    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At


def write_assign(c: Emitter, node: nodes.AssignStmt) -> None:
    """Compile an assignment."""
    target = node.target
    if isinstance(target, nodes.NameExpr):
        _assign_name(c, node, target)
    else:
        write_place(c, node)


def _assign_name(c: Emitter, node: nodes.AssignStmt, target: nodes.NameExpr) -> None:
    at = c.where(node)
    binding = c.bindings.get(target)
    if binding is None or not binding.mutable:
        _assign_anyway(c, node, target, at)
        return
    value = node.value
    is_quick = not may_assign(c, binding, value)
    if node.op != "=":
        op = node.op[0]
        step = nodes.BinaryExpr(node.start, node.end, op, target, value, target.end)
        if op == "+" and variable_kind(c, binding) == "string" and not c.plain and is_quick:
            _append_text(c, binding, value, at)
            return
        value = step
    elif is_quick and _is_own_concatenation(value, c, target):
        _append_text(c, binding, value.right, at)
        return
    elif is_quick and binding in c.owned and is_push(value, target.name) and "push" not in c.methods:
        _push_in_place(c, binding, value.args[0], at)
        return
    if binding in c.deferred:
        c.unwrapped = value
    c.store(binding, c.expr(value), at)
    note(c, binding, value, at)


def _assign_anyway(c: Emitter, node: nodes.AssignStmt, target: nodes.NameExpr, at: At) -> None:
    """Compile an assignment that fails at run time: its target is immutable or does not exist."""
    value = c.expr(node.value)
    c.out.append(effect(value, at))
    binding = c.bindings.get(target)
    helper = "immutable" if binding is not None or target.name in c.imported else "unassignable"
    c.out.append(effect(c.call(helper, [constant(target.name, at)], at), at))


def _is_own_concatenation(value: nodes.Expr, c: Emitter, target: nodes.NameExpr) -> TypeGuard[nodes.BinaryExpr]:
    binding = c.bindings.get(target)
    return (
        not c.plain
        and isinstance(value, nodes.BinaryExpr)
        and value.op == "+"
        and isinstance(value.left, nodes.NameExpr)
        and c.bindings.get(value.left) is binding
        and binding is not None
        and variable_kind(c, binding) == "string"
    )


def _append_text(c: Emitter, binding: Binding, value: nodes.Expr, at: At) -> None:
    """Compile `s += x` so that Python can extend the string in place."""
    piece = c.hold(c.expr(value), at)
    own = c.read(binding, at)
    grown = binary(own, ast.Add(), piece, at)
    if kind_of(c, value) == "string":
        c.store(binding, grown, at)
    else:
        with c.writing([]) as fast:
            c.store(binding, grown, at)
        with c.writing([]) as slow:
            c.store(binding, c.call("add", [own, piece], at), at)
        is_text = compare(attribute(piece, "__class__", at), IS, c.helper("str", at), at)
        c.out.append(if_else(is_text, fast, slow, at))
    length = invoke(c.helper("len", at), [own], at)
    too_long = compare(length, ast.Gt(), c.helper("most", at), at)
    c.out.append(if_else(too_long, [effect(c.call("checked_text", [own], at), at)], [], at))


def _push_in_place(c: Emitter, binding: Binding, argument: nodes.Expr, at: At) -> None:
    item = c.hold(c.expr(argument), at)
    own = c.read(binding, at)
    with c.writing([]) as fast:
        ensure(c, binding, at)
        fast.append(effect(invoke(attribute(own, "append", at), [item], at), at))
    if variable_kind(c, binding) == "list":
        c.out.extend(fast)
        return
    with c.writing([]) as slow:
        c.store(binding, c.call("invoke", [own, constant("push", at), item], at), at)
        release(c, binding, at)
    test = compare(attribute(own, "__class__", at), IS, c.helper("list", at), at)
    c.out.append(if_else(test, fast, slow, at))
