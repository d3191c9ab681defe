"""docs/rules/ is up to date with `make docs`."""

from pathlib import Path

from harnlite.docs.rules import FOLDER, rule_pages

DOCS = Path(__file__).parents[2] / "docs"


def test_the_pages_are_up_to_date():
    written = {f"{FOLDER}/{path.name}": path.read_text(encoding="utf-8") for path in (DOCS / FOLDER).iterdir()}
    assert written == rule_pages()
