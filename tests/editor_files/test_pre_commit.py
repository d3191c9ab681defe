"""The pre-commit hooks accept files as arguments, and fail if a file has an error or was changed."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}


def run(hook, *files, cwd, args=()):
    program, *rest = shlex.split(HOOKS[hook]["entry"])
    assert program == "harnlite"
    command = [sys.executable, "-m", "harnlite", *rest, *args, *files]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def project(tmp_path):
    (tmp_path / "good.harn").write_text("let x = 1\nprintln(x)\n")
    (tmp_path / "odd.harn").write_text("let x=1\nprintln(x == x)\n")
    return tmp_path


def test_the_hooks():
    assert list(HOOKS) == ["harnlite-lint", "harnlite-fmt"]
    for hook in HOOKS.values():
        assert re.search(hook["files"], "lib/a.harn")
        assert not re.search(hook["files"], "a.harn.md")


def test_lint(project):
    clean = run("harnlite-lint", "good.harn", cwd=project)
    assert (clean.returncode, clean.stdout, clean.stderr) == (0, "", "")
    found = run("harnlite-lint", "good.harn", "odd.harn", cwd=project)
    assert found.returncode == 1
    assert "HARN-LNT-007" in found.stdout


def test_fmt_changes_files_which_pre_commit_sees(project):
    result = run("harnlite-fmt", "good.harn", "odd.harn", cwd=project)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert (project / "odd.harn").read_text() == "let x = 1\nprintln(x == x)\n"
    assert run("harnlite-fmt", "odd.harn", cwd=project, args=["--check"]).returncode == 0
