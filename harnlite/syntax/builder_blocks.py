"""Reduce callbacks for expressions that contain blocks: closures, if, match, try and similar ones."""

from __future__ import annotations

from harnlite.syntax.nodes import (
    Block,
    ClosureExpr,
    DeadlineExpr,
    Expr,
    Ident,
    IfExpr,
    MatchArm,
    MatchExpr,
    MatchPattern,
    ParallelExpr,
    Param,
    RetryExpr,
    SpawnExpr,
    Stmt,
    TryExpr,
    TypeExpr,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.builder import Workshop
    from harnlite.syntax.tokens import Token

    Catch = tuple[Ident | None, TypeExpr | None, Block]

PARALLEL_OPTION = "max_concurrent"


class BlockBuilder:
    """Builds blocks and the expressions that contain them."""

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop

    def block(self, left: Token, statements: list[Stmt] | None, _semicolon: Token | None, right: Token) -> Block:
        """Build `{ statements }`."""
        return Block(left.start, right.end, statements or [])

    def closure(
        self,
        left: Token,
        params: list[Param] | None,
        arrow: Token,
        statements: list[Stmt] | None,
        _semicolon: Token | None,
        right: Token,
    ) -> Expr:
        """Build `{ params -> statements }`."""
        for param in params or []:
            name = param.name
            self.shop.check_name("parameter name", name.text, name.start, name.end)
        body = Block(arrow.end, right.end, statements or [])
        return ClosureExpr(left.start, right.end, params or [], None, body)

    def anonymous_fn(self, word: Token, params: tuple[list[Param], int], result: TypeExpr | None, body: Block) -> Expr:
        """Build `fn(params) -> result { … }`."""
        return ClosureExpr(word.start, body.end, params[0], result, body, is_fn=True)

    def if_(self, word: Token, condition: Expr, then: Block, otherwise: Block | IfExpr | None) -> Expr:
        """Build `if condition { … } else …`."""
        return IfExpr(word.start, (otherwise or then).end, condition, then, otherwise)

    def otherwise(self, _word: Token, branch: Block | IfExpr) -> Block | IfExpr:
        """Return the branch after `else`."""
        return branch

    def match(self, word: Token, subject: Expr, _left: Token, arms: list[MatchArm] | None, right: Token) -> Expr:
        """Build `match subject { arms }`."""
        return MatchExpr(word.start, right.end, subject, arms or [])

    def arm(self, pattern: MatchPattern, guard: Expr | None, _arrow: Token, body: Block) -> MatchArm:
        """Build `pattern if guard -> { … }`."""
        return MatchArm(pattern.start, body.end, pattern, guard, body)

    def guard(self, _word: Token, condition: Expr) -> Expr:
        """Return the guard condition of an arm."""
        return condition

    def try_(self, word: Token, body: Block, caught: Catch | None, finally_body: Block | None) -> Expr:
        """Build `try { … } catch … finally { … }`."""
        name, kind, catch_body = caught or (None, None, None)
        end = (finally_body or catch_body or body).end
        return TryExpr(word.start, end, body, name, kind, catch_body, finally_body)

    def catch_all(self, _word: Token, body: Block) -> Catch:
        """Return the parts of `catch { … }`."""
        return None, None, body

    def catch(self, _word: Token, name: Ident, body: Block) -> Catch:
        """Return the parts of `catch e { … }`."""
        return name, None, body

    def catch_typed(
        self,
        _word: Token,
        _left: Token,
        name: Ident,
        _colon: Token | None,
        kind: TypeExpr | None,
        _right: Token,
        body: Block,
    ) -> Catch:
        """Return the parts of `catch (e: T) { … }`."""
        return name, kind, body

    def finally_(self, _word: Token, body: Block) -> Block:
        """Return the block after `finally`."""
        return body

    def retry(self, word: Token, count: Expr, body: Block) -> Expr:
        """Build `retry count { … }`."""
        return RetryExpr(word.start, body.end, count, body)

    def deadline(self, word: Token, duration: Expr, body: Block) -> Expr:
        """Build `deadline duration { … }`."""
        return DeadlineExpr(word.start, body.end, duration, body)

    def spawn(self, word: Token, body: Block) -> Expr:
        """Build `spawn { … }`."""
        return SpawnExpr(word.start, body.end, body)

    def parallel(
        self,
        word: Token,
        mode: Token | None,
        source: Expr,
        limit: Expr | None,
        parts: tuple[Param | None, Block],
        stream: Token | None,
    ) -> Expr:
        """Build `parallel each source with {…} { param -> … } as stream`."""
        param, body = parts
        if stream is not None and (mode is None or mode.kind != "EACH"):
            what = "`as stream` is only valid after `parallel each ... { ... }`"
            self.shop.expect(what, "as", stream.start, stream.end)
        end = stream.end if stream is not None else body.end
        return ParallelExpr(
            word.start, end, mode.text if mode else "count", source, limit, param, body, stream is not None
        )

    def options(self, _word: Token, _left: Token, *rest: tuple[Ident, Expr] | Token) -> Expr | None:
        """Return the value of `max_concurrent`, the only option."""
        limit = None
        for option in rest[:-1:2]:
            if not isinstance(option, tuple):
                continue
            name, value = option
            if name.text != PARALLEL_OPTION:
                what = (
                    f"known option (only `{PARALLEL_OPTION}` is supported in `parallel ... with {{ ... }}`; "
                    f"got `{name.text}`)"
                )
                self.shop.expect(what, name.text, name.start, name.end)
            else:
                limit = value
        return limit

    def option(self, name: Ident, _colon: Token, value: Expr) -> tuple[Ident, Expr]:
        """Return an option of `parallel`."""
        return name, value

    def parallel_body(
        self,
        left: Token,
        param: Param | None,
        statements: list[Stmt] | None,
        _semicolon: Token | None,
        right: Token,
    ) -> tuple[Param | None, Block]:
        """Return the parameter and the block of `{ param -> … }`."""
        return param, Block(param.end if param else left.start, right.end, statements or [])

    def parallel_param(self, name: Token, _colon: Token | None, kind: TypeExpr | None, _arrow: Token) -> Param:
        """Build the parameter of a parallel body."""
        self.shop.check_name("parameter name", name.text, name.start, name.end)
        end = kind.end if kind else name.end
        return Param(name.start, end, Ident(name.start, name.end, name.text), kind)
