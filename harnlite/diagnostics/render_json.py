"""Diagnostics for programs: a JSON list."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.diagnostics.source import Source, Span


def render(diagnostics: Iterable[Diagnostic], *, color: bool = False) -> str:  # noqa: ARG001 - all renderers have the same signature
    """Return the JSON text of a list of diagnostics."""
    return dumps([mapping(diagnostic) for diagnostic in diagnostics])


def dumps(value: object) -> str:
    """Return a JSON document that ends in a newline."""
    import json

    return json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "replace").decode() + "\n"


def mapping(diagnostic: Diagnostic) -> dict[str, object]:
    """Return a diagnostic as plain data."""
    return {
        "severity": diagnostic.severity,
        "code": diagnostic.code,
        "message": diagnostic.message,
        **place(diagnostic.source, diagnostic.span),
        "help": list(diagnostic.help),
        "labels": [
            {"message": label.message, **place(label.source or diagnostic.source, label.span)}
            for label in diagnostic.labels
        ],
        **(_rule(diagnostic) if diagnostic.rule is not None else {}),
    }


def _rule(diagnostic: Diagnostic) -> dict[str, object]:
    """Return the keys that only findings of lint rules have."""
    return {
        "rule": diagnostic.rule,
        "fixes": [
            {
                "message": fix.message,
                "safe": fix.safe,
                "edits": [{"text": edit.text, **place(diagnostic.source, edit.span)} for edit in fix.edits],
            }
            for fix in diagnostic.fixes
        ],
    }


def place(source: Source, span: Span) -> dict[str, object]:
    """Return the file, and the start and end of a span with lines and columns from 1."""
    size = len(source.text)
    start, end = (source.position(min(max(offset, 0), size)) for offset in (span.start, span.end))
    return {
        "file": source.name,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    }
