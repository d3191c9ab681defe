"""Check whether the arms of a match cover every value of its subject."""

from __future__ import annotations

from harnlite.analysis.checking.narrowing import members_of, runtime_name
from harnlite.analysis.types.annotations import enum_variants, expand
from harnlite.analysis.types.nominal import EnumInfo
from harnlite.analysis.types.representation import (
    ANY,
    NIL,
    UNKNOWN,
    Literal,
    Nominal,
    Parameter,
    Shape,
    Type,
    Union,
    text,
)
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnlite.analysis.checking.checker import Checker

_SEVERAL = 2


def check_exhaustive(c: Checker, node: nodes.MatchExpr, kind: Type | None) -> bool:
    """Report a match that omits an alternative of its subject; return whether the match is exhaustive."""
    subject, message = node.subject, None
    patterns = [arm.pattern for arm in node.arms if arm.guard is None]
    if any(map(_takes_all, patterns)):
        return True
    if isinstance(subject, nodes.PropertyExpr) and isinstance(subject.receiver, nodes.NameExpr):
        message = _by_property(c, subject, subject.receiver, patterns)
    if message is None and kind is not None:
        message = _by_type(kind, patterns)
    if message is not None:
        advice = ["add the missing arms, or an arm `_`"]
        c.error(f"Non-exhaustive match on {message}", node.start, subject.end, (), advice)
    return message is None


def _takes_all(pattern: nodes.MatchPattern) -> bool:
    if isinstance(pattern, nodes.OrPattern):
        return any(map(_takes_all, pattern.alternatives))
    if isinstance(pattern, (nodes.DictMatchPattern, nodes.ListMatchPattern)):
        return not any(True for _ in pattern.children())
    return isinstance(pattern, (nodes.WildcardPattern, nodes.BindPattern))


def _alternatives(patterns: Sequence[nodes.MatchPattern]) -> Iterator[nodes.MatchPattern]:
    for pattern in patterns:
        if isinstance(pattern, nodes.OrPattern):
            yield from _alternatives(pattern.alternatives)
        else:
            yield pattern


def literal_of(node: nodes.Expr) -> nodes.LiteralExpr | None:
    """Return the literal of an expression, including negative numbers; None if it is not a literal."""
    if isinstance(node, nodes.LiteralExpr):
        return node
    if isinstance(node, nodes.UnaryExpr) and node.op == "-" and isinstance(node.operand, nodes.LiteralExpr):
        value = node.operand.value
        if isinstance(value, (int, float)) and node.operand.kind in ("int", "float"):
            return nodes.LiteralExpr(node.start, node.end, -value, node.operand.kind)
    return None


def _values(patterns: Sequence[nodes.MatchPattern]) -> list[nodes.LiteralExpr] | None:
    """Return the literals of patterns, or None if one of them is not a literal."""
    found: list[nodes.LiteralExpr] = []
    for pattern in _alternatives(patterns):
        literal = literal_of(pattern.value) if isinstance(pattern, nodes.ValuePattern) else None
        if literal is None:
            return None
        found.append(literal)
    return found


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _by_property(
    c: Checker, subject: nodes.PropertyExpr, receiver: nodes.NameExpr, patterns: Sequence[nodes.MatchPattern]
) -> str | None:
    """Return a text about the values that a match on `m.kind` or `s.variant` omits."""
    values = _values(patterns)
    binding = c.lookup(receiver.name)
    if values is None or binding is None:
        return None
    kind, name = expand(c.fact(binding)), subject.name.text
    if isinstance(kind, Nominal) and isinstance(kind.info, EnumInfo) and name == "variant":
        taken = {literal.value for literal in values}
        missing = [variant for variant in enum_variants(kind.info) if variant not in taken]
        return f"enum {kind.info.name}: missing variants {_listed(missing)}" if missing else None
    if not isinstance(kind, Union):
        return None
    tags = _tags(members_of(kind), name)
    if tags is None:
        return None
    missing = [tag for tag in tags if not any(literal.kind == "string" and literal.value == tag for literal in values)]
    return f"tagged shape union: missing variants {_listed(missing)}" if missing else None


def _tags(members: Sequence[Type], name: str) -> list[str] | None:
    """Return the values of the entry that distinguishes shapes, or None if it does not distinguish them."""
    tags: list[str] = []
    for member in members:
        shape = expand(member)
        field = shape.fields.get(name) if isinstance(shape, Shape) else None
        kind = expand(field.type) if field is not None and not field.optional else None
        for one in members_of(kind) or (None,):
            literal = expand(one)
            if not isinstance(literal, Literal) or not isinstance(literal.value, str):
                return None
            if literal.value not in tags:
                tags.append(literal.value)
    return tags if len(tags) >= _SEVERAL else None


def _by_type(kind: Type, patterns: Sequence[nodes.MatchPattern]) -> str | None:
    kind = expand(kind) or kind
    if isinstance(kind, Nominal) and isinstance(kind.info, EnumInfo):
        return _by_enum(kind.info, patterns)
    members = members_of(kind)
    if any(_is_open(member) for member in members):
        return None
    if len(members) < _SEVERAL:
        return _by_literals(members, patterns) if members else None
    if all(isinstance(expand(member), Literal) for member in members):
        return _by_literals(members, patterns)
    if all(isinstance(expand(member), Shape) for member in members):
        return _by_shapes(members, patterns)
    missing = [text(member) for member in members if not _touched(member, patterns)]
    return f"union type: missing {', '.join(missing)}" if missing else None


def _is_open(kind: Type) -> bool:
    inner = expand(kind)
    return inner is None or inner is ANY or inner is UNKNOWN or isinstance(inner, Parameter)


def _by_enum(info: EnumInfo, patterns: Sequence[nodes.MatchPattern]) -> str | None:
    taken: set[str] = set()
    for pattern in _alternatives(patterns):
        if isinstance(pattern, nodes.VariantPattern):
            if _binds_all(pattern.args or ()):
                taken.add(pattern.variant.text)
        elif not isinstance(pattern, nodes.ValuePattern) or literal_of(pattern.value) is None:
            return None
    missing = [variant for variant in enum_variants(info) if variant not in taken]
    return f"enum {info.name}: missing variants {_listed(missing)}" if missing else None


def _binds_all(args: Sequence[nodes.MatchPattern]) -> bool:
    return all(isinstance(arg, (nodes.WildcardPattern, nodes.BindPattern)) for arg in args)


def _by_literals(members: Sequence[Type], patterns: Sequence[nodes.MatchPattern]) -> str | None:
    values = _values(patterns)
    if values is None:
        return None
    missing = [member for member in members if isinstance(expand(member), Literal) and not _named(member, values)]
    return f"literal union: missing {', '.join(map(text, missing))}" if missing else None


def _named(kind: Type, values: Sequence[nodes.LiteralExpr]) -> bool:
    literal = expand(kind)
    return isinstance(literal, Literal) and any(
        value.kind == literal.kind and value.value == literal.value for value in values
    )


def _by_shapes(members: Sequence[Type], patterns: Sequence[nodes.MatchPattern]) -> str | None:
    """Return a text about the tagged shapes that no dict pattern covers."""
    taken: set[str] = set()
    names: set[str] = set()
    for pattern in _alternatives(patterns):
        if not isinstance(pattern, nodes.DictMatchPattern):
            return None
        fixed = [entry for entry in pattern.entries if isinstance(entry.pattern, nodes.ValuePattern)]
        if len(fixed) != 1:
            continue
        literal = literal_of(fixed[0].pattern.value) if isinstance(fixed[0].pattern, nodes.ValuePattern) else None
        if literal is not None and isinstance(literal.value, str):
            names.add(fixed[0].key.text)
            taken.add(literal.value)
    if len(names) != 1:
        return None
    tags = _tags(members, names.pop())
    missing = [tag for tag in tags or () if tag not in taken]
    return f"tagged shape union: missing variants {_listed(missing)}" if missing else None


def _touched(kind: Type, patterns: Sequence[nodes.MatchPattern]) -> bool:
    """Return whether some arm may match values of a type."""
    inner = expand(kind)
    if isinstance(inner, Literal):
        values = [_literal_pattern(pattern) for pattern in _alternatives(patterns)]
        return any(value is None or (value.kind == inner.kind and value.value == inner.value) for value in values)
    name = runtime_name(kind)
    return any(_may_take(inner, name, pattern) for pattern in _alternatives(patterns))


def _literal_pattern(pattern: nodes.MatchPattern) -> nodes.LiteralExpr | None:
    return literal_of(pattern.value) if isinstance(pattern, nodes.ValuePattern) else None


def _may_take(kind: Type | None, name: str | None, pattern: nodes.MatchPattern) -> bool:
    if isinstance(pattern, nodes.ValuePattern):
        literal = literal_of(pattern.value)
        if literal is None:
            return kind is not NIL or not isinstance(pattern.value, nodes.TemplateExpr)
        return name is None or literal.kind == name or {literal.kind, name} == {"int", "float"}
    if isinstance(pattern, nodes.VariantPattern):
        return name is None or name == "enum"
    if isinstance(pattern, nodes.ListMatchPattern):
        return name is None or name == "list"
    return name is None or name in ("dict", "struct") if isinstance(pattern, nodes.DictMatchPattern) else True
