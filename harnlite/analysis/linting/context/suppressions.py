"""Comments that suppress findings: `// harn: ignore[CODE]` and `// harn: file-ignore[CODE]`."""

from __future__ import annotations

import re

from harnlite.diagnostics.diagnostic import Diagnostic, Edit, Fix
from harnlite.diagnostics.source import Span
from harnlite.diagnostics.suggest import near_name
from harnlite.syntax.lexer import Lexer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from harnlite.analysis.linting.context.rule import Rule
    from harnlite.diagnostics.source import Source

_MARK = "harn:"
WRITTEN = r"//[ \t]*harn:[ \t]*(file-ignore|ignore)\b[ \t]*(?:\[([^\]]*)\])?(?:(?!//[ \t]*harn:)[^\r\n])*"
"""The pattern of a comment that suppresses findings; `re` compiles it when there may be one."""
_IN_FILE = "file-ignore"
_FORM = "write `// harn: ignore[CODE]`, or `// harn: file-ignore[CODE]` for the whole file"


class Suppression:
    """One comment that suppresses the codes that it names, on some lines or, if `lines` is None, in the whole file."""

    __slots__ = ("codes", "lines", "span", "used")

    def __init__(self, span: Span, codes: Sequence[str], lines: frozenset[int] | None) -> None:
        self.span = span
        self.codes = codes
        self.lines = lines
        self.used: set[str] = set()

    def silences(self, code: str | None, lines: Collection[int]) -> bool:
        """Return whether this suppresses a code on one of these lines."""
        return code in self.codes and (self.lines is None or not self.lines.isdisjoint(lines))


def suppressions_in(source: Source) -> list[Suppression]:
    """Return the suppressions of a file."""
    if _MARK not in source.text:
        return []
    return [
        _suppression(source, written, start)
        for start, text in _comments(source)
        if not text.startswith("///")
        for written in re.finditer(WRITTEN, text)
    ]


def _comments(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the line comments of a text, with their offsets."""
    lexer = Lexer(source)
    lexer.read()
    for start, end in lexer.comments:
        if source.text.startswith("//", start):
            yield start, source.text[start:end]


def _suppression(source: Source, written: re.Match[str], start: int) -> Suppression:
    place = source.position(start)
    line, alone = place.line, not source.line(place.line)[: place.column - 1].strip()
    codes = [code.strip() for code in (written[2] or "").split(",") if code.strip()]
    lines = frozenset((line, _line_below(source, line)) if alone else (line,))
    span = Span(start + written.start(), start + written.end())
    return Suppression(span, codes, None if written[1] == _IN_FILE else lines)


def _line_below(source: Source, line: int) -> int:
    """Return the next line that is not only a comment."""
    line += 1
    while source.line(line).lstrip().startswith("//"):
        line += 1
    return line


class Suppressor:
    """Filter for suppressed findings; it also reports suppressions without effect."""

    __slots__ = ("_known", "_rule", "_source", "_suppressions")

    def __init__(self, source: Source, rule: Rule, known: Collection[str]) -> None:
        self._source = source
        self._rule = rule
        self._known = known
        self._suppressions = suppressions_in(source)

    def applied(self, found: Sequence[Diagnostic]) -> list[Diagnostic]:
        """Return the findings that are not suppressed."""
        return [one for one in found if not self._is_silenced(one)] if self._suppressions else list(found)

    def _is_silenced(self, one: Diagnostic) -> bool:
        lines = {self._source.position(one.span.start).line, self._source.position(max(one.span.end - 1, 0)).line}
        silenced = False
        for suppression in self._suppressions:
            if suppression.silences(one.code, lines):
                suppression.used.add(str(one.code))
                silenced = True
        return silenced

    def unused(self, active: Collection[str]) -> list[Diagnostic]:
        """Return a finding for each comment that names no code, an unknown code, or a code without a finding."""
        found = [one for suppression in self._suppressions if (one := self._judged(suppression, active))]
        return self.applied(found)

    def _judged(self, suppression: Suppression, active: Collection[str]) -> Diagnostic | None:
        if not suppression.codes:
            return self._finding(suppression, "a suppression must name the codes that it suppresses", help=(_FORM,))
        vain = [
            code
            for code in suppression.codes
            if code not in self._known or (code in active and code not in suppression.used and code != self._rule.code)
        ]
        if not vain:
            return None
        unknown = [code for code in vain if code not in self._known]
        message = f"nothing to suppress here: {', '.join(vain)}"
        if unknown:
            message = f"there is no code {unknown[0]}"
        near = near_name(unknown[0], self._known) if unknown else None
        kept = [code for code in suppression.codes if code not in vain]
        fix = Fix("remove the codes without effect", [self._edit(suppression, kept)], safe=not unknown)
        return self._finding(suppression, message, help=(f"did you mean {near}?",) if near else (), fixes=(fix,))

    def _finding(
        self,
        suppression: Suppression,
        message: str,
        *,
        help: Sequence[str] = (),  # noqa: A002 - the word used in reports
        fixes: Sequence[Fix] = (),
    ) -> Diagnostic:
        rule = self._rule
        tags = ("unnecessary",) if fixes else ()
        return Diagnostic(
            rule.severity, message, self._source, suppression.span, code=rule.code, rule=rule.name, help=help,
            fixes=fixes, tags=tags,
        )  # fmt: skip

    def _edit(self, suppression: Suppression, kept: Sequence[str]) -> Edit:
        """Return the edit that keeps only some codes of a suppression, or removes the comment if there are none."""
        text, start, end = self._source.text, suppression.span.start, suppression.span.end
        if kept:
            opened, closed = text.index("[", start), text.index("]", start)
            return Edit(Span(opened + 1, closed), ", ".join(kept))
        while start and text[start - 1] in " \t":
            start -= 1
        if not start or text[start - 1] == "\n":
            end = text.find("\n", end) + 1 or len(text)
        return Edit(Span(start, end), "")
