"""The conversion of findings to plain data and back, for the cache and for other processes."""

from __future__ import annotations

from harnlite.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from harnlite.diagnostics.source import Source, Span
from harnlite.diagnostics.source_files import read_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def packed(found: Sequence[Diagnostic]) -> tuple[tuple[Any, ...], ...]:
    """Return the findings of one file as plain data."""
    return tuple(
        (
            one.severity,
            one.message,
            (one.span.start, one.span.end),
            one.code,
            one.rule,
            one.help,
            one.tags,
            tuple((label.span.start, label.span.end, label.message, _place(label.source)) for label in one.labels),
            tuple((fix.message, fix.safe, tuple(map(_edit, fix.edits))) for fix in one.fixes),
        )
        for one in found
    )


def _place(source: Source | None) -> tuple[str, str | None] | None:
    return None if source is None else (source.name, source.path)


def _edit(edit: Edit) -> tuple[int, int, str]:
    return edit.span.start, edit.span.end, edit.text


def unpacked(data: Sequence[tuple[Any, ...]], source: Source) -> list[Diagnostic]:
    """Restore findings from plain data."""
    return [
        Diagnostic(
            severity,
            message,
            source,
            Span(*span),
            code=code,
            rule=rule,
            help=help_,
            tags=tags,
            labels=[Label(Span(start, end), text, _source(place)) for start, end, text, place in labels],
            fixes=[
                Fix(text, [Edit(Span(start, end), new) for start, end, new in edits], safe=safe)
                for text, safe, edits in fixes
            ],
        )
        for severity, message, span, code, rule, help_, tags, labels, fixes in data
    ]


def _source(place: tuple[str, str | None] | None) -> Source | None:
    """Return the file that a label points into, with an empty text if it no longer exists."""
    if place is None:
        return None
    name, path = place
    try:
        return read_source(path, name) if path else Source("", name)
    except OSError:
        return Source("", name, path)
