"""The launcher, which an installer copies into a `bin` folder, finds the Python of its environment."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LAUNCHER = Path(__file__).parents[2] / "distribution" / "launcher"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows uses the entry point")


@pytest.fixture
def installed(tmp_path):
    """Return a folder with a space in its name and the launcher in it."""
    home = tmp_path / "an environment"
    (home / "bin").mkdir(parents=True)
    shutil.copy(LAUNCHER, home / "bin" / "harnlite")
    return home


def stand_in(folder, name):
    """Write a program that prints its path and its arguments, and stands for a Python."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$0" "$@"\n')
    program.chmod(0o755)
    return program


def virtual(home):
    (home / "pyvenv.cfg").write_text("")
    return stand_in(home / "bin", "python")


def package(home, *folders):
    (home.joinpath(*folders) / "harnlite-1.0.dist-info").mkdir(parents=True)


def started(*command, path="", cwd=None):
    """Run a command and return the Python that it started, and the arguments of that."""
    environment = {**os.environ, "PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=cwd)
    python, *given = result.stdout.splitlines()
    return os.path.realpath(Path(cwd or ".", python)), given


def test_it_starts_the_python_beside_it(installed):
    python = virtual(installed)
    script = str(installed / "bin" / "harnlite")
    found, given = started(script, "run", "a file.harn", "$x", "")
    assert found == str(python)
    assert given == ["-P", script, "run", "a file.harn", "$x", ""]


def test_a_moved_environment_still_starts(installed, tmp_path):
    virtual(installed)
    moved = installed.rename(tmp_path / "somewhere else")
    assert started(moved / "bin" / "harnlite")[0] == str(moved / "bin" / "python")


@pytest.mark.parametrize("is_relative", [True, False])
def test_links_lead_to_the_environment(installed, tmp_path, is_relative):
    python = virtual(installed)
    folder = tmp_path / "local bin"
    folder.mkdir()
    script = installed / "bin" / "harnlite"
    (folder / "first").symlink_to(os.path.relpath(script, folder) if is_relative else script)
    (folder / "harnlite").symlink_to("first" if is_relative else folder / "first")
    stand_in(folder, "python")
    for command in (folder / "harnlite", "harnlite"):
        assert started(command, path=folder)[0] == str(python)


def test_a_shell_may_read_it_from_its_folder(installed):
    python = virtual(installed)
    assert started("sh", "harnlite", cwd=installed / "bin")[0] == str(python)


@pytest.mark.parametrize("packages", ["site-packages", "dist-packages"])
def test_outside_of_a_virtual_environment_the_version_decides(installed, tmp_path, packages):
    package(installed, "lib", "python3.12", packages)
    stand_in(installed / "bin", "python")
    elsewhere = stand_in(tmp_path / "path", "python3.12")
    script = installed / "bin" / "harnlite"
    assert started(script, path=tmp_path / "path")[0] == str(elsewhere)
    beside = stand_in(installed / "bin", "python3.12")
    assert started(script, path=tmp_path / "path")[0] == str(beside)


def test_the_user_folder_of_macos_names_the_version_itself(tmp_path, installed):
    home = installed.rename(tmp_path / "3.13")
    package(home, "lib", "python", "site-packages")
    python = stand_in(tmp_path / "path", "python3.13")
    assert started(home / "bin" / "harnlite", path=tmp_path / "path")[0] == str(python)


def test_without_any_trace_it_uses_the_usual_python(installed, tmp_path):
    python = stand_in(tmp_path / "path", "python3")
    assert started(installed / "bin" / "harnlite", path=tmp_path / "path")[0] == str(python)


def test_python_reads_the_same_file():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-P", LAUNCHER, "--version"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert result.stdout.startswith("harnlite ")
