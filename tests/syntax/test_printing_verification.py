"""The fast comparison of a text with its formatted form never accepts a text that has another content."""

import random

import pytest

from harnlite.diagnostics.source import Source
from harnlite.syntax.printing_verification import content_of_text, difference, has_same_words
from tests.property.editing import texts
from tests.samples import count, sampled

TRIES = count(20_000, 1_500)
SPACES = ("", " ", "  ", "\n", "\n  ", "\t", " \n")
SIGNS = ('"', "$", "${", "}", "{", "//", "/*", "*/", '"""', "\\", "\\\n", "x", "1", ",", "r", "#", '" , "')


def _part(chance, text):
    """Return some lines of a text."""
    lines = text.split("\n")
    start = chance.randrange(len(lines))
    return "\n".join(lines[start : start + chance.randrange(1, 12)])


def _changed(chance, text):
    """Return a text with other white space, and sometimes with another sign."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.randrange(len(text) + 1)
        end = at
        if chance.random() < 0.7:  # change white space where there is some
            found = text.find(" ", at)
            at = end = found if found >= 0 else at
            while end < len(text) and text[end] in " \n":
                end += 1
        new = chance.choice(SPACES) if chance.random() < 0.9 else chance.choice(SIGNS)
        text = text[:at] + new + text[end:]
    return text


@sampled
def test_texts_with_the_same_words_have_the_same_content():
    chance = random.Random(3)
    programs = texts()
    accepted = 0
    for _ in range(TRIES):
        before = _part(chance, chance.choice(programs))
        for _ in range(chance.choice((0, 0, 0, 1, 2))):
            before = _changed(chance, before)
        after = _changed(chance, before)
        known = content_of_text(Source(before))
        if known is not None and has_same_words(before, after):
            accepted += 1
            assert difference(known, content_of_text(Source(after))) is None, (before, after)
    assert accepted > TRIES // 10


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ("f(a,b)\n    g( c )", "f(a, b)\ng(c)", True),
        ("a\n\n\n  b", "a\nb", True),
        ("a b", "ab", False),
        ("a\nb", "a b", False),
        ('"a  b"', '"a b"', False),
        ('x = """\n  a\n"""', 'x = """\na\n"""', False),
        ('"a ${f(\n  b)  //  c" , d', '"a ${f(\nb) // c", d', False),
        ('"a ${f(\n  b\n)}  // c"', '"a ${f(\n  b\n)} // c"', False),
        ("a /*\n  b\n*/", "a /*\nb\n*/", False),
        ("a \\\n  + b", "a\n+ b", False),
    ],
)
def test_forms(before, after, is_same):
    assert has_same_words(before, after) == is_same
