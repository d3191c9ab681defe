"""The compilation of a whole file: declarations, top-level statements, pipelines, and the facts for the loader."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.analysis.names.pipelines import entry_of
from harnlite.analysis.names.resolver import resolve
from harnlite.compiler.call_sites import find_sites
from harnlite.compiler.calls import write_call, write_method_call, write_pipe
from harnlite.compiler.emitter import BOX, Emitter, Tables
from harnlite.compiler.expressions import (
    write_dict,
    write_index,
    write_list,
    write_literal,
    write_name,
    write_propagate,
    write_property,
    write_range,
    write_slice,
    write_spread,
    write_struct,
    write_template,
    write_ternary,
    write_try_star,
)
from harnlite.compiler.flow import RETURN, WRITERS, as_value, fill
from harnlite.compiler.functions import (
    Inside,
    function,
    outside_names,
    write_closure,
    write_defer,
    write_fn,
    write_method,
    write_parallel,
    write_spawn,
)
from harnlite.compiler.logic import write_condition
from harnlite.compiler.operators import write_operator, write_unary
from harnlite.compiler.ownership import find_inner, find_owned, find_paths
from harnlite.compiler.parameters import write_check
from harnlite.compiler.python_shapes import (
    LOAD,
    argument,
    assign,
    constant,
    dict_display,
    effect,
    fields_of,
    if_else,
    invoke,
    name,
    place,
    returning,
    subscript,
    tuple_display,
)
from harnlite.compiler.registries import write_registration, write_skill, write_tool
from harnlite.compiler.second_bodies import guess_kinds
from harnlite.compiler.statements import STATEMENTS
from harnlite.compiler.tails import find_tails, write_return
from harnlite.syntax import nodes
from harnlite.syntax.visitor import clone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.builtins.declarations import Declarations
    from harnlite.analysis.files.imports import Brought
    from harnlite.analysis.names.scopes import Outer
    from harnlite.diagnostics.source import Source

TYPE_DECLS = (nodes.InterfaceDecl, nodes.TypeDecl)
DECLARED = frozenset({nodes.StructDecl, nodes.EnumDecl, nodes.FnDecl, nodes.ImplDecl})
BOUND_KINDS = frozenset({"let", "const", "tool", "skill"})
EXPORTED = (nodes.FnDecl, nodes.StructDecl, nodes.EnumDecl, nodes.InterfaceDecl, nodes.TypeDecl)


def open_block(c: Emitter, block: nodes.Block | nodes.Module) -> None:
    """Emit what exists from the start of a block: boxes, types, functions and methods."""
    scope = c.resolution.scopes.get(block)
    if scope is not None and scope.frame is c.body.frame:
        for binding in scope.names.values():
            if binding.early and c.storage(binding) == BOX:
                c.open_box(binding, c.where(block))
    write_declarations(c, block.statements)


def write_declarations(c: Emitter, statements: Sequence[nodes.Stmt]) -> None:
    """Compile the declarations among statements, in an order in which they can refer to each other."""
    found = [node for node in statements if node.__class__ in DECLARED]
    if not found:
        return
    for node in found:
        if isinstance(node, nodes.StructDecl):
            _write_type(c, node, _struct_type(c, node))
        elif isinstance(node, nodes.EnumDecl):
            _write_type(c, node, _enum_type(c, node))
    for node in found:
        if isinstance(node, nodes.FnDecl):
            write_fn(c, node)
    for node in found:
        if isinstance(node, nodes.ImplDecl):
            _write_impl(c, node)


def _write_type(c: Emitter, node: nodes.Decl, value: ast.expr) -> None:
    binding = c.bindings.get(node)
    if binding is None:
        return
    at = c.where(node)
    if node in binding.redeclared:
        c.out.append(c.redeclared(binding.name, at))
    else:
        c.store(binding, value, at)


def _struct_type(c: Emitter, node: nodes.StructDecl) -> ast.expr:
    at = c.where(node)
    fields = tuple_display([constant(member.name.text, at) for member in node.members], LOAD, at)
    return c.call("StructType", [constant(node.name.text, at), fields], at)


def _enum_type(c: Emitter, node: nodes.EnumDecl) -> ast.expr:
    at = c.where(node)
    keys: list[ast.expr | None] = [constant(variant.name.text, at) for variant in node.variants]
    values: list[ast.expr] = [
        tuple_display([constant(member.name.text, at) for member in variant.members], LOAD, at)
        for variant in node.variants
    ]
    return c.call("EnumType", [constant(node.name.text, at), dict_display(keys, values, at)], at)


def _write_impl(c: Emitter, node: nodes.ImplDecl) -> None:
    at = c.where(node)
    binding = c.bindings.get(node.name)
    if binding is not None and binding.kind == "struct":
        for method in node.methods:
            write_method(c, c.load(binding, at), method)


def write_late_impl(c: Emitter, node: nodes.ImplDecl) -> None:
    """Compile the methods for a struct of another file; they are added after that file is loaded."""
    at = c.where(node)
    binding = c.bindings.get(node.name)
    if binding is not None and binding.kind == "struct":
        return
    if binding is None and not c.may_be_imported(node.name.text):
        return
    if binding is None:
        c.loose[node.name.text] = None
    owner = c.load(binding, at) if binding is not None else name("i_" + node.name.text, at)
    for method in node.methods:
        write_method(c, owner, method)


TABLES = Tables(
    expressions={
        nodes.LiteralExpr: write_literal,
        nodes.TemplateExpr: write_template,
        nodes.NameExpr: write_name,
        nodes.ListExpr: write_list,
        nodes.DictExpr: write_dict,
        nodes.StructExpr: write_struct,
        nodes.UnaryExpr: write_unary,
        nodes.BinaryExpr: write_operator,
        nodes.RangeExpr: write_range,
        nodes.SpreadExpr: write_spread,
        nodes.TernaryExpr: write_ternary,
        nodes.PipeExpr: write_pipe,
        nodes.TryStarExpr: write_try_star,
        nodes.PropagateExpr: write_propagate,
        nodes.CallExpr: write_call,
        nodes.MethodCallExpr: write_method_call,
        nodes.PropertyExpr: write_property,
        nodes.IndexExpr: write_index,
        nodes.SliceExpr: write_slice,
        nodes.ClosureExpr: write_closure,
        nodes.SpawnExpr: write_spawn,
        nodes.ParallelExpr: write_parallel,
        **dict.fromkeys(WRITERS, as_value),
    },
    statements={
        **STATEMENTS,
        nodes.DeferStmt: write_defer,
        nodes.ImplDecl: write_late_impl,
        nodes.ToolDecl: write_tool,
        nodes.SkillDecl: write_skill,
        nodes.FnDecl: write_registration,
    },
    condition=write_condition,
    blocks=open_block,
    write_return=write_return,
)


def with_bases(module: nodes.Module) -> nodes.Module:
    """Prepend the body of a base pipeline to the body of each pipeline that extends it."""
    pipelines = {node.name.text: node for node in module.statements if isinstance(node, nodes.PipelineDecl)}
    if not any(node.extends for node in pipelines.values()):
        return module
    statements: list[nodes.Stmt] = []
    for node in module.statements:
        if isinstance(node, nodes.PipelineDecl) and node.extends is not None:
            chain = _chain(node, pipelines)
            body = [clone(item) for base in chain for item in base.body.statements]
            block = nodes.Block(node.body.start, node.body.end, [*body, *node.body.statements])
            params = _merged_params(node, chain)
            statements.append(
                nodes.PipelineDecl(
                    node.start, node.end, node.name, params, None, None, block, node.is_pub, node.attributes
                )
            )
        else:
            statements.append(node)
    return nodes.Module(module.start, module.end, statements)


def _chain(node: nodes.PipelineDecl, pipelines: dict[str, nodes.PipelineDecl]) -> list[nodes.PipelineDecl]:
    chain: list[nodes.PipelineDecl] = []
    current = node
    while current.extends is not None:
        base = pipelines.get(current.extends.text)
        if base is None or base is node or base in chain:
            break
        chain.insert(0, base)
        current = base
    return chain


def _merged_params(node: nodes.PipelineDecl, chain: list[nodes.PipelineDecl]) -> list[nodes.Param]:
    params = list(node.params)
    known = {param.name.text for param in params}
    for base in chain:
        params.extend(clone(param) for param in base.params if param.name.text not in known)
        known.update(param.name.text for param in base.params)
    return params


class Written:
    """The generated Python of a file, and the facts for the loader."""

    __slots__ = ("facts", "tree")

    def __init__(self, tree: ast.Module, facts: dict[str, object]) -> None:
        self.tree = tree
        self.facts = facts


def write_module(
    source: Source,
    module: nodes.Module,
    declarations: Declarations,
    *,
    plain: bool = False,
    outer: Outer | None = None,
    brought: Brought | None = None,
) -> Written:
    """Compile a file to a Python module; `outer` is the session if the file is an input of one."""
    module = with_bases(module)
    resolution = resolve(module, source.text, outer)
    is_input, series = outer is not None, "" if outer is None else outer.series
    c = Emitter(source, module, resolution, declarations, TABLES, plain=plain, keep_globals=is_input, series=series)
    _prepare(c, module, brought)
    if outer is not None:
        c.types = {**outer.types, **c.types}
    top: list[ast.stmt] = []
    with c.writing(top):
        write_declarations(c, module.statements)
        entry = entry_of(module)
        for node in module.statements:
            if isinstance(node, nodes.PipelineDecl):
                _write_pipeline(c, node)
        _write_imports(c)
    main = _write_main(c, module)
    tree = ast.Module([*c.constants, *top, main], [])
    written = Written(tree, _facts(c, module, entry))
    if outer is None:
        resolution.release()
    return written


def _prepare(c: Emitter, module: nodes.Module, brought: Brought | None) -> None:
    c.tails.update(find_tails(c.resolution))
    c.types = c.resolution.types
    if brought is not None:
        c.imported, c.knows_imports = brought.names, brought.complete
        _mark_redeclared(c)
        c.types = {**brought.types, **c.types}
    c.methods = frozenset(c.resolution.methods)
    structs = [declared for declared in c.types.values() if isinstance(declared, nodes.StructDecl)]
    members = [member for declared in structs for member in declared.members]
    c.fields = frozenset(member.name.text for member in members)
    others = {member.name.text for member in members if getattr(member.type, "name", "") != "float"}
    c.float_fields = c.fields - others
    c.owned.update(find_owned(c))
    c.inner = find_inner(c)
    if c.inner:
        c.paths = find_paths(c, module)
    c.sites = find_sites(c, module)
    guess_kinds(c)


def _mark_redeclared(c: Emitter) -> None:
    """Mark immutable bindings of names that an import has bound as redeclared; the loader checks functions."""
    for text in c.imported & c.resolution.module_scope.names.keys():
        binding = c.resolution.module_scope.names[text]
        if not binding.mutable and binding.kind in BOUND_KINDS:
            binding.redeclared.add(binding.decl)


def _write_pipeline(c: Emitter, node: nodes.PipelineDecl) -> None:
    """Compile a pipeline to a function that takes a dict of the given parameters."""
    at = c.where(node)
    body_at = c.where(node.body)
    with Inside(c, node) as body, c.writing([]) as out:
        for param in node.params:
            _given_param(c, param)
        body.unsafe = body.unsafe_at_entry = 1
        with c.writing([]) as inner:
            fill(c, node.body, RETURN)
        if body.frame.has_defer:
            guard = ast.withitem(c.call("defers", [], body_at), place("d_", body_at))
            inner = [ast.With([guard], inner or [ast.Pass(**fields_of(body_at))], **fields_of(body_at))]
        statements = [*outside_names(body, at), *out, *inner]
    args = ast.arguments([], [argument("given", at)], None, [], [], None, [])
    c.out.append(function(c, "p_" + node.name.text, args, statements, at))


def _given_param(c: Emitter, param: nodes.Param) -> None:
    """Bind a pipeline parameter to the given value, else to its default; without either it stays unbound."""
    at = c.where(param)
    binding = c.bindings.get(param)
    if binding is None:
        return
    key = constant(param.name.text, at)
    with c.writing([]) as body:
        text = c.temp()
        body.append(assign(text, subscript(name("given", at), key, LOAD, at), at))
        if param.type is not None:
            write_check(c, param, text, at)
        c.declare(binding, name(text, at), at)
    with c.writing([]) as otherwise:
        if param.default is not None:
            c.declare(binding, c.expr(param.default), at)
    test = ast.Compare(key, [ast.In()], [name("given", at)], **fields_of(at))
    c.out.append(if_else(test, body, otherwise, at))


def _write_imports(c: Emitter) -> None:
    """Compile the function that loads the imports of the file in source order."""
    at = c.where(nodes.Block(0, 0, []))
    body: list[ast.stmt] = []
    for decl in c.resolution.imports:
        here = c.where(decl)
        names: ast.expr = constant(None, here)
        if decl.names is not None:
            names = tuple_display([constant(item.text, here) for item in decl.names], LOAD, here)
        parts = [constant(decl.path, here), names, constant(decl.is_pub, here)]
        body.append(effect(invoke(name("_import", here), parts, here), here))
    args = ast.arguments([], [], None, [], [], None, [])
    c.out.append(function(c, "_imports", args, body, at))


def _write_main(c: Emitter, module: nodes.Module) -> ast.stmt:
    """Compile the top-level statements to one function; the entry pipeline runs before their defer blocks."""
    at = c.where(nodes.Block(0, 0, []))
    body = c.body
    frame = body.frame
    body.unsafe = body.unsafe_at_entry = 1
    with c.writing([]) as out:
        for statement in module.statements:
            c.stmt(statement)
    if frame.has_defer:
        guard = ast.withitem(c.call("defers", [], at), place("d_", at))
        enter = returning(invoke(name("enter", at), [], at), at)
        out = [ast.With([guard], [*out, if_else(name("enter", at), [enter], [], at)], **fields_of(at))]
    args = ast.arguments([], [argument("enter", at)], None, [], [], None, [constant(None, at)])
    return function(c, "_main", args, outside_names(body, at) + out, at)


def _facts(c: Emitter, module: nodes.Module, entry: nodes.PipelineDecl | None) -> dict[str, object]:
    exports = []
    for node in module.statements:
        if isinstance(node, EXPORTED):
            binding = c.bindings.get(node)
            text = "" if binding is None or isinstance(node, TYPE_DECLS) else binding.variable
            exports.append((node.name.text, text, node.is_pub))
    return {
        "defers": c.resolution.frames[c.module].has_defer,
        "entry": "" if entry is None else "p_" + entry.name.text,
        "params": () if entry is None else tuple(param.name.text for param in entry.params),
        "exports": tuple(exports),
        "imports": bool(c.resolution.imports),
        "helpers": tuple(c.helpers),
        "natives": tuple(c.natives),
        "values": tuple(c.native_values),
        "loose": tuple(c.loose),
    }
