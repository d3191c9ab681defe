"""Runs every program in this folder and compares its output.

Beside `name.harn` stands `name.expected` (its exact stdout), `name.error` (a first line of digits is the exit code,
1 if there is none; every other line is a text that stderr must contain), or both. Without `name.error` the program
exits with 0. `name.toml` may give `args`, `set`, `set_json` (lists of strings), `stdin`, and `clean = true` where
nothing may be on stderr. What stands in a folder `lib` are modules; a program anywhere else that nothing is expected
of fails.
"""

import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import harnlite
from harnlite.diagnostics import render_text
from tests.commands import run_command
from tests.samples import sampled

HERE = Path(__file__).parent
SAMPLE_STEP = 9


@dataclass(frozen=True)
class Outcome:
    stdout: str
    stderr: str
    status: int


@dataclass(frozen=True)
class Case:
    path: Path
    options: dict[str, object] = field(default_factory=dict)

    @property
    def expected(self) -> Path:
        return self.path.with_suffix(".expected")

    @property
    def error(self) -> Path:
        return self.path.with_suffix(".error")

    @property
    def wants_command(self) -> bool:
        """Only the command line sets parameters from text and prints warnings."""
        warns = self.error.exists() and self.error.read_text(encoding="utf-8").startswith("0")
        return warns or "set" in self.options or "clean" in self.options

    def command(self) -> list[str]:
        words = ["run", str(self.path)]
        for option in ("set", "set_json"):
            for value in self.options.get(option, ()):
                words += ["--" + option.replace("_", "-"), value]
        return [*words, "--", *self.options.get("args", ())]


def load(path: Path) -> Case:
    toml = path.with_suffix(".toml")
    return Case(path, tomllib.loads(toml.read_text(encoding="utf-8")) if toml.exists() else {})


def programs(folder: Path) -> list[Path]:
    """Return the programs of a folder, those that nobody has said anything about among them."""
    return [path for path in sorted(folder.rglob("*.harn")) if "lib" not in path.relative_to(folder).parts]


CASES = [load(path) for path in programs(HERE)]
NAMES = [str(case.path.relative_to(HERE).with_suffix("")) for case in CASES]


def run_here(case: Case) -> Outcome:
    """Run the program in this process."""
    result = harnlite.Engine(cache=False).run(
        case.path, argv=case.options.get("args", ()), stdin=case.options.get("stdin", "")
    )
    report = "".join([result.stderr, render_text.render(result.diagnostics), result.error or ""])
    return Outcome(result.stdout, report, result.exit_code)


def run_as_command(case: Case) -> Outcome:
    """Run the program as a user would."""
    env = {**os.environ, "NO_COLOR": "1"}
    done = run_command(*case.command(), stdin=case.options.get("stdin", ""), env=env)
    return Outcome(done.stdout, done.stderr, done.returncode)


def compare(case: Case, got: Outcome) -> None:
    """Assert that the program did what the files beside it say."""
    assert case.expected.exists() or case.error.exists(), f"{case.path} has neither .expected nor .error"
    lines = case.error.read_text(encoding="utf-8").splitlines() if case.error.exists() else ["0"]
    status = int(lines.pop(0)) if lines and lines[0].isdigit() else 1
    if case.expected.exists():
        assert got.stdout == case.expected.read_text(encoding="utf-8"), got.stderr
    for text in lines:
        assert text in got.stderr
    assert got.status == status, got.stderr
    assert "Traceback" not in got.stderr
    assert got.stderr == "" or not case.options.get("clean")


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_program(case: Case, request: pytest.FixtureRequest) -> None:
    got = run_as_command(case) if case.wants_command else run_here(case)
    if request.config.getoption("--golden") and case.expected.exists():
        case.expected.write_text(got.stdout, encoding="utf-8")
    compare(case, got)


@sampled
@pytest.mark.parametrize("case", CASES[::SAMPLE_STEP], ids=NAMES[::SAMPLE_STEP])
def test_program_by_command(case: Case) -> None:
    compare(case, run_as_command(case))


def test_a_program_without_expectations_fails(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "module.harn").write_text("pub fn f() { return 1 }\n", encoding="utf-8")
    program = tmp_path / "forgotten.harn"
    program.write_text('println("hello")\n', encoding="utf-8")
    assert programs(tmp_path) == [program]
    with pytest.raises(AssertionError, match=r"neither \.expected nor \.error"):
        compare(load(program), Outcome("hello\n", "", 0))


def test_every_expectation_has_its_program() -> None:
    for suffix in (".expected", ".error", ".toml"):
        for path in HERE.rglob(f"*{suffix}"):
            assert path.with_suffix(".harn").exists(), path
