"""The formatter keeps the meaning of programs from this repository and of generated ones, with comments anywhere."""

import functools
import random
from pathlib import Path

import pytest
from formatting import faults_of, tree_of
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import programs, whole_program

from harnlite.diagnostics.source import Source
from harnlite.syntax.lexer import Lexer
from harnlite.syntax.printer import format_source
from harnlite.syntax.tokens import CONTEXTUAL_WORDS
from tests.samples import count, sampled

ROOT = Path(__file__).parents[2]
PLACES = ["stdlib", "examples", "tests/language", "tests/analysis", "tests/bench", "tests/property"]
INSERTED = [
    "\n",
    "\n\n\n",
    " // c\n",
    "\n// c\n",
    "\n\n// c\n\n",
    "/* c */ ",
    " /* c */",
    "\n/* c\n   d */\n",
    "/* c\n d */",
]


@functools.cache
def texts(place):
    """Return the programs of a folder that have no mistakes."""
    found = [(path, path.read_text()) for path in sorted((ROOT / place).rglob("*.harn")) if path.is_file()]
    return [(path, text) for path, text in found if tree_of(text) is not None]


@sampled
@pytest.mark.parametrize("place", PLACES)
def test_programs_of_the_repository(place):
    chosen = texts(place)[:: count(1, 4)]
    faults = {str(path): found for path, text in chosen if (found := faults_of(text))}
    assert faults == {}
    assert chosen


@settings(max_examples=count(60, 10))
@given(programs(), st.sampled_from([30, 80, 100]))
def test_generated_programs(text, width):
    assert faults_of(text, width) == []


@sampled
@pytest.mark.parametrize("width", [30, 50, 80, 100])
def test_programs_of_seeds(width):
    for seed in range(count(200, 8)):
        assert faults_of(whole_program(random.Random(seed)), width) == [], f"seed {seed}"


@settings(max_examples=count(250, 50))
@given(st.data())
def test_comments_and_line_ends_anywhere(data):
    chosen = [(path, text) for path, text in texts("tests/language") + texts("examples") if len(text) < 3000]
    _, text = data.draw(st.sampled_from(chosen))
    starts = [token.start for token in Lexer(Source(text)).read() if token.kind != "NL"]
    places = data.draw(st.lists(st.sampled_from(starts), min_size=1, max_size=4, unique=True))
    for place in sorted(places, reverse=True):
        text = text[:place] + data.draw(st.sampled_from(INSERTED)) + text[place:]
    if tree_of(text) is not None:
        assert faults_of(text) == []


@functools.cache
def short_texts():
    """Return the programs of the golden file and of the tests that are short enough to be formatted many times."""
    blocks = (ROOT / "tests/syntax/printed.txt").read_text().split("=== ")[1:]
    found = [block.partition("\n")[2].partition("---\n")[0] for block in blocks]
    found += [text for _, text in texts("tests/language") if len(text) < 1500][::6]
    return [text for text in found if tree_of(text) is not None]


def with_comments(text, form, starts):
    """Return a text with a comment before each token of a choice, as far as it can still be read."""
    for start in reversed(starts):
        changed = text[:start] + form.format(start) + text[start:]
        if tree_of(changed) is not None:
            text = changed
    return text


@sampled
@pytest.mark.parametrize("form", ["/* {} */", "// {}\n", "/* {}\n b */", "\n/* {} */ ", "/// {}\n"])
def test_comments_at_many_places_at_once(form):
    dice = random.Random(form)
    for text in dice.sample(short_texts(), 12)[: count(12, 4)]:
        starts = [token.start for token in Lexer(Source(text)).read() if token.kind not in ("NL", "END")]
        commented = with_comments(text, form, sorted(dice.sample(starts, min(len(starts), 25))))
        assert faults_of(commented) == []


@sampled
@pytest.mark.parametrize("suffix", ["_longer", "_with_a_rather_long_name"])
def test_long_names(suffix):
    for text in short_texts()[:: count(1, 5)]:
        longer = text
        for token in reversed(Lexer(Source(text)).read()):
            if token.kind == "ID" and token.text not in CONTEXTUAL_WORDS and len(token.text) > 1:
                longer = longer[: token.end] + suffix + longer[token.end :]
        if tree_of(longer) is not None:
            assert faults_of(longer) == []


@sampled
def test_line_ends_of_other_systems_and_a_missing_last_one_change_nothing():
    for text in short_texts()[:: count(1, 5)]:
        formatted = format_source(Source(text))
        assert format_source(Source(text.replace("\n", "\r\n"))) == formatted
        assert format_source(Source(text.rstrip("\n"))) == formatted
        assert format_source(Source(f"\ufeff{text}")) == formatted


@sampled
def test_question_marks_and_blanks_between_tokens():
    """Blanks may separate characters that form another token side by side."""
    dice = random.Random(3)
    for text in short_texts()[:: count(1, 3)]:
        changed = text
        for token in reversed(Lexer(Source(text)).read()):
            end = token.end if token.kind not in ("COALESCE", "OPTDOT") else token.start + 1
            if token.kind in ("ID", "RPAR", "COALESCE", "OPTDOT") and dice.random() < 0.5:
                with_mark = changed[:end] + dice.choice((" ", " ? ", " ? ? ", "? ?. x ", "? . x")) + changed[end:]
                if tree_of(with_mark) is not None:
                    changed = with_mark
        assert faults_of(changed) == []
