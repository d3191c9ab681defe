"""Resolve each name of a file to its binding in one walk over the tree.

Bodies of `fn` are visited last, since they see every binding of the enclosing blocks. Everything else is visited in
order, since it sees only the bindings above it.
"""

from __future__ import annotations

from functools import partial

from harnlite.analysis.names.control_flow import (
    visit_block,
    visit_for,
    visit_match,
    visit_retry,
    visit_select,
    visit_try,
    visit_while,
)
from harnlite.analysis.names.exits import note_propagation, note_return, note_yield
from harnlite.analysis.names.pattern_names import bind_pattern
from harnlite.analysis.names.pipelines import bases_of
from harnlite.analysis.names.scopes import (
    DECLARED_KINDS,
    EARLY_FRAMES,
    HOISTED,
    MUTABLE_KINDS,
    TOP_KINDS,
    TRANSCRIPT,
    TRANSCRIPT_BUILTINS,
    Binding,
    Frame,
    Resolution,
    Scope,
    has_const,
)
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harnlite.analysis.names.scopes import Hoisted, Outer


CALLABLE_KINDS = frozenset({"fn", "struct"})
HOISTED_KINDS = frozenset(DECLARED_KINDS)
NO_NAMES: Mapping[str, Binding] = {}


class Resolver:
    """A single walk over a file that fills a Resolution."""

    def __init__(self, module: nodes.Module, *, let_is_mutable: bool, only: nodes.Node | None = None) -> None:
        self.only = only
        self.pipelines = {node.name.text: node for node in module.statements if isinstance(node, nodes.PipelineDecl)}
        self.result = Resolution()
        self.result.let_is_mutable = let_is_mutable
        self.mutable_kinds = MUTABLE_KINDS | {"let"} if let_is_mutable else MUTABLE_KINDS
        self.serials: dict[str, int] = {}
        self.queue: list[Callable[[], None]] = []
        self.frame = Frame("module", module, None)
        self.scope = Scope(self.frame, None, None)
        self.result.frames[module] = self.frame
        self.result.module_scope = self.scope
        self.result.scopes[module] = self.scope

    def stand_in(self, outer: Outer, module: nodes.Module) -> None:
        """Make the names of the surrounding session visible to the file."""
        scope = self.result.outer_scope = self.scope.parent = Scope(self.frame, None, None)
        for name, (kind, mutable) in outer.names.items():
            scope.names[name] = binding = Binding(name, kind, scope, module, 1)
            binding.mutable = mutable

    # Names

    def declare(self, name: str, kind: str, decl: nodes.Node, scope: Scope | None = None) -> Binding | None:
        """Bind a name in a scope; `_` binds nothing."""
        if name == "_":
            self.result.bindings[decl] = None
            return None
        scope = scope or self.scope
        binding = scope.names.get(name)
        if binding is not None and binding.kind == "import" and kind in TOP_KINDS:
            # The loader reports that the name is both imported and declared.
            binding = None
        if binding is None:
            binding = scope.pending.pop(name, None)
            if binding is None:
                self.serials[name] = serial = self.serials.get(name, 0) + 1
                binding = Binding(name, kind, scope, decl, serial)
                binding.mutable = kind in self.mutable_kinds
            scope.names[name] = binding
        elif kind in self.mutable_kinds or binding.mutable:
            binding.mutable = True
            binding.assignments += 1
        else:
            binding.redeclared.add(decl)
        self.result.bindings[decl] = binding
        return binding

    def lookup(self, name: str) -> Binding | None:
        """Return the binding of a name at this place; a binding of another frame becomes captured."""
        scope: Scope | None = self.scope
        while scope is not None:
            binding = scope.names.get(name)
            if binding is None and scope.frame is not self.frame:
                binding = scope.pending.get(name)
                if binding is not None:
                    binding.early = True
            if binding is not None:
                if binding.frame is not self.frame:
                    binding.captured = True
                return binding
            scope = scope.parent
        return None

    def use(self, node: nodes.Node, name: str) -> Binding | None:
        """Record the binding of a name that is read."""
        binding = self.lookup(name)
        self.result.bindings[node] = binding
        self.result.scopes[node] = self.scope
        if binding is not None and binding.frame is not self.frame:
            self.capture(binding)
        return binding

    def hidden(self, binding: Binding) -> list[Binding]:
        """Return the outer variables of the same name that a call may use, up to the first certainly callable one."""
        found: list[Binding] = []
        scope = binding.scope.parent
        while scope is not None and (not found or found[-1].kind not in CALLABLE_KINDS):
            outer = scope.names.get(binding.name)
            if outer is not None:
                found.append(outer)
                if outer.frame is not self.frame:
                    outer.captured = True
                    self.capture(outer)
            scope = scope.parent
        return found

    def capture(self, binding: Binding) -> None:
        """Record that the current function, and all between it and the binding, use the binding."""
        frame: Frame | None = self.frame
        while frame is not None and frame is not binding.frame:
            if frame.parent is binding.frame:
                frame.by_value[binding] = None
                if frame.kind in EARLY_FRAMES:
                    binding.early = True
            frame = frame.parent

    def assign(self, node: nodes.NameExpr) -> None:
        """Record an assignment to a name."""
        binding = self.use(node, node.name)
        if binding is not None:
            binding.assignments += 1

    # Blocks and frames

    def block(
        self, block: nodes.Block, *, loop: nodes.Node | None = None, bind: Callable[[], None] | None = None
    ) -> None:
        """Visit a block in a new scope."""
        outer = self.scope
        self.scope = Scope(self.frame, outer, loop or outer.loop)
        self.result.scopes[block] = self.scope
        if bind is not None:
            bind()
        self.statements(block.statements)
        self.scope = outer

    def statements(self, statements: Sequence[nodes.Stmt]) -> None:
        """Visit statements in the current scope, after binding the names of their declarations."""
        for statement in statements:
            if statement.__class__ in HOISTED_KINDS and isinstance(statement, HOISTED):
                self.hoist(statement)
        visitors = VISITORS
        for statement in statements:
            visitors[statement.__class__](self, statement)

    def hoist(self, statement: Hoisted) -> None:
        """Bind the name of a declaration in its whole block."""
        name = statement.name
        if not isinstance(statement, nodes.FnDecl):
            self.result.types[name.text] = statement
        binding = self.declare(name.text, DECLARED_KINDS[type(statement)], statement)
        if binding is not None:
            binding.early = True

    def function(
        self,
        kind: str,
        node: nodes.Node,
        params: Sequence[nodes.Param],
        body: nodes.Block | None,
        inherited: Mapping[str, Binding] = NO_NAMES,
    ) -> None:
        """Visit a function; its parameters, its body and the inherited names share one scope."""
        outer_frame, outer_scope = self.frame, self.scope
        self.frame = self.result.frames[node] = Frame(kind, node, outer_frame)
        self.scope = Scope(self.frame, outer_scope, None)
        self.result.scopes[node] = self.scope
        self.scope.names.update(inherited)
        for param in params:
            if param.default is not None:
                self.visit(param.default)
            if param.name.text in inherited:
                self.result.bindings[param] = inherited[param.name.text]
            else:
                self.declare(param.name.text, "param", param)
        if body is not None:
            self.result.scopes[body] = self.scope
            self.statements(body.statements)
        self.frame, self.scope = outer_frame, outer_scope

    def pipeline(self, node: nodes.PipelineDecl) -> None:
        """Visit a pipeline together with the pipelines that it extends, as one body."""
        names = NO_NAMES
        for one in (*reversed(bases_of(node, self.pipelines)), node):
            if one not in self.result.scopes:
                self.function("pipeline", one, one.params, one.body, names)
            names = self.result.scopes[one].names

    def later(self, node: nodes.Node, work: Callable[[], None]) -> None:
        """Queue work on a node until the enclosing scopes are known; omit declarations other than `only`."""
        if self.only is not None and self.only is not node and self.frame.kind == "module":
            return
        frame, scope = self.frame, self.scope

        def resume() -> None:
            self.frame, self.scope = frame, scope
            work()

        self.queue.append(resume)

    def visit(self, node: nodes.Node) -> None:
        """Visit a node and the nodes below it."""
        VISITORS[node.__class__](self, node)

    def run(self, module: nodes.Module) -> Resolution:
        """Visit the whole file, do the queued work and return the result."""
        for statement in module.statements:
            if isinstance(statement, nodes.ImportDecl):
                for name in statement.names or ():
                    self.declare(name.text, "import", name)
        self.statements(module.statements)
        while self.queue:
            work, self.queue = self.queue, []
            for resume in work:
                resume()
        return self.result


def _fn(r: Resolver, node: nodes.FnDecl) -> None:
    r.later(node, lambda: r.function("fn", node, node.params, node.body))


def _impl(r: Resolver, node: nodes.ImplDecl) -> None:
    r.use(node.name, node.name.text)
    for method in node.methods:
        r.result.methods.add(method.name.text)
        r.later(node, partial(r.function, "method", method, method.params, method.body))


def _pipeline(r: Resolver, node: nodes.PipelineDecl) -> None:
    r.later(node, lambda: r.pipeline(node))


def _override(r: Resolver, node: nodes.OverrideDecl) -> None:
    r.later(node, lambda: r.function("override", node, node.params, node.body))


def _tool(r: Resolver, node: nodes.ToolDecl) -> None:
    if node.description is not None:
        r.visit(node.description)
    r.later(node, lambda: r.function("tool", node, node.params, node.body))
    r.declare(node.name.text, "tool", node)


def _skill(r: Resolver, node: nodes.SkillDecl) -> None:
    for member in node.members:
        r.visit(member.value)
    r.declare(node.name.text, "skill", node)


def _closure(r: Resolver, node: nodes.ClosureExpr) -> None:
    r.function("closure", node, node.params, node.body)


def _body(r: Resolver, node: nodes.SpawnExpr) -> None:
    r.function("task", node, (), node.body)


def _parallel(r: Resolver, node: nodes.ParallelExpr) -> None:
    r.visit(node.source)
    if node.max_concurrent is not None:
        r.visit(node.max_concurrent)
    r.function("task", node, [node.param] if node.param else (), node.body)


def _defer(r: Resolver, node: nodes.DeferStmt) -> None:
    r.frame.has_defer = True
    r.function("defer", node, (), node.body)


def _call(r: Resolver, node: nodes.CallExpr) -> None:
    callee = node.callee
    VISITORS[callee.__class__](r, callee)
    for arg in node.args:
        VISITORS[arg.__class__](r, arg)
    if isinstance(callee, nodes.NameExpr):
        binding = r.result.bindings.get(callee)
        if binding is not None and binding.kind not in CALLABLE_KINDS:
            hidden = r.hidden(binding)
            if hidden:
                r.result.hidden[callee] = hidden


def _method_call(r: Resolver, node: nodes.MethodCallExpr) -> None:
    receiver = node.receiver
    if isinstance(receiver, nodes.NameExpr) and receiver.name == TRANSCRIPT and node.name.text in TRANSCRIPT_BUILTINS:
        r.result.bindings[receiver] = None
    else:
        r.visit(receiver)
    for arg in node.args:
        r.visit(arg)


def _name(r: Resolver, node: nodes.NameExpr) -> None:
    result, scope = r.result, r.scope
    result.scopes[node] = scope
    binding = result.bindings[node] = scope.names.get(node.name) or r.lookup(node.name)
    if binding is not None and binding.frame is not r.frame:
        r.capture(binding)


def _let(r: Resolver, node: nodes.LetStmt) -> None:
    pattern = node.pattern
    if isinstance(pattern, nodes.NamePattern):
        name = pattern.name
        fresh = name != "_" and name not in r.scope.names
        if fresh:
            r.serials[name] = serial = r.serials.get(name, 0) + 1
            pending = Binding(name, node.kind, r.scope, pattern, serial)
            pending.mutable = node.kind in r.mutable_kinds
            r.scope.pending[name] = pending
        r.visit(node.value)
        binding = r.declare(name, node.kind, pattern)
        if binding is not None:
            binding.values.append(node.value)
    else:
        r.visit(node.value)
        bind_pattern(r, pattern, node.kind)


def _assign(r: Resolver, node: nodes.AssignStmt) -> None:
    root: nodes.Expr = node.target
    while isinstance(root, (nodes.PropertyExpr, nodes.IndexExpr)):
        if isinstance(root, nodes.IndexExpr):
            r.visit(root.index)
        root = root.receiver
    r.visit(node.value)
    if isinstance(root, nodes.NameExpr):
        r.assign(root)
        binding = r.result.bindings[root]
        if binding is not None:
            binding.values.append(node)
    else:
        r.visit(root)


def _struct_literal(r: Resolver, node: nodes.StructExpr) -> None:
    r.use(node.name, node.name.text)
    for entry in node.entries:
        r.visit(entry)


def _import(r: Resolver, node: nodes.ImportDecl) -> None:
    r.result.imports.append(node)


def _silent(_r: Resolver, _node: nodes.Node) -> None:
    """Skip a node that contains no names to resolve."""


def _below(r: Resolver, node: nodes.Node) -> None:
    """Visit the nodes below a node."""
    for child in node.children():
        visit = VISITORS[child.__class__]
        if visit is not _silent:
            visit(r, child)


def _value_below(r: Resolver, node: nodes.ExprStmt) -> None:
    VISITORS[node.value.__class__](r, node.value)


def _receiver_below(r: Resolver, node: nodes.PropertyExpr) -> None:
    VISITORS[node.receiver.__class__](r, node.receiver)


class _Visitors(dict[type, "Callable[..., None]"]):
    """A table of visitors, in which most classes of nodes have none of their own."""

    __slots__ = ()

    def __missing__(self, kind: type[nodes.Node]) -> Callable[..., None]:
        visit = self[kind] = _below if kind.branches else _silent
        return visit


_NAMELESS = (
    nodes.StructDecl, nodes.EnumDecl, nodes.InterfaceDecl, nodes.TypeDecl, nodes.Ident, nodes.LiteralExpr,
    nodes.NamedType, nodes.LiteralType, nodes.ShapeType, nodes.UnionType, nodes.FnType,
)  # fmt: skip
VISITORS = _Visitors(
    {
        **dict.fromkeys(_NAMELESS, _silent),
        nodes.FnDecl: _fn,
        nodes.ImplDecl: _impl,
        nodes.PipelineDecl: _pipeline,
        nodes.OverrideDecl: _override,
        nodes.ToolDecl: _tool,
        nodes.SkillDecl: _skill,
        nodes.ClosureExpr: _closure,
        nodes.SpawnExpr: _body,
        nodes.ParallelExpr: _parallel,
        nodes.DeferStmt: _defer,
        nodes.CallExpr: _call,
        nodes.MethodCallExpr: _method_call,
        nodes.ReturnStmt: note_return,
        nodes.YieldStmt: note_yield,
        nodes.EmitStmt: note_yield,
        nodes.PropagateExpr: note_propagation,
        nodes.NameExpr: _name,
        nodes.LetStmt: _let,
        nodes.AssignStmt: _assign,
        nodes.WhileStmt: visit_while,
        nodes.ForStmt: visit_for,
        nodes.RetryExpr: visit_retry,
        nodes.Block: visit_block,
        nodes.MatchExpr: visit_match,
        nodes.TryExpr: visit_try,
        nodes.SelectStmt: visit_select,
        nodes.StructExpr: _struct_literal,
        nodes.ImportDecl: _import,
        nodes.ExprStmt: _value_below,
        nodes.PropertyExpr: _receiver_below,
    }
)


def resolve(
    module: nodes.Module, text: str, outer: Outer | None = None, *, only: nodes.Stmt | None = None
) -> Resolution:
    """Resolve every name of a file; `only` omits the bodies of all other top-level declarations."""
    resolver = Resolver(module, let_is_mutable=has_const(module, text), only=only)
    if outer is not None:
        resolver.stand_in(outer, module)
    return resolver.run(module)
