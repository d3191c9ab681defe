"""References: the occurrences of the symbol under the cursor, in all files or highlighted in one."""

from __future__ import annotations

from lsprotocol import types

from harnlite.editor.names.conformance import relatives_of
from harnlite.editor.names.occurrences import occurrences
from harnlite.editor.names.symbols import MODULE, symbol_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.editor.texts.workspace import Workspace


def references(files: Workspace, params: types.ReferenceParams) -> list[types.Location]:
    """Return the occurrences of a symbol in all files; for a method, also those of related interface methods."""
    document = files.document(params.text_document.uri)
    symbol = symbol_at(files, document, document.offset(params.position))
    if symbol is None:
        return []
    wanted = params.context.include_declaration
    return [
        found.document.location(found.span)
        for meant in relatives_of(symbol, files.files())
        for found in occurrences(files, meant, document, everywhere=True)
        if wanted or not found.is_declaration
    ]


def highlights(files: Workspace, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    """Return the occurrences of a symbol in its file, marked as reads or writes."""
    document = files.document(params.text_document.uri)
    symbol = symbol_at(files, document, document.offset(params.position))
    if symbol is None:
        return []
    read, write = types.DocumentHighlightKind.Read, types.DocumentHighlightKind.Write
    if symbol.kind == MODULE:
        read = types.DocumentHighlightKind.Text
    return [
        types.DocumentHighlight(document.range(found.span), write if found.is_write else read)
        for meant in relatives_of(symbol, [document])
        for found in occurrences(files, meant, document, everywhere=False)
    ]
