"""Callbacks that format declarations, parameters and types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.syntax.printing_brackets import LAST, Compound, Parentheses
from harnlite.syntax.printing_documents import Lines, Parts, Piece, row
from harnlite.syntax.printing_operators import Operator, Operators
from harnlite.syntax.trivia import opens_line

if TYPE_CHECKING:
    from harnlite.syntax.printing_sheet import Listed, Sheet
    from harnlite.syntax.tokens import Token


class DeclarationSetter:
    """Formats declarations."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet

    # Modifiers before declarations

    def public(self, word: Token, decl: Piece) -> Piece:
        """Format `pub` before a declaration."""
        if decl.__class__ is Compound:
            return Compound((self.sheet.before(word), *decl.parts))
        return row(self.sheet.before(word), decl)

    def attributed(self, attributes: Parts, decl: Piece) -> Piece:
        """Format attributes before a declaration; they stay on its line only if all of them are on it in the source."""
        pairs = attributes[::2]
        if any(has_line for _, has_line in pairs):
            return Lines((*(piece for piece, _ in pairs), decl))
        begin = [part for piece, _ in pairs for part in (piece, " ")]
        return Compound((*begin, *decl.parts)) if decl.__class__ is Compound else row(*begin, decl)

    def attribute(self, at: Token, name: Piece, args: Piece, line: Token | None) -> tuple[Piece, bool]:
        """Return `@name(args)`, and whether the line ends after it."""
        has_line = line is not None or (args is not None and opens_line(self.sheet.text, args[1]))
        return row(self.sheet.word(at), name, *(args[:1] if args else ())), has_line

    def attribute_args(self, left: Token, args: Listed, right: Token) -> tuple[Piece, int]:
        """Return `(args)` and its end offset."""
        return self.sheet.brackets(left, args, right), right.end

    def attribute_value(self, value: Piece) -> Piece:
        """Return an argument without a key."""
        return value

    def attribute_entry(self, key: Piece, colon: Token, value: Piece) -> Piece:
        """Format `key: value`."""
        return row(key, f"{colon.text} ", value)

    # Imports and pipelines

    def import_all(self, word: Token, path: Token) -> Piece:
        """Format `import "path"`."""
        return row(self.sheet.before(word), self.sheet.word(path))

    def import_some(self, word: Token, left: Token, names: Listed, right: Token, from_: Token, path: Token) -> Piece:
        """Format `import { names } from "path"`."""
        brackets = self.sheet.brackets(left, names, right, pad=" ")
        return row(self.sheet.before(word), brackets, self.sheet.spaced(from_), self.sheet.word(path))

    def pipeline_decl(
        self,
        word: Token,
        name: Piece,
        params: Piece,
        result: Parts,
        extends: Token | None,
        base: Piece,
        body: Piece,
    ) -> Piece:
        """Format `pipeline name(params) extends base { … }`."""
        built_on = () if extends is None else (self.sheet.spaced(extends), base)
        return Compound((self.sheet.before(word), name, params, *(result or ()), *built_on, " ", body))

    def override_decl(self, word: Token, name: Piece, params: Piece, body: Piece) -> Piece:
        """Format `override name(params) { … }`."""
        return Compound((self.sheet.before(word), name, params, " ", body))

    # Functions

    def fn_head(
        self,
        word: Token,
        name: Piece,
        type_params: Piece,
        params: Piece,
        result: Parts,
        where: Parts,
    ) -> Compound:
        """Format a function without its body."""
        return Compound(
            (self.sheet.before(word), name, type_params or "", params, *(result or ()), *(where or ())),
        )

    def fn_decl(self, head: Compound, body: Piece) -> Compound:
        """Add the body to a function."""
        return Compound((*head.parts, " ", body))

    def gen_decl(self, word: Token, decl: Compound) -> Compound:
        """Format `gen` before a function."""
        return Compound((self.sheet.before(word), *decl.parts))

    def extern_decl(
        self,
        word: Token,
        fn: Token,
        name: Piece,
        type_params: Piece,
        params: Piece,
        result: Parts,
        where: Parts,
    ) -> Compound:
        """Format `extern fn name(params) -> T`."""
        return self.gen_decl(word, self.fn_head(fn, name, type_params, params, result, where))

    def dotted_name(self, name: Piece, dot: Token, part: Token) -> Piece:
        """Format `namespace.name`."""
        return row(name, dot.text, self.sheet.word(part))

    def signature(self, head: Piece) -> Piece:
        """Return a method of an interface."""
        return head

    # Types

    def struct_decl(
        self, word: Token, name: Piece, type_params: Piece, left: Token, members: Listed, _comma: Token, right: Token
    ) -> Piece:
        """Format a struct or an enum."""
        brackets = self.sheet.brackets(left, members, right, pad=" ")
        return row(self.sheet.before(word), name, type_params or "", " ", brackets)

    enum_decl = struct_decl

    def variant(self, name: Piece, fields: Piece) -> Piece:
        """Format a variant of an enum."""
        return name if fields is None else row(name, fields)

    def variant_fields(self, left: Token, fields: Listed, right: Token) -> Piece:
        """Format the fields of a variant."""
        return self.sheet.brackets(left, fields, right)

    def interface_decl(
        self, word: Token, name: Piece, type_params: Piece, left: Token, members: Listed, _end: Token, right: Token
    ) -> Piece:
        """Format `interface Name { … }`."""
        block = self.sheet.block(left, members, right)
        return Compound((self.sheet.before(word), name, type_params or "", " ", block))

    def associated_type(self, word: Token, name: Piece, assign: Token | None, kind: Piece) -> Piece:
        """Format `type Item = int` in an interface."""
        value = () if assign is None else (f" {assign.text} ", kind)
        return row(self.sheet.before(word), name, *value)

    def impl_decl(
        self, word: Token, name: Piece, left: Token, methods: Listed, _end: Token | None, right: Token
    ) -> Piece:
        """Format `impl Name { … }`."""
        return Compound((self.sheet.before(word), name, " ", self.sheet.block(left, methods, right)))

    def type_decl(self, word: Token, name: Piece, type_params: Piece, assign: Token, kind: Piece) -> Piece:
        """Format `type Name = T`."""
        return row(self.sheet.before(word), name, type_params or "", f" {assign.text} ", kind)

    # Tools and skills

    def tool_decl(
        self,
        word: Token,
        name: Piece,
        params: Piece,
        result: Parts,
        left: Token,
        items: Listed,
        _end: Token,
        right: Token,
    ) -> Piece:
        """Format a tool."""
        block = self.sheet.block(left, items, right)
        return Compound((self.sheet.before(word), name, params, *(result or ()), " ", block))

    def tool_text(self, word: Token, value: Piece) -> Piece:
        """Format the description of a tool."""
        return row(self.sheet.before(word), value)

    def skill_decl(
        self, word: Token, name: Piece, left: Token, members: Listed, _end: Token | None, right: Token
    ) -> Piece:
        """Format `skill name { … }`."""
        return Compound((self.sheet.before(word), name, " ", self.sheet.block(left, members, right)))

    def skill_field(self, name: Piece, value: Piece) -> Piece:
        """Format a field of a skill."""
        return row(name, " ", value)


class TypeSetter:
    """Formats types, parameters and fields."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.named_type = self.number_type = self.bool_type = sheet.word
        self.string_type = sheet.word

    def generic_type(self, name: Token, left: Token, args: Listed, right: Token) -> Piece:
        """Format `name<args>`."""
        return row(self.sheet.word(name), self.sheet.brackets(left, args, right, hugging=LAST))

    def list_type(self, left: Token, item: Piece, right: Token) -> Piece:
        """Format `[item]`."""
        return Parentheses(self.sheet.word(left), item, self.sheet.word(right))

    def shape_type(self, left: Token, members: Listed, _comma: Token | None, right: Token) -> Piece:
        """Format `{name: T}`."""
        return self.sheet.brackets(left, members, right)

    def negative_type(self, minus: Token, token: Token) -> Piece:
        """Format the literal type of a negative number."""
        return row(self.sheet.word(minus), self.sheet.word(token))

    def union_type(self, *parts: Parts) -> Piece:
        """Format `A | B`."""
        word = self.sheet.word
        return Operators(parts[::2], [Operator(token.kind, word(token)) for token in parts[1::2]])

    def fn_type(self, word: Token, left: Token, params: Listed, right: Token, arrow: Token, result: Piece) -> Piece:
        """Format `fn(params) -> result`."""
        brackets = self.sheet.brackets(left, params, right, hugging=LAST)
        return row(self.sheet.word(word), brackets, f" {arrow.text} ", result)

    def result(self, arrow: Token, kind: Piece) -> tuple[Piece, ...]:
        """Return the parts of `-> T`."""
        return f" {arrow.text} ", kind

    # Type parameters

    def type_params(self, left: Token, *rest: Parts) -> Piece:
        """Format `<params>`."""
        listed = [part for part in rest[:-1] if part is not None]
        listed = listed if len(listed) % 2 else listed[:-1]
        return self.sheet.brackets(left, listed, rest[-1])

    def type_param(self, name: Piece) -> Piece:
        """Return a type parameter without a variance mark."""
        return name

    def variant_type_param(self, mark: Token, name: Piece) -> Piece:
        """Format `in T` or `out T`."""
        return row(self.sheet.before(mark), name)

    def where(self, word: Token, *bounds: Parts) -> Parts:
        """Return the parts of `where T: I, U: J`."""
        parts = [", " if at % 2 else bound for at, bound in enumerate(bounds)]
        return self.sheet.spaced(word), *parts

    def where_bound(self, param: Piece, colon: Token, bound: Piece) -> Piece:
        """Format `T: I`."""
        return row(param, f"{colon.text} ", bound)

    # Parameters

    def param_list(self, left: Token, params: Listed, right: Token) -> Piece:
        """Format `(params)`."""
        return self.sheet.brackets(left, params, right)

    def param(self, name: Piece, colon: Token | None, kind: Piece, assign: Token | None, default: Piece) -> Piece:
        """Format `name: T = default`."""
        if colon is None and assign is None:
            return name
        typed = () if colon is None else (f"{colon.text} ", kind)
        value = () if assign is None else (f" {assign.text} ", default)
        return row(name, *typed, *value)

    def rest_param(self, dots: Token, name: Piece, colon: Token | None, kind: Piece) -> Piece:
        """Format `...name`."""
        return row(self.sheet.word(dots), name, *(() if colon is None else (f"{colon.text} ", kind)))

    # Fields

    def field(self, name: Piece, mark: Token | None, colon: Token, kind: Piece) -> Piece:
        """Format `name?: T`."""
        return row(name, f"{mark.text if mark else ''}{colon.text} ", kind)

    def variant_field(self, name: Piece, colon: Token | None, kind: Piece) -> Piece:
        """Format a field of an enum variant, whose type may be missing."""
        return name if colon is None else row(name, f"{colon.text} ", kind)
