"""Check statements: bindings, assignments, loops, returns, and statements that end a block."""

from __future__ import annotations

from harnlite.analysis.checking.access import root_of
from harnlite.analysis.checking.assigned_names import may_change
from harnlite.analysis.checking.checker import Loop
from harnlite.analysis.checking.functions import check_deferred
from harnlite.analysis.checking.literals import item_type
from harnlite.analysis.checking.narrowing import variable
from harnlite.analysis.checking.operators import arithmetic
from harnlite.analysis.types.annotations import expand, resolve
from harnlite.analysis.types.assignability import fits, shape_faults, without_nil
from harnlite.analysis.types.conversions import suggested_conversion
from harnlite.analysis.types.environment import Binding, Scope
from harnlite.analysis.types.hoisting import pattern_names
from harnlite.analysis.types.representation import (
    DICT,
    FIXED,
    LOOSE,
    NEVER,
    NIL,
    Applied,
    Base,
    Function,
    Nominal,
    Shape,
    Type,
    Union,
    join,
    settled,
    text,
)
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.analysis.checking.checker import Checker
    from harnlite.diagnostics.diagnostic import Label

_ENDING = frozenset(
    {
        nodes.CallExpr,
        nodes.PipeExpr,
        nodes.IfExpr,
        nodes.MatchExpr,
        nodes.TryExpr,
        nodes.RetryExpr,
        nodes.DeadlineExpr,
    }
)


def _expression(c: Checker, node: nodes.ExprStmt) -> Type | None:
    kind = c.infer(node.value)
    return None if kind is NEVER and node.value.__class__ not in _ENDING else kind


def _let(c: Checker, node: nodes.LetStmt) -> Type:
    pattern = node.pattern
    if not isinstance(pattern, nodes.NamePattern):
        kind = c.infer(node.value)
        bind_pattern(c, pattern, settled(kind), "let" if node.kind != "var" else "var")
        return NIL
    name = pattern.name
    value = node.value
    if isinstance(value, nodes.ClosureExpr) or c.lookup(name) is None:
        c.scope.names.setdefault(name, Binding(name, "later"))
    kind = c.infer(value)
    mutable = node.kind == "var" or (node.kind == "let" and c.let_mutable)
    binding = Binding(name, node.kind, None, pattern.start, pattern.end)
    binding.mutable = mutable
    if node.type is None:
        binding.nilable = mutable and kind is NIL
        binding.type = None if binding.nilable else _kept(c, name, kind) if mutable else settled(kind)
    else:
        binding.type = resolve(node.type, c.scope)
        binding.annotated = True
        _check_declared(c, node, node.type, binding, kind)
    if name == "_":
        c.scope.names.pop("_", None)
        return NIL
    earlier = c.scope.names.get(name)
    if earlier is not None and earlier.mutable:
        binding.mutable = True
    c.scope.names[name] = binding
    return NIL


def _check_declared(
    c: Checker, node: nodes.LetStmt, written: nodes.TypeExpr, binding: Binding, kind: Type | None
) -> None:
    declared = binding.type
    if fits(declared, kind):
        return
    label = c.label(written.start, written.end, f"declared as {text(declared)} here")
    detail = shape_detail(declared, kind)
    message = f"'{binding.name}' declared as {text(declared)}, but assigned {text(kind)}{detail}"
    c.error(message, node.value.start, node.value.end, [label], suggested_conversion(declared, kind))


def shape_detail(declared: Type | None, kind: Type | None) -> str:
    """Return in parentheses why a shape does not fit; an empty string if the types are not shapes."""
    wanted, given = expand(declared), expand(kind)
    if isinstance(wanted, Shape) and isinstance(given, Shape):
        faults = shape_faults(wanted, given)
        return f" ({'; '.join(faults)})" if faults else ""
    return ""


def _kept(c: Checker, name: str, kind: Type | None, within: nodes.Node | None = None) -> Type | None:
    """Return the type that a variable without annotation keeps; assignments may change the contents of a container."""
    if not isinstance(kind, (Applied, Shape, Nominal)):
        return kind
    return settled(kind, LOOSE if may_change(c, name, within) else FIXED)


def bind_pattern(
    c: Checker, pattern: nodes.Pattern, kind: Type | None, how: str, within: nodes.Node | None = None
) -> None:
    """Bind the names of a pattern, with their types where these are certain; the names exist in the node `within`."""
    if isinstance(pattern, nodes.NamePattern):
        _bind(c, nodes.Ident(pattern.start, pattern.end, pattern.name), kind, how, within)
        return
    if isinstance(pattern, nodes.DictPattern):
        shape = expand(kind)
        for entry in pattern.entries:
            if entry.default is not None:
                c.infer(entry.default)
            found = _entry_type(shape, entry) if isinstance(shape, Shape) else None
            _bind(c, entry.name, found, how, within)
        if pattern.rest is not None:
            _bind(c, pattern.rest, DICT, how, within)
        return
    if isinstance(pattern, nodes.ListPattern):
        for item in pattern.items:
            if item.default is not None:
                c.infer(item.default)
    for ident in pattern_names(pattern):
        _bind(c, ident, None, how, within)


def _entry_type(shape: Shape, entry: nodes.DictPatternEntry) -> Type | None:
    field = shape.fields.get(entry.key.text)
    if field is None or field.optional or entry.default is not None or shape.trust == LOOSE:
        return None
    return None if field.type is NIL else field.type


def _bind(c: Checker, ident: nodes.Ident, kind: Type | None, how: str, within: nodes.Node | None) -> None:
    if ident.text != "_":
        mutable = how in ("var", "loop") or (how == "let" and c.let_mutable)
        known = _kept(c, ident.text, kind, within) if mutable else kind
        binding = Binding(ident.text, how, known, ident.start, ident.end)
        binding.mutable = mutable
        c.scope.names[ident.text] = binding


def _assign(c: Checker, node: nodes.AssignStmt) -> Type:
    target = node.target
    if isinstance(target, nodes.NameExpr):
        _assign_name(c, node, target)
        return NIL
    held = c.infer(target)
    kind = c.infer(node.value)
    if node.op != "=":
        arithmetic(c, node.op[:-1], held, kind, (target, node.value))
    root = root_of(target)
    binding = c.lookup(root.name) if root is not None else None
    if binding is not None and root is not None:
        _warn_immutable(c, binding, root)
        c.forget(binding)
        found = variable(c, target)
        if found is not None and node.op == "=":
            _assume_given(c, *found, kind)
    return NIL


def _warn_immutable(c: Checker, binding: Binding, name: nodes.NameExpr) -> None:
    if binding.kind in ("let", "const") and not binding.mutable:
        message = f"Cannot assign to '{binding.name}': variable is immutable (declared with '{binding.kind}')"
        label = c.label(binding.start, binding.end, "declared here")
        c.warning(message, name.start, name.end, [label], [f"declare it with `var {binding.name} = …`"])


def _assign_name(c: Checker, node: nodes.AssignStmt, target: nodes.NameExpr) -> None:
    binding = c.lookup(target.name)
    kind = c.infer(node.value)
    if binding is None:
        return
    if node.op != "=":
        held, reported = c.fact(binding), len(c.found)
        kind = arithmetic(c, node.op[:-1], held, kind, (target, node.value))
        kind = kind if len(c.found) == reported else held
    _warn_immutable(c, binding, target)
    c.forget(binding)
    if binding.kind == "loop":
        binding.type = None
    elif binding.kind not in ("let", "const", "var") or not binding.mutable:
        return
    elif binding.annotated:
        _check_annotated(c, node, binding, kind)
    else:
        _check_inferred(c, node, binding, kind)


def _check_annotated(c: Checker, node: nodes.AssignStmt, binding: Binding, kind: Type | None) -> None:
    declared = binding.type
    if not fits(declared, kind):
        _mismatch(c, node, binding, declared, kind)
    else:
        _assume_given(c, binding, declared, kind)


def _assume_given(c: Checker, place: Binding, declared: Type | None, kind: Type | None) -> None:
    """Record that a place that may be nil is not nil after the assignment of another value."""
    if kind is None or not isinstance(expand(declared), Union) or without_nil(kind) is not kind:
        return
    rest = without_nil(declared)
    if rest is not None and rest is not declared and fits(rest, kind):
        c.assume({place: rest})


def _mismatch(c: Checker, node: nodes.AssignStmt, binding: Binding, declared: Type | None, kind: Type | None) -> None:
    message = f"can't assign {text(kind)} to '{binding.name}' (declared as {text(declared)})"
    c.error(
        message, node.value.start, node.value.end, _origin(c, binding, declared), suggested_conversion(declared, kind)
    )


def _origin(c: Checker, binding: Binding, declared: Type | None) -> list[Label]:
    words = "declared" if binding.annotated else "first used"
    return [c.label(binding.start, binding.end, f"{words} as {text(declared)} here")]


def _check_inferred(c: Checker, node: nodes.AssignStmt, binding: Binding, kind: Type | None) -> None:
    """Check an assignment to a variable without annotation: it keeps its first type, but contents may change."""
    if binding.nilable:
        _widen(c, node, binding, kind)
        return
    known = binding.type
    if known is None:
        return
    given = without_nil(kind)
    if given is None or given is NEVER or given is not kind:
        if given is not None and given is not NEVER and not fits(known, given):
            _mismatch(c, node, binding, known, kind)
        binding.type = None
    elif not fits(known, given):
        if _exchangeable(known, given):
            binding.type = None
        else:
            _mismatch(c, node, binding, known, kind)


def _exchangeable(known: Type, given: Type) -> bool:
    one, other = _family(known), _family(given)
    return one is not None and one == other


def _family(kind: Type) -> str | None:
    """Return the group of types whose values may replace each other in a variable without annotation."""
    inner = expand(kind)
    if isinstance(inner, Shape):
        return "dict"
    if isinstance(inner, Applied):
        return inner.name
    if isinstance(inner, Nominal):
        return f"type {inner.info.name}"
    if isinstance(inner, Function):
        return "closure"
    return "number" if isinstance(inner, Base) and inner.name in ("int", "float") else None


def _widen(c: Checker, node: nodes.AssignStmt, binding: Binding, kind: Type | None) -> None:
    """Widen the type of `var x = nil` to the type of the first other value, or nil."""
    given = without_nil(kind)
    if given is None:
        binding.nilable = False
        return
    if given is NEVER:
        return
    if binding.widened is None:
        binding.widened = settled(given, LOOSE)
    elif not fits(binding.widened, given) and not _exchangeable(binding.widened, given):
        _mismatch(c, node, binding, join((binding.widened, NIL)), kind)


def _while(c: Checker, node: nodes.WhileStmt) -> Type:
    forget_assigned(c, node)
    holds, fails = c.condition(node.condition)
    before = c.facts
    c.assume(holds)
    broken = _loop_body(c, node.body, Scope(c.scope))
    c.facts = before
    if not broken:
        c.assume(fails)
    always = isinstance(node.condition, nodes.LiteralExpr) and node.condition.value is True
    return NEVER if always and not broken else NIL


def _loop_body(c: Checker, body: nodes.Block, scope: Scope) -> bool:
    loop = Loop()
    outer, c.loop = c.loop, loop
    c.block(body, scope)
    c.loop = outer
    return loop.broken


def forget_assigned(c: Checker, node: nodes.Node) -> None:
    """Drop the narrowed types of variables that a loop assigns, since the next iteration sees the new values."""
    if not c.facts:
        return
    names: set[str] = set()
    _collect_assigned(node, names)
    c.facts = {binding: kind for binding, kind in c.facts.items() if binding.name not in names}


def _collect_assigned(node: nodes.Node, names: set[str]) -> None:
    if isinstance(node, nodes.AssignStmt):
        root = root_of(node.target)
        if root is not None:
            names.add(root.name)
    for child in node.children():
        _collect_assigned(child, names)


def _for(c: Checker, node: nodes.ForStmt) -> Type:
    kind = expand(c.infer(node.iterable))
    forget_assigned(c, node)
    before = c.facts
    scope = Scope(c.scope)
    outer, c.scope = c.scope, scope
    bind_pattern(c, node.pattern, settled(item_type(kind)), "loop", node)
    c.scope = outer
    _loop_body(c, node.body, Scope(scope))
    c.facts = before
    return NIL


def _return(c: Checker, node: nodes.ReturnStmt) -> Type:
    kind = c.infer(node.value) if node.value is not None else NIL
    function = c.function
    if function.result is not None and not fits(function.result, kind):
        labels = []
        if function.result_node is not None:
            place = function.result_node
            labels = [c.label(place.start, place.end, f"declared to return {text(function.result)} here")]
        where = node.value or node
        message = f"return type doesn't match: expected {text(function.result)}, got {text(kind)}"
        c.error(
            message,
            where.start,
            where.end,
            labels,
            suggested_conversion(function.result, kind) if node.value is not None else (),
        )
    return NEVER


def _throw(c: Checker, node: nodes.ThrowStmt) -> Type:
    c.infer(node.value)
    return NEVER


def _guard(c: Checker, node: nodes.GuardStmt) -> Type:
    holds, fails = c.condition(node.condition)
    before = c.facts
    c.assume(fails)
    left = c.block(node.body)
    c.facts = before
    if left is NEVER:
        c.assume(holds)
    return NIL


def _require(c: Checker, node: nodes.RequireStmt) -> Type:
    holds, _ = c.condition(node.condition)
    if node.message is not None:
        c.infer(node.message)
    c.assume(holds)
    return NIL


def _defer(c: Checker, node: nodes.DeferStmt) -> Type:
    check_deferred(c, node.body)
    return NIL


def _mutex(c: Checker, node: nodes.MutexStmt) -> Type:
    return NEVER if c.block(node.body) is NEVER else NIL


def _select(c: Checker, node: nodes.SelectStmt) -> Type:
    before = c.facts
    ends: list[Type | None] = []
    for case in node.cases:
        c.facts = before
        c.infer(case.channel)
        scope = Scope(c.scope)
        if case.name.text != "_":
            scope.names[case.name.text] = Binding(case.name.text, "select", None, case.name.start, case.name.end)
        ends.append(c.block(case.body, scope))
    if node.timeout is not None:
        c.infer(node.timeout)
    for body in (node.timeout_body, node.default_body):
        if body is not None:
            c.facts = before
            ends.append(c.block(body))
    c.facts = {binding: kind for binding, kind in before.items() if not binding.mutable}
    return NEVER if all(end is NEVER for end in ends) else NIL


STATEMENTS: dict[type, Callable[..., Type | None]] = {
    nodes.ExprStmt: _expression,
    nodes.LetStmt: _let,
    nodes.AssignStmt: _assign,
    nodes.WhileStmt: _while,
    nodes.ForStmt: _for,
    nodes.ReturnStmt: _return,
    nodes.ThrowStmt: _throw,
    nodes.GuardStmt: _guard,
    nodes.RequireStmt: _require,
    nodes.DeferStmt: _defer,
    nodes.MutexStmt: _mutex,
    nodes.SelectStmt: _select,
}
