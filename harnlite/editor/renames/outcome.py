"""Texts as they are after a rename, and where in them everything is."""

from __future__ import annotations

from bisect import insort
from operator import attrgetter

from lsprotocol import types

from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.diagnostics.source import Span
    from harnlite.editor.documents import Document
    from harnlite.editor.names.occurrences import Occurrence


class Change:
    """A name that is replaced; a key that stays may have to be written before it."""

    __slots__ = ("prefix", "span")

    def __init__(self, span: Span, prefix: str) -> None:
        self.span = span
        self.prefix = prefix


class Renamed:
    """What a rename changes, file by file."""

    def __init__(self, old: str, new: str) -> None:
        self.old = old
        self.new = new
        self._changes: dict[Document, list[Change]] = {}

    @property
    def documents(self) -> list[Document]:
        """Return the files that change."""
        return list(self._changes)

    def add(self, found: Occurrence) -> None:
        """Rename one place."""
        known = self._changes.setdefault(found.document, [])
        if all(change.span != found.span for change in known):
            insort(known, Change(found.span, f"{self.old}: " if _is_short(found) else ""), key=_START)

    def edits(self) -> dict[Document, list[types.TextEdit]]:
        """Return the changes as editors take them."""
        return {
            document: [types.TextEdit(document.range(change.span), change.prefix + self.new) for change in changes]
            for document, changes in self._changes.items()
        }

    def text_of(self, document: Document) -> str:
        """Return the text of a file as it will be."""
        text, done = [], 0
        for change in self._changes.get(document, ()):
            text += [document.text[done : change.span.start], change.prefix, self.new]
            done = change.span.end
        return "".join((*text, document.text[done:]))

    def moved(self, document: Document, offset: int) -> int:
        """Return where a place of a file will be."""
        growth = 0
        for change in self._changes.get(document, ()):
            if change.span.start > offset:
                break
            growth += len(change.prefix)
            if change.span.start < offset:
                growth += len(self.new) - len(self.old)
        return offset + growth


_START = attrgetter("span.start")


def _is_short(found: Occurrence) -> bool:
    """Say whether a name stands for a key as well: `{name}` in a pattern."""
    entry = found.way[-2] if len(found.way) > 1 else None
    if isinstance(entry, nodes.DictPatternEntry):
        return entry.key.start == entry.name.start == found.span.start
    return isinstance(entry, nodes.DictMatchEntry) and entry.key.start == entry.pattern.start == found.span.start
