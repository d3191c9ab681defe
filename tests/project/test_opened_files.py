"""Every file that harnlite opens is opened by `regular_files`, or is in the table here with a reason."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
OWN = "a file that belongs to harnlite or its installation"
OUTPUT = "a file that the user names for output"
TRUSTED = {
    "analysis/builtins/digest.py": (4, OWN),
    "analysis/files/std_names.py": (1, OWN),
    "cli/acp.py": (2, OUTPUT),
    "cli/report_files.py": (1, OUTPUT),
    "cli/terminal.py": (1, OWN),
    "compiler/cache.py": (1, OWN),
    "diagnostics/explanations.py": (1, OWN),
    "docs/__main__.py": (2, OWN),
    "docs/builtins.py": (1, OWN),
    "durable_files.py": (1, "a file that is open already"),
    "host/scaffold.py": (1, OWN),
    "library/indexing.py": (2, OWN),
    "library/process.py": (1, OWN),
    "repl/commands.py": (1, OUTPUT),
    "syntax/table_generator.py": (1, OWN),
    "syntax/tables.py": (2, OWN),
}


def unchecked(path: Path) -> int:
    """Return how often a module calls `open` without an opener."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    opened = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "open"]
    opened = [call for call in opened if not is_place(call.args[0])]
    return sum(all(keyword.arg != "opener" for keyword in call.keywords) for call in opened)


def is_place(node: ast.expr) -> bool:
    """Return whether a file is opened as `place.open(…)`, which uses an opener of its own."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "open"


def test_files_are_opened_in_one_place():
    package = ROOT / "harnlite"
    counts = {path.relative_to(package).as_posix(): unchecked(path) for path in sorted(package.rglob("*.py"))}
    assert {name: count for name, count in counts.items() if count} == {
        name: count for name, (count, _) in TRUSTED.items()
    }
