"""The pieces of a formatted text: each knows how it reads on one line, and lays itself on several.

A plain string is a piece that never breaks. The comments in front of a piece are written by whoever lays it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.syntax.printing_page import STEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.syntax.printing_page import Page
    from harnlite.syntax.trivia import Trivia

Piece = Any
"""A string or a Document; telling mypy would cost a cast on every hot line."""

Parts = Any
"""Several pieces, which whoever asked for them lays in a row."""


class Document:
    """A piece that may break; `flat` is None if it has to."""

    __slots__ = ("flat", "lead")
    flat: str | None
    lead: Trivia | None

    @property
    def hugs(self) -> bool:
        """Say whether this may begin on the line of the bracket around it."""
        return False

    def opening(self) -> int:
        """Return how wide the part is that has to stand on the line on which this begins."""
        return len(self.flat) if self.flat is not None else 1

    def line(self) -> str:
        """Return this on one line, whatever it was written on; comments inside are left for another place."""
        return self.flat or ""

    def lay(self, page: Page, tail: int) -> None:
        """Write this on as many lines as it needs, with room for so many characters behind it."""


class Word(Document):
    """A token with comments in front of it."""

    __slots__ = ()

    def __init__(self, text: str, lead: Trivia | None) -> None:
        self.flat = text
        self.lead = lead

    def lay(self, page: Page, tail: int) -> None:  # noqa: ARG002 - a word takes the room it needs
        """Write the word."""
        page.write(self.flat or "")


class Verbatim(Document):
    """A token that spans lines, written as it is."""

    __slots__ = ("text",)

    def __init__(self, text: str, lead: Trivia | None) -> None:
        self.text = text
        self.lead = lead
        self.flat = None

    @property
    def hugs(self) -> bool:
        """It brings its own lines."""
        return True

    def opening(self) -> int:
        """Return the length of its first line."""
        return self.text.index("\n")

    def lay(self, page: Page, tail: int) -> None:  # noqa: ARG002 - its lines are what they are
        """Write the text."""
        page.write_lines(self.text)


def lead_of(piece: Piece) -> Trivia | None:
    """Return the comments in front of a piece."""
    return None if piece.__class__ is str else piece.lead


def flat_of(piece: Piece) -> str | None:
    """Return a piece on one line."""
    return piece if piece.__class__ is str else piece.flat


def line_of(piece: Piece) -> str:
    """Return a piece on one line, whatever it was written on."""
    return piece if piece.__class__ is str else str(piece.line())


def whole(texts: Sequence[str | None]) -> list[str] | None:
    """Return texts of pieces on one line, or None if one of the pieces does not fit one."""
    found = [text for text in texts if text is not None]
    return found if len(found) == len(texts) else None


def inner_flat(piece: Piece) -> str | None:
    """Return a piece on one line if no comment in front of it ends one."""
    if piece.__class__ is str:
        return piece
    return piece.flat if piece.lead is None else None


def opening_of(piece: Piece) -> int:
    """Return how wide the part of a piece is that has to stand on the line on which it begins."""
    return len(piece) if piece.__class__ is str else piece.opening()


def flat_row(parts: Sequence[Piece]) -> str | None:
    """Return pieces on one line, side by side."""
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
    for part in parts:
        if part.__class__ is not str:
            return Row(parts)
    return "".join(parts)


def tail_of(parts: Sequence[Piece], index: int, tail: int) -> int:
    """Return how much has to stand behind a piece on its line."""
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
        """It hugs if only its last part breaks, and that hugs."""
        last = self.parts[-1]
        return last.__class__ is not str and last.hugs and flat_row(self.parts[:-1]) is not None

    def opening(self) -> int:
        """Return the width up to where its last part opens."""
        head = flat_row(self.parts[:-1])
        return opening_of(self.parts[0]) if head is None else len(head) + opening_of(self.parts[-1])

    def line(self) -> str:
        """Return the parts on one line."""
        return "".join([line_of(part) for part in self.parts])

    def lay(self, page: Page, tail: int) -> None:
        """Lay the parts one after another."""
        parts = self.parts
        for index, part in enumerate(parts):
            if part.__class__ is str:
                page.write(part)
            else:
                if index:
                    page.interrupt(part.lead, self.step_before(index))
                self.lay_part(page, part, tail_of(parts, index + 1, tail))

    def step_before(self, index: int) -> int:  # noqa: ARG002 - others tell their parts apart
        """Return how much deeper a part stands if a comment makes it begin a line."""
        return STEP

    def lay_part(self, page: Page, part: Document, tail: int) -> None:
        """Lay one part."""
        page.put(part, tail)


class Clause(Row):
    """A beginning, and what follows it on a line of its own if both do not fit on one."""

    __slots__ = ()

    def lay(self, page: Page, tail: int) -> None:
        """Lay the last part below the others."""
        *begin, last = self.parts
        Row(begin).lay(page, 0)
        page.indent += STEP
        page.begin(last)
        page.put(last, tail)
        page.indent -= STEP


class Lines(Document):
    """Pieces on lines of their own."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Piece]) -> None:
        self.parts = parts
        self.lead = lead_of(parts[0])
        self.flat = None

    def lay(self, page: Page, tail: int) -> None:
        """Lay each part on its line."""
        for index, part in enumerate(self.parts):
            if index:
                page.begin(part)
            page.put(part, tail if part is self.parts[-1] else 0)
