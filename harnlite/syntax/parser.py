"""The parser: it runs the lexer, the pre-pass and the parse tables, and collects their diagnostics."""

from __future__ import annotations

import gc
from functools import lru_cache

from harnlite.syntax import tables
from harnlite.syntax.builder import ListBuilder, Workshop
from harnlite.syntax.builder_blocks import BlockBuilder
from harnlite.syntax.builder_declarations import DeclarationBuilder
from harnlite.syntax.builder_expressions import ExpressionBuilder
from harnlite.syntax.builder_patterns import PatternBuilder
from harnlite.syntax.builder_statements import StatementBuilder
from harnlite.syntax.builder_types import TypeBuilder
from harnlite.syntax.frames import MAX_DEPTH, TooDeepError
from harnlite.syntax.lexer import DOLLAR_HELP, TRIPLE_DOLLAR_HELP, Lexer
from harnlite.syntax.machine import Machine
from harnlite.syntax.nodes import LiteralExpr, Module, NameExpr
from harnlite.syntax.prepass import Prepass
from harnlite.syntax.tokens import BRACES, Interpolation, Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.diagnostics.source import Source
    from harnlite.syntax.tables import Build, Tables
    from harnlite.syntax.tokens import TemplateToken, Token

BUILDERS = (
    ListBuilder,
    StatementBuilder,
    ExpressionBuilder,
    BlockBuilder,
    TypeBuilder,
    PatternBuilder,
    DeclarationBuilder,
)


class ParseResult:
    """The tree of a text, as far as the text could be parsed, and the diagnostics."""

    __slots__ = ("diagnostics", "module")

    def __init__(self, module: Module, diagnostics: list[Diagnostic]) -> None:
        self.module = module
        self.diagnostics = diagnostics


@lru_cache(maxsize=1)
def _tables() -> Tables:
    found = tables.packaged()
    if found is None:
        from harnlite.syntax import rebuilt_tables

        found = rebuilt_tables.load()
    return found


def parse(source: Source, *, declarations: bool = False, start: int = 0, inside: bool = False) -> ParseResult:
    """Parse a source from an offset; `declarations` allows `extern fn`, which declares builtins.

    With `inside`, the text is part of the body of a function; its statements are returned as a module.
    """
    collects = gc.isenabled()
    gc.disable()  # a tree under construction contains no garbage, and the collector would take a tenth of the time
    try:
        return Parser(source, declarations=declarations, start=start, inside=inside).run()
    finally:
        if collects:
            gc.enable()


class Parser:
    """One parse of one source."""

    def __init__(self, source: Source, *, declarations: bool, start: int = 0, inside: bool = False) -> None:
        self.source = source
        self.start = start
        self.inside = inside
        self.declarations = declarations
        self.tables = _tables()
        self.shop = Workshop(source)
        self.tokens: list[Token] = []
        self.comments: list[tuple[int, int]] = []
        self.templates: list[TemplateToken] = []
        self.builds: list[Build] = []

    def run(self) -> ParseResult:
        """Parse the source."""
        self.builds = self.tables.bind([builder(self.shop) for builder in BUILDERS])
        module = Module(0, len(self.source.text), [])
        try:
            self.tokens = self._tokens()
            if self.inside:
                module.statements = self._drive(self.tokens, "block_body") or []
            else:
                module = self._drive(self.tokens, "module") or module
            self._fill_templates()
        except TooDeepError as error:
            token = error.token
            message = f"Nesting is deeper than {MAX_DEPTH} levels at {self.source.position(token.start)}"
            self.shop.report(message, token.start, token.end)
            module.statements = []
        findings = sorted(self.shop.diagnostics, key=lambda finding: finding.span.start)
        return ParseResult(module, findings)

    def read(self) -> bool:
        """Read the tokens for the grammar, with those of all interpolations; return whether they are sound.

        Raise TooDeepError if they are nested too deeply.
        """
        self.tokens = self._tokens()
        for token in self.templates:
            if token.depth > MAX_DEPTH:
                raise TooDeepError(token)
            for part in token.parts:
                if part.__class__ is Interpolation and not part.is_name:
                    walk = Prepass(part.tokens, depth=token.depth, inside=True)
                    part.tokens = walk.run()
                    self.templates += walk.templates
        return not (self.shop.diagnostics or self.shop.unclosed or self.shop.strays)

    def _tokens(self) -> list[Token]:
        """Return the tokens for the grammar; unclosed round and square brackets are not treated as brackets."""
        walk = self._walk(frozenset())
        dead = frozenset(token.start for token in walk.unclosed if token.kind in ("LPAR", "LSQB"))
        if dead:
            self.shop.diagnostics.clear()
            walk = self._walk(dead)
        self.shop.unclosed = dead | {token.start for token in walk.unclosed}
        self.shop.strays = walk.strays
        self.shop.missing_braces = sum(token.kind in BRACES for token in walk.unclosed)
        self.shop.lacks_braces = self.shop.missing_braces > 0
        return walk.out

    def _walk(self, dead: frozenset[int]) -> Prepass:
        lexer = Lexer(self.source)
        raw = lexer.read(self.start)
        self.shop.docs = lexer.docs
        self.comments = lexer.comments
        self.shop.diagnostics.extend(lexer.errors)
        self.shop.garbled = [error.span.start for error in lexer.errors]
        walk = Prepass(raw, declarations=self.declarations, depth=int(self.inside), dead=dead)
        walk.run()
        self.templates = walk.templates
        return walk

    def _drive(self, tokens: list[Token], start: str) -> Any:  # noqa: ANN401 - the value of any start symbol
        machine = Machine(self.tables, self.builds, self.shop, tokens, start)
        value = machine.run()
        machine.recovery = None  # a reference cycle that would delay freeing the machine
        return value

    def _fill_templates(self) -> None:
        """Parse the interpolations of all templates, one after another; they may contain further templates."""
        for node, token in self.shop.templates:
            self.shop.notes = [TRIPLE_DOLLAR_HELP if token.triple else DOLLAR_HELP]
            if token.depth > MAX_DEPTH:
                raise TooDeepError(token)
            for part in token.parts:
                if isinstance(part, Piece):
                    if part.value:
                        node.parts.append(LiteralExpr(part.start, part.end, part.value, "string"))
                    continue
                if part.is_name:
                    name = part.tokens[0]
                    node.parts.append(NameExpr(name.start, name.end, name.text))
                    continue
                part.tokens = Prepass(part.tokens, depth=token.depth, inside=True).run()
                value = self._drive(part.tokens, "interpolation")
                node.parts.append(value or LiteralExpr(part.start, part.end, None, "nil"))
