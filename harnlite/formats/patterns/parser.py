"""The parser of patterns, with errors that give the position."""

from __future__ import annotations

from harnlite.formats.patterns.atoms import ASSERTION, CLASS, FOLDING, LITERAL, UNFOLDING, Atom
from harnlite.formats.patterns.classes import read_class
from harnlite.formats.patterns.cursor import Cursor, PatternError
from harnlite.formats.patterns.escapes import read_escape
from harnlite.formats.patterns.flags import NAMES, Flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.formats.patterns.atoms import Parts
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
    """One element of a concatenation: its parts, whether it ignores case, and whether and how it can be repeated.

    `size` is its number of characters and classes after all counted repetitions are expanded; `empty` says whether it
    may match an empty text, and `choosy` whether the engines may disagree on the empty iterations of a loop over it.
    """

    __slots__ = ("choosy", "empty", "folded", "parts", "repeatable", "single", "size")

    def __init__(self, parts: Parts, *, size: int = 1, folded: bool = False, single: bool = True) -> None:
        self.parts = parts
        self.size = size
        self.folded = folded
        self.single = single
        self.empty = False
        self.choosy = False
        self.repeatable = True


class _Group:
    """An open group: its start, its opening text, the outer flags, and the branches and items read so far."""

    __slots__ = ("branches", "choosy", "empty", "flags", "items", "loose", "opening", "size", "start")

    def __init__(self, opening: str, start: int, flags: Flags, *, loose: bool) -> None:
        self.opening = opening
        self.start = start
        self.flags = flags
        self.loose = loose
        self.size = 0
        self.empty = False
        self.choosy = opening == "("
        self.branches: list[Parts] = []
        self.items: list[_Item] = []


def _joined(items: list[_Item]) -> Parts:
    parts: list[str | Atom] = []
    folding = False
    for item in items:
        if item.folded is not folding:
            parts.append(FOLDING if item.folded else UNFOLDING)
            folding = item.folded
        parts += item.parts
    if folding:
        parts.append(UNFOLDING)
    return tuple(parts)


def _alternatives(branches: list[Parts]) -> Parts:
    parts = [*branches[0]]
    for branch in branches[1:]:
        parts.append("|")
        parts += branch
    return tuple(parts)


class PatternParser:
    """The parser of one pattern; afterwards `names` holds the named groups and `groups` the number of all groups.

    `has_empty_loops` says whether it repeats something whose empty iterations only one engine counts.
    """

    __slots__ = ("cursor", "flags", "groups", "has_empty_loops", "names", "places", "stack")

    def __init__(self, pattern: str, flags: str = "") -> None:
        self.cursor = Cursor(pattern)
        self.flags = Flags().changed(flags)
        self.cursor.loose = "x" in self.flags
        self.stack = [_Group("", 0, self.flags, loose=self.cursor.loose)]
        self.groups = 0
        self.has_empty_loops = False
        self.names: dict[str, int] = {}
        self.places: dict[str, Span] = {}

    def read(self) -> Parts:
        """Read the whole pattern, and return its parts."""
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
            elif char.isalnum() and not cursor.loose:
                self._add_letters()
            else:
                self._add_primitive(char)
        if len(self.stack) > 1:
            raise cursor.error("unclosed group", self.stack[-1].start, self.stack[-1].start + 1)
        self._end_branch()
        return _alternatives(self.stack[0].branches)

    def _add(self, kind: str, text: str) -> None:
        folded = "i" in self.flags
        atom = Atom(kind, text, folded=folded)
        item = _Item((atom,), folded=folded, single=kind != ASSERTION)
        item.empty = kind == ASSERTION
        self.stack[-1].items.append(item)

    def _add_letters(self) -> None:
        """Add letters and digits: all but the last are one element, because only the last can be repeated."""
        cursor, folded = self.cursor, "i" in self.flags
        pattern, start, end = cursor.pattern, cursor.pos, cursor.pos + 1
        while pattern[end : end + 1].isalnum():
            end += 1
        cursor.pos = end
        atoms = [Atom(LITERAL, char, folded=folded) for char in pattern[start:end]]
        items = self.stack[-1].items
        if len(atoms) > 1:
            items.append(_Item(tuple(atoms[:-1]), size=len(atoms) - 1, folded=folded))
        items.append(_Item((atoms[-1],), folded=folded))

    def _add_primitive(self, char: str) -> None:
        cursor, flags = self.cursor, self.flags
        if char == "[":
            self._add(CLASS, read_class(cursor, flags))
        elif char == "\\":
            primitive = read_escape(cursor, flags)
            self._add(primitive.kind, primitive.text)
        else:
            if char in ".^$":
                self._add(CLASS if char == "." else ASSERTION, self._special(char))
            else:
                self._add(LITERAL, char)
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
        group.choosy = group.choosy or group.empty or any(item.choosy for item in group.items)
        group.empty = group.empty or all(item.empty for item in group.items)
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
        change = _Item((), size=0)
        change.repeatable = False
        change.empty = True
        self.stack[-1].items.append(change)

    def _close_group(self) -> None:
        if len(self.stack) == 1:
            raise self.cursor.error_here("unopened group")
        self._end_branch()
        group = self.stack.pop()
        self.flags = group.flags
        self.cursor.loose = group.loose
        self.cursor.bump()
        parts = (group.opening, *_alternatives(group.branches), ")")
        item = _Item(parts, size=group.size)
        item.empty, item.choosy = group.empty, group.choosy
        self.stack[-1].items.append(item)

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
        self._add_repetition(operand, operator, 1, least=1 if operator == "+" else 0, loops=operator != "?")

    def _add_repetition(self, operand: _Item, operator: str, times: int, *, least: int, loops: bool) -> None:
        lazy = self.cursor.char == "?"
        if lazy:
            self.cursor.bump()
        mark = "?" if lazy is not ("U" in self.flags) else ""
        parts = operand.parts if operand.single else ("(?:", *operand.parts, ")")
        size = operand.size * times
        item = _Item((*parts, operator + mark), size=size, folded=operand.folded, single=False)
        item.empty = operand.empty or least == 0
        item.choosy = operand.choosy or mark == "?"
        self.has_empty_loops = self.has_empty_loops or (loops and operand.empty and operand.choosy)
        self.stack[-1].items.append(item)

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
        times = max(low or 0, high or 0, 1)
        self._add_repetition(operand, bounds, times, least=low or 0, loops=high is None or high > 1)

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
