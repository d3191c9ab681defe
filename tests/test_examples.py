"""Runs the examples: each prints what stands beside it, says its idea first, and stays short."""

from pathlib import Path

import pytest

import harnlite

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.harn"))
MOST_LINES = 40


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, request: pytest.FixtureRequest) -> None:
    result = harnlite.Engine(cache=False).run(path)
    expected = path.with_suffix(".expected")
    if request.config.getoption("--golden"):
        expected.write_text(result.stdout, encoding="utf-8")
    assert result.stdout == expected.read_text(encoding="utf-8"), result.stderr
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_short_and_says_its_idea(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("// ")
    assert lines[0].endswith((".", "!"))
    assert len(lines) <= MOST_LINES


def test_there_are_enough_examples() -> None:
    assert len(EXAMPLES) >= 15
    assert ROOT / "examples" / "tour.harn" in EXAMPLES
