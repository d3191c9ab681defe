"""JSON as a text with places: reading a configuration file so that a part of it can be changed and the rest kept."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from harnlite.diagnostics.diagnostic import ERROR, Diagnostic
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source import Span

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from harnlite.diagnostics.source import Source

_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"\w+")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_DEEPEST = 200


class Node:
    """A value of the text with its place."""

    __slots__ = ("end", "start", "value")

    def __init__(self, start: int, end: int, value: object) -> None:
        self.start = start
        self.end = end
        self.value = value


class Items(Node):
    """An array; its value is the list of the values."""

    __slots__ = ("nodes",)

    def __init__(self, start: int, end: int, nodes: list[Node]) -> None:
        super().__init__(start, end, [node.value for node in nodes])
        self.nodes = nodes


class Member:
    """A key of an object and its value; `start` is the place of the key."""

    __slots__ = ("key", "node", "start")

    def __init__(self, start: int, key: str, node: Node) -> None:
        self.start = start
        self.key = key
        self.node = node

    @property
    def end(self) -> int:
        """Return the end of the value."""
        return self.node.end


class Members(Node):
    """An object; its value is a dict. Of a key that occurs twice, the last value counts, as for the agents."""

    __slots__ = ("members",)

    def __init__(self, start: int, end: int, members: list[Member]) -> None:
        super().__init__(start, end, {member.key: member.node.value for member in members})
        self.members = members

    def get(self, key: str) -> Node | None:
        """Return the value of a key with its place, or None."""
        return next((member.node for member in reversed(self.members) if member.key == key), None)


def parse_json(source: Source, *, has_comments: bool = False) -> Node:
    """Return the value of a JSON text; raise LanguageError at the place where it is malformed.

    With `has_comments` the text may contain comments. No agent takes a comma after the last item.
    """
    return _Parser(source, has_comments=has_comments).whole()


def fail(source: Source, start: int, end: int, message: str, *help_lines: str) -> NoReturn:
    """Raise a LanguageError for a place in a configuration file."""
    raise LanguageError(message, [Diagnostic(ERROR, message, source, Span(start, end), help=help_lines)])


class _Parser:
    def __init__(self, source: Source, *, has_comments: bool) -> None:
        self._source = source
        self._text = source.text
        self._has_comments = has_comments
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        node = self._value()
        self._skip()
        if self._at < len(self._text):
            self._fail("the file contains text after the JSON value")
        return node

    def _skip(self) -> None:
        """Skip white space and, where they are allowed, comments."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            comment = _COMMENT.match(self._text, self._at)
            if comment is None:
                return
            if not self._has_comments:
                self._fail("this file may not contain comments", comment.end())
            self._at = comment.end()

    def _fail(self, message: str, end: int = -1) -> NoReturn:
        fail(self._source, self._at, max(end, min(self._at + 1, len(self._text))), message)

    def _value(self) -> Node:
        self._skip()
        start = self._at
        first = self._text[start : start + 1]
        if first == "{":
            return self._nested(self._object)
        if first == "[":
            return self._nested(self._array)
        if first == '"':
            text = self._string()
            return Node(start, self._at, text)
        number = _NUMBER.match(self._text, start)
        if number is not None:
            self._at = number.end()
            return Node(start, self._at, _number(number[0]))
        word = _WORD.match(self._text, start)
        if word is not None and word[0] in _WORDS:
            self._at = word.end()
            return Node(start, self._at, _WORDS[word[0]])
        found = f"expected a JSON value, found {(word[0] if word else first)!r}"
        return self._fail(found if first else "the file ends where a value is missing", word.end() if word else -1)

    def _nested(self, read: Callable[[], Node]) -> Node:
        if self._depth >= _DEEPEST:
            self._fail("the JSON value is nested too deeply")
        self._depth += 1
        node = read()
        self._depth -= 1
        return node

    def _string(self) -> str:
        found = _STRING.match(self._text, self._at)
        if found is None:
            self._fail("this string is not closed or contains a wrong escape")
        self._at = found.end()
        return str(json.loads(found[0]))

    def _next(self, closing: str) -> bool:
        """Return whether another item follows; `closing` ends the container."""
        self._skip()
        character = self._text[self._at : self._at + 1]
        if character == closing:
            self._at += 1
            return False
        if character != ",":
            found = f", found {character!r}" if character else " before the file ends"
            self._fail(f"expected `,` or `{closing}`{found}")
        self._at += 1
        self._skip()
        if self._text[self._at : self._at + 1] == closing:
            self._fail(f"expected another item after `,`, found `{closing}`")
        return True

    def _is_empty(self, closing: str) -> bool:
        self._at += 1
        self._skip()
        if self._text[self._at : self._at + 1] == closing:
            self._at += 1
            return True
        return False

    def _array(self) -> Node:
        start, nodes = self._at, list[Node]()
        if not self._is_empty("]"):
            nodes.append(self._value())
            while self._next("]"):
                nodes.append(self._value())
        return Items(start, self._at, nodes)

    def _object(self) -> Node:
        start, members = self._at, list[Member]()
        if not self._is_empty("}"):
            members.append(self._member())
            while self._next("}"):
                members.append(self._member())
        return Members(start, self._at, members)

    def _member(self) -> Member:
        self._skip()
        start = self._at
        if self._text[start : start + 1] != '"':
            self._fail("expected a key in double quotes")
        key = self._string()
        self._skip()
        if self._text[self._at : self._at + 1] != ":":
            self._fail("expected `:` after the key")
        self._at += 1
        return Member(start, key, self._value())


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)
