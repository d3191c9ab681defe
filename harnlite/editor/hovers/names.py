"""Hover texts for names: the head of the declaration, its documentation and its type."""

from __future__ import annotations

import re

from harnlite.analysis.builtins.methods import METHODS
from harnlite.analysis.builtins.signatures import method_text, signature_text, summary
from harnlite.analysis.checking.method_calls import table_name
from harnlite.analysis.types.annotations import expand
from harnlite.analysis.types.representation import CLOSURE, NIL, Shape, Union, text
from harnlite.diagnostics.source import Span
from harnlite.editor.hovers.options import with_options
from harnlite.editor.names import symbols
from harnlite.editor.names.modules import exported
from harnlite.editor.names.spots import Reading, Spot, name_at
from harnlite.editor.names.symbols import module_at, symbol_of
from harnlite.editor.names.wording import doc_of, head_of, line_of, parameter_text, written
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.analysis.builtins.declarations import Declarations
    from harnlite.analysis.types.representation import Type
    from harnlite.editor.names.symbols import Symbol
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

    HoverText = tuple[str, Span]

_HEAD_COMMENT = re.compile(r"\ufeff?(?:#![^\n]*\n)?((?:[ \t]*//[^\n]*\n)+)")
_LONGEST_TYPE = 400
_LONGEST_LINE = 80
_LONGEST_VALUE = 60
_MOST_NAMES = 40
_GLOBALS = {
    "Result": "The enum of `Ok(value)` and `Err(error)`.",
    "pi": "The ratio of a circle's circumference to its diameter.",
    "e": "The base of natural logarithms.",
    "argv": "The arguments of the program, a list of strings.",
    "skills": "The registry of the skills that were found at start-up.",
}


def name_text(files: Workspace, document: Document, offset: int) -> HoverText | None:
    """Return the hover text for the name at an offset, with the span of the name."""
    module = module_at(files, document, offset)
    if module is not None and module.document is not None:
        node = document.statement_at(offset)
        where = Span(node.path_start, node.end) if isinstance(node, nodes.ImportDecl) else Span(offset, offset)
        return module_text(files, module.name, module.document), where
    span = name_at(document, offset)
    if span is None:
        return None
    spot = Spot(Reading(files), document, span)
    symbol = symbol_of(spot)
    description = _member(spot) if symbol is None else _TEXTS.get(symbol.kind, _declaration)(spot, symbol)
    return None if not description else (description, span)


def fenced(code: str, doc: str = "") -> str:
    """Return code in a fenced block, followed by its documentation."""
    return f"```harn\n{code}\n```" + (f"\n\n{doc}" if doc else "")


def type_text(kind: Type | None) -> str:
    """Return a type as text, shortened if it is too long to read."""
    shown = text(kind)
    fields = kind.fields.values() if isinstance(kind, Shape) else ()
    if len(shown) > _LONGEST_LINE and 0 < len(fields) <= _MOST_NAMES:
        rows = [f"  {field.name}{'?' * field.optional}: {text(field.type)},\n" for field in fields]
        return f"{{\n{''.join(rows)}}}"
    return shown if len(shown) <= _LONGEST_TYPE else f"{shown[:_LONGEST_TYPE]}…"


def module_text(files: Workspace, path: str, document: Document) -> str:
    """Return the head comment of a file and the list of its exports."""
    comment = _HEAD_COMMENT.match(document.text)
    about = "\n".join(line.strip().lstrip("/").strip() for line in comment[1].splitlines()) if comment else ""
    names = [
        line_of(origin.decl, origin.document.text).removeprefix("pub ")
        for origin in list(exported(files, document).values())[:_MOST_NAMES]
    ]
    return "\n\n".join(part for part in (f"**{path}**", about, fenced("\n".join(names)) if names else "") if part)


def _declaration(spot: Spot, symbol: Symbol) -> str:
    """Return the head and the documentation of a declaration."""
    if symbol.node is None or symbol.document is None:
        return fenced(f"{symbol.kind} {symbol.name}")
    head = head_of(symbol.node, symbol.document.text) or f"{symbol.kind} {symbol.name}"
    doc = _described(symbol.node)
    if isinstance(symbol.node, nodes.FnDecl) and symbol.document.path != spot.document.path:
        doc = with_options(symbol.name, [param.name.text for param in symbol.node.params], doc)
    return fenced(head, "\n\n".join(part for part in (doc, _home(spot, symbol)) if part))


def _described(node: nodes.Node) -> str:
    """Return the documentation of a declaration; that of a tool includes its description for models."""
    doc = doc_of(node)
    if isinstance(node, nodes.ToolDecl) and isinstance(node.description, nodes.LiteralExpr):
        return "\n\n".join(part for part in (doc, str(node.description.value)) if part)
    return doc


def _home(spot: Spot, symbol: Symbol) -> str:
    """Return the import that a symbol from another file comes from."""
    if symbol.document is None or symbol.document.path == spot.document.path:
        return ""
    for node in spot.document.module.statements:
        if isinstance(node, nodes.ImportDecl):
            target = spot.files.imported(spot.document, node.path)
            if target is not None and target.path == symbol.document.path:
                return f"From `{node.path}`."
    return ""


def _variable(spot: Spot, symbol: Symbol) -> str:
    kind = _type_at(spot, symbol)
    binding = symbol.binding
    word = binding.kind if binding is not None and binding.kind in {"let", "var", "const"} else ""
    shown = type_text(kind) if kind is not None else ""
    closure = binding.values[0] if binding is not None and kind is CLOSURE and len(binding.values) == 1 else None
    if isinstance(closure, nodes.ClosureExpr):
        shown = f"closure({', '.join(parameter_text(param, spot.document.text) for param in closure.params)})"
    head = f"{word} {symbol.name}".strip() + (f": {shown}" if shown else "")
    return fenced(head + _value(spot, symbol))


def _type_at(spot: Spot, symbol: Symbol) -> Type | None:
    """Return the type of a variable at its occurrence, or else at its binding."""
    noter = spot.reading.noter(spot.document, spot.span.start)
    kind = noter.types.get(spot.node)
    if kind is None and symbol.span is not None:
        if symbol.document is not None and symbol.document.path != spot.document.path:
            return None
        around = spot.way[1] if len(spot.way) > 1 else None
        if symbol.document is not None and spot.document.statement_at(symbol.span.start) is not around:
            noter = spot.reading.noter(spot.document, symbol.span.start)
        kind = noter.bound.get(symbol.span.start)
    return kind


def _value(spot: Spot, symbol: Symbol) -> str:
    """Return the value of a constant, if it is short."""
    values = symbol.binding.values if symbol.binding is not None and not symbol.binding.mutable else []
    if len(values) != 1 or not isinstance(values[0], nodes.LiteralExpr):
        return ""
    shown = written(values[0], spot.document.text)
    return f" = {shown}" if len(shown) <= _LONGEST_VALUE else ""


def _parameter(spot: Spot, symbol: Symbol) -> str:
    node = symbol.node
    shown = symbol.name
    if isinstance(node, nodes.Param) and symbol.document is not None:
        shown = parameter_text(node, symbol.document.text)
        if node.type is not None:
            return fenced(shown, "A parameter.")
    kind = _type_at(spot, symbol)
    return fenced(f"{shown}: {type_text(kind)}" if kind is not None else shown, "A parameter.")


def _part(spot: Spot, symbol: Symbol) -> str:
    """Return the head of a field, method or variant, with its owner."""
    if symbol.node is None or symbol.document is None:
        return fenced(f"{symbol.container}.{symbol.name}")
    head = head_of(symbol.node, symbol.document.text) or symbol.name
    if symbol.kind == symbols.VARIANT:
        return fenced(f"{symbol.container}.{head}", f"A variant of `{symbol.container}`.")
    owner = f"A {symbol.kind} of `{symbol.container}`." if symbol.container else ""
    doc = _described(symbol.node)
    return fenced(head, "\n\n".join(part for part in (doc, owner, _home(spot, symbol)) if part))


def _builtin(spot: Spot, symbol: Symbol) -> str:
    declarations = spot.files.declarations
    entry = declarations.entries.get(symbol.name)
    if entry is None:
        return fenced(symbol.name, _GLOBALS.get(symbol.name, ""))
    capability = f"Capability: {entry[3]}." if entry[3] else ""
    doc = with_options(symbol.name, [param[0] for param in entry[0]], entry[4])
    parts = (doc, capability, _members(symbol.name, declarations))
    return fenced(signature_text(symbol.name, declarations), "\n\n".join(part for part in parts if part))


def _namespace(spot: Spot, symbol: Symbol) -> str:
    return fenced(symbol.name, _members(symbol.name, spot.files.declarations))


def _members(namespace: str, declarations: Declarations) -> str:
    """List the builtins of a namespace."""
    return "\n".join(
        f"- `{signature_text(name, declarations)}`: {summary(declarations.entries[name][4])}"
        for name in declarations.members(namespace)
    )


def _imported(_spot: Spot, symbol: Symbol) -> str:
    return fenced(symbol.name, "Imported from a file that was not found or does not declare it.")


def _member(spot: Spot) -> str:
    """Return the hover text for a member of a built-in type or of a dict."""
    parent = spot.parent
    if not isinstance(parent, (nodes.MethodCallExpr, nodes.PropertyExpr)) or parent.name is not spot.node:
        return _plain(spot)
    noter = spot.reading.noter(spot.document, spot.span.start)
    kind = expand(noter.types.get(parent.receiver))
    for one in kind.members if isinstance(kind, Union) else (kind,):
        name = None if one is None or one is NIL else table_name(expand(one))
        head = METHODS[name].get(spot.name) if name is not None else None
        if head is not None and isinstance(parent, nodes.MethodCallExpr):
            return fenced(f"{name}.{method_text(head)}", f"A method of {name}.")
    found = noter.types.get(parent)
    if found is not None and isinstance(parent, nodes.PropertyExpr):
        return fenced(f"{spot.name}: {type_text(found)}")
    owners = [name for name, table in METHODS.items() if spot.name in table]
    if owners and kind is None and isinstance(parent, nodes.MethodCallExpr):
        return fenced(method_text(METHODS[owners[0]][spot.name]), f"A method of {', '.join(owners)}.")
    return ""


def _plain(spot: Spot) -> str:
    """Return the type of a name that has no other hover text."""
    if not isinstance(spot.node, nodes.NameExpr):
        return ""
    kind = spot.reading.noter(spot.document, spot.span.start).types.get(spot.node)
    return fenced(f"{spot.name}: {type_text(kind)}") if kind is not None else ""


_TEXTS: dict[str, Callable[[Spot, Symbol], str]] = {
    symbols.VARIABLE: _variable,
    symbols.PARAMETER: _parameter,
    symbols.FIELD: _part,
    symbols.METHOD: _part,
    symbols.VARIANT: _part,
    symbols.BUILTIN: _builtin,
    symbols.NAMESPACE: _namespace,
    symbols.IMPORT: _imported,
}
