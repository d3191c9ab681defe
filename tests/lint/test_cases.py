"""All rules on small programs, separated by `=== name`: exactly the marked findings are reported."""

import re
from pathlib import Path

import pytest

from harnlite.analysis.files.import_files import FileImports
from harnlite.analysis.linting.linter import Linter
from harnlite.diagnostics.source import Source

FOLDER = Path(__file__).parent / "cases"
MARK = re.compile(r" //~ (HARN-\w+-\d+) (.*?)(?= //~|$)", re.MULTILINE)


def programs():
    for file in sorted(FOLDER.glob("*.txt")):
        for part in re.split(r"^=== ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            name, _, text = part.partition("\n")
            yield pytest.param(text, id=f"{file.stem}: {name}")


@pytest.fixture(scope="module")
def look():
    linter, imports = Linter(), FileImports()
    return lambda text: linter.lint(Source(text, "program.harn", str(FOLDER / "program.harn")), imports)


@pytest.mark.parametrize("text", list(programs()))
def test_a_program_has_the_findings_that_it_marks_and_no_others(text, look):
    marked = [(number, *mark) for number, line in enumerate(text.split("\n"), 1) for mark in MARK.findall(line)]
    source = Source(text)
    found = [(source.position(one.span.start).line, one.code, one.message) for one in look(text)]
    assert sorted(found) == sorted(marked)
