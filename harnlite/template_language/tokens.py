"""Split an expression into tokens."""

from __future__ import annotations

from harnlite.template_language.errors import TemplateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.template_language.errors import Place
    from harnlite.template_language.nodes import Scalar

IDENT, STR, INT, FLOAT = "Ident", "Str", "Int", "Float"
LEFT_BRACE, RIGHT_BRACE = "{", "}"
"""The kinds of the tokens that only the bindings of an include may contain."""
_SIGNS = {
    "||": "OrKw",
    "&&": "AndKw",
    "==": "EqEq",
    "!=": "BangEq",
    "<=": "Le",
    ">=": "Ge",
    "<": "Lt",
    ">": "Gt",
    "!": "Bang",
    "|": "Pipe",
    "(": "LParen",
    ")": "RParen",
    "[": "LBracket",
    "]": "RBracket",
    ".": "Dot",
    ",": "Comma",
    ":": "Colon",
    LEFT_BRACE: LEFT_BRACE,
    RIGHT_BRACE: RIGHT_BRACE,
}
_WORDS = {"and": "AndKw", "or": "OrKw", "not": "NotKw", "true": "True", "false": "False", "nil": "Nil"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}
_SHOWN = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_DIGITS = frozenset("0123456789")
_MIN_INT, _MAX_INT = -(2**63), 2**63 - 1
_LONGEST_INT = 20


class Token:
    """A token: its kind, its value if it has one, and its offsets in the text of the template."""

    __slots__ = ("end", "kind", "start", "value")

    def __init__(self, kind: str, value: Scalar, start: int, end: int) -> None:
        self.kind = kind
        self.value = value
        self.start = start
        self.end = end

    def shown(self) -> str:
        """Return the token as error texts show it."""
        if self.kind == STR:
            return f'Str("{"".join(_SHOWN.get(char, char) for char in str(self.value))}")'
        if self.kind == IDENT:
            return f'Ident("{self.value}")'
        return f"{self.kind}({self.value})" if self.kind in (INT, FLOAT) else self.kind


def is_name(text: str) -> bool:
    """Return whether a text is a name that a template can bind."""
    return bool(text) and _begins_name(text[0]) and all(map(_continues_name, text))


def _begins_name(char: str) -> bool:
    return char == "_" or char.isalpha()


def _continues_name(char: str) -> bool:
    return char == "_" or char.isalnum()


def tokens_of(text: str, offset: int, place: Place) -> list[Token]:
    """Return the tokens of an expression, which begins at an offset of a template, in the directive at a place."""
    found: list[Token] = []
    at, size = 0, len(text)
    while at < size:
        char = text[at]
        if char.isspace():
            at += 1
            continue
        start = at
        kind = _SIGNS.get(text[at : at + 2]) or _SIGNS.get(char)
        value: Scalar = None
        if kind is not None:
            at += 2 if text[at : at + 2] in _SIGNS else 1
        elif _begins_name(char):
            while at < size and _continues_name(text[at]):
                at += 1
            value = text[start:at]
            kind = _WORDS.get(value, IDENT)
        elif char in _DIGITS or (char == "-" and text[at + 1 : at + 2] in _DIGITS):
            at += 1
            while at < size and (text[at] in _DIGITS or text[at] == "."):
                at += 1
            kind, value = _number(text[start:at], place)
        elif char in "\"'":
            kind = STR
            value, at = _string(text, at, place)
        else:
            raise TemplateError(place, _UNEXPECTED.get(char, f"unexpected character `{char}` in expression"))
        found.append(Token(kind, value, offset + start, offset + at))
    return found


_UNEXPECTED = {"&": "unexpected `&`", "=": "unexpected `=` (use `==`)"}


def _number(text: str, place: Place) -> tuple[str, int | float]:
    if "." in text:
        try:
            return FLOAT, float(text)
        except ValueError:
            raise TemplateError(place, f"invalid number `{text}`") from None
    digits = text.lstrip("-").lstrip("0") or "0"
    value = int(digits) * (-1 if text[0] == "-" else 1) if len(digits) <= _LONGEST_INT else _MAX_INT + 1
    if not _MIN_INT <= value <= _MAX_INT:
        raise TemplateError(place, f"invalid integer `{text}`")
    return INT, value


def _string(text: str, start: int, place: Place) -> tuple[str, int]:
    """Return the value of a string and where it ends, after its quote."""
    quote, at = text[start], start + 1
    parts: list[str] = []
    while at < len(text):
        char = text[at]
        if char == quote:
            return "".join(parts), at + 1
        if char == "\\" and at + 1 < len(text):
            parts.append(_ESCAPES.get(text[at + 1], text[at : at + 2]))
            at += 2
        else:
            parts.append(char)
            at += 1
    raise TemplateError(place, "unterminated string literal")
