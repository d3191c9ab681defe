"""Narrow the types of variables by conditions, for the cases where they hold and where they do not."""

from __future__ import annotations

from functools import partial

from harnlite.analysis.checking.access import read_type
from harnlite.analysis.checking.access_paths import inner_place, step_of
from harnlite.analysis.checking.checker import NOTHING
from harnlite.analysis.types.annotations import expand
from harnlite.analysis.types.assignability import fits, without_nil
from harnlite.analysis.types.environment import lookup_type
from harnlite.analysis.types.nominal import AliasInfo, InterfaceInfo, StructInfo
from harnlite.analysis.types.representation import (
    ANY,
    BASES,
    CLOSURE,
    INT,
    NEVER,
    NIL,
    UNKNOWN,
    Alias,
    Applied,
    Base,
    Function,
    Literal,
    Nominal,
    Parameter,
    Shape,
    ShapeField,
    Type,
    Union,
    join,
)
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from harnlite.analysis.checking.checker import Checker, Facts
    from harnlite.analysis.types.environment import Binding

_RUNTIME_NAMES = {"Generator": "generator", "Stream": "stream"}
_NAMED = frozenset(
    {*BASES, "list", "dict", "set", "iter", "generator", "stream", "struct", "enum"} - {"any", "unknown", "never"}
)
_SCHEMA_TESTS = frozenset({"schema_is", "is_type"})
_KIND_OF = {int: "int", float: "float", str: "string", bool: "bool"}


def members_of(kind: Type | None) -> tuple[Type, ...]:
    """Return the alternatives of a type with aliases expanded; an unknown type has none."""
    kind = expand(kind)
    if kind is None:
        return ()
    if not isinstance(kind, Union):
        return (kind,)
    found: list[Type] = []
    for member in kind.members:
        inner = expand(member)
        found.extend(members_of(inner) if isinstance(inner, Union) else (member,))
    return tuple(found)


def kept(kind: Type | None, keep: Callable[[Type], bool]) -> Type | None:
    """Return a type with only the alternatives for which `keep` is true; `never` if there are none."""
    members = members_of(kind)
    if not members:
        return None
    rest = [member for member in members if keep(member)]
    return kind if len(rest) == len(members) else _one_of(rest)


def _one_of(members: list[Type]) -> Type:
    return join(members) or ANY if members else NEVER


def runtime_name(kind: Type) -> str | None:
    """Return the result of type_of for every value of a type, or None if it is not certain."""
    inner = expand(kind)
    if isinstance(inner, Base):
        return None if inner is ANY or inner is UNKNOWN or inner is CLOSURE or inner is NEVER else inner.name
    if isinstance(inner, Applied):
        return _RUNTIME_NAMES.get(inner.name, inner.name)
    if isinstance(inner, Literal):
        return inner.kind
    if isinstance(inner, Nominal) and not isinstance(inner.info, InterfaceInfo):
        return "struct" if isinstance(inner.info, StructInfo) else "enum"
    return "dict" if isinstance(inner, Shape) else None


def variable(c: Checker, node: nodes.Expr) -> tuple[Binding, Type] | None:
    """Return the variable that an expression reads, or the place in it, with its type."""
    if isinstance(node, nodes.NameExpr):
        binding = c.lookup(node.name)
        kind = c.fact(binding) if binding is not None else None
        return None if binding is None or kind is None or kind is ANY else (binding, kind)
    step = step_of(node)
    found = variable(c, step[0]) if step is not None else None
    if step is None or found is None or not isinstance(node, (nodes.PropertyExpr, nodes.IndexExpr)):
        return None
    place = inner_place(found[0], step[1])
    kind = c.facts.get(place) or read_type(node, found[1], INT)
    return None if kind is None or kind is ANY else (place, kind)


def _reached(c: Checker, node: nodes.Expr) -> Facts:
    """Return the facts that hold where `a?.b` is not nil: a is not nil either."""
    facts: Facts = {}
    while isinstance(node, (nodes.PropertyExpr, nodes.IndexExpr)):
        found = variable(c, node.receiver) if node.optional else None
        if found is not None:
            facts.update(_facts(*found, without_nil(found[1])))
        node = node.receiver
    return facts or NOTHING


def _facts(binding: Binding, kind: Type, changed: Type | None) -> Facts:
    return NOTHING if changed is None or changed is kind else {binding: changed}


def _place(c: Checker, node: nodes.NameExpr | nodes.PropertyExpr | nodes.IndexExpr) -> tuple[Facts, Facts]:
    c.infer(node)
    reached = _reached(c, node)
    found = variable(c, node)
    if found is None or found[1] is UNKNOWN:
        return reached, NOTHING
    binding, kind = found
    holds = _facts(binding, kind, without_nil(kind))
    return {**reached, **holds} if reached else holds, _facts(binding, kind, kept(kind, _may_be_falsy))


def _may_be_falsy(kind: Type) -> bool:
    inner = expand(kind)
    if isinstance(inner, Literal):
        return not inner.value
    return not isinstance(inner, (Nominal, Function))


def _not(c: Checker, node: nodes.UnaryExpr) -> tuple[Facts, Facts]:
    if node.op != "!":
        c.infer(node)
        return NOTHING, NOTHING
    holds, fails = c.condition(node.operand)
    return fails, holds


def _binary(c: Checker, node: nodes.BinaryExpr) -> tuple[Facts, Facts]:
    op = node.op
    if op == "&&":
        return _both(c, node)
    if op == "||":
        fails, holds = _both(c, node, negated=True)
        return holds, fails
    c.infer(node)
    if op == "==":
        return equality_facts(c, node.left, node.right)
    if op == "!=":
        holds, fails = equality_facts(c, node.left, node.right)
        return fails, holds
    return NOTHING, NOTHING


def _both(c: Checker, node: nodes.BinaryExpr, *, negated: bool = False) -> tuple[Facts, Facts]:
    """Return the facts where both sides of `&&` hold, and where not; if negated, where both sides of `||` fail."""
    before = c.facts
    first, first_not = _ordered(c.condition(node.left), negated=negated)
    c.assume(first)
    second, second_not = _ordered(c.condition(node.right), negated=negated)
    c.facts = before
    holds = {**first, **second} if first or second else NOTHING
    fails: Facts = {}
    for binding, kind in first_not.items():
        other = second_not.get(binding)
        if other is not None:
            met = join((kind, other))
            if met is not None:
                fails[binding] = met
    return holds, fails


def _ordered(pair: tuple[Facts, Facts], *, negated: bool) -> tuple[Facts, Facts]:
    return (pair[1], pair[0]) if negated else pair


def equality_facts(c: Checker, left: nodes.Expr, right: nodes.Expr) -> tuple[Facts, Facts]:
    """Return the facts where `left == right` holds, and where it does not."""
    if isinstance(left, nodes.LiteralExpr):
        left, right = right, left
    if not isinstance(right, nodes.LiteralExpr):
        return NOTHING, NOTHING
    if isinstance(left, nodes.CallExpr):
        return _type_of_facts(c, left, right)
    return value_facts(c, left, right)


def value_facts(c: Checker, node: nodes.Expr, literal: nodes.LiteralExpr) -> tuple[Facts, Facts]:
    """Return the facts where a variable, or an entry of one, equals a literal, and where it does not."""
    if isinstance(node, nodes.PropertyExpr) and not node.optional:
        holds, fails = tag_facts(c, node, literal)
        if holds or fails:
            return holds, fails
    found = variable(c, node)
    holds, fails = literal_facts(found, literal) if found is not None else (NOTHING, NOTHING)
    reached = _reached(c, node)
    if reached and literal.kind == "nil":
        return holds, {**reached, **fails}
    return {**reached, **holds} if reached else holds, fails


def literal_facts(found: tuple[Binding, Type], literal: nodes.LiteralExpr) -> tuple[Facts, Facts]:
    """Return the facts where a variable equals a literal, and where it does not."""
    binding, kind = found
    if literal.kind == "nil":
        holds = NIL if kind is UNKNOWN else kept(kind, _may_be_nil)
        return _facts(binding, kind, holds), _facts(binding, kind, without_nil(kind))
    if kind is UNKNOWN:
        return NOTHING, NOTHING
    holds = kept(kind, lambda member: _may_equal(member, literal))
    fails = kept(kind, lambda member: not _is_literal(member, literal))
    return _facts(binding, kind, holds), _facts(binding, kind, fails)


def _may_be_nil(kind: Type) -> bool:
    inner = expand(kind)
    return inner is NIL or inner is ANY or inner is UNKNOWN or isinstance(inner, Parameter)


def _may_equal(kind: Type, literal: nodes.LiteralExpr) -> bool:
    inner = expand(kind)
    if isinstance(inner, Literal):
        return {inner.kind, literal.kind} == {"int", "float"} or _is_literal(inner, literal)
    name = runtime_name(kind)
    return name is None or name == literal.kind or {name, literal.kind} == {"int", "float"}


def _is_literal(kind: Type | None, literal: nodes.LiteralExpr) -> bool:
    inner = expand(kind)
    return isinstance(inner, Literal) and inner.kind == literal.kind and inner.value == literal.value


def _type_of_facts(c: Checker, call: nodes.CallExpr, literal: nodes.LiteralExpr) -> tuple[Facts, Facts]:
    if not (isinstance(call.callee, nodes.NameExpr) and call.callee.name == "type_of" and len(call.args) == 1):
        return NOTHING, NOTHING
    found = variable(c, call.args[0])
    if found is None or literal.kind != "string" or c.lookup("type_of") is not None:
        return NOTHING, NOTHING
    return type_name_facts(found, str(literal.value))


def type_name_facts(found: tuple[Binding, Type], name: str) -> tuple[Facts, Facts]:
    """Return the facts where type_of returns a name for a variable, and where it does not."""
    binding, kind = found
    if name not in _NAMED:
        return NOTHING, NOTHING
    if kind is UNKNOWN:
        known = BASES.get(name) or (Applied(name) if name in ("list", "dict", "set", "iter") else None)
        return _facts(binding, kind, known), NOTHING
    holds = kept(kind, lambda member: runtime_name(member) in (None, name))
    fails = kept(kind, lambda member: runtime_name(member) != name)
    return _facts(binding, kind, holds), _facts(binding, kind, fails)


def tag_facts(c: Checker, left: nodes.PropertyExpr, literal: nodes.LiteralExpr) -> tuple[Facts, Facts]:
    """Return the facts about m, a union of shapes, where `m.kind == "ping"` holds, and where it does not."""
    found = variable(c, left.receiver)
    if found is None:
        return NOTHING, NOTHING
    binding, kind = found
    name = left.name.text
    members = members_of(kind)
    if len(members) < _SEVERAL and not (members and tag_is(members[0], name, literal)):
        return NOTHING, NOTHING
    holds = kept(kind, lambda member: tag_may_equal(member, name, literal))
    fails = kept(kind, lambda member: not tag_is(member, name, literal))
    return _facts(binding, kind, holds), _facts(binding, kind, fails)


_SEVERAL = 2


def _tag(kind: Type, name: str) -> ShapeField | None:
    inner = expand(kind)
    return inner.fields.get(name) if isinstance(inner, Shape) else None


def tag_may_equal(kind: Type, name: str, literal: nodes.LiteralExpr) -> bool:
    """Return whether an entry of a shape may equal a literal."""
    field = _tag(kind, name)
    if field is None:
        return not isinstance(expand(kind), Base) or expand(kind) is not NIL
    return any(_may_equal(member, literal) for member in members_of(field.type)) or field.type is None


def tag_is(kind: Type, name: str, literal: nodes.LiteralExpr) -> bool:
    """Return whether an entry of a shape always equals a literal."""
    field = _tag(kind, name)
    return field is not None and not field.optional and _is_literal(field.type, literal)


def _call(c: Checker, node: nodes.CallExpr) -> tuple[Facts, Facts]:
    c.infer(node)
    callee = node.callee
    if not (isinstance(callee, nodes.NameExpr) and callee.name in _SCHEMA_TESTS and len(node.args) == _SEVERAL):
        return NOTHING, NOTHING
    found, target = variable(c, node.args[0]), node.args[1]
    if found is None or not isinstance(target, nodes.NameExpr) or c.lookup(callee.name) is not None:
        return NOTHING, NOTHING
    info = lookup_type(c.scope, target.name)
    if not isinstance(info, AliasInfo) or info.params:
        return NOTHING, NOTHING
    return _schema_facts(found, Alias(info))


def _schema_facts(found: tuple[Binding, Type], target: Type) -> tuple[Facts, Facts]:
    binding, kind = found
    if kind is UNKNOWN:
        return {binding: target}, NOTHING
    if len(members_of(kind)) < _SEVERAL:
        return NOTHING, NOTHING
    holds = kept(kind, lambda member: _overlaps(target, member))
    fails = kept(kind, lambda member: not (fits(target, member) and fits(member, target)))
    return _facts(binding, kind, target if holds is NEVER else holds), _facts(binding, kind, fails)


def _overlaps(target: Type, member: Type) -> bool:
    return fits(target, member) or any(fits(member, one) for one in members_of(target))


def _method(c: Checker, node: nodes.MethodCallExpr) -> tuple[Facts, Facts]:
    c.infer(node)
    if node.name.text != "has" or len(node.args) != 1:
        return NOTHING, NOTHING
    key, found = node.args[0], variable(c, node.receiver)
    if found is None or not isinstance(key, nodes.LiteralExpr) or key.kind != "string":
        return NOTHING, NOTHING
    binding, kind = found
    name = str(key.value)
    holds = _one_of([_with_key(member, name) for member in members_of(kind) if _may_have(member, name)])
    fails = kept(kind, lambda member: not _must_have(member, name))
    return (NOTHING if holds is NEVER else _facts(binding, kind, holds)), _facts(binding, kind, fails)


def _may_have(kind: Type, name: str) -> bool:
    inner = expand(kind)
    return not isinstance(inner, Shape) or name in inner.fields


def _must_have(kind: Type, name: str) -> bool:
    field = _tag(kind, name)
    return field is not None and not field.optional


def _with_key(kind: Type, name: str) -> Type:
    inner = expand(kind)
    if isinstance(inner, Shape) and inner.fields[name].optional:
        fields = {**inner.fields, name: ShapeField(name, inner.fields[name].type)}
        return Shape(fields, inner.trust)
    return kind


def _is_other(taken: nodes.LiteralExpr, member: Type) -> bool:
    """Return whether a member of a union differs from a literal that an arm has matched."""
    return not _is_literal(member, taken)


def remaining(kind: Type | None, literals: Iterable[nodes.LiteralExpr]) -> Type | None:
    """Return a type without the values of the given literals."""
    for literal in literals:
        kind = without_nil(kind) if literal.kind == "nil" else kept(kind, partial(_is_other, literal))
    return kind


CONDITIONS: dict[type, Callable[..., tuple[Facts, Facts]]] = {
    nodes.NameExpr: _place,
    nodes.PropertyExpr: _place,
    nodes.IndexExpr: _place,
    nodes.UnaryExpr: _not,
    nodes.BinaryExpr: _binary,
    nodes.CallExpr: _call,
    nodes.MethodCallExpr: _method,
}
