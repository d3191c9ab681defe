"""Assignability: whether a value of one type can be used where another type is expected."""

from __future__ import annotations

from harnlite.analysis.types.annotations import arguments, expand, struct_fields
from harnlite.analysis.types.interfaces import mismatch_reason
from harnlite.analysis.types.nominal import InterfaceInfo, StructInfo
from harnlite.analysis.types.representation import (
    ANY,
    CLOSURE,
    FLOAT,
    FRESH,
    INT,
    LOOSE,
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
    substitute,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DEPTH = 40  # beyond this depth, recursive aliases are assumed to fit
_READ_ONLY = frozenset({"iter", "Generator", "Stream", "set"})


def fits(expected: Type | None, actual: Type | None, depth: int = 0) -> bool:
    """Return whether a value of the actual type can be used where the expected type is required."""
    if expected is None or actual is None or expected is actual or depth > _DEPTH:
        return True
    if isinstance(actual, Alias) or isinstance(expected, Alias):
        return _aliases_fit(expected, actual, depth)
    if actual is ANY or actual is NEVER or expected is ANY or expected is UNKNOWN:
        return True
    if isinstance(expected, Parameter) or isinstance(actual, Parameter):
        return True
    if isinstance(actual, Union):
        return all(fits(expected, member, depth + 1) for member in actual.members)
    if isinstance(expected, Union):
        return any(fits(member, actual, depth + 1) for member in expected.members)
    return _RULES[expected.__class__](expected, actual, depth + 1)


def _aliases_fit(expected: Type, actual: Type, depth: int) -> bool:
    if (
        isinstance(expected, Alias)
        and isinstance(actual, Alias)
        and expected.info is actual.info
        and text(expected) == text(actual)
    ):
        return True
    if isinstance(expected, Alias) and isinstance(actual, Alias) and expected.info is actual.info and expected.args:
        marks = [param.variance for param in expected.info.decl.type_params]
        if len(marks) == len(expected.args) == len(actual.args):
            pairs = zip(marks, expected.args, actual.args, strict=True)
            return all(_marked_fit(mark, want, have, depth + 1) for mark, want, have in pairs)
    return fits(expand(expected), expand(actual), depth + 1)


def _marked_fit(mark: str | None, expected: Type | None, actual: Type | None, depth: int) -> bool:
    if mark == "out":
        return fits(expected, actual, depth)
    if mark == "in":
        return fits(actual, expected, depth)
    return _same(expected, actual, depth)


def _same(expected: Type | None, actual: Type | None, depth: int) -> bool:
    """Return whether a container of the actual type can be used as a container of the expected type.

    Containers are values. So a list of ints can be used as a list of `int | string`, and a list of structs as a list
    of an interface that they satisfy.
    """
    if not fits(expected, actual, depth):
        return False
    wanted = expand(expected)
    wider = wanted is UNKNOWN or isinstance(wanted, Union) or _is_interface(wanted)
    return wider or isinstance(expand(actual), Shape) or fits(actual, expected, depth)


def _is_interface(kind: Type | None) -> bool:
    return isinstance(kind, Nominal) and isinstance(kind.info, InterfaceInfo)


def _base_fits(expected: Base, actual: Type, _: int) -> bool:
    if isinstance(actual, Literal):
        return actual.kind == expected.name or (expected is FLOAT and actual.kind == "int")
    if isinstance(actual, Function):
        return expected is CLOSURE
    return isinstance(actual, Base) and (actual.name == expected.name or (expected is FLOAT and actual is INT))


def _literal_fits(expected: Literal, actual: Type, _: int) -> bool:
    if isinstance(actual, Literal):
        return actual.kind == expected.kind and actual.value == expected.value
    if not isinstance(actual, Base):
        return False
    return actual.name == expected.kind or {actual.name, expected.kind} == {"int", "float"}


def _applied_fits(expected: Applied, actual: Type, depth: int) -> bool:
    if isinstance(actual, Shape):
        return expected.name == "dict" and _values_fit(expected, actual, depth)
    if isinstance(actual, Nominal):
        return expected.name == "dict" and isinstance(actual.info, StructInfo)
    if not isinstance(actual, Applied):
        return False
    if expected.name != actual.name:
        return expected.name == "iter" and actual.name in ("Generator", "Stream")
    if actual.trust == LOOSE or not expected.args or not actual.args:
        return True
    rule = fits if expected.name in _READ_ONLY else _fresh_fits if actual.trust == FRESH else _same
    return all(rule(want, have, depth) for want, have in zip(expected.args, actual.args, strict=False))


def _fresh_fits(expected: Type | None, actual: Type | None, depth: int) -> bool:
    """Return whether a literal fits an expected element type; a list of ints is not a list of floats."""
    return fits(expected, actual, depth) and not (expected is FLOAT and actual is INT)


def _values_fit(expected: Applied, actual: Shape, depth: int) -> bool:
    if actual.trust == LOOSE or len(expected.args) < 2:  # noqa: PLR2004 - dict<K, V>
        return True
    return all(fits(expected.args[1], field.type, depth) for field in actual.fields.values())


def _shape_fits(expected: Shape, actual: Type, depth: int) -> bool:
    if isinstance(actual, Shape):
        return actual.trust == LOOSE or not shape_faults(expected, actual, depth)
    if isinstance(actual, Applied):
        return actual.name == "dict"
    if not isinstance(actual, Nominal) or not isinstance(actual.info, StructInfo):
        return False
    return _struct_has(expected, actual.info, arguments(actual.info.params, actual.args), depth)


def _struct_has(expected: Shape, info: StructInfo, known: Mapping[Type, Type | None], depth: int) -> bool:
    fields = struct_fields(info)
    for name, field in expected.fields.items():
        other = fields.get(name)
        if other is not None and not fits(field.type, substitute(other.type, known), depth):
            return False
    return True


def shape_faults(expected: Shape, actual: Shape, depth: int = 0) -> list[str]:
    """Return the reasons why a shape does not fit another one, as texts."""
    missing, wrong = list[str](), list[str]()
    for name, field in expected.fields.items():
        other = actual.fields.get(name)
        if other is None:
            if not field.optional:
                missing.append(f"missing field '{name}' ({text(field.type)})")
        elif not fits(field.type, given_to(field, other.type), depth):
            wrong.append(f"field '{name}' has type {text(other.type)}, expected {text(field.type)}")
    return missing + wrong


def given_to(field: ShapeField, kind: Type | None) -> Type | None:
    """Return the part of a type that matters for a field: an optional field may also be nil."""
    return without_nil(kind) if field.optional else kind


def without_nil(kind: Type | None) -> Type | None:
    """Return a type without nil."""
    expanded = expand(kind)
    if expanded is NIL:
        return NEVER
    if not isinstance(expanded, Union):
        return kind
    rest = [member for member in expanded.members if expand(member) is not NIL]
    return kind if len(rest) == len(expanded.members) else join(rest) if rest else NEVER


def _nominal_fits(expected: Nominal, actual: Type, depth: int) -> bool:
    info = expected.info
    if isinstance(info, InterfaceInfo):
        if not isinstance(actual, Nominal):
            return False
        if isinstance(actual.info, StructInfo):
            return mismatch_reason(actual, expected, info.name, fits) is None
        return isinstance(actual.info, InterfaceInfo)
    if not isinstance(actual, Nominal) or actual.info.name != info.name:
        return False
    if not expected.args or len(expected.args) != len(actual.args):
        return True
    marks = [param.variance for param in info.decl.type_params] if info.decl is not None else ["out", "out"]
    if len(marks) != len(expected.args):
        return True
    pairs = zip(marks, expected.args, actual.args, strict=True)
    if actual.trust == FRESH:
        return all(fits(want, have, depth) for _, want, have in pairs)
    return all(_marked_fit(mark, want, have, depth) for mark, want, have in pairs)


def _function_fits(expected: Function, actual: Type, depth: int) -> bool:
    if isinstance(actual, Function):
        pairs = zip(expected.params, actual.params, strict=False)
        return all(fits(have, want, depth) for want, have in pairs) and fits(expected.result, actual.result, depth)
    return actual is CLOSURE


_RULES: dict[type, Callable[..., bool]] = {
    Base: _base_fits,
    Literal: _literal_fits,
    Applied: _applied_fits,
    Shape: _shape_fits,
    Nominal: _nominal_fits,
    Function: _function_fits,
}
