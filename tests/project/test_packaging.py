"""The wheel and the sdist, installed as by a new user and used from another folder."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import harnlite
from tests.samples import slow

pytestmark = slow

ROOT = Path(__file__).parents[2]
PROGRAM = 'import { parse_int_or } from "std/text"\nprintln(parse_int_or("x", 7))\n'


def run(command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    result = run([sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT])
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """Install the wheel into an environment that sees the dependencies of this one, but not this checkout."""
    home = tmp_path_factory.mktemp("user")
    environment = home / "venv"
    venv.create(environment, symlinks=True)
    paths = {"base": str(environment), "platbase": str(environment)}
    packages = Path(sysconfig.get_path("purelib", "venv", paths))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = Path(sysconfig.get_path("scripts", "venv", paths)) / "python"
    (wheel,) = built.glob("*.whl")
    result = run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel], cwd=home
    )
    assert result.returncode == 0, result.stdout + result.stderr
    (home / "hello.harn").write_text('println("hello ${1 + 1}")\n')
    return home, python


@pytest.fixture(scope="module")
def for_windows(tmp_path_factory):
    """Build the wheel that Windows gets."""
    folder = tmp_path_factory.mktemp("windows")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    result = run(command, env={**os.environ, "HARNLITE_WHEEL": "windows"})
    assert result.returncode == 0, result.stdout + result.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


def names(paths):
    return {path.partition("/")[2] for path in paths}


def test_the_wheel_carries_grammar_and_standard_library(built):
    (wheel,) = built.glob("*.whl")
    content = set(zipfile.ZipFile(wheel).namelist())
    assert {"harnlite/grammar/harn.lark", "harnlite/stdlib/builtins.harn", "harnlite/py.typed"} <= content
    for path in (ROOT / "harnlite" / "templates").rglob("*.*"):
        assert path.relative_to(ROOT).as_posix() in content
    for path in (ROOT / "stdlib").rglob("[a-z]*.harn"):
        assert f"harnlite/{path.relative_to(ROOT).as_posix()}" in content
    assert not [name for name in content if name.startswith(("tests", "examples", "grammar", "stdlib"))]


def test_the_wheel_brings_its_own_script_except_on_windows(built, for_windows):
    (wheel,) = built.glob("*.whl")
    script, entry = f"harnlite-{harnlite.__version__}.data/scripts/harnlite", b"[console_scripts]"
    points = f"harnlite-{harnlite.__version__}.dist-info/entry_points.txt"
    assert for_windows.name.endswith("-py3-none-win32.win_amd64.win_arm64.whl")
    with zipfile.ZipFile(wheel) as usual, zipfile.ZipFile(for_windows) as windows:
        assert usual.read(script) == (ROOT / "distribution" / "launcher").read_bytes()
        assert entry not in usual.read(points)
        assert script not in windows.namelist()
        assert entry in windows.read(points)
        assert set(usual.namelist()) - set(windows.namelist()) == {script}


def test_the_sdist_carries_what_the_tests_need(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        content = names(archive.getnames())
    for path in (
        "grammar/harn.lark",
        "stdlib/builtins.harn",
        "Makefile",
        "distribution/build_hooks.py",
        "distribution/launcher",
        "LICENSE",
        "requirements-dev.lock",
        ".ci/run",
        ".pre-commit-hooks.yaml",
        "editors/vscode/syntaxes/harn.tmLanguage.json",
    ):
        assert path in content
    assert not [name for name in content if "__pycache__" in name or "node_modules" in name or name.startswith(".venv")]


def test_the_console_script_and_the_module_run_a_file(installed):
    home, python = installed
    for command in ([python.with_name("harnlite")], [python, "-m", "harnlite"]):
        result = run([*command, "run", "hello.harn"], cwd=home)
        assert (result.stdout, result.stderr, result.returncode) == ("hello 2\n", "", 0)
    version = run([python.with_name("harnlite"), "--version"], cwd=home)
    assert version.stdout == f"harnlite {harnlite.__version__}\n"


def test_the_package_is_the_installed_one(installed):
    home, python = installed
    result = run([python, "-c", "import harnlite; print(harnlite.__file__)"], cwd=home)
    assert result.stdout.startswith(str(home))


def test_the_standard_library_is_found(installed):
    home, python = installed
    (home / "titles.harn").write_text(PROGRAM)
    result = run([python, "-m", "harnlite", "run", "titles.harn"], cwd=home)
    assert (result.stdout, result.stderr) == ("7\n", "")


@pytest.mark.parametrize("kind", ["missing", "a file", "read-only", "unset"])
def test_no_home_and_no_cache_are_needed(installed, tmp_path, kind):
    home, python = installed
    folder = tmp_path / "home"
    if kind == "a file":
        folder.write_text("")
    if kind == "read-only":
        folder.mkdir(mode=0o500)
    hidden = ("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    if kind != "unset":
        environment |= {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    for _ in range(2):
        result = run([python, "-m", "harnlite", "run", "hello.harn"], cwd=home, env=environment)
        assert (result.stdout, result.stderr, result.returncode) == ("hello 2\n", "", 0)
