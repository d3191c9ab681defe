"""The table of features: for each request, the function that answers it."""

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

    Answer = Callable[[Workspace, Any], Any]

FEATURES: dict[str, Answer] = {
    types.TEXT_DOCUMENT_HOVER: hover.hover,
    types.TEXT_DOCUMENT_SIGNATURE_HELP: signature_help.signature_help,
    types.TEXT_DOCUMENT_INLAY_HINT: inlay_hints.inlay_hints,
    types.TEXT_DOCUMENT_COMPLETION: completion.complete,
    types.COMPLETION_ITEM_RESOLVE: completion.resolve,
    types.TEXT_DOCUMENT_DEFINITION: definition.definition,
    types.TEXT_DOCUMENT_DECLARATION: definition.definition,
    types.TEXT_DOCUMENT_TYPE_DEFINITION: type_definition.type_definition,
    types.TEXT_DOCUMENT_IMPLEMENTATION: implementation.implementation,
    types.TEXT_DOCUMENT_REFERENCES: references.references,
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: references.highlights,
    types.TEXT_DOCUMENT_PREPARE_RENAME: renaming.prepare_rename,
    types.TEXT_DOCUMENT_RENAME: renaming.rename,
    types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: call_hierarchy.prepare,
    types.CALL_HIERARCHY_INCOMING_CALLS: call_hierarchy.incoming,
    types.CALL_HIERARCHY_OUTGOING_CALLS: call_hierarchy.outgoing,
    types.TEXT_DOCUMENT_DOCUMENT_LINK: document_links.document_links,
    types.WORKSPACE_SYMBOL: workspace_symbols.workspace_symbols,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: document_symbols.document_symbols,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: semantic_tokens.full,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: semantic_tokens.delta,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: semantic_tokens.in_range,
    types.TEXT_DOCUMENT_FOLDING_RANGE: folding.folding_ranges,
    types.TEXT_DOCUMENT_SELECTION_RANGE: selection_ranges.selection_ranges,
    types.TEXT_DOCUMENT_FORMATTING: formatting.full,
    types.TEXT_DOCUMENT_RANGE_FORMATTING: formatting.in_range,
    types.TEXT_DOCUMENT_ON_TYPE_FORMATTING: formatting.on_type,
    types.TEXT_DOCUMENT_CODE_ACTION: code_actions.code_actions,
}
