"""Programs with damaged brackets and quotes: each is parsed completely, or has an error."""

import functools
import random
import re

import pytest
from editing import texts
from formatting import faults_of

from harnlite.diagnostics.source import Source
from harnlite.syntax import machine
from harnlite.syntax.parser import Parser
from harnlite.syntax.recovery import Recovery
from tests.samples import count, sampled

SEEDS = 10
PROGRAMS = count(100_000, 2_000) // SEEDS
LONGEST = 1200
BRACKETS = '(){}[]"'
PLACES = re.compile(r'[(){}\[\]"]')
UNREAD = re.compile(r"\A\ufeff?(#![^\n]*)?|\\\r?\n|\s+")
"""What is neither a token nor a comment: a byte order mark, a `#!` line, joined lines and white space."""


class CountedRecovery(Recovery):
    """A recovery that counts how often it runs."""

    runs = 0

    def recover(self):
        CountedRecovery.runs += 1
        return super().recover()


@functools.cache
def excerpts():
    """Return the programs of this repository; long ones are cut into parts at blank lines."""
    found = []
    for text in texts():
        part = ""
        for paragraph in text.split("\n\n"):
            if part and len(part) + len(paragraph) > LONGEST:
                found.append(part)
                part = ""
            part += f"{paragraph}\n\n"
        found.append(part)
    return [text for text in found if PLACES.search(text)]


def damaged(text, dice):
    """Return the text after a few brackets or quotes are deleted, inserted, swapped or duplicated."""
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        places = [found.start() for found in PLACES.finditer(text)]
        if not places:
            return text
        at, other = sorted(dice.choices(places, k=2))
        kind = dice.randrange(5)
        if kind == 0:
            text = text[:at] + text[at + 1 :]
        elif kind == 1:
            at = dice.randint(0, len(text))
            text = text[:at] + dice.choice(BRACKETS) + text[at:]
        elif kind == 2:
            text = text[:at] + text[at] + text[at:]
        elif kind == 3:
            text = text[:at] + dice.choice(BRACKETS) + text[at + 1 :]
        elif at < other:
            text = text[:at] + text[other] + text[at + 1 : other] + text[at] + text[other + 1 :]
    return text


def unread(parser):
    """Return what a parser has read neither as a token nor as a comment, apart from white space."""
    text = parser.source.text
    spans = [(token.start, token.end) for token in parser.tokens] + parser.comments
    rest, last = [], 0
    for start, end in sorted(spans):
        rest.append(text[last:start])
        last = max(last, end)
    rest.append(text[last:])
    return UNREAD.sub("", "".join(rest))


def fault_of(text):
    """Return what is wrong with the parse of a damaged program, or None."""
    CountedRecovery.runs = 0
    parser = Parser(Source(text), declarations=True)
    if parser.run().diagnostics:
        return None
    if CountedRecovery.runs:
        return "no error is reported"
    if unread(parser):
        return f"some text is not read: {unread(parser)}"
    return faults_of(text) or None


@sampled
@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_damaged_program_is_parsed_completely_or_has_an_error(seed, monkeypatch):
    monkeypatch.setattr(machine, "Recovery", CountedRecovery)
    dice = random.Random(seed)
    for _ in range(PROGRAMS):
        text = damaged(dice.choice(excerpts()), dice)
        assert fault_of(text) is None, text
