"""Completion: what may stand at the cursor, and what there is to read about it once somebody looks at it."""

from __future__ import annotations

from lsprotocol import types

from harnlite.editor.foreign import FOREIGN_FROM
from harnlite.editor.glimpse import Glimpse
from harnlite.editor.modules import crossing_of
from harnlite.editor.suggesting import is_specific, suggested
from harnlite.editor.wording import doc_of, head_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.editor.documents import Document
    from harnlite.editor.suggestion import Suggestion
    from harnlite.editor.workspace import Workspace

OPTIONS = types.CompletionOptions(trigger_characters=[".", '"', "@", "/", "[", "{", "-"], resolve_provider=True)
_OFTEN = frozenset('"/[{-')
"""Characters that are typed often where nothing certain can be said."""


def complete(files: Workspace, params: types.CompletionParams) -> types.CompletionList | None:
    """Return what may stand at the cursor."""
    document = files.document(params.text_document.uri)
    glimpse = Glimpse(files, document, document.offset(params.position))
    typed = params.context.trigger_character if params.context is not None else None
    if typed in _OFTEN and not is_specific(glimpse):
        return None
    word = glimpse.place.word
    lower = word.lower()
    chosen: dict[str, Suggestion] = {}
    for one in suggested(glimpse):
        if one.fits(lower):
            chosen.setdefault(f"{one.label} " if one.snippet else one.label, one)
    shown = sorted(chosen.values(), key=lambda one: (not _begins(one, word), one.rank))
    where = types.Range(document.position(glimpse.place.start), params.position)
    items = [_item(one, where, index) for index, one in enumerate(shown)]
    return types.CompletionList(is_incomplete=len(word) < FOREIGN_FROM and not is_specific(glimpse), items=items)


def _begins(one: Suggestion, word: str) -> bool:
    return one.label.removeprefix('"').startswith(word)


def _item(one: Suggestion, where: types.Range, index: int) -> types.CompletionItem:
    item = types.CompletionItem(
        one.label,
        kind=one.kind,
        detail=one.detail or None,
        sort_text=f"{index:04d}",
        text_edit=types.TextEdit(where, one.label if one.insert is None else one.insert),
        data=one.data,
    )
    if one.doc:
        item.documentation = types.MarkupContent(types.MarkupKind.Markdown, one.doc)
    if one.snippet:
        item.insert_text_format = types.InsertTextFormat.Snippet
    if one.deprecated:
        item.tags = [types.CompletionItemTag.Deprecated]
    if one.label.startswith('"'):
        item.filter_text = one.label.strip('"')
    if one.edits:
        item.additional_text_edits = list(one.edits)
    if one.source:
        item.label_details = types.CompletionItemLabelDetails(description=one.source)
    return item


def resolve(files: Workspace, item: types.CompletionItem) -> types.CompletionItem:
    """Add to an item what there is to read about it."""
    data = item.data if isinstance(item.data, dict) else {}
    text = _read(files, data)
    if text:
        item.documentation = types.MarkupContent(types.MarkupKind.Markdown, text)
    return item


def _read(files: Workspace, data: dict[str, str]) -> str:
    builtin = files.declarations.entries.get(data.get("builtin", ""))
    if builtin is not None:
        return builtin[4]
    if "uri" in data:
        return _declared(files.document(data["uri"]), data.get("name", ""))
    return ""


def _declared(document: Document, name: str) -> str:
    decl = next((node for node in crossing_of(document) if node.name.text == name), None)
    if decl is None:
        return ""
    return f"```harn\n{head_of(decl, document.text)}\n```\n\n{doc_of(decl)}".rstrip()
