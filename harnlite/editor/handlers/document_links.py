"""Document links: the paths of imports."""

from __future__ import annotations

from lsprotocol import types

from harnlite.editor.names.modules import imports_of
from harnlite.editor.names.occurrences import path_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.editor.texts.workspace import Workspace


def document_links(files: Workspace, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """Return the paths of imports, linked to the imported files."""
    document = files.document(params.text_document.uri)
    found = ((node, files.imported(document, node.path)) for node in imports_of(document) if node.path)
    return [
        types.DocumentLink(document.range(path_span(node)), target.uri, tooltip=target.path)
        for node, target in found
        if target is not None
    ]
