"""A simulated editing session: the versions of a text, each a small change of the previous one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harnlite.diagnostics.source import Source
from harnlite.syntax.parser import parse

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
FOLDERS = ("tests/language", "stdlib/std", "examples")
TYPED = (
    *("x", "\n", "{", "}", "(", ")", '"', "//", "/*", "*/", "/// doc\n", " ", ".", "|>", "+", ";", "@test ", "pub "),
    *("${", "1", "if ", "= ", "\n\n", "let q = 1\n", "fn zz() { 1 }\n", "const X = 1\n", "x = nil\n", '1 + "a"\n'),
    *("[{", "})", "]"),
    *("unknown_fn()\n", 'x = "s"\n', "var total = 0\n", "yield 1\n", "pipeline p extends main() {}\n"),
)


def texts() -> list[str]:
    """Return the programs of this repository."""
    paths = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.harn"))
    return [path.read_bytes().decode() for path in paths]


def versions(chance: random.Random, text: str, count: int) -> Iterator[str]:
    """Yield versions of a text; what leaves a mistake is taken back half of the time."""
    yield text
    for _ in range(count):
        start = chance.randrange(len(text) + 1)
        if chance.random() < 0.3:
            start = text.find("\n", start) + 1
        end = min(len(text), start + chance.choice((0, 0, 0, 1, 2, 5, 30)))
        typed = chance.choice(TYPED) if chance.random() < 0.8 else text[end : end + chance.randrange(60)]
        before, text = text, text[:start] + typed + text[end:]
        yield text
        if chance.random() < 0.5 and parse(Source(text)).diagnostics:
            text = before
            yield text


def typing(chance: random.Random, text: str, count: int) -> Iterator[str]:
    """Yield versions of a text in which the user types at one place, and sometimes takes a letter back."""
    yield text
    at = text.find("\n", chance.randrange(len(text) + 1)) + 1
    for letter in chance.choices(("a", " ", "\n", "1", "x = 1\n", "<"), k=count):
        if letter == "<":
            text, at = text[: max(at - 1, 0)] + text[at:], max(at - 1, 0)
        else:
            text, at = text[:at] + letter + text[at:], at + len(letter)
        yield text
