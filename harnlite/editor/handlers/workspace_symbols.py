"""Workspace symbols: the declarations of all files, found by a few letters of their names."""

from __future__ import annotations

import re

from lsprotocol import types

from harnlite.editor.handlers.document_symbols import document_symbols

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

    Found = tuple[types.DocumentSymbol, str]

MOST = 500
"""The limit of results; a longer query finds the others."""
_IMPL = "impl "
_OMITTED = frozenset({types.SymbolKind.Property})


def workspace_symbols(files: Workspace, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    """Return the declarations whose names contain the letters of the query in order, closest first."""
    query = "".join(params.query.split())
    letters = _letters(query)
    found: list[tuple[tuple[int, int, str], types.WorkspaceSymbol]] = []
    for document in files.files():
        if letters.search(document.text) is None:
            continue
        for symbol, container in _declared(files, document):
            rank = _rank(query, symbol.name, container, letters)
            if rank is not None:
                place = types.Location(document.uri, symbol.selection_range)
                made = types.WorkspaceSymbol(
                    place, symbol.name, symbol.kind, tags=symbol.tags, container_name=container or None
                )
                found.append(((*rank, symbol.name), made))
        if not query and len(found) >= MOST:
            break
    found.sort(key=lambda one: one[0])
    return [symbol for _, symbol in found[:MOST]]


def _letters(query: str) -> re.Pattern[str]:
    """Return a pattern for words with the letters of a query in order; only the part after the last dot counts."""
    last = query.rpartition(".")[2]
    return re.compile(r"\w*?".join(map(re.escape, last)), re.IGNORECASE)


def _rank(query: str, name: str, container: str, letters: re.Pattern[str]) -> tuple[int, int] | None:
    """Return the distance of a name from the query, or None if it does not match."""
    owner, _, last = query.rpartition(".")
    if letters.search(name) is None or (owner and _letters(owner).search(container) is None):
        return None
    wanted, known = last.lower(), name.lower()
    nearness = (name == last, known == wanted, known.startswith(wanted), wanted in known)
    return nearness.index(True) if True in nearness else len(nearness), len(name)


def _declared(files: Workspace, document: Document) -> Iterator[Found]:
    identifier = types.TextDocumentIdentifier(document.uri)
    yield from _flat(document_symbols(files, types.DocumentSymbolParams(identifier)), "")


def _flat(symbols: Sequence[types.DocumentSymbol], container: str) -> Iterator[Found]:
    """Yield declarations and nested declarations, each with the name of its container."""
    for symbol in symbols:
        is_impl = symbol.name.startswith(_IMPL)
        if not is_impl and symbol.kind not in _OMITTED:
            yield symbol, container
        yield from _flat(symbol.children or (), symbol.name.removeprefix(_IMPL))
