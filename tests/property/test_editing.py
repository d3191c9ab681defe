"""Caches kept between versions of a text change neither its tree nor its findings."""

import os
import random

from editing import texts, typing, versions

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.analysis.checking.check import check
from harnlite.analysis.checking.findings_cache import CheckMemory
from harnlite.diagnostics.source import Source
from harnlite.stack import on_large_stack
from harnlite.syntax.incremental import IncrementalParser
from harnlite.syntax.outline import outline
from harnlite.syntax.parser import parse
from tests.samples import count, sampled

PROGRAMS = int(os.environ.get("HARNLITE_FUZZ", "0")) // 10 or count(60, 20)
VERSIONS = 8


def _findings(source, module, memory=None):
    found = check(source, module, load_declarations(), memory=memory)
    return [
        (one.span, one.message, one.help, [(label.span, label.message) for label in one.labels])
        for one in found
        if one.source is source
    ]


def _edit_and_compare(chance, text, edited=versions):
    """Return how many versions had no mistakes, and how many functions were known from an earlier version."""
    parser, memory = IncrementalParser(), CheckMemory()
    readable = known = 0
    for version in edited(chance, text, VERSIONS):
        source = Source(version)
        patched, whole = parser.parse(source), parse(Source(version))
        if patched.diagnostics or whole.diagnostics:
            assert parser.is_certain <= (bool(patched.diagnostics) == bool(whole.diagnostics)), version
            continue
        readable += 1
        assert outline(patched.module, source) == outline(whole.module, source), version
        known += sum(node in memory._known for node in patched.module.statements)
        assert _findings(source, patched.module, memory) == _findings(source, whole.module), version
    return readable, known


def _chosen(chance, programs):
    """Return a program; some are put into one long pipeline, of which only a part is read again."""
    text = chance.choice(programs)
    is_alone = any(word in text for word in ("import", "pub", "pipeline"))
    return text if is_alone or chance.random() < 0.5 else f"pipeline main(task) {{\n{text}\n}}\nfn after(a) {{ a }}\n"


@sampled
def test_a_text_that_is_edited_is_read_and_checked_as_if_it_were_new():
    chance = random.Random(7)
    programs = texts()

    def run():
        return [_edit_and_compare(chance, _chosen(chance, programs)) for _ in range(PROGRAMS)]

    counts = on_large_stack(run)
    assert sum(readable for readable, _ in counts) > PROGRAMS
    assert sum(known for _, known in counts) > PROGRAMS // 2


@sampled
def test_a_text_in_which_the_user_types_at_one_place_is_read_as_if_it_were_new():
    chance = random.Random(11)
    programs = texts()

    def run():
        return [_edit_and_compare(chance, _chosen(chance, programs), typing) for _ in range(PROGRAMS)]

    assert sum(readable for readable, _ in on_large_stack(run)) > PROGRAMS
