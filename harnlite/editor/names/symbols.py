"""The symbols that the names in a text refer to."""

from __future__ import annotations

from harnlite.analysis.builtins.declarations import ALWAYS_BUILTIN, GLOBAL_VALUES
from harnlite.analysis.checking.calls import is_callable
from harnlite.analysis.names.scopes import DECLARED_KINDS, TOP_KINDS
from harnlite.diagnostics.source import Span
from harnlite.editor.names.members import member_of
from harnlite.editor.names.spots import Reading, Spot, name_at
from harnlite.resources import builtins_file
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.analysis.names.scopes import Binding, Scope
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

(
    VARIABLE, PARAMETER, FUNCTION, PIPELINE, TOOL, SKILL, STRUCT, ENUM, VARIANT, INTERFACE, TYPE, TYPE_PARAMETER,
    FIELD, METHOD, MODULE, IMPORT, BUILTIN, NAMESPACE,
) = (
    "variable", "parameter", "function", "pipeline", "tool", "skill", "struct", "enum", "variant", "interface", "type",
    "type parameter", "field", "method", "module", "import", "builtin", "namespace",
)  # fmt: skip
"""The kinds of symbols. An import is a name from a file that was not found or that does not declare it."""
TYPES = frozenset({STRUCT, ENUM, INTERFACE, TYPE})

_BOUND = {"param": PARAMETER, "fn": FUNCTION, **{kind: kind for kind in (STRUCT, ENUM, INTERFACE, TYPE, TOOL, SKILL)}}
_DECLARED: dict[type, str] = {
    nodes.FnDecl: FUNCTION,
    nodes.PipelineDecl: PIPELINE,
    nodes.ToolDecl: TOOL,
    nodes.SkillDecl: SKILL,
    nodes.StructDecl: STRUCT,
    nodes.EnumDecl: ENUM,
    nodes.InterfaceDecl: INTERFACE,
    nodes.TypeDecl: TYPE,
    nodes.AssociatedType: TYPE,
    nodes.TypeParam: TYPE_PARAMETER,
    nodes.Variant: VARIANT,
    nodes.Field: FIELD,
    nodes.Param: PARAMETER,
}
_VALUES = frozenset({"let", "var", "const", "loop", "param", "catch", "select", "match", TOOL, SKILL})


class Symbol:
    """A named entity.

    `document`, `span` and `node` locate the declaration: its file, the span of the name, and the declaring node. They
    are None for a symbol without a declaration. `container` is the name of the owner.
    """

    __slots__ = ("binding", "container", "document", "kind", "name", "node", "span")

    def __init__(
        self,
        kind: str,
        name: str,
        document: Document | None = None,
        span: Span | None = None,
        node: nodes.Node | None = None,
        container: str = "",
    ) -> None:
        self.kind = kind
        self.name = name
        self.document = document
        self.span = span
        self.node = node
        self.container = container
        self.binding: Binding | None = None

    def __repr__(self) -> str:
        return f"<{self.kind} {self.container and self.container + '.'}{self.name}>"

    def is_same(self, other: Symbol | None) -> bool:
        """Return whether another symbol is the same one."""
        if other is None or other.name != self.name:
            return False
        if self.document is None or other.document is None:
            return self.document is other.document and self.kind == other.kind
        return self.document.path == other.document.path and self.span == other.span


def symbol_at(files: Workspace, document: Document, offset: int) -> Symbol | None:
    """Return the symbol that the name at an offset refers to."""
    module = module_at(files, document, offset)
    if module is not None:
        return module
    span = name_at(document, offset)
    return None if span is None else symbol_of(Spot(Reading(files), document, span))


def symbol_of(spot: Spot) -> Symbol | None:
    """Return the symbol that a name refers to."""
    finder = _FINDERS.get(type(spot.node), _unread)
    return finder(spot)


def module_at(files: Workspace, document: Document, offset: int) -> Symbol | None:
    """Return the imported file, if the offset is in the path of an import."""
    node = document.statement_at(offset)
    if not isinstance(node, nodes.ImportDecl) or not node.path_start <= offset <= node.end:
        return None
    target = files.imported(document, node.path)
    return None if target is None else Symbol(MODULE, node.path, target, Span(0, 0), target.module)


def declared(document: Document, node: nodes.Node, container: str = "", kind: str = "") -> Symbol | None:
    """Return the symbol that a node declares."""
    kind = kind or _DECLARED.get(type(node), VARIABLE)
    name = node if isinstance(node, nodes.Ident) else getattr(node, "name", None)
    if isinstance(name, str):
        return Symbol(kind, name, document, Span(node.start, node.end), node, container)
    if not isinstance(name, nodes.Ident) or not name.text:
        return None
    if isinstance(node, nodes.FnDecl) and node.is_extern and document.path == builtins_file():
        kind, container = BUILTIN, name.text.rpartition(".")[0]
    return Symbol(kind, name.text, document, Span(name.start, name.end), node, container)


def symbol_in(reading: Reading, document: Document, node: nodes.Expr | nodes.Ident) -> Symbol | None:
    """Return the symbol that a name node refers to."""
    return symbol_of(Spot(reading, document, Span(node.start, node.end)))


# Values


def _value(spot: Spot) -> Symbol | None:
    binding = spot.resolution.bindings.get(spot.node)
    if isinstance(spot.parent, nodes.CallExpr) and spot.node is spot.parent.callee:
        return _callee(spot, binding)
    return _free(spot) if binding is None else _bound(spot, binding)


def _callee(spot: Spot, binding: Binding | None) -> Symbol | None:
    """Return the called symbol; a variable whose value cannot be called does not shadow a function."""
    if spot.name in ALWAYS_BUILTIN:
        return _builtin(spot, spot.name)
    if binding is None:
        return _free(spot)
    if binding.kind not in _VALUES:
        return _bound(spot, binding)
    free = _free(spot)
    others = [_bound(spot, other) for other in spot.resolution.hidden.get(spot.node, ())]
    beyond = [other for other in (*others, free) if other is not None]
    if beyond and not is_callable(spot.type_bound_at(binding.decl.start)):
        return beyond[0]
    return _bound(spot, binding)


def _bound(spot: Spot, binding: Binding) -> Symbol | None:
    if binding.kind == IMPORT:
        brought = _brought(spot, binding.name)
        if brought is not None and brought.kind != BUILTIN:
            return brought
    owner = "" if binding.frame.kind == "module" else _name_of(binding.frame.node)
    found = declared(spot.document, binding.decl, owner, _BOUND.get(binding.kind, ""))
    if found is not None:
        found.binding = binding
        if binding.kind == IMPORT:
            found.kind = IMPORT
    return found


def _name_of(node: nodes.Node) -> str:
    name = getattr(node, "name", None)
    return name.text if isinstance(name, nodes.Ident) else ""


def _free(spot: Spot) -> Symbol | None:
    """Return the symbol of a name that the file does not declare."""
    name, declarations = spot.name, spot.files.declarations
    if name in declarations.namespaces and name not in declarations.entries:
        return _brought(spot, name) or Symbol(NAMESPACE, name)
    return _brought(spot, name) or (Symbol(BUILTIN, name) if name in GLOBAL_VALUES else None)


def _brought(spot: Spot, name: str) -> Symbol | None:
    """Return the symbol that a file imports under a name, or the builtin with that name."""
    origin = spot.reading.origin(spot.document, name)
    return None if origin is None else declared(origin.document, origin.decl)


def _builtin(spot: Spot, name: str) -> Symbol | None:
    origin = spot.reading.origin(spot.files.builtins, name)
    return None if origin is None else declared(origin.document, origin.decl)


def _unread(spot: Spot) -> Symbol | None:
    """Return the likely symbol of a name in a part of the text that could not be parsed."""
    if not spot.is_unread:
        return None
    scope: Scope | None = spot.scope
    while scope is not None and spot.name not in scope.names:
        scope = scope.parent
    return _free(spot) if scope is None else _bound(spot, scope.names[spot.name])


# Types


def _type(spot: Spot) -> Symbol | None:
    name = spot.name
    if isinstance(spot.node, nodes.NamedType) and spot.node.name != name:
        return None  # `[int]` is `list<int>`
    for node in reversed(spot.way):
        for inner in (*getattr(node, "type_params", ()), *getattr(node, "associated", ())):
            if inner.name.text == name:
                return declared(spot.document, inner, _name_of(node))
    scope: Scope | None = spot.scope
    while scope is not None:
        binding = scope.names.get(name)
        if binding is not None and (binding.kind in TOP_KINDS or binding.kind == IMPORT):
            return _bound(spot, binding)
        scope = scope.parent
    brought = _brought(spot, name)
    return brought if brought is not None and brought.kind in TYPES else None


# Names in declarations and patterns, and names after a dot


def _ident(spot: Spot) -> Symbol | None:
    if spot.node in spot.resolution.bindings:
        return _value(spot)
    finder = _IDENTS.get(type(spot.parent))
    return None if finder is None else finder(spot)


def _declaration(spot: Spot) -> Symbol | None:
    if spot.node is not getattr(spot.parent, "name", None):
        return None
    if isinstance(spot.parent, nodes.FnDecl) and isinstance(spot.around, (nodes.ImplDecl, nodes.InterfaceDecl)):
        return declared(spot.document, spot.parent, spot.around.name.text, METHOD)
    binding = spot.resolution.bindings.get(spot.parent)
    return _inner(spot) if binding is None else _bound(spot, binding)


def _inner(spot: Spot) -> Symbol | None:
    """Return a symbol that belongs to an enclosing declaration: a field, a variant, a type parameter."""
    return declared(spot.document, spot.parent, _name_of(spot.around) if spot.around is not spot.way[0] else "")


def _pipeline(spot: Spot) -> Symbol | None:
    for node in spot.document.module.statements:
        if isinstance(node, nodes.PipelineDecl) and node.name.text == spot.name:
            return declared(spot.document, node)
    return None


def _imported(spot: Spot) -> Symbol | None:
    binding = spot.resolution.module_scope.names.get(spot.name)
    return None if binding is None else _bound(spot, binding)


def _member(spot: Spot) -> Symbol | None:
    parent = spot.parent
    if not isinstance(parent, (nodes.PropertyExpr, nodes.MethodCallExpr)):
        return None
    receiver = parent.receiver
    if isinstance(receiver, nodes.NameExpr):
        owner = symbol_in(spot.reading, spot.document, receiver)
        if owner is not None and owner.kind in {NAMESPACE, BUILTIN}:
            return _builtin(spot, f"{owner.name}.{spot.name}")
        if owner is not None and owner.kind == ENUM:
            return _part_of(owner, spot.name)
    member = member_of(spot.type_of(receiver), spot.name)
    document = None if member is None else spot.files.file(member.source.path or "")
    if member is None or document is None:
        return None
    return declared(document, member.node, member.owner, METHOD if isinstance(member.node, nodes.FnDecl) else FIELD)


def _part_of(whole: Symbol | None, name: str) -> Symbol | None:
    """Return the variant of an enum or the field of a struct with a name."""
    if whole is None or whole.document is None:
        return None
    parts = getattr(whole.node, "variants", ()) if whole.kind == ENUM else getattr(whole.node, "members", ())
    return next((declared(whole.document, part, whole.name) for part in parts if part.name.text == name), None)


def _entry(spot: Spot) -> Symbol | None:
    """Return the variable of a pattern entry `{name}`, where the name is also the key."""
    pattern = spot.parent.pattern if isinstance(spot.parent, nodes.DictMatchEntry) else None
    binding = spot.resolution.bindings.get(pattern) if isinstance(pattern, nodes.BindPattern) else None
    same = pattern is not None and pattern.start == spot.node.start
    return _bound(spot, binding) if binding is not None and same else None


def _variant(spot: Spot) -> Symbol | None:
    pattern = spot.parent
    if not isinstance(pattern, nodes.VariantPattern) or spot.node is not pattern.variant:
        return None
    return _part_of(symbol_in(spot.reading, spot.document, pattern.enum), spot.name)


def _key(spot: Spot) -> Symbol | None:
    """Return the field that a key refers to in a struct literal, or in a dict from which a struct is constructed."""
    entry = spot.parent
    if not isinstance(entry, nodes.DictEntry) or spot.node is not entry.key or entry.computed:
        return None
    whole = spot.around
    if isinstance(whole, nodes.DictExpr):
        call = spot.way[-4]
        if not (isinstance(call, nodes.CallExpr) and isinstance(call.callee, nodes.NameExpr) and call.args == [whole]):
            return None
        struct = symbol_in(spot.reading, spot.document, call.callee)
    elif isinstance(whole, nodes.StructExpr):
        struct = symbol_in(spot.reading, spot.document, whole.name)
    else:
        return None
    return _part_of(struct, spot.name) if struct is not None and struct.kind == STRUCT else None


_FINDERS: dict[type, Callable[[Spot], Symbol | None]] = {
    nodes.NameExpr: _value,
    nodes.NamePattern: _value,
    nodes.BindPattern: _value,
    nodes.NamedType: _type,
    nodes.LiteralExpr: lambda spot: _key(spot) or _unread(spot),
    nodes.Ident: _ident,
}
_IDENTS: dict[type, Callable[[Spot], Symbol | None]] = {
    **dict.fromkeys((*DECLARED_KINDS, nodes.ToolDecl, nodes.SkillDecl, nodes.Param), _declaration),
    **dict.fromkeys((nodes.Field, nodes.Variant, nodes.AssociatedType), _inner),
    **dict.fromkeys((nodes.TypeParam, nodes.WhereBound, nodes.ImplDecl, nodes.StructExpr), _type),
    nodes.PipelineDecl: _pipeline,
    nodes.ImportDecl: _imported,
    nodes.MethodCallExpr: _member,
    nodes.PropertyExpr: _member,
    nodes.VariantPattern: _variant,
    nodes.DictMatchEntry: _entry,
}
