"""Suggestions where specific values are expected: option keys, struct fields and strings from a fixed set."""

from __future__ import annotations

from itertools import pairwise

from harnlite.analysis.checking.contents import held
from harnlite.analysis.editing.option_places import expected, expected_keys
from harnlite.analysis.types.annotations import binding_signature, expand, method_signature, resolve, struct_fields
from harnlite.analysis.types.nominal import EnumInfo, StructInfo
from harnlite.analysis.types.representation import BOOL, Literal, Nominal, Shape, Union, text
from harnlite.editor.names.spots import Reading
from harnlite.editor.suggestions.members import variants_of
from harnlite.editor.suggestions.suggestion import KEY, WORD, Kind, Suggestion
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from harnlite.analysis.types.representation import ShapeField, Type
    from harnlite.editor.suggestions.glimpse import Glimpse

_COMPARES = frozenset({"==", "!="})


def keys_at(glimpse: Glimpse) -> Iterator[Suggestion]:
    """Yield the keys that the dict or struct around the cursor accepts and does not have yet."""
    place = glimpse.place
    frame = place.frames[-1]
    if frame.key or place.quote >= 0 or place.previous[-1] not in {"{", ","} or not (frame.is_dict or frame.is_struct):
        return
    known = expected_keys(place.frames).keys
    for key, option in known.items():
        if key not in frame.keys:
            yield Suggestion(key, Kind.Property, KEY, detail=option.type, doc=option.text, insert=f"{key}: ")
    if not known:
        for field in _fields(glimpse).values():
            if field.name not in frame.keys and field.name.isidentifier():
                detail = f"{'?' if field.optional else ''}{text(field.type)}"
                yield Suggestion(field.name, Kind.Field, KEY, detail=detail, insert=f"{field.name}: ")


def pattern_at(glimpse: Glimpse) -> Sequence[Suggestion] | None:
    """Return the keys that a dict pattern around the cursor may bind; None if there is no pattern."""
    document = glimpse.document
    way = document.way_to(glimpse.offset)
    outer, pattern = next(
        (pair for pair in pairwise(way) if isinstance(pair[1], nodes.DictPattern)), (document.module, None)
    )
    if not isinstance(pattern, nodes.DictPattern):
        return [] if any(isinstance(node, nodes.DictPattern) for node in glimpse.way) else None
    noted = Reading(glimpse.files).noter(document, glimpse.offset).types
    kind = noted.get(outer.value) if isinstance(outer, nodes.LetStmt) else None
    if isinstance(outer, nodes.ForStmt):
        kind = held(noted.get(outer.iterable))
    listed = {entry.key.text for entry in pattern.entries if not entry.start <= glimpse.offset <= entry.end}
    return [
        Suggestion(field.name, Kind.Field, KEY, detail=text(field.type))
        for field in shape_fields(kind).values()
        if field.name not in listed and field.name.isidentifier() and glimpse.place.previous[-1] in {"{", ","}
    ]


def _fields(glimpse: Glimpse) -> Mapping[str, ShapeField]:
    """Return the fields of the struct or shape that is being written at the cursor."""
    frame = glimpse.place.frames[-1]
    info = glimpse.sight.types.get(frame.before)
    if frame.is_struct:
        return struct_fields(info) if isinstance(info, StructInfo) else {}
    for index in range(len(glimpse.way) - 1, 0, -1):
        if isinstance(glimpse.way[index], nodes.DictExpr):
            return shape_fields(_wanted(glimpse, glimpse.way[: index + 1]))
    return {}


def shape_fields(kind: Type | None) -> Mapping[str, ShapeField]:
    """Return the fields of a shape or struct type, which may be a union with nil."""
    kind = expand(kind)
    if isinstance(kind, Union):
        found = [fields for member in kind.members if (fields := shape_fields(member))]
        return found[0] if len(found) == 1 else {}
    if isinstance(kind, Nominal) and isinstance(kind.info, StructInfo):
        return struct_fields(kind.info)
    return kind.fields if isinstance(kind, Shape) else {}


def values_at(glimpse: Glimpse, quotes: str = "") -> Iterator[Suggestion]:
    """Yield the values expected at the cursor; `quotes` surround strings if the cursor is not in a string."""
    frames = glimpse.place.frames
    accepted = expected(frames)
    for choice in accepted.choices or _indexed(glimpse):
        yield Suggestion(f"{quotes}{choice}{quotes}", Kind.EnumMember, KEY, doc=accepted.choices.get(choice, ""))
    if quotes and "bool" in accepted.kinds:
        yield from _values_of(BOOL, quotes)
    elif not accepted.choices and glimpse.way:
        yield from _values_of(_wanted(glimpse, glimpse.way), quotes)


def _indexed(glimpse: Glimpse) -> Iterator[str]:
    """Yield the keys of the dict that is subscripted at the cursor."""
    outer = glimpse.way[-2] if glimpse.place.quote >= 0 and len(glimpse.way) > 1 else None
    if isinstance(outer, nodes.IndexExpr) and outer.index is glimpse.node:
        yield from shape_fields(glimpse.type_of(outer.receiver))


def literals_of(kind: Type | None) -> Iterator[str]:
    """Yield the strings of a literal type."""
    kind = expand(kind)
    for member in kind.members if isinstance(kind, Union) else (kind,):
        inner = expand(member)
        if isinstance(inner, Literal) and inner.kind == "string":
            yield str(inner.value)


def arm_patterns(glimpse: Glimpse) -> Iterator[Suggestion]:
    """Yield patterns for an arm of a `match`, by the type of its subject if that is known."""
    match = next((node for node in reversed(glimpse.way) if isinstance(node, nodes.MatchExpr)), None)
    kind = None if match is None else glimpse.type_of(match.subject)
    yield from _values_of(kind, '"')
    infos = (binding.info for binding in glimpse.sight.names.values())
    for info in [] if kind is not None else [info for info in infos if isinstance(info, EnumInfo)]:
        yield from variants_of(info, f"{info.name}.")
    for word in ("_", "nil", "true", "false"):
        yield Suggestion(word, Kind.Keyword, WORD)


def _values_of(kind: Type | None, quotes: str) -> Iterator[Suggestion]:
    """Yield the values of a type with a fixed set of values."""
    kind = expand(kind)
    for choice in literals_of(kind):
        yield Suggestion(f"{quotes}{choice}{quotes}", Kind.EnumMember, KEY)
    for member in kind.members if isinstance(kind, Union) else (kind,):
        inner = expand(member)
        if quotes and isinstance(inner, Nominal) and isinstance(inner.info, EnumInfo):
            yield from variants_of(inner.info, f"{inner.info.name}.")
        if quotes and inner is BOOL:
            yield from (Suggestion(word, Kind.Keyword, KEY) for word in ("true", "false"))


def _wanted(glimpse: Glimpse, way: Sequence[nodes.Node]) -> Type | None:
    """Return the type expected of the innermost of some nested nodes."""
    inner, outer = way[-1], way[-2] if len(way) > 1 else None
    if isinstance(inner, nodes.NamePattern) or outer is None:
        return None
    finder = _WANTED.get(type(outer))
    return None if finder is None else finder(glimpse, outer, inner, way)


def _compared(glimpse: Glimpse, outer: nodes.BinaryExpr, inner: nodes.Node, _way: Sequence[nodes.Node]) -> Type | None:
    if outer.op not in _COMPARES:
        return None
    return glimpse.type_of(outer.right if inner is outer.left else outer.left)


def _argument(glimpse: Glimpse, outer: nodes.CallExpr, inner: nodes.Node, _way: Sequence[nodes.Node]) -> Type | None:
    callee = outer.callee
    binding = glimpse.sight.names.get(callee.name) if isinstance(callee, nodes.NameExpr) else None
    head = binding_signature(binding) if binding is not None and binding.home is not None else None
    if head is None or inner not in outer.args:
        return None
    index = outer.args.index(inner)
    return head.params[index].type if index < len(head.params) else None


def _method_argument(
    glimpse: Glimpse, outer: nodes.MethodCallExpr, inner: nodes.Node, _way: Sequence[nodes.Node]
) -> Type | None:
    kind = expand(glimpse.type_of(outer.receiver))
    info = kind.info if isinstance(kind, Nominal) else None
    method = info.methods.get(outer.name.text) if isinstance(info, StructInfo) else None
    if method is None or inner not in outer.args:
        return None
    params = method_signature(method).params[1:]
    index = outer.args.index(inner)
    return params[index].type if index < len(params) else None


def _bound(glimpse: Glimpse, outer: nodes.LetStmt, inner: nodes.Node, _way: Sequence[nodes.Node]) -> Type | None:
    return resolve(outer.type, glimpse.noter.scope) if inner is outer.value else None


def _entry(glimpse: Glimpse, outer: nodes.DictEntry, inner: nodes.Node, way: Sequence[nodes.Node]) -> Type | None:
    """Return the type of the field that an entry of a struct or shape sets."""
    if inner is not outer.value or not isinstance(outer.key, nodes.LiteralExpr) or len(way) < len(("around", "", "")):
        return None
    around = way[-3]
    if isinstance(around, nodes.StructExpr):
        info = glimpse.sight.types.get(around.name.text)
        fields: Mapping[str, ShapeField] = struct_fields(info) if isinstance(info, StructInfo) else {}
    else:
        fields = shape_fields(_wanted(glimpse, way[:-2]))
    field = fields.get(str(outer.key.value))
    return None if field is None else field.type


def _matched(
    glimpse: Glimpse, _outer: nodes.ValuePattern, _inner: nodes.Node, way: Sequence[nodes.Node]
) -> Type | None:
    match = next((node for node in reversed(way) if isinstance(node, nodes.MatchExpr)), None)
    return None if match is None else glimpse.type_of(match.subject)


_WANTED: dict[type, Callable[..., Type | None]] = {
    nodes.BinaryExpr: _compared,
    nodes.CallExpr: _argument,
    nodes.MethodCallExpr: _method_argument,
    nodes.LetStmt: _bound,
    nodes.DictEntry: _entry,
    nodes.ValuePattern: _matched,
}
