"""The examples of rules for coding agents: each is short, starts with its idea, and says the expected in a session."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import harnlite
from harnlite.cli.hook_replay import command

FOLDER = Path(__file__).parents[3] / "examples" / "hooks"
EXAMPLES = sorted(FOLDER.glob("*.harn"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_an_example_says_in_the_recorded_session(path, request):
    session = FOLDER / "session.jsonl"
    result = CliRunner().invoke(command, [str(session), "--script", str(path), "--sandbox", "--folder", str(FOLDER)])
    assert (result.exit_code, result.stderr) == (0, "")
    golden = path.with_suffix(".expected")
    if request.config.getoption("--golden"):
        golden.write_text(result.stdout, encoding="utf-8")
    assert result.stdout == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_clean_and_short(path):
    text = path.read_text(encoding="utf-8")
    assert harnlite.check(text) == []
    assert text.startswith("// ")
    assert len(text.splitlines()) <= 40


def test_every_example_is_listed():
    rows = [
        f"| [{path.stem}]({path.name}) | {path.read_text().splitlines()[0].removeprefix('// ')} |\n"
        for path in EXAMPLES
    ]
    assert len(rows) == 3
    assert "".join(rows) in (FOLDER / "README.md").read_text(encoding="utf-8")
