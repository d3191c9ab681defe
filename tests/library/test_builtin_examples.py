"""The example of each builtin of these modules, a paragraph of its doc comment, returns what it says."""

import re

import pytest

import harnlite
from harnlite.analysis.builtins.digest import load_declarations
from harnlite.library import entries

EXAMPLE = re.compile(r"Example: `(.+)` returns\s`(.+)`\.")
MODULES = ("cookies", "csv", "junit", "multipart", "session_cookies", "urls")
DOCS = {name: entry[4] for name, entry in load_declarations().entries.items()}


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    names = [name for name, (home, _) in entries().items() if home == module]
    examples = {name: EXAMPLE.search(DOCS[name]) for name in names}
    assert names
    assert [name for name, found in examples.items() if found is None or f"{name}(" not in found[1]] == []
    lines = [f"println({found[1]})\n" for found in examples.values()]
    result = harnlite.Engine(cache=False, capabilities=[]).run("".join(lines))
    assert result.exit_code == 0, result.error
    assert result.stdout.splitlines() == [found[2] for found in examples.values()]
