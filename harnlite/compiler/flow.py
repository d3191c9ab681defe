"""Constructs that are statements in Python but have a value in the language: if, match, try, retry, deadline.

Each is compiled with a sink for its value: `None` drops the value, RETURN returns it, and a name is assigned to.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.arithmetic import Sides
from harnlite.compiler.attempts import write_test
from harnlite.compiler.exits import inside_retry, leave_loop, poll
from harnlite.compiler.inference import kind_of
from harnlite.compiler.operators import combine
from harnlite.compiler.python_shapes import (
    AND,
    IS,
    LOAD,
    NOT,
    Constant,
    Name,
    assign,
    attribute,
    boolean,
    choose,
    class_of,
    compare,
    constant,
    effect,
    fields_of,
    if_else,
    invoke,
    name,
    place,
    put,
    returning,
    subscript,
    unary,
)
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At

STORE = ast.Store()
RETURN = "return"
Sink = str | None

NO_VALUE = (nodes.LetStmt, nodes.AssignStmt, nodes.WhileStmt, nodes.ForStmt)
LEAVING = (nodes.ReturnStmt, nodes.ThrowStmt, nodes.BreakStmt, nodes.ContinueStmt)


def deliver(c: Emitter, value: ast.expr, sink: Sink, at: At) -> None:
    """Emit the delivery of a value to the sink."""
    if sink is None:
        if value.__class__ not in {Constant, Name} or (value.__class__ is Name and value.id[0] == "v"):
            c.out.append(effect(value, at))
    elif sink == RETURN:
        c.out.append(returning(value, at))
    else:
        c.out.append(assign(sink, value, at))


def write_block(c: Emitter, block: nodes.Block, sink: Sink) -> list[ast.stmt]:
    """Compile the statements of a block to a new list; the value of the block goes to the sink."""
    with c.writing([]) as out:
        fill(c, block, sink)
    if not out:
        out.append(ast.Pass(**fields_of(c.where(block))))
    return out


def fill(c: Emitter, block: nodes.Block, sink: Sink, *, is_open: bool = False) -> None:
    """Compile a block to the current list; `is_open` means that its scope is already open, with names bound in it."""
    if not is_open:
        c.open_scope(block)
    statements = block.statements
    if sink is None:
        for statement in statements:
            c.stmt(statement)
        return
    if not statements:
        deliver_nil(c, block, sink)
        return
    for statement in statements[:-1]:
        c.stmt(statement)
    last = statements[-1]
    if isinstance(last, nodes.ExprStmt):
        write_into(c, last.value, sink)
        return
    c.stmt(last)
    if not isinstance(last, LEAVING):
        deliver_nil(c, block, sink)


def deliver_nil(c: Emitter, block: nodes.Block, sink: Sink) -> None:
    """Emit nil as the value of a block that does not end with an expression."""
    at = c.where(block)
    deliver(c, constant(None, at), sink, at)


def write_into(c: Emitter, node: nodes.Expr, sink: Sink) -> None:
    """Compile an expression so that its value goes to the sink."""
    writer = WRITERS.get(type(node))
    if writer is not None:
        writer(c, node, sink)
    elif sink == RETURN:
        c.write_return(node, c.where(node))
    else:
        deliver(c, c.expr(node), sink, c.where(node))


def as_value(c: Emitter, node: nodes.Expr) -> ast.expr:
    """Compile one of these constructs as an operand."""
    at = c.where(node)
    if isinstance(node, nodes.IfExpr):
        simple = _simple_if(c, node, at)
        if simple is not None:
            return simple
    temp = c.temp()
    write_into(c, node, temp)
    return name(temp, at)


LEAVES = frozenset({nodes.LiteralExpr, nodes.NameExpr, nodes.Ident})
PLAIN = frozenset({nodes.BinaryExpr, nodes.UnaryExpr, nodes.TemplateExpr, nodes.PropertyExpr})


def is_plain(node: nodes.Node) -> bool:
    """Return whether it is certain that an expression needs no statements."""
    label = node.__class__
    return label in LEAVES or (label in PLAIN and all(map(is_plain, node.children())))


def _plain_value(block: nodes.Block | nodes.IfExpr | None) -> nodes.Expr | None:
    if (
        isinstance(block, nodes.Block)
        and len(block.statements) == 1
        and isinstance(block.statements[0], nodes.ExprStmt)
    ):
        value = block.statements[0].value
        return value if is_plain(value) else None
    return None


def _simple_if(c: Emitter, node: nodes.IfExpr, at: At) -> ast.expr | None:
    """Compile an if whose branches are plain expressions to a conditional expression."""
    then, otherwise = _plain_value(node.then), _plain_value(node.otherwise)
    if then is None or otherwise is None:
        return None
    test = c.condition(node.condition)
    return choose(test, c.expr(then), c.expr(otherwise), at)


def write_if(c: Emitter, node: nodes.IfExpr, sink: Sink) -> None:
    """Compile an if."""
    at = c.where(node)
    test = write_test(c, node.condition)
    then = write_block(c, node.then, sink)
    otherwise: list[ast.stmt] = []
    if isinstance(node.otherwise, nodes.Block):
        otherwise = write_block(c, node.otherwise, sink)
    elif isinstance(node.otherwise, nodes.IfExpr):
        with c.writing(otherwise):
            write_if(c, node.otherwise, sink)
    elif sink is not None:
        with c.writing(otherwise):
            deliver(c, constant(None, at), sink, at)
    c.out.append(if_else(test, then, otherwise, at))


def write_match(c: Emitter, node: nodes.MatchExpr, sink: Sink) -> None:
    """Compile a match to tests in order; the guard of an arm is evaluated after the names of the arm are bound."""
    at = c.where(node)
    subject = c.hold(c.expr(node.subject), at)
    _arms(c, node.arms, subject, sink, at)


def _arms(c: Emitter, arms: list[nodes.MatchArm], subject: ast.expr, sink: Sink, at: At) -> None:
    """Compile arms to a chain of ifs; with guards, use a flag that is true until an arm matches."""
    if any(arm.guard is not None for arm in arms):
        _flagged_arms(c, arms, subject, sink, at)
        return
    out = c.out
    for arm in arms:
        arm_at = c.where(arm)
        with c.writing(out):
            test = pattern_test(c, arm.pattern, subject, arm_at)
        with c.writing([]) as body:
            c.open_scope(arm.body)
            bind_pattern(c, arm.pattern, subject, arm_at)
            fill(c, arm.body, sink, is_open=True)
        if test is None:
            out.extend(body)
            return
        branch = if_else(test, body or [ast.Pass(**fields_of(arm_at))], [], arm_at)
        out.append(branch)
        out = branch.orelse
    out.append(_no_arm(c, at))


def _no_arm(c: Emitter, at: At) -> ast.stmt:
    return ast.Raise(c.call("no_arm", [], at), None, **fields_of(at))


def _flagged_arms(c: Emitter, arms: list[nodes.MatchArm], subject: ast.expr, sink: Sink, at: At) -> None:
    open_flag = c.temp()
    c.out.append(assign(open_flag, constant(value=True, at=at), at))
    for number, arm in enumerate(arms):
        arm_at = c.where(arm)
        with c.writing([]) as tests:
            test = pattern_test(c, arm.pattern, subject, arm_at)
        with c.writing([]) as body:
            c.open_scope(arm.body)
            bind_pattern(c, arm.pattern, subject, arm_at)
            guarded: list[ast.stmt] = []
            with c.writing(guarded):
                guarded.append(assign(open_flag, constant(value=False, at=at), at))
                fill(c, arm.body, sink, is_open=True)
            if arm.guard is None:
                c.out.extend(guarded)
            else:
                c.out.append(if_else(c.condition(arm.guard), guarded, [], arm_at))
        if test is not None:
            body = [*tests, if_else(test, body, [], arm_at)]
        if number:
            body = [if_else(name(open_flag, at), body, [], arm_at)]
        c.out.extend(body)
    c.out.append(if_else(name(open_flag, at), [_no_arm(c, at)], [], at))


def pattern_test(c: Emitter, pattern: nodes.MatchPattern, subject: ast.expr, at: At) -> ast.expr | None:
    """Return a test whether a value matches a pattern, or None if it always matches."""
    return PATTERN_TESTS[type(pattern)](c, pattern, subject, at)


def _always(_c: Emitter, _pattern: nodes.MatchPattern, _subject: ast.expr, _at: At) -> ast.expr | None:
    return None


def _value_test(c: Emitter, pattern: nodes.ValuePattern, subject: ast.expr, at: At) -> ast.expr | None:
    value = c.expr(pattern.value)
    return combine(c, "==", Sides(subject, None, value, kind_of(c, pattern.value), at))


def _or_test(c: Emitter, pattern: nodes.OrPattern, subject: ast.expr, at: At) -> ast.expr | None:
    tests = [pattern_test(c, alternative, subject, at) for alternative in pattern.alternatives]
    known = [test for test in tests if test is not None]
    return None if len(known) < len(tests) else boolean(ast.Or(), known, at)


def _all_of(tests: list[ast.expr], at: At) -> ast.expr:
    return tests[0] if len(tests) == 1 else boolean(AND, tests, at)


def _dict_test(c: Emitter, pattern: nodes.DictMatchPattern, subject: ast.expr, at: At) -> ast.expr | None:
    tests: list[ast.expr] = [compare(class_of(subject, at), IS, c.helper("dict", at), at)]
    for entry in pattern.entries:
        item = invoke(attribute(subject, "get", at), [constant(entry.key.text, at)], at)
        test = _item_test(c, entry.pattern, item, at)
        if test is not None:
            tests.append(test)
    return _all_of(tests, at)


def _list_test(c: Emitter, pattern: nodes.ListMatchPattern, subject: ast.expr, at: At) -> ast.expr | None:
    length = invoke(c.helper("len", at), [subject], at)
    tests: list[ast.expr] = [
        compare(class_of(subject, at), IS, c.helper("list", at), at),
        compare(length, ast.GtE(), constant(len(pattern.items), at), at),
    ]
    tests.extend(_item_tests(c, pattern.items, subject, at))
    return _all_of(tests, at)


def _item_tests(c: Emitter, items: list[nodes.MatchPattern], container: ast.expr, at: At) -> list[ast.expr]:
    found: list[ast.expr] = []
    for number, item in enumerate(items):
        test = _item_test(c, item, subscript(container, constant(number, at), LOAD, at), at)
        if test is not None:
            found.append(test)
    return found


def _item_test(c: Emitter, pattern: nodes.MatchPattern, item: ast.expr, at: At) -> ast.expr | None:
    if isinstance(pattern, nodes.ValuePattern):
        return c.call("equal", [item, c.expr(pattern.value)], at)
    return pattern_test(c, pattern, item, at)


def _variant_test(c: Emitter, pattern: nodes.VariantPattern, subject: ast.expr, at: At) -> ast.expr | None:
    binding = c.bindings.get(pattern.enum)
    if binding is not None and binding.kind not in {"enum", "import"}:
        receiver = nodes.NameExpr(pattern.enum.start, pattern.enum.end, pattern.enum.text)
        c.bindings[receiver] = binding
        value = nodes.PropertyExpr(pattern.start, pattern.end, receiver, pattern.variant)
        return c.call("equal", [subject, c.expr(value)], at)
    texts = [constant(pattern.enum.text, at), constant(pattern.variant.text, at)]
    items = pattern.args or []
    tests: list[ast.expr] = [c.call("is_variant", [subject, *texts, constant(len(items), at)], at)]
    tests.extend(_item_tests(c, items, attribute(subject, "fields", at), at))
    return _all_of(tests, at)


PATTERN_TESTS: dict[type, Callable[..., ast.expr | None]] = {
    nodes.WildcardPattern: _always,
    nodes.BindPattern: _always,
    nodes.ValuePattern: _value_test,
    nodes.OrPattern: _or_test,
    nodes.DictMatchPattern: _dict_test,
    nodes.ListMatchPattern: _list_test,
    nodes.VariantPattern: _variant_test,
}


def bind_pattern(c: Emitter, pattern: nodes.MatchPattern, subject: ast.expr, at: At) -> None:
    """Bind the names of a pattern that has matched."""
    if isinstance(pattern, nodes.BindPattern):
        binding = c.bindings.get(pattern)
        if binding is not None:
            c.declare(binding, subject, at)
    elif isinstance(pattern, nodes.DictMatchPattern):
        for entry in pattern.entries:
            item = invoke(attribute(subject, "get", at), [constant(entry.key.text, at)], at)
            bind_pattern(c, entry.pattern, item, at)
    elif isinstance(pattern, nodes.ListMatchPattern):
        for number, inner in enumerate(pattern.items):
            bind_pattern(c, inner, subscript(subject, constant(number, at), LOAD, at), at)
    elif isinstance(pattern, nodes.VariantPattern):
        fields = attribute(subject, "fields", at)
        for number, inner in enumerate(pattern.args or ()):
            bind_pattern(c, inner, subscript(fields, constant(number, at), LOAD, at), at)


def write_try(c: Emitter, node: nodes.TryExpr, sink: Sink) -> None:
    """Compile try with catch and finally, or the form that returns a Result."""
    at = c.where(node)
    c.body.unsafe += 1
    if node.catch_body is None and node.finally_body is None:
        _write_result_try(c, node, sink, at)
        c.body.unsafe -= 1
        return
    inner = c.temp() if sink == RETURN else sink
    body = write_block(c, node.body, inner)
    pending = int(node.finally_body is not None)
    c.body.unsafe += pending - 1
    handlers = [_handler(c, node, inner, at)] if node.catch_body is not None else []
    final = write_block(c, node.finally_body, None) if node.finally_body is not None else []
    c.body.unsafe -= pending
    c.out.append(ast.Try(body, handlers, [], final, **fields_of(at)))
    if sink == RETURN and inner is not None:
        c.out.append(returning(name(inner, at), at))


def _handler(c: Emitter, node: nodes.TryExpr, sink: Sink, at: At) -> ast.ExceptHandler:
    caught = c.temp()
    assert node.catch_body is not None  # noqa: S101 - the caller has checked it
    at = c.where(node.catch_body)
    with c.writing([]) as body:
        if node.catch_type is not None:
            type_name = constant(getattr(node.catch_type, "name", ""), at)
            test = c.call("is_thrown_enum", [name(caught, at), type_name], at)
            again = ast.Raise(None, None, **fields_of(at))
            body.append(if_else(unary(NOT, test, at), [again], [], at))
        value = c.call("caught", [name(caught, at)], at)
        c.open_scope(node.catch_body)
        binding = c.bindings.get(node.catch_name) if node.catch_name is not None else None
        if binding is None:
            body.append(effect(value, at))
        else:
            c.declare(binding, value, at)
        c.out.append(assign(caught, constant(None, at), at))
        fill(c, node.catch_body, sink, is_open=True)
    return ast.ExceptHandler(c.helper("catchable", at), caught, body, **fields_of(at))


def _write_result_try(c: Emitter, node: nodes.TryExpr, sink: Sink, at: At) -> None:
    temp, caught = c.temp(), c.temp()
    body = write_block(c, node.body, temp)
    target = place(temp, at)
    body.append(put(target, c.call("as_result", [name(temp, at)], at), at))
    failed = c.call("err", [c.call("caught", [name(caught, at)], at)], at)
    handler = ast.ExceptHandler(c.helper("catchable", at), caught, [put(target, failed, at)], **fields_of(at))
    c.out.append(ast.Try(body, [handler], [], [], **fields_of(at)))
    deliver(c, name(temp, at), sink, at)


def write_retry(c: Emitter, node: nodes.RetryExpr, sink: Sink) -> None:
    """Compile retry; after the last attempt, its error is raised."""
    at = c.where(node)
    left, temp = c.temp(), c.temp()
    count = c.call("attempts", [c.expr(node.count)], at)
    c.out.append(assign(left, count, at))
    c.body.unsafe += 1
    with inside_retry(c) as escape:
        body = write_block(c, node.body, temp)
    c.body.unsafe -= 1
    body.append(ast.Break(**fields_of(at)))
    used = ast.AugAssign(place(left, at), ast.Sub(), constant(1, at), **fields_of(at))
    spent = compare(name(left, at), ast.LtE(), constant(0, at), at)
    again = [used, if_else(spent, [ast.Raise(None, None, **fields_of(at))], [], at)]
    attempt = ast.Try(
        body, [ast.ExceptHandler(c.helper("catchable", at), None, again, **fields_of(at))], [], [], **fields_of(at)
    )
    loop = ast.While(constant(value=True, at=at), [*poll(at), attempt], [], **fields_of(at))
    if escape:
        c.out.append(assign(escape[0], constant(None, at), at))
    c.out.append(loop)
    for flag in escape:
        for word in ("break", "continue"):
            test = compare(name(flag, at), ast.Eq(), constant(word, at), at)
            if None in c.body.loops:
                c.out.append(if_else(test, leave_loop(c, word, at), [], at))
    deliver(c, name(temp, at), sink, at)


def write_deadline(c: Emitter, node: nodes.DeadlineExpr, sink: Sink) -> None:
    """Compile a deadline block."""
    at = c.where(node)
    inner = c.temp() if sink == RETURN else sink
    guard = c.call("deadline", [name("_run", at), c.expr(node.duration)], at)
    block = c.temp()
    c.body.unsafe += 1
    c.body.deadlines.append(block)
    body = write_block(c, node.body, inner)
    c.body.deadlines.pop()
    c.body.unsafe -= 1
    c.out.append(ast.With([ast.withitem(guard, place(block, at))], body, **fields_of(at)))
    if sink == RETURN and inner is not None:
        c.out.append(returning(name(inner, at), at))


WRITERS: dict[type, Callable[..., None]] = {
    nodes.IfExpr: write_if,
    nodes.MatchExpr: write_match,
    nodes.TryExpr: write_try,
    nodes.RetryExpr: write_retry,
    nodes.DeadlineExpr: write_deadline,
}
