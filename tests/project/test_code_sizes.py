"""No file, class or function is too large."""

import ast
import functools
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
GENERATED = {ROOT / "harnlite" / "library" / "index.py", ROOT / "harnlite" / "models" / "tables.py"}
PACKAGE = sorted(path for path in (ROOT / "harnlite").rglob("*.py") if path not in GENERATED)
FILES = [*PACKAGE, *sorted((ROOT / "tests").rglob("*.py"))]
FILE, CLASS, FUNCTION, MEDIAN, COMMAND = 500, 300, 60, 10, 150


class Definition(NamedTuple):
    """A class or a function: what it is called, where it begins, and how many lines it has."""

    name: str
    line: int
    lines: int
    is_class: bool


@functools.cache
def contents(path: Path) -> tuple[bool, list[Definition]]:
    """Return whether a module says what it is for, and its definitions at any depth.

    Only statements are searched, since expressions hold no definitions; no tree is kept.
    """
    module = ast.parse(path.read_text())
    found, pending = [], [module]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            size = node.end_lineno - node.lineno + 1
            found.append(Definition(node.name, node.lineno, size, isinstance(node, ast.ClassDef)))
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, None)
            if isinstance(inner, list):
                pending += inner
    return ast.get_docstring(module) is not None, found


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def too_long(path: Path) -> Iterator[str]:
    """Yield what cannot be read in one go: the file, its classes and its functions over the limit."""
    limit = COMMAND if path.parent.name == "cli" and path in PACKAGE else FILE
    if (count := len(path.read_text().splitlines())) > limit:
        yield f"{name(path)}: {count} lines"
    for one in contents(path)[1]:
        if one.lines > (CLASS if one.is_class else FUNCTION):
            yield f"{name(path)}:{one.line}: {one.name} has {one.lines} lines"


def test_files_classes_and_functions_can_be_read_in_one_go():
    assert [offender for path in FILES for offender in too_long(path)] == []


def test_most_functions_are_short():
    sizes = [one.lines for path in PACKAGE for one in contents(path)[1] if not one.is_class]
    assert statistics.median(sizes) <= MEDIAN
    assert statistics.quantiles(sizes, n=10)[-1] <= 35


def test_modules_are_called_after_one_concept():
    vague = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
    assert not [name(path) for path in FILES if path.stem in vague or path.parent.name in vague]


def test_modules_say_what_they_are_for():
    assert not [name(path) for path in PACKAGE if not contents(path)[0]]
