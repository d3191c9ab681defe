"""The formatting of call chains: lines break in the arguments or before each call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.syntax.printing_brackets import LAST, Brackets
from harnlite.syntax.printing_documents import Document, flat_of, inner_flat, lead_of, opening_of, whole
from harnlite.syntax.printing_page import STEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.syntax.printing_documents import Piece
    from harnlite.syntax.printing_page import Page
    from harnlite.syntax.trivia import Trivia

_MANY_CALLS = 3
_JOINING = ("?", ".")
"""The characters that form one token with a `?` directly before them."""

SHORT = 40
"""The maximum width of a rest that stays on the line of the closing bracket."""


def gap_before(text: str, before: str) -> str:
    """Return a blank if the first character of a text would form another token with a `?` before it, else nothing."""
    return " " if before[-1:] == "?" and text[:1] in _JOINING else ""


class Link:
    """A part of a chain: `.name`, `.name(args)`, `(args)`, `[index]`, `?`."""

    __slots__ = ("args", "breaks", "flat", "is_dotted", "lead", "text")

    def __init__(self, text: str, args: Piece, lead: Trivia | None, *, is_dotted: bool, breaks: bool) -> None:
        self.text = text
        self.args = args
        self.lead = lead
        self.is_dotted = is_dotted
        self.breaks = breaks
        inside = inner_flat(args)
        self.flat = None if inside is None else text + inside

    def separate(self) -> None:
        """Put a blank before this link."""
        self.text = f" {self.text}"
        self.flat = None if self.flat is None else f" {self.flat}"


def inner_flat_of_link(link: Link) -> str | None:
    """Return a link on one line, or None if it has to break or a comment before it ends the line."""
    return None if link.breaks or link.lead is not None else link.flat


def room_behind(links: Sequence[Link], index: int, tail: int) -> int:
    """Return the width that the links from an index on need on the line of the part before them."""
    room = 0
    for link in links[index:]:
        room += len(link.text)
        if link.args != "":
            return room + opening_of(link.args)
    return room + tail


class Chain(Document):
    """A value with the properties, calls and subscripts that follow it."""

    __slots__ = ("calls", "head", "links", "step")

    def __init__(self, head: Piece, link: Link) -> None:
        self.head = head
        self.links: list[Link] = []
        self.calls = 0
        self.step = STEP
        self.lead = lead_of(head)
        self.flat = flat_of(head)
        self.add(link)

    def add(self, link: Link) -> None:
        """Add a link at the end, after a blank if its first character would form another token with a `?` before it."""
        links = self.links
        before = links[-1].text if links and links[-1].args == "" else self.head if not links else ""
        if before.__class__ is str and gap_before(link.text, before):
            link.separate()
        links.append(link)
        if link.is_dotted and link.args != "":
            self.calls += 1
        if self.flat is None or link.flat is None or link.lead is not None or link.breaks:
            self.flat = None
        else:
            self.flat += link.flat

    @property
    def embraces(self) -> bool:
        """Return False: a chain hugs only if it is the only argument."""
        return False

    @property
    def hugs(self) -> bool:
        """Return whether only the last arguments break, and these hug."""
        if self._breaks_head():
            return True
        return self._prefix() is not None and (self.calls <= 1 or self.links[self._last_call()].args.flat is None)

    @property
    def opens(self) -> bool:
        """Return whether the chain breaks only in its last arguments, of any form."""
        at = self._last_call()
        if at < 0 or self.calls > 1 or any(link.breaks or link.lead is not None for link in self.links):
            return False
        return flat_of(self.head) is not None and all(link.flat is not None for link in self.links[:at])

    def opening(self) -> int:
        """Return the width up to where the arguments open."""
        prefix = self._prefix()
        head = None if self._breaks_head() else flat_of(self.head)
        if head is not None and prefix is not None:
            return len(prefix) + opening_of(self.links[self._last_call()].args)
        if head is None:
            return opening_of(self.head)
        first = self.links[0]
        return len(head) + (0 if first.is_dotted else len(first.text) + opening_of(first.args))

    def _last_call(self) -> int:
        """Return the index of the last link with arguments, or -1 if there is none."""
        at = len(self.links) - 1
        while at >= 0 and self.links[at].args == "":
            at -= 1
        return at

    def _prefix(self) -> str | None:
        """Return the text before the last arguments if it fits on one line and the arguments hug, else None."""
        at = self._last_call()
        if at < 0 or any(link.breaks or link.lead is not None for link in self.links):
            return None
        args = self.links[at].args
        if not isinstance(args, Brackets) or args.hugging != LAST or not args.hugs:
            return None
        texts = whole([flat_of(self.head), *(link.flat for link in self.links[:at])])
        return None if texts is None else "".join(texts) + self.links[at].text

    def lay(self, page: Page, tail: int) -> None:
        """Write the links side by side, or start a new line at the calls with a dot."""
        if self._breaks_at_dots(page, tail):
            self._lay_dotted(page, tail)
        else:
            self._lay_inline(page, tail)

    def _breaks_at_dots(self, page: Page, tail: int) -> bool:
        if any(link.breaks or link.lead is not None for link in self.links):
            return True
        if self.calls <= 1:
            return False
        prefix = self._prefix()
        if prefix is None:
            return True
        args = self.links[self._last_call()].args
        if not self._hugs_on(page):
            return True
        if args.flat is None:
            return False
        return self.calls >= _MANY_CALLS or self._fits_dotted(page, tail)

    def _fits_dotted(self, page: Page, tail: int) -> bool:
        room = page.width - page.indent - STEP - tail
        return all(link.flat is not None and len(link.flat) <= room for link in self.links)

    def _lay_inline(self, page: Page, tail: int) -> None:
        hugs = self._hugs_on(page)
        self._put_head(page, tail)
        for index, link in enumerate(self.links):
            room = room_behind(self.links, index + 1, tail)
            if not hugs:
                room = max(room, self._short_rest(index + 1) + tail)
            self._put_link(page, link, room)

    def _hugs_on(self, page: Page) -> bool:
        """Return whether the last arguments can open on this line."""
        prefix = self._prefix()
        return prefix is not None and page.fits(len(prefix) + opening_of(self.links[self._last_call()].args))

    def _short_rest(self, index: int) -> int:
        """Return the width of the links from an index on if they are short, so that the part before breaks; else 0."""
        width = 0
        for link in self.links[index:]:
            flat = inner_flat_of_link(link)
            width += SHORT + 1 if flat is None else len(flat)
        return width if width <= SHORT and index < len(self.links) else 0

    def _breaks_head(self) -> bool:
        """Return whether the head is a collection that can break and the rest of the chain is short."""
        if not isinstance(self.head, Brackets) or not self.head.can_break or self.calls > 1:
            return False
        behind = whole([inner_flat_of_link(link) for link in self.links])
        return behind is not None and sum(map(len, behind)) <= SHORT

    def _put_head(self, page: Page, tail: int) -> None:
        """Write the head; break a collection at the head rather than short arguments after it."""
        if self._breaks_head():
            self.head.lay(page, tail + sum(len(link.flat or "") for link in self.links))
            return
        page.put(self.head, room_behind(self.links, 0, tail))

    def _put_link(self, page: Page, link: Link, tail: int) -> None:
        page.write(link.text)
        if link.args != "":
            page.interrupt(lead_of(link.args), STEP)
            page.put(link.args, tail)

    def _lay_dotted(self, page: Page, tail: int) -> None:
        """Start a new line for each call, together with the properties before it."""
        groups = self._groups()
        page.put(self.head, 0)
        for index, link in enumerate(groups[0]):
            self._put_link(page, link, room_behind(groups[0], index + 1, 0))
        page.indent += self.step
        for group in groups[1:]:
            if group[0].lead is not None:
                page.remark(group[0].lead)
            page.newline()
            for index, link in enumerate(group):
                self._put_link(page, link, room_behind(group, index + 1, tail if group is groups[-1] else 0))
        page.indent -= self.step

    def _groups(self) -> list[list[Link]]:
        """Return the links grouped by line; the first group stays on the line of the head."""
        groups: list[list[Link]] = [[]]
        opens = True
        for index, link in enumerate(self.links):
            if link.is_dotted and (opens or link.lead is not None or link.breaks) and self._leads_to_call(index):
                groups.append([])
                opens = False
            elif link.is_dotted and (link.lead is not None or link.breaks):
                groups.append([])
            groups[-1].append(link)
            if link.args != "":
                opens = True
        return groups

    def _leads_to_call(self, index: int) -> bool:
        """Return whether this link has arguments, or only properties separate it from a link that has."""
        for link in self.links[index:]:
            if not link.is_dotted:
                return False
            if link.args != "":
                return True
        return False
