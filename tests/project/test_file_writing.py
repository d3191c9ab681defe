"""Files that processes share are written by `harnlite.durable_files` only, which loses nothing when it is killed."""

import ast
import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "harnlite"
WRITER = "durable_files.py"
FUNCTIONS = {"os.replace", "os.rename", "os.write", "os.ftruncate", "shutil.move"}
WRITE_MODES = re.compile(r"[wax+]")

ALLOWED = {
    "cli/report_files.py": "a report that the user redirects to a file, a device or a pipe",
    "docs/__main__.py": "pages of the project, which its developers generate",
    "analysis/builtins/digest.py": "a part of the project, which its developers generate",
    "library/indexing.py": "a part of the project, which its developers generate",
    "syntax/table_generator.py": "a part of the project, which its developers generate",
    "models/table_generator.py": "a part of the project, which its developers generate",
    "library/files.py": "the builtins that write files do what the script says",
    "library/testing.py": "files in a temporary folder of a test",
    "diagnostics/text_changes.py": "opens a file to see whether it is read-only",
    "repl/commands.py": "a file that the user names, and that does not exist",
    "cli/terminal.py": "the null device in place of closed standard streams",
    "cli/acp.py": "the file for --trace-file, which the user names, and the null device as standard input",
    "agent_hooks/counter_files.py": "the state of a session, under its lock; each tool call of an agent waits for it",
    "agent_hooks/hook_log.py": "lines of a log that are appended at once; each tool call of an agent waits for it",
    "agent_hooks/hook_process.py": "the answer on standard output",
    "agent_hooks/session_database.py": "a damaged database, under the lock of its session",
    "agent_hooks/watchdog.py": "the pipe to a child process",
    "editor/server.py": "frames on standard output",
    "serve/acp/transport.py": "frames on standard output",
}
"""The modules that write in another way, and why."""


def name_of(node: ast.expr) -> str:
    return ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""


def mode_of(call: ast.Call) -> str:
    """Return the mode of a call of `open`, as far as it is written there."""
    given = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    return "".join(part.value for mode in given for part in ast.walk(mode) if isinstance(part, ast.Constant))


def writes_of(tree: ast.AST) -> list[int]:
    """Return the lines that write a file."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [
        call.lineno
        for call in calls
        if name_of(call.func) in FUNCTIONS
        or name_of(call.func).endswith((".write_text", ".write_bytes"))
        or (name_of(call.func) in {"open", "os.fdopen"} and WRITE_MODES.search(mode_of(call)))
    ]


def test_other_modules_write_no_files():
    found = {
        str(path.relative_to(PACKAGE)): writes_of(ast.parse(path.read_bytes()))
        for path in PACKAGE.rglob("*.py")
        if path.name != WRITER
    }
    assert {name: lines for name, lines in found.items() if lines and name not in ALLOWED} == {}


def test_rows_name_what_exists():
    assert [name for name in ALLOWED if not (PACKAGE / name).exists()] == []


def test_every_way_to_write_is_found():
    text = """
open(p, "w"); open(p, mode="ab"); open(p, "r+b"); os.fdopen(1, "wb"); os.replace(a, b)
p.write_text(t)
open(p); open(p, "rb"); x.write(t)
open(p, "a" if x else "w")
"""
    assert writes_of(ast.parse(text)) == [2, 2, 2, 2, 2, 3, 5]
