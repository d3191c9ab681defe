"""Signature help: the signature of the call at the cursor, and the active parameter."""

from __future__ import annotations

import re

from lsprotocol import types

from harnlite.analysis.builtins.methods import METHODS
from harnlite.analysis.builtins.signatures import method_parts, signature_parts
from harnlite.analysis.checking.method_calls import table_name
from harnlite.analysis.editing.option_places import expected, expected_keys
from harnlite.analysis.types.annotations import (
    enum_variants,
    expand,
    interface_methods,
    method_signature,
    struct_fields,
)
from harnlite.analysis.types.nominal import EnumInfo, InterfaceInfo, StructInfo
from harnlite.analysis.types.representation import Nominal, Union, text
from harnlite.editor.names.wording import doc_of, parameter_text, written
from harnlite.editor.suggestions.glimpse import Glimpse
from harnlite.editor.suggestions.members import enum_named, value_of
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.editing.completion_places import Frame
    from harnlite.analysis.types.environment import Binding
    from harnlite.analysis.types.representation import Type
    from harnlite.editor.texts.workspace import Workspace

_SENTENCE = re.compile(r"[^.;\n]*(?:\.(?!\s)[^.;\n]*)*")

_NAMES: dict[type, str] = {nodes.CallExpr: "callee", nodes.MethodCallExpr: "name"}


class Head:
    """A signature: the text before, between and after the parameters, and the documentation."""

    __slots__ = ("after", "before", "doc", "params", "rest")

    def __init__(self, before: str, params: Sequence[str], after: str, doc: str = "", *, rest: bool = False) -> None:
        self.before = before
        self.params = params
        self.after = after
        self.doc = doc
        self.rest = rest

    def shown(self, index: int) -> types.SignatureInformation:
        """Return the signature in the form that editors read; `index` is the active argument."""
        label, places = self.before, []
        for number, param in enumerate(self.params):
            label += ", " if number else ""
            start = _units(label)
            label += param
            places.append((start, _units(label)))
        infos = [
            types.ParameterInformation(place, _markdown(_about(param, self.doc)))
            for place, param in zip(places, self.params, strict=True)
        ]
        return types.SignatureInformation(label + self.after, _markdown(self.doc), infos, self.next_of(index))

    def next_of(self, index: int) -> int:
        """Return the index of the parameter for an argument."""
        return len(self.params) - 1 if self.rest and index >= len(self.params) else index


def signature_help(files: Workspace, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    """Return the signature of the innermost call around the cursor."""
    document = files.document(params.text_document.uri)
    glimpse = Glimpse(files, document, document.offset(params.position))
    if glimpse.place.in_comment:
        return None
    frames = glimpse.place.frames
    for depth in range(len(frames), 0, -1):
        frame = frames[depth - 1]
        if frame.is_struct:
            found = _struct(glimpse, frame)
            if found is not None:
                index = _field_index(found, frame)
                return _help(found, index)
        if frame.sign == "(":
            head = None if frame.is_head else _called(glimpse, frame)
            return None if head is None else _help(head, frame.index, _option(frames, depth))
        if frame.sign == "{" and not frame.is_dict:
            return None
    return None


def _help(head: Head, index: int, doc: str = "") -> types.SignatureHelp:
    """Return the answer for a signature; `doc` documents the active parameter."""
    shown, active = head.shown(index), head.next_of(index)
    if doc and shown.parameters is not None and active < len(shown.parameters):
        shown.parameters[active].documentation = _markdown(doc)
    return types.SignatureHelp([shown], 0, active)


def _option(frames: Sequence[Frame], depth: int) -> str:
    """Describe the option that is being written in the call at a depth of frames, or list all its options."""
    key = frames[-1].key
    option = expected_keys(frames).keys.get(key) if len(frames) > depth and key else None
    if option is not None:
        return f"`{key}` ({option.type}): {option.text}"
    keys = expected(frames[:depth]).keys
    return f"Options: {', '.join(f'`{one}`' for one in keys)}." if keys else ""


def _units(label: str) -> int:
    return len(label.encode("utf-16-le")) // 2


def _markdown(doc: str) -> types.MarkupContent | None:
    return types.MarkupContent(types.MarkupKind.Markdown, doc) if doc else None


def _about(param: str, doc: str) -> str:
    """Return the sentence about a parameter in a documentation text."""
    name = param.lstrip(".").partition(":")[0].partition(" ")[0]
    for found in _SENTENCE.finditer(doc.partition("Errors:")[0]):
        if f"`{name}`" in found[0]:
            return f"{found[0].strip().rstrip('.')}."
    return ""


def _struct(glimpse: Glimpse, frame: Frame) -> Head | None:
    info = glimpse.sight.types.get(frame.before)
    if not isinstance(info, StructInfo):
        return None
    fields = struct_fields(info).values()
    shown = [f"{field.name}{'?' if field.optional else ''}: {text(field.type)}" for field in fields]
    return Head(f"{info.name} {{ ", shown, " }", doc_of(info.decl))


def _field_index(head: Head, frame: Frame) -> int:
    """Return the index of the field that is being written, or else of the first missing field."""
    names = [param.partition(":")[0].rstrip("?") for param in head.params]
    if frame.key in names:
        return names.index(frame.key)
    return next((index for index, name in enumerate(names) if name not in frame.keys), len(names))


def _called(glimpse: Glimpse, frame: Frame) -> Head | None:
    """Return the signature of the call whose opening bracket starts a frame."""
    node = _call_at(glimpse, frame.start)
    if isinstance(node, nodes.MethodCallExpr):
        return _method(glimpse, node)
    if isinstance(node, nodes.CallExpr) and isinstance(node.callee, nodes.NameExpr):
        return _function(glimpse, node.callee.name)
    if node is None and frame.callee:
        return _builtin(glimpse, frame.callee)
    return None


def _call_at(glimpse: Glimpse, bracket: int) -> nodes.Node | None:
    """Return the call whose arguments start at a bracket."""
    found: nodes.Node | None = None
    for node in glimpse.way:
        if isinstance(node, nodes.VariantPattern):
            return None
        name = _NAMES.get(type(node))
        if name is not None and getattr(node, name).end <= bracket < node.end:
            found = node
    return found


def _function(glimpse: Glimpse, name: str) -> Head | None:
    binding = glimpse.sight.names.get(name)
    if binding is None:
        return _builtin(glimpse, name)
    if binding.home is not None:
        return _declared(binding.home.decl, binding.home.source.text)
    for node in glimpse.noter.tree:
        if isinstance(node, nodes.ToolDecl) and node.name.text == name:
            return _declared(node, glimpse.source_text)
    return _closure(glimpse, name, binding) or (_builtin(glimpse, name) if binding.type is not None else None)


def _closure(glimpse: Glimpse, name: str, binding: Binding) -> Head | None:
    value = value_of(glimpse, name)
    if isinstance(value, nodes.ClosureExpr):
        return _head(name, value, glimpse.source_text)
    kind = expand(glimpse.sight.type_of(binding))
    params = getattr(kind, "params", None)
    if not params:
        return None
    result = getattr(kind, "result", None)
    return Head(f"{name}(", [text(param) for param in params], f") -> {text(result)}" if result is not None else ")")


def _builtin(glimpse: Glimpse, name: str) -> Head | None:
    declarations = glimpse.files.declarations
    entry = declarations.entries.get(name)
    if entry is None:
        return None
    before, params, after = signature_parts(name, declarations)
    return Head(before, params, after, entry[4], rest=bool(entry[0]) and entry[0][-1][3])


def _declared(decl: nodes.FnDecl | nodes.ToolDecl, source: str, *, skip: int = 0) -> Head:
    doc = doc_of(decl)
    if isinstance(decl, nodes.ToolDecl) and isinstance(decl.description, nodes.LiteralExpr):
        doc = doc or str(decl.description.value)
    return _head(decl.name.text, decl, source, doc, skip=skip)


def _head(
    name: str, node: nodes.FnDecl | nodes.ToolDecl | nodes.ClosureExpr, source: str, doc: str = "", *, skip: int = 0
) -> Head:
    params = node.params[skip:]
    result = f" -> {written(node.return_type, source)}" if node.return_type is not None else ""
    shown = [parameter_text(param, source) for param in params]
    return Head(f"{name}(", shown, f"){result}", doc, rest=bool(params) and params[-1].rest)


def _method(glimpse: Glimpse, node: nodes.MethodCallExpr) -> Head | None:
    receiver, name = node.receiver, node.name.text
    if isinstance(receiver, nodes.NameExpr):
        enum = enum_named(glimpse, receiver.name)
        if enum is not None:
            return _variant(enum, name)
        found = _builtin(glimpse, f"{receiver.name}.{name}")
        if found is not None:
            return found
        if receiver.name == "Result" and name in {"Ok", "Err"}:
            return Head(f"Result.{name}(", ["value" if name == "Ok" else "error"], ")")
    return _member(expand(glimpse.type_of(receiver)), name)


def _variant(enum: EnumInfo, name: str) -> Head | None:
    variant = enum_variants(enum).get(name)
    if variant is None:
        return None
    shown = [label if kind is None else f"{label}: {text(kind)}" for label, kind in variant.fields]
    return Head(f"{enum.name}.{name}(", shown, ")", doc_of(enum.decl) if enum.decl is not None else "")


def _member(kind: Type | None, name: str) -> Head | None:
    """Return the signature of a method of a type."""
    if isinstance(kind, Union):
        heads = (_member(expand(member), name) for member in kind.members)
        return next((head for head in heads if head is not None), None)
    if isinstance(kind, Nominal):
        info = kind.info
        if isinstance(info, StructInfo) and name in info.methods:
            method = info.methods[name]
            method_signature(method)
            return _declared(method.decl, method.source.text, skip=1)
        if isinstance(info, InterfaceInfo) and name in interface_methods(info):
            decl = next(one for one in info.decl.methods if one.name.text == name)
            return _declared(decl, info.source.text, skip=1)
        return None
    table = METHODS.get(table_name(kind) or "", {})
    tables = [table] if kind is not None else [one for one in METHODS.values() if name in one][:1]
    signature = next((one[name] for one in tables if name in one), None)
    return None if signature is None else Head(*method_parts(signature))
