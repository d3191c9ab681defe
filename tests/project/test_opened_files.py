"""Every file that harnlite opens is opened by `regular_files`, or is in the table here with a reason."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
OWN = "a file that belongs to harnlite or its installation"
OUTPUT = "a file that the user names for output"
DRAFT = "a new file, which then replaces another one"
TRUSTED = {
    "agent/loop/features/daemon_snapshots.py": (1, DRAFT),
    "agent/workers/worker_snapshots.py": (1, DRAFT),
    "agent/workers/workflows.py": (1, OUTPUT),
    "analysis/builtins/digest.py": (4, OWN),
    "cli/check.py": (1, OUTPUT),
    "cli/lint.py": (1, OUTPUT),
    "cli/terminal.py": (1, OWN),
    "cli/test.py": (1, OUTPUT),
    "cli/timeline.py": (1, OUTPUT),
    "compiler/cache.py": (3, OWN),
    "diagnostics/explanations.py": (1, OWN),
    "diagnostics/text_changes.py": (1, DRAFT),
    "docs/__main__.py": (2, OWN),
    "docs/builtins.py": (1, OWN),
    "host/scaffold.py": (2, OWN),
    "library/indexing.py": (2, OWN),
    "library/process.py": (1, OWN),
    "library/store.py": (1, DRAFT),
    "library/testing.py": (1, DRAFT),
    "library/value_snapshots.py": (1, DRAFT),
    "repl/commands.py": (1, OUTPUT),
    "store/agent_state.py": (1, DRAFT),
    "syntax/rebuilt_tables.py": (1, OWN),
    "syntax/table_generator.py": (1, OWN),
    "syntax/tables.py": (2, OWN),
}


def unchecked(path: Path) -> int:
    """Return how often a module calls `open` without an opener."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    opened = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "open"]
    return sum(all(keyword.arg != "opener" for keyword in call.keywords) for call in opened)


def test_files_are_opened_in_one_place():
    package = ROOT / "harnlite"
    counts = {path.relative_to(package).as_posix(): unchecked(path) for path in sorted(package.rglob("*.py"))}
    assert {name: count for name, count in counts.items() if count} == {
        name: count for name, (count, _) in TRUSTED.items()
    }
