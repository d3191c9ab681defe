"""`harnlite doctor`: what this installation is made of, and what works here."""

from __future__ import annotations

import os
import platform
import sys

import click

from harnlite.cli import exit_codes
from harnlite.cli.cache import state
from harnlite.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGES = ("lark", "click", "greenlet", "pathspec", "regex", "PyYAML", "tomli_w", "rich", "tzdata")
VARIABLES = ("HARNLITE_", "HARN_")
SETTINGS = ("NO_COLOR", "FORCE_COLOR", "TERM", "PYTHONNODEBUGRANGES")
SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD")
BAD = "MISSING"


@click.command()
def command() -> None:
    """Show paths, versions and what works here."""
    lines = [*_installation(), *_packages(), *_system(), *_environment()]
    sys.stdout.write(f"harnlite {VERSION}\n" + "".join(f"{name}: {value}\n" for name, value in lines))
    sys.exit(exit_codes.FINDINGS if any(value.startswith(BAD) for _, value in lines) else exit_codes.OK)


def _installation() -> Iterator[tuple[str, str]]:
    from harnlite import resources

    yield "python", f"{platform.python_version()} ({platform.python_implementation()}, {sys.executable})"
    yield "system", platform.platform()
    yield "package", os.path.dirname(os.path.abspath(resources.__file__))
    for name, find in (("grammar", resources.grammar_file), ("builtins", resources.builtins_file)):
        try:
            path = find()
        except FileNotFoundError as error:
            yield name, f"{BAD}: {error}"
        else:
            yield name, path if os.path.isfile(path) else f"{BAD}: {path}"
    yield "cache", state()


def _packages() -> Iterator[tuple[str, str]]:
    from importlib.metadata import PackageNotFoundError, version

    for package in PACKAGES:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            yield package, BAD


def _system() -> Iterator[tuple[str, str]]:
    posix = os.name == "posix"
    yield "SIGTERM ends a run cleanly", "yes" if posix else "no, POSIX only"
    yield "cache folder is checked for its owner", "yes" if posix else "no, POSIX only"
    yield "positions within a line in errors", "no, PYTHONNODEBUGRANGES is set" if _lines_only() else "yes"


def _lines_only() -> bool:
    code = compile("x", "", "eval")
    return all(column is None for _, _, column, _ in code.co_positions())


def _environment() -> Iterator[tuple[str, str]]:
    for name in sorted(os.environ):
        if name.startswith(VARIABLES) or name in SETTINGS:
            hidden = any(word in name.upper() for word in SECRET)
            yield name, "set" if hidden else os.environ[name]
