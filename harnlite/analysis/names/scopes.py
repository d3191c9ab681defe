"""Bindings, the scopes that declare them, and the frames that contain the scopes.

A frame is a part of a program that is compiled to one function; a scope is one block.
"""

from __future__ import annotations

from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MUTABLE_KINDS = frozenset({"var", "loop"})
HOISTED = (nodes.FnDecl, nodes.StructDecl, nodes.EnumDecl, nodes.InterfaceDecl, nodes.TypeDecl)
Hoisted = nodes.FnDecl | nodes.StructDecl | nodes.EnumDecl | nodes.InterfaceDecl | nodes.TypeDecl
DECLARED_KINDS = {
    nodes.FnDecl: "fn",
    nodes.StructDecl: "struct",
    nodes.EnumDecl: "enum",
    nodes.InterfaceDecl: "interface",
    nodes.TypeDecl: "type",
}
TOP_KINDS = frozenset(DECLARED_KINDS.values())
_AFTER_CONST = frozenset(" \t\\{[")
EARLY_FRAMES = frozenset({"fn", "method"})

TRANSCRIPT = "transcript"
TRANSCRIPT_BUILTINS = frozenset({"inject_reminder", "clear_reminders"})
"""Members of `transcript` that are always builtins, even if the program binds the name `transcript`."""


class Frame:
    """One function of the running program.

    `returned` are the values of its return statements, and `propagates` means that a `?` in it may return too.
    """

    __slots__ = ("by_value", "has_defer", "has_yield", "kind", "may_jump", "node", "parent", "propagates", "returned")

    def __init__(self, kind: str, node: nodes.Node, parent: Frame | None) -> None:
        self.kind = kind
        self.node = node
        self.parent = parent
        self.has_yield = False
        self.has_defer = False
        self.may_jump = False
        self.propagates = False
        self.returned: list[nodes.Expr | None] = []
        self.by_value: dict[Binding, None] = {}


class Binding:
    """One variable: everything declared under one name in one scope; `variable` is its name in compiled code."""

    __slots__ = (
        "assignments",
        "captured",
        "decl",
        "early",
        "frame",
        "kind",
        "loop",
        "mutable",
        "name",
        "redeclared",
        "scope",
        "serial",
        "values",
        "variable",
    )

    def __init__(self, name: str, kind: str, scope: Scope, decl: nodes.Node, serial: int) -> None:
        self.name = name
        self.kind = kind
        self.scope = scope
        self.frame = scope.frame
        self.loop = scope.loop
        self.decl = decl
        self.serial = serial
        self.variable = f"v_{name}" if serial == 1 else f"v{serial}_{name}"
        self.mutable = kind in MUTABLE_KINDS
        self.captured = False
        self.early = False
        self.assignments = 0
        self.redeclared: set[nodes.Node] = set()
        self.values: list[object] = []

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}#{self.serial}>"


class Scope:
    """One block: the names declared in it so far."""

    __slots__ = ("frame", "loop", "names", "parent", "pending")

    def __init__(self, frame: Frame, parent: Scope | None, loop: nodes.Node | None) -> None:
        self.frame = frame
        self.parent = parent
        self.loop = loop
        self.names: dict[str, Binding] = {}
        self.pending: dict[str, Binding] = {}

    def visible(self) -> Iterable[str]:
        """Yield every name that can be read here."""
        scope: Scope | None = self
        while scope is not None:
            yield from scope.names
            scope = scope.parent


class Outer:
    """The surroundings of one input of a session: the names and types that earlier inputs have bound.

    A name has a pair (kind, whether it can be assigned). `series` makes the names that the compiler generates distinct
    from those of other inputs.
    """

    __slots__ = ("names", "series", "types")

    def __init__(self, names: Mapping[str, tuple[str, bool]], types: Mapping[str, nodes.Decl], series: str) -> None:
        self.names = names
        self.types = types
        self.series = series


class Resolution:
    """The bindings of all names of one file, and its scopes and frames."""

    __slots__ = (
        "bindings",
        "frames",
        "hidden",
        "imports",
        "let_is_mutable",
        "methods",
        "module_scope",
        "outer_scope",
        "scopes",
        "types",
    )

    def __init__(self) -> None:
        self.let_is_mutable = False
        self.outer_scope: Scope | None = None
        self.types: dict[str, nodes.Decl] = {}
        self.methods: set[str] = set()
        self.bindings: dict[nodes.Node, Binding | None] = {}
        self.hidden: dict[nodes.Node, list[Binding]] = {}
        self.frames: dict[nodes.Node, Frame] = {}
        self.scopes: dict[nodes.Node, Scope] = {}
        self.imports: list[nodes.ImportDecl] = []
        self.module_scope: Scope

    def release(self) -> None:
        """Break the cycles between scopes, bindings and frames, which would occupy the garbage collector."""
        for scope in {*self.scopes.values()}:
            scope.names.clear()
            scope.pending.clear()
        for frame in self.frames.values():
            frame.by_value.clear()


def has_const(module: nodes.Module, text: str) -> bool:
    """Return whether the file declares a `const` anywhere, which makes its `let` mutable."""
    return _may_have_const(text) and any(
        isinstance(node, nodes.LetStmt) and node.kind == "const" for node in walk(module)
    )


def _may_have_const(text: str) -> bool:
    """Return whether a text may declare a `const`; this is a fast test without a parser."""
    found = text.find("const")
    while found >= 0:
        before = text[:found].rstrip(" \t\r")
        after = text[found + len("const") : found + len("const") + 1]
        if after in _AFTER_CONST and (not before or before[-1] in "\n;{}>"):
            return True
        found = text.find("const", found + 1)
    return False
