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


def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {re.match(r"[\w-]+", line).group().lower().replace("_", "-") for line in project["dependencies"]}


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
    outside = {name for name in names - set(sys.stdlib_module_names) - {"harnlite"} if not name.startswith("_")}
    # Python 3.11 does not find the package of an extension module that is not in a folder.
    return {homes.get(name, [name])[0].lower().replace("_", "-") for name in outside}


def test_declared_is_imported():
    assert declared() - DATA == imported()


def test_the_lock_file_covers_everything():
    lock = (ROOT / "requirements-dev.lock").read_text()
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lock.splitlines() if "==" in line}
    assert declared() <= pinned
    assert all("==" in line for line in lock.splitlines() if line and not line.startswith("#"))
