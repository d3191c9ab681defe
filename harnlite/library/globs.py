"""Matching of globs. The time grows with the length of the glob times the length of the path.

A glob with few alternatives becomes a regular expression that never goes back over a `*`: the shortest match of the
text after each `*` is always good enough. A glob with many becomes a machine that follows all alternatives at once.
"""

from __future__ import annotations

from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.limits import beyond, limits_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import TypeAlias

    Part: TypeAlias = "str | _Group"
    Sequence: TypeAlias = list[Part]

_CLASS_OPEN = "unclosed character class; missing ']'"
_GROUP_OPEN = "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"
_GROUP_EXTRA = "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)"
_DANGLING = "dangling '\\'"
_SHOWN = 200
_STAR, _FOLDERS = "*", "**/"
_MOST_EXPANDED = 20_000
_MOST_KNOWN = 10_000


def _escaped(char: str) -> str:
    """Return a character as a regular expression."""
    return "\\" + char if char.isascii() and not char.isalnum() else char


def _compiled(expression: str) -> re.Pattern[str]:
    """Compile a regular expression; most runs that use files have no globs, and do not load `re`."""
    import re

    return re.compile(expression, re.DOTALL)


class GlobError(ValueError):
    """A syntax error in a glob."""

    def __init__(self, pattern: str, reason: str) -> None:
        shown = pattern if len(pattern) <= _SHOWN else pattern[:_SHOWN] + "…"
        super().__init__(f"error parsing glob '{shown}': {reason}")


class _Group:
    """The alternatives in braces."""

    __slots__ = ("choices",)

    def __init__(self) -> None:
        self.choices: list[Sequence] = [[]]


class _Reader:
    """A reader that splits a glob into parts: `*`, `**/`, groups, and regular expressions of one character."""

    __slots__ = ("at", "groups", "pattern", "pieces")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.groups: list[tuple[_Group, Sequence]] = []
        self.pieces: Sequence = []

    def parts(self) -> Sequence:
        """Return the parts of the whole pattern."""
        while self.at < len(self.pattern):
            char = self.pattern[self.at]
            step = _STEPS.get(char)
            if step is None:
                self.pieces.append(_escaped(char))
                self.at += 1
            else:
                step(self)
        if self.groups:
            raise GlobError(self.pattern, _GROUP_OPEN)
        return self.pieces

    def _take(self, piece: Part, length: int = 1) -> None:
        self.pieces.append(piece)
        self.at += length

    def star(self) -> None:
        """Read `*`, or `**/`, which matches any number of folders."""
        end = self.at
        while self.pattern[end : end + 1] == "*":
            end += 1
        starts = self.at == 0 or self.pattern[self.at - 1] == "/"
        if end - self.at == 2 and starts and self.pattern[end : end + 1] == "/":  # noqa: PLR2004 - `**/`
            self._take(_FOLDERS, 3)
        else:
            self._take(_STAR, end - self.at)

    def one(self) -> None:
        """Read `?`."""
        self._take(".")

    def escape(self) -> None:
        r"""Read `\` and the character that it escapes."""
        if self.at + 1 == len(self.pattern):
            raise GlobError(self.pattern, _DANGLING)
        self._take(_escaped(self.pattern[self.at + 1]), 2)

    def open_group(self) -> None:
        """Read `{`."""
        group = _Group()
        self._take(group)
        self.groups.append((group, self.pieces))
        self.pieces = group.choices[0]

    def next_choice(self) -> None:
        """Read `,`, which is a separator only inside braces."""
        if not self.groups:
            self._take(",")
            return
        self.pieces = []
        self.groups[-1][0].choices.append(self.pieces)
        self.at += 1

    def close_group(self) -> None:
        """Read `}`."""
        if not self.groups:
            raise GlobError(self.pattern, _GROUP_EXTRA)
        _, self.pieces = self.groups.pop()
        self.at += 1

    def character_class(self) -> None:
        """Read `[ab]`, `[a-z]` or `[!a]`; a `]` in the first position is a member of the class."""
        start = self.at + 1
        negated = self.pattern[start : start + 1] in {"!", "^"}
        start += negated
        end = self.pattern.find("]", start + 1)
        if end < 0:
            raise GlobError(self.pattern, _CLASS_OPEN)
        self.pieces.append(f"[{'^' if negated else ''}{self._members(self.pattern[start:end])}]")
        self.at = end + 1

    def _members(self, text: str) -> str:
        pieces = []
        at = 0
        while at < len(text):
            low = text[at]
            if text[at + 1 : at + 2] == "-" and at + 2 < len(text):
                high = text[at + 2]
                if low > high:
                    raise GlobError(self.pattern, f"invalid range; '{low}' > '{high}'")
                pieces.append(f"{_escaped(low)}-{_escaped(high)}")
                at += 3
            else:
                pieces.append(_escaped(low))
                at += 1
        return "".join(pieces)


_STEPS = {
    "*": _Reader.star,
    "?": _Reader.one,
    "\\": _Reader.escape,
    "{": _Reader.open_group,
    ",": _Reader.next_choice,
    "}": _Reader.close_group,
    "[": _Reader.character_class,
}


def compile_glob(pattern: str) -> Callable[[str], object]:
    """Return a function that tests whether a path matches a glob; `*` and `?` match slashes too."""
    if len(pattern) > limits_here().glob_length:
        raise GlobError(pattern, beyond("glob_length"))
    parts = _Reader(pattern).parts()
    choices = _expanded(parts)
    if choices is None:
        return _Machine(parts).matches
    return _compiled("|".join(map(_expression, choices))).fullmatch


def _expanded(parts: Sequence) -> list[list[str]] | None:
    """Return the parts without groups, once for each choice; return None if this would be too long."""
    found: list[list[str]] = [[]]
    for part in parts:
        tails: list[list[str]] = [[], [_STAR, "/"]] if part is _FOLDERS else []
        if isinstance(part, str):
            tails = tails or [[part]]
        else:
            for choice in part.choices:
                inner = _expanded(choice)
                if inner is None:
                    return None
                tails += inner
        if len(tails) == 1:
            for head in found:
                head.extend(tails[0])
        elif _fits(found, tails):
            found = [[*head, *tail] for head in found for tail in tails]
        else:
            return None
    return found if sum(map(len, found)) <= _MOST_EXPANDED else None


def _fits(heads: list[list[str]], tails: list[list[str]]) -> bool:
    """Return whether all heads with all tails together are short enough."""
    count = len(heads) * len(tails)
    return count + sum(map(len, heads)) * len(tails) + sum(map(len, tails)) * len(heads) <= _MOST_EXPANDED


def _expression(parts: list[str]) -> str:
    """Return the regular expression of parts without groups."""
    pieces: list[list[str]] = [[]]
    for part in parts:
        if part is _STAR:
            pieces.append([])
        else:
            pieces[-1].append(part)
    first, *middle = map("".join, pieces)
    if not middle:
        return first
    *middle, last = middle
    return first + "".join([f"(?>.*?{piece})" for piece in middle if piece]) + ".*" + last


class _Machine:
    """The states of a glob, of which several are active at a time; the steps that were needed so far are kept."""

    __slots__ = ("_edges", "_empty", "_final", "_first", "_steps")

    def __init__(self, parts: Sequence) -> None:
        self._edges: list[list[tuple[re.Pattern[str], int]]] = [[]]
        self._empty: list[list[int]] = [[]]
        self._final = self._add_parts(parts, 0)
        self._first = self._closure({0})
        self._steps: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def matches(self, path: str) -> bool:
        """Return whether a path matches."""
        states = self._first
        for char in path:
            if BUILTINS["_hintr"]:
                poll_here()
            after = self._steps.get((states, char))
            if after is None:
                if len(self._steps) > _MOST_KNOWN:
                    self._steps.clear()
                after = self._steps[states, char] = self._step(states, char)
            states = after
        return self._final in states

    def _step(self, states: frozenset[int], char: str) -> frozenset[int]:
        return self._closure({end for state in states for test, end in self._edges[state] if test.fullmatch(char)})

    def _closure(self, states: set[int]) -> frozenset[int]:
        waiting = [*states]
        while waiting:
            for end in self._empty[waiting.pop()]:
                if end not in states:
                    states.add(end)
                    waiting.append(end)
        return frozenset(states)

    def _state(self) -> int:
        self._edges.append([])
        self._empty.append([])
        return len(self._edges) - 1

    def _edge(self, start: int, piece: str, end: int) -> None:
        self._edges[start].append((_compiled(piece), end))

    def _add_parts(self, parts: Sequence, start: int) -> int:
        """Add the states of parts that begin at a state, and return their last state."""
        for part in parts:
            end = self._state()
            if part.__class__ is _Group:
                for choice in part.choices:
                    first = self._state()
                    self._empty[start].append(first)
                    self._empty[self._add_parts(choice, first)].append(end)
            elif part is _STAR or part is _FOLDERS:
                inside = self._state()
                self._empty[start] += (inside, end) if part is _FOLDERS else (inside,)
                self._edge(inside, ".", inside)
                if part is _FOLDERS:
                    self._edge(inside, "/", end)
                else:
                    self._empty[inside].append(end)
            elif part.__class__ is str:
                self._edge(start, part, end)
            start = end
        return start
