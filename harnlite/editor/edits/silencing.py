"""Edits that silence a finding on its line or a code in its file."""

from __future__ import annotations

from harnlite.analysis.linting.context.fix_edits import insertion
from harnlite.analysis.linting.context.suppressions import suppressions_in
from harnlite.editor.edits.importing import head_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.suppressions import Suppression
    from harnlite.diagnostics.diagnostic import Diagnostic, Edit
    from harnlite.editor.texts.documents import Document


def on_line(document: Document, found: Diagnostic) -> Edit | None:
    """Return the edit that silences a finding, at the end of its line or above it, if a comment is possible there."""
    source, code = document.source, str(found.code)
    first, last = (source.position(at).line for at in (found.span.start, max(found.span.end - 1, 0)))
    for known in suppressions_in(source):
        if known.lines is not None and known.codes and not known.lines.isdisjoint((first, last)):
            return _joined(document, known, code)
    for line in (first, last):
        if _ends(document, line):
            end = source.starts[line - 1] + len(source.line(line))
            return insertion(end, f" // harn: ignore[{code}]")
    if not _ends(document, first - 1):
        return None
    text = source.line(first)
    indent = text[: len(text) - len(text.lstrip())]
    return insertion(source.starts[first - 1], f"{indent}// harn: ignore[{code}]\n")


def in_file(document: Document, code: str) -> Edit:
    """Return the edit that silences a code everywhere in a file."""
    for known in suppressions_in(document.source):
        if known.lines is None and known.codes:
            return _joined(document, known, code)
    return insertion(head_end(document.text), f"// harn: file-ignore[{code}]\n")


def _joined(document: Document, known: Suppression, code: str) -> Edit:
    """Return the edit that adds a code to an existing comment."""
    return insertion(document.text.index("]", known.span.start), f", {code}")


def _ends(document: Document, line: int) -> bool:
    """Return whether a comment can follow a line: not in a string or comment, nor before a joined line."""
    if not line:
        return True
    text = document.source.line(line)
    end = document.source.starts[line - 1] + len(text)
    return not text.endswith("\\") and not any(lexeme.start <= end < lexeme.end for lexeme in document.lexemes)
