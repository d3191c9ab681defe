"""Reduce callbacks for files, statements and destructuring patterns."""

from __future__ import annotations

from harnlite.syntax.nodes import (
    AssignStmt,
    Block,
    BreakStmt,
    ClosureExpr,
    ContinueStmt,
    DeferStmt,
    DictPattern,
    DictPatternEntry,
    EmitStmt,
    Expr,
    ExprStmt,
    ForStmt,
    GuardStmt,
    Ident,
    IndexExpr,
    LetStmt,
    ListPattern,
    ListPatternItem,
    Module,
    MutexStmt,
    NameExpr,
    NamePattern,
    PairPattern,
    Pattern,
    PropertyExpr,
    RequireStmt,
    ReturnStmt,
    SelectCase,
    SelectStmt,
    Stmt,
    ThrowStmt,
    TypeExpr,
    WhileStmt,
    YieldStmt,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.builder import Workshop
    from harnlite.syntax.tokens import Token

_TARGETS = (NameExpr, PropertyExpr, IndexExpr)


class _Other:
    """A part of a select other than a case: its timeout (with a duration) or its default."""

    __slots__ = ("body", "duration", "token")

    def __init__(self, token: Token, duration: Expr | None, body: Block) -> None:
        self.token = token
        self.duration = duration
        self.body = body


class StatementBuilder:
    """Builds a module and the statements in it."""

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop

    def module(self, items: list[Stmt] | None, _semicolon: Token | None) -> Module:
        """Build the module of a file."""
        return Module(0, len(self.shop.text), items or [])

    def block_body(self, statements: list[Stmt] | None, _semicolon: Token | None) -> list[Stmt]:
        """Return the statements of a block whose header could not be parsed."""
        return statements or []

    def expr_stmt(self, value: Expr) -> Stmt:
        """Build an expression statement; report one that starts with `fn`, which is probably meant as a declaration."""
        text = self.shop.text
        if text.startswith("fn", value.start) and not text[value.start + 2 : value.start + 3].isidentifier():
            self._check_fn(value)
        return ExprStmt(value.start, value.end, value)

    def _check_fn(self, value: Expr) -> None:
        node = value
        while not isinstance(node, ClosureExpr):
            below = next((child for child in node.children() if child.start == value.start), None)
            if not isinstance(below, Expr):
                return
            node = below
        if node.is_fn:
            start = self.shop.text.index("(", value.start)
            note = "give the function a name, or put it in parentheses to use it as a value"
            self.shop.expect("function name", "(", start, start + 1, notes=[note])

    def assign_stmt(self, target: Expr, operator: Token, value: Expr) -> Stmt:
        """Build an assignment."""
        if not isinstance(target, _TARGETS) or getattr(target, "optional", False):
            note = "only a name, a property or a subscript can be assigned to"
            self.shop.expect(
                "assignment target", self.shop.excerpt(target.start, target.end), target.start, target.end, notes=[note]
            )
        return AssignStmt(target.start, value.end, target, operator.text, value)

    def let_stmt(self, word: Token, pattern: Pattern, _assign: Token, value: Expr) -> Stmt:
        """Build `let pattern = value`."""
        return LetStmt(word.start, value.end, word.text, pattern, None, value)

    def let_typed(
        self, word: Token, pattern: Pattern, _colon: Token, kind: TypeExpr, _assign: Token, value: Expr
    ) -> Stmt:
        """Build `let name: T = value`."""
        return LetStmt(word.start, value.end, word.text, pattern, kind, value)

    def while_stmt(self, word: Token, condition: Expr, body: Block) -> Stmt:
        """Build `while condition { … }`."""
        return WhileStmt(word.start, body.end, condition, body)

    def for_stmt(self, word: Token, pattern: Pattern, _in: Token, iterable: Expr, body: Block) -> Stmt:
        """Build `for pattern in iterable { … }`."""
        return ForStmt(word.start, body.end, pattern, iterable, body)

    def break_stmt(self, word: Token) -> Stmt:
        """Build `break`."""
        return BreakStmt(word.start, word.end)

    def continue_stmt(self, word: Token) -> Stmt:
        """Build `continue`."""
        return ContinueStmt(word.start, word.end)

    def return_stmt(self, word: Token, value: Expr | None) -> Stmt:
        """Build `return value`."""
        return ReturnStmt(word.start, value.end if value else word.end, value)

    def yield_stmt(self, word: Token, value: Expr | None) -> Stmt:
        """Build `yield value`."""
        return YieldStmt(word.start, value.end if value else word.end, value)

    def emit_stmt(self, word: Token, value: Expr) -> Stmt:
        """Build `emit value`."""
        return EmitStmt(word.start, value.end, value)

    def throw_stmt(self, word: Token, value: Expr) -> Stmt:
        """Build `throw value`."""
        return ThrowStmt(word.start, value.end, value)

    def guard_stmt(self, word: Token, condition: Expr, _else: Token, body: Block) -> Stmt:
        """Build `guard condition else { … }`."""
        return GuardStmt(word.start, body.end, condition, body)

    def require_stmt(self, word: Token, condition: Expr, _comma: Token | None, message: Expr | None) -> Stmt:
        """Build `require condition, message`."""
        return RequireStmt(word.start, (message or condition).end, condition, message)

    def defer_stmt(self, word: Token, body: Block) -> Stmt:
        """Build `defer { … }`."""
        return DeferStmt(word.start, body.end, body)

    def mutex_stmt(self, word: Token, body: Block) -> Stmt:
        """Build `mutex { … }`."""
        return MutexStmt(word.start, body.end, body)

    # Select

    def select_stmt(self, word: Token, _left: Token, parts: list[SelectCase | _Other] | None, right: Token) -> Stmt:
        """Build a select, which needs a case and can have either a timeout or a default."""
        node = SelectStmt(word.start, right.end, [], None, None, None)
        seen: _Other | None = None
        for part in parts or []:
            if isinstance(part, SelectCase):
                node.cases.append(part)
                continue
            if seen is not None:
                token = part.token
                what = "select cannot have both timeout and default"
                if seen.token.kind == token.kind:
                    what = f"only one {token.text} in a select"
                self.shop.expect(what, token.text, token.start, token.end)
            seen = part
            if part.duration is None:
                node.default_body = part.body
            else:
                node.timeout, node.timeout_body = part.duration, part.body
        if not node.cases:
            self.shop.expect("at least one select case", right.text, right.start, right.end)
        return node

    def select_from(self, name: Ident, _from: Token, channel: Expr, body: Block) -> SelectCase:
        """Build `name from channel { … }`."""
        return SelectCase(name.start, body.end, name, channel, body)

    def select_timeout(self, word: Token, duration: Expr, body: Block) -> _Other:
        """Return the timeout of a select."""
        return _Other(word, duration, body)

    def select_default(self, word: Token, body: Block) -> _Other:
        """Return the default of a select."""
        return _Other(word, None, body)

    # Bindings

    def name_binding(self, name: Token) -> Pattern:
        """Build a binding of a single name."""
        return NamePattern(name.start, name.end, name.text)

    def dict_binding(
        self, left: Token, parts: tuple[list[DictPatternEntry], Ident | None] | None, right: Token
    ) -> Pattern:
        """Build `{entries, ...rest}`."""
        entries, rest = parts or ([], None)
        return DictPattern(left.start, right.end, entries, rest)

    def dict_binding_entries(
        self, *parts: DictPatternEntry | Ident | Token | None
    ) -> tuple[list[DictPatternEntry], Ident | None]:
        """Return the entries, and the name that binds the rest."""
        rest = next((part for part in parts if isinstance(part, Ident)), None)
        return [part for part in parts if isinstance(part, DictPatternEntry)], rest

    def dict_binding_entry(
        self, key: Ident, _colon: Token | None, name: Ident | None, _assign: Token | None, default: Expr | None
    ) -> DictPatternEntry:
        """Build `key: name = default`."""
        return DictPatternEntry(key.start, (default or name or key).end, key, name or key, default)

    def list_binding(
        self, left: Token, parts: tuple[list[ListPatternItem], Ident | None] | None, right: Token
    ) -> Pattern:
        """Build `[items, ...rest]`."""
        items, rest = parts or ([], None)
        return ListPattern(left.start, right.end, items, rest)

    def list_binding_items(
        self, *parts: ListPatternItem | Ident | Token | None
    ) -> tuple[list[ListPatternItem], Ident | None]:
        """Return the items, and the name that binds the rest."""
        rest = next((part for part in parts if isinstance(part, Ident)), None)
        return [part for part in parts if isinstance(part, ListPatternItem)], rest

    def list_binding_item(self, name: Ident, _assign: Token | None, default: Expr | None) -> ListPatternItem:
        """Build `name = default`."""
        return ListPatternItem(name.start, (default or name).end, name, default)

    def binding_rest(self, _dots: Token, name: Ident) -> Ident:
        """Return the name of `...rest`."""
        return name

    def pair_binding(self, left: Token, first: Ident, _comma: Token, second: Ident, right: Token) -> Pattern:
        """Build `(first, second)`."""
        return PairPattern(left.start, right.end, first, second)
