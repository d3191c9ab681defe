"""Assignments to variables and to items of containers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.arithmetic import Sides
from harnlite.compiler.attempts import LEAVES, PURE_BUILTINS
from harnlite.compiler.inference import is_certain_item, kind_of, variable_kind
from harnlite.compiler.operators import combine
from harnlite.compiler.ownership import ensure, is_push, note, release
from harnlite.compiler.python_shapes import (
    IS,
    STORE,
    attribute,
    binary,
    boolean,
    compare,
    constant,
    effect,
    fields_of,
    if_else,
    invoke,
    put,
    subscript,
)
from harnlite.syntax import nodes
from harnlite.syntax.visitor import all_below

if TYPE_CHECKING:
    from typing import TypeGuard

    from harnlite.analysis.names.scopes import Binding
    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At

RUNNING = (nodes.PipeExpr, nodes.ParallelExpr, nodes.Stmt)


def write_assign(c: Emitter, node: nodes.AssignStmt) -> None:
    """Compile an assignment."""
    target = node.target
    if isinstance(target, nodes.NameExpr):
        _assign_name(c, node, target)
    else:
        _assign_place(c, node)


def _assign_name(c: Emitter, node: nodes.AssignStmt, target: nodes.NameExpr) -> None:
    at = c.where(node)
    binding = c.bindings.get(target)
    if binding is None or not binding.mutable:
        _assign_anyway(c, node, target, at)
        return
    value = node.value
    is_quick = not _may_assign(c, binding, value)
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


def _may_assign(c: Emitter, binding: Binding, value: nodes.Expr) -> bool:
    """Return whether the evaluation of an expression may assign to a variable.

    Then the value of the variable has to be read first, and cannot be changed in place.
    """
    if value.__class__ in LEAVES:
        return False
    for node in all_below(value):
        if isinstance(node, nodes.AssignStmt) and c.bindings.get(_root(node.target)) is binding:
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


def _root(target: nodes.Expr) -> nodes.Expr:
    """Return the innermost receiver of the target of an assignment."""
    while isinstance(target, (nodes.PropertyExpr, nodes.IndexExpr)):
        target = target.receiver
    return target


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


def _assign_place(c: Emitter, node: nodes.AssignStmt) -> None:
    """Compile `d.a[i] = v`: read the containers from the outside in, then write them back from the inside out."""
    at = c.where(node)
    path: list[nodes.PropertyExpr | nodes.IndexExpr] = []
    root: nodes.Expr = node.target
    while isinstance(root, (nodes.PropertyExpr, nodes.IndexExpr)):
        path.append(root)
        root = root.receiver
    path.reverse()
    own = c.bindings.get(root) if isinstance(root, nodes.NameExpr) else None
    with c.writing([]) as before:
        value = c.expr(node.value) if node.op == "=" else None
    pinned = own if value is not None and not before else None
    keys = [
        constant(step.name.text, at)
        if isinstance(step, nodes.PropertyExpr)
        else _pin(c, c.expr(step.index), pinned, at)
        for step in path
    ]
    c.out.extend(before)
    if value is not None:
        value = _pin(c, value, own, at)
    containers = [c.base(root)]
    for step, key in zip(path[:-1], keys, strict=False):
        containers.append(c.hold(_read_step(c, step, containers[-1], key), at))
    last = path[-1]
    if value is None:
        current = c.hold(_read_step(c, last, containers[-1], keys[-1]), at)
        right = c.expr(node.value)
        value = c.hold(combine(c, node.op[0], Sides(current, None, right, kind_of(c, node.value), at)), at)
    for step, key, container in zip(reversed(path[1:]), reversed(keys[1:]), reversed(containers[1:]), strict=True):
        value = c.hold(c.call(_setter(step), [container, key, value], at), at)
    _store_root(c, root, path[0], keys[0], value, at)


def _pin(c: Emitter, value: ast.expr, own: Binding | None, at: At) -> ast.expr:
    """Hold a value in a temporary, unless it is a name that cannot change before the write to the variable `own`."""
    if own is not None and c.is_fixed_name(value) and value.id != own.variable:
        return value
    return c.hold(value, at)


def _read_step(c: Emitter, step: nodes.Node, container: ast.expr, key: ast.expr) -> ast.expr:
    at = c.where(step)
    return c.call("get_property" if isinstance(step, nodes.PropertyExpr) else "get_index", [container, key], at)


def _setter(step: nodes.Node) -> str:
    return "set_property" if isinstance(step, nodes.PropertyExpr) else "set_index"


def _store_root(c: Emitter, root: nodes.Expr, step: nodes.Node, key: ast.expr, value: ast.expr, at: At) -> None:
    binding = c.bindings.get(root) if isinstance(root, nodes.NameExpr) else None
    if not isinstance(root, nodes.NameExpr):
        c.out.append(effect(c.call(_setter(step), [c.base(root), key, value], at), at))
        return
    if binding is None or not binding.mutable:
        helper = "immutable" if binding is not None or root.name in c.imported else "unassignable"
        c.out.append(effect(c.call(helper, [constant(root.name, at)], at), at))
        return
    own = c.read(binding, at)
    if binding not in c.owned:
        c.store(binding, c.call(_setter(step), [own, key, value], at), at)
        return
    ensure(c, binding, at)
    if c.trying and isinstance(step, nodes.IndexExpr) and is_certain_item(c, step):
        c.out.append(put(subscript(own, key, STORE, at), value, at))
        return
    in_place = c.call(_setter(step) + "_in_place", [own, key, value], at)
    if isinstance(step, nodes.PropertyExpr) or c.plain:
        c.out.append(effect(in_place, at))
        return
    kinds = (variable_kind(c, binding), kind_of(c, step.index) if isinstance(step, nodes.IndexExpr) else None)
    _store_item(c, (own, key, value), kinds, in_place, at)


def _store_item(
    c: Emitter,
    parts: tuple[ast.expr, ast.expr, ast.expr],
    kinds: tuple[str | None, str | None],
    in_place: ast.expr,
    at: At,
) -> None:
    """Store directly into a list or dict if the guard holds; `kinds` are those of the container and the key."""
    own, key, value = parts
    kind, key_kind = kinds
    place = put(subscript(own, key, STORE, at), value, at)

    def has_class(item: ast.expr, helper: str) -> ast.expr:
        return compare(attribute(item, "__class__", at), IS, c.helper(helper, at), at)

    length = invoke(c.helper("len", at), [own], at)
    in_range = ast.Compare(constant(-1, at), [ast.Lt(), ast.Lt()], [key, length], **fields_of(at))
    slow: list[ast.stmt] = [effect(in_place, at)]
    list_tests = [] if kind == "list" else [has_class(own, "list")]
    list_tests += [in_range] if key_kind == "int" else [has_class(key, "int"), in_range]
    dict_tests = [] if kind == "dict" else [has_class(own, "dict")]
    dict_tests += [] if key_kind == "string" else [has_class(key, "str")]
    branches: list[tuple[list[ast.expr], bool]] = [
        (list_tests, kind in {None, "list"} and key_kind in {None, "int"}),
        (dict_tests, kind in {None, "dict"} and key_kind in {None, "string"}),
    ]
    for tests, is_possible in reversed(branches):
        if not is_possible:
            continue
        if not tests:
            slow = [place]
        else:
            slow = [if_else(tests[0] if len(tests) == 1 else boolean(ast.And(), tests, at), [place], slow, at)]
    c.out.extend(slow)
