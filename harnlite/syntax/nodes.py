"""The tree a program is: one class per construct, each with the offsets of its text.

A node's fields are its annotations, in order; `start` and `end` come first. Nodes are built in the parser's reduce
callbacks, so making one must be cheap: the metaclass writes a plain `__init__` over `__slots__`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass_transform(eq_default=False)
class NodeMeta(type):
    """Turns the annotations of a node class into slots and an `__init__`."""

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> NodeMeta:
        own = [field for field, kind in space.get("__annotations__", {}).items() if not kind.startswith("ClassVar")]
        inherited: tuple[str, ...] = next((base.fields for base in bases if isinstance(base, NodeMeta)), ())
        fields = (*inherited, *own)
        defaults = {field: space.pop(field) for field in own if field in space}
        arguments = ", ".join(f"{field}=_{field}" if field in defaults else field for field in fields)
        lines = "".join(f"\n    self.{field} = {field}" for field in fields)
        scope = {f"_{field}": value for field, value in defaults.items()}
        exec(f"def __init__(self, {arguments}):{lines}", scope)  # noqa: S102 - field names of this file, nothing else
        space.update(__slots__=tuple(own), __init__=scope["__init__"], fields=fields)
        return super().__new__(mcs, name, bases, space)

    fields: tuple[str, ...]


class Node(metaclass=NodeMeta):
    """A piece of the program between two offsets of its source."""

    fields: ClassVar[tuple[str, ...]]
    start: int
    end: int

    def children(self) -> Iterator[Node]:
        """Yield the nodes directly below, in the order of the fields."""
        for field in type(self).fields:
            value = getattr(self, field)
            if isinstance(value, Node):
                yield value
            elif isinstance(value, (list, tuple)):
                for item in value:
                    if isinstance(item, Node):
                        yield item

    def __repr__(self) -> str:
        values = ", ".join(f"{field}={getattr(self, field)!r}" for field in type(self).fields[2:])
        return f"{type(self).__name__}({values})"


class Stmt(Node):
    """A statement or declaration."""


class Expr(Node):
    """Something with a value."""


class TypeExpr(Node):
    """A type as written."""


class Pattern(Node):
    """What a binding takes apart."""


class MatchPattern(Node):
    """What an arm of a match looks for."""


class Ident(Node):
    """A name where it is declared, bound, or looked up after a dot."""

    text: str


class Block(Node):
    """Statements between braces."""

    statements: list[Stmt]


class Module(Node):
    """A whole file."""

    statements: list[Stmt]


# Pieces shared by declarations


class AttributeArg(Node):
    """One argument of an attribute; the value is a Python value (lists for lists, a string for a bare name)."""

    key: str | None
    value: object


class Attribute(Node):
    """`@name(args)` before a declaration."""

    name: Ident
    args: list[AttributeArg]


class TypeParam(Node):
    """`T`, `in T` or `out T`."""

    name: Ident
    variance: str | None = None


class WhereBound(Node):
    """`T: I` after `where`."""

    param: Ident
    bound: TypeExpr


class Param(Node):
    """A parameter of anything callable."""

    name: Ident
    type: TypeExpr | None = None
    default: Expr | None = None
    rest: bool = False


class Field(Node):
    """`name: T` or `name?: T` in a struct, an enum variant or a shape; in a variant the type may be missing."""

    name: Ident
    type: TypeExpr | None
    optional: bool = False


# Types


class NamedType(TypeExpr):
    """`int`, `Point`, `dict<string, int>`; `[int]` is `list<int>`; `nil`, `any`, `unknown`, `never` are names too."""

    name: str
    args: list[TypeExpr]


class LiteralType(TypeExpr):
    """`"a"`, `-1`, `true`; the kind is string, int, float or bool."""

    value: object
    kind: str


class ShapeType(TypeExpr):
    """`{name: string, age?: int}`."""

    members: list[Field]


class UnionType(TypeExpr):
    """`A | B`."""

    members: list[TypeExpr]


class FnType(TypeExpr):
    """`fn(int) -> bool`; the result may be missing."""

    params: list[TypeExpr]
    result: TypeExpr | None


# Binding patterns


class NamePattern(Pattern):
    """A plain name; `_` drops the value."""

    name: str


class DictPatternEntry(Node):
    """`key`, `key: name`, `key = default`; without `: name` both Idents have the same text."""

    key: Ident
    name: Ident
    default: Expr | None = None


class DictPattern(Pattern):
    """`{id, tag: label, size = 3, ...rest}`."""

    entries: list[DictPatternEntry]
    rest: Ident | None = None


class ListPatternItem(Node):
    """`name` or `name = default`."""

    name: Ident
    default: Expr | None = None


class ListPattern(Pattern):
    """`[head, second = 0, ...tail]`."""

    items: list[ListPatternItem]
    rest: Ident | None = None


class PairPattern(Pattern):
    """`(k, v)`, in `for` only."""

    first: Ident
    second: Ident


# Declarations


class Decl(Stmt):
    """A statement that declares a name for its whole block."""


class FnDecl(Decl):
    """`fn`, `gen fn`, a method, or `extern fn` (no body) in the declarations of the builtins.

    An extern name may be dotted (`stream.map`). Block and return type are missing where they were not written.
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


class OverrideDecl(Decl):
    """`override step() { … }`: accepted, runs nothing."""

    name: Ident
    params: list[Param]
    body: Block


class ImportDecl(Stmt):
    """`import "x"` (no names) or `import { a, b } from "x"`."""

    path: str
    path_start: int
    names: list[Ident] | None
    is_pub: bool = False


class StructDecl(Decl):
    """`struct P { x: int, y?: int }`."""

    name: Ident
    type_params: list[TypeParam]
    members: list[Field]
    is_pub: bool = False
    attributes: Sequence[Attribute] = ()
    doc: str | None = None


class Variant(Node):
    """`Circle(r: float)` or `Dot` (no fields)."""

    name: Ident
    members: list[Field]


class EnumDecl(Decl):
    """`enum Shape { Circle(r: float), Dot }`."""

    name: Ident
    type_params: list[TypeParam]
    variants: list[Variant]
    is_pub: bool = False
    attributes: Sequence[Attribute] = ()
    doc: str | None = None


class AssociatedType(Node):
    """`type Item = int` in an interface."""

    name: Ident
    type: TypeExpr | None


class InterfaceDecl(Decl):
    """`interface Sized { type Item = int fn size(self) -> int }`; its methods are FnDecls without a body."""

    name: Ident
    type_params: list[TypeParam]
    associated: list[AssociatedType]
    methods: list[FnDecl]
    is_pub: bool = False
    attributes: Sequence[Attribute] = ()
    doc: str | None = None


class ImplDecl(Decl):
    """`impl P { fn … }`."""

    name: Ident
    methods: list[FnDecl]
    attributes: Sequence[Attribute] = ()


class TypeDecl(Decl):
    """`type Id = string | int`."""

    name: Ident
    type_params: list[TypeParam]
    type: TypeExpr
    is_pub: bool = False
    attributes: Sequence[Attribute] = ()
    doc: str | None = None


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


class SkillField(Node):
    """`when_to_use "…"` in a skill."""

    name: Ident
    value: Expr


class SkillDecl(Decl):
    """`skill deploy { description "Ship" … }`."""

    name: Ident
    members: list[SkillField]
    is_pub: bool = False
    attributes: Sequence[Attribute] = ()
    doc: str | None = None


# Statements


class LetStmt(Stmt):
    """`let`, `var` or `const` (the kind); an annotation only after a plain name."""

    kind: str
    pattern: Pattern
    type: TypeExpr | None
    value: Expr


class AssignStmt(Stmt):
    """`target = value`, `target += value`; the target is a NameExpr, PropertyExpr or IndexExpr."""

    target: Expr
    op: str
    value: Expr


class ExprStmt(Stmt):
    """An expression that stands as a statement."""

    value: Expr


class WhileStmt(Stmt):
    """`while c { … }`."""

    condition: Expr
    body: Block


class ForStmt(Stmt):
    """`for pattern in iterable { … }`."""

    pattern: Pattern
    iterable: Expr
    body: Block


class BreakStmt(Stmt):
    """`break`."""


class ContinueStmt(Stmt):
    """`continue`."""


class ReturnStmt(Stmt):
    """`return` with or without a value."""

    value: Expr | None


class ThrowStmt(Stmt):
    """`throw v`."""

    value: Expr


class YieldStmt(Stmt):
    """`yield v` in a generator."""

    value: Expr | None


class EmitStmt(Stmt):
    """`emit v` in a `gen fn`."""

    value: Expr


class GuardStmt(Stmt):
    """`guard c else { … }`."""

    condition: Expr
    body: Block


class RequireStmt(Stmt):
    """`require c, message`."""

    condition: Expr
    message: Expr | None


class DeferStmt(Stmt):
    """`defer { … }`."""

    body: Block


class MutexStmt(Stmt):
    """`mutex { … }`."""

    body: Block


class SelectCase(Node):
    """`v from ch { … }`."""

    name: Ident
    channel: Expr
    body: Block


class SelectStmt(Stmt):
    """`select { … timeout d { … } }` or `default { … }`."""

    cases: list[SelectCase]
    timeout: Expr | None
    timeout_body: Block | None
    default_body: Block | None


# Expressions


class LiteralExpr(Expr):
    """nil, bool, int, float, string or duration (the kind; a duration's value is its milliseconds)."""

    value: object
    kind: str


class TemplateExpr(Expr):
    """A string with interpolations: LiteralExpr strings and other expressions in turn."""

    parts: list[Expr]


class NameExpr(Expr):
    """A name that is read; `_` inside a pipe stands for the piped value."""

    name: str


class SpreadExpr(Expr):
    """`...xs` in a list, a dict or a call."""

    value: Expr


class ListExpr(Expr):
    """`[1, ...xs]`."""

    items: list[Expr]


class DictEntry(Node):
    """`key: value`; a plain key is a string LiteralExpr, a computed one (`[k]: v`) any expression."""

    key: Expr
    value: Expr
    computed: bool = False


class DictExpr(Expr):
    """`{name: 1, [k]: 2, ...base}`: DictEntry and SpreadExpr."""

    entries: list[Node]


class StructExpr(Expr):
    """`Point {x: 1}`."""

    name: Ident
    entries: list[Node]


class UnaryExpr(Expr):
    """`!x` or `-x`."""

    op: str
    operand: Expr


class BinaryExpr(Expr):
    """`|| && == != < > <= >= in "not in" + - ?? * / % **`."""

    op: str
    left: Expr
    right: Expr
    op_start: int


class RangeExpr(Expr):
    """`low to high`, maybe `exclusive`."""

    low: Expr
    high: Expr
    exclusive: bool


class TernaryExpr(Expr):
    """`c ? a : b`."""

    condition: Expr
    then: Expr
    otherwise: Expr


class PipeExpr(Expr):
    """`left |> right`."""

    left: Expr
    right: Expr


class TryStarExpr(Expr):
    """`try* e`."""

    value: Expr


class PropagateExpr(Expr):
    """`e?`."""

    value: Expr


class CallExpr(Expr):
    """`f(args)`, `f<T>(args)`."""

    callee: Expr
    type_args: list[TypeExpr]
    args: list[Expr]


class MethodCallExpr(Expr):
    """`x.m(args)`, `x?.m(args)`."""

    receiver: Expr
    name: Ident
    type_args: list[TypeExpr]
    args: list[Expr]
    optional: bool = False


class PropertyExpr(Expr):
    """`x.name`, `x?.name`."""

    receiver: Expr
    name: Ident
    optional: bool = False


class IndexExpr(Expr):
    """`x[i]`, `x?[i]`."""

    receiver: Expr
    index: Expr
    optional: bool = False


class SliceExpr(Expr):
    """`x[a:b]`; either end may be missing."""

    receiver: Expr
    low: Expr | None
    high: Expr | None
    optional: bool = False


class ClosureExpr(Expr):
    """`{ x -> … }`, or `fn(x) -> T { … }` when it was written with `fn`."""

    params: list[Param]
    return_type: TypeExpr | None
    body: Block
    is_fn: bool = False


class IfExpr(Expr):
    """`if c { … } else …`; the other branch is a Block or another IfExpr."""

    condition: Expr
    then: Block
    otherwise: Block | IfExpr | None


class MatchArm(Node):
    """`pattern if guard -> { … }`."""

    pattern: MatchPattern
    guard: Expr | None
    body: Block


class MatchExpr(Expr):
    """`match v { … }`."""

    subject: Expr
    arms: list[MatchArm]


class TryExpr(Expr):
    """`try { … } catch (e: T) { … } finally { … }`; with neither part it makes a Result."""

    body: Block
    catch_name: Ident | None
    catch_type: TypeExpr | None
    catch_body: Block | None
    finally_body: Block | None


class RetryExpr(Expr):
    """`retry n { … }`."""

    count: Expr
    body: Block


class DeadlineExpr(Expr):
    """`deadline d { … }`."""

    duration: Expr
    body: Block


class SpawnExpr(Expr):
    """`spawn { … }`."""

    body: Block


class ParallelExpr(Expr):
    """`parallel n { i -> … }`; the mode is count, each or settle."""

    mode: str
    source: Expr
    max_concurrent: Expr | None
    param: Param | None
    body: Block
    as_stream: bool = False


# Match patterns


class WildcardPattern(MatchPattern):
    """`_`."""


class BindPattern(MatchPattern):
    """A name: binds the value."""

    name: str


class ValuePattern(MatchPattern):
    """A literal or other expression: fits what is `==` to it."""

    value: Expr


class OrPattern(MatchPattern):
    """`1 | 2 | _`."""

    alternatives: list[MatchPattern]


class DictMatchEntry(Node):
    """`kind: "a"` or `val: x` or just `x`; the pattern is a BindPattern, WildcardPattern or ValuePattern."""

    key: Ident
    pattern: MatchPattern


class DictMatchPattern(MatchPattern):
    """`{kind: "a", val: x}`."""

    entries: list[DictMatchEntry]


class ListMatchPattern(MatchPattern):
    """`[1, y, _]`."""

    items: list[MatchPattern]


class VariantPattern(MatchPattern):
    """`Shape.Circle(r)` or `Shape.Dot` (args None): always an upper-case name, a dot and a name."""

    enum: Ident
    variant: Ident
    args: list[MatchPattern] | None
