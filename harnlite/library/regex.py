"""Builtins for regular expressions."""

from __future__ import annotations

from harnlite.formats.patterns.cursor import PatternError
from harnlite.formats.patterns.matching import compile_pattern
from harnlite.library.native import MISSING, native
from harnlite.values.display import display
from harnlite.values.errors import thrown
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.formats.patterns.matching import Match, Pattern

_FLAGS = frozenset("imsx")
_NAME_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


def _compiled(pattern: object, flags: object = "") -> Pattern:
    wanted = display(flags)
    for flag in wanted:
        if flag not in _FLAGS:
            raise thrown(f"Invalid regex: unsupported regex flag '{flag}', expected one of i/m/s/x")
    try:
        return compile_pattern(display(pattern), wanted)
    except PatternError as error:
        raise thrown(f"Invalid regex: {error}") from None


@native("regex_match")
def regex_match(pattern: object = "", text: object = MISSING, flags: object = "") -> list[object] | None:
    """Return the texts of all matches, or nil if there are none."""
    if text is MISSING:
        return None
    found: list[object] = [match[0] for match in _compiled(pattern, flags).matches(display(text), "regex_match")]
    return found or None


@native("regex_captures")
def regex_captures(pattern: object = "", text: object = "") -> list[object]:
    """Return a dict for each match with its text, its groups and the named groups that matched."""
    compiled = _compiled(pattern)
    return [_captures(compiled, match) for match in compiled.matches(display(text), "regex_captures")]


def _captures(compiled: Pattern, match: Match) -> dict[str, object]:
    entry: dict[str, object] = {"groups": list(match.groups()), "match": match[0]}
    for name, number in compiled.names.items():
        if match[number] is not None:
            entry[name] = match[number]
    return entry


@native("regex_replace")
def regex_replace(pattern: object = "", replacement: object = "", text: object = MISSING) -> str | None:
    """Return a text with all matches of a pattern replaced."""
    return _replaced("regex_replace", pattern, replacement, text)


@native("regex_replace_all")
def regex_replace_all(pattern: object = "", replacement: object = "", text: object = MISSING) -> str | None:
    """Return a text with all matches of a pattern replaced."""
    return _replaced("regex_replace_all", pattern, replacement, text)


def _replaced(caller: str, pattern: object, replacement: object, text: object) -> str | None:
    if text is MISSING:
        return None
    compiled, subject = _compiled(pattern), display(text)
    parts = _template(display(replacement), compiled)
    pieces: list[str] = []
    last = size = 0
    for match in compiled.matches(subject, caller):
        substitute = "".join([part if isinstance(part, str) else part(match) for part in parts])
        pieces += (subject[last : match.start()], substitute)
        size += len(substitute) + match.start() - last
        last = match.end()
        check_size(size)
    pieces.append(subject[last:])
    return "".join(pieces)


def _template(text: str, compiled: Pattern) -> list[str | Callable[[Match], str]]:
    """Split a replacement into plain texts and functions that return the text of a group."""
    parts: list[str | Callable[[Match], str]] = []
    at, unclosed = 0, len(text)
    while True:
        if BUILTINS["_hintr"]:
            poll_here()
        dollar = text.find("$", at)
        parts.append(text[at : dollar if dollar >= 0 else len(text)])
        if dollar < 0:
            return parts
        at = dollar + 1
        if text.startswith("$", at):
            parts.append("$")
            at += 1
            continue
        if text.startswith("{", at) and at < unclosed:
            end = text.find("}", at)
            if end >= 0:
                parts.append(_group_reader(text[at + 1 : end], compiled))
                at = end + 1
                continue
            unclosed = at
        end = next((place for place in range(at, len(text)) if text[place] not in _NAME_CHARS), len(text))
        parts.append(_group_reader(text[at:end], compiled) if end > at else "$")
        at = end


def _group_reader(name: str, compiled: Pattern) -> Callable[[Match], str]:
    number = int(name) if name.isascii() and name.isdecimal() else compiled.names.get(name)
    if number is None or number > compiled.groups:
        return lambda _: ""

    def read(match: Match) -> str:
        return match[number] or ""

    return read


@native("regex_split")
def regex_split(text: object = "", pattern: object = MISSING, flags: object = "") -> list[object] | None:
    """Split a text at all matches of a pattern."""
    if pattern is MISSING:
        return None
    subject, last = display(text), 0
    pieces: list[object] = []
    for match in _compiled(pattern, flags).matches(subject, "regex_split"):
        pieces.append(subject[last : match.start()])
        last = match.end()
    pieces.append(subject[last:])
    return pieces
