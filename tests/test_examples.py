"""Runs the examples: each prints its expected output, starts with its idea, and is short.

A program with a file `.error` instead of `.expected` ends with that report. Ids differ from run to run; the expected
texts have `<id>` where one stands.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import harnlite
from harnlite.diagnostics import render_text

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted(
    path for place in (".", "reminders", "demo") for path in (ROOT / "examples" / place).glob("[!.]*.harn")
)
HOSTS = sorted((ROOT / "examples" / "hosts").glob("*.py"))
MOST_LINES = 40
ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def compare(path: Path, shown: str, request: pytest.FixtureRequest) -> None:
    """Compare what an example has shown, or write it down if that is asked for."""
    shown = ID.sub("<id>", shown)
    if request.config.getoption("--golden"):
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", EXAMPLES, ids=name)
def test_example(path: Path, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNLITE_MEMORY_ROOT", str(tmp_path))
    result = harnlite.Engine(cache=False, cwd=tmp_path).run(path)
    report = path.with_suffix(".error")
    if report.exists():
        assert result.exit_code == 1
        compare(report, render_text.render(result.diagnostics).replace(str(path), path.name), request)
    else:
        assert (result.exit_code, result.stderr) == (0, "")
        compare(path.with_suffix(".expected"), result.stdout.replace(str(tmp_path), "."), request)


@pytest.mark.parametrize("path", HOSTS, ids=name)
def test_host_example(path: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")
    compare(path.with_suffix(".expected"), result.stdout, request)


@pytest.mark.parametrize("path", [path for path in [*EXAMPLES, *HOSTS] if path.parent.name != "demo"], ids=name)
def test_example_is_short_and_says_its_idea(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("// " if path.suffix == ".harn" else '"""')
    assert idea(path).endswith((".", "!"))
    assert len(lines) <= MOST_LINES


def idea(path: Path) -> str:
    return path.read_text(encoding="utf-8").splitlines()[0].removeprefix("// ").strip('"')


def test_the_table_of_reminder_examples_is_complete() -> None:
    folder = ROOT / "examples" / "reminders"
    rows = [f"| [{path.stem}]({path.name}) | {idea(path)} |\n" for path in EXAMPLES if path.parent == folder]
    hosts = [f"| [{path.stem}](../hosts/{path.name}) | {idea(path)} |\n" for path in HOSTS]
    text = (folder / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[.*\n", text, re.MULTILINE)
    assert sorted(listed) == sorted(rows + hosts)


def test_there_are_enough_examples() -> None:
    assert sum(path.parent.name == "examples" for path in EXAMPLES) >= 15
    assert sum(path.parent.name == "reminders" for path in EXAMPLES) >= 30
    assert ROOT / "examples" / "tour.harn" in EXAMPLES
