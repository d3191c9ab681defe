"""The Pygments lexer knows every keyword of the grammar and reads every program."""

import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest

pytest.importorskip("pygments")

from pygments.token import Comment, Error, Keyword, Name, Number, String

from harnlite.highlighting import HarnLexer
from harnlite.syntax.contextual_words import CONTEXTUAL
from harnlite.syntax.tokens import DURATION_UNITS, KEYWORDS

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(path for room in ("examples", "stdlib") for path in (ROOT / room).rglob("*.harn"))
MERGED = {"AS_STREAM": "as", "NOTIN": "not"}


def kinds(text):
    return [(kind, value) for kind, value in HarnLexer().get_tokens(text) if value.strip()]


def grammar_words():
    text = (ROOT / "grammar" / "harn.lark").read_text()
    return {word for line in re.findall(r"^%declare (.*)$", text, re.MULTILINE) for word in line.split()}


def test_the_table_of_keywords_is_that_of_the_grammar():
    declared = grammar_words()
    unused = {word for word in KEYWORDS if word.upper() not in declared}
    assert unused <= {"eval_pack"}
    contextual = {MERGED.get(name, name.lower()) for name in declared}
    assert {word for word in CONTEXTUAL if word not in contextual} == set()


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_every_keyword_is_one(word):
    assert kinds(f"{word} ")[0][0] in Keyword


@pytest.mark.parametrize("unit", sorted(DURATION_UNITS))
def test_durations(unit):
    assert kinds(f"5{unit}") == [(Number, f"5{unit}")]


def test_interpolations():
    found = kinds('"a ${f({b: 1})} c" // d')
    assert found[0][0] is String
    assert (Name.Function, "f") in found
    assert (Number.Integer, "1") in found
    assert found[-2][0] is String
    assert found[-1][0] in Comment


def test_a_comment_inside_a_comment():
    assert {kind for kind, _ in kinds("/* a /* b */ c */")} == {Comment.Multiline}
    assert kinds("/* a /* b */ c */ d")[-1] == (Name, "d")


def test_keywords_as_keys():
    found = kinds("{type: if, match?: 1}")
    assert (Name.Label, "type") in found
    assert (Name.Label, "match") in found
    assert (Keyword, "if") in found


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_program_is_read(path):
    text = path.read_text()
    found = list(HarnLexer().get_tokens(text))
    assert "".join(value for _, value in found).strip() == text.strip()
    assert Error not in {kind for kind, _ in found}


def test_the_entry_point_is_declared():
    assert 'harnlite = "harnlite.highlighting:HarnLexer"' in (ROOT / "pyproject.toml").read_text()
    for entry in entry_points(group="pygments.lexers"):
        if entry.name == "harnlite":
            assert entry.load() is HarnLexer
