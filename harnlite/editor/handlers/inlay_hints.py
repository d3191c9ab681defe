"""Inlay hints: parameter names before arguments whose meaning is not obvious."""

from __future__ import annotations

from lsprotocol import types

from harnlite.analysis.builtins.methods import METHODS
from harnlite.analysis.checking.method_calls import table_name
from harnlite.analysis.editing.inferred import noted
from harnlite.analysis.types.annotations import enum_variants, expand
from harnlite.analysis.types.nominal import EnumInfo, StructInfo
from harnlite.analysis.types.representation import Nominal
from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnlite.analysis.editing.inferred import Noter
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

_PLAIN = (nodes.LiteralExpr, nodes.TemplateExpr, nodes.ListExpr, nodes.DictExpr)
_FEWEST = 2
"""Calls of builtins with fewer arguments get no hints."""


def inlay_hints(files: Workspace, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Return the hints for a part of a file."""
    document = files.document(params.text_document.uri)
    start, end = document.offset(params.range.start), document.offset(params.range.end)
    shown = [one for one in document.module.statements if one.start <= end and one.end >= start]
    calls = _Calls(files, document, shown)
    return [
        types.InlayHint(document.position(arg.start), f"{name}:", types.InlayHintKind.Parameter, padding_right=True)
        for statement in shown
        for node in walk(statement)
        if isinstance(node, (nodes.CallExpr, nodes.MethodCallExpr)) and node.start <= end and node.end >= start
        for arg, name in calls.named(node)
        if start <= arg.start <= end
    ]


class _Calls:
    """The calls in some statements of a file."""

    def __init__(self, files: Workspace, document: Document, shown: Sequence[nodes.Stmt]) -> None:
        self.files = files
        self.document = document
        self.shown = shown
        self.tools = {one.name.text: one for one in document.module.statements if isinstance(one, nodes.ToolDecl)}
        self._noter: Noter | None = None

    @property
    def noter(self) -> Noter:
        """Return the types of the statements."""
        if self._noter is None:
            parts = [(self.document.source, self.document.module.statements)]
            self._noter = noted(parts, self.shown, self.files.declarations, self.files.resolve)
        return self._noter

    def named(self, node: nodes.CallExpr | nodes.MethodCallExpr) -> Iterator[tuple[nodes.Expr, str]]:
        """Yield the arguments of a call that get a hint, with the parameter names."""
        if not any(_is_plain(arg) for arg in node.args):
            return
        names = self._of_call(node) if isinstance(node, nodes.CallExpr) else self._of_method(node)
        for arg, name in zip(node.args, names, strict=False):
            if isinstance(arg, nodes.SpreadExpr):
                return
            if name != "_" and _is_plain(arg) and not _repeats(arg, name):
                yield arg, name

    def _of_call(self, node: nodes.CallExpr) -> list[str]:
        if not isinstance(node.callee, nodes.NameExpr) or node not in self.noter.meant:
            return []
        binding = self.noter.meant[node]
        if binding is None:
            return self._builtin(node.callee.name, len(node.args))
        if binding.home is not None:
            return _names(binding.home.decl)
        if binding.kind == "tool":
            return _names(self.tools.get(binding.name))
        return [] if binding.mutable else _names(self.noter.closures.get(binding.start))

    def _builtin(self, name: str, count: int) -> list[str]:
        entry = self.files.declarations.entries.get(name)
        if entry is None or count < _FEWEST:
            return []
        return [param for param, _, _, rest, _ in entry[0] if not rest]

    def _of_method(self, node: nodes.MethodCallExpr) -> list[str]:
        receiver, name = node.receiver, node.name.text
        if isinstance(receiver, nodes.NameExpr):
            binding = self.noter.meant.get(node)
            if binding is not None and isinstance(binding.info, EnumInfo):
                variant = enum_variants(binding.info).get(name)
                return [label for label, _kind in variant.fields] if variant is not None else []
            found = self._builtin(f"{receiver.name}.{name}", len(node.args))
            if found:
                return found
        kind = expand(self.noter.types.get(receiver))
        if isinstance(kind, Nominal) and isinstance(kind.info, StructInfo):
            method = kind.info.methods.get(name)
            return _names(method.decl)[1:] if method is not None else []
        head = METHODS.get(table_name(kind) or "", {}).get(name)
        return [param.name for param in head.params] if head is not None and len(node.args) >= _FEWEST else []


def _names(node: object) -> list[str]:
    """Return the parameter names of a callable, up to a rest parameter."""
    names: list[str] = []
    for param in node.params if isinstance(node, (nodes.FnDecl, nodes.ToolDecl, nodes.ClosureExpr)) else ():
        if param.rest:
            break
        names.append(param.name.text)
    return names


def _is_plain(arg: nodes.Expr) -> bool:
    if isinstance(arg, nodes.UnaryExpr):
        return isinstance(arg.operand, nodes.LiteralExpr)
    return isinstance(arg, _PLAIN)


def _repeats(arg: nodes.Expr, name: str) -> bool:
    """Return whether an argument is a literal that equals the parameter name."""
    return isinstance(arg, nodes.LiteralExpr) and str(arg.value).lower() == name.lower()
