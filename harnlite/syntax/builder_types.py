"""Reduce callbacks for types, parameters and fields."""

from __future__ import annotations

from harnlite.syntax.nodes import (
    Expr,
    Field,
    FnType,
    Ident,
    LiteralType,
    NamedType,
    Param,
    ShapeType,
    TypeExpr,
    TypeParam,
    UnionType,
    WhereBound,
)
from harnlite.syntax.numbers import float_value, integer_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.builder import Workshop
    from harnlite.syntax.tokens import StringToken, Token

DEFAULT_ORDER = "Required parameter cannot follow a parameter with a default value"
REST_LAST = "Rest parameter must be the last parameter"


class TypeBuilder:
    """Builds types, parameters and fields."""

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop

    def named_type(self, name: Token) -> TypeExpr:
        """Build a type that consists of a name."""
        return NamedType(name.start, name.end, name.text, [])

    def generic_type(self, name: Token, _left: Token, args: list[TypeExpr], right: Token) -> TypeExpr:
        """Build `name<args>`."""
        return NamedType(name.start, right.end, name.text, args)

    def list_type(self, left: Token, item: TypeExpr, right: Token) -> TypeExpr:
        """Build `[item]`, which is `list<item>`."""
        return NamedType(left.start, right.end, "list", [item])

    def shape_type(self, left: Token, members: list[Field] | None, _comma: Token | None, right: Token) -> TypeExpr:
        """Build `{name: T}`."""
        return ShapeType(left.start, right.end, members or [])

    def string_type(self, token: StringToken) -> TypeExpr:
        """Build the literal type of a string."""
        return LiteralType(token.start, token.end, token.value, "string")

    def number_type(self, token: Token) -> TypeExpr:
        """Build the literal type of a number."""
        value = integer_value(token.text) if token.kind == "INT" else float_value(token.text)
        return LiteralType(token.start, token.end, value, "int" if value.__class__ is int else "float")

    def negative_type(self, minus: Token, token: Token) -> TypeExpr:
        """Build the literal type of a negative number."""
        value = -(integer_value(token.text) if token.kind == "INT" else float_value(token.text))
        return LiteralType(minus.start, token.end, value, "int" if value.__class__ is int else "float")

    def bool_type(self, token: Token) -> TypeExpr:
        """Build the literal type `true` or `false`."""
        return LiteralType(token.start, token.end, token.kind == "TRUE", "bool")

    def union_type(self, *parts: TypeExpr | Token) -> TypeExpr:
        """Build `A | B`."""
        members = [part for part in parts if isinstance(part, TypeExpr)]
        return UnionType(members[0].start, members[-1].end, members)

    def fn_type(
        self, word: Token, _left: Token, params: list[TypeExpr] | None, _right: Token, _arrow: Token, result: TypeExpr
    ) -> TypeExpr:
        """Build `fn(params) -> result`."""
        return FnType(word.start, result.end, params or [], result)

    def result(self, _arrow: Token, kind: TypeExpr) -> TypeExpr:
        """Return the type after `->`."""
        return kind

    # Type parameters

    def type_params(self, _left: Token, *rest: TypeParam | Token | None) -> list[TypeParam]:
        """Return the type parameters between angle brackets."""
        return [part for part in rest if isinstance(part, TypeParam)]

    def type_param(self, name: Ident) -> TypeParam:
        """Build a type parameter without a variance mark."""
        return TypeParam(name.start, name.end, name)

    def variant_type_param(self, mark: Token, name: Ident) -> TypeParam:
        """Build `in T` or `out T`."""
        if mark.text not in ("in", "out"):
            self.shop.expect(">", name.text, name.start, name.end)
        return TypeParam(mark.start, name.end, name, mark.text)

    def where(self, _word: Token, *bounds: WhereBound | Token) -> list[WhereBound]:
        """Return the bounds after `where`."""
        return [bound for bound in bounds if isinstance(bound, WhereBound)]

    def where_bound(self, param: Ident, _colon: Token, bound: TypeExpr) -> WhereBound:
        """Build `T: I`."""
        return WhereBound(param.start, bound.end, param, bound)

    # Parameters

    def param_list(self, _left: Token, params: list[Param] | None, right: Token) -> tuple[list[Param], int]:
        """Return the parameters between parentheses and their end offset."""
        return params or [], right.end

    def params(self, *parts: Param | Token | None) -> list[Param]:
        """Return the parameters; report a required one after an optional one, or a rest parameter that is not last."""
        params = [part for part in parts if isinstance(part, Param)]
        has_default = False
        for param in params:
            name = param.name
            if param.rest:
                if param is not params[-1]:
                    self.shop.expect(REST_LAST, name.text, name.start, name.end)
                    break
            elif param.default is not None:
                has_default = True
            elif has_default:
                self.shop.expect(DEFAULT_ORDER, name.text, name.start, name.end)
                break
        return params

    def param(
        self, name: Ident, _colon: Token | None, kind: TypeExpr | None, _assign: Token | None, default: Expr | None
    ) -> Param:
        """Build `name: T = default`."""
        return Param(name.start, (default or kind or name).end, name, kind, default)

    def rest_param(self, dots: Token, name: Ident, _colon: Token | None, kind: TypeExpr | None) -> Param:
        """Build `...name`."""
        return Param(dots.start, (kind or name).end, name, kind, None, rest=True)

    # Fields

    def field(self, name: Ident, mark: Token | None, _colon: Token, kind: TypeExpr) -> Field:
        """Build `name?: T`."""
        return Field(name.start, kind.end, name, kind, mark is not None)

    def variant_field(self, name: Ident, _colon: Token | None, kind: TypeExpr | None) -> Field:
        """Build a field of an enum variant, whose type may be missing."""
        return Field(name.start, (kind or name).end, name, kind)
