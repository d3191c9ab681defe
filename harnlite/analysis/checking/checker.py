"""The state of one check: the current scope and function, the narrowed types there, and the findings so far."""

from __future__ import annotations

from harnlite.analysis.types.environment import Scope, lookup
from harnlite.analysis.types.hoisting import hoist
from harnlite.analysis.types.representation import NEVER, NIL, text
from harnlite.diagnostics.diagnostic import ERROR, WARNING, Diagnostic, Label
from harnlite.diagnostics.source import Span
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harnlite.analysis.builtins.declarations import Declarations
    from harnlite.analysis.types.environment import Binding
    from harnlite.analysis.types.nominal import Signature
    from harnlite.analysis.types.representation import Type
    from harnlite.diagnostics.source import Source

    Facts = dict[Binding, Type]
    TextReader = Callable[[str, str], str | None]
    """Returns the text of a file, whose path is relative to a program, or None if it cannot be read."""
    ExpressionTable = Mapping[type, Callable[..., Type | None]]
    StatementTable = Mapping[type, Callable[..., Type | None]]
    ConditionTable = Mapping[type, Callable[..., tuple[Facts, Facts]]]

NOTHING: Facts = {}
PLAIN_CALLS = frozenset({nodes.CallExpr, nodes.MethodCallExpr, nodes.PipeExpr})


class Function:
    """The function, closure, tool, pipeline or task whose body is being checked."""

    __slots__ = ("emits", "is_gen", "kind", "result", "result_node")

    def __init__(
        self,
        kind: str,
        result: Type | None = None,
        result_node: nodes.TypeExpr | None = None,
        *,
        is_gen: bool = False,
        emits: Type | None = None,
    ) -> None:
        self.kind = kind
        self.result = result
        self.result_node = result_node
        self.is_gen = is_gen
        self.emits = emits


class Loop:
    """The loop whose body is being checked."""

    __slots__ = ("broken",)

    def __init__(self) -> None:
        self.broken = False


class Tables:
    """The handlers by class of node."""

    __slots__ = ("conditions", "expressions", "statements")

    def __init__(self, expressions: ExpressionTable, statements: StatementTable, conditions: ConditionTable) -> None:
        self.expressions = expressions
        self.statements = statements
        self.conditions = conditions


class Checker:
    """A single walk over a tree; the handlers of the node classes are in the modules that fill the tables."""

    __slots__ = (
        "bases",
        "changes",
        "complete",
        "conditions",
        "declarations",
        "expressions",
        "facts",
        "found",
        "function",
        "let_mutable",
        "loop",
        "partial",
        "scope",
        "source",
        "statements",
        "texts",
        "tree",
    )

    def __init__(self, source: Source, declarations: Declarations, tables: Tables) -> None:
        self.source = source
        self.declarations = declarations
        self.expressions = tables.expressions
        self.statements = tables.statements
        self.conditions = tables.conditions
        self.scope = Scope(None)
        self.facts: Facts = NOTHING
        self.found: list[Diagnostic] = []
        self.function = Function("top")
        self.loop: Loop | None = None
        self.complete = True
        self.partial = False
        self.let_mutable = False
        self.bases: Mapping[str, Sequence[nodes.PipelineDecl]] = {}
        self.tree: Sequence[nodes.Stmt] = ()
        self.changes: Mapping[str, Sequence[int]] | None = None
        self.texts: TextReader | None = None

    def infer(self, node: nodes.Expr) -> Type | None:
        """Check an expression and return its type, or None if it is unknown."""
        return self.expressions[node.__class__](self, node)

    def condition(self, node: nodes.Expr) -> tuple[Facts, Facts]:
        """Check a condition; return the narrowed types where it holds, and those where it does not."""
        handler = self.conditions.get(node.__class__)
        if handler is not None:
            return handler(self, node)
        self.expressions[node.__class__](self, node)
        return NOTHING, NOTHING

    def block(self, block: nodes.Block, scope: Scope | None = None) -> Type | None:
        """Check a block in a new scope; return the type of its value, or `never` if its end is not reached."""
        outer = self.scope
        self.scope = scope or Scope(outer)
        value = self.body(block.statements)
        self.scope = outer
        return value

    def body(self, statements: Sequence[nodes.Stmt]) -> Type | None:
        """Check the statements of a block in the current scope."""
        hoist(self.scope, statements, self.source)
        return self.run(statements)

    def run(self, statements: Sequence[nodes.Stmt]) -> Type | None:
        """Check statements whose declarations are already hoisted."""
        table = self.statements
        value: Type | None = NIL
        left: nodes.Stmt | None = None
        for statement in statements:
            if left is not None:
                left = self._after_end(left, statement)
            value = table[statement.__class__](self, statement)
            if value is NEVER and left is None:
                left = statement
        return value if left is None else NEVER

    def _after_end(self, left: nodes.Stmt, statement: nodes.Stmt) -> nodes.Stmt:
        """Warn once about statements that are not reached; after a call that never returns there is no warning."""
        if isinstance(statement, nodes.Decl) or left is _REPORTED:
            return left
        if not (isinstance(left, nodes.ExprStmt) and left.value.__class__ in PLAIN_CALLS):
            self.warning("unreachable code", statement.start, statement.end, [self.label(left.start, left.end, _ENDS)])
        return _REPORTED

    def fact(self, binding: Binding) -> Type | None:
        """Return the type of a variable at this place, narrowed if possible."""
        return self.facts.get(binding, binding.type) if self.facts else binding.type

    def assume(self, facts: Facts) -> None:
        """Add narrowed types to those known at this place."""
        if facts:
            self.facts = {**self.facts, **facts} if self.facts else facts

    def forget(self, binding: Binding) -> None:
        """Drop the narrowed types of a variable and of its contents."""
        if binding in self.facts or binding.inner:
            self.facts = {
                known: kind for known, kind in self.facts.items() if known is not binding and known.root is not binding
            }

    def lookup(self, name: str) -> Binding | None:
        """Return the binding of a name at this place."""
        return self.scope.names.get(name) or lookup(self.scope, name)

    def builtin(self, name: str) -> Signature | None:
        """Return the signature of a builtin, or None if there is no builtin of this name."""
        return self.declarations.signature(name)

    def error(
        self, message: str, start: int, end: int, labels: Sequence[Label] = (), advice: Sequence[str] = ()
    ) -> None:
        """Report an error."""
        self.found.append(Diagnostic(ERROR, message, self.source, Span(start, end), labels=labels, help=advice))

    def warning(
        self, message: str, start: int, end: int, labels: Sequence[Label] = (), advice: Sequence[str] = ()
    ) -> None:
        """Report a warning."""
        self.found.append(Diagnostic(WARNING, message, self.source, Span(start, end), labels=labels, help=advice))

    def label(self, start: int, end: int, message: str, source: Source | None = None) -> Label:
        """Return a label that points to another place."""
        return Label(Span(start, end), message, None if source is self.source else source)


_ENDS = "nothing after this is reached"
_REPORTED = nodes.BreakStmt(0, 0)


def merged(left: Facts, right: Facts) -> Facts:
    """Return the narrowed types that hold where two branches join."""
    if left is right:
        return left
    if not left or not right:
        return NOTHING
    return {
        binding: kind
        for binding, kind in left.items()
        if (other := right.get(binding)) is not None and (other is kind or text(other) == text(kind))
    }
