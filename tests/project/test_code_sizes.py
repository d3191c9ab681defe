"""Nothing grows too large to read."""

import ast
import functools
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("code sizes")

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "harnlite" / "library" / "index.py"
PACKAGE = sorted(path for path in (ROOT / "harnlite").rglob("*.py") if path != GENERATED)
FILES = [*PACKAGE, *sorted((ROOT / "tests").rglob("*.py"))]
FILE, CLASS, FUNCTION, MEDIAN, COMMAND = 500, 300, 60, 10, 150


def lines(node: ast.AST) -> int:
    return node.end_lineno - node.lineno + 1


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@functools.cache
def statements(path: Path) -> list[ast.stmt]:
    """Return the statements of a file at any depth; expressions, of which there are many more, hold no definitions."""
    found, pending = [], [tree(path)]
    while pending:
        node = pending.pop()
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, None)
            if isinstance(inner, list):
                pending += inner
                found += inner
    return found


def definitions(path: Path, *kinds: type) -> Iterator[ast.AST]:
    return (node for node in statements(path) if isinstance(node, kinds))


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def too_long(path: Path) -> Iterator[str]:
    """Yield what cannot be read in one go: the file, its classes and its functions over the limit."""
    limit = COMMAND if path.parent.name == "cli" and path in PACKAGE else FILE
    if (count := len(path.read_text().splitlines())) > limit:
        yield f"{name(path)}: {count} lines"
    for node in definitions(path, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef):
        if lines(node) > (CLASS if isinstance(node, ast.ClassDef) else FUNCTION):
            yield f"{name(path)}:{node.lineno}: {node.name} has {lines(node)} lines"


def test_files_classes_and_functions_can_be_read_in_one_go():
    assert [offender for path in FILES for offender in too_long(path)] == []


def test_most_functions_are_short():
    sizes = [lines(n) for path in PACKAGE for n in definitions(path, ast.FunctionDef, ast.AsyncFunctionDef)]
    assert statistics.median(sizes) <= MEDIAN
    assert statistics.quantiles(sizes, n=10)[-1] <= 35


def test_modules_are_called_after_one_concept():
    vague = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
    assert not [name(path) for path in FILES if path.stem in vague or path.parent.name in vague]


def test_modules_say_what_they_are_for():
    assert not [name(path) for path in PACKAGE if not ast.get_docstring(tree(path))]
