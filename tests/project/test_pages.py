"""The pages of docs/ are correct: programs print their output, mistakes are found, fragments parse.

A `harn` block is a program; the blocks `output` and `error` right after it are what it prints and what ends it. Of a
`harn-checked` block the `findings` follow. A `harn-file` block is a file that the programs of the page may import, and
a `harn-fragment` only has to parse.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import harnlite

FOLDER = Path(__file__).parents[2] / "docs"
FEWEST_PAIRS = {"language": 60, "reminders": 15, "agent": 15}
BLOCK = re.compile(r"^```([\w-]+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
ANSWERS = {"output", "error", "findings"}
KINDS = {"harn", "harn-checked", "harn-file", "harn-fragment", "text", "sh", "console"}


@dataclass
class Example:
    page: str
    kind: str
    file: str | None
    code: str
    line: int
    answers: dict[str, str] = field(default_factory=dict)


def examples(page: str) -> Iterator[Example]:
    """Yield the blocks of code, each with the answers that follow it directly."""
    text = page_text(page)
    example, end = None, 0
    for block in BLOCK.finditer(text):
        kind, file, code = block.groups()
        if kind in ANSWERS:
            assert example is not None
            assert text[end : block.start()] == "\n", f"an answer to nothing: {block[0]}"
            example.answers[kind] = code
        else:
            if example is not None:
                yield example
            example = Example(page, kind, file, code, text.count("\n", 0, block.start()) + 1)
        end = block.end()
    assert example is not None
    yield example


def page_text(page: str) -> str:
    return (FOLDER / f"{page}.md").read_text(encoding="utf-8")


EXAMPLES = [example for page in FEWEST_PAIRS for example in examples(page)]


def of_kind(kind: str) -> pytest.MarkDecorator:
    found = [example for example in EXAMPLES if example.kind == kind]
    return pytest.mark.parametrize("example", found, ids=[f"{example.page}_line_{example.line}" for example in found])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    for page in FEWEST_PAIRS:
        (made / page).mkdir()
    for example in EXAMPLES:
        if example.kind == "harn-file":
            (made / example.page / example.file).write_text(example.code, encoding="utf-8")
    return made


@of_kind("harn")
def test_a_program_prints_what_the_page_says(example, folder):
    program = folder / example.page / f"line_{example.line}.harn"
    program.write_text(example.code, encoding="utf-8")
    result = harnlite.Engine(cwd=program.parent).run(program)
    assert result.stdout == example.answers.get("output", "")
    assert (result.error or "") == example.answers.get("error", "").removesuffix("\n")


@of_kind("harn-checked")
def test_the_checks_say_what_the_page_says(example):
    findings = [f"{found.severity}: {found.message}" for found in harnlite.check(example.code)]
    assert findings == example.answers["findings"].splitlines()


@of_kind("harn-fragment")
def test_a_fragment_parses(example):
    assert harnlite.parse(example.code).statements


@pytest.mark.parametrize("page", FEWEST_PAIRS)
def test_a_page_shows_enough(page):
    here = [example for example in EXAMPLES if example.page == page]
    assert sum(example.kind == "harn" and bool(example.answers) for example in here) >= FEWEST_PAIRS[page]
    assert {example.kind for example in here} <= KINDS


@pytest.mark.parametrize("page", FEWEST_PAIRS)
def test_links_between_pages_lead_to_headings(page):
    for target, anchor in re.findall(r"\]\((?:(\w+)\.md)?#([^)]+)\)", page_text(page)):
        headings = HEADING.findall(page_text(target or page))
        assert anchor in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
