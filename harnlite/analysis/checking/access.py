"""Check and infer the types of reads: names, properties, subscripts and slices."""

from __future__ import annotations

from harnlite.analysis.builtins.methods import PROPERTIES
from harnlite.analysis.checking.access_paths import known_place
from harnlite.analysis.types.annotations import arguments, binding_signature, enum_variants, expand, struct_fields
from harnlite.analysis.types.assignability import without_nil
from harnlite.analysis.types.nominal import EnumInfo, StructInfo
from harnlite.analysis.types.representation import (
    CLOSURE,
    DICT,
    FLOAT,
    FRESH,
    INT,
    LIST,
    LOOSE,
    NIL,
    RANGE,
    STRING,
    Applied,
    Base,
    Function,
    Nominal,
    Shape,
    Type,
    Union,
    join,
    substitute,
)
from harnlite.diagnostics.suggest import near_name
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.analysis.checking.checker import Checker
    from harnlite.analysis.types.environment import Binding

_GLOBALS: dict[str, Type] = {"pi": FLOAT, "e": FLOAT, "argv": Applied("list", (STRING,)), "skills": DICT}


def _name(c: Checker, node: nodes.NameExpr) -> Type | None:
    binding = c.lookup(node.name)
    if binding is None:
        return _GLOBALS.get(node.name)
    if binding.home is not None:
        return _function_value(binding)
    return c.facts.get(binding, binding.type) if c.facts else binding.type


def _function_value(binding: Binding) -> Type:
    head = binding_signature(binding)
    if head is None or head.type_params or head.variadic or any(param.type is None for param in head.params):
        return CLOSURE
    return Function(tuple(param.type for param in head.params), head.result)


def _property(c: Checker, node: nodes.PropertyExpr) -> Type | None:
    receiver = node.receiver
    if isinstance(receiver, nodes.NameExpr):
        binding = c.lookup(receiver.name)
        if binding is not None and isinstance(binding.info, EnumInfo):
            return unit_variant(c, binding.info, node)
    kind = c.infer(receiver)
    if kind is None:
        return None
    return _narrowed(c, node) or read_type(node, kind)


def _narrowed(c: Checker, node: nodes.Expr) -> Type | None:
    """Return the narrowed type of the place that an expression reads, if a condition has narrowed it."""
    if not c.facts:
        return None
    place = known_place(c, node)
    return c.facts.get(place) if place is not None else None


def read_type(node: nodes.PropertyExpr | nodes.IndexExpr, kind: Type, index: Type | None = None) -> Type | None:
    """Return the type of a property or an item of a value, if it is certain."""
    inner = expand(without_nil(kind)) if node.optional else expand(kind)
    if isinstance(node, nodes.PropertyExpr):
        found = property_type(inner, node.name.text)
    else:
        found = _item_at(inner, index, node.index)
    return join((found, NIL)) if node.optional and found is not None else found


def property_type(kind: Type | None, name: str) -> Type | None:
    """Return the type of a property, if it is certain."""
    kind = expand(kind)
    if isinstance(kind, Shape):
        field = kind.fields.get(name)
        if field is None or kind.trust == LOOSE or field.type is None:
            return None
        return join((field.type, NIL)) if field.optional else field.type
    if isinstance(kind, Nominal):
        return _nominal_property(kind, name)
    if isinstance(kind, Union):
        found = [property_type(member, name) for member in kind.members]
        return join(found) if found else None
    if isinstance(kind, (Applied, Base)):
        return PROPERTIES.get(kind.name, {}).get(name)
    return None


def _nominal_property(kind: Nominal, name: str) -> Type | None:
    if isinstance(kind.info, EnumInfo):
        return {"variant": STRING, "fields": LIST}.get(name)
    if not isinstance(kind.info, StructInfo):
        return None
    field = struct_fields(kind.info).get(name)
    if field is None or field.type is None:
        return None
    found = substitute(field.type, arguments(kind.info.params, kind.args))
    return join((found, NIL)) if field.optional else found


def unit_variant(c: Checker, info: EnumInfo, node: nodes.PropertyExpr) -> Type | None:
    """Check `E.V` and return its type."""
    variant = known_variant(c, info, node.name)
    if variant is not None:
        expected = len(enum_variants(info)[node.name.text].fields)
        if expected:
            c.warning(
                f"{info.name}.{node.name.text} expects {expected} argument(s), got 0", node.name.start, node.name.end
            )
    return Nominal(info, (), FRESH)


def known_variant(c: Checker, info: EnumInfo, name: nodes.Ident) -> str | None:
    """Return the name of a variant if the enum has it; warn if it does not."""
    variants = enum_variants(info)
    if name.text in variants:
        return name.text
    near = near_name(name.text, variants)
    advice = [f"did you mean `{near}`?"] if near else [f"its variants are {', '.join(variants)}"] if variants else []
    place = info.decl.name if info.decl is not None else None
    labels = [c.label(place.start, place.end, "declared here", info.source)] if place is not None else []
    c.warning(f"Unknown variant '{name.text}' in enum '{info.name}'", name.start, name.end, labels, advice)
    return None


def _index(c: Checker, node: nodes.IndexExpr) -> Type | None:
    kind = c.infer(node.receiver)
    index = c.infer(node.index)
    if kind is None:
        return None
    return _narrowed(c, node) or read_type(node, kind, index)


def _item_at(kind: Type | None, index: Type | None, node: nodes.Expr) -> Type | None:
    if kind is STRING or kind is RANGE:
        return (STRING if kind is STRING else INT) if index is INT else None
    if isinstance(kind, Shape):
        known = isinstance(node, nodes.LiteralExpr) and node.kind == "string"
        return property_type(kind, str(node.value)) if known and isinstance(node, nodes.LiteralExpr) else None
    if not isinstance(kind, Applied) or kind.trust == LOOSE or not kind.args:
        return None
    if kind.name == "list":
        return kind.args[0] if index is INT else None
    return kind.args[-1] if kind.name == "dict" else None


def _slice(c: Checker, node: nodes.SliceExpr) -> Type | None:
    kind = expand(c.infer(node.receiver))
    for bound in (node.low, node.high):
        if bound is not None:
            c.infer(bound)
    return kind if kind is STRING or (isinstance(kind, Applied) and kind.name == "list") else None


def root_of(node: nodes.Expr) -> nodes.NameExpr | None:
    """Return the variable at the root of an assignment target."""
    while isinstance(node, (nodes.PropertyExpr, nodes.IndexExpr)):
        node = node.receiver
    return node if isinstance(node, nodes.NameExpr) else None


EXPRESSIONS: dict[type, Callable[..., Type | None]] = {
    nodes.NameExpr: _name,
    nodes.PropertyExpr: _property,
    nodes.IndexExpr: _index,
    nodes.SliceExpr: _slice,
}
