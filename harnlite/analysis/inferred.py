"""The types of places in a file, for editors: only the statements that are asked about are checked, and noted down."""

from __future__ import annotations

import re

from harnlite.analysis.check import TABLES, prepare_pipelines, unbound_names
from harnlite.analysis.checker import Checker, Tables
from harnlite.analysis.environment import FN, Binding
from harnlite.analysis.hoisting import bound_names, hoist_methods, hoist_names
from harnlite.analysis.imports import Faces
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harnlite.analysis.checker import Facts
    from harnlite.analysis.declarations import Declarations
    from harnlite.analysis.environment import Scope, TypeInfo
    from harnlite.analysis.imports import ImportResolver
    from harnlite.analysis.types import Type
    from harnlite.diagnostics.source import Source

    Part = tuple[Source, Sequence[nodes.Stmt]]
    """Statements, and the text in which they stand."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_SHORT = 200
"""What is bound to a name in so few characters is looked at even if nobody names it."""
_NAMED = (nodes.ToolDecl, nodes.SkillDecl)


class Sight:
    """What can be named at one place: values, types, and what is known of the values beyond their types."""

    __slots__ = ("facts", "names", "types")

    def __init__(self, scope: Scope | None, facts: Facts) -> None:
        self.names: dict[str, Binding] = {}
        self.types: dict[str, TypeInfo] = {}
        self.facts = facts
        crossed = False
        while scope is not None:
            for name, binding in scope.names.items():
                self.names.setdefault(name, binding)
            if crossed:
                for name in scope.pending if isinstance(scope.pending, frozenset) else ():
                    self.names.setdefault(name, Binding(name, "later"))
            for name, info in (scope.types or {}).items():
                self.types.setdefault(name, info)
            crossed = crossed or scope.barrier == FN
            scope = scope.parent

    def type_of(self, binding: Binding) -> Type | None:
        """Return the type of a value as it is known here."""
        return self.facts.get(binding, binding.type)


class Noter(Checker):
    """A checker that notes types: of expressions, of names where they are bound, and what is in sight at an offset."""

    __slots__ = ("at", "bound", "closures", "meant", "sight", "types")

    def __init__(self, source: Source, declarations: Declarations, at: int) -> None:
        super().__init__(source, declarations, _NOTING)
        self.partial = True
        self.at = at
        self.types: dict[nodes.Node, Type] = {}
        self.bound: dict[int, Type] = {}
        """By where the name stands; for a parameter with a type, by where that stands."""
        self.closures: dict[int, nodes.ClosureExpr] = {}
        """By where the name stands to which they are bound."""
        self.meant: dict[nodes.Node, Binding | None] = {}
        """What the names stand for that are called, or of which a method is called, by the calls."""
        self.sight: Sight | None = None

    def infer(self, node: nodes.Expr) -> Type | None:
        """Note the type of an expression; what is in sight of the innermost one around the offset stays."""
        if node.start <= self.at <= node.end:
            self.sight = Sight(self.scope, self.facts)
        named = node.callee if isinstance(node, nodes.CallExpr) else None
        if isinstance(node, nodes.MethodCallExpr):
            named = node.receiver
        if isinstance(named, nodes.NameExpr):
            self.meant[node] = self.lookup(named.name)
        kind = super().infer(node)
        if kind is not None:
            self.types[node] = kind
        return kind

    def body(self, statements: Sequence[nodes.Stmt]) -> Type | None:
        """Note what parameters, loops and patterns have bound, before the block changes it."""
        for scope in (self.scope, self.scope.parent):
            if scope is not None and scope.parent is not None:
                self.note(scope.names.values())
        return super().body(statements)

    def note(self, bindings: Iterable[Binding]) -> None:
        """Keep the types of bindings that are not noted yet."""
        for binding in bindings:
            if binding.type is not None:
                self.bound.setdefault(binding.start, binding.type)


def _let(c: Noter, node: nodes.LetStmt) -> Type | None:
    kind = TABLES.statements[nodes.LetStmt](c, node)
    if isinstance(node.value, nodes.ClosureExpr):
        c.closures[node.pattern.start] = node.value
    names = [c.scope.names[name] for name in bound_names([node]) if name in c.scope.names]
    c.note(names)
    return kind


_NOTING = Tables(TABLES.expressions, {**TABLES.statements, nodes.LetStmt: _let}, TABLES.conditions)


def noted(
    parts: Sequence[Part],
    wanted: Sequence[nodes.Stmt],
    declarations: Declarations,
    imports: ImportResolver,
    at: int = -1,
) -> Noter:
    """Check the wanted statements of a file, the source of which is that of its first part.

    The file may be put together of several texts. Of the other statements only what the wanted ones name is looked at.
    """
    c = Noter(parts[0][0], declarations, at)
    statements = [statement for _source, part in parts for statement in part]
    c.tree = statements
    _declare(c, parts, statements, imports)
    first = min((statements.index(one) for one in wanted), default=len(statements))
    before = statements[:first]
    for name in bound_names(before):
        c.scope.names.setdefault(name, Binding(name, "later"))
    c.run([*_needed(before, wanted, c.source.text, all_short=at >= 0), *wanted])
    if c.sight is None:
        c.sight = Sight(c.scope, c.facts)
    return c


def _declare(c: Noter, parts: Sequence[Part], statements: Sequence[nodes.Stmt], imports: ImportResolver) -> None:
    """Make known what exists in the whole of the file."""
    for name in unbound_names(statements):
        c.scope.names[name] = Binding(name, "later")
    for source, part in parts:
        hoist_names(c.scope, part, source)
    Faces(imports).bring_all(c.scope, statements, c.source.path)
    for source, part in parts:
        hoist_methods(c.scope, part, source)
    c.scope.pending = frozenset(bound_names(statements))
    prepare_pipelines(c, statements)
    for node in statements:
        if isinstance(node, _NAMED):
            place = node.name
            c.scope.names[place.text] = Binding(place.text, "tool", None, place.start, place.end)


def _needed(
    before: Sequence[nodes.Stmt], wanted: Sequence[nodes.Stmt], text: str, *, all_short: bool
) -> list[nodes.Stmt]:
    """Return the statements that bind what the wanted ones may name, and what these may name in turn."""
    words: set[str] = set()
    for node in wanted:
        words.update(_WORD.findall(text, node.start, node.end))
    found: list[nodes.Stmt] = []
    for node in reversed(before):
        if isinstance(node, nodes.LetStmt):
            if not words.isdisjoint(bound_names([node])):
                words.update(_WORD.findall(text, node.start, node.end))
                found.append(node)
            elif all_short and node.end - node.start < _SHORT:
                found.append(node)
    return found[::-1]
