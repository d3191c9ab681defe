"""Find the context of a cursor in a possibly incomplete text: the word being typed and the open brackets around it."""

from __future__ import annotations

import re
import string

_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z))"
    r"|(?P<raw>\br\"[^\"\n]*(?:\"|(?=\n)|\Z))"
    r'|(?P<quote>"""|")'
    r"|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<number>\d[\w.]*)"
    r"|(?P<sign>\?\.|\.\.\.|[(){}\[\],:.;\n]|->)"
    r"|(?P<other>[^\s\w\"])",
)
_PIECE = re.compile(r'\$\{|"|\n|\\.|[^"$\\\n]+|\$|\\')
_LONG_PIECE = re.compile(r'\$\{|"""|[^"$]+|"|\$')
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
CLOSER_OF = {"(": ")", "[": "]", "{": "}"}
_BINDING = frozenset(
    {"let", "var", "const", "fn", "struct", "enum", "interface", "type", "tool", "skill", "pipeline", "for", "catch"}
)
_DECLARING = frozenset({"struct", "enum", "interface", "impl", "match"})
_IN_CODES = string.ascii_letters + string.digits + "-"
_LONG = 10_000
_TOP = re.compile(
    r"^(?:pub )?(?:gen )?(?:fn|let|var|const|struct|enum|interface|type|tool|skill|pipeline)[ \t]+(\w+)", re.MULTILINE
)


class Frame:
    """A bracket that is open at the cursor: the called name before it, and the position reached inside it."""

    __slots__ = (
        "arrow", "before", "callee", "closer", "declares", "index", "key", "keys", "last", "listed", "names", "sign",
        "start",
    )  # fmt: skip

    def __init__(self, sign: str, callee: str, before: str, start: int) -> None:
        self.sign = sign
        self.closer = CLOSER_OF.get(sign, "")
        self.callee = callee
        self.before = before
        self.start = start
        self.arrow = False
        self.declares = False
        self.index = 0
        self.key = ""
        self.keys: list[str] = []
        self.names: list[str] = []
        self.listed: list[str] = []
        self.last = sign

    @property
    def is_struct(self) -> bool:
        """Return whether a brace follows a name that may be the struct being constructed."""
        return self.sign == "{" and self.before[:1].isupper() and not self.declares

    @property
    def is_head(self) -> bool:
        """Return whether the bracket holds the parameters of a declaration."""
        return self.sign == "(" and (self.callee == "fn" or self.callee.startswith("fn "))

    @property
    def is_dict(self) -> bool:
        """Return whether a brace begins a dict: a value is expected there, and it is not a closure."""
        return self.sign == "{" and not self.arrow and self.before in {"(", ",", ":", "[", "=", "return", "??", "->"}


class Place:
    """The context of a cursor.

    `quote` is the offset where an open string begins, or -1, and `mark` its opening quotes. `word` is the part of a
    name that has been typed. The text before `region` was not read in detail.
    """

    __slots__ = ("frames", "in_comment", "mark", "path", "previous", "quote", "region", "start", "word")

    def __init__(self) -> None:
        self.frames: list[Frame] = [Frame("", "", "", 0)]
        self.in_comment = False
        self.quote = -1
        self.mark = '"'
        self.region = 0
        self.previous: list[str] = []
        self.path = ""
        self.word = ""
        self.start = 0


class _Reader:
    """A single pass over a text up to the cursor."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = Place()
        self.tail: list[str] = ["", "", ""]
        self.path: list[str] = []
        self.strings: list[tuple[int, bool, int]] = []
        self.params: list[str] = []

    def read(self) -> Place:
        position, end = 0, len(self.text)
        while position < end:
            found = _TOKEN.search(self.text, position)
            if found is None:
                break
            position = self.token(found, found.end())
        self.finish()
        return self.place

    def token(self, found: re.Match[str], end: int) -> int:
        kind, text = str(found.lastgroup), found[0]
        if kind == "comment":
            self.place.in_comment = end == len(self.text) and not text.endswith(("*/", "\n"))
        elif kind == "raw":
            closed = text.endswith('"') and len(text) > len('r"')
            self.string_ended() if closed or end < len(self.text) else self.open(found.start() + 1)
        elif kind == "quote":
            return self.string(end, found.start(), is_long=text == '"""')
        elif kind == "sign":
            return self.sign(text, found.start(), end)
        else:
            self.word(text, kind)
        return end

    def word(self, text: str, kind: str) -> None:
        frame = self.place.frames[-1]
        if kind == "word":
            self.path = [*self.path, text] if self.tail[-1] in {".", "?."} and self.path else [text]
            if self.tail[-1] in _BINDING or self._is_bound_here(frame):
                frame.names.append(text)
            elif frame.sign == "{" and frame.last in {"{", ","}:
                frame.listed.append(text)
        else:
            self.path = []
        self.push(text)

    def _is_bound_here(self, frame: Frame) -> bool:
        """Return whether a name is a parameter or part of a pattern."""
        declares = frame.before in _BINDING or frame.callee.startswith("fn ")
        return declares and frame.sign != "" and frame.last in {frame.sign, ","}

    def push(self, text: str) -> None:
        self.place.frames[-1].last = text
        self.tail = [self.tail[1], self.tail[2], text]

    def sign(self, text: str, start: int, end: int) -> int:
        frames = self.place.frames
        frame = frames[-1]
        if text in OPENING:
            callee = ".".join(self.path) if text == "(" and self.tail[-1] not in {",", "("} else ""
            if self.tail[-2] in {"fn", "tool", "pipeline", "skill"}:
                callee = f"fn {callee}"
            before = self.tail[-1]
            self.push(text)
            frames.append(Frame(text, callee, before, start))
            frames[-1].declares = self.tail[-3] in _DECLARING
            if text == "{":
                frames[-1].names, self.params = self.params, []
        elif text in CLOSING:
            return self.close(text, end)
        elif text == ",":
            frame.index += 1
            frame.key = ""
            self.push(text)
        elif text == ":":
            if (frame.is_dict or frame.is_struct) and not frame.key:
                frame.key = self.tail[-1]
                frame.keys.append(frame.key)
            self.push(text)
        elif text != "\n":
            if text == "->":
                frame.names += frame.listed  # a closure: the listed names are its parameters
                frame.arrow = frame.sign == "{" and frame.before != "match" and not frame.key
            self.push(text)
            if text == ";":
                self.path = []
            return end
        if text not in {".", "?."}:
            self.path = []
        return end

    def close(self, text: str, end: int) -> int:
        frames = self.place.frames
        if self.strings and text == "}" and len(frames) == self.strings[-1][2]:
            start, is_long, _ = self.strings.pop()
            frames.pop()
            return self.string(end, start, is_long=is_long)
        if len(frames) > 1:
            closed = frames.pop()
            if closed.callee.startswith("fn "):
                self.params = closed.names
            elif closed.before in _BINDING:
                frames[-1].names += closed.names
        self.path = []
        self.push(text)
        return end

    def string(self, position: int, start: int, *, is_long: bool) -> int:
        """Read a string literal up to its end or to the next interpolation."""
        pattern = _LONG_PIECE if is_long else _PIECE
        while position < len(self.text):
            found = pattern.match(self.text, position)
            if found is None:
                break
            position = found.end()
            if found[0] == "${":
                self.path = []
                self.place.frames.append(Frame("{", "", "$", position))
                self.place.frames[-1].closer = '}"""' if is_long else '}"'
                self.strings.append((start, is_long, len(self.place.frames)))
                return position
            if found[0] == ('"""' if is_long else '"') or (found[0] == "\n" and not is_long):
                self.string_ended()
                return position
        self.open(start)
        self.place.mark = '"""' if is_long else '"'
        return len(self.text)

    def string_ended(self) -> None:
        self.path = []
        self.push('"')

    def open(self, start: int) -> None:
        self.place.quote = start

    def finish(self) -> None:
        place = self.place
        place.previous = self.tail
        place.start = len(self.text)
        if place.in_comment:
            place.word = self.text[len(self.text.rstrip(_IN_CODES)) :]
            place.start -= len(place.word)
        elif place.quote < 0 and self.tail[-1] and self.text.endswith(self.tail[-1]) and self.tail[-1].isidentifier():
            place.word = self.tail[-1]
            place.start -= len(place.word)
            place.path = ".".join(self.path[:-1])
            place.previous = ["", *self.tail[:2]]
            frame = place.frames[-1]
            if frame.names and frame.names[-1] == place.word:
                frame.names.pop()
        elif place.quote >= 0:
            place.word = self.text[place.quote :].lstrip('"')
            place.start -= len(place.word)
        else:
            place.path = ".".join(self.path)


def place_in(text: str, offset: int) -> Place:
    """Return the context of an offset; in a long text, only the enclosing declaration is read in detail."""
    before = text[:offset]
    start = 0
    tops = list(_TOP.finditer(before)) if offset > _LONG else []
    if tops:
        start = tops.pop().start()
    reader = _Reader(before[start:])
    reader.place.frames[0].names += [found[1] for found in tops]
    place = reader.read()
    place.region = start
    place.start += start
    for frame in place.frames:
        frame.start += start
    if place.quote >= 0:
        place.quote += start
    return place
