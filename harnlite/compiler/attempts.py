"""Statements that are tried with plain reads of items and fields, and repeated with checked reads if one fails.

A try statement costs nothing in Python as long as nothing is raised, unlike a comparison with the length of a list.
Only statements without side effects before their last step can be repeated.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.analysis.builtins.method_table import PURE, TABLE
from harnlite.compiler.inference import is_certain_item, kind_of, steps_of
from harnlite.compiler.ownership import is_push, path_of
from harnlite.compiler.python_shapes import (
    assign,
    fields_of,
    name,
)
from harnlite.syntax import nodes
from harnlite.syntax.visitor import all_below

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnlite.analysis.names.scopes import Binding
    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At

LEAVES = frozenset({nodes.LiteralExpr, nodes.NameExpr, nodes.Ident})
OPERATIONS = frozenset(
    {
        nodes.BinaryExpr,
        nodes.UnaryExpr,
        nodes.TernaryExpr,
        nodes.TemplateExpr,
        nodes.ListExpr,
        nodes.DictExpr,
        nodes.DictEntry,
    }
)
PURE_BUILTINS = frozenset(
    {"len", "sqrt", "abs", "min", "max", "floor", "ceil", "round", "to_float", "to_int", "to_string", "str"}
)
RUNNING = (nodes.PipeExpr, nodes.ParallelExpr, nodes.Stmt)
DEEPEST = 8
"""The depth of loops and other blocks up to which statements are tried: Python limits that of all blocks to 20."""


def is_own_field(c: Emitter, node: nodes.PropertyExpr) -> bool:
    """Return whether an expression reads a declared field of the struct that a method belongs to."""
    receiver = node.receiver
    return (
        not node.optional
        and isinstance(receiver, nodes.NameExpr)
        and _is_self(c, receiver)
        and node.name.text in c.fields
    )


def is_likely_field(c: Emitter, node: nodes.PropertyExpr) -> bool:
    """Return whether an expression reads a field of a field that is declared with a struct, as in `self.start.x`."""
    inner = node.receiver
    if node.optional or not isinstance(inner, nodes.PropertyExpr):
        return False
    return (is_own_field(c, inner) or is_likely_field(c, inner)) and node.name.text in _fields_below(c, inner.name.text)


def _fields_below(c: Emitter, text: str) -> set[str]:
    """Return the fields of the structs that fields with a name are declared with."""
    structs = [declared for declared in c.types.values() if isinstance(declared, nodes.StructDecl)]
    types = [member.type for declared in structs for member in declared.members if member.name.text == text]
    below = [c.types.get(one.name) if isinstance(one, nodes.NamedType) else None for one in types]
    return {member.name.text for one in below if isinstance(one, nodes.StructDecl) for member in one.members}


def _is_self(c: Emitter, node: nodes.NameExpr) -> bool:
    """Return whether a name is the first parameter of a method."""
    binding = c.bindings.get(node)
    if binding is None or binding.kind != "param" or binding.frame.kind != "method":
        return False
    method = binding.frame.node
    return isinstance(method, nodes.FnDecl) and bool(method.params) and method.params[0] is binding.decl


def write_attempt(c: Emitter, node: nodes.Stmt, write: Callable[..., None]) -> None:
    """Compile a statement that can be repeated by means of `write`, first with plain reads of items."""
    at = c.where(node)
    with c.writing([]) as fast:
        c.trying = True
        write(c, node)
        c.trying = False
    if not fast:
        return
    with c.writing([]) as slow:
        write(c, node)
    c.out.append(_try(c, fast, slow, at))


def write_test(c: Emitter, condition: nodes.Expr) -> ast.expr:
    """Compile a condition, with plain reads of items if it can be repeated."""
    if c.plain or c.trying or len(c.body.loops) + c.body.unsafe > DEEPEST or not _repeats(c, [condition]):
        return c.condition(condition)
    at = c.where(condition)
    temp = c.temp()
    with c.writing([]) as fast:
        c.trying = True
        value = c.condition(condition)
        c.trying = False
        fast.append(assign(temp, value, at))
    with c.writing([]) as slow:
        slow.append(assign(temp, c.condition(condition), at))
    c.out.append(_try(c, fast, slow, at))
    return name(temp, at)


def _try(c: Emitter, fast: list[ast.stmt], slow: list[ast.stmt], at: At) -> ast.stmt:
    handler = ast.ExceptHandler(c.helper("unlikely", at), None, slow, **fields_of(at))
    return ast.Try(fast, [handler], [], [], **fields_of(at))


def may_repeat(c: Emitter, node: nodes.Stmt) -> bool:
    """Return whether a statement reads or writes items with a certain kind of index, and can be repeated."""
    if len(c.body.loops) + c.body.unsafe > DEEPEST:
        return False
    if isinstance(node, nodes.LetStmt):
        # The defaults in a pattern may have side effects.
        return isinstance(node.pattern, nodes.NamePattern) and _repeats(c, [node.value])
    if isinstance(node, nodes.ReturnStmt):
        return node.value is not None and _repeats(c, [node.value])
    if not isinstance(node, nodes.AssignStmt):
        return False
    target, value = node.target, node.value
    if isinstance(target, nodes.NameExpr):
        if is_push(value, target.name) and node.op == "=" and "push" not in c.methods:
            binding = c.bindings.get(target)
            return binding in c.owned and _repeats(c, value.args)
        return _repeats(c, [value])
    root, _ = path_of(target)
    if c.bindings.get(root) not in c.owned:
        return False
    items = [step for step in steps_of(target) if isinstance(step, nodes.IndexExpr)]
    return _repeats(c, [*(item.index for item in items), value], items)


def _repeats(c: Emitter, parts: list[nodes.Expr], items: Sequence[nodes.IndexExpr] = ()) -> bool:
    """Return whether expressions have no side effects, and at least one reads an item that is worth the attempt.

    `items` are those that the path of an assignment reads or writes.
    """
    pending: list[nodes.Node] = [*parts]
    reads = [*items]
    found = False
    for node in pending:  # the list grows during the loop
        label = node.__class__
        if label in LEAVES:
            continue
        if label in OPERATIONS:
            pending += node.children()
        elif isinstance(node, nodes.PropertyExpr):
            found = found or is_own_field(c, node)
            pending.append(node.receiver)
        elif isinstance(node, nodes.IndexExpr):
            reads.append(node)
            pending += (node.receiver, node.index)
        elif isinstance(node, nodes.CallExpr):
            callee = node.callee
            if not isinstance(callee, nodes.NameExpr) or callee.name not in PURE_BUILTINS:
                return False
            if c.bindings.get(callee) is not None or c.has_wildcard_import:
                return False
            pending += node.args
        elif isinstance(node, nodes.MethodCallExpr):
            row = TABLE.get(kind_of(c, node.receiver) or "", {}).get(node.name.text)
            if row is None or PURE not in row.traits or node.optional:
                return False
            pending += [node.receiver, *node.args]
        else:
            return False
    if not found and not reads:
        return False
    c.trying = True
    found = found or any(is_certain_item(c, read) for read in reads)
    c.trying = False
    return found


def may_assign(c: Emitter, binding: Binding, value: nodes.Expr) -> bool:
    """Return whether the evaluation of an expression may assign to a variable.

    Then the value of the variable has to be read first, and cannot be changed in place.
    """
    if value.__class__ in LEAVES:
        return False
    for node in all_below(value):
        if isinstance(node, nodes.AssignStmt) and c.bindings.get(path_of(node.target)[0]) is binding:
            return True
        if binding.captured and _may_run_closures(c, node):
            return True
    return False


def _may_run_closures(c: Emitter, node: nodes.Node) -> bool:
    """Return whether a node is a call or another construct that may run a closure, or let another task run."""
    if isinstance(node, nodes.CallExpr):
        callee = node.callee
        is_builtin = isinstance(callee, nodes.NameExpr) and c.bindings.get(callee) is None
        return not is_builtin or c.has_wildcard_import or getattr(callee, "name", "") not in PURE_BUILTINS
    if isinstance(node, nodes.MethodCallExpr):
        return kind_of(c, node.receiver) != "string"
    return isinstance(node, RUNNING)
