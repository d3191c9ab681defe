"""Bracketed character classes: `[a-z]`, `[^x]`, `[[:alpha:]_]`, `[a-z&&[^b]]`."""

from __future__ import annotations

from harnlite.formats.patterns.atoms import CLASS, LITERAL, escaped
from harnlite.formats.patterns.escapes import Primitive, read_escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.formats.patterns.cursor import Cursor
    from harnlite.formats.patterns.flags import Flags

_UNCLOSED = "unclosed character class"
_OPERATORS = ("&&", "--", "~~")
_EMPTY = r"[^\x00-\U0010ffff]"
_NAMED = {
    "alnum": r"0-9A-Za-z",
    "alpha": r"A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t\x20",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": r"0-9",
    "graph": r"\x21-\x7e",
    "lower": r"a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r"\t\n\x0b\x0c\r\x20",
    "upper": r"A-Z",
    "word": r"0-9A-Za-z\x5f",
    "xdigit": r"0-9A-Fa-f",
}


def read_class(cursor: Cursor, flags: Flags) -> str:
    """Read the class at the cursor, and return it in the engine's syntax."""
    return _Class(cursor, flags, None).read()


class _Class:
    """The reader of one class: the finished operands with their operators, and the items of the current operand."""

    __slots__ = ("cursor", "flags", "items", "negated", "operands", "outer", "start", "until")

    def __init__(self, cursor: Cursor, flags: Flags, outer: _Class | None) -> None:
        self.cursor = cursor
        self.flags = flags
        self.outer = outer
        self.start = cursor.pos
        self.until = cursor.pos
        self.negated = False
        self.items: list[str] = []
        self.operands = ""

    def read(self) -> str:
        """Read up to the closing bracket."""
        cursor = self.cursor
        self._read_opening()
        while True:
            cursor.skip_blanks()
            char = cursor.char
            if not char:
                raise cursor.error(_UNCLOSED, self.start, self.until)
            if char == "]":
                cursor.bump()
                return self._text()
            if char == "[":
                self.items.append(self._read_named() or _Class(cursor, self.flags, self).read())
            elif char + cursor.peek() in _OPERATORS:
                self.operands += self._operand() + char + cursor.peek()
                self.items = []
                cursor.pos += 2
            else:
                self._read_range()

    def _read_opening(self) -> None:
        cursor = self.cursor
        if not cursor.bump_and_skip():
            raise cursor.error(_UNCLOSED, self.start)
        if cursor.char == "^":
            self.negated = True
            if not cursor.bump_and_skip():
                raise cursor.error(_UNCLOSED, self.start)
        while cursor.char == "-":
            self.items.append(escaped("-"))
            if not cursor.bump_and_skip():
                raise cursor.error(_UNCLOSED, self.start, self.start)
        if not self.items and cursor.char == "]":
            self.items.append(escaped("]"))
            if not cursor.bump_and_skip():
                raise cursor.error(_UNCLOSED, self.start)
        self.until = cursor.pos

    def _operand(self) -> str:
        return f"[{''.join(self.items) or _EMPTY}]"

    def _text(self) -> str:
        sign = "^" if self.negated else ""
        if self.operands:
            return f"[{sign}{self.operands}{self._operand()}]"
        # `regex` takes [^a]|[^b] for a class that has neither, unless each class has two items.
        repeated = 2 if self.negated and len(self.items) == 1 else 1
        return f"[{sign}{''.join(self.items * repeated)}]"

    def _read_named(self) -> str | None:
        """Read a named class such as `[:alpha:]`; return None without moving if there is none."""
        cursor = self.cursor
        end = cursor.pattern.find(":]", cursor.pos + 2)
        if cursor.peek() != ":" or end < 0:
            return None
        name = cursor.pattern[cursor.pos + 2 : end]
        items = _NAMED.get(name.removeprefix("^"))
        if items is None:
            return None
        cursor.pos = end + 2
        return f"[^{items}]" if name.startswith("^") else items

    def _read_range(self) -> None:
        cursor = self.cursor
        first = self._read_item()
        cursor.skip_blanks()
        if not cursor.char:
            raise cursor.error(_UNCLOSED, self.start, self.until)
        if cursor.char != "-" or cursor.peek_past_blanks() in ("]", "-"):
            if first.kind not in (LITERAL, CLASS):
                raise cursor.error("invalid escape sequence found in character class", first.start, first.end)
            self.items.append(escaped(first.text) if first.kind == LITERAL else first.text)
            return
        if not cursor.bump_and_skip():
            raise cursor.error(_UNCLOSED, self.start, self.until)
        last = self._read_item()
        for item in (first, last):
            if item.kind != LITERAL:
                raise cursor.error("invalid range boundary, must be a literal", item.start, item.end)
        if first.text > last.text:
            raise cursor.error("invalid character class range, the start must be <= the end", first.start, last.end)
        self.items.append(f"{escaped(first.text)}-{escaped(last.text)}")

    def _read_item(self) -> Primitive:
        cursor = self.cursor
        if cursor.char == "\\":
            return read_escape(cursor, self.flags)
        item = Primitive(LITERAL, cursor.char, cursor.pos, cursor.pos + 1)
        cursor.bump()
        return item
