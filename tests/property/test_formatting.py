"""The formatter keeps what programs mean: those of this repository, generated ones, and both with comments anywhere."""

import functools
from pathlib import Path

import pytest
from formatting import faults_of, tree_of
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import programs

from harnlite.diagnostics.source import Source
from harnlite.syntax.lexer import Lexer

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


@pytest.mark.parametrize("place", PLACES)
def test_programs_of_the_repository(place):
    faults = {str(path): found for path, text in texts(place) if (found := faults_of(text))}
    assert faults == {}
    assert texts(place)


@settings(max_examples=60)
@given(programs(), st.sampled_from([30, 80, 100]))
def test_generated_programs(text, width):
    assert faults_of(text, width, settled=width >= 80) == []


@settings(max_examples=250)
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
