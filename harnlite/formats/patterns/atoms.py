"""The smallest parts of a parsed pattern, from which the text for each engine is written."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Parts: TypeAlias = "tuple[str | Atom, ...]"

LITERAL, CLASS, ASSERTION, MARK = "literal", "class", "assertion", "mark"


class Atom:
    """A character, a class of characters, or an assertion: its text for `regex`, and whether it ignores case.

    What both engines write alike (parentheses, bars, repetition operators) is a plain text among the parts.
    """

    __slots__ = ("folded", "kind", "text")

    def __init__(self, kind: str, text: str, *, folded: bool = False) -> None:
        self.kind = kind
        self.text = text
        self.folded = folded


FOLDING = Atom(MARK, "(?i-f:")
UNFOLDING = Atom(MARK, ")")
"""Where characters that ignore case start and end; only `regex` needs them."""


def escaped(char: str) -> str:
    """Return a character in a form that both engines treat as a literal everywhere."""
    return char if char.isalnum() or not char.isascii() else f"\\x{ord(char):02x}"


def backtracking_text(parts: Parts) -> str:
    """Return a pattern in the syntax of `regex`."""
    return "".join([part if part.__class__ is str else _backtracking(part) for part in parts])


def _backtracking(part: str | Atom) -> str:
    if isinstance(part, str):
        return part
    return escaped(part.text) if part.kind == LITERAL else part.text
