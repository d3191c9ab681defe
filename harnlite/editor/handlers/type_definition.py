"""Go to type definition: the declaration of the type of the symbol under the cursor."""

from __future__ import annotations

from harnlite.analysis.types.representation import Alias, Applied, Nominal, Union
from harnlite.editor.handlers.definition import location_of
from harnlite.editor.names.spots import Reading, Spot, name_at
from harnlite.editor.names.symbols import TYPES, symbol_in, symbol_of
from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsprotocol import types

    from harnlite.analysis.types.representation import Type
    from harnlite.editor.names.symbols import Symbol
    from harnlite.editor.texts.workspace import Workspace


def type_definition(files: Workspace, params: types.TypeDefinitionParams) -> list[types.Location]:
    """Return the locations of the types that the value under the cursor may have."""
    document = files.document(params.text_document.uri)
    span = name_at(document, document.offset(params.position))
    if span is None:
        return []
    spot = Spot(Reading(files), document, span)
    places = [place for kind in _named(_type_at(spot)) if (place := _place_of(files, kind)) is not None]
    symbols = [] if places else [*_written(spot), symbol_of(spot)]
    for symbol in symbols:
        place = location_of(symbol) if symbol is not None and symbol.kind in TYPES else None
        places += [place] if place is not None else []
    return places


def _type_at(spot: Spot) -> Type | None:
    if isinstance(spot.node, nodes.NameExpr):
        return spot.type_of(spot.node)
    if isinstance(spot.parent, (nodes.PropertyExpr, nodes.MethodCallExpr)):
        return spot.type_of(spot.parent)
    return spot.type_bound_at(spot.span.start)


def _named(kind: Type | None) -> Iterator[Alias | Nominal]:
    """Yield the named types in a type."""
    if isinstance(kind, (Alias, Nominal)):
        yield kind
    for part in kind.members if isinstance(kind, Union) else kind.args if isinstance(kind, Applied) else ():
        yield from _named(part)


def _place_of(files: Workspace, kind: Alias | Nominal) -> types.Location | None:
    decl, source = kind.info.decl, kind.info.source
    document = files.file(source.path) if source is not None and source.path is not None else None
    return None if decl is None or document is None else document.location(decl.name)


def _written(spot: Spot) -> Iterator[Symbol | None]:
    """Yield the types in the annotation of a name."""
    written = spot.parent.type if isinstance(spot.parent, (nodes.Param, nodes.Field)) else None
    for node in walk(written) if written is not None else ():
        if isinstance(node, nodes.NamedType):
            name = nodes.Ident(node.start, node.start + len(node.name), node.name)
            yield symbol_in(spot.reading, spot.document, name)
