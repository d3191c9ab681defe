"""The state of compiling one file: the current statement list, names, temporaries and positions.

An expression becomes one Python expression if possible; statements that must run before it are appended to the current
statement list (`out`). Names of runtime helpers start with an underscore, variables of the script with `v`, builtins
with `b_` (the function) or `n_` (the value), and temporaries with `t`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.call_sites import Sites
from harnlite.compiler.inference import View, deep_kind
from harnlite.compiler.ownership import pass_inner
from harnlite.compiler.positions import Where
from harnlite.compiler.python_shapes import (
    LTE,
    Constant,
    Name,
    assign,
    attribute,
    choose,
    compare,
    constant,
    effect,
    fields_of,
    invoke,
    named_value,
    place,
    position_of,
    put,
    starred,
)
from harnlite.compiler.python_shapes import name as read_name
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeGuard

    from harnlite.analysis.builtins.declarations import Declarations
    from harnlite.analysis.names.scopes import Binding, Frame, Resolution
    from harnlite.compiler.kinds import Kind
    from harnlite.compiler.python_shapes import At
    from harnlite.compiler.tails import Tail
    from harnlite.diagnostics.source import Source

LOAD, STORE = ast.Load(), ast.Store()

RELEASING = (nodes.ExprStmt, nodes.LetStmt, nodes.AssignStmt, nodes.ForStmt)
LOCAL, GLOBAL, CELL, VALUE, BOX = "local", "global", "cell", "value", "box"


class Tables:
    """The functions that compile each kind of node."""

    __slots__ = ("blocks", "condition", "expressions", "statements", "write_return")

    def __init__(
        self,
        expressions: dict[type, Callable[..., ast.expr]],
        statements: dict[type, Callable[..., None]],
        condition: Callable[[Emitter, nodes.BinaryExpr], ast.expr],
        blocks: Callable[[Emitter, nodes.Block | nodes.Module], None],
        write_return: Callable[[Emitter, nodes.Expr, At], None],
    ) -> None:
        self.expressions = expressions
        self.statements = statements
        self.condition = condition
        self.blocks = blocks
        self.write_return = write_return


class Writing:
    """A context in which statements are appended to another list."""

    __slots__ = ("_c", "_outer", "out")

    def __init__(self, c: Emitter, out: list[ast.stmt]) -> None:
        self._c = c
        self.out = out

    def __enter__(self) -> list[ast.stmt]:
        self._outer, self._c.out = self._c.out, self.out
        return self.out

    def __exit__(self, *_: object) -> None:
        self._c.out = self._outer


class Body:
    """The Python function that is being generated, and the constructs around the current position in it.

    `unsafe` counts the enclosing constructs that rule out tail calls, because the calls inside them have to return
    first. `loops` lists the enclosing loops, innermost last: None for a loop of the script, a list of flags for a retry
    (which is a loop only in Python). `deadlines` lists the enclosing deadline blocks, which are paused while a
    generator is suspended. `unsafe_at_entry` is the part of `unsafe` that holds for the whole function.
    """

    __slots__ = ("deadlines", "frame", "globals", "loops", "nonlocals", "tail", "unsafe", "unsafe_at_entry")

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.nonlocals: dict[str, None] = {}
        self.globals: dict[str, None] = {}
        self.unsafe = self.unsafe_at_entry = 0
        self.deadlines: list[str] = []
        self.loops: list[list[str] | None] = []
        self.tail: Tail | None = None


class Emitter:
    """The state of compiling one file."""

    # fmt: off
    __slots__ = (
        "alias_uses", "bindings", "body", "calls", "constants", "declarations", "deferred", "depth", "expressions",
        "fields", "float_fields", "functions", "generic_view", "given", "has_generators", "has_wildcard_import",
        "helpers", "imported", "inner", "keep_globals", "knows_imports", "loose", "methods", "module", "native_values",
        "natives", "neutral", "out", "owned", "paths", "piped", "plain", "resolution", "series", "sites", "source",
        "special_view", "statements", "storages", "tables", "tails", "temps", "trying", "types", "unstable",
        "unwrapped", "view", "where",
    )
    # fmt: on

    def __init__(
        self,
        source: Source,
        module: nodes.Module,
        resolution: Resolution,
        declarations: Declarations,
        tables: Tables,
        *,
        plain: bool = False,
        keep_globals: bool = False,
        series: str = "",
    ) -> None:
        self.tables = tables
        self.expressions = tables.expressions
        self.statements = tables.statements
        self.source = source
        self.module = module
        self.resolution = resolution
        self.bindings = resolution.bindings
        self.declarations = declarations
        self.plain = plain
        self.keep_globals = keep_globals
        self.series = series
        self.where = Where(source).arguments
        self.out: list[ast.stmt] = []
        self.constants: list[ast.stmt] = []
        self.helpers: dict[str, str] = {}
        self.natives: dict[str, str] = {}
        self.native_values: dict[str, str] = {}
        self.loose: dict[str, None] = {}
        self.temps = 0
        self.special_view = self.view = View(is_special=True)
        self.generic_view = View(is_special=False)
        self.sites = Sites()
        self.trying = False
        self.deferred: set[Binding] = set()
        self.unwrapped: nodes.Expr | None = None
        self.storages: dict[Binding, str] = {}
        self.owned: set[Binding] = set()
        self.inner: dict[Binding, int] = {}
        self.paths: dict[nodes.Expr, nodes.Expr | None] = {}
        self.methods: frozenset[str] = frozenset()
        self.fields: frozenset[str] = frozenset()
        self.float_fields: frozenset[str] = frozenset()
        self.imported: frozenset[str] = frozenset()
        self.knows_imports = False
        self.given: list[str] = []
        self.has_generators = any(frame.has_yield for frame in resolution.frames.values())
        self.alias_uses: set[nodes.Node] = set()
        self.unstable: set[str] = set()
        self.neutral: set[int] = set()
        self.depth = 0
        self.calls = 0
        self.functions = 0
        self.tails: dict[Binding, Tail] = {}
        self.types: dict[str, nodes.Decl] = {}
        self.piped: list[ast.expr] = []
        self.has_wildcard_import = any(decl.names is None for decl in resolution.imports)
        self.body = Body(resolution.frames[module])

    def deep_kind(self, node: nodes.Expr | None) -> Kind:
        """Return the kind of an expression with the kinds of its parts."""
        return deep_kind(self, node)

    # Names

    def storage(self, binding: Binding) -> str:
        """Return the kind of storage of a variable."""
        found = self.storages.get(binding)
        if found is None:
            found = self.storages[binding] = self._storage(binding)
        return found

    def _storage(self, binding: Binding) -> str:
        if binding.scope is self.resolution.outer_scope:
            return GLOBAL
        if binding.scope is self.resolution.module_scope:
            shared = (
                binding.captured or self.keep_globals or binding.kind not in {"let", "var", "const", "tool", "skill"}
            )
            return GLOBAL if shared else LOCAL
        if not binding.captured:
            return LOCAL
        if binding.loop is None:
            return CELL
        return VALUE if not binding.early and not binding.assignments else BOX

    def helper(self, name: str, at: At) -> ast.Name:
        """Return a read of a runtime helper."""
        own = self.helpers.get(name)
        if own is None:
            own = self.helpers[name] = "_" + name
        return read_name(own, at)

    def call(self, name: str, args: Sequence[ast.expr], at: At) -> ast.Call:
        """Return a call of a runtime helper."""
        return invoke(self.helper(name, at), list(args), at)

    def native(self, name: str, at: At) -> ast.Name:
        """Return a read of the function of a builtin."""
        own = self.natives.get(name)
        if own is None:
            own = self.natives[name] = "b_" + name.replace(".", "__")
        return read_name(own, at)

    def native_value(self, name: str, at: At) -> ast.Name:
        """Return a read of a builtin as a value."""
        own = self.native_values.get(name)
        if own is None:
            own = self.native_values[name] = "n_" + name.replace(".", "__")
        return read_name(own, at)

    def temp(self) -> str:
        """Return a new name for a temporary."""
        self.temps += 1
        return f"t{self.series}{self.temps}"

    def function_name(self, text: str = "") -> str:
        """Return a new name for a function that is not a variable."""
        self.functions += 1
        return f"f{self.series}{self.functions}_{text}"

    def constant(self, value: ast.expr, at: At) -> ast.Name:
        """Add a constant, which is built once when the file is loaded, and return a read of it."""
        name = f"k{self.series}{len(self.constants) + 1}"
        self.constants.append(assign(name, value, at))
        return read_name(name, at)

    def load(self, binding: Binding, at: At) -> ast.expr:
        """Return a read of a variable."""
        name = read_name(binding.variable, at)
        return attribute(name, "v", at) if binding.captured and self.storage(binding) is BOX else name

    def store(self, binding: Binding, value: ast.expr, at: At) -> None:
        """Emit an assignment to a variable."""
        self.out.append(put(self.target(binding, at), value, at))

    def target(self, binding: Binding, at: At) -> ast.expr:
        """Return the target of an assignment to a variable; declare it global or nonlocal if necessary."""
        name, storage = binding.variable, self.storage(binding)
        if storage is BOX:
            return ast.Attribute(read_name(name, at), "v", STORE, **fields_of(at))
        if storage is GLOBAL:
            self.body.globals[name] = None
        elif binding.frame is not self.body.frame:
            self.body.nonlocals[name] = None
        return place(name, at)

    def open_box(self, binding: Binding, at: At) -> None:
        """Emit the creation of the box for a variable that needs one."""
        if self.storage(binding) is BOX:
            box = self.call("box", [constant(binding.name, at)], at)
            self.out.append(assign(binding.variable, box, at))

    def declare(self, binding: Binding, value: ast.expr, at: At) -> None:
        """Emit the first assignment to a variable."""
        if self.storage(binding) is BOX and not binding.early:
            held = self.hold(value, at)
            self.open_box(binding, at)
            value = held
        self.store(binding, value, at)

    def may_be_imported(self, text: str) -> bool:
        """Return whether a name that the file does not bind may come from a whole-module import."""
        return self.has_wildcard_import and (text in self.imported or not self.knows_imports)

    def visible(self, node: nodes.Node) -> list[str]:
        """Return the variables that are visible at a name."""
        scope = self.resolution.scopes.get(node)
        return [*(scope.visible() if scope is not None else ()), *self.imported]

    # Values

    def hold(self, value: ast.expr, at: At) -> ast.expr:
        """Evaluate a value now, and return an expression that can be read any number of times."""
        if self.is_stable(value):
            return value
        name = self.temp()
        self.out.append(assign(name, value, at))
        return read_name(name, at)

    @staticmethod
    def is_stable(value: ast.expr) -> bool:
        """Return whether a later read of the expression gives the same value."""
        return value.__class__ is Constant or (value.__class__ is Name and value.id[0] in "tk_nb")

    def writing(self, out: list[ast.stmt]) -> Writing:
        """Return a context in which statements are appended to another list."""
        return Writing(self, out)

    def ordered(self, items: Sequence[nodes.Expr], *, keeps_first: bool = False) -> list[ast.expr]:
        """Compile expressions so that they are evaluated in order, even if a later one needs statements.

        `keeps_first` means that the first one is only read, so that it keeps the ownership of its container.
        """
        out, table = self.out, self.expressions
        before = len(out)
        values: list[ast.expr] = []
        for item in items:
            if keeps_first:
                keeps_first = False
                value = self.base(item)
            else:
                value = table[item.__class__](self, item)
            if len(out) > before:
                late = out[before:]
                if values and any(id(statement) not in self.neutral for statement in late):
                    del out[before:]
                    values = [self.freeze(earlier) for earlier in values]
                    out.extend(late)
                before = len(out)
            values.append(value)
        return values

    def freeze(self, value: ast.expr) -> ast.expr:
        """Hold a value that is already compiled in a temporary; a spread stays a spread."""
        at = position_of(value)
        if isinstance(value, ast.Starred):
            return starred(self.hold(value.value, at), LOAD, at)
        return self.hold(value, at)

    # Dispatch

    def expr(self, node: nodes.Expr) -> ast.expr:
        """Compile an expression."""
        return self.expressions[node.__class__](self, node)

    def stmt(self, node: nodes.Stmt) -> None:
        """Compile a statement; then clear the temporaries of its pipes, because they could keep a generator alive."""
        before = len(self.given)
        self.statements[node.__class__](self, node)
        if len(self.given) > before:
            found = self.given[before:]
            del self.given[before:]
            if self.has_generators and isinstance(node, RELEASING):
                at = self.where(node)
                places: list[ast.expr] = [place(held, at) for held in found]
                self.out.append(ast.Assign(places, constant(None, at), **fields_of(at)))

    def open_scope(self, block: nodes.Block | nodes.Module) -> None:
        """Emit what exists from the start of a block: boxes, types and functions."""
        self.tables.blocks(self, block)

    def write_return(self, node: nodes.Expr, at: At) -> None:
        """Compile the return of an expression, as a tail call if possible."""
        self.tables.write_return(self, node, at)

    def base(self, node: nodes.Expr) -> ast.expr:
        """Compile an expression that is only read, so that a variable keeps the ownership of its container."""
        if node.__class__ is nodes.NameExpr and not (node.name == "_" and self.piped):
            binding = self.bindings.get(node)
            if binding is not None:
                if binding in self.inner:
                    pass_inner(self, binding, node, self.where(node))
                return self.read(binding, self.where(node))
        return self.expr(node)

    def read(self, binding: Binding, at: At) -> ast.expr:
        """Return a read of a variable; note whether it may change while an expression is evaluated."""
        if binding.captured and (binding.assignments or binding.early) and binding.kind not in {"fn", "struct", "enum"}:
            self.unstable.add(binding.variable)
        if self.keep_globals and self.storage(binding) is GLOBAL:
            self.unstable.add(binding.variable)
        return self.load(binding, at)

    def is_fixed_name(self, value: ast.expr) -> TypeGuard[ast.Name]:
        """Return whether a Python expression is a name that cannot change within the enclosing expression."""
        return value.__class__ is Name and value.id not in self.unstable

    def condition(self, node: nodes.Expr) -> ast.expr:
        """Compile an expression of which only the truth value is used; it is Python's truth value."""
        if isinstance(node, nodes.BinaryExpr) and node.op in {"&&", "||"}:
            return self.tables.condition(self, node)
        return self.base(node)

    def sized(self, value: ast.expr, at: At) -> ast.expr:
        """Return the text, with a check that it is not too long."""
        temp = self.temp()
        first = named_value(place(temp, at), value, at)
        length = invoke(self.helper("len", at), [first], at)
        fits = compare(length, LTE, self.helper("most", at), at)
        return choose(fits, read_name(temp, at), self.call("checked_text", [read_name(temp, at)], at), at)

    def redeclared(self, text: str, at: At) -> ast.stmt:
        """Return the statement that raises the error for a second immutable binding of a name."""
        return effect(self.call("redeclare", [constant(text, at)], at), at)
