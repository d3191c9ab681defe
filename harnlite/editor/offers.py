"""The features that the server announces: the requests that it answers, and their options.

They are apart from the functions that answer, because the answer to `initialize` does not wait for those.
"""

from __future__ import annotations

from lsprotocol import types

from harnlite.editor.edits.action_kinds import FIX_ALL
from harnlite.editor.names.token_types import MODIFIERS, TYPES

_LEGEND = types.SemanticTokensLegend(TYPES, MODIFIERS)

OFFERS: dict[str, object] = {
    types.TEXT_DOCUMENT_HOVER: None,
    types.TEXT_DOCUMENT_SIGNATURE_HELP: types.SignatureHelpOptions(
        trigger_characters=["(", ","], retrigger_characters=[")"]
    ),
    types.TEXT_DOCUMENT_INLAY_HINT: None,
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(
        trigger_characters=[".", '"', "@", "/", "[", "{", "-"], resolve_provider=True
    ),
    types.COMPLETION_ITEM_RESOLVE: None,
    types.TEXT_DOCUMENT_DEFINITION: None,
    types.TEXT_DOCUMENT_DECLARATION: None,
    types.TEXT_DOCUMENT_TYPE_DEFINITION: None,
    types.TEXT_DOCUMENT_IMPLEMENTATION: None,
    types.TEXT_DOCUMENT_REFERENCES: None,
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: None,
    types.TEXT_DOCUMENT_PREPARE_RENAME: None,
    types.TEXT_DOCUMENT_RENAME: types.RenameOptions(prepare_provider=True),
    types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: None,
    types.CALL_HIERARCHY_INCOMING_CALLS: None,
    types.CALL_HIERARCHY_OUTGOING_CALLS: None,
    types.TEXT_DOCUMENT_DOCUMENT_LINK: None,
    types.WORKSPACE_SYMBOL: None,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: None,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: _LEGEND,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: _LEGEND,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: _LEGEND,
    types.TEXT_DOCUMENT_FOLDING_RANGE: None,
    types.TEXT_DOCUMENT_SELECTION_RANGE: None,
    types.TEXT_DOCUMENT_FORMATTING: None,
    types.TEXT_DOCUMENT_RANGE_FORMATTING: None,
    types.TEXT_DOCUMENT_ON_TYPE_FORMATTING: types.DocumentOnTypeFormattingOptions("}", ["]", ")", "\n"]),
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions((types.CodeActionKind.QuickFix, FIX_ALL)),
}
