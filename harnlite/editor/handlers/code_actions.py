"""Code actions for findings: fixes, imports, proposals and comments that silence them."""

from __future__ import annotations

import re

from lsprotocol import types

from harnlite.analysis.linting.code_selection import SYNTAX_ERROR, UNUSED_SUPPRESSION
from harnlite.analysis.linting.fixing import apart, fix_source, fixes_of
from harnlite.diagnostics.diagnostic import Edit
from harnlite.diagnostics.source import Span
from harnlite.editor.edits.action_kinds import FIX_ALL
from harnlite.editor.edits.importing import import_edit, offers
from harnlite.editor.edits.proposals import proposals
from harnlite.editor.edits.silencing import in_file, on_line
from harnlite.editor.edits.workspace_edits import change_of, edits_of, rewritten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic, Fix
    from harnlite.editor.texts.workspace import Workspace

_LARGE = 60_000
"""For texts longer than this, automatic requests are answered only once the text has been checked."""
_MOST_IMPORTS = 8
_NOT_SILENCED = frozenset({SYNTAX_ERROR.code, UNUSED_SUPPRESSION.code, None})
_UNKNOWN = re.compile(r"`(\w+)` is not defined$|call target `(\w+)` is not defined|unknown struct type `(\w+)`")
_NEAR = re.compile(r"did you mean `([^`]+)`\?")
_NAME = re.compile(r"\w+")


def code_actions(files: Workspace, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the code actions for a range, or for the whole file if the request asks for them."""
    return list(_Offering(files, params).actions())


class _Offering:
    """The code actions for one request."""

    def __init__(self, files: Workspace, params: types.CodeActionParams) -> None:
        self.files = files
        self.document = files.document(params.text_document.uri)
        self.context = params.context
        self.start, self.end = self.document.offset(params.range.start), self.document.offset(params.range.end)
        self.is_automatic = params.context.trigger_kind is types.CodeActionTriggerKind.Automatic
        self.findings = files.findings_of(self.document) if self._is_ready() else []

    def _is_ready(self) -> bool:
        """Return whether findings are known, or can be computed without delaying the editor."""
        is_quick = not self.is_automatic or len(self.document.text) < _LARGE
        return is_quick or self.files.known_findings(self.document) is not None

    def actions(self) -> Iterator[types.CodeAction]:
        """Yield the requested actions, the most likely ones first."""
        if self.wants(types.CodeActionKind.QuickFix):
            here = [one for one in self.findings if one.span.start <= self.end and self.start <= one.span.end]
            for answers in (self.fixes, self.imports, self.near_names, self.others, self.rule_fixes, self.silences):
                yield from answers(here)
        if self.wants(FIX_ALL) and not (self.is_automatic and self.context.only is None):
            yield from self.all_fixes()  # too slow for a request at every cursor movement

    def wants(self, kind: str) -> bool:
        """Return whether the request asks for a kind of actions, by its name or by a prefix of its name."""
        only = self.context.only
        asked = [str(getattr(one, "value", one)) for one in only or ()]
        return only is None or any(not one or f"{kind}.".startswith(f"{one}.") for one in asked)

    def action(
        self, title: str, about: Sequence[Diagnostic], edits: Sequence[types.TextEdit], *, preferred: bool = False
    ) -> types.CodeAction:
        """Return an action, linked to the editor's diagnostics for the same findings."""
        places = {(one.code, _key(self.document.range(one.span))) for one in about}
        known = [shown for shown in self.context.diagnostics if (shown.code, _key(shown.range)) in places]
        return types.CodeAction(
            title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=known or None,
            is_preferred=preferred or None,
            edit=change_of(self.files, {self.document: edits}),
        )

    def fixes(self, here: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
        """Yield the fixes of findings."""
        for one in here:
            for fix in one.fixes:
                if fix.edits:
                    yield self.action(_title(fix), [one], edits_of(self.document, fix.edits), preferred=fix.safe)

    def imports(self, here: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
        """Yield imports of undefined names."""
        unknown = {name: one for one in here if (name := _unknown_name(one))}
        if not unknown:
            return
        found = sorted(
            (one for one in offers(self.files, self.document) if one.name in unknown), key=lambda one: one.rank
        )
        fixed = {fix.message for one in unknown.values() for fix in one.fixes}
        found = [offer for offer in found if f'import `{offer.name}` from "{offer.path}"' not in fixed]
        for offer in found[:_MOST_IMPORTS]:
            edit = import_edit(self.document, offer.path, offer.name)
            title = f'Import `{offer.name}` from "{offer.path}"'
            yield self.action(title, [unknown[offer.name]], [edit], preferred=len(found) == 1)

    def near_names(self, here: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
        """Yield the names that findings suggest instead, if the findings have no fixes."""
        for one in here:
            edit = None if one.fixes else _correction(one)
            if edit is not None:
                yield self.action(f"Write `{edit.text}`", [one], edits_of(self.document, [edit]))

    def others(self, here: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
        """Yield proposals for findings without fixes."""
        for one in here:
            for title, edits in () if one.fixes else proposals(self.files, self.document, one):
                yield self.action(title, [one], edits_of(self.document, edits))

    def rule_fixes(self, here: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
        """Yield, for each rule, an action that fixes all of its findings in the file."""
        for code in dict.fromkeys(one.code for one in here if any(fix.safe for fix in one.fixes)):
            about = [one for one in self.findings if one.code == code]
            fixes = fixes_of(about, unsafe=False)
            if len(fixes) > 1:
                edits = [edit for fix in apart(fixes) for edit in fix.edits]
                yield self.action(f"Fix all {code} in this file", about, edits_of(self.document, edits))

    def silences(self, here: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
        """Yield comments that silence findings."""
        by_code = {one.code: one for one in reversed(here) if one.code not in _NOT_SILENCED}
        for code, one in reversed(by_code.items()):
            comment = on_line(self.document, one)
            if comment is not None:
                yield self.action(f"Ignore {code} on this line", [one], edits_of(self.document, [comment]))
        for code, one in reversed(by_code.items()):
            edit = edits_of(self.document, [in_file(self.document, str(code))])
            yield self.action(f"Ignore {code} in this file", [one], edit)

    def all_fixes(self) -> Iterator[types.CodeAction]:
        """Yield the action that applies all safe fixes of the file."""
        if not fixes_of(self.findings, unsafe=False):
            return
        linter = self.files.linter(self.files.home_of(self.document))
        fixed = fix_source(self.document.source, lambda source: linter.lint(source, self.files.resolve), unsafe=False)
        if fixed.applied:
            made = change_of(self.files, {self.document: rewritten(self.document, fixed.source.text)})
            yield types.CodeAction("Fix all safe problems in this file", kind=FIX_ALL, edit=made)


def _key(where: types.Range) -> tuple[int, int, int, int]:
    return where.start.line, where.start.character, where.end.line, where.end.character


def _title(fix: Fix) -> str:
    return fix.message[:1].upper() + fix.message[1:]


def _unknown_name(found: Diagnostic) -> str | None:
    """Return the name that a finding reports as undefined."""
    match = _UNKNOWN.match(found.message)
    name = None if match is None else match[match.lastindex or 0]
    return name if name is not None and found.source.text[found.span.start : found.span.end] == name else None


def _correction(found: Diagnostic) -> Edit | None:
    """Return the edit that writes the name suggested by a finding, if its span is the wrong name."""
    near = next((match[1] for text in (*found.help, found.message) if (match := _NEAR.search(text))), None)
    start, end = found.span.start, found.span.end
    written = found.source.text[start:end]
    if near is None or not _NAME.fullmatch(near.removeprefix("@")):
        return None
    if _NAME.fullmatch(written.removeprefix("@")):
        return Edit(Span(start, end), near)
    if written.startswith('"') and written.count('"') == len('""') and written.endswith('"'):
        return Edit(Span(start + 1, end - 1), near)
    return None
