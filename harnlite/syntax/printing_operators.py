"""Runs of operators, pipes, ternaries and chains of calls, and where their lines break.

Inside braces a line may not begin with every operator: before `-`, `to`, `not in` and the `?` of a ternary a line end
would end the statement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.syntax.precedence import LEVELS
from harnlite.syntax.printing_brackets import Brackets, LAST
from harnlite.syntax.printing_documents import Document, flat_of, inner_flat, lead_of, opening_of
from harnlite.syntax.printing_page import STEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.syntax.printing_documents import Piece
    from harnlite.syntax.printing_page import Page
    from harnlite.syntax.trivia import Trivia

_UNION = "BAR"
_MANY_CALLS = 3
_SHORT = 40


class Operator:
    """An operator of a run."""

    __slots__ = ("kind", "lead", "level", "text")

    def __init__(self, kind: str, word: Piece) -> None:
        self.kind = kind
        self.text: str = flat_of(word) or ""
        self.lead: Trivia | None = lead_of(word)
        self.level = 0 if kind == _UNION else LEVELS[kind]


class Operators(Document):
    """Operands with binary operators between them."""

    __slots__ = ("operands", "operators", "step")

    def __init__(self, operands: Sequence[Piece], operators: Sequence[Operator]) -> None:
        self.operands = operands
        self.operators = operators
        self.step = STEP
        self.lead = lead_of(operands[0])
        self.flat = self._row(0, len(operands))

    def _row(self, start: int, stop: int) -> str | None:
        """Return operands from one to another on one line, with the operators between them."""
        first = flat_of(self.operands[start]) if start == 0 else inner_flat(self.operands[start])
        if first is None:
            return None
        texts = [first]
        for index in range(start + 1, stop):
            operator = self.operators[index - 1]
            operand = inner_flat(self.operands[index])
            if operand is None or operator.lead is not None:
                return None
            texts += (operator.text, operand)
        return " ".join(texts)

    @property
    def hugs(self) -> bool:
        """It hugs if one operand alone breaks, the first or the last."""
        return self._broken_operand(None) in (0, len(self.operands) - 1)

    def opening(self) -> int:
        """Return the width up to where the first operand that breaks opens."""
        width = 0
        for index, operand in enumerate(self.operands):
            flat = flat_of(operand)
            if flat is None:
                return width + opening_of(operand)
            width += len(flat) + (len(self.operators[index].text) + 2 if index < len(self.operators) else 0)
        return opening_of(self.operands[0])

    def line(self) -> str | None:
        """Return the operands on one line, even if they were written on several."""
        from_first = [operand if operand.__class__ is str else operand.line() for operand in self.operands]
        if None in from_first or any(operator.lead is not None for operator in self.operators):
            return None
        words = [from_first[0]]
        for operator, operand in zip(self.operators, from_first[1:], strict=True):
            words += (operator.text, operand)
        return " ".join(words)  # type: ignore[arg-type]

    def _broken_operand(self, room: int | None) -> int:
        """Return the index of the only operand that has to break, since it has no room, and hugs; else -1."""
        found = -1
        for index, operand in enumerate(self.operands):
            flat = flat_of(operand)
            if flat is None or (room is not None and operand.__class__ is not str and len(flat) > room):
                if found >= 0 or not operand.hugs:
                    return -1
                found = index
        if any(operator.lead is not None for operator in self.operators):
            return -1
        if any(lead_of(operand) is not None for operand in self.operands[1:]):
            return -1
        return found

    def lay(self, page: Page, tail: int) -> None:
        """Break before the loosest operators, or inside the one operand that breaks anyway."""
        cuts = self._cuts(page)
        inline = self._inline_operand(page, tail, has_cuts=bool(cuts))
        if inline >= 0:
            self._lay_around(page, inline, tail)
            return
        if not cuts:
            self._lay_row(page, tail)
            return
        page.indent += self.step
        start = 0
        for cut in [*cuts, len(self.operators)]:
            piece = self._part(start, cut + 1)
            is_last = cut == len(self.operators)
            if start == 0:
                page.indent -= self.step
                page.put(piece, 0)
                page.indent += self.step
            else:
                self._begin_operand(page, self.operators[start - 1], piece)
                page.put(piece, tail if is_last else 0)
            start = cut + 1
        page.indent -= self.step

    def _begin_operand(self, page: Page, operator: Operator, piece: Piece) -> None:
        """Break the line at an operator: before it where that is possible."""
        if operator.kind == "MINUS" and not page.is_round:
            if operator.lead is not None:
                page.interrupt(operator.lead, 0)
            page.write(f" {operator.text}")
            page.begin(piece)
            return
        if operator.lead is not None:
            page.remark(operator.lead)
        page.newline()
        page.write(f"{operator.text} ")
        page.interrupt(lead_of(piece), 0)

    def _part(self, start: int, stop: int) -> Piece:
        if stop - start == 1:
            return self.operands[start]
        return Operators(self.operands[start:stop], self.operators[start : stop - 1])

    def _cuts(self, page: Page) -> list[int]:
        """Return the indices of the loosest operators, as far as a line may break at them."""
        level = min(operator.level for operator in self.operators)
        found = [
            index for index, operator in enumerate(self.operators)
            if operator.level == level and (page.is_round or operator.kind != "NOTIN")
        ]
        if page.is_round:
            return found
        return [index for index in found if self.operators[index].kind != "MINUS"] or found

    def _inline_operand(self, page: Page, tail: int, *, has_cuts: bool) -> int:
        """Return the operand to break in, with all others on its lines; -1 if the run breaks at its operators."""
        broken = self._broken_operand(page.width - page.indent - STEP)
        last = len(self.operands) - 1
        if broken < 0:
            piece = self.operands[last]
            if len(self.operators) > 1 or piece.__class__ is str or not isinstance(piece, Brackets | Chain):
                return -1
            flat = piece.flat
            room = page.width - page.indent - STEP - len(self.operators[0].text) - 1 - tail
            if flat is None or not piece.hugs or (len(flat) <= room and has_cuts):
                return -1
            broken = last
        head = self._row(0, broken) if broken else ""
        behind = self._row(broken + 1, last + 1) if broken < last else ""
        if head is None or behind is None or (has_cuts and len(behind) > _SHORT):
            return -1
        operator = len(self.operators[broken - 1].text) + 2 if broken else 0
        fits = page.fits(len(head) + operator + opening_of(self.operands[broken]))
        return broken if fits else -1

    def _lay_around(self, page: Page, broken: int, tail: int) -> None:
        """Lay one operand on several lines, and all others on its first and last."""
        last = len(self.operands) - 1
        if broken:
            page.write(f"{self._row(0, broken)} {self.operators[broken - 1].text} ")
        behind = ""
        if broken < last:
            behind = f" {self.operators[broken].text} {self._row(broken + 1, last + 1)}"
        self.operands[broken].lay(page, len(behind) + tail)
        page.write(behind)

    def _lay_row(self, page: Page, tail: int) -> None:
        """Lay operands side by side, where no line may break at an operator."""
        for index, operand in enumerate(self.operands):
            if index:
                operator = self.operators[index - 1]
                page.interrupt(operator.lead, STEP)
                page.write(f" {operator.text} ")
                page.interrupt(lead_of(operand), STEP)
            is_last = index == len(self.operators)
            page.put(operand, tail if is_last else len(self.operators[index].text) + 1)


class Ternary(Document):
    """`condition ? then : otherwise`."""

    __slots__ = ("condition", "marks", "otherwise", "then")

    def __init__(self, condition: Piece, mark: Piece, then: Piece, colon: Piece, otherwise: Piece) -> None:
        self.condition = condition
        self.marks = (mark, colon)
        self.then = then
        self.otherwise = otherwise
        self.lead = lead_of(condition)
        texts = [flat_of(condition), *(inner_flat(part) for part in (mark, then, colon, otherwise))]
        self.flat = None if None in texts else " ".join(texts)  # type: ignore[arg-type]

    def lay(self, page: Page, tail: int) -> None:
        """Break before the colon, and before the question mark where that is possible."""
        mark, colon = self.marks
        then, otherwise = inner_flat(self.then), self.otherwise
        head = flat_of(self.condition)
        page.put(self.condition, 0 if page.is_round else 2 + len(then or ""))
        hugs = otherwise.__class__ is not str and flat_of(otherwise) is None and otherwise.hugs
        if head is not None and then is not None and hugs and lead_of(mark) is lead_of(colon) is otherwise.lead is None:
            middle = f" ? {then} : "
            if page.fits(len(middle) + opening_of(otherwise)):
                page.write(middle)
                otherwise.lay(page, tail)
                return
        page.indent += STEP
        if page.is_round:
            self._begin(page, mark)
        else:
            page.interrupt(lead_of(mark), 0)
            page.write(f" {flat_of(mark)} ")
        page.interrupt(lead_of(self.then), 0)
        page.put(self.then, 0)
        self._begin(page, colon)
        page.interrupt(lead_of(otherwise), 0)
        page.put(otherwise, tail)
        page.indent -= STEP

    def _begin(self, page: Page, mark: Piece) -> None:
        page.begin(mark)
        page.write(f"{flat_of(mark)} ")


class Pipes(Document):
    """`value |> step |> step`; steps that were written on lines of their own stay there."""

    __slots__ = ("marks", "steps")

    def __init__(self, first: Piece) -> None:
        self.steps: list[Piece] = [first]
        self.marks: list[Piece] = []
        self.lead = lead_of(first)
        self.flat = flat_of(first)

    def add(self, mark: Piece, step: Piece, *, forced: bool) -> None:
        """Add a step."""
        self.marks.append(mark)
        self.steps.append(step)
        text, sign = inner_flat(step), inner_flat(mark)
        if self.flat is None or text is None or sign is None or forced:
            self.flat = None
        else:
            self.flat = f"{self.flat} {sign} {text}"

    def lay(self, page: Page, tail: int) -> None:
        """Lay each step on its own line."""
        page.put(self.steps[0], 0)
        page.indent += STEP
        for mark, step in zip(self.marks, self.steps[1:], strict=True):
            page.begin(mark)
            page.write(f"{flat_of(mark)} ")
            page.interrupt(lead_of(step), 0)
            page.put(step, tail if step is self.steps[-1] else 0)
        page.indent -= STEP


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


class Chain(Document):
    """A value and what is called on it."""

    __slots__ = ("calls", "head", "links")

    def __init__(self, head: Piece, link: Link) -> None:
        self.head = head
        self.links: list[Link] = []
        self.calls = 0
        self.lead = lead_of(head)
        self.flat = flat_of(head)
        self.add(link)

    def add(self, link: Link) -> None:
        """Add a link at the end."""
        self.links.append(link)
        if link.is_dotted and link.args != "":
            self.calls += 1
        if self.flat is None or link.flat is None or link.lead is not None or link.breaks:
            self.flat = None
        else:
            self.flat += link.flat

    @property
    def embraces(self) -> bool:
        """A call hugs only if it is the only argument."""
        return False

    @property
    def hugs(self) -> bool:
        """It hugs if only its last arguments break, and these hug."""
        return self._prefix() is not None and (self.calls <= 1 or self.links[self._last_call()].args.flat is None)

    def opening(self) -> int:
        """Return the width up to where its arguments open."""
        prefix = self._prefix()
        if prefix is not None:
            return len(prefix) + opening_of(self.links[self._last_call()].args)
        head = flat_of(self.head)
        if head is None:
            return opening_of(self.head)
        first = self.links[0]
        return len(head) + (0 if first.is_dotted else len(first.text) + opening_of(first.args))

    def _last_call(self) -> int:
        """Return the index of the last link that has arguments, or -1 if something follows that has to break."""
        at = len(self.links) - 1
        while at >= 0 and self.links[at].args == "":
            at -= 1
        return at

    def _prefix(self) -> str | None:
        """Return what stands before the last arguments if all of it fits one line and the arguments hug."""
        at = self._last_call()
        if at < 0 or any(link.breaks or link.lead is not None for link in self.links):
            return None
        args = self.links[at].args
        if not isinstance(args, Brackets) or args.hugging != LAST or not args.hugs:
            return None
        texts = [flat_of(self.head), *(link.flat for link in self.links[:at])]
        if None in texts:
            return None
        return "".join(texts) + self.links[at].text  # type: ignore[arg-type]

    def lay(self, page: Page, tail: int) -> None:
        """Lay the links side by side, or those with a dot on lines of their own."""
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
        if not page.fits(len(prefix) + opening_of(args)):
            return True
        if args.flat is None:
            return False
        return self.calls >= _MANY_CALLS or self._fits_dotted(page, tail)

    def _fits_dotted(self, page: Page, tail: int) -> bool:
        room = page.width - page.indent - STEP - tail
        return all(link.flat is not None and len(link.flat) <= room for link in self.links)

    def _lay_inline(self, page: Page, tail: int) -> None:
        self._put_head(page, tail)
        for index, link in enumerate(self.links):
            page.write(link.text)
            following = self._width_of(index + 1)
            if index + 1 == len(self.links):
                following += tail
            self._put_args(page, link, following)

    def _put_head(self, page: Page, tail: int) -> None:
        """Break a collection at the head rather than short arguments behind it."""
        behind = [link.flat for link in self.links]
        if isinstance(self.head, Brackets) and None not in behind:
            length = sum(map(len, behind))  # type: ignore[arg-type]
            if length <= _SHORT:
                self.head.lay(page, length + tail)
                return
        page.put(self.head, self._width_of(0))

    def _width_of(self, index: int) -> int:
        """Return how much of a link has to stand on the line of what is before it."""
        if index >= len(self.links):
            return 0
        link = self.links[index]
        return len(link.text) + (opening_of(link.args) if link.args.__class__ is not str else len(link.args))

    def _put_args(self, page: Page, link: Link, tail: int) -> None:
        if link.args != "":
            page.interrupt(lead_of(link.args), STEP)
            page.put(link.args, tail)

    def _lay_dotted(self, page: Page, tail: int) -> None:
        """Begin a line before each call, with the properties that lead to it."""
        groups = self._groups()
        page.put(self.head, 0)
        for link in groups[0]:
            self._put_link(page, link, 0)
        page.indent += STEP
        for group in groups[1:]:
            if group[0].lead is not None:
                page.remark(group[0].lead)
            page.newline()
            for link in group:
                self._put_link(page, link, tail if link is self.links[-1] else 0)
        page.indent -= STEP

    def _put_link(self, page: Page, link: Link, tail: int) -> None:
        page.write(link.text)
        self._put_args(page, link, tail)

    def _groups(self) -> list[list[Link]]:
        """Return the links by the lines they stand on; the first ones stay with the head."""
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
        """Say whether this link has arguments, or is followed by properties and then one that has."""
        for link in self.links[index:]:
            if not link.is_dotted:
                return False
            if link.args != "":
                return True
        return False
