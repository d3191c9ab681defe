"""Reduce callbacks for declarations."""

from __future__ import annotations

from harnlite.syntax.nodes import (
    AssociatedType,
    Attribute,
    AttributeArg,
    Block,
    EnumDecl,
    Expr,
    Field,
    FnDecl,
    Ident,
    ImplDecl,
    ImportDecl,
    InterfaceDecl,
    ListExpr,
    LiteralExpr,
    NameExpr,
    OverrideDecl,
    Param,
    PipelineDecl,
    SkillDecl,
    SkillField,
    Stmt,
    StructDecl,
    ToolDecl,
    TypeDecl,
    TypeExpr,
    TypeParam,
    UnaryExpr,
    Variant,
    WhereBound,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.syntax.builder import Workshop
    from harnlite.syntax.tokens import StringToken, Token

LITERAL = "attribute argument must be a literal value"
DESCRIPTION = "description"


class _ToolText:
    """`description "…"` in a tool."""

    __slots__ = ("value",)

    def __init__(self, value: Expr) -> None:
        self.value = value


class DeclarationBuilder:
    """Builds declarations."""

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop

    def ident(self, token: Token) -> Ident:
        """Build an identifier that is declared or looked up."""
        return Ident(token.start, token.end, token.text)

    # Modifiers before declarations

    def public(self, word: Token, decl: Any) -> Any:  # noqa: ANN401 - any declaration; the result has the same type
        """Mark a declaration as `pub`."""
        decl.is_pub = True
        self._extend(decl, word.start)
        return decl

    def attributed(self, attributes: list[Attribute], decl: Any) -> Any:  # noqa: ANN401 - as above
        """Set the attributes of a declaration."""
        decl.attributes = attributes
        self._extend(decl, attributes[0].start)
        return decl

    def _extend(self, decl: Any, start: int) -> None:  # noqa: ANN401 - as above
        decl.start = start
        if start in self.shop.docs and "doc" in type(decl).fields:
            decl.doc = self.shop.docs[start]

    def attribute(
        self, at: Token, name: Ident, args: tuple[list[AttributeArg], int] | None, _line: Token | None
    ) -> Attribute:
        """Build `@name(args)`."""
        return Attribute(at.start, args[1] if args else name.end, name, args[0] if args else [])

    def attribute_args(
        self, _left: Token, args: list[AttributeArg] | None, right: Token
    ) -> tuple[list[AttributeArg], int]:
        """Return the arguments and their end offset."""
        return args or [], right.end

    def attribute_value(self, value: Expr) -> AttributeArg:
        """Build an argument without a key."""
        return AttributeArg(value.start, value.end, None, self._literal(value))

    def attribute_entry(self, key: Ident, _colon: Token, value: Expr) -> AttributeArg:
        """Build `key: value`."""
        return AttributeArg(key.start, value.end, key.text, self._literal(value))

    def _literal(self, value: Expr) -> object:
        """Return the value of a literal argument; report an argument that is not a literal."""
        if isinstance(value, LiteralExpr) and value.kind != "duration":
            return value.value
        if isinstance(value, NameExpr):
            return value.name
        if isinstance(value, ListExpr):
            return [self._literal(item) for item in value.items]
        if isinstance(value, UnaryExpr) and value.op == "-" and isinstance(value.operand, LiteralExpr):
            number = value.operand.value
            if isinstance(number, (int, float)) and value.operand.kind in ("int", "float"):
                return -number
        self.shop.expect(LITERAL, self.shop.excerpt(value.start, value.end), value.start, value.end)
        return None

    # Imports and pipelines

    def import_all(self, word: Token, path: StringToken) -> Stmt:
        """Build `import "path"`."""
        return ImportDecl(word.start, path.end, path.value, path.start, None)

    def import_some(
        self, word: Token, _left: Token, names: list[Ident], _right: Token, _from: Token, path: StringToken
    ) -> Stmt:
        """Build `import { names } from "path"`."""
        return ImportDecl(word.start, path.end, path.value, path.start, names)

    def pipeline_decl(
        self,
        word: Token,
        name: Ident,
        params: tuple[list[Param], int],
        result: TypeExpr | None,
        _extends: Token | None,
        base: Ident | None,
        body: Block,
    ) -> Stmt:
        """Build `pipeline name(params) extends base { … }`."""
        doc = self.shop.docs.get(word.start)
        return PipelineDecl(word.start, body.end, name, params[0], result, base, body, doc=doc)

    def override_decl(self, word: Token, name: Ident, params: tuple[list[Param], int], body: Block) -> Stmt:
        """Build `override name(params) { … }`."""
        return OverrideDecl(word.start, body.end, name, params[0], body)

    # Functions

    def fn_head(
        self,
        word: Token,
        name: Ident,
        type_params: list[TypeParam] | None,
        params: tuple[list[Param], int],
        result: TypeExpr | None,
        where: list[WhereBound] | None,
    ) -> FnDecl:
        """Build a function without its body."""
        found, end = params
        if where:
            end = where[-1].end
        elif result is not None:
            end = result.end
        doc = self.shop.docs.get(word.start)
        return FnDecl(word.start, end, name, type_params or [], found, result, where or [], None, doc=doc)

    def fn_decl(self, head: FnDecl, body: Block) -> FnDecl:
        """Add the body to a function."""
        head.body = body
        head.end = body.end
        return head

    def gen_decl(self, word: Token, decl: FnDecl) -> FnDecl:
        """Mark a function as a `gen fn`."""
        decl.is_gen = True
        self._extend(decl, word.start)
        return decl

    def extern_decl(
        self,
        word: Token,
        fn: Token,
        name: Ident,
        type_params: list[TypeParam] | None,
        params: tuple[list[Param], int],
        result: TypeExpr | None,
        where: list[WhereBound] | None,
    ) -> FnDecl:
        """Build `extern fn name(params) -> T`."""
        decl = self.fn_head(fn, name, type_params, params, result, where)
        decl.is_extern = True
        self._extend(decl, word.start)
        return decl

    def dotted_name(self, name: Ident, _dot: Token, part: Token) -> Ident:
        """Build `namespace.name`."""
        return Ident(name.start, part.end, f"{name.text}.{part.text}")

    # Types

    def struct_decl(
        self,
        word: Token,
        name: Ident,
        type_params: list[TypeParam] | None,
        _left: Token,
        members: list[Field] | None,
        _comma: Token | None,
        right: Token,
    ) -> Stmt:
        """Build a struct."""
        doc = self.shop.docs.get(word.start)
        return StructDecl(word.start, right.end, name, type_params or [], members or [], doc=doc)

    def enum_decl(
        self,
        word: Token,
        name: Ident,
        type_params: list[TypeParam] | None,
        _left: Token,
        variants: list[Variant] | None,
        _comma: Token | None,
        right: Token,
    ) -> Stmt:
        """Build an enum."""
        doc = self.shop.docs.get(word.start)
        return EnumDecl(word.start, right.end, name, type_params or [], variants or [], doc=doc)

    def variant(self, name: Ident, fields: tuple[list[Field], int] | None) -> Variant:
        """Build a variant of an enum."""
        return Variant(name.start, fields[1] if fields else name.end, name, fields[0] if fields else [])

    def variant_fields(self, _left: Token, fields: list[Field] | None, right: Token) -> tuple[list[Field], int]:
        """Return the fields of a variant and their end offset."""
        return fields or [], right.end

    def interface_decl(
        self,
        word: Token,
        name: Ident,
        type_params: list[TypeParam] | None,
        _left: Token,
        members: list[AssociatedType | FnDecl] | None,
        _semicolon: Token | None,
        right: Token,
    ) -> Stmt:
        """Build an interface."""
        doc = self.shop.docs.get(word.start)
        associated = [member for member in members or [] if isinstance(member, AssociatedType)]
        methods = [member for member in members or [] if isinstance(member, FnDecl)]
        return InterfaceDecl(word.start, right.end, name, type_params or [], associated, methods, doc=doc)

    def associated_type(self, word: Token, name: Ident, _assign: Token | None, kind: TypeExpr | None) -> AssociatedType:
        """Build `type Item = int` in an interface."""
        return AssociatedType(word.start, (kind or name).end, name, kind)

    def signature(self, head: FnDecl) -> FnDecl:
        """Return a method of an interface."""
        return head

    def impl_decl(
        self,
        word: Token,
        name: Ident,
        _left: Token,
        methods: list[FnDecl] | None,
        _semicolon: Token | None,
        right: Token,
    ) -> Stmt:
        """Build `impl Name { … }`."""
        return ImplDecl(word.start, right.end, name, methods or [])

    def type_decl(
        self, word: Token, name: Ident, type_params: list[TypeParam] | None, _assign: Token, kind: TypeExpr
    ) -> Stmt:
        """Build `type Name = T`."""
        doc = self.shop.docs.get(word.start)
        return TypeDecl(word.start, kind.end, name, type_params or [], kind, doc=doc)

    # Tools and skills

    def tool_decl(
        self,
        word: Token,
        name: Ident,
        params: tuple[list[Param], int],
        result: TypeExpr | None,
        left: Token,
        items: list[Stmt | _ToolText] | None,
        _semicolon: Token | None,
        right: Token,
    ) -> Stmt:
        """Build a tool from its description and a body with all other statements."""
        texts = [item.value for item in items or [] if isinstance(item, _ToolText)]
        body = Block(left.start, right.end, [item for item in items or [] if isinstance(item, Stmt)])
        doc = self.shop.docs.get(word.start)
        return ToolDecl(word.start, right.end, name, params[0], result, texts[0] if texts else None, body, doc=doc)

    def tool_text(self, word: Token, value: Expr) -> _ToolText:
        """Return the description of a tool."""
        if word.text != DESCRIPTION:
            note = f"did you mean `{DESCRIPTION}`?"
            self.shop.expect(DESCRIPTION, word.text, word.start, word.end, notes=[note])
        return _ToolText(value)

    def skill_decl(
        self,
        word: Token,
        name: Ident,
        _left: Token,
        members: list[SkillField] | None,
        _semicolon: Token | None,
        right: Token,
    ) -> Stmt:
        """Build a skill."""
        doc = self.shop.docs.get(word.start)
        return SkillDecl(word.start, right.end, name, members or [], doc=doc)

    def skill_field(self, name: Ident, value: Expr) -> SkillField:
        """Build a field of a skill."""
        return SkillField(name.start, value.end, name, value)
