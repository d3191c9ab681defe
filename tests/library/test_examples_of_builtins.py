"""The examples in the doc comments of builtins return or print what they say."""

from __future__ import annotations

import os
import re

import pytest

import harnlite
from harnlite.analysis.builtins.digest import load_declarations
from harnlite.library import entries

EXAMPLE = re.compile(r"Example: `(.+)` (returns|prints)\s`(.+)`\.")
"""The statements of an example are separated by `; `, and the last one is an expression whose text it returns.

In what an example prints, `…` stands for any text."""
DECLARATIONS = load_declarations()
FOUND = {name: EXAMPLE.findall(DECLARATIONS.entries[name][4]) for name in DECLARATIONS.public}
WITHOUT = {
    "prompt_user": "it reads the real standard input",
}
"""The builtins that cannot have an example, each with the reason."""
FILES = {"greeting.prompt": "Hello, {{ name }}!", "notes.txt": "first\nsecond\n"}
"""The files in the working directory of an example."""


WITH_STATE = {"clock", "mailboxes", "shared"}
"""The modules whose examples change the state of a run."""


def split(code):
    """Return the statements of an example before the last one, and the last one."""
    cut = len(code)
    while (cut := code.rfind("; ", 0, cut)) >= 0:
        last = code[cut + 2 :]
        if last.count("{") == last.count("}") and last.count('"') % 2 == 0:
            return code[:cut], last
    return "", code


def is_alone(name, code, verb):
    """Return whether an example needs a run of its own: it may change the state of the run or reach outside."""
    if entries()[name][0] in WITH_STATE:
        return True
    return verb == "prints" or split(code)[0] != "" or DECLARATIONS.entries[name][3] is not None or ".prompt" in code


ROWS = [(name, *row) for name, rows in FOUND.items() for row in rows]
ALONE = [row for row in ROWS if is_alone(*row[:3])]
TOGETHER = [row for row in ROWS if not is_alone(*row[:3])]


def test_each_builtin_has_an_example_that_calls_it():
    assert [name for name, rows in FOUND.items() if not rows and name not in WITHOUT] == []
    assert [name for name in WITHOUT if FOUND[name]] == []
    assert [name for name, code, _, _ in ROWS if f"{name}(" not in code] == []


def program(rows):
    lines = []
    for _, code, verb, _ in rows:
        before, last = split(code)
        lines += [before, last if verb == "prints" else f"println({last})"]
    return "pipeline default() {\n" + "\n".join(lines) + "\n}\n"


def output(rows, **settings):
    result = harnlite.Engine(cache=False, **settings).run(program(rows))
    assert result.exit_code == 0, f"{rows[0]}: {result.error}"
    return result.stdout.splitlines()


def test_examples_that_only_compute_return_what_they_say():
    assert output(TOGETHER, capabilities=[]) == [text for _, _, _, text in TOGETHER]


@pytest.mark.timed
@pytest.mark.parametrize("start", range(0, len(ALONE), 40))
def test_examples_with_effects_do_what_they_say(start, tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith("HARN") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    wrong = []
    for index, row in enumerate(ALONE[start : start + 40]):
        folder = tmp_path / str(index)
        folder.mkdir()
        for file, content in FILES.items():
            (folder / file).write_text(content)
        pattern = ".*".join(re.escape(part) for part in row[3].split("…"))
        if not re.fullmatch(pattern, output([row], cwd=str(folder))[-1]):
            wrong.append(row[0])
    assert wrong == []
