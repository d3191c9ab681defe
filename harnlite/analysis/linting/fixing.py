"""Apply the fixes of findings until nothing changes."""

from __future__ import annotations

import itertools

from harnlite.diagnostics.source import Source
from harnlite.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic, Edit, Fix

    Look = Callable[[Source], list[Diagnostic]]

ROUNDS = 50
"""The most rounds of fixing; a fix may make another fix possible, but the rounds must end."""


class Fixed:
    """The result of fixing a source: the new source, the findings that are left, and the number of applied fixes."""

    __slots__ = ("applied", "left", "source")

    def __init__(self, source: Source, left: list[Diagnostic], applied: int) -> None:
        self.source = source
        self.left = left
        self.applied = applied


def fix_source(source: Source, look: Look, *, unsafe: bool) -> Fixed:
    """Apply fixes and lint again until a round changes nothing; omit fixes after which the text does not parse."""
    found, applied, refused = look(source), 0, set[tuple[object, ...]]()
    seen = {source.text}
    for _ in range(ROUNDS):
        fixes = [fix for fix in fixes_of(found, unsafe=unsafe) if _identity(source, fix) not in refused]
        chosen = list(apart(fixes))
        if not chosen:
            break
        text = changed_text(source.text, chosen)
        if not _parses(text):
            chosen = _harmless(source, chosen, refused)
            text = changed_text(source.text, chosen)
        if text in seen:
            if chosen:
                break
            continue
        seen.add(text)
        source = Source(text, source.name, source.path)
        applied += len(chosen)
        found = look(source)
    return Fixed(source, found, applied)


def fixes_of(found: Sequence[Diagnostic], *, unsafe: bool) -> list[Fix]:
    """Return the first applicable fix of each finding that has one."""
    chosen = (next((fix for fix in one.fixes if fix.safe or unsafe), None) for one in found)
    return [fix for fix in chosen if fix is not None and fix.edits]


def changed_text(text: str, fixes: Sequence[Fix]) -> str:
    """Return a text after applying the edits of fixes that do not overlap."""
    edits = sorted((edit for fix in fixes for edit in fix.edits), key=_place, reverse=True)
    for edit in edits:
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def apart(fixes: Sequence[Fix]) -> Iterator[Fix]:
    """Yield fixes that do not overlap; of two overlapping fixes, the first in the text is chosen."""
    taken: list[Edit] = []
    for fix in sorted(fixes, key=lambda fix: min(map(_place, fix.edits))):
        edits = sorted(fix.edits, key=_place)
        inside = any(_collide(left, right) for left, right in itertools.pairwise(edits))
        if not inside and not any(_collide(one, other) for one in edits for other in taken):
            taken += edits
            yield fix


def _collide(one: Edit, other: Edit) -> bool:
    first, second = sorted((one, other), key=_place)
    return second.span.start < first.span.end or first.span.start == second.span.start


def _place(edit: Edit) -> tuple[int, int]:
    return edit.span.start, edit.span.end


def _harmless(source: Source, fixes: Sequence[Fix], refused: set[tuple[object, ...]]) -> list[Fix]:
    """Return the fixes after which the text still parses; the others are not tried again."""
    kept: list[Fix] = []
    for fix in fixes:
        if _parses(changed_text(source.text, [*kept, fix])):
            kept.append(fix)
        else:
            refused.add(_identity(source, fix))
    return kept


def _identity(source: Source, fix: Fix) -> tuple[object, ...]:
    """Return an identity of a fix that does not depend on its position."""
    return fix.message, *((source.text[edit.span.start : edit.span.end], edit.text) for edit in fix.edits)


def _parses(text: str) -> bool:
    return not parse(Source(text)).diagnostics
