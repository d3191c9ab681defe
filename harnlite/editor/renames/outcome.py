"""The outcome of a rename: the edits, the resulting texts, and the new offset of each place."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort

from lsprotocol import types

from harnlite.diagnostics.source import Span
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.editor.names.occurrences import Occurrence
    from harnlite.editor.texts.documents import Document


class _Places:
    """The offsets of the replaced names in a file, in order; at those in `keyed`, a key is inserted before the name."""

    __slots__ = ("keyed", "starts")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.keyed: list[int] = []


class Renamed:
    """The changes of a rename, by file."""

    def __init__(self, old: str, new: str) -> None:
        self.old = old
        self.new = new
        self._key = f"{old}: "
        self._changes: dict[Document, _Places] = {}

    @property
    def documents(self) -> list[Document]:
        """Return the files that change."""
        return list(self._changes)

    def add(self, found: Occurrence) -> None:
        """Add an occurrence to rename."""
        places = self._changes.setdefault(found.document, _Places())
        if not self.covers(found.document, found.span.start):
            insort(places.starts, found.span.start)
            if _is_shorthand(found):
                insort(places.keyed, found.span.start)

    def covers(self, document: Document, start: int) -> bool:
        """Return whether the name at an offset is replaced."""
        starts = self._places(document).starts
        at = bisect_left(starts, start)
        return at < len(starts) and starts[at] == start

    def edits(self) -> dict[Document, list[types.TextEdit]]:
        """Return the edits in the form that editors accept."""
        return {
            document: [types.TextEdit(document.range(span), new) for span, new in self._replacements(document)]
            for document in self._changes
        }

    def text_of(self, document: Document) -> str:
        """Return the text of a file after the rename."""
        text, done = [], 0
        for span, new in self._replacements(document):
            text += [document.text[done : span.start], new]
            done = span.end
        return "".join((*text, document.text[done:]))

    def moved(self, document: Document, offset: int) -> int:
        """Return the offset of a place in a file after the rename."""
        places = self._places(document)
        replaced = bisect_left(places.starts, offset)
        written = bisect_right(places.keyed, offset)
        return offset + replaced * (len(self.new) - len(self.old)) + written * len(self._key)

    def _places(self, document: Document) -> _Places:
        return self._changes.get(document) or _Places()

    def _replacements(self, document: Document) -> Iterator[tuple[Span, str]]:
        places = self._places(document)
        keyed = set(places.keyed)
        for start in places.starts:
            yield Span(start, start + len(self.old)), (self._key if start in keyed else "") + self.new


def _is_shorthand(found: Occurrence) -> bool:
    """Return whether a name is also a key: `{name}` in a pattern."""
    entry = found.parent
    if isinstance(entry, nodes.DictPatternEntry):
        return entry.key.start == entry.name.start == found.span.start
    return isinstance(entry, nodes.DictMatchEntry) and entry.key.start == entry.pattern.start == found.span.start
