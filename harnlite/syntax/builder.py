"""The state that the reduce callbacks share: the text, the diagnostics and doc comments; and callbacks for lists."""

from __future__ import annotations

from harnlite.diagnostics.diagnostic import ERROR, Diagnostic, Label
from harnlite.diagnostics.source import Span
from harnlite.syntax.tokens import KEYWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    from harnlite.diagnostics.diagnostic import Fix
    from harnlite.diagnostics.source import Source
    from harnlite.syntax.nodes import TemplateExpr
    from harnlite.syntax.tokens import TemplateToken, Token

    T = TypeVar("T")


_EXCERPT = 60


class Workshop:
    """The state of one parse, which all builders share."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.docs: dict[int, str] = {}
        self.unclosed: frozenset[int] = frozenset()
        self.strays: set[int] = set()
        self.lacks_braces = False
        self.missing_braces = 0
        self.garbled: list[int] = []
        self.notes: list[str] = []
        self.misused: set[str] = set()
        self.level = 0
        self.diagnostics: list[Diagnostic] = []
        self.templates: list[tuple[TemplateExpr, TemplateToken]] = []

    def report(
        self,
        message: str,
        start: int,
        end: int,
        *,
        notes: Sequence[str] = (),
        labels: Sequence[Label] = (),
        fixes: Sequence[Fix] = (),
    ) -> None:
        """Add an error with the given text."""
        span = Span(start, end)
        self.diagnostics.append(Diagnostic(ERROR, message, self.source, span, labels=labels, help=notes, fixes=fixes))

    def expect(
        self,
        what: str,
        got: str,
        start: int,
        end: int,
        *,
        notes: Sequence[str] = (),
        labels: Sequence[Label] = (),
        fixes: Sequence[Fix] = (),
    ) -> None:
        """Add the error that `got` was found instead of `what`."""
        message = f"Expected {what}, got {got} at {self.source.position(start)}"
        self.report(message, start, end, notes=notes, labels=labels, fixes=fixes)

    def check_name(self, what: str, text: str, start: int, end: int) -> None:
        """Report a reserved word that is used as a name."""
        if text in KEYWORDS:
            self.expect(what, f"'{text}' (reserved keyword)", start, end)

    def excerpt(self, start: int, end: int) -> str:
        """Return the text between two offsets, shortened if it is long or has several lines."""
        text = self.text[start:end]
        line = text.partition("\n")[0]
        return line if line == text and len(line) <= _EXCERPT else line[:_EXCERPT] + "…"

    def is_garbled(self, start: int, end: int) -> bool:
        """Return whether a part of the text contains characters that do not form a token."""
        return any(start <= offset < end for offset in self.garbled)


class ListBuilder:
    """Callbacks that collect the items of a list."""

    def __init__(self, _shop: Workshop) -> None:
        pass

    def first(self, item: T | None) -> list[T]:
        """Start a list; an item that could not be parsed is omitted."""
        return [] if item is None else [item]

    def more(self, items: list[T], _separator: Token, item: T | None) -> list[T]:
        """Add an item after a separator."""
        if item is not None:
            items.append(item)
        return items

    def next(self, items: list[T], item: T | None) -> list[T]:
        """Add an item that needs no separator."""
        if item is not None:
            items.append(item)
        return items

    def separated(self, *items: T) -> list[T]:
        """Return every other argument: the items without their commas."""
        return list(items[::2])
