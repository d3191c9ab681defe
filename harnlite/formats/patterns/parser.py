"""The translation of patterns to the syntax of the `regex` package, with errors that give the position."""

from __future__ import annotations

from harnlite.formats.patterns.classes import escaped, read_class
from harnlite.formats.patterns.cursor import Cursor, PatternError
from harnlite.formats.patterns.escapes import ASSERTION, LITERAL, read_escape
from harnlite.formats.patterns.flags import NAMES, Flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.formats.patterns.cursor import Span

_NOTHING_TO_REPEAT = "repetition operator missing expression"
_LOOK_AROUND = ("?=", "?!", "?<=", "?<!")
_MAX_NESTING = 250
_MAX_COUNT = 2**32 - 1
_MAX_SIZE = 250_000
_TOO_LARGE = "Compiled regex exceeds size limit of 10485760 bytes."
_NOT_LINE_END, _NOT_LINE_END_CRLF = ".", r"[^\r\n]"
_LINE_START_CRLF = r"(?:\A|(?<=\n)|(?<=\r)(?!\n))"
_LINE_END_CRLF = r"(?:\Z|(?=\r)|(?<!\r)(?=\n))"


class _Item:
    """One element of a concatenation: its text, whether it ignores case, and whether and how it can be repeated.

    `size` is its number of characters and classes after all counted repetitions are expanded.
    """

    __slots__ = ("folded", "repeatable", "single", "size", "text")

    def __init__(self, text: str, *, size: int = 1, folded: bool = False, single: bool = True) -> None:
        self.text = text
        self.size = size
        self.folded = folded
        self.single = single
        self.repeatable = True


class _Group:
    """An open group: its start, its opening text, the outer flags, and the branches and items read so far."""

    __slots__ = ("branches", "flags", "items", "loose", "opening", "size", "start")

    def __init__(self, opening: str, start: int, flags: Flags, *, loose: bool) -> None:
        self.opening = opening
        self.start = start
        self.flags = flags
        self.loose = loose
        self.size = 0
        self.branches: list[str] = []
        self.items: list[_Item] = []


def _joined(items: list[_Item]) -> str:
    parts: list[str] = []
    folding = False
    for item in items:
        if item.folded is not folding:
            parts.append("(?i-f:" if item.folded else ")")
            folding = item.folded
        parts.append(item.text)
    return "".join(parts) + (")" if folding else "")


class PatternParser:
    """The parser of one pattern; afterwards `names` holds the named groups and `groups` the number of all groups."""

    __slots__ = ("cursor", "flags", "groups", "names", "places", "stack")

    def __init__(self, pattern: str, flags: str = "") -> None:
        self.cursor = Cursor(pattern)
        self.flags = Flags().changed(flags)
        self.cursor.loose = "x" in self.flags
        self.stack = [_Group("", 0, self.flags, loose=self.cursor.loose)]
        self.groups = 0
        self.names: dict[str, int] = {}
        self.places: dict[str, Span] = {}

    def read(self) -> str:
        """Read the whole pattern, and return it in the engine's syntax."""
        cursor = self.cursor
        while True:
            cursor.skip_blanks()
            char = cursor.char
            if not char:
                break
            if char == "(":
                self._open_group()
            elif char == ")":
                self._close_group()
            elif char == "|":
                self._end_branch()
                cursor.bump()
            elif char in "?*+":
                self._repeat()
            elif char == "{":
                self._repeat_counted()
            else:
                self._add_primitive(char)
        if len(self.stack) > 1:
            raise cursor.error("unclosed group", self.stack[-1].start, self.stack[-1].start + 1)
        self._end_branch()
        return "|".join(self.stack[0].branches)

    def _add(self, text: str, *, single: bool = True) -> None:
        self.stack[-1].items.append(_Item(text, folded="i" in self.flags, single=single))

    def _add_primitive(self, char: str) -> None:
        cursor, flags = self.cursor, self.flags
        if char == "[":
            self._add(read_class(cursor, flags))
        elif char == "\\":
            primitive = read_escape(cursor, flags)
            text = escaped(primitive.text) if primitive.kind == LITERAL else primitive.text
            self._add(text, single=primitive.kind != ASSERTION)
        else:
            special = char in ".^$"
            self._add(self._special(char) if special else escaped(char), single=char not in "^$")
            cursor.bump()

    def _special(self, char: str) -> str:
        crlf, lines = "R" in self.flags, "m" in self.flags
        if char == ".":
            if "s" in self.flags:
                return "(?s:.)"
            return _NOT_LINE_END_CRLF if crlf else _NOT_LINE_END
        if not lines:
            return r"\A" if char == "^" else r"\Z"
        if crlf:
            return _LINE_START_CRLF if char == "^" else _LINE_END_CRLF
        return f"(?m:{char})"

    def _end_branch(self) -> None:
        group = self.stack[-1]
        group.branches.append(_joined(group.items))
        group.size += sum(item.size for item in group.items)
        if group.size > _MAX_SIZE:
            raise PatternError(self.cursor.pattern, _TOO_LARGE, [])
        group.items = []

    # Groups

    def _open_group(self) -> None:
        cursor = self.cursor
        start = cursor.pos
        cursor.bump_and_skip()
        if any(cursor.bump_over(prefix) for prefix in _LOOK_AROUND):
            raise cursor.error("look-around, including look-ahead and look-behind, is not supported", start)
        inner = cursor.pos
        flags, opening = self.flags, "("
        if cursor.bump_over("?P<") or cursor.bump_over("?<"):
            self._read_name()
        elif cursor.bump_over("?"):
            if not cursor.char:
                raise cursor.error("unclosed group", start, start + 1)
            items = self._read_flags()
            if cursor.char == ")":
                self._set_flags(items, inner)
                return
            cursor.bump()
            flags, opening = self.flags.changed(items), "(?:"
        else:
            self.groups += 1
        if len(self.stack) > _MAX_NESTING:
            reason = f"exceed the maximum number of nested parentheses/brackets ({_MAX_NESTING})"
            raise cursor.error(reason, start, start + 1)
        self.stack.append(_Group(opening, start, self.flags, loose=cursor.loose))
        self.flags = flags
        cursor.loose = "x" in flags

    def _set_flags(self, items: str, inner: int) -> None:
        if not items:
            raise self.cursor.error(_NOTHING_TO_REPEAT, inner, inner)
        self.cursor.bump()
        self.flags = self.flags.changed(items)
        self.cursor.loose = "x" in self.flags
        change = _Item("", size=0)
        change.repeatable = False
        self.stack[-1].items.append(change)

    def _close_group(self) -> None:
        if len(self.stack) == 1:
            raise self.cursor.error_here("unopened group")
        self._end_branch()
        group = self.stack.pop()
        self.flags = group.flags
        self.cursor.loose = group.loose
        self.cursor.bump()
        self.stack[-1].items.append(_Item(f"{group.opening}{'|'.join(group.branches)})", size=group.size))

    def _read_name(self) -> None:
        cursor = self.cursor
        start = cursor.pos
        while cursor.char and cursor.char != ">":
            char = cursor.char
            if not (char == "_" or char.isalpha() or (cursor.pos > start and (char in ".[]" or char.isalnum()))):
                raise cursor.error_here("invalid capture group character")
            cursor.bump()
        if not cursor.char:
            raise cursor.error_here("unclosed capture group name", 0)
        name, end = cursor.pattern[start : cursor.pos], cursor.pos
        if not name:
            raise cursor.error("empty capture group name", start, start)
        cursor.bump()
        if name in self.places:
            raise cursor.error("duplicate capture group name", start, end, self.places[name])
        self.groups += 1
        self.names[name] = self.groups
        self.places[name] = (start, end)

    def _read_flags(self) -> str:
        cursor = self.cursor
        places: dict[str, int] = {}
        while cursor.char not in (":", ")"):
            char = cursor.char
            if char != "-" and char not in NAMES:
                raise cursor.error_here("unrecognized flag")
            if char in places:
                reason = "flag negation operator repeated" if char == "-" else "duplicate flag"
                raise cursor.error(reason, cursor.pos, cursor.pos + 1, (places[char], places[char] + 1))
            places[char] = cursor.pos
            if not cursor.bump():
                raise cursor.error_here("expected flag but got end of regex", 0)
        items = "".join(places)
        if items.endswith("-"):
            raise cursor.error("dangling flag negation operator", cursor.pos - 1)
        return items

    # Repetitions

    def _take_operand(self) -> _Item:
        items = self.stack[-1].items
        if not items or not items[-1].repeatable:
            raise self.cursor.error_here(_NOTHING_TO_REPEAT, 0)
        return items.pop()

    def _repeat(self) -> None:
        operand = self._take_operand()
        operator = self.cursor.char
        self.cursor.bump()
        self._add_repetition(operand, operator, 1)

    def _add_repetition(self, operand: _Item, operator: str, times: int) -> None:
        lazy = self.cursor.char == "?"
        if lazy:
            self.cursor.bump()
        text = operand.text if operand.single else f"(?:{operand.text})"
        mark = "?" if lazy is not ("U" in self.flags) else ""
        size = operand.size * times
        self.stack[-1].items.append(_Item(text + operator + mark, size=size, folded=operand.folded, single=False))

    def _repeat_counted(self) -> None:
        cursor = self.cursor
        operand = self._take_operand()
        start = cursor.pos
        low = high = self._read_count(start)
        if cursor.char == ",":
            if not cursor.bump_and_skip():
                raise cursor.error("unclosed counted repetition", start)
            high = self._read_count(start) if cursor.char != "}" else None
        if cursor.char != "}":
            raise cursor.error("unclosed counted repetition", start)
        cursor.bump_and_skip()
        bounds = f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
        if high is not None and low is not None and low > high:
            end = cursor.pos + (cursor.char == "?")
            reason = "invalid repetition count range, the start must be <= the end"
            raise cursor.error(reason, start, end)
        self._add_repetition(operand, bounds, max(low or 0, high or 0, 1))

    def _read_count(self, start: int) -> int | None:
        cursor = self.cursor
        if cursor.pos == start and not cursor.bump_and_skip():
            raise cursor.error("unclosed counted repetition", start)
        while cursor.char.isspace():
            cursor.bump()
        first, digits = cursor.pos, ""
        while cursor.char and cursor.char in "0123456789":
            digits += cursor.char
            cursor.bump_and_skip()
        end = cursor.pos
        while cursor.char.isspace():
            cursor.bump_and_skip()
        if not cursor.char:
            raise cursor.error("unclosed counted repetition", start)
        if not digits:
            raise cursor.error("repetition quantifier expects a valid decimal", first, end)
        if len(digits) > 10 or int(digits) > _MAX_COUNT:  # noqa: PLR2004 - number of digits of the largest count
            raise cursor.error("decimal literal invalid", first, end)
        return int(digits)
