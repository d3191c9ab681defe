"""The formatting of binary operators, pipes and ternaries, and their line breaks.

Inside braces, not every operator can start a line: a line end before `-`, `to`, `not in` or the `?` of a ternary would
end the statement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.syntax.precedence import LEVELS
from harnlite.syntax.printing_brackets import Brackets
from harnlite.syntax.printing_chains import SHORT, Chain
from harnlite.syntax.printing_documents import Document, flat_of, inner_flat, lead_of, line_of, opening_of, whole
from harnlite.syntax.printing_page import STEP
from harnlite.syntax.trivia import Trivia, begins_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.syntax.printing_documents import Piece
    from harnlite.syntax.printing_page import Page

_UNION, _LESS, _GREATER = "BAR", "LT", "GT"


class Operator:
    """An operator in a sequence of operands and operators."""

    __slots__ = ("kind", "lead", "level", "text")

    def __init__(self, kind: str, word: Piece) -> None:
        self.kind = kind
        self.text: str = flat_of(word) or ""
        self.lead: Trivia | None = lead_of(word)
        self.level = 0 if kind == _UNION else LEVELS[kind]


def headed(piece: Piece) -> Piece:
    """Indent the lines of an expression before a block more than the lines of the block."""
    if isinstance(piece, Operators | Pipes | Chain):
        piece.step = 2 * STEP
    return piece


def _opens(piece: Piece) -> bool:
    """Return whether a piece can break inside brackets that open on its first line."""
    if piece.__class__ is Chain:
        return bool(piece.opens)
    return piece.__class__ is not str and bool(piece.hugs)


def keep_comparisons(source: str, run: Sequence[Operator], starts: Sequence[int]) -> None:
    """Keep `<` at the start of a line where it would open type arguments on the line of the name before it."""
    kinds = [operator.kind for operator in run]
    if _LESS in kinds and _GREATER in kinds:
        for operator, start in zip(run, starts, strict=True):
            if operator.kind == _LESS and operator.lead is None and begins_line(source, start):
                operator.lead = Trivia()


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
        """Return a range of operands and the operators between them on one line, or None if one has to break."""
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
        """Return whether exactly one operand breaks, and it is the first or the last."""
        return self._broken_operand() in (0, len(self.operands) - 1)

    def opening(self) -> int:
        """Return the width up to where the first breaking operand opens."""
        width = 0
        for index, operand in enumerate(self.operands):
            flat = flat_of(operand)
            if flat is None:
                return width + opening_of(operand)
            width += len(flat) + (len(self.operators[index].text) + 2 if index < len(self.operators) else 0)
        return opening_of(self.operands[0])

    def line(self) -> str:
        """Return the operands on one line."""
        words = [line_of(self.operands[0])]
        for operator, operand in zip(self.operators, self.operands[1:], strict=True):
            words += (operator.text, line_of(operand))
        return " ".join(words)

    def _broken_operand(self, page: Page | None = None, tail: int = 0) -> int:
        """Return the index of the only operand that has to break or does not fit, if it hugs; else -1."""
        found = -1
        for index, operand in enumerate(self.operands):
            flat = flat_of(operand)
            if flat is None or (operand.__class__ is not str and not self._has_room(page, index, len(flat), tail)):
                if found >= 0 or not operand.hugs:
                    return -1
                found = index
        if any(operator.lead is not None for operator in self.operators):
            return -1
        if any(lead_of(operand) is not None for operand in self.operands[1:]):
            return -1
        return found

    def _has_room(self, page: Page | None, index: int, length: int, tail: int) -> bool:
        """Return whether an operand fits on its own line together with the operator before it."""
        if page is None:
            return True
        if index == 0:
            return page.fits(length)
        behind = tail if index == len(self.operators) else 0
        operator = len(self.operators[index - 1].text) + 1
        return page.indent + self.step + operator + length + behind <= page.width

    def lay(self, page: Page, tail: int) -> None:
        """Break before the operators with the lowest precedence, or inside the single operand that has to break."""
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
        """Break the line at an operator, before it if possible."""
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
        """Return the indices of the operators with the lowest precedence at which a line may break."""
        level = min(operator.level for operator in self.operators)
        found = [
            index
            for index, operator in enumerate(self.operators)
            if operator.level == level and (page.is_round or operator.kind != "NOTIN")
        ]
        if page.is_round:
            return found
        return [index for index in found if self.operators[index].kind != "MINUS"] or found

    def _inline_operand(self, page: Page, tail: int, *, has_cuts: bool) -> int:
        """Return the index of the operand to break inside, or -1 if the lines break at the operators."""
        broken = self._broken_operand(page, tail)
        last = len(self.operands) - 1
        if broken < 0:
            piece = self.operands[last]
            if len(self.operators) > 1 or piece.__class__ is str or not isinstance(piece, Brackets | Chain):
                return -1
            if has_cuts or piece.flat is None or not piece.hugs:
                return -1
            broken = last
        head = self._row(0, broken) if broken else ""
        behind = self._row(broken + 1, last + 1) if broken < last else ""
        if head is None or behind is None or (has_cuts and len(behind) > SHORT):
            return -1
        operator = len(self.operators[broken - 1].text) + 2 if broken else 0
        fits = page.fits(len(head) + operator + opening_of(self.operands[broken]))
        return broken if fits else -1

    def _lay_around(self, page: Page, broken: int, tail: int) -> None:
        """Write one operand on several lines, and all others on its first and last lines."""
        last = len(self.operands) - 1
        if broken:
            page.write(f"{self._row(0, broken)} {self.operators[broken - 1].text} ")
        behind = ""
        if broken < last:
            behind = f" {self.operators[broken].text} {self._row(broken + 1, last + 1)}"
        self.operands[broken].lay(page, len(behind) + tail)
        page.write(behind)

    def _lay_row(self, page: Page, tail: int) -> None:
        """Write operands side by side if no line may break at an operator."""
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
        if condition.__class__ is Operators:
            condition.step = 2 * STEP
        texts = whole([flat_of(condition), *(inner_flat(part) for part in (mark, then, colon, otherwise))])
        self.flat = None if texts is None else " ".join(texts)

    def lay(self, page: Page, tail: int) -> None:
        """Break before the colon, and before the question mark if possible."""
        mark, colon = self.marks
        page.put(self.condition, 0 if page.is_round else 3 + opening_of(self.then))
        if self._stays_beside(page, tail):
            page.write(" ? ")
            page.put(self.then, 3 + opening_of(self.otherwise))
            page.write(" : ")
            page.put(self.otherwise, tail)
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
        page.interrupt(lead_of(self.otherwise), 0)
        page.put(self.otherwise, tail)
        page.indent -= STEP

    def _stays_beside(self, page: Page, tail: int) -> bool:
        """Return whether `?` and `:` do not start lines, because a branch opens on the line and breaks inside."""
        then, otherwise = self.then, self.otherwise
        if any(lead_of(part) is not None for part in (*self.marks, then, otherwise)):
            return False
        text, other = flat_of(then), flat_of(otherwise)
        if flat_of(self.condition) is None:
            return False
        if text is not None and page.fits(3 + len(text)):
            fits_below = other is not None and page.indent + STEP + 2 + len(other) + tail <= page.width
            return not fits_below and _opens(otherwise) and page.fits(6 + len(text) + opening_of(otherwise))
        if not _opens(then) or not page.fits(3 + opening_of(then)):
            return False
        fits_behind = other is not None and page.indent + SHORT + len(other) + tail <= page.width
        return fits_behind or _opens(otherwise)

    def _begin(self, page: Page, mark: Piece) -> None:
        page.begin(mark)
        page.write(f"{flat_of(mark)} ")


class Pipes(Document):
    """`value |> step |> step`; steps that are on their own lines in the source stay there."""

    __slots__ = ("marks", "step", "steps")

    def __init__(self, first: Piece) -> None:
        self.steps: list[Piece] = [first]
        self.marks: list[Piece] = []
        self.step = STEP
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
        """Write each step on its own line."""
        page.put(self.steps[0], 0)
        page.indent += self.step
        for mark, step in zip(self.marks, self.steps[1:], strict=True):
            page.begin(mark)
            page.write(f"{flat_of(mark)} ")
            page.interrupt(lead_of(step), 0)
            page.put(step, tail if step is self.steps[-1] else 0)
        page.indent -= self.step
