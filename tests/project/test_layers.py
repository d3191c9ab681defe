"""Imports go down only, and neither packages nor modules form a cycle; imports inside functions count.

Imports for types count between packages. Within a package they may form a cycle, since none of them runs.
"""

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


def nodes(tree: ast.AST, *, with_types: bool) -> Iterator[ast.AST]:
    """Yield the nodes of a tree; without those of types, no block that only type checkers read."""
    for node in ast.iter_child_nodes(tree):
        if not with_types and isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield from nodes(ast.Module(node.orelse, []), with_types=False)
            continue
        yield node
        yield from nodes(node, with_types=with_types)


def imported(tree: ast.AST, *, with_types: bool = True) -> Iterator[str]:
    """Yield the modules of harnlite that a tree imports, wherever the import stands."""
    for node in nodes(tree, with_types=with_types):
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


def module_graph() -> dict[str, set[str]]:
    return {
        name: set(imported(ast.parse(path.read_bytes()), with_types=False)) - {name} for name, path in MODULES.items()
    }


def cycle_of(graph: dict[str, set[str]]) -> str:
    """Return a cycle of a graph, or nothing if it has none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " -> ".join(reversed(error.args[1]))
    return ""


def test_contracts_hold():
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_packages_form_no_cycle():
    graph = package_graph()
    assert len(graph) > 40
    assert cycle_of(graph) == ""


def test_modules_form_no_cycle():
    graph = module_graph()
    assert len(graph) > 600
    assert cycle_of(graph) == ""


def test_imports_that_run_are_told_from_imports_for_types():
    text = """
TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax import nodes
else:
    import harnlite.stack
def late():
    from harnlite.version import VERSION
"""
    tree = ast.parse(text)
    assert set(imported(tree, with_types=False)) == {"harnlite.stack", "harnlite.version"}
    assert set(imported(tree)) == {"harnlite.stack", "harnlite.version", "harnlite.syntax.nodes"}
