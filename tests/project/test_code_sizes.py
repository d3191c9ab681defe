"""Nothing grows too large to read."""

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "harnlite" / "library" / "index.py"
PACKAGE = sorted(path for path in (ROOT / "harnlite").rglob("*.py") if path != GENERATED)
FILES = [*PACKAGE, *sorted((ROOT / "tests").rglob("*.py"))]
FILE, CLASS, FUNCTION, MEDIAN, COMMAND = 500, 300, 60, 10, 150


def lines(node: ast.AST) -> int:
    return node.end_lineno - node.lineno + 1


def definitions(path: Path, *kinds: type) -> Iterator[ast.AST]:
    return (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, kinds))


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_file_and_what_is_in_it_can_be_read_in_one_go(path):
    limit = COMMAND if path.parent.name == "cli" and path in PACKAGE else FILE
    assert len(path.read_text().splitlines()) <= limit
    long = [n.name for n in definitions(path, ast.ClassDef) if lines(n) > CLASS]
    long += [n.name for n in definitions(path, ast.FunctionDef, ast.AsyncFunctionDef) if lines(n) > FUNCTION]
    assert not long


def test_most_functions_are_short():
    sizes = [lines(n) for path in PACKAGE for n in definitions(path, ast.FunctionDef, ast.AsyncFunctionDef)]
    assert statistics.median(sizes) <= MEDIAN
    assert statistics.quantiles(sizes, n=10)[-1] <= 35


def test_modules_are_called_after_one_concept():
    vague = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
    assert not [name(path) for path in FILES if path.stem in vague or path.parent.name in vague]


def test_modules_say_what_they_are_for():
    assert not [name(path) for path in PACKAGE if not ast.get_docstring(ast.parse(path.read_text()))]
