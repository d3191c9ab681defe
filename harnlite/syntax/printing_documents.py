"""The pieces of a formatted text: each has a form on one line, and can write itself on several lines.

A plain string is a piece that never breaks. The caller of `lay` writes the comments before a piece.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.syntax.printing_page import STEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.syntax.printing_page import Page
    from harnlite.syntax.trivia import Trivia

Piece = Any
"""A string or a Document; the precise type would need a cast on every hot line."""

Parts = Any
"""Several pieces, which the caller joins to a row."""


class Document:
    """A piece that may break; `flat` is None if it has to break."""

    __slots__ = ("flat", "lead")
    flat: str | None
    lead: Trivia | None

    @property
    def hugs(self) -> bool:
        """Return whether this piece may start on the line of the bracket around it."""
        return False

    def opening(self) -> int:
        """Return the width of the part that has to be on the first line of this piece."""
        return len(self.flat) if self.flat is not None else 1

    def line(self) -> str:
        """Return this piece on one line in any case; comments inside it are moved elsewhere."""
        return self.flat or ""

    def lay(self, page: Page, tail: int) -> None:
        """Write this piece on as many lines as it needs, with room for `tail` characters after it."""


class Word(Document):
    """A token with comments before it."""

    __slots__ = ()

    def __init__(self, text: str, lead: Trivia | None) -> None:
        self.flat = text
        self.lead = lead

    def lay(self, page: Page, tail: int) -> None:  # noqa: ARG002 - a word cannot break
        """Write the word."""
        page.write(self.flat or "")


class Verbatim(Document):
    """A token that spans several lines and is written unchanged."""

    __slots__ = ("text",)

    def __init__(self, text: str, lead: Trivia | None) -> None:
        self.text = text
        self.lead = lead
        self.flat = None

    @property
    def hugs(self) -> bool:
        """Return True: the token has its own line breaks."""
        return True

    def opening(self) -> int:
        """Return the width of the first line."""
        return self.text.index("\n")

    def lay(self, page: Page, tail: int) -> None:  # noqa: ARG002 - its lines are fixed
        """Write the text."""
        page.write_lines(self.text)


def lead_of(piece: Piece) -> Trivia | None:
    """Return the comments before a piece."""
    return None if piece.__class__ is str else piece.lead


def flat_of(piece: Piece) -> str | None:
    """Return a piece on one line, or None if it has to break."""
    return piece if piece.__class__ is str else piece.flat


def line_of(piece: Piece) -> str:
    """Return a piece on one line in any case."""
    return piece if piece.__class__ is str else str(piece.line())


def whole(texts: Sequence[str | None]) -> list[str] | None:
    """Return texts of pieces on one line, or None if one of the pieces does not fit one."""
    found = [text for text in texts if text is not None]
    return found if len(found) == len(texts) else None


def inner_flat(piece: Piece) -> str | None:
    """Return a piece on one line, or None if it has to break or has comments before it."""
    if piece.__class__ is str:
        return piece
    return piece.flat if piece.lead is None else None


def opening_of(piece: Piece) -> int:
    """Return the width of the part that has to be on the first line of a piece."""
    return len(piece) if piece.__class__ is str else piece.opening()


def flat_row(parts: Sequence[Piece]) -> str | None:
    """Return pieces side by side on one line, or None if one of them has to break."""
    first = parts[0]
    texts = []
    for part in parts:
        if part.__class__ is str:
            texts.append(part)
        elif part.flat is None or (part.lead is not None and part is not first):
            return None
        else:
            texts.append(part.flat)
    return "".join(texts)


def row(*parts: Piece) -> Piece:
    """Return pieces side by side."""
    return _joined(Row, parts)


def assigned(*parts: Piece) -> Piece:
    """Return a target and its value, which is the last part."""
    return _joined(Assignment, parts)


def subscript(*parts: Piece) -> Piece:
    """Return an index, or the bounds of a slice, between its brackets."""
    return _joined(Subscript, parts)


def _joined(kind: type[Row], parts: Sequence[Piece]) -> Piece:
    """Return pieces as a row of a kind, or as a string if none of them can break."""
    for part in parts:
        if part.__class__ is not str:
            return kind(parts)
    return "".join(parts)


def tail_of(parts: Sequence[Piece], index: int, tail: int) -> int:
    """Return the width that the parts from an index on need on the line of the part before them."""
    room = 0
    for part in parts[index:]:
        if part.__class__ is not str:
            return room if part.lead is not None else room + int(part.opening())
        room += len(part)
    return room + tail


class Row(Document):
    """Pieces side by side."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Piece]) -> None:
        self.parts = parts
        self.lead = lead_of(parts[0])
        self.flat = flat_row(parts)

    @property
    def hugs(self) -> bool:
        """Return whether only the last part breaks, and hugs."""
        last = self.parts[-1]
        return last.__class__ is not str and last.hugs and flat_row(self.parts[:-1]) is not None

    def opening(self) -> int:
        """Return the width up to where the last part opens."""
        head = flat_row(self.parts[:-1])
        return opening_of(self.parts[0]) if head is None else len(head) + opening_of(self.parts[-1])

    def line(self) -> str:
        """Return the parts on one line."""
        return "".join([line_of(part) for part in self.parts])

    def lay(self, page: Page, tail: int) -> None:
        """Write the parts one after another."""
        parts = self.parts
        for index, part in enumerate(parts):
            if part.__class__ is str:
                page.write(part)
            else:
                if index:
                    page.interrupt(part.lead, self.step_before(index))
                self.lay_part(page, part, self.room_behind(index, tail))

    def room_behind(self, index: int, tail: int) -> int:
        """Return the width that is needed after a part on the line of that part."""
        return tail_of(self.parts, index + 1, tail)

    def step_before(self, index: int) -> int:  # noqa: ARG002 - subclasses use the index
        """Return the extra indent of a part that starts a line because of a comment."""
        return STEP

    def lay_part(self, page: Page, part: Document, tail: int) -> None:
        """Write one part."""
        page.put(part, tail)


class Assignment(Row):
    """A target and its value; the target stays on one line if it fits, however long the value is."""

    __slots__ = ()

    def room_behind(self, index: int, tail: int) -> int:
        """Return the width that is needed after a part, the value not included."""
        is_last = index == len(self.parts) - 1
        return tail if is_last else tail_of(self.parts[:-1], index + 1, 0)


class Subscript(Row):
    """An index or the bounds of a slice in brackets."""

    __slots__ = ()

    def opening(self) -> int:
        """Return the width up to where the index opens, also if it fits on the line as a whole."""
        return opening_of(self.parts[0]) + opening_of(self.parts[1])


class Clause(Row):
    """A start and a last part, which goes on its own line if both do not fit on one line."""

    __slots__ = ()

    def lay(self, page: Page, tail: int) -> None:
        """Write the last part below the others."""
        *begin, last = self.parts
        Row(begin).lay(page, 0)
        page.indent += STEP
        page.begin(last)
        page.put(last, tail)
        page.indent -= STEP


class Lines(Document):
    """Pieces, each on its own line."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Piece]) -> None:
        self.parts = parts
        self.lead = lead_of(parts[0])
        self.flat = None

    def lay(self, page: Page, tail: int) -> None:
        """Write each part on its own line."""
        for index, part in enumerate(self.parts):
            if index:
                page.begin(part)
            page.put(part, tail if part is self.parts[-1] else 0)
