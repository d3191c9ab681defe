"""Files with several mistakes, each marked on its line; the valid parts are kept."""

from pathlib import Path

import pytest

from harnlite.diagnostics.source import Source
from harnlite.syntax.parser import parse
from harnlite.syntax.visitor import walk

FILES = sorted((Path(__file__).parent / "marked").glob("*.harn"))
MARK, KEPT = "//~ ", "// kept: "


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_mistake_is_told_once_on_its_line(path):
    text = path.read_text().rstrip("\n")
    source = Source(text)
    found = {}
    for finding in parse(source).diagnostics:
        position = source.position(finding.span.start)
        found.setdefault(position.line, []).append(finding.message.removesuffix(f" at {position}"))
    marked = {
        number: [mark.strip() for mark in line.split(MARK)[1:]]
        for number, line in enumerate(text.splitlines(), 1)
        if MARK in line
    }
    assert found == marked


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_sound_is_kept(path):
    text = path.read_text()
    names = {node.name.text for node in walk(parse(Source(text)).module) if type(node).__name__.endswith("Decl")}
    kept = text.partition(KEPT)[2].partition("\n")[0].split()
    assert set(kept) <= names
