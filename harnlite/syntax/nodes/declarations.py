"""Declarations, whose names are visible in their whole block."""

from __future__ import annotations

from harnlite.syntax.nodes.base import Node, Stmt, node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.syntax.nodes.base import Attribute, Block, Expr, Field, Ident, Param, TypeExpr, TypeParam, WhereBound


@node
class Decl(Stmt):
    """A statement that declares a name for its whole block."""


@node
class FnDecl(Decl):
    """`fn`, `gen fn`, a method, or `extern fn` (no body) in the declarations of the builtins.

    The name of an extern function may contain a dot (`stream.map`). The body and the return type are optional.
    """

    name: Ident
    type_params: list[TypeParam]
    params: list[Param]
    return_type: TypeExpr | None
    where: list[WhereBound]
    body: Block | None
    is_pub: bool = False
    is_gen: bool = False
    is_extern: bool = False
    attributes: Sequence[Attribute] = ()
    doc: str | None = None


@node
class PipelineDecl(Decl):
    """`pipeline name(params) extends base { … }`."""

    name: Ident
    params: list[Param]
    return_type: TypeExpr | None
    extends: Ident | None
    body: Block
    is_pub: bool = False
    attributes: Sequence[Attribute] = ()
    doc: str | None = None


@node
class OverrideDecl(Decl):
    """`override step() { … }`, which is accepted but has no effect."""

    name: Ident
    params: list[Param]
    body: Block


@node
class ImportDecl(Stmt):
    """`import "x"` (no names) or `import { a, b } from "x"`."""

    path: str
    path_start: int
    names: list[Ident] | None
    is_pub: bool = False


@node
class StructDecl(Decl):
    """`struct P { x: int, y?: int }`."""

    name: Ident
    type_params: list[TypeParam]
    members: list[Field]
    is_pub: bool = False
    attributes: Sequence[Attribute] = ()
    doc: str | None = None


@node
class Variant(Node):
    """`Circle(r: float)` or `Dot` (no fields)."""

    name: Ident
    members: list[Field]


@node
class EnumDecl(Decl):
    """`enum Shape { Circle(r: float), Dot }`."""

    name: Ident
    type_params: list[TypeParam]
    variants: list[Variant]
    is_pub: bool = False
    attributes: Sequence[Attribute] = ()
    doc: str | None = None


@node
class AssociatedType(Node):
    """`type Item = int` in an interface."""

    name: Ident
    type: TypeExpr | None


@node
class InterfaceDecl(Decl):
    """`interface Sized { type Item = int fn size(self) -> int }`; its methods are FnDecls without a body."""

    name: Ident
    type_params: list[TypeParam]
    associated: list[AssociatedType]
    methods: list[FnDecl]
    is_pub: bool = False
    attributes: Sequence[Attribute] = ()
    doc: str | None = None


@node
class ImplDecl(Decl):
    """`impl P { fn … }`."""

    name: Ident
    methods: list[FnDecl]
    attributes: Sequence[Attribute] = ()


@node
class TypeDecl(Decl):
    """`type Id = string | int`."""

    name: Ident
    type_params: list[TypeParam]
    type: TypeExpr
    is_pub: bool = False
    attributes: Sequence[Attribute] = ()
    doc: str | None = None


@node
class ToolDecl(Decl):
    """`tool read(path: string) -> string { description "Reads"; … }`."""

    name: Ident
    params: list[Param]
    return_type: TypeExpr | None
    description: Expr | None
    body: Block
    is_pub: bool = False
    attributes: Sequence[Attribute] = ()
    doc: str | None = None


@node
class SkillField(Node):
    """`when_to_use "…"` in a skill."""

    name: Ident
    value: Expr


@node
class SkillDecl(Decl):
    """`skill deploy { description "Ship" … }`."""

    name: Ident
    members: list[SkillField]
    is_pub: bool = False
    attributes: Sequence[Attribute] = ()
    doc: str | None = None
