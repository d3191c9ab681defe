"""The correct programs of this repository have no findings."""

import re
from pathlib import Path

import pytest

from harnlite.analysis.files.import_files import FileImports
from harnlite.analysis.linting.linter import Linter
from harnlite.diagnostics.source import Source
from harnlite.diagnostics.source_files import read_source

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(path for room in ("examples", "stdlib") for path in (ROOT / room).rglob("*.harn"))
BLOCK = re.compile(r"^```harn(?: \S+)?\n(.*?)^```(?!\n```(?:error|findings))", re.MULTILINE | re.DOTALL)
SHORT = {"HARN-LNT-001"}
"""What programs of pages may do: they name values only to show how."""
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


SHOWN = {
    "error_malformed_provider": {"HARN-RMD-006"},
    "error_too_many_providers": {"HARN-RMD-007"},
    "error_unknown_option": {"HARN-RMD-001"},
    "error_worker_event": {"HARN-RMD-008"},
    "error_wrong_values": {"HARN-RMD-001"},
    "language": {
        "HARN-CHK-002",
        "HARN-LNT-001",
        "HARN-LNT-005",
        "HARN-LNT-006",
        "HARN-LNT-007",
        "HARN-LNT-015",
        "HARN-LNT-016",
        "HARN-LNT-020",
        "HARN-SYN-001",
    },
    "reminders": {"HARN-RMD-001"},
    "templates": {"HARN-CHK-002"},
    "warning_no_ttl": {"HARN-RMD-004"},
    "warning_user_block": {"HARN-RMD-003"},
}
"""Examples and pages that show mistakes, and the codes of these."""


@pytest.fixture(scope="module")
def look():
    linter, imports = Linter(), FileImports()
    return lambda source: linter.lint(source, imports)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_programs_and_modules_are_clean(path, look):
    found = look(read_source(str(path)))
    assert {one.code for one in found} == SHOWN.get(path.stem, set()), found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_programs_of_the_pages_are_clean(path, look):
    found = [one for text in BLOCK.findall(path.read_text(encoding="utf-8")) for one in look(Source(text, path.name))]
    assert {one.code for one in found} - SHORT <= SHOWN.get(path.stem, set()), found
