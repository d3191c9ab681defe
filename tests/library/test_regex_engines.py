"""Both engines of regular expressions find the same, and RE2 finds it in linear time."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest

import harnlite
from harnlite.formats.patterns import matching
from harnlite.formats.patterns.cursor import PatternError
from harnlite.formats.patterns.matching import Pattern, compile_pattern
from harnlite.formats.patterns.parser import PatternParser
from harnlite.library import regex as builtins
from harnlite.values.errors import ScriptError
from harnlite.values.limits import Limits
from tests.samples import count, sampled

PROGRAMS = Path(__file__).parents[1] / "language" / "builtins_regex"
LETTERS = [*"abABksi1_ ", r"\n", "-", *"éÉß\u017f\u212a\u0130\u0131\u03c3\u0663€😀"]
CLASSES = [
    *[
        ".",
        "(?s:.)",
        r"\d",
        r"\w",
        r"\s",
        r"\D",
        r"\W",
        r"\S",
        r"\p{Lu}",
        r"\PL",
        r"\p{Greek}",
        r"(?-u:\w)",
        r"(?-u:\W)",
    ],
    *["[ab]", "[^a]", "[a-k]", "[A-s]", r"[^\n]", r"[\w-]", r"[^\W_]", r"[\s1]", r"[\S]", r"[^\d\s]", "[é-ü]", "[^é]"],
    *["[[:alpha:]_]", "[[:^digit:]]", "[a-z&&[^b]]", "[a-c--b]", "[a-c~~b-d]", "[[^ac]b]", "[a&&b]", r"[\x00-\x7f]"],
]
ASSERTIONS = [
    "^",
    "$",
    r"\A",
    r"\z",
    r"\b",
    r"\B",
    "(?m:^)",
    "(?m:$)",
    r"(?-u:\b)",
    r"(?-u:\B)",
    r"\<",
    r"\b{end}",
    "(?mR:$)",
]
REPEATS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,3}?", "{2,}", "{0}", "{1}", "{0,1}", "{1,}?"]
FLAGS = ["", "", "", "", "i", "s", "m", "im", "U", "x"]
PAIRS = 100_000
TEXTS_OF_A_PATTERN = 5
TEXTS = "aaabbABkKsSiI12_ \n\n-.\x0b"
UNICODE = "éÉß\u1e9e\u017f\u212a\u0130\u0131\u03c3\u03c2\u03a3\u0663€😀\u2167\xa0\u2028e\u0301"


def generated_pattern(chance: random.Random, depth: int = 3) -> str:
    """Return a pattern; most are valid."""
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


def compiled_without_cache(pattern: str, flags: str = "") -> Pattern:
    return Pattern(PatternParser(pattern, flags))


def linear_engines(compiled: Pattern, text: str):
    """Return the forms of a pattern for RE2 that can search a text."""
    forms = [compiled._ascii if text.isascii() else None, compiled.linear()]
    return [form for form in forms if form is not None]


@sampled
@pytest.mark.parametrize("part", range(8))
def test_both_engines_find_the_same(part, monkeypatch):
    monkeypatch.setattr("harnlite.formats.patterns.matching.PATIENCE", 5.0)
    chance = random.Random(part)
    pairs = compared = 0
    wanted = count(PAIRS, 1600) // 8
    while pairs < wanted:
        pattern, flags = generated_pattern(chance), chance.choice(FLAGS)
        try:
            compiled = compiled_without_cache(pattern, flags)
        except PatternError:
            continue
        for _ in range(TEXTS_OF_A_PATTERN):
            text = generated_text(chance)
            expected = seen(compiled._backtracking_matches(text, "test"))
            forms = linear_engines(compiled, text)
            assert [seen(form.matches(text)) for form in forms] == [expected] * len(forms), (pattern, flags, text)
            pairs += 1
            compared += bool(forms)
    assert compared > wanted * 0.7


CATASTROPHES = [
    ("(a|aa)+$", "a" * 40 + "b"),
    ("(a|aa)+$", "é" + "a" * 40 + "b"),
    ("(?i)(a|aa)+$", "é" + "a" * 40 + "b"),
    ("(?:a|a|b)*c", "ab" * 30),
    (r"(\w|\w\w)+$", "é" * 40 + "!"),
    (r"([\p{L}--[x]]|\pL\pL)+$", "é" * 40 + "!"),
    (r"(\w+\s?)+$", "some words " * 4 + "that never end!"),
    ("(?:.*,){11}P", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25"),
]


@pytest.mark.parametrize(("pattern", "text"), CATASTROPHES)
def test_time_is_linear(pattern, text):
    started = time.thread_time()
    assert builtins.regex_match(pattern, text) is None
    assert time.thread_time() - started < 2


def test_what_both_engines_find_has_the_same_positions_after_a_change_of_engines(monkeypatch):
    monkeypatch.setattr("harnlite.formats.patterns.matching.PATIENCE", 0.0)
    text = "x😀é " + "a" * 200 + "b "
    assert builtins.regex_replace("((a|aa)+$)|x|é|b", "<$0>", text * 2) == (
        f"<x>😀<é> {'a' * 200}<b> <x>😀<é> {'a' * 200}<b> "
    )


@pytest.mark.parametrize("pattern", [r"a\<b", r"a{1001}", "(a*)*b", "(?Rm)a$"])
def test_what_only_one_engine_expresses_runs_on_it(pattern):
    compiled = compiled_without_cache(pattern)
    assert linear_engines(compiled, "a") == []
    assert not compiled.found_in("x", "test")


def test_a_boundary_of_unicode_words_is_not_one_of_ascii_words():
    compiled = compiled_without_cache(r"\bb")
    assert compiled.linear() is None
    assert not compiled.found_in("éb", "test")
    assert compiled.found_in("-b", "test")


def test_texts_that_are_not_unicode_are_searched():
    assert builtins.regex_match(".", "a\ud800") == ["a", "\ud800"]
    assert builtins.regex_split("a\ud800b", "\ud800") == ["a", "b"]


@pytest.fixture
def without_re2(monkeypatch):
    monkeypatch.setitem(sys.modules, "re2", None)
    matching._compiled.cache_clear()
    yield
    matching._compiled.cache_clear()


def test_patterns_run_without_re2(without_re2):
    assert compile_pattern(r"\d+")._ascii is None
    assert builtins.regex_match(r"\d+", "a1b22") == ["1", "22"]
    assert builtins.regex_captures(r"(?P<y>\d)-(\d)?", "1-") == [{"groups": ["1", None], "match": "1-", "y": "1"}]
    assert builtins.regex_replace("(é)|b", "<$1>", "abé") == "a<><é>"
    assert builtins.regex_split("aXb", "x", "i") == ["a", "b"]


@pytest.mark.parametrize("program", sorted(PROGRAMS.glob("*.harn")), ids=lambda path: path.stem)
def test_programs_run_alike_without_re2(program, without_re2):
    result = harnlite.Engine(cache=False).run(program)
    assert result.stdout == program.with_suffix(".expected").read_text(encoding="utf-8")


def test_the_time_limit_holds_without_re2(without_re2, monkeypatch):
    limits = Limits({"regex_milliseconds": 200})
    monkeypatch.setattr("harnlite.formats.patterns.matching.limits_here", lambda: limits)
    with pytest.raises(ScriptError) as caught:
        builtins.regex_match("(a|aa)+$", "a" * 60 + "b")
    assert caught.value.value == "Runtime error: regex_match: pattern takes too long"


def test_a_negated_class_keeps_its_meaning_in_an_alternative(without_re2):
    assert builtins.regex_match("[^a]|[^b]", "ab") == ["a", "b"]
    assert builtins.regex_match("[^[b]]|[^a-a]", "ab") == ["a", "b"]
