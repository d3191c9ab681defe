"""Check the construction of structs and enum values."""

from __future__ import annotations

from harnlite.analysis.checking.access import known_variant
from harnlite.analysis.types.annotations import enum_variants, struct_fields
from harnlite.analysis.types.assignability import fits, given_to
from harnlite.analysis.types.conversions import suggested_conversion
from harnlite.analysis.types.environment import lookup_type
from harnlite.analysis.types.generics import Inference
from harnlite.analysis.types.nominal import StructInfo
from harnlite.analysis.types.representation import FRESH, Nominal, Type, text
from harnlite.diagnostics.suggest import near_name
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnlite.analysis.checking.checker import Checker
    from harnlite.analysis.types.environment import Scope
    from harnlite.analysis.types.nominal import EnumInfo
    from harnlite.analysis.types.representation import ShapeField
    from harnlite.diagnostics.diagnostic import Label


def _struct(c: Checker, node: nodes.StructExpr) -> Type | None:
    info = lookup_type(c.scope, node.name.text)
    if isinstance(info, StructInfo):
        return construct(c, info, node.entries, node.name)
    if info is None:
        _unknown_struct(c, node.name)
    _visit(c, node.entries)
    return None


def _unknown_struct(c: Checker, name: nodes.Ident) -> None:
    if not c.complete or c.lookup(name.text) is not None or (c.partial and f"struct {name.text}" in c.source.text):
        return
    near = near_name(name.text, _visible_structs(c.scope), 2)
    hint = f" — did you mean `{near}`?" if near else ""
    c.error(f"unknown struct type `{name.text}`{hint}", name.start, name.end)


def _visible_structs(scope: Scope | None) -> list[str]:
    names: list[str] = []
    while scope is not None:
        names.extend(name for name, info in (scope.types or {}).items() if isinstance(info, StructInfo))
        scope = scope.parent
    return names


def _visit(c: Checker, entries: Sequence[nodes.Node]) -> None:
    for entry in entries:
        if isinstance(entry, nodes.DictEntry):
            if entry.computed:
                c.infer(entry.key)
            c.infer(entry.value)
        elif isinstance(entry, nodes.SpreadExpr):
            c.infer(entry.value)


def construct(
    c: Checker,
    info: StructInfo,
    entries: Sequence[nodes.Node],
    name: nodes.Ident | nodes.Expr,
    *,
    strict: bool = True,
) -> Type:
    """Check the fields of a struct construction and return its type; field types are checked only if `strict`."""
    fields = struct_fields(info)
    given: list[tuple[nodes.DictEntry, str, Type | None]] = []
    certain = True
    for entry in entries:
        if isinstance(entry, nodes.DictEntry) and isinstance(entry.key, nodes.LiteralExpr) and not entry.computed:
            given.append((entry, str(entry.key.value), c.infer(entry.value)))
        else:
            certain = False
            _visit(c, [entry])
    inference = Inference(info.params, fits)
    for entry, key, kind in given:
        field = fields.get(key)
        if field is None:
            _unknown_field(c, info, entry, key)
        elif not strict:
            continue
        elif clash := inference.take(field.type, kind):
            c.error(clash, entry.value.start, entry.value.end)
        else:
            _check_field(c, info, entry, field, kind, inference)
    if certain:
        names = {key for _, key, _ in given}
        for field in fields.values():
            if field.name not in names and not field.optional:
                _missing_field(c, info, field, name)
    return _made(info, inference)


def _made(info: StructInfo | EnumInfo, inference: Inference) -> Nominal:
    known = inference.bindings
    return Nominal(info, tuple(known.get(param) for param in info.params) if known else (), FRESH)


def _unknown_field(c: Checker, info: StructInfo, entry: nodes.DictEntry, key: str) -> None:
    near = near_name(key, struct_fields(info))
    c.warning(
        f"Unknown field '{key}' in struct '{info.name}'",
        entry.key.start,
        entry.key.end,
        [c.label(info.decl.name.start, info.decl.name.end, f"`{info.name}` is declared here", info.source)],
        [f"did you mean `{near}`?"] if near else [],
    )


def _check_field(
    c: Checker,
    info: StructInfo,
    entry: nodes.DictEntry,
    field: ShapeField,
    kind: Type | None,
    inference: Inference,
) -> None:
    expected = inference.apply(field.type)
    if fits(expected, given_to(field, kind)):
        return
    labels = [
        c.label(member.start, member.end, f"declared as {text(field.type)} here", info.source)
        for member in info.decl.members
        if member.name.text == field.name
    ]
    message = f"Field '{field.name}' in struct '{info.name}' expects {text(expected)}, got {text(kind)}"
    c.error(message, entry.value.start, entry.value.end, labels, suggested_conversion(expected, kind))


def _missing_field(c: Checker, info: StructInfo, field: ShapeField, name: nodes.Ident | nodes.Expr) -> None:
    labels = [
        c.label(member.start, member.end, "declared here", info.source)
        for member in info.decl.members
        if member.name.text == field.name
    ]
    message = f"Missing field '{field.name}' in struct '{info.name}' construction"
    c.warning(message, name.start, name.end, labels)


def construct_variant(c: Checker, info: EnumInfo, name: nodes.Ident, args: Sequence[nodes.Expr]) -> Type:
    """Check `E.V(args)` and return its type."""
    kinds: list[Type | None] = []
    certain = True
    for arg in args:
        if isinstance(arg, nodes.SpreadExpr):
            certain = False
            c.infer(arg.value)
        else:
            kinds.append(c.infer(arg))
    if known_variant(c, info, name) is None or not certain:
        return Nominal(info, (), FRESH)
    fields = enum_variants(info)[name.text].fields
    if len(fields) != len(kinds):
        message = f"{info.name}.{name.text} expects {len(fields)} argument(s), got {len(kinds)}"
        c.warning(message, name.start, args[-1].end if args else name.end, _variant_labels(c, info, name.text))
    inference = Inference(info.params, fits)
    for (label, expected), kind, arg in zip(fields, kinds, args, strict=False):
        if clash := inference.take(expected, kind):
            c.error(clash, arg.start, arg.end)
            continue
        wanted = inference.apply(expected)
        if not fits(wanted, kind):
            message = f"{info.name}.{name.text} expects {label}: {text(wanted)}, got {text(kind)}"
            c.error(
                message, arg.start, arg.end, _variant_labels(c, info, name.text), suggested_conversion(wanted, kind)
            )
    return _made(info, inference)


def _variant_labels(c: Checker, info: EnumInfo, name: str) -> list[Label]:
    ident = enum_variants(info)[name].ident
    return [] if ident is None else [c.label(ident.start, ident.end, "declared here", info.source)]


EXPRESSIONS: dict[type, Callable[..., Type | None]] = {nodes.StructExpr: _struct}
