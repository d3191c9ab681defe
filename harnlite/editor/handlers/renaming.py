"""Renaming: the edits at all occurrences of a symbol, or the reason for a refusal."""

from __future__ import annotations

from lsprotocol import types

from harnlite.editor.edits.workspace_edits import change_of
from harnlite.editor.names.conformance import family_of
from harnlite.editor.names.occurrences import occurrences
from harnlite.editor.names.spots import name_at
from harnlite.editor.names.symbols import symbol_at
from harnlite.editor.renames.checks import check_meanings, check_name, check_strings, check_symbol
from harnlite.editor.renames.member_checks import check_members
from harnlite.editor.renames.outcome import Renamed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.editor.texts.workspace import Workspace


def prepare_rename(files: Workspace, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    """Return the name under the cursor if it can be renamed."""
    document = files.document(params.text_document.uri)
    offset = document.offset(params.position)
    symbol = symbol_at(files, document, offset)
    if symbol is None:
        return None
    check_symbol(symbol)
    span = name_at(document, offset)
    return None if span is None else types.PrepareRenamePlaceholder(document.range(span), symbol.name)


def rename(files: Workspace, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """Return the edit that renames the symbol under the cursor, if it does not change the meaning of the program."""
    document = files.document(params.text_document.uri)
    symbol = symbol_at(files, document, document.offset(params.position))
    if symbol is None:
        return None
    check_symbol(symbol)
    name = params.new_name.strip()
    check_name(symbol, name)
    renamed = Renamed(symbol.name, name)
    family = family_of(symbol, files.files()) if name != symbol.name else []
    for member in family:
        check_symbol(member)
        check_strings(member)
        check_members(files, member, name)
        for found in occurrences(files, member, document, everywhere=True):
            renamed.add(found)
    check_meanings(files, family, renamed)
    return change_of(files, renamed.edits())
