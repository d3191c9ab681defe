"""The escape sequences of patterns."""

from __future__ import annotations

from harnlite.formats.patterns.atoms import ASSERTION, CLASS, LITERAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from harnlite.formats.patterns.cursor import Cursor
    from harnlite.formats.patterns.flags import Flags

_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")
_HEX_WIDTHS = {"x": 2, "u": 4, "U": 8}
_CONTROLS = {"a": "\x07", "f": "\x0c", "t": "\t", "n": "\n", "r": "\r", "v": "\x0b"}
_WORD = r"\w"
_BOUNDARIES = {
    "start": rf"(?<!{_WORD})(?={_WORD})",
    "end": rf"(?<={_WORD})(?!{_WORD})",
    "start-half": rf"(?<!{_WORD})",
    "end-half": rf"(?!{_WORD})",
}
_ASSERTIONS = {"A": r"\A", "z": r"\Z", "b": r"\b", "B": r"\B", "<": _BOUNDARIES["start"], ">": _BOUNDARIES["end"]}
_ASCII_SETS = {"d": "0-9", "s": r"\t\n\x0b\x0c\r\x20", "w": r"0-9A-Za-z\x5f"}


class Primitive:
    """One element of a pattern: a character, a class of characters or an assertion.

    `text` is the character itself for a literal, else the text in the engine's syntax.
    """

    __slots__ = ("end", "kind", "start", "text")

    def __init__(self, kind: str, text: str, start: int, end: int) -> None:
        self.kind = kind
        self.text = text
        self.start = start
        self.end = end


def read_escape(cursor: Cursor, flags: Flags) -> Primitive:
    """Read the escape at the cursor."""
    start = cursor.pos
    if not cursor.bump():
        raise cursor.error("incomplete escape sequence, reached end of pattern prematurely", start)
    char = cursor.char
    if char in "0123456789":
        raise cursor.error("backreferences are not supported", start, cursor.pos + 1)
    if char in _HEX_WIDTHS:
        return Primitive(LITERAL, _read_hex(cursor), start, cursor.pos)
    if char in "pP":
        return _read_property(cursor, start)
    cursor.bump()
    if char in "dDsSwW":
        return Primitive(CLASS, _perl_class(char, flags), start, cursor.pos)
    if char in _CONTROLS:
        return Primitive(LITERAL, _CONTROLS[char], start, cursor.pos)
    if char == "b" and cursor.char == "{":
        return Primitive(ASSERTION, _scoped(_read_boundary(cursor, start), flags), start, cursor.pos)
    if char in _ASSERTIONS:
        return Primitive(ASSERTION, _scoped(_ASSERTIONS[char], flags), start, cursor.pos)
    if char.isalnum() or not char.isascii():
        raise cursor.error("unrecognized escape sequence", start)
    return Primitive(LITERAL, char, start, cursor.pos)


def _scoped(assertion: str, flags: Flags) -> str:
    if "u" in flags or assertion in (r"\A", r"\Z"):
        return assertion
    return f"(?:{assertion})".replace(_WORD, f"[{_ASCII_SETS['w']}]") if "(" in assertion else f"(?a:{assertion})"


def _perl_class(char: str, flags: Flags) -> str:
    if "u" in flags:
        return "\\" + char
    return f"[{'^' if char.isupper() else ''}{_ASCII_SETS[char.lower()]}]"


def _read_hex(cursor: Cursor) -> str:
    width = _HEX_WIDTHS[cursor.char]
    if not cursor.bump_and_skip():
        raise cursor.error_here("incomplete escape sequence, reached end of pattern prematurely", 0)
    if cursor.char == "{":
        return _read_braced_hex(cursor)
    start, digits = cursor.pos, ""
    for i in range(width):
        if i > 0 and not cursor.bump_and_skip():
            raise cursor.error_here("incomplete escape sequence, reached end of pattern prematurely", 0)
        if cursor.char not in _HEX_DIGITS:
            raise cursor.error_here("invalid hexadecimal digit")
        digits += cursor.char
    cursor.bump_and_skip()
    return _scalar(cursor, digits, start, cursor.pos)


def _read_braced_hex(cursor: Cursor) -> str:
    brace, digits = cursor.pos, ""
    while cursor.bump_and_skip() and cursor.char != "}":
        if cursor.char not in _HEX_DIGITS:
            raise cursor.error_here("invalid hexadecimal digit")
        digits += cursor.char
    if not cursor.char:
        raise cursor.error("incomplete escape sequence, reached end of pattern prematurely", brace)
    end = cursor.pos
    cursor.bump_and_skip()
    if not digits:
        raise cursor.error("hexadecimal literal empty", brace)
    return _scalar(cursor, digits, brace + 1, end)


def _scalar(cursor: Cursor, digits: str, start: int, end: int) -> str:
    code = int(digits, 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004 - the limits of Unicode
        raise cursor.error("hexadecimal literal is not a Unicode scalar value", start, end)
    return chr(code)


def _read_property(cursor: Cursor, start: int) -> Primitive:
    negated = cursor.char == "P"
    if not cursor.bump_and_skip():
        raise cursor.error_here("incomplete escape sequence, reached end of pattern prematurely", 0)
    name = ""
    if cursor.char == "{":
        while cursor.bump_and_skip() and cursor.char != "}":
            name += cursor.char
        if not cursor.char:
            raise cursor.error_here("incomplete escape sequence, reached end of pattern prematurely", 0)
        cursor.bump()
    else:
        name = cursor.char
        if name == "\\":
            raise cursor.error_here("invalid Unicode character class")
        cursor.bump_and_skip()
    if "!=" in name:
        name, negated = name.replace("!=", "=", 1), not negated
    text = rf"\{'P' if negated else 'p'}{{{name}}}"
    if not _is_property(text):
        separated = any(mark in name for mark in ":=")
        kind = "Unicode property value not found" if separated else "Unicode property not found"
        raise cursor.error(kind, start)
    return Primitive(CLASS, text, start, cursor.pos)


def _is_property(text: str) -> bool:
    import regex

    try:
        regex.compile(text)
    except regex.error:
        return False
    return True


def _read_boundary(cursor: Cursor, escape: int) -> str:
    start, name = cursor.pos, ""
    if not cursor.bump_and_skip():
        raise cursor.error(
            "found either the beginning of a special word boundary or a bounded repetition on a \\b with an opening "
            "brace, but no closing brace",
            escape,
        )
    first = cursor.pos
    if not _in_boundary_name(cursor.char):
        cursor.pos = start
        return r"\b"
    while _in_boundary_name(cursor.char):
        name += cursor.char
        cursor.bump_and_skip()
    if cursor.char != "}":
        raise cursor.error("special word boundary assertion is either unclosed or contains an invalid character", start)
    if name not in _BOUNDARIES:
        raise cursor.error(
            "unrecognized special word boundary assertion, valid choices are: start, end, start-half or end-half", first
        )
    cursor.bump()
    return _BOUNDARIES[name]


def _in_boundary_name(char: str) -> bool:
    return char == "-" or (char.isascii() and char.isalpha())
