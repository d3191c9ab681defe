"""Inferred types of expressions and names, for editors; only the requested statements are checked."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import partial
from operator import attrgetter

from harnlite.analysis.builtins.result_shapes import given_to, result_of
from harnlite.analysis.checking.check import TABLES, prepare_pipelines, unbound_names
from harnlite.analysis.checking.checker import Checker, Tables
from harnlite.analysis.checking.contents import given_back, held, taken
from harnlite.analysis.editing.returned import returned
from harnlite.analysis.files.imports import Faces
from harnlite.analysis.types.annotations import expand
from harnlite.analysis.types.assignability import without_nil
from harnlite.analysis.types.environment import FN, Binding
from harnlite.analysis.types.hoisting import bound_names, hoist_methods, hoist_names
from harnlite.analysis.types.nominal import StructInfo
from harnlite.analysis.types.representation import ANY, INT, NIL, Applied, Nominal, join
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from harnlite.analysis.builtins.declarations import Declarations
    from harnlite.analysis.checking.checker import Facts
    from harnlite.analysis.files.imports import ImportResolver
    from harnlite.analysis.types.environment import FnHome, Scope, TypeInfo
    from harnlite.analysis.types.nominal import MethodInfo
    from harnlite.analysis.types.representation import Type
    from harnlite.diagnostics.source import Source, Span

    Given = Callable[[], Type | None]
    Part = tuple[Source, Sequence[nodes.Stmt]]
    """Statements, and the source that contains them."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_SHORT = 200
"""A binding with fewer characters is checked even if no wanted statement names it."""
_MANY = 300
"""The number of checked statements after which short bindings are not checked any more."""
_LONG_BLOCK = 100
"""In a block with more statements, only those that can affect the types near the wanted offset are checked."""
_MOST_RELATED = 100
"""The maximum number of statements other than bindings that are checked because they mention a variable."""
_VARIABLES = frozenset({"let", "var", "const", "param", "later"})
_START = attrgetter("start")
_ENDS = frozenset({"first", "last"})
_CONTAINERS = frozenset({"dict", "list"})
_NAMED = (nodes.ToolDecl, nodes.SkillDecl)


class Sight:
    """The names visible at one place: values, types, and the narrowed types of values."""

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
        """Return the type of a value at this place."""
        return self.facts.get(binding, binding.type)


class Noter(Checker):
    """A checker that records the types of expressions and bindings, and the names visible at an offset."""

    __slots__ = ("at", "bound", "closures", "given", "meant", "near", "results", "sight", "types")

    def __init__(self, source: Source, declarations: Declarations, at: int, near: int) -> None:
        super().__init__(source, declarations, _NOTING)
        self.partial = True
        self.at = at
        self.near = near
        self.types: dict[nodes.Node, Type] = {}
        self.bound: dict[int, Type] = {}
        """The types of bindings by the offset of the name; for a parameter with a type, by the offset of the type."""
        self.closures: dict[int, nodes.ClosureExpr] = {}
        """Closures by the offset of the name to which they are bound."""
        self.meant: dict[nodes.Node, Binding | None] = {}
        """By call: the binding of the name that is called, or whose method is called."""
        self.given: dict[int, Given] = {}
        """By offset of a parameter without a type: the type that the caller of the closure or task passes."""
        self.results: dict[nodes.FnDecl, Type | None] = {}
        """The inferred results of functions without a declared result."""
        self.sight: Sight | None = None

    def infer(self, node: nodes.Expr) -> Type | None:
        """Record the type of an expression, and the names visible in the innermost expression around the offset."""
        if node.start <= self.at <= node.end:
            self.sight = Sight(self.scope, self.facts)
        named = node.callee if isinstance(node, nodes.CallExpr) else None
        if isinstance(node, nodes.MethodCallExpr):
            named = node.receiver
        if isinstance(named, nodes.NameExpr):
            self.meant[node] = self.lookup(named.name)
        self.hand_over(node)
        kind = self.refined(node, super().infer(node))
        if kind is not None:
            self.types[node] = kind
        return kind

    def hand_over(self, node: nodes.Expr) -> None:
        """Record the types that are passed to the parameters of closures and tasks."""
        if isinstance(node, nodes.ParallelExpr) and node.param is not None:
            source = node.source
            self.given[node.param.name.start] = lambda: INT if node.mode == "count" else held(self.types.get(source))
        elif isinstance(node, nodes.MethodCallExpr):
            receiver, method = node.receiver, node.name.text
            for arg in node.args:
                if isinstance(arg, nodes.ClosureExpr) and arg.params:
                    self.given[arg.params[-1].name.start] = lambda: taken(self.types.get(receiver), method)
        function = self.builtin_called(node)
        for closure, place in _closures_in(node) if function else ():
            for param, kind in zip(closure.params, given_to(function, place), strict=False):
                self.given[param.name.start] = partial(_same, kind)

    def builtin_called(self, node: nodes.Expr) -> str:
        """Return the name of the builtin, or of the function of another file, that a call calls."""
        if isinstance(node, nodes.CallExpr) and isinstance(node.callee, nodes.NameExpr):
            known = self.meant[node]
            is_own = known is not None and (known.home is None or known.home.source is self.source)
            return "" if is_own else node.callee.name
        if isinstance(node, nodes.MethodCallExpr) and isinstance(node.receiver, nodes.NameExpr):
            return f"{node.receiver.name}.{node.name.text}"
        return ""

    def refined(self, node: nodes.Expr, kind: Type | None) -> Type | None:
        """Return a more precise type of a value than the one that the checker relies on."""
        shape = result_of(self.builtin_called(node)) if _is_vague(kind) else None
        if shape is not None:
            return shape
        if kind is None:
            kind = self.returned_by(node)
        if isinstance(node, nodes.MethodCallExpr):
            args = node.args
        elif isinstance(node, nodes.PropertyExpr) and node.name.text in _ENDS:
            args = []
        else:
            return kind
        mapped = _value_of(self, args[-1]) if args else None
        found = given_back(self.types.get(node.receiver), node.name.text, len(args), mapped)
        if found is None:
            return kind
        return join((found, NIL)) if node.optional else found

    def returned_by(self, node: nodes.Expr) -> Type | None:
        """Return the inferred result of a call of a function without a declared result."""
        own: Type | None = None
        if isinstance(node, nodes.MethodCallExpr):
            own = expand(without_nil(self.types.get(node.receiver)))
            methods = own.info.methods if isinstance(own, Nominal) and isinstance(own.info, StructInfo) else {}
            called: MethodInfo | FnHome | None = methods.get(node.name.text)
        else:
            binding = self.meant.get(node)
            called = None if binding is None else binding.home
        if called is None:
            return None
        if called.decl not in self.results:
            self.results[called.decl] = returned(called.decl, called.scope, own)
        kind = self.results[called.decl]
        return join((kind, NIL)) if kind is not None and getattr(node, "optional", False) else kind

    def body(self, statements: Sequence[nodes.Stmt]) -> Type | None:
        """Record the types that parameters, loops and patterns have bound, before the block changes them."""
        for binding in self.scope.names.values():
            if binding.type is None and binding.start in self.given:
                binding.type = self.given[binding.start]()
        for scope in (self.scope, self.scope.parent):
            if scope is not None and scope.parent is not None:
                self.note(scope.names.values())
        return super().body(statements)

    def run(self, statements: Sequence[nodes.Stmt]) -> Type | None:
        """Check statements; of a long block around the wanted offset, only those that matter there."""
        if len(statements) > _LONG_BLOCK and statements[0].start <= self.near <= statements[-1].end:
            statements = self.related(statements)
        return super().run(statements)

    def related(self, statements: Sequence[nodes.Stmt]) -> list[nodes.Stmt]:
        """Return the statement at the wanted offset, and earlier ones that can affect the types in it."""
        text = self.source.text
        last = max(bisect_right(statements, self.near, key=_START) - 1, 0)
        names = {*bound_names(statements[:last])}
        scope: Scope | None = self.scope
        while scope is not None:
            names.update(name for name, binding in scope.names.items() if binding.kind in _VARIABLES)
            scope = scope.parent
        words = names.intersection(_WORD.findall(text, statements[last].start, statements[last].end))
        found, others = [statements[last]], 0
        for node in reversed(statements[:last]):
            if isinstance(node, nodes.LetStmt):
                if words.isdisjoint(bound_names([node])):
                    continue
            elif others >= _MOST_RELATED or all(text.find(word, node.start, node.end) < 0 for word in words):
                continue
            else:
                others += 1
            words |= names.intersection(_WORD.findall(text, node.start, node.end))
            found.append(node)
        return found[::-1]

    def note(self, bindings: Iterable[Binding]) -> None:
        """Record the types of bindings that are not recorded yet."""
        for binding in bindings:
            if binding.type is not None:
                self.bound.setdefault(binding.start, binding.type)


def _closures_in(node: nodes.Expr) -> Iterator[tuple[nodes.ClosureExpr, str]]:
    """Yield the closures among the arguments of a call, each with its event or option key."""
    args = node.args if isinstance(node, (nodes.CallExpr, nodes.MethodCallExpr)) else ()
    event = str(args[0].value) if args and isinstance(args[0], nodes.LiteralExpr) else ""
    for arg in args:
        if isinstance(arg, nodes.ClosureExpr):
            yield arg, event
        for entry in arg.entries if isinstance(arg, nodes.DictExpr) else ():
            if isinstance(entry, nodes.DictEntry) and isinstance(entry.value, nodes.ClosureExpr):
                yield entry.value, str(getattr(entry.key, "value", ""))


def _is_vague(kind: Type | None) -> bool:
    """Return whether a type is unknown, or only a dict or a list with unknown contents."""
    return kind is None or kind is ANY or (isinstance(kind, Applied) and kind.name in _CONTAINERS and not kind.args)


def _same(kind: Type | None) -> Type | None:
    return kind


def _value_of(c: Noter, node: nodes.Expr) -> Type | None:
    """Return the type of a closure that consists of a single expression."""
    only = node.body.statements if isinstance(node, nodes.ClosureExpr) else ()
    return c.types.get(only[0].value) if len(only) == 1 and isinstance(only[0], nodes.ExprStmt) else None


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
    *,
    near: int = -1,
) -> Noter:
    """Check the wanted statements of a file and return the checker with the recorded types.

    The file may consist of several texts; its source is that of the first part. Other statements are checked only if
    the wanted ones name something that they bind. With `near`, a long block around that offset is checked only as far
    as the types at the offset depend on it.
    """
    c = Noter(parts[0][0], declarations, at, near)
    statements = [statement for _source, part in parts for statement in part]
    c.tree = statements
    _declare(c, parts, statements, imports)
    first = min((statements.index(one) for one in wanted), default=len(statements))
    before = statements[:first]
    for name in bound_names(before):
        c.scope.names.setdefault(name, Binding(name, "later"))
    c.run([*needed(before, wanted, c.source.text, all_short=at >= 0), *wanted])
    if c.sight is None:
        c.sight = Sight(c.scope, c.facts)
    return c


def _declare(c: Noter, parts: Sequence[Part], statements: Sequence[nodes.Stmt], imports: ImportResolver) -> None:
    """Declare the names that exist in the whole file."""
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


def needed(
    before: Sequence[nodes.Stmt], wanted: Sequence[nodes.Node | Span], text: str, *, all_short: bool = False
) -> list[nodes.Stmt]:
    """Return the statements that bind names that the wanted statements use, directly or through other bindings."""
    lets = [node for node in before if isinstance(node, nodes.LetStmt)]
    words: set[str] = set()
    for one in wanted if lets else ():
        words.update(_WORD.findall(text, one.start, one.end))
    found: list[nodes.Stmt] = []
    for node in reversed(lets):
        if not words.isdisjoint(bound_names([node])):
            words.update(_WORD.findall(text, node.start, node.end))
            found.append(node)
        elif all_short and node.end - node.start < _SHORT and len(found) < _MANY:
            found.append(node)
    return found[::-1]
