"""Programs whose expected findings are marked on their lines, and programs without findings."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harnlite.analysis.checking.check import check
from harnlite.diagnostics.source import Source
from harnlite.stack import on_large_stack
from harnlite.syntax.parser import parse

if TYPE_CHECKING:
    from harnlite.analysis.builtins.declarations import Declarations

HERE = Path(__file__).parent
MARK = "//~ "


def expected_findings(text: str) -> Counter[tuple[int, str, str]]:
    found: Counter[tuple[int, str, str]] = Counter()
    for number, line in enumerate(text.splitlines(), 1):
        for mark in line.split(MARK)[1:]:
            severity, _, message = mark.strip().partition(": ")
            found[number, severity, message] += 1
    return found


def actual_findings(text: str, declarations: Declarations) -> Counter[tuple[int, str, str]]:
    source = Source(text, "fixture.harn")
    result = parse(source)
    assert not result.diagnostics
    found = on_large_stack(lambda: check(source, result.module, declarations))
    return Counter((source.position(one.span.start).line, one.severity, one.message) for one in found)


@pytest.mark.parametrize("path", sorted((HERE / "fixtures").glob("*.harn")), ids=lambda path: path.stem)
def test_marked_findings(path: Path, declarations: Declarations) -> None:
    text = path.read_text(encoding="utf-8")
    assert actual_findings(text, declarations) == expected_findings(text)


@pytest.mark.parametrize("path", sorted((HERE / "silent").glob("*.harn")), ids=lambda path: path.stem)
def test_silence(path: Path, declarations: Declarations) -> None:
    assert not actual_findings(path.read_text(encoding="utf-8"), declarations)
