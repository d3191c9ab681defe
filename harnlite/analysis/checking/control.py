"""Check expressions with blocks or branches, such as if, match and try."""

from __future__ import annotations

from harnlite.analysis.checking.access import known_variant
from harnlite.analysis.checking.checker import NOTHING, merged
from harnlite.analysis.checking.exhaustiveness import check_exhaustive, literal_of
from harnlite.analysis.checking.functions import check_task
from harnlite.analysis.checking.narrowing import (
    kept,
    remaining,
    tag_is,
    tag_may_equal,
    type_name_facts,
    value_facts,
    variable,
)
from harnlite.analysis.checking.placement import check_try_star
from harnlite.analysis.types.annotations import RESULT, arguments, enum_variants, expand, resolve
from harnlite.analysis.types.environment import Binding, Scope
from harnlite.analysis.types.nominal import EnumInfo
from harnlite.analysis.types.representation import LIST, NEVER, Applied, Nominal, Type, join, substitute
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.analysis.checking.checker import Checker, Facts


def _if(c: Checker, node: nodes.IfExpr) -> Type | None:
    holds, fails = c.condition(node.condition)
    before = c.facts
    c.assume(holds)
    then = c.block(node.then)
    after_then, c.facts = c.facts, before
    c.assume(fails)
    value: Type | None = None
    if node.otherwise is not None:
        value = _if(c, node.otherwise) if isinstance(node.otherwise, nodes.IfExpr) else c.block(node.otherwise)
    c.facts = _met(then, after_then, value, c.facts)
    return join((then, value))


def _met(left: Type | None, left_facts: Facts, right: Type | None, right_facts: Facts) -> Facts:
    if left is NEVER:
        return right_facts
    return left_facts if right is NEVER else merged(left_facts, right_facts)


def _ternary(c: Checker, node: nodes.TernaryExpr) -> Type | None:
    holds, fails = c.condition(node.condition)
    before = c.facts
    c.assume(holds)
    then = c.infer(node.then)
    c.facts = before
    c.assume(fails)
    otherwise = c.infer(node.otherwise)
    c.facts = before
    return join((then, otherwise))


def _match(c: Checker, node: nodes.MatchExpr) -> Type | None:
    subject = node.subject
    kind = c.infer(subject)
    whole = check_exhaustive(c, node, kind)
    before = c.facts
    rest, values = _Rest(c, subject, kind), list[Type | None]()
    after: Facts | None = None
    for arm in node.arms:
        c.facts = before
        value = _arm(c, arm, rest)
        values.append(value)
        if value is not NEVER:
            after = c.facts if after is None else merged(after, c.facts)
    c.facts = after if after is not None and whole else before
    return join(values)


class _Rest:
    """The alternatives of the subject of a match that are left when an arm is reached."""

    __slots__ = ("fails", "found", "kind", "literals", "subject", "variants")

    def __init__(self, c: Checker, subject: nodes.Expr, kind: Type | None) -> None:
        self.subject = subject
        self.kind = kind
        self.found = variable(c, subject)
        self.literals: list[nodes.LiteralExpr] = []
        self.fails: Facts = NOTHING
        self.variants: set[str] = set()

    def left_over(self) -> Type | None:
        """Return the type of the subject in an arm that matches every value."""
        kind = remaining(self.kind, self.literals)
        expanded = expand(kind)
        if isinstance(expanded, Nominal) and isinstance(expanded.info, EnumInfo):
            return NEVER if self.variants >= set(enum_variants(expanded.info)) else kind
        return kind


def _arm(c: Checker, arm: nodes.MatchArm, rest: _Rest) -> Type | None:
    scope = Scope(c.scope)
    outer, c.scope = c.scope, scope
    _PATTERNS[arm.pattern.__class__](c, arm.pattern, scope, rest)
    _arm_facts(c, arm, rest)
    if arm.guard is not None:
        holds, _ = c.condition(arm.guard)
        c.assume(holds)
    value = c.body(arm.body.statements)
    c.scope = outer
    return value


def _arm_facts(c: Checker, arm: nodes.MatchArm, rest: _Rest) -> None:
    """Narrow the subject inside an arm and for the arms after it."""
    if rest.fails:
        c.assume(rest.fails)
    pattern = arm.pattern
    fails: Facts = NOTHING
    if isinstance(pattern, nodes.ValuePattern):
        literal = literal_of(pattern.value)
        if literal is not None:
            holds, fails = _value_facts(c, rest, literal)
            c.assume(holds)
            if arm.guard is None:
                rest.literals.append(literal)
    elif isinstance(pattern, nodes.OrPattern):
        fails = _or_facts(c, arm, pattern, rest)
    elif isinstance(pattern, nodes.DictMatchPattern):
        fails = _shape_facts(c, pattern, rest)
    elif isinstance(pattern, nodes.VariantPattern) and arm.guard is None:
        if all(isinstance(arg, (nodes.WildcardPattern, nodes.BindPattern)) for arg in pattern.args or ()):
            rest.variants.add(pattern.variant.text)
    elif isinstance(pattern, (nodes.WildcardPattern, nodes.BindPattern)) and rest.found is not None:
        left = rest.left_over()
        if left is NEVER:
            c.assume({rest.found[0]: NEVER})
    if fails and arm.guard is None:
        rest.fails = {**rest.fails, **fails}


def _value_facts(c: Checker, rest: _Rest, literal: nodes.LiteralExpr) -> tuple[Facts, Facts]:
    subject = rest.subject
    if isinstance(subject, (nodes.NameExpr, nodes.PropertyExpr, nodes.IndexExpr)):
        return value_facts(c, subject, literal)
    if isinstance(subject, nodes.CallExpr) and literal.kind == "string" and len(subject.args) == 1:
        callee = subject.callee
        if isinstance(callee, nodes.NameExpr) and callee.name == "type_of" and c.lookup("type_of") is None:
            found = variable(c, subject.args[0])
            return type_name_facts(found, str(literal.value)) if found is not None else (NOTHING, NOTHING)
    return NOTHING, NOTHING


def _or_facts(c: Checker, arm: nodes.MatchArm, pattern: nodes.OrPattern, rest: _Rest) -> Facts:
    """Exclude the alternatives of an or-pattern for the arms after it; inside the arm, any of them may hold."""
    before, fails = c.facts, NOTHING
    for alternative in pattern.alternatives:
        literal = literal_of(alternative.value) if isinstance(alternative, nodes.ValuePattern) else None
        if literal is None:
            continue
        _, missed = _value_facts(c, rest, literal)
        c.assume(missed)
        fails = {**fails, **missed}
        if arm.guard is None:
            rest.literals.append(literal)
    c.facts = before
    return fails


def _shape_facts(c: Checker, pattern: nodes.DictMatchPattern, rest: _Rest) -> Facts:
    found = variable(c, rest.subject)
    if found is None:
        return NOTHING
    binding, kind = found
    fixed = [
        (entry.key.text, literal)
        for entry in pattern.entries
        if isinstance(entry.pattern, nodes.ValuePattern) and (literal := literal_of(entry.pattern.value)) is not None
    ]
    holds = kept(kind, lambda member: all(tag_may_equal(member, name, literal) for name, literal in fixed))
    if holds is not None and holds is not kind and holds is not NEVER:
        c.assume({binding: holds})
    values = [entry for entry in pattern.entries if isinstance(entry.pattern, nodes.ValuePattern)]
    if len(fixed) != 1 or len(values) != 1:
        return NOTHING
    name, literal = fixed[0]
    left = kept(kind, lambda member: not tag_is(member, name, literal))
    return {binding: left} if left is not None and left is not kind else NOTHING


def _bind(scope: Scope, name: str, kind: Type | None, node: nodes.Node) -> None:
    if name != "_":
        scope.names[name] = Binding(name, "match", kind, node.start, node.end)


def _bind_pattern(_: Checker, pattern: nodes.BindPattern, scope: Scope, rest: _Rest) -> None:
    _bind(scope, pattern.name, rest.left_over(), pattern)


def _value_pattern(c: Checker, pattern: nodes.ValuePattern, _scope: Scope, _rest: _Rest) -> None:
    c.infer(pattern.value)


def _dict_pattern(c: Checker, pattern: nodes.DictMatchPattern, scope: Scope, _: _Rest) -> None:
    for entry in pattern.entries:
        _inner(c, entry.pattern, scope)


def _list_pattern(c: Checker, pattern: nodes.ListMatchPattern, scope: Scope, _: _Rest) -> None:
    for item in pattern.items:
        _inner(c, item, scope)


def _inner(c: Checker, pattern: nodes.MatchPattern, scope: Scope, kind: Type | None = None) -> None:
    if isinstance(pattern, nodes.BindPattern):
        _bind(scope, pattern.name, kind, pattern)
    elif isinstance(pattern, nodes.ValuePattern):
        c.infer(pattern.value)
    elif isinstance(pattern, nodes.VariantPattern):
        _variant_pattern(c, pattern, scope, None)
    elif isinstance(pattern, nodes.DictMatchPattern):
        for entry in pattern.entries:
            _inner(c, entry.pattern, scope)
    elif isinstance(pattern, nodes.ListMatchPattern):
        for item in pattern.items:
            _inner(c, item, scope)


def _variant_pattern(c: Checker, pattern: nodes.VariantPattern, scope: Scope, rest: _Rest | None) -> None:
    binding = c.lookup(pattern.enum.text)
    info = binding.info if binding is not None else RESULT if pattern.enum.text == "Result" else None
    kinds: list[Type | None] = []
    if isinstance(info, EnumInfo) and known_variant(c, info, pattern.variant) is not None:
        kinds = _payload(info, pattern.variant.text, rest.kind if rest is not None else None)
        given = len(pattern.args or ())
        if given > len(kinds):
            message = f"{info.name}.{pattern.variant.text} expects {len(kinds)} argument(s), got {given}"
            c.warning(message, pattern.start, pattern.end)
    for i, arg in enumerate(pattern.args or ()):
        _inner(c, arg, scope, kinds[i] if i < len(kinds) else None)


def _payload(info: EnumInfo, variant: str, kind: Type | None) -> list[Type | None]:
    """Return the types of the fields of a variant, with the type arguments of the subject if they are known."""
    expanded = expand(kind)
    args = expanded.args if isinstance(expanded, Nominal) and expanded.info is info else ()
    known = arguments(info.params, args)
    return [substitute(field, known) for _, field in enum_variants(info)[variant].fields]


_PATTERNS: dict[type, Callable[..., None]] = {
    nodes.WildcardPattern: lambda *_: None,
    nodes.BindPattern: _bind_pattern,
    nodes.ValuePattern: _value_pattern,
    nodes.OrPattern: lambda *_: None,
    nodes.DictMatchPattern: _dict_pattern,
    nodes.ListMatchPattern: _list_pattern,
    nodes.VariantPattern: _variant_pattern,
}


def _try(c: Checker, node: nodes.TryExpr) -> Type | None:
    before = c.facts
    value = c.block(node.body)
    after = c.facts
    if node.catch_body is not None:
        c.facts = merged(before, after)
        caught = _catch(c, node, node.catch_body)
        c.facts = _met(value, after, caught, c.facts)
        value = join((value, caught))
    elif node.finally_body is None:
        c.facts = merged(before, after)
        value = None
    if node.finally_body is not None:
        known = c.facts
        c.facts = merged(before, known)
        loop = c.loop
        left = c.block(node.finally_body)
        c.loop = loop
        c.facts = merged(known, c.facts) if c.facts is not known else known
        if left is NEVER:
            value = NEVER
    return value


def _catch(c: Checker, node: nodes.TryExpr, body: nodes.Block) -> Type | None:
    scope = Scope(c.scope)
    if node.catch_name is not None and node.catch_name.text != "_":
        name = node.catch_name
        kind = resolve(node.catch_type, c.scope)
        scope.names[name.text] = Binding(name.text, "catch", kind, name.start, name.end)
    return c.block(body, scope)


def _retry(c: Checker, node: nodes.RetryExpr) -> Type | None:
    c.infer(node.count)
    return _repeated(c, node.body)


def _repeated(c: Checker, body: nodes.Block) -> Type | None:
    before = c.facts
    c.facts = {binding: kind for binding, kind in before.items() if not binding.mutable} if before else before
    value = c.block(body)
    c.facts = merged(before, c.facts)
    return value


def _deadline(c: Checker, node: nodes.DeadlineExpr) -> Type | None:
    c.infer(node.duration)
    return c.block(node.body)


def _spawn(c: Checker, node: nodes.SpawnExpr) -> Type | None:
    check_task(c, None, node.body)
    return None


def _parallel(c: Checker, node: nodes.ParallelExpr) -> Type | None:
    c.infer(node.source)
    if node.max_concurrent is not None:
        c.infer(node.max_concurrent)
    check_task(c, node.param, node.body)
    if node.as_stream:
        return Applied("Stream")
    return None if node.mode == "settle" else LIST


def _propagate(c: Checker, node: nodes.PropagateExpr) -> Type | None:
    kind = expand(c.infer(node.value))
    if isinstance(kind, Nominal) and kind.info is RESULT and kind.args:
        return kind.args[0]
    return None


def _try_star(c: Checker, node: nodes.TryStarExpr) -> Type | None:
    check_try_star(c, node)
    return c.infer(node.value)


EXPRESSIONS: dict[type, Callable[..., Type | None]] = {
    nodes.IfExpr: _if,
    nodes.TernaryExpr: _ternary,
    nodes.MatchExpr: _match,
    nodes.TryExpr: _try,
    nodes.RetryExpr: _retry,
    nodes.DeadlineExpr: _deadline,
    nodes.SpawnExpr: _spawn,
    nodes.ParallelExpr: _parallel,
    nodes.PropagateExpr: _propagate,
    nodes.TryStarExpr: _try_star,
}
