"""The examples in the doc comments of builtins return what they say."""

from __future__ import annotations

import re

import harnlite
from harnlite.analysis.builtins.digest import load_declarations
from harnlite.library import entries

EXAMPLE = re.compile(r"Example: `(.+)` returns\s`(.+)`\.")
ENTRIES = load_declarations().entries
DOCUMENTED = {name: EXAMPLE.search(entry[4]) for name, entry in ENTRIES.items() if "Example:" in entry[4]}
MODULES = {
    *("archives", "byte_strings", "compression", "encoding", "hashing", "keys", "signed_urls", "tokens", "uuids"),
    *("cookies", "csv", "junit", "multipart", "session_cookies", "templates", "urls"),
    *("http_mocks", "http_requests", "resilience"),
}
"""The modules whose builtins all have an example."""


def test_builtins_have_examples():
    assert [name for name, (module, _) in entries().items() if module in MODULES and name not in DOCUMENTED] == []
    assert [name for name, found in DOCUMENTED.items() if found is None or f"{name}(" not in found[1]] == []


FILE = "greeting.prompt"
"""The file that some examples read."""


def outputs(examples, **settings):
    calls = "\n".join(f"  println({found[1]})" for found in examples)
    engine = harnlite.Engine(cache=False, **settings)
    result = engine.run("pipeline default() {\n" + calls + "\n}\n")
    assert result.exit_code == 0, result.error
    return result.stdout.splitlines()


def test_examples_return_what_they_say():
    examples = [found for found in DOCUMENTED.values() if FILE not in found[1]]
    assert outputs(examples, capabilities=[]) == [found[2] for found in examples]


def test_examples_with_a_file_return_what_they_say(tmp_path):
    (tmp_path / FILE).write_text("Hello, {{ name }}!")
    examples = [found for found in DOCUMENTED.values() if FILE in found[1]]
    found = outputs(examples, capabilities=["fs.read"], cwd=tmp_path)
    assert found == [example[2] for example in examples]
