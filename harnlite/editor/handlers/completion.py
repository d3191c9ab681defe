"""Completion: the suggestions at the cursor, and the documentation of a selected one."""

from __future__ import annotations

import re

from lsprotocol import types

from harnlite.analysis.builtins.signatures import signature_text
from harnlite.analysis.editing.template_places import template_place
from harnlite.editor.hovers.options import with_options
from harnlite.editor.names.modules import crossing_of
from harnlite.editor.names.wording import doc_of, head_of
from harnlite.editor.suggestions.candidates import is_specific, suggested
from harnlite.editor.suggestions.foreign import FOREIGN_FROM
from harnlite.editor.suggestions.glimpse import Glimpse
from harnlite.editor.suggestions.templates import template_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.editing.template_places import TemplatePlace
    from harnlite.editor.suggestions.suggestion import Suggestion
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

_MOST = 1000
_COLON = re.compile(r"[ \t]*:")
_OFTEN = frozenset('"/[{-')
"""Trigger characters that are often typed where nothing specific can be suggested."""


def complete(files: Workspace, params: types.CompletionParams) -> types.CompletionList | None:
    """Return the suggestions for the cursor."""
    document = files.document(params.text_document.uri)
    offset = document.offset(params.position)
    place = template_place(document.way_to(offset), document.text, offset)
    if place is not None:
        return _in_template(document, place, offset)
    glimpse = Glimpse(files, document, offset)
    typed = params.context.trigger_character if params.context is not None else None
    if typed in _OFTEN and not is_specific(glimpse):
        return None
    word = glimpse.place.word
    lower = word.lower()
    chosen: dict[str, Suggestion] = {}
    for one in suggested(glimpse):
        if one.fits(lower):
            chosen.setdefault(f"{one.label} " if one.snippet else one.label, one)
        if len(chosen) >= _MOST:
            break
    shown = sorted(chosen.values(), key=lambda one: (not _begins(one, word), one.rank))
    end = _word_end(document.text, glimpse.offset) if word else glimpse.offset
    where = types.Range(document.position(glimpse.place.start), document.position(end))
    has_colon = _COLON.match(document.text, end) is not None
    items = [_item(one, where, index, has_colon=has_colon) for index, one in enumerate(shown)]
    is_incomplete = len(items) >= _MOST or (len(word) < FOREIGN_FROM and not is_specific(glimpse))
    return types.CompletionList(is_incomplete=is_incomplete, items=items)


def _in_template(document: Document, place: TemplatePlace, offset: int) -> types.CompletionList:
    """Return the suggestions for a directive of a template."""
    word = place.word
    chosen = sorted(
        (one for one in template_names(place) if one.fits(word.lower())), key=lambda one: not _begins(one, word)
    )
    start = offset - len(word)
    where = types.Range(document.position(start), document.position(_word_end(document.text, start)))
    items = [_item(one, where, index, has_colon=False) for index, one in enumerate(chosen)]
    return types.CompletionList(is_incomplete=False, items=items)


def _begins(one: Suggestion, word: str) -> bool:
    return one.label.removeprefix('"').startswith(word)


def _word_end(text: str, offset: int) -> int:
    """Return the end of the word at an offset."""
    while offset < len(text) and (text[offset].isalnum() or text[offset] == "_"):
        offset += 1
    return offset


def _item(one: Suggestion, where: types.Range, index: int, *, has_colon: bool) -> types.CompletionItem:
    insert = one.label if one.insert is None or (has_colon and one.insert == f"{one.label}: ") else one.insert
    item = types.CompletionItem(
        one.label,
        kind=one.kind,
        detail=one.detail or None,
        sort_text=f"{index:04d}",
        data=one.data,
        # otherwise the editor inserts the label
        text_edit=types.TextEdit(where, insert) if where.start != where.end or not insert.isidentifier() else None,
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
    """Add the documentation to an item."""
    data = item.data if isinstance(item.data, dict) else {}
    builtin = data.get("builtin", "")
    if builtin in files.declarations.entries and not item.detail:
        item.detail = signature_text(builtin, files.declarations)
    text = _documentation(files, data)
    if text:
        item.documentation = types.MarkupContent(types.MarkupKind.Markdown, text)
    return item


def _documentation(files: Workspace, data: dict[str, str]) -> str:
    name = data.get("builtin", "")
    builtin = files.declarations.entries.get(name)
    if builtin is not None:
        return with_options(name, [param[0] for param in builtin[0]], builtin[4])
    if "uri" in data:
        return _declared(files.document(data["uri"]), data.get("name", ""))
    return ""


def _declared(document: Document, name: str) -> str:
    decl = next((node for node in crossing_of(document) if node.name.text == name), None)
    if decl is None:
        return ""
    return f"```harn\n{head_of(decl, document.text)}\n```\n\n{doc_of(decl)}".rstrip()
