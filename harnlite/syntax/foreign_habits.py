"""Hints for code that is written as in another language. They are looked up only where the parser stops."""

from __future__ import annotations

from harnlite.diagnostics.diagnostic import Edit, Fix
from harnlite.diagnostics.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.tokens import Token

_LET = "variables are declared with `let`, or with `var` if they change"
_RAISE = "an error is thrown with `throw`"
_FUNCTION = "functions are declared with `fn`"
_PARENTHESES = ("print", "println", "log", "echo", "puts", "eprint", "eprintln")

WRITTEN_HERE: dict[str, tuple[str, str]] = {
    "and": ("write `&&`", "&&"),
    "or": ("write `||`", "||"),
    "elif": ("write `else if`", "else if"),
    "elsif": ("write `else if`", "else if"),
    "elseif": ("write `else if`", "else if"),
    "except": ("write `catch (e) { … }`", ""),
    "rescue": ("write `catch (e) { … }`", ""),
    "then": ("a block is written in braces: `if condition { … }`", ""),
}
"""Words at which the parser stops: the hint, and the text to write instead if that is certain."""
WRITTEN_BEFORE: dict[str, tuple[str, str]] = {
    "not": ("write `!`", ""),
    "def": (_FUNCTION, "fn"),
    "func": (_FUNCTION, "fn"),
    "fun": (_FUNCTION, "fn"),
    "function": (_FUNCTION, "fn"),
    "async": ("functions need no `async`; `spawn { … }` starts a task", ""),
    "lambda": ("a closure is written `{ x -> … }`", ""),
    "mut": ("a variable that changes is declared with `var`", ""),
    "class": ("declare a `struct`, and its methods in an `impl`", ""),
    "new": ("a struct is written `Name {field: value}`; a call needs no `new`", ""),
    "foreach": ("a loop is written `for item in items { … }`", "for"),
    "switch": ("write `match value { pattern -> { … } }`", ""),
    "case": ("an arm of `match` is written `pattern -> { … }`", ""),
    "raise": (_RAISE, "throw"),
    "unless": ("write `if !(condition) { … }`", ""),
    "until": ("write `while !(condition) { … }`", ""),
    "loop": ("write `while true { … }`", "while true"),
    "do": ("a loop is written `while condition { … }`", ""),
    **dict.fromkeys(("val", "int", "str", "string", "float", "double", "bool", "auto", "final"), (_LET, "let")),
}
"""Words after which the parser stops."""
OPERATORS: tuple[tuple[str, str, str], ...] = (
    ("===", "equality is written `==`", "=="),
    ("!==", "inequality is written `!=`", "!="),
    ("<>", "inequality is written `!=`", "!="),
    (":=", "bind a name with `let name = …`, or with `var name = …` if it changes", ""),
    ("?:", "a default for nil is written `??`", "??"),
    ("++", "write `+= 1`", " += 1"),
    ("--", "write `-= 1`", " -= 1"),
    ("..=", "a range is written `1 to 3`; it includes the last number", " to "),
    ("..", "a range is written `0 to 3`, or `0 to 3 exclusive` without the last number", ""),
)
"""Operators of other languages, the hint, and the text to write instead if that is certain."""
_AFTER: dict[tuple[str, str], str] = {
    ("COMMA", "in"): "write `for {key, value} in …` for a dict, or `for (a, b) in …` for pairs",
    ("COLON", "{"): "a block is written in braces: `{ … }`",
    ("FOR", "]"): "write `items.map({ item -> … })`",
    ("STAR", "parameter name"): "the parameter for all further arguments is written `...args`",
    ("LPAR", "variable name"): "a list is taken apart with `let [a, b] = …`, a dict with `let {a, b} = …`",
    ("ID", "import path string"): 'the path is a string: `import "std/math"`',
}
"""Hints by the kind of a token and by what is expected instead."""


def habit(token: Token, before: Token | None, following: Token | None, what: str, text: str) -> tuple[str, Fix | None]:
    """Return the hint for a token at which the parser stops, and a fix; an empty text if there is no hint."""
    if token.text in WRITTEN_HERE:
        hint, written = WRITTEN_HERE[token.text]
        return hint, _fix(token.start, token.end, written)
    found = _operator(token, text)
    if found is not None:
        return found
    if before is not None and before.end <= token.start and "\n" not in text[before.end : token.start]:
        found = _after_word(token, before, following, what, text)
        if found is not None:
            return found
    if token.kind == "FROM" and what == "statement":
        return 'write `import { name } from "std/math"`', None
    return _AFTER.get((token.kind, what), ""), None


def _after_word(
    token: Token, before: Token, following: Token | None, what: str, text: str
) -> tuple[str, Fix | None] | None:
    """Return the hint for a token that follows a word on the same line, or None."""
    if token.kind == "STRING" and before.end == token.start and before.text in {"f", "r", "b", "u"}:
        return 'strings need no prefix; a value is inserted with `"${value}"`', None
    if before.text == "not":
        return "write `!`", _fix(before.start, token.start, "!")
    if before.text in WRITTEN_BEFORE:
        hint, written = WRITTEN_BEFORE[before.text]
        return hint, _fix(before.start, before.end, written)
    if before.kind == "ID" and (
        token.kind == "STRING" or (before.text in _PARENTHESES and token.kind in {"ID", "INT"})
    ):
        hint = f"the arguments of a call are in parentheses: `{before.text}(…)`"
        is_whole = following is None or following.kind in {"NL", "SEMI", "RB"} or not following.text
        edits = [Edit(Span(before.end, token.start), "("), Edit(Span(token.end, token.end), ")")]
        return hint, Fix("add the parentheses", edits) if is_whole else None
    if token.kind == "IF":
        return "write `condition ? a : b`, or `if condition { a } else { b }`", None
    if token.kind == "COLON" and what == "{" and before.kind == "RPAR" and following is not None:
        is_type = following.kind == "ID" and "\n" not in text[token.end : following.start]
        return ("the type of a result follows `->`", _fix(token.start, token.end, " ->")) if is_type else None
    return None


def _operator(token: Token, text: str) -> tuple[str, Fix | None] | None:
    """Return the hint for an operator of another language that ends or begins at a token, or None."""
    for operator, hint, written in OPERATORS:
        for start in range(max(0, token.start - len(operator) + 1), token.start + 1):
            if text.startswith(operator, start) and "..." not in text[max(0, start - 1) : start + 3]:
                end = start + len(operator)
                if operator == "++" and text[end : text.find("\n", end) if "\n" in text[end:] else None].strip(" ;)}"):
                    return "strings and lists are joined with `+`", _fix(start, end, "+")
                return hint, _fix(start, end, written)
    return None


def _fix(start: int, end: int, written: str) -> Fix | None:
    return Fix(f"write `{written.strip()}`", [Edit(Span(start, end), written)]) if written else None
