"""Every dependency is needed, and every import is declared."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = {"tzdata"}
NEW_IN_PYTHON = "compression"  # since 3.14


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> set[str]:
    """Return the dependencies, with those of the extras that users install."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {name: lines for name, lines in project["optional-dependencies"].items() if name != "dev"}
    lines = [*project["dependencies"], *(line for extra in extras.values() for line in extra)]
    return {normal(re.match(r"[\w.-]+", line).group()) for line in lines}


def running(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree, except what only the type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            yield node
            yield from running(node)


def imported() -> set[str]:
    names = set()
    for path in (ROOT / "harnlite").rglob("*.py"):
        for node in running(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module.partition(".")[0])
    homes = packages_distributions()
    ours_or_pythons = {"harnlite", NEW_IN_PYTHON, *sys.stdlib_module_names}
    # Python 3.11 does not find the package of an extension module that is not in a folder.
    return {normal(homes.get(name, [name])[0]) for name in names - ours_or_pythons if not name.startswith("_")}


def test_declared_is_imported():
    assert declared() - DATA == imported()


def test_the_lock_file_covers_everything():
    lock = (ROOT / "requirements-dev.lock").read_text()
    pinned = {normal(line.partition("==")[0]) for line in lock.splitlines() if "==" in line}
    assert declared() <= pinned
    assert all("==" in line for line in lock.splitlines() if line and not line.startswith("#"))
