"""Proposals for findings: alternatives from which the user chooses, where the linter has no fix of its own."""

from __future__ import annotations

import re

from harnlite.analysis.editing.completion_places import place_in
from harnlite.analysis.editing.option_places import expected
from harnlite.analysis.linting.context.fix_edits import insertion, item_removal, replacement
from harnlite.analysis.types.annotations import enum_variants, expand
from harnlite.analysis.types.nominal import EnumInfo
from harnlite.analysis.types.representation import Nominal
from harnlite.editor.names.spots import Reading
from harnlite.editor.names.symbols import symbol_at
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnlite.diagnostics.diagnostic import Diagnostic, Edit
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

    Proposal = tuple[str, list[Edit]]

_MISSING_ARMS = re.compile(r"this match leaves out|Non-exhaustive match on (?:enum|literal union)")
_MISSING = re.compile(r'`\w+\.(\w+)`|"([^"]*)"')
_UNKNOWN_KEY = re.compile(r"unknown (?:\w+ )?option\(s\)|Unknown field")
_NO_EXPIRY = re.compile(r"this reminder may be dropped by a compaction")
_FIXED = re.compile(r"Cannot assign to '(\w+)': variable is immutable \(declared with 'let'\)")
_CONVERTED = re.compile(r"with (\w+)\(value\)")


def proposals(files: Workspace, document: Document, found: Diagnostic) -> Iterator[Proposal]:
    """Yield the titles and edits of the proposals for a finding."""
    yield from _choices(document, found)
    yield from _conversions(found)
    for pattern, propose in _BY_MESSAGE:
        if pattern.search(found.message):
            yield from propose(files, document, found)


def _choices(document: Document, found: Diagnostic) -> Iterator[Proposal]:
    """Yield the other choices for a string that is one of a fixed set."""
    span = found.span
    written = document.text[span.start : span.end]
    if written.startswith('"') and written.endswith('"') and len(written) > 1:
        for choice in expected(place_in(document.text, span.start + 1).frames).choices:
            if choice != written.strip('"'):
                yield f'Write `"{choice}"`', [replacement(span, f'"{choice}"')]


def _conversions(found: Diagnostic) -> Iterator[Proposal]:
    for advice in found.help:
        conversion = _CONVERTED.search(advice)
        if conversion is not None:
            yield (
                f"Wrap it in `{conversion[1]}`",
                [insertion(found.span.start, f"{conversion[1]}("), insertion(found.span.end, ")")],
            )


def _arms(files: Workspace, document: Document, found: Diagnostic) -> Iterator[Proposal]:
    """Yield the arms that a match omits."""
    start = found.span.start
    match = next((node for node in reversed(document.way_to(start)) if isinstance(node, nodes.MatchExpr)), None)
    missing = [one or other for one, other in _MISSING.findall(found.message)]
    if match is None or not match.arms or not missing:
        return
    kind = expand(Reading(files).noter(document, start).types.get(match.subject))
    patterns = [f'"{text}"' for text in missing]
    if isinstance(kind, Nominal) and isinstance(kind.info, EnumInfo):
        patterns = [_variant(kind.info, name) for name in missing]
    elif isinstance(match.arms[0].pattern, nodes.VariantPattern):
        patterns = [f"{match.arms[0].pattern.enum.text}.{name}" for name in missing]
    indent = " " * (document.source.position(match.arms[0].start).column - 1)
    arms = "".join(f'\n{indent}{pattern} -> {{ throw "not handled yet" }}' for pattern in patterns)
    yield "Add the missing arms", [insertion(match.arms[-1].end, arms)]


def _variant(info: EnumInfo, name: str) -> str:
    fields = (
        ", ".join(label for label, _kind in enum_variants(info)[name].fields) if name in enum_variants(info) else ""
    )
    return f"{info.name}.{name}({fields})" if fields else f"{info.name}.{name}"


def _without_key(_files: Workspace, document: Document, found: Diagnostic) -> Iterator[Proposal]:
    way = document.way_to(found.span.start)
    around = next((node for node in reversed(way) if isinstance(node, (nodes.DictExpr, nodes.StructExpr))), None)
    entries = [] if around is None else around.entries
    index = next((index for index, one in enumerate(entries) if one.start <= found.span.start < one.end), None)
    if index is not None and len(entries) > 1:
        key = document.text[found.span.start : found.span.end].strip('"')
        yield f"Remove `{key}`", [item_removal(entries, index)]


def _ends(_files: Workspace, _document: Document, found: Diagnostic) -> Iterator[Proposal]:
    yield "Write `preserve_on_compact: true`", [replacement(found.span, "true")]
    yield "Add `ttl_turns: 1`", [insertion(found.span.end, ", ttl_turns: 1")]


def _variable(files: Workspace, document: Document, found: Diagnostic) -> Iterator[Proposal]:
    symbol = symbol_at(files, document, found.span.start)
    if symbol is None or symbol.span is None or symbol.document is not document:
        return
    way = document.way_to(symbol.span.start)
    bound = next((node for node in reversed(way) if isinstance(node, nodes.LetStmt)), None)
    if bound is not None and document.text.startswith("let", bound.start):
        yield (
            f"Declare `{symbol.name}` with `var`",
            [replacement(type(found.span)(bound.start, bound.start + 3), "var")],
        )


_BY_MESSAGE: tuple[tuple[re.Pattern[str], Callable[[Workspace, Document, Diagnostic], Iterator[Proposal]]], ...] = (
    (_MISSING_ARMS, _arms),
    (_UNKNOWN_KEY, _without_key),
    (_NO_EXPIRY, _ends),
    (_FIXED, _variable),
)
"""Patterns of messages, with the functions that propose edits for them."""
