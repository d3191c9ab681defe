"""The example of each builtin, a line `Example: ...` of its doc comment, is true."""

import re

import pytest

import harnlite
from harnlite.analysis.builtins.digest import load_declarations
from harnlite.library import entries

EXAMPLE = re.compile(r"^Example: `(.+)`$", re.MULTILINE)
DOCS = {name: entry[4] for name, entry in load_declarations().entries.items()}
WITH_EXAMPLES = ("cookies", "csv", "junit", "multipart", "session_cookies", "urls")


def outcomes(examples):
    """Run examples as one program; return what each is, or its error."""
    lines = [f"println(try {{ {example} }} catch (e) {{ e }})" for example in examples]
    result = harnlite.Engine(cache=False, capabilities=[]).run("\n".join(lines) + "\n")
    assert result.exit_code == 0, result.error
    return result.stdout.splitlines()


def test_every_example_is_true():
    examples = [example for doc in DOCS.values() for example in EXAMPLE.findall(doc)]
    assert len(examples) >= 21
    false = [pair for pair in zip(examples, outcomes(examples), strict=True) if pair[1] != "true"]
    assert not false


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_every_builtin_of_these_modules_has_an_example(module):
    names = [name for name, (home, _) in entries().items() if home == module]
    assert names
    assert not [name for name in names if not any(f"{name}(" in example for example in EXAMPLE.findall(DOCS[name]))]
