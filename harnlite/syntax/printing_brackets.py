"""The formatting of brackets and their content: lists with commas, blocks and parentheses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.syntax.printing_documents import Document, Row, flat_of, inner_flat, lead_of, line_of, opening_of, whole
from harnlite.syntax.printing_page import STEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.syntax.printing_documents import Piece
    from harnlite.syntax.printing_page import Page
    from harnlite.syntax.tokens import Token
    from harnlite.syntax.trivia import Trivia

LAST, SOLE, NEVER = "last", "sole", "never"
"""The item that may start on the line of the opening bracket: the last one, a single one, or none."""


def is_number(item: Piece) -> bool:
    """Return whether an item is a plain number; several numbers share a line."""
    return item.__class__ is str and " " not in item and item.lstrip("-")[:1].isdigit()


class Brackets(Document):
    """Items between brackets: all on one line, or each on its own line."""

    __slots__ = ("closer", "closing", "forced", "hugging", "items", "opener", "pad", "separators")

    def __init__(
        self,
        opener: Piece,
        items: Sequence[Piece],
        separators: Sequence[Token],
        closer: Piece,
        *,
        pad: str = "",
        forced: bool = False,
        hugging: str = NEVER,
    ) -> None:
        self.opener: str = flat_of(opener) or ""
        self.lead = lead_of(opener)
        self.items = items
        self.separators = separators
        self.closer: str = flat_of(closer) or ""
        self.closing: Trivia | None = lead_of(closer)
        self.pad = pad
        self.forced = forced and bool(items)
        self.hugging = hugging
        self.flat = None if self.forced or self.closing is not None else self._flat()

    def _flat(self) -> str | None:
        texts = []
        for item in self.items:
            if item.__class__ is str:
                texts.append(item)
            elif item.flat is None or item.lead is not None:
                return None
            else:
                texts.append(item.flat)
        pad = self.pad if texts else ""
        return f"{self.opener}{pad}{', '.join(texts)}{pad}{self.closer}"

    @property
    def hugs(self) -> bool:
        """Return whether this hugs: collections do, and calls do if their last argument does."""
        if self.hugging != LAST or self.opener == "[":
            return True
        return self._hugged() is not None

    @property
    def can_break(self) -> bool:
        """Return whether there is something to write on lines of its own: items or a comment."""
        return bool(self.items) or self.closing is not None

    def opening(self) -> int:
        """Return the width up to the first item or, if the last item hugs, up to where that item opens."""
        if not self.items:
            return len(self.opener) + len(self.closer)
        head = None if self.forced else self._hugged()
        return len(self.opener) if head is None else len(head) + opening_of(self.items[-1])

    def line(self) -> str:
        """Return the items on one line."""
        lines = [line_of(item) for item in self.items]
        pad = self.pad if lines else ""
        return f"{self.opener}{pad}{', '.join(lines)}{pad}{self.closer}"

    def _hugged(self) -> str | None:
        """Return the text before the last item if that item may start on this line."""
        items = self.items
        if self.forced or self.closing is not None or self.hugging == NEVER or not items:
            return None
        if len(items) > 1 and self.hugging == SOLE:
            return None
        last = items[-1]
        if last.__class__ is str or last.lead is not None or not last.hugs:
            return None
        if len(items) > 1 and not getattr(last, "embraces", True):
            return None
        heads = [inner_flat(item) for item in items[:-1]]
        if None in heads:
            return None
        return f"{self.opener}{''.join(f'{head}, ' for head in heads)}"

    def lay(self, page: Page, tail: int) -> None:
        """Start the last item on this line if it hugs, else write each item on its own line."""
        head = self._hugged()
        if head is not None and page.fits(len(head) + opening_of(self.items[-1])):
            outer, page.is_round = page.is_round, True
            page.write(head)
            self.items[-1].lay(page, len(self.closer) + tail)
            page.is_round = outer
            page.write(self.closer)
        elif self._is_hopeless(page):
            page.write(self.flat or "")
        else:
            self._lay_items(page)

    def _is_hopeless(self, page: Page) -> bool:
        """Return whether breaking does not help: there are no items, or a single word that is too long for any line."""
        if self.flat is None or len(self.items) != 1:
            return self.flat is not None and not self.items
        return self.items[0].__class__ is str and len(self.items[0]) + 1 > page.width - page.indent - STEP

    def _lay_items(self, page: Page) -> None:
        page.write(self.opener)
        was_round, page.is_round = page.is_round, self.opener[-1] in "(["
        page.indent += STEP
        is_table = self.opener == "[" and all(is_number(item) for item in self.items)
        for index, item in enumerate(self.items):
            blank = index > 0 and page.has_blank(self.separators[index - 1])
            if is_table and index and not blank and page.fits(len(item) + 2):
                page.write(f" {item},")
                continue
            page.begin(item, blank=blank, first=index == 0)
            page.put(item, 1)
            page.write(",")
        if self.closing is not None:
            page.remark(self.closing, first=not self.items)
        page.indent -= STEP
        page.is_round = was_round
        page.newline()
        page.write(self.closer)


class Block(Document):
    """Statements between braces; they stay on one line only if the source has them on one line."""

    __slots__ = ("closer", "closing", "items", "opener", "separators")

    def __init__(
        self,
        opener: Piece,
        items: Sequence[Piece],
        separators: Sequence[Token | None],
        closer: Piece,
        *,
        forced: bool,
    ) -> None:
        self.opener = opener
        self.lead = lead_of(opener)
        self.items = items
        self.separators = separators
        self.closer: str = flat_of(closer) or ""
        self.closing: Trivia | None = lead_of(closer)
        self.flat = None if (forced and items) or self.closing is not None else self._flat()

    def _flat(self) -> str | None:
        head = flat_of(self.opener)
        if head is None:
            return None
        if not self.items:
            return f"{head}{self.closer}" if head == "{" else f"{head} {self.closer}"
        texts = whole([inner_flat(item) for item in self.items])
        if texts is None or any(mark is None or mark.kind != "SEMI" for mark in self.separators):
            return None
        return f"{head} {'; '.join(texts)} {self.closer}"

    @property
    def hugs(self) -> bool:
        """Return True: blocks start on the line of the call that they are an argument of."""
        return True

    def opening(self) -> int:
        """Return the width of the opening."""
        return opening_of(self.opener)

    def lay(self, page: Page, tail: int) -> None:  # noqa: ARG002 - the tail follows the closing brace
        """Write each statement on its own line."""
        if not self.items and self.flat is not None:
            page.write(self.flat)
            return
        page.put(self.opener, 0)
        was_round, page.is_round = page.is_round, False
        page.indent += STEP
        for index, item in enumerate(self.items):
            blank = index > 0 and page.has_blank(self.separators[index - 1])
            page.begin(item, blank=blank, first=index == 0)
            page.put(item, 0)
        if self.closing is not None:
            page.remark(self.closing, first=not self.items)
        page.indent -= STEP
        page.is_round = was_round
        page.newline()
        page.write(self.closer)


class Compound(Row):
    """Headers and their blocks: either everything is on one line, or every block has several lines."""

    __slots__ = ()

    @property
    def hugs(self) -> bool:
        """Return True: it starts on the line of the call that it is an argument of."""
        return True

    def opening(self) -> int:
        """Return the width up to the opening of the first block."""
        width = 0
        for part in self.parts:
            if part.__class__ is Block:
                return width + part.opening()
            flat = flat_of(part)
            if flat is None:
                return width + opening_of(part)
            width += len(flat)
        return width

    def step_before(self, index: int) -> int:
        """Return the extra indent before a part: the rest of a header is indented more than the block after it."""
        return 0 if Block in (self.parts[index].__class__, self.parts[index - 1].__class__) else 2 * STEP

    def lay_part(self, page: Page, part: Document, tail: int) -> None:
        """Write a block on several lines even if it would fit on one."""
        if isinstance(part, Block) and part.items:
            part.lay(page, tail)
        else:
            page.put(part, tail)


class Parentheses(Document):
    """An expression in parentheses."""

    __slots__ = ("closer", "inner", "opener")

    def __init__(self, opener: Piece, inner: Piece, closer: Piece) -> None:
        self.opener = opener
        self.inner = inner
        self.closer = closer
        self.lead = lead_of(opener)
        inside, end = inner_flat(inner), inner_flat(closer)
        self.flat = None if inside is None or end is None else f"{flat_of(opener)}{inside}{end}"

    @property
    def hugs(self) -> bool:
        """Return whether the inner expression hugs."""
        return self.inner.__class__ is not str and bool(self.inner.hugs)

    def opening(self) -> int:
        """Return the width up to where the inner expression opens."""
        return len(flat_of(self.opener) or "") + opening_of(self.inner)

    def lay(self, page: Page, tail: int) -> None:
        """Write the parentheses and the inner expression."""
        page.write(flat_of(self.opener) or "")
        was_round, page.is_round = page.is_round, True
        page.interrupt(lead_of(self.inner), STEP)
        page.put(self.inner, 1 + tail)
        page.interrupt(lead_of(self.closer), 0)
        page.is_round = was_round
        page.write(flat_of(self.closer) or "")
