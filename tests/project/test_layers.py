"""Imports go down only, and packages form no cycle: imports for types and imports inside functions count."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (ROOT / "harnlite").rglob("*.py")
}
PACKAGES = {name for name, path in MODULES.items() if path.name == "__init__.py"}


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the modules of harnlite that a tree imports, wherever the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in MODULES else node.module


FACES = {"harnlite", "harnlite.__main__"}
"""What a user imports or runs; they stand above everything."""


def package_of(module: str) -> str:
    """The package of a module; modules that stand directly in harnlite stand for themselves."""
    return module if module in PACKAGES or module.count(".") == 1 else module.rpartition(".")[0]


def package_graph() -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {package: set() for package in PACKAGES}
    for name, path in MODULES.items():
        package = package_of(name)
        targets = {package_of(target) for target in imported(ast.parse(path.read_bytes()))}
        if name not in FACES:
            graph.setdefault(package, set()).update(targets - {package} - FACES)
    return graph


def test_contracts_hold():
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_packages_form_no_cycle():
    graph = package_graph()
    assert len(graph) > 40
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError("packages import each other: " + " -> ".join(reversed(error.args[1]))) from None
