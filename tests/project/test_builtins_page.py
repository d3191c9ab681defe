"""docs/builtins.md agrees with the declarations."""

from pathlib import Path

import pytest

from harnlite.analysis.builtins.declarations import INTERNAL
from harnlite.analysis.builtins.digest import load_declarations
from harnlite.diagnostics.source import Source
from harnlite.docs.builtins import AREAS, builtins_page, exported_functions
from harnlite.library import entries

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "builtins.md"
MODULES = sorted((ROOT / "stdlib" / "std").rglob("*.harn"))


def test_the_page_is_up_to_date():
    text = PAGE.read_text(encoding="utf-8")
    assert builtins_page(text) == text, "run: make docs"


def test_every_builtin_has_its_place_and_its_words():
    text = PAGE.read_text(encoding="utf-8")
    entries = load_declarations().entries
    told = [name for name in entries if not name.startswith(INTERNAL)]
    assert not [name for name in told if f"\n#### {name}\n" not in text]
    assert not [name for name, entry in entries.items() if not entry[4]]


def test_no_area_is_empty():
    modules = [module for _, named in AREAS for module in named]
    assert sorted(modules) == sorted(
        {module for name, (module, _) in entries().items() if not name.startswith(INTERNAL)}
    )


def test_a_page_without_its_mark_is_refused():
    with pytest.raises(ValueError, match="has no line"):
        builtins_page("# Builtins\n")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_exported_function_is_described(path):
    functions = list(exported_functions(Source(path.read_text(encoding="utf-8"), path.name)))
    assert functions
    assert not [head for head, doc in functions if not doc]
