"""Both engines of regular expressions find the same, and RE2 finds it in linear time."""

from __future__ import annotations

import random
import sys
import time

import pytest

from harnlite.formats.patterns.cursor import PatternError
from harnlite.formats.patterns.matching import Pattern, compile_pattern
from harnlite.library import regex as builtins
from harnlite.values.errors import ScriptError
from tests.samples import count, sampled

LETTERS = ["a", "b", "A", "B", "k", "s", "i", "1", "_", " ", r"\n", "-", "é", "É", "ß", "ſ", "K", "İ", "ı", "σ", "٣", "€", "😀"]
CLASSES = [
    ".", "(?s:.)", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", "[ab]", "[^a]", "[a-k]", "[A-s]", "[^\\n]", r"[\w-]", r"[^\W_]",
    r"[\s1]", r"[\S]", "[[:alpha:]_]", "[[:^digit:]]", "[a-z&&[^b]]", "[a-c--b]", "[a-c~~b-d]", r"\p{Lu}", r"\PL", "[é-ü]",
    r"[^é]", r"\p{Greek}", r"(?-u:\w)", r"(?-u:\W)", "[[^a]b]", "[a&&b]", r"[\x00-\x7f]", r"[^\d\s]",
]  # fmt: skip
ASSERTIONS = ["^", "$", r"\A", r"\z", r"\b", r"\B", "(?m:^)", "(?m:$)", r"(?-u:\b)", r"(?-u:\B)", r"\<", r"\b{end}", "(?mR:$)"]
REPEATS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,3}?", "{2,}", "{0}", "{1}", "{0,1}", "{1,}?"]
FLAGS = ["", "", "", "", "i", "s", "m", "im", "U", "x"]
TEXTS = "aaabbABkKsSiI12_ \n\n-.\x0b"
UNICODE = "éÉßẞſKİıσςΣ٣€😀Ⅷ\xa0\u2028é"


def generated_pattern(chance: random.Random, depth: int = 3) -> str:
    """Return a pattern; most patterns of this depth are valid."""
    kind = chance.random()
    if depth == 0 or kind < 0.3:
        return chance.choice(LETTERS[: chance.choice([6, 12, len(LETTERS)])])
    if kind < 0.45:
        return chance.choice(CLASSES)
    if kind < 0.53:
        return chance.choice(ASSERTIONS)
    inner = [generated_pattern(chance, depth - 1) for _ in range(chance.choice([1, 2, 2, 3]))]
    if kind < 0.66:
        return "".join(inner)
    if kind < 0.76:
        return f"({'|'.join(inner)}{chance.choice(['', '', '|'])})"
    if kind < 0.8:
        return f"(?{chance.choice(['i', 's', '-i', 'm'])}:{inner[0]})"
    opening = chance.choice(["(", "(?:", "(?P<n>" if depth == 3 else "("])
    return f"{opening}{inner[0]}){chance.choice(REPEATS)}"


def generated_text(chance: random.Random) -> str:
    letters = chance.choice(["ab", TEXTS, TEXTS, TEXTS + UNICODE, "aé\n"])
    return "".join(chance.choices(letters, k=chance.randrange(9)))


def seen(matches) -> list[object]:
    return [(match.start(), match.end(), match[0], match.groups()) for match in matches]


@pytest.fixture
def patient(monkeypatch):
    monkeypatch.setattr("harnlite.formats.patterns.matching.PATIENCE", 5.0)


def engines(compiled: Pattern, text: str):
    """Yield the engines of RE2 that can search a text."""
    if text.isascii() and compiled._ascii is not None:
        yield compiled._ascii
    if (linear := compiled.linear()) is not None:
        yield linear


@sampled
@pytest.mark.parametrize("part", range(8))
def test_both_engines_find_the_same(part, patient):
    pairs = linear = 0
    chance = random.Random(part)
    wanted = count(12_500, 250)
    while pairs < wanted:
        pattern, flags = generated_pattern(chance), chance.choice(FLAGS)
        try:
            compiled = Pattern_of(pattern, flags)
        except PatternError:
            continue
        for _ in range(5):
            text = generated_text(chance)
            expected = seen(compiled._backtracking_matches(text, "test"))
            for engine in engines(compiled, text):
                linear += 1
                assert seen(engine.matches(text)) == expected, (pattern, flags, text)
            pairs += 1
    assert linear > wanted * 0.8


def Pattern_of(pattern, flags): return compile_pattern.__wrapped__(pattern, flags)
