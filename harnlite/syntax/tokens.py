"""Token kinds, keywords, and the behaviour of tokens at line ends."""

from __future__ import annotations

from sys import intern


def kinds(text: str) -> frozenset[str]:
    """Return the words of a text as a set; they are interned, so that sets and dicts find them by identity."""
    return frozenset(map(intern, text.split()))


WORD_CLASSES = {
    "constant": kinds("false nil true"),
    "binding": kinds("const let var"),
    "declaration": kinds("enum fn impl interface override pipeline skill struct tool type"),
    "modifier": kinds("extends extern gen pub where"),
    "condition": kinds("else guard if match"),
    "loop": kinds("break continue for while"),
    "failure": kinds("catch finally require retry throw try"),
    "flow": kinds("deadline default defer each emit mutex parallel return select settle spawn timeout with yield"),
    "module": kinds("from import"),
    "operator": kinds("as exclusive in not to"),
    "reserved": kinds("eval_pack"),
}
"""All words of the language by purpose; highlighting and completion take them from here."""

CONTEXTUAL_WORDS = kinds("as const default each extern gen not settle timeout where with")
"""The words that are names unless their neighbours make them keywords."""

KEYWORDS = frozenset().union(*WORD_CLASSES.values()) - CONTEXTUAL_WORDS

WORD_KINDS = {word: intern(word.upper()) for word in KEYWORDS}

SYMBOL_KINDS = {
    "(": "LPAR",
    ")": "RPAR",
    "[": "LSQB",
    "]": "RSQB",
    "{": "LB",
    "}": "RB",
    ",": "COMMA",
    ":": "COLON",
    ";": "SEMI",
    "@": "AT",
    ".": "DOT",
    "...": "ELLIPSIS",
    "?.": "OPTDOT",
    "?": "QUESTION",
    "??": "COALESCE",
    "->": "ARROW",
    "|": "BAR",
    "|>": "PIPE",
    "||": "OR",
    "&&": "AND",
    "==": "EQ",
    "!=": "NE",
    "<": "LT",
    ">": "GT",
    "<=": "LE",
    ">=": "GE",
    "+": "PLUS",
    "-": "MINUS",
    "*": "STAR",
    "/": "SLASH",
    "%": "PERCENT",
    "**": "POWER",
    "!": "BANG",
    "=": "ASSIGN",
    "+=": "ASSIGN_OP",
    "-=": "ASSIGN_OP",
    "*=": "ASSIGN_OP",
    "/=": "ASSIGN_OP",
    "%=": "ASSIGN_OP",
}

DURATION_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}

BINARY_KINDS = kinds("BAR PIPE OR AND EQ NE LT GT LE GE COALESCE PLUS STAR SLASH PERCENT POWER")
"""The operators that continue an expression across a line end, on either side of it."""

NEEDS_OPERAND = BINARY_KINDS | kinds(
    "DOT OPTDOT MINUS BANG ASSIGN ASSIGN_OP LPAR LSQB LB LBA LBS LBP COMMA COLON SEMI ARROW LTG QMARK ELLIPSIS "
    "IN NOTIN TO FROM IF WHILE MATCH GUARD REQUIRE RETRY DEADLINE THROW EMIT TRYSTAR PARALLEL EACH SETTLE TIMEOUT",
)
"""The kinds after which a line end has no meaning."""

CONTINUES_LINE = BINARY_KINDS | kinds(
    "DOT OPTDOT COMMA COLON ASSIGN ARROW ELSE CATCH FINALLY IN FROM GTG RPAR RSQB RB END",
)
"""The kinds before which a line end has no meaning."""

ENDS_OPERAND = kinds(
    "ID METHOD INT FLOAT DURATION STRING TEMPLATE TRUE FALSE NIL RPAR RSQB RB TRYQ GTG EXCLUSIVE",
)
"""The kinds after which an expression may be complete, so that a brace opens a block."""

STARTS_OPERAND = kinds(
    "ID INT FLOAT DURATION STRING TEMPLATE TRUE FALSE NIL LPAR LB MINUS BANG FN IF MATCH TRY RETRY PARALLEL SPAWN "
    "DEADLINE",
)
"""The kinds that can start an operand."""

CLOSER_OF = {"LPAR": "RPAR", "LSQB": "RSQB", "LB": "RB", "LBA": "RB", "LBS": "RB", "LBP": "RB"}
CLOSER_TEXT = {"RPAR": ")", "RSQB": "]", "RB": "}"}
OPENERS = frozenset(CLOSER_OF)
CLOSERS = frozenset(CLOSER_TEXT)
BRACES = kinds("LB LBA LBS LBP")
BLOCK_BRACES = kinds("LB LBA LBS")
ROUND = kinds("LPAR LSQB")
STATEMENT_ENDS = kinds("NL SEMI")
_NAME_AND_END = 2


class Token:
    """A token of the source: its kind, its text and its offsets."""

    __slots__ = ("end", "kind", "start", "text")

    def __init__(self, kind: str, text: str, start: int, end: int) -> None:
        self.kind = kind
        self.text = text
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"{self.kind}({self.text!r}, {self.start})"


class StringToken(Token):
    """A string without interpolations, and its value."""

    __slots__ = ("value",)

    def __init__(self, text: str, start: int, end: int, value: str) -> None:
        self.kind = "STRING"
        self.text = text
        self.start = start
        self.end = end
        self.value = value


class Interpolation:
    """The tokens between `${` and `}`; `end` is the offset of the `}`."""

    __slots__ = ("end", "start", "tokens")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.tokens: list[Token] = []

    @property
    def is_name(self) -> bool:
        """Return whether the only token is a name, which needs neither the pre-pass nor the grammar."""
        return len(self.tokens) == _NAME_AND_END and self.tokens[0].kind == "ID"


class TemplateToken(Token):
    """A string with interpolations; its parts are pieces of text and interpolations."""

    __slots__ = ("depth", "parts", "triple")

    def __init__(self, text: str, start: int, end: int, parts: list[Piece | Interpolation], *, triple: bool) -> None:
        super().__init__("TEMPLATE", text, start, end)
        self.parts = parts
        self.triple = triple
        self.depth = 0


class Piece:
    """Literal text in a template: its value and its offsets."""

    __slots__ = ("end", "start", "value")

    def __init__(self, value: str, start: int, end: int) -> None:
        self.value = value
        self.start = start
        self.end = end


def is_reserved(token: Token) -> bool:
    """Return whether the text of a token is a reserved word."""
    return token.text in KEYWORDS
