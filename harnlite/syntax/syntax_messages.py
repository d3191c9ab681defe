"""The texts of syntax errors, derived from the state of the parser."""

from __future__ import annotations

from harnlite.syntax.builder_patterns import SPREAD
from harnlite.syntax.nodes import Expr
from harnlite.syntax.tokens import CLOSER_TEXT, CLOSERS, OPENERS, Token, is_reserved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.syntax.tables import Tables

OR_POSITION = "or-pattern (|) can only appear as a match arm pattern"
AS_STREAM = "`as stream` is only valid after `parallel each ... { ... }`"
_SEPARATOR = "separator (`;` or newline)"
_MERGED = frozenset(("AS_STREAM", "NOTIN", "TRYSTAR"))
_TOP_LEVEL = frozenset(("PIPELINE", "IMPORT"))

SEPARATED_LISTS = {
    "items": f"top-level item {_SEPARATOR}",
    "stmts": f"statement {_SEPARATOR}",
    "tool_items": f"tool body item {_SEPARATOR}",
    "skill_fields": f"skill field {_SEPARATOR}",
}
"""The lists whose items must be separated: the symbols after which a separator is expected."""

WORDS = {
    "item": "statement",
    "tool_item": "statement",
    "stmt": "statement",
    "import_path": "import path string",
    "import_name": "import name",
    "type_param_name": "type parameter name",
    "param_name": "parameter name",
    "pipeline_name": "pipeline name",
    "pipeline_ref": "pipeline name",
    "fn_name": "function name",
    "extern_name": "function name",
    "struct_name": "struct name",
    "enum_name": "enum name",
    "interface_name": "interface name",
    "impl_name": "struct name",
    "type_name": "type name",
    "tool_name": "tool name",
    "skill_name": "skill name",
    "skill_field_name": "skill field name",
    "variant_name": "variant name",
    "dict_key": "dict key",
    "dict_binding_entry": "variable name",
    "binding_name": "variable name",
    "name_binding": "variable name",
    "arm": "pattern",
    "alternative": "pattern",
    "pattern_key": "dict key",
    "attribute_name": "attribute name",
    "option_name": "option name",
    "type": "type",
    "type_atom": "type",
    "field_name": "field name",
    "expr": "expression",
    "range": "expression",
    "choice": "expression",
    "operands": "expression",
    "unary": "expression",
    "postfix": "expression",
    "primary": "expression",
    "member_name": "member name",
    "member": "interface member",
    "method": "method",
    "method_decl": "method",
    "select_case": "select case",
    "decl": "declaration",
    "public_decl": "declaration",
    "block": "{",
    "body": "{",
    "parallel_body": "{",
    "catch_name": "variable name",
    "brace": "{",
    "expr_brace": "{",
    "param_list": "(",
}
"""The expected constructs by grammar symbol, in order of preference."""

_TERMINALS = {
    "RPAR": ")",
    "RSQB": "]",
    "RB": "}",
    "ARROW": "->",
    "ASSIGN": "=",
    "COLON": ":",
    "IN": "in",
    "FROM": "from",
    "ELSE": "else",
    "GTG": ">",
    "LPAR": "(",
    "LB": "{",
    "LSQB": "[",
    "LTG": "<",
    "LBS": "{",
    "COMMA": ",",
    "FN": "fn",
    "ID": "name",
    "METHOD": "member name",
    "STRING": "string",
    "INT": "number",
    "END": "}",
}


class Outlook:
    """The possible continuations of a parse, after all constructs that can be complete are reduced."""

    __slots__ = ("reductions", "row", "symbol")

    def __init__(self, tables: Tables, states: Sequence[int]) -> None:
        rows, rule = tables.rows, tables.rule
        stack = list(states)
        self.reductions: list[int] = []
        while True:
            row = rows[stack[-1]]
            complete = [action for action in row.values() if action < 0 and rule(action)[0]]
            if not complete or not WORDS.keys().isdisjoint(row) or tables.symbols[stack[-1]] in SEPARATED_LISTS:
                break
            action = max(set(complete), key=lambda each: (complete.count(each), each))
            size, origin = rule(action)[:2]
            self.reductions.append(action)
            del stack[-size:]
            stack.append(rows[stack[-1]][origin])
        self.row = row
        self.symbol = tables.symbols[stack[-1]]

    @property
    def is_list(self) -> bool:
        """Return whether an item of a separated list is complete."""
        return self.symbol in SEPARATED_LISTS

    def what(self, *, at_end: bool) -> str:
        """Return the name of the expected construct."""
        row = self.row
        if self.is_list and not at_end:
            return SEPARATED_LISTS[self.symbol]
        if at_end:
            closer = next((kind for kind in CLOSER_TEXT if kind in row), None)
            if closer is not None:
                return CLOSER_TEXT[closer]
        word = next((word for symbol, word in WORDS.items() if symbol in row), None)
        if word is not None:
            return word
        return next((text for kind, text in _TERMINALS.items() if kind in row), "something else")


def special_text(token: Token, last: object, what: str) -> str | None:
    """Return the special text for a token that has one when it is out of place, or None."""
    if token.kind == "BAR" and (isinstance(last, Expr) or getattr(last, "kind", "") == "ID"):
        return OR_POSITION
    if token.kind == "ELLIPSIS" and what in ("expression", "statement"):
        return SPREAD
    return None


def is_name(what: str) -> bool:
    """Return whether a name was expected."""
    return what.endswith(" name")


def token_text(token: Token, what: str) -> str:
    """Return the text of a token for a message."""
    if token.kind == "NL":
        return r"\n"
    if is_reserved(token) and is_name(what):
        return f"'{token.text}' (reserved keyword)"
    if token.kind in _MERGED:
        return token.text.split()[0].rstrip("*")
    line = token.text.partition("\n")[0]
    return token.text if line == token.text else line + "…"


def notes_for(token: Token, following: Token | None, what: str, text: str) -> list[str]:
    """Return hints on how to fix the error."""
    kind = token.kind
    if kind == "GT" and text[token.start - 1 : token.start] == "=":
        return ["write `->`"]
    if kind == "ASSIGN" and following is not None and following.kind == "GT" and following.start == token.end:
        return ["write `->`"]
    if kind == "ASSIGN" and what in ("{", ")"):
        return ["equality is written `==`"]
    if kind in _TOP_LEVEL and what == "statement":
        return [f"`{token.text}` is only allowed at top level"]
    if kind == "SEMI" and what == "statement":
        return ["separate statements with one `;` or a new line"]
    if kind == "QMARK" and what != "statement":
        return ["put the inner ternary in parentheses"]
    return []


def open_brackets(values: Sequence[object]) -> list[Token]:
    """Return the open brackets of a value stack, outermost first."""
    found: list[Token] = []
    for value in values:
        if isinstance(value, Token):
            if value.kind in OPENERS:
                found.append(value)
            elif value.kind in CLOSERS and found:
                found.pop()
    return found
