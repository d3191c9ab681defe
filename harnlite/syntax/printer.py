"""The formatter, which rewrites the text of a program in a uniform style without changing its meaning.

The tokens of a text are parsed once more with callbacks that build pieces of text instead of nodes. So every token of
the program reaches the output, including details that the tree does not keep (parentheses, spellings).
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from harnlite.diagnostics.errors import InternalError, LanguageError
from harnlite.diagnostics.source import Source
from harnlite.stack import on_large_stack
from harnlite.syntax.frames import TooDeepError
from harnlite.syntax.machine import StrictMachine
from harnlite.syntax.parser import Parser
from harnlite.syntax.printing_declarations import DeclarationSetter, TypeSetter
from harnlite.syntax.printing_doubts import doubts
from harnlite.syntax.printing_expressions import BlockSetter, ExpressionSetter
from harnlite.syntax.printing_page import Page
from harnlite.syntax.printing_sheet import Sheet
from harnlite.syntax.printing_statements import ListSetter, StatementSetter
from harnlite.syntax.printing_verification import content_of, content_of_text, difference, has_same_words, is_same_part
from harnlite.syntax.trivia import Gatherer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnlite.syntax.printing_documents import Piece
    from harnlite.syntax.tables import Build
    from harnlite.syntax.tokens import Token
    from harnlite.syntax.trivia import Trivia

WIDTH = 100
_MOST_PASSES = 5
_BLANK = " \t\r\n"
_SETTERS = (ListSetter, StatementSetter, ExpressionSetter, BlockSetter, TypeSetter, DeclarationSetter)


def format_source(source: Source, width: int = WIDTH) -> str:
    """Return the formatted text of a program; raise LanguageError if it has syntax errors.

    The text that is returned has the tokens and comments of the program; if it would not, raise InternalError.
    """
    collects = gc.isenabled()
    gc.disable()  # as in the parser: there is no garbage before the end
    try:
        return _settled(source, width)
    except RecursionError:
        return on_large_stack(lambda: _settled(source, width))
    finally:
        if collects:
            gc.enable()


def _settled(source: Source, width: int) -> str:
    """Return the text that formatting does not change any more.

    A line that was too long has new line breaks, and these may be a reason for others: brackets that are broken in the
    source stay broken.
    """
    text = source.text
    for _ in range(_MOST_PASSES):
        printer = _Printer(source if text is source.text else Source(text, source.name), width)
        before, text = text, printer.run()
        if text == before or not printer.has_broken:
            break
    return text


class _Printer:
    """The formatter of one source.

    The text is parsed to a tree only if something in it may be wrong, because only the tree builders report errors.
    """

    def __init__(self, source: Source, width: int) -> None:
        self.source = source
        self.width = width
        self.parser = Parser(source, declarations=True)
        self.is_checked = False
        self.in_doubt = False
        self.has_broken = False
        self.lines: list[str] = []
        self.borders: list[tuple[int, int]] = []

    def run(self) -> str:
        """Return the formatted text."""
        parser = self.parser
        try:
            if not parser.read():
                self._check()
        except TooDeepError:
            self._check()
        tokens, comments = parser.tokens, parser.comments
        text = self._shebang() + self._text(tokens, comments)
        if text != self.source.text and not self._keeps_statements(text, tokens, comments):
            before = content_of(self.source, tokens, comments)
            change = difference(before, content_of_text(Source(text, self.source.name)))
            if change is not None:
                raise InternalError(f"the formatter would change {self.source.name}: {change}")
        return text

    def _keeps_statements(self, formatted: str, tokens: Sequence[Token], comments: Sequence[tuple[int, int]]) -> bool:
        """Return whether each statement of the file has its tokens and comments, so that the whole text has them.

        The lexer and the pre-pass start afresh at a line end between two of these statements.
        """
        text, lines = self.source.text, self.lines
        if formatted != self._shebang() + "\n".join(lines).strip("\n") + "\n":
            return False
        start = first = 0
        for end, last in [*self.borders, (len(text), len(lines))]:
            before, after = text[start:end].strip(_BLANK), "\n".join(lines[first:last]).strip(_BLANK)
            if after.endswith("\\") or text[start : start + 1] == ";":
                return False
            is_same = before == after or has_same_words(before, after)
            if not is_same and not is_same_part(text, start, end, tokens, comments, after):
                return False
            start, first = end, last
        return True

    def _check(self) -> None:
        """Parse the text to a tree, and raise LanguageError if it has syntax errors."""
        findings = Parser(self.source, declarations=True).run().diagnostics
        errors = [finding for finding in findings if finding.is_error]
        if errors:
            raise LanguageError(errors[0].message, errors)
        self.is_checked = True

    def _text(self, tokens: list[Token], comments: list[tuple[int, int]]) -> str:
        """Return the formatted text without the `#!` line."""
        gatherer = Gatherer(self.source.text, tokens) if comments else None
        trivia = gatherer.gather(comments) if gatherer else {}
        while True:
            text = self._set(tokens, trivia)
            lost = [start for start, found in trivia.items() if not found.used]
            if gatherer is None or not lost:
                return text
            for start in reversed(lost):
                gatherer.move_on(start)
            for found in trivia.values():
                found.used = False

    def _set(self, tokens: list[Any], trivia: dict[int, Trivia]) -> str:
        sheet = Sheet(self.source.text, trivia)
        tables, shop, builds = self.parser.tables, self.parser.shop, self._builds(sheet)

        def read(tokens: list[Any]) -> Piece:
            piece = StrictMachine(tables, builds, shop, tokens, "interpolation").run()
            self.in_doubt |= piece is None
            return piece or ""

        sheet.read = read
        items = StrictMachine(tables, builds, shop, tokens, "module").run()
        if (items is None or self.in_doubt) and not self.is_checked:
            self._check()
        if items is None:
            raise InternalError(f"the formatter could not parse {self.source.name}")
        page = Page(self.source.text, self.width)
        self.borders = []
        for index, item in enumerate(items[::2]):
            blank = False
            if index:
                separator = items[2 * index - 1]
                blank = page.has_blank(separator)
                self.borders.append((separator.start, len(page.lines) + 1))
            page.begin(item, blank=blank, first=index == 0)
            page.put(item, 0)
        ending = trivia.get(len(self.source.text))
        if ending is not None:
            page.remark(ending, first=not items)
        self.lines = [*page.lines, page.line]
        self.has_broken = page.has_broken
        return page.text()

    def _builds(self, sheet: Sheet) -> list[Build]:
        """Return the callbacks that format text."""
        tables = self.parser.tables
        builds = tables.bind([setter(sheet) for setter in _SETTERS])
        for name, is_doubtful in doubts(self.source.text).items():
            number = tables.numbers[name]
            builds[number] = self._watched(builds[number], is_doubtful)
        return builds

    def _watched(self, build: Build, is_doubtful: Callable[..., bool]) -> Callable[..., Any]:
        """Return a callback that also records whether the construct needs a look at the tree."""

        def watched(*parts: Any) -> Any:  # noqa: ANN401 - the values of the grammar
            self.in_doubt = self.in_doubt or is_doubtful(*parts)
            return build(*parts)

        return watched

    def _shebang(self) -> str:
        text = self.source.text.removeprefix("\ufeff")
        if not text.startswith("#!"):
            return ""
        line, _, rest = text.partition("\n")
        follows_blank = not rest.partition("\n")[0].strip() and bool(rest.strip())
        return line.rstrip() + ("\n\n" if follows_blank else "\n")
