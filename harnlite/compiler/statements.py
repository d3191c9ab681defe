"""Statements: bindings, assignments, loops, and the ways to leave them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.flow import RETURN, WRITERS, fill, write_block, write_into
from harnlite.compiler.inference import kind_of, variable_kind
from harnlite.compiler.operators import IS, LOAD, NOT, combine, compare, constant, name, plain
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.compiler.emitter import Emitter

    At = dict[str, Any]

STORE = ast.Store()


def write_let(c: Emitter, node: nodes.LetStmt) -> None:
    """Write let, var or const."""
    at = c.where(node)
    pattern = node.pattern
    if isinstance(pattern, nodes.NamePattern):
        _bind_name(c, node, pattern, at)
        return
    destructure(c, pattern, c.hold(c.expr(node.value), at), at)


def _bind_name(c: Emitter, node: nodes.LetStmt, pattern: nodes.NamePattern, at: At) -> None:
    binding = c.bindings.get(pattern)
    if binding is None:
        c.out.append(ast.Expr(c.expr(node.value), **at))
        return
    if pattern in binding.redeclared:
        c.out.append(ast.Expr(c.expr(node.value), **at))
        c.out.append(c.redeclared(pattern.name, at))
        return
    if type(node.value) in WRITERS and c.storage(binding) in {"local", "global", "cell"} and binding not in c.owned:
        temp = c.temp()
        write_into(c, node.value, temp)
        c.declare(binding, name(temp, at), at)
        return
    c.declare(binding, c.expr(node.value), at)
    if binding in c.owned:
        c.own(binding, is_fresh(node.value), at)


def is_fresh(value: nodes.Expr) -> bool:
    """Say whether an expression makes a container that nothing else can see yet."""
    return isinstance(value, (nodes.ListExpr, nodes.DictExpr, nodes.StructExpr))


def destructure(c: Emitter, pattern: nodes.Pattern, value: ast.expr, at: At) -> None:
    """Bind the names of a binding pattern."""
    if isinstance(pattern, nodes.NamePattern):
        _declare(c, pattern, pattern.name, value, at)
    elif isinstance(pattern, nodes.PairPattern):
        pair = c.hold(c.call("pair_for_pattern", [value], at), at)
        for number, part in enumerate((pattern.first, pattern.second)):
            _declare(c, part, part.text, ast.Subscript(pair, constant(number, at), LOAD, **at), at)
    elif isinstance(pattern, nodes.DictPattern):
        _destructure_dict(c, pattern, value, at)
    elif isinstance(pattern, nodes.ListPattern):
        _destructure_list(c, pattern, value, at)


def _declare(c: Emitter, node: nodes.Node, text: str, value: ast.expr, at: At) -> None:
    binding = c.bindings.get(node)
    if binding is None:
        c.out.append(ast.Expr(value, **at))
    elif node in binding.redeclared:
        c.out.append(c.redeclared(text, at))
    else:
        c.declare(binding, value, at)
        if binding in c.owned:
            c.own(binding, False, at)


def _destructure_dict(c: Emitter, pattern: nodes.DictPattern, value: ast.expr, at: At) -> None:
    source = c.hold(c.call("dict_for_pattern", [value], at), at)
    for entry in pattern.entries:
        getter = ast.Attribute(source, "get", LOAD, **at)
        item = ast.Call(getter, [constant(entry.key.text, at)], [], **at)
        _declare(c, entry.name, entry.name.text, _defaulted(c, item, entry.default, at), at)
    if pattern.rest is not None:
        taken = ast.Tuple([constant(entry.key.text, at) for entry in pattern.entries], LOAD, **at)
        _declare(c, pattern.rest, pattern.rest.text, c.call("rest_of_dict", [source, taken], at), at)


def _destructure_list(c: Emitter, pattern: nodes.ListPattern, value: ast.expr, at: At) -> None:
    source = c.hold(c.call("list_for_pattern", [value], at), at)
    for number, item in enumerate(pattern.items):
        read = c.call("item_or_nil", [source, constant(number, at)], at)
        _declare(c, item.name, item.name.text, _defaulted(c, read, item.default, at), at)
    if pattern.rest is not None:
        tail = ast.Slice(constant(len(pattern.items), at), None, None, **at)
        _declare(c, pattern.rest, pattern.rest.text, ast.Subscript(source, tail, LOAD, **at), at)


def _defaulted(c: Emitter, item: ast.expr, default: nodes.Expr | None, at: At) -> ast.expr:
    if default is None:
        return item
    temp = c.temp()
    place = ast.Name(temp, STORE, **at)
    c.out.append(ast.Assign([place], item, **at))
    with c.writing([]) as body:
        value = c.expr(default)
        body.append(ast.Assign([place], value, **at))
    c.out.append(ast.If(compare(name(temp, at), IS, constant(None, at), at), body, [], **at))
    return name(temp, at)


def write_assign(c: Emitter, node: nodes.AssignStmt) -> None:
    """Write an assignment."""
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
    if node.op != "=":
        op = node.op[0]
        step = nodes.BinaryExpr(node.start, node.end, op, target, value, target.end)
        if op == "+" and variable_kind(c, binding) == "string" and not c.plain:
            _append_text(c, binding, value, at)
            return
        value = step
    elif _is_own_concatenation(c, value, target):
        _append_text(c, binding, value.right, at)  # type: ignore[attr-defined]
        return
    elif binding in c.owned and _is_own_push(c, value, target):
        _push_in_place(c, binding, value.args[0], at)  # type: ignore[attr-defined]
        return
    c.store(binding, c.expr(value), at)
    if binding in c.owned:
        c.own(binding, is_fresh(value), at)


def _assign_anyway(c: Emitter, node: nodes.AssignStmt, target: nodes.NameExpr, at: At) -> None:
    """Write an assignment that fails when it runs: to a name that may not change, or that is nowhere."""
    value = c.expr(node.value)
    c.out.append(ast.Expr(value, **at))
    binding = c.bindings.get(target)
    helper = "immutable" if binding is not None or target.name in c.imported else "unassignable"
    c.out.append(ast.Expr(c.call(helper, [constant(target.name, at)], at), **at))


def _is_own_concatenation(c: Emitter, value: nodes.Expr, target: nodes.NameExpr) -> bool:
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


def _append_text(c: Emitter, binding: object, value: nodes.Expr, at: At) -> None:
    """Write `s += x` so that Python can grow the text in place."""
    piece = c.hold(c.expr(value), at)
    own = c.read(binding, at)  # type: ignore[arg-type]
    grown = ast.BinOp(own, ast.Add(), piece, **at)
    if kind_of(c, value) == "string":
        c.store(binding, grown, at)  # type: ignore[arg-type]
    else:
        with c.writing([]) as fast:
            c.store(binding, grown, at)  # type: ignore[arg-type]
        with c.writing([]) as slow:
            c.store(binding, plain(c, "+", own, piece, at), at)  # type: ignore[arg-type]
        is_text = compare(ast.Attribute(piece, "__class__", LOAD, **at), IS, c.helper("str", at), at)
        c.out.append(ast.If(is_text, fast, slow, **at))
    length = ast.Call(c.helper("len", at), [own], [], **at)
    too_long = compare(length, ast.Gt(), c.helper("most", at), at)
    c.out.append(ast.If(too_long, [ast.Expr(c.call("too_large", [], at), **at)], [], **at))


def _is_own_push(c: Emitter, value: nodes.Expr, target: nodes.NameExpr) -> bool:
    return (
        isinstance(value, nodes.MethodCallExpr)
        and value.name.text == "push"
        and not value.optional
        and len(value.args) == 1
        and not isinstance(value.args[0], nodes.SpreadExpr)
        and isinstance(value.receiver, nodes.NameExpr)
        and c.bindings.get(value.receiver) is c.bindings.get(target)
        and "push" not in c.methods
    )


def _push_in_place(c: Emitter, binding: object, argument: nodes.Expr, at: At) -> None:
    item = c.hold(c.expr(argument), at)
    own = c.read(binding, at)  # type: ignore[arg-type]
    with c.writing([]) as fast:
        c.ensure_owned(binding, at)  # type: ignore[arg-type]
        fast.append(ast.Expr(ast.Call(ast.Attribute(own, "append", LOAD, **at), [item], [], **at), **at))
    with c.writing([]) as slow:
        c.store(binding, c.call("invoke", [own, constant("push", at), item], at), at)  # type: ignore[arg-type]
        c.own(binding, False, at)  # type: ignore[arg-type]
    test = compare(ast.Attribute(own, "__class__", LOAD, **at), IS, c.helper("list", at), at)
    c.out.append(ast.If(test, fast, slow, **at))


def _assign_place(c: Emitter, node: nodes.AssignStmt) -> None:
    """Write `d.a[i] = v`: read down to the innermost container, then write back up to the variable."""
    at = c.where(node)
    path: list[nodes.PropertyExpr | nodes.IndexExpr] = []
    root: nodes.Expr = node.target
    while isinstance(root, (nodes.PropertyExpr, nodes.IndexExpr)):
        path.append(root)
        root = root.receiver
    path.reverse()
    keys = [constant(step.name.text, at) if isinstance(step, nodes.PropertyExpr) else c.hold(c.expr(step.index), at) for step in path]
    value = c.hold(c.expr(node.value), at) if node.op == "=" else None
    containers = [c.base(root)]
    for step, key in zip(path[:-1], keys, strict=False):
        containers.append(c.hold(_read_step(c, step, containers[-1], key), at))
    last = path[-1]
    if value is None:
        current = c.hold(_read_step(c, last, containers[-1], keys[-1]), at)
        right = c.expr(node.value)
        op = node.op[0]
        value = c.hold(plain(c, op, current, right, at) if c.plain else combine(c, op, current, None, right, kind_of(c, node.value), at), at)
    for step, key, container in zip(reversed(path[1:]), reversed(keys[1:]), reversed(containers[1:]), strict=True):
        value = c.hold(c.call(_setter(step), [container, key, value], at), at)
    _store_root(c, root, path[0], keys[0], value, at)


def _read_step(c: Emitter, step: nodes.Node, container: ast.expr, key: ast.expr) -> ast.expr:
    at = c.where(step)
    return c.call("get_property" if isinstance(step, nodes.PropertyExpr) else "get_index", [container, key], at)


def _setter(step: nodes.Node) -> str:
    return "set_property" if isinstance(step, nodes.PropertyExpr) else "set_index"


def _store_root(c: Emitter, root: nodes.Expr, step: nodes.Node, key: ast.expr, value: ast.expr, at: At) -> None:
    binding = c.bindings.get(root) if isinstance(root, nodes.NameExpr) else None
    if not isinstance(root, nodes.NameExpr):
        c.out.append(ast.Expr(c.call(_setter(step), [c.base(root), key, value], at), **at))
        return
    if binding is None or not binding.mutable:
        helper = "immutable" if binding is not None else "unassignable"
        c.out.append(ast.Expr(c.call(helper, [constant(root.name, at)], at), **at))
        return
    own = c.read(binding, at)
    if binding not in c.owned:
        c.store(binding, c.call(_setter(step), [own, key, value], at), at)
        return
    c.ensure_owned(binding, at)
    in_place = c.call(_setter(step) + "_in_place", [own, key, value], at)
    if isinstance(step, nodes.PropertyExpr) or c.plain:
        c.out.append(ast.Expr(in_place, **at))
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
    """Store into a list or dict directly where the guard holds; the kinds are those of the container and the key."""
    own, key, value = parts
    kind, key_kind = kinds
    place = ast.Assign([ast.Subscript(own, key, STORE, **at)], value, **at)

    def has_class(item: ast.expr, helper: str) -> ast.expr:
        return compare(ast.Attribute(item, "__class__", LOAD, **at), IS, c.helper(helper, at), at)

    length = ast.Call(c.helper("len", at), [own], [], **at)
    in_range = ast.Compare(constant(-1, at), [ast.Lt(), ast.Lt()], [key, length], **at)
    slow: list[ast.stmt] = [ast.Expr(in_place, **at)]
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
            slow = [ast.If(tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests, **at), [place], slow, **at)]
    c.out.extend(slow)


def write_expression(c: Emitter, node: nodes.ExprStmt) -> None:
    """Write an expression whose value nobody reads."""
    write_into(c, node.value, None)


def write_while(c: Emitter, node: nodes.WhileStmt) -> None:
    """Write a while loop."""
    at = c.where(node)
    with c.writing([]) as before:
        test = c.condition(node.condition)
    with c.inside_loop(), c.writing([]) as body:
        body.extend(c.poll(at))
        fill(c, node.body, None)
    if before:
        stop = ast.If(ast.UnaryOp(NOT, test, **at), [ast.Break(**at)], [], **at)
        body[:0] = [*before, stop]
        test = constant(True, at)
    c.out.append(ast.While(test, body, [], **at))


def write_for(c: Emitter, node: nodes.ForStmt) -> None:
    """Write a for loop; over a range of ints directly, else over whatever can be walked."""
    at = c.where(node)
    iterable = _iterable(c, node)
    pattern = node.pattern
    item = c.temp()
    with c.inside_loop(), c.writing([]) as body:
        c.open_scope(node.body)
        binding = c.bindings.get(pattern) if isinstance(pattern, nodes.NamePattern) else None
        if binding is not None and c.storage(binding) == "local" and binding not in c.owned:
            target: ast.expr = c.target(binding, at)
        else:
            target = ast.Name(item, STORE, **at)
            destructure(c, pattern, name(item, at), at)
        body.extend(c.poll(at))
        for statement in node.body.statements:
            c.stmt(statement)
    c.out.append(ast.For(target, iterable, body, [], **at))


def _iterable(c: Emitter, node: nodes.ForStmt) -> ast.expr:
    source = node.iterable
    at = c.where(source)
    if isinstance(source, nodes.RangeExpr):
        low, high = c.ordered((source.low, source.high), c.expr)
        return c.call("ints", [low, high, constant(source.exclusive, at)], at)
    value = c.expr(source)
    if kind_of(c, source) == "list":
        return value
    return c.call("iterate", [value], at)


def write_leave_loop(c: Emitter, node: nodes.BreakStmt | nodes.ContinueStmt) -> None:
    """Write break or continue."""
    c.out.extend(c.leave_loop("break" if isinstance(node, nodes.BreakStmt) else "continue", c.where(node)))


def write_return(c: Emitter, node: nodes.ReturnStmt) -> None:
    """Write return."""
    if node.value is None:
        at = c.where(node)
        c.out.append(c.leave(constant(None, at), at))
    else:
        write_into(c, node.value, RETURN)


def write_throw(c: Emitter, node: nodes.ThrowStmt) -> None:
    """Write throw."""
    at = c.where(node)
    c.out.append(ast.Raise(c.call("thrown", [c.expr(node.value)], at), None, **at))


def write_yield(c: Emitter, node: nodes.YieldStmt) -> None:
    """Write yield or emit."""
    at = c.where(node)
    value = constant(None, at) if node.value is None else c.expr(node.value)
    if c.body.deadlines:
        value = c.hold(value, at)
    for word in ("suspend", "resume"):
        blocks = reversed(c.body.deadlines) if word == "suspend" else c.body.deadlines
        calls = [ast.Call(ast.Attribute(name(block, at), word, LOAD, **at), [], [], **at) for block in blocks]
        c.out.extend(ast.Expr(call, **at) for call in calls)
        if word == "suspend":
            c.out.append(ast.Expr(ast.Yield(value, **at), **at))


def write_guard(c: Emitter, node: nodes.GuardStmt) -> None:
    """Write guard."""
    at = c.where(node)
    test = ast.UnaryOp(NOT, c.condition(node.condition), **at)
    c.out.append(ast.If(test, write_block(c, node.body, None), [], **at))


def write_require(c: Emitter, node: nodes.RequireStmt) -> None:
    """Write require."""
    at = c.where(node)
    test = ast.UnaryOp(NOT, c.condition(node.condition), **at)
    with c.writing([]) as body:
        message = constant("require condition failed", at) if node.message is None else c.expr(node.message)
        c.out.append(ast.Raise(c.call("thrown", [message], at), None, **at))
    c.out.append(ast.If(test, body, [], **at))


def write_mutex(c: Emitter, node: nodes.MutexStmt) -> None:
    """Write a mutex block."""
    at = c.where(node)
    c.body.unsafe += 1
    body = write_block(c, node.body, None)
    c.body.unsafe -= 1
    guard = c.call("mutex", [name("_run", at)], at)
    c.out.append(ast.With([ast.withitem(guard, None)], body, **at))


def write_select(c: Emitter, node: nodes.SelectStmt) -> None:
    """Write select: wait for a channel, then run its arm."""
    at = c.where(node)
    parts = [case.channel for case in node.cases] + ([node.timeout] if node.timeout is not None else [])
    values = c.ordered(parts, c.expr)
    timeout = values.pop() if node.timeout is not None else constant(None, at)
    has_default = constant(node.default_body is not None, at)
    chosen = c.hold(c.call("select", [name("_run", at), ast.List(values, LOAD, **at), timeout, has_default], at), at)
    index = ast.Subscript(chosen, constant(0, at), LOAD, **at)
    out = c.out
    for number, case in enumerate(node.cases):
        with c.writing([]) as body:
            c.open_scope(case.body)
            _declare(c, case.name, case.name.text, ast.Subscript(chosen, constant(1, at), LOAD, **at), at)
            for statement in case.body.statements:
                c.stmt(statement)
        branch = ast.If(compare(index, ast.Eq(), constant(number, at), at), body or [ast.Pass(**at)], [], **at)
        out.append(branch)
        out = branch.orelse
    other = node.timeout_body or node.default_body
    if other is not None:
        out.extend(write_block(c, other, None))


def write_nothing(_c: Emitter, _node: nodes.Stmt) -> None:
    """Pass by a declaration that was written when its block was opened, or that runs nothing."""


STATEMENTS: dict[type, Callable[..., None]] = {
    nodes.LetStmt: write_let,
    nodes.AssignStmt: write_assign,
    nodes.ExprStmt: write_expression,
    nodes.WhileStmt: write_while,
    nodes.ForStmt: write_for,
    nodes.BreakStmt: write_leave_loop,
    nodes.ContinueStmt: write_leave_loop,
    nodes.ReturnStmt: write_return,
    nodes.ThrowStmt: write_throw,
    nodes.YieldStmt: write_yield,
    nodes.EmitStmt: write_yield,
    nodes.GuardStmt: write_guard,
    nodes.RequireStmt: write_require,
    nodes.MutexStmt: write_mutex,
    nodes.SelectStmt: write_select,
    nodes.OverrideDecl: write_nothing,
    nodes.PipelineDecl: write_nothing,
    nodes.ImportDecl: write_nothing,
    nodes.InterfaceDecl: write_nothing,
    nodes.TypeDecl: write_nothing,
    nodes.StructDecl: write_nothing,
    nodes.EnumDecl: write_nothing,
    nodes.ImplDecl: write_nothing,
    nodes.FnDecl: write_nothing,
}
