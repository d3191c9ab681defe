"""The calls of the functions of a file, and the results that functions and closures return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.compiler.kinds import join
from harnlite.compiler.marks import is_marked
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.names.scopes import Binding, Frame
    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.kinds import Kind

    Results = list[nodes.Expr | None]

OPERATORS = frozenset({"+", "-", "*", "/", "%", "<", ">", "<=", ">="})
LARGEST_BODY = 6_000
MOST_BODIES = 300


LOOPS = frozenset({nodes.WhileStmt, nodes.ForStmt})
PARTS = LOOPS | {nodes.FnDecl}
OPERATIONS = frozenset({nodes.BinaryExpr, nodes.IndexExpr})
FOUND = PARTS | OPERATIONS | {nodes.CallExpr, nodes.MethodCallExpr}
LEAVES = frozenset({nodes.LiteralExpr, nodes.Ident, nodes.NamedType})


class Function:
    """A function of the file, or a closure of an immutable variable, that calls reach by its name.

    `is_private` means that all its uses are such calls, so that they determine the kinds of its parameters. `uses` are
    the likely kinds of the parameters that loops use, `single_uses` those of other parameters, `passes` the parameters
    that it passes on to other functions, `callees` the functions that it calls, and `guesses` the likely kinds of its
    parameters, by number. `assumed` are the kinds that its second body assumes, once they are known.
    """

    __slots__ = (
        *(
            "assumed",
            "binding",
            "callees",
            "guesses",
            "has_loop",
            "is_private",
            "may_have_two_bodies",
            "node",
            "passes",
            "results",
        ),
        *("single_uses", "sites", "uses"),
    )

    def __init__(self, binding: Binding, node: nodes.FnDecl | nodes.ClosureExpr, results: Results) -> None:
        self.binding = binding
        self.node = node
        self.results = results
        self.sites: list[tuple[list[nodes.Expr], bool]] = []
        self.may_have_two_bodies = False
        self.is_private = False
        self.has_loop = False
        self.guesses: dict[int, Kind] = {}
        self.assumed: list[Kind] | None = None
        self.uses: dict[Binding, Kind] = {}
        self.single_uses: dict[Binding, Kind] = {}
        self.callees: set[Binding] = set()
        self.passes: dict[Binding, list[tuple[Binding, int]]] = {}


class Sites:
    """What a walk over the file finds: functions with their calls, and closures that are arguments of methods."""

    __slots__ = ("_results", "by_node", "callbacks", "functions")

    def __init__(self) -> None:
        self.functions: dict[Binding, Function] = {}
        self.callbacks: dict[Binding, tuple[nodes.MethodCallExpr, int]] = {}
        self.by_node: dict[nodes.Node, Function] = {}
        self._results: dict[nodes.ClosureExpr, Results | None] = {}

    def results_of(self, c: Emitter, node: nodes.ClosureExpr) -> Results | None:
        """Return the expressions whose values a closure returns, or None if they are not known."""
        if node not in self._results:
            self._results[node] = find_results(c.resolution.frames[node], node.body, gives_last=True)
        return self._results[node]

    def argument_kind(self, c: Emitter, param: Binding) -> Kind:
        """Return the common kind of the arguments for a parameter in all calls that reach the second body."""
        function = self.by_node.get(param.frame.node)
        if function is None or not (function.is_private or (function.may_have_two_bodies and c.view.is_special)):
            return None
        number = next((n for n, one in enumerate(function.node.params) if c.bindings.get(one) is param), -1)
        if number < 0 or function.node.params[number].default is not None or function.node.params[number].rest:
            return None
        guess = function.guesses.get(number)
        if guess is None and not function.sites:
            return None
        kind: Kind = guess if guess is not None else "bottom"
        for args, is_own in function.sites:
            found = c.deep_kind(args[number]) if number < len(args) else "nil"
            if found is None and guess is not None and not is_own:
                continue
            kind = join(kind, found)
            if kind is None:
                return None
        return kind


def find_sites(c: Emitter, module: nodes.Module) -> Sites:
    """Collect the functions of a file and their calls."""
    sites = Sites()
    if c.plain or c.keep_globals:
        return sites
    _add_functions(c, sites)
    _add_closures(c, sites)
    uses: dict[Binding, int] = {}
    functions, bindings = sites.functions, c.bindings
    parts: list[tuple[nodes.Node, Function | None, bool]] = [(module, None, False)]
    for part, owner, in_loop in parts:  # both lists grow during the loops
        pending = part.children()
        for node in pending:
            label = node.__class__
            if label is nodes.NameExpr:
                used = bindings.get(node)
                if used in functions:
                    uses[used] = uses.get(used, 0) + 1
            elif label in LEAVES:
                pass
            elif label not in FOUND:
                pending += node.children()
            elif label in PARTS:
                parts.append((node, *_note(c, sites, node, owner, in_loop=in_loop)))
            else:
                _note(c, sites, node, owner, in_loop=in_loop)
                pending += node.children()
    # A call of a variable that holds no function goes to an outer variable of the same name.
    hidden = {binding for found in c.resolution.hidden.values() for binding in found}
    for binding, function in sites.functions.items():
        is_exported = binding.scope is c.resolution.module_scope and isinstance(function.node, nodes.FnDecl)
        is_reached = is_exported or binding in hidden or uses.get(binding, 0) != len(function.sites)
        function.is_private = function.is_private and not is_reached
    return sites


def _note(
    c: Emitter, sites: Sites, node: nodes.Node, owner: Function | None, *, in_loop: bool
) -> tuple[Function | None, bool]:
    """Note what a node tells about functions; return the function and whether there is a loop around its children."""
    label = node.__class__
    if label in OPERATIONS:
        if owner is not None:
            _add_use(c, owner.uses if in_loop else owner.single_uses, owner.node, node)
    elif isinstance(node, nodes.CallExpr):
        _add_call(c, sites, node, owner)
    elif isinstance(node, nodes.MethodCallExpr):
        _add_callbacks(c, sites, node)
    elif isinstance(node, nodes.FnDecl):
        found = sites.by_node.get(node)
        return (owner, in_loop) if found is None else (found, False)
    elif owner is not None and label in LOOPS:
        owner.has_loop = True
        return owner, True
    return owner, in_loop


def _add_closures(c: Emitter, sites: Sites) -> None:
    for binding in dict.fromkeys(c.bindings.values()):
        if binding is None or binding.kind not in {"let", "const"} or binding.mutable or binding.redeclared:
            continue
        node = binding.values[0] if len(binding.values) == 1 else None
        if not isinstance(node, nodes.ClosureExpr) or c.resolution.frames[node].has_yield:
            continue
        results = sites.results_of(c, node)
        if results is not None:
            function = sites.functions[binding] = sites.by_node[node] = Function(binding, node, results)
            function.is_private = not any(param.rest or param.type for param in node.params)


def _add_use(c: Emitter, uses: dict[Binding, Kind], owner: nodes.Node, node: nodes.Node) -> None:
    """Note the likely kind of a parameter that is an operand or an index."""
    used: list[tuple[nodes.Expr, Kind]] = []
    if isinstance(node, nodes.BinaryExpr):
        if node.op not in OPERATORS:
            return
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, nodes.NameExpr):
                is_real = isinstance(other, nodes.LiteralExpr) and other.kind != "int"
                used.append((one, other.kind if is_real and isinstance(other, nodes.LiteralExpr) else "int"))
    elif isinstance(node, nodes.IndexExpr):
        used = [(node.index, "int")]
    for one, kind in used:
        binding = c.bindings.get(one) if isinstance(one, nodes.NameExpr) else None
        if binding is not None and binding.kind == "param" and binding.frame.node is owner:
            known = uses.setdefault(binding, kind)
            if kind != known:
                uses[binding] = "float" if {kind, known} == {"int", "float"} else None


def _add_functions(c: Emitter, sites: Sites) -> None:
    for node, frame in c.resolution.frames.items():
        if not isinstance(node, nodes.FnDecl) or node.body is None or frame.kind != "fn":
            continue
        binding = c.bindings.get(node)
        if binding is None or binding.kind != "fn" or binding.redeclared or binding.assignments or binding.mutable:
            continue
        if frame.has_yield or node.is_gen or is_marked(node) or node.is_extern:
            continue
        results = find_results(frame, node.body, gives_last=False)
        if results is None:
            continue
        function = sites.functions[binding] = sites.by_node[node] = Function(binding, node, results)
        function.is_private = not node.attributes
        tail = c.tails.get(binding)
        function.may_have_two_bodies = (
            binding.scope is c.resolution.module_scope
            and binding.name not in c.imported
            and not node.attributes
            and not any(param.rest or c.bindings.get(param) is None for param in node.params)
            and (tail is None or not tail.is_trampoline)
            and node.end - node.start <= LARGEST_BODY
            and len(sites.functions) <= MOST_BODIES
        )


def _add_call(c: Emitter, sites: Sites, node: nodes.CallExpr, owner: Function | None) -> None:
    callee = node.callee
    binding = c.bindings.get(callee) if isinstance(callee, nodes.NameExpr) else None
    function = None if binding is None else sites.functions.get(binding)
    if binding is not None and function is not None and not any(isinstance(arg, nodes.SpreadExpr) for arg in node.args):
        function.sites.append((node.args, owner is function))
        if owner is not None:
            owner.callees.add(binding)
        for number, arg in enumerate(node.args if owner is not None else ()):
            passed = c.bindings.get(arg) if isinstance(arg, nodes.NameExpr) else None
            if owner is not None and passed is not None and passed.kind == "param":
                owner.passes.setdefault(passed, []).append((function.binding, number))


def _add_callbacks(c: Emitter, sites: Sites, node: nodes.MethodCallExpr) -> None:
    if node.optional:
        return
    for arg in node.args:
        if isinstance(arg, nodes.ClosureExpr):
            if any(param.rest or param.type or param.default for param in arg.params):
                continue
            for number, param in enumerate(arg.params):
                binding = c.bindings.get(param)
                if binding is not None:
                    sites.callbacks[binding] = (node, number)


def find_results(frame: Frame, body: nodes.Block, *, gives_last: bool) -> Results | None:
    """Return the expressions that a function returns; None stands for nil. Return None if not all of them are known.

    `gives_last` means that the last expression of the body is a result too.
    """
    if frame.propagates or frame.has_yield:
        return None
    found = list(frame.returned)
    last = body.statements[-1] if body.statements else None
    if gives_last and isinstance(last, nodes.ExprStmt):
        found.append(last.value)
    elif not _leaves(body):
        found.append(None)
    return found


def _leaves(block: nodes.Block | nodes.IfExpr | None) -> bool:
    """Return whether control never reaches the end of a block."""
    if isinstance(block, nodes.IfExpr):
        return _leaves(block.then) and _leaves(block.otherwise)
    last = block.statements[-1] if block is not None and block.statements else None
    if isinstance(last, (nodes.ReturnStmt, nodes.ThrowStmt)):
        return True
    if not isinstance(last, nodes.ExprStmt):
        return False
    value = last.value
    if isinstance(value, nodes.IfExpr):
        return _leaves(value)
    if isinstance(value, nodes.MatchExpr):
        return all(_leaves(arm.body) for arm in value.arms)
    return (
        isinstance(value, nodes.TryExpr) and value.catch_body is not None and _all_leave(value.body, value.catch_body)
    )


def _all_leave(*blocks: nodes.Block) -> bool:
    return all(map(_leaves, blocks))


def matches(kinds: Sequence[Kind], assumed: Sequence[Kind]) -> bool:
    """Return whether arguments have the kinds that a second body assumes."""
    return all(want is None or join(kind, want) == want for kind, want in zip(kinds, assumed, strict=True))
