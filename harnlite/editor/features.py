"""The table of features: for each request, the function that answers it and the options announced to the editor."""

from __future__ import annotations

from lsprotocol import types

from harnlite.editor.handlers import (
    call_hierarchy,
    code_actions,
    completion,
    definition,
    document_links,
    document_symbols,
    folding,
    formatting,
    hover,
    implementation,
    inlay_hints,
    references,
    renaming,
    selection_ranges,
    semantic_tokens,
    signature_help,
    type_definition,
    workspace_symbols,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.editor.texts.workspace import Workspace

    Feature = tuple[str, Callable[[Workspace, Any], Any], Any]

FEATURES: tuple[Feature, ...] = (
    (types.TEXT_DOCUMENT_HOVER, hover.hover, None),
    (types.TEXT_DOCUMENT_SIGNATURE_HELP, signature_help.signature_help, signature_help.OPTIONS),
    (types.TEXT_DOCUMENT_INLAY_HINT, inlay_hints.inlay_hints, None),
    (types.TEXT_DOCUMENT_COMPLETION, completion.complete, completion.OPTIONS),
    (types.COMPLETION_ITEM_RESOLVE, completion.resolve, None),
    (types.TEXT_DOCUMENT_DEFINITION, definition.definition, None),
    (types.TEXT_DOCUMENT_DECLARATION, definition.definition, None),
    (types.TEXT_DOCUMENT_TYPE_DEFINITION, type_definition.type_definition, None),
    (types.TEXT_DOCUMENT_IMPLEMENTATION, implementation.implementation, None),
    (types.TEXT_DOCUMENT_REFERENCES, references.references, None),
    (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, references.highlights, None),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, renaming.prepare_rename, None),
    (types.TEXT_DOCUMENT_RENAME, renaming.rename, types.RenameOptions(prepare_provider=True)),
    (types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, call_hierarchy.prepare, None),
    (types.CALL_HIERARCHY_INCOMING_CALLS, call_hierarchy.incoming, None),
    (types.CALL_HIERARCHY_OUTGOING_CALLS, call_hierarchy.outgoing, None),
    (types.TEXT_DOCUMENT_DOCUMENT_LINK, document_links.document_links, None),
    (types.WORKSPACE_SYMBOL, workspace_symbols.workspace_symbols, None),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, document_symbols.document_symbols, None),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, semantic_tokens.full, semantic_tokens.LEGEND),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, semantic_tokens.delta, semantic_tokens.LEGEND),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, semantic_tokens.in_range, semantic_tokens.LEGEND),
    (types.TEXT_DOCUMENT_FOLDING_RANGE, folding.folding_ranges, None),
    (types.TEXT_DOCUMENT_SELECTION_RANGE, selection_ranges.selection_ranges, None),
    (types.TEXT_DOCUMENT_FORMATTING, formatting.full, None),
    (types.TEXT_DOCUMENT_RANGE_FORMATTING, formatting.in_range, None),
    (types.TEXT_DOCUMENT_ON_TYPE_FORMATTING, formatting.on_type, formatting.TRIGGERS),
    (types.TEXT_DOCUMENT_CODE_ACTION, code_actions.code_actions, types.CodeActionOptions(code_actions.KINDS)),
)
