"""Parse the expressions of a template."""

from __future__ import annotations

from harnlite.template_language.errors import TemplateError
from harnlite.template_language.filters import ARGUMENTS
from harnlite.template_language.nodes import Comparison, Filtered, Literal, Logic, Not, Path
from harnlite.template_language.tokens import FLOAT, IDENT, INT, LEFT_BRACE, RIGHT_BRACE, STR, tokens_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.template_language.errors import Place
    from harnlite.template_language.nodes import Expression
    from harnlite.template_language.tokens import Token

_CONSTANTS = {"True": True, "False": False, "Nil": None}
_COMPARISONS = frozenset({"EqEq", "BangEq", "Lt", "Le", "Gt", "Ge"})
_DEEPEST = 50
"""How many parentheses may be nested, so that neither the parser nor the rendering needs a deep stack."""
_MOST_FILTERS = 99
"""How many filters may follow one another, for the same reason."""
_WITH = "with"


class ExpressionParser:
    """Reads the tokens of one directive."""

    __slots__ = ("_at", "_depth", "_in_bindings", "_place", "_tokens")

    def __init__(self, text: str, offset: int, place: Place) -> None:
        self._tokens = tokens_of(text, offset, place)
        self._place = place
        self._at = self._depth = 0
        self._in_bindings = False

    def whole(self) -> Expression:
        """Return the expression that all tokens make up."""
        found = self._filtered()
        self._expect_end()
        return found

    def bare_name(self) -> Path | None:
        """Return the path of an expression that is a lone name, or None."""
        if len(self._tokens) != 1 or self._tokens[0].kind != IDENT:
            return None
        token = self._tokens[0]
        return Path(str(token.value), (), (_span(token),))

    def include(self) -> tuple[Expression, tuple[tuple[str, Expression], ...]]:
        """Return the target of an include and its bindings."""
        target = self._filtered()
        token = self._peek()
        if token is None or token.kind != IDENT or token.value != _WITH:
            self._expect_end()
            return target, ()
        self._at += 1
        if self._kind() != LEFT_BRACE or self._tokens[-1].kind != RIGHT_BRACE:
            raise self._error("expected `{ ... }` after `with`")
        self._at += 1
        self._in_bindings = True
        bindings: list[tuple[str, Expression]] = []
        while self._kind() != RIGHT_BRACE:
            bindings.append(self._binding())
            if self._kind() == "Comma":
                self._at += 1
            elif self._kind() != RIGHT_BRACE:
                self._expect_end()
        self._at += 1
        if self._peek() is not None:
            raise self._error("expected `{ ... }` after `with`")
        return target, tuple(bindings)

    def _binding(self) -> tuple[str, Expression]:
        if self._kind(1) != "Colon":
            raise self._error("expected `key: value` in include bindings")
        token = self._tokens[self._at]
        if token.kind != IDENT:
            raise self._error("invalid include binding key")
        self._at += 2
        return str(token.value), self._filtered()

    def _filtered(self) -> Expression:
        value = self._either()
        count = 0
        while self._kind() == "Pipe":
            self._at += 1
            count += 1
            if count > _MOST_FILTERS:
                raise self._error("expression is nested too deeply")
            if self._kind() != IDENT:
                raise self._error("expected filter name after `|`")
            name = str(self._tokens[self._at].value)
            self._at += 1
            arguments = self._arguments()
            if name not in ARGUMENTS:
                raise self._error(f"unknown filter `{name}`")
            least, most = ARGUMENTS[name]
            if not least <= len(arguments) <= most:
                raise self._error(f"filter `{name}` got wrong number of arguments")
            value = Filtered(value, name, arguments, self._place)
        return value

    def _arguments(self) -> tuple[Expression, ...]:
        if self._kind() != "Colon":
            return ()
        found: list[Expression] = []
        while not found or self._continues():
            self._at += 1
            found.append(self._either())
        return tuple(found)

    def _continues(self) -> bool:
        """Return whether a comma follows that separates arguments of a filter, not bindings of an include."""
        if self._kind() != "Comma":
            return False
        return not self._in_bindings or (self._kind(2) != "Colon" and self._kind(1) != RIGHT_BRACE)

    def _either(self) -> Expression:
        operands = [self._both()]
        while self._kind() == "OrKw":
            self._at += 1
            operands.append(self._both())
        return operands[0] if len(operands) == 1 else Logic(tuple(operands), is_or=True)

    def _both(self) -> Expression:
        operands = [self._negated()]
        while self._kind() == "AndKw":
            self._at += 1
            operands.append(self._negated())
        return operands[0] if len(operands) == 1 else Logic(tuple(operands), is_or=False)

    def _negated(self) -> Expression:
        count = 0
        while self._kind() in ("NotKw", "Bang"):
            self._at += 1
            count += 1
        value = self._compared()
        if not count:
            return value
        return Not(value) if count % 2 else Not(Not(value))

    def _compared(self) -> Expression:
        left = self._primary()
        operator = self._kind()
        if operator not in _COMPARISONS:
            return left
        self._at += 1
        return Comparison(operator, left, self._primary())

    def _primary(self) -> Expression:
        token = self._peek()
        if token is None:
            raise self._error("expected expression")
        self._at += 1
        if token.kind in (INT, FLOAT, STR):
            return Literal(token.value)
        if token.kind in _CONSTANTS:
            return Literal(_CONSTANTS[token.kind])
        if token.kind == IDENT:
            return self._path(token)
        if token.kind == "LParen":
            return self._parenthesized()
        raise self._unexpected(token, "")

    def _parenthesized(self) -> Expression:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error("expression is nested too deeply")
        value = self._either()
        if self._kind() != "RParen":
            raise self._error("expected `)`")
        self._at += 1
        self._depth -= 1
        return value

    def _path(self, name: Token) -> Path:
        steps: list[str | int] = []
        spans = [_span(name)]
        while True:
            kind = self._kind()
            if kind not in ("Dot", "LBracket"):
                return Path(str(name.value), tuple(steps), tuple(spans))
            step = self._step(is_dot=kind == "Dot")
            steps.append(step.value if isinstance(step.value, int) else str(step.value))
            spans.append(_span(step))

    def _step(self, *, is_dot: bool) -> Token:
        """Return the token of a key or an index, after the dot or inside the brackets."""
        kind = self._kind(1)
        if is_dot:
            if kind != IDENT:
                raise self._error("expected identifier after `.`")
            self._at += 2
            return self._tokens[self._at - 1]
        if kind not in (INT, STR):
            raise self._error("expected integer or string inside `[...]`")
        if self._kind(2) != "RBracket":
            raise self._error("expected `]`")
        self._at += 3
        return self._tokens[self._at - 2]

    def _peek(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _kind(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._tokens[at].kind if at < len(self._tokens) else ""

    def _expect_end(self) -> None:
        token = self._peek()
        if token is not None:
            raise self._unexpected(token, " in expression")

    def _unexpected(self, token: Token, where: str) -> TemplateError:
        if token.kind in (LEFT_BRACE, RIGHT_BRACE):
            return self._error(f"unexpected character `{token.kind}` in expression")
        return self._error(f"unexpected token `{token.shown()}`{where}")

    def _error(self, message: str) -> TemplateError:
        return TemplateError(self._place, message)


def _span(token: Token) -> tuple[int, int]:
    """Return the offsets of a token, without its quotes."""
    quote = token.kind == STR
    return token.start + quote, token.end - quote
