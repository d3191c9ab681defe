"""Code that scripts can reach touches files, processes and the environment only through the door, or has a row here.

The door is `harnlite.runtime.access_control`: it checks a path and returns the place to use. `place.open(…)` and the
other methods of a place are free; every direct way is listed with the reason why no script can misuse it.
"""

import ast
from pathlib import Path

from tests.project.test_file_writing import name_of
from tests.project.test_opened_files import is_place

PACKAGE = Path(__file__).parents[2] / "harnlite"
REACHED = ("agent", "formats", "library", "llm", "options", "reminders", "runtime", "store", "values")
"""The packages with code that scripts can reach."""

PURE = {
    *("curdir", "fsdecode", "fsencode", "fspath", "linesep", "name", "pardir", "pathsep", "sep", "strerror"),
    *("stat_result", "supports_dir_fd", "supports_fd", "urandom", "R_OK", "W_OK", "X_OK"),
    *("path.abspath", "path.basename", "path.commonpath", "path.dirname", "path.expanduser", "path.isabs"),
    *("path.join", "path.normpath", "path.relpath", "path.samestat", "path.split", "path.splitdrive", "path.splitext"),
    *("close", "fstat", "getpid"),
}
"""The attributes of `os` that only compute, or that work on a file which is open already."""

WORLD = {
    *("ctypes", "fcntl", "fileinput", "getpass", "glob", "http", "mmap", "multiprocessing", "pathlib", "platform"),
    *("pty", "pwd", "shutil", "signal", "socket", "socketserver", "sqlite3", "ssl", "subprocess", "tempfile"),
    *("termios", "urllib", "webbrowser"),
    "harnlite.durable_files",
}
"""The modules that reach the system."""

NAMES = {"sys.stdin", "time.sleep", "builtins.open", "io.open"}

ANY = "*"
CHECKED = "the builtins of the store ask the door for the path"
CONFIGURATION = "the configuration of the user or the project, which the host reads"
SETTING = "variables that set up harnlite, not variables of the script's choice"

ALLOWED = {
    # The door and what belongs to it.
    "runtime/access_control.py": ("os.path.realpath", "the door: it resolves the path before it decides"),
    "runtime/child_processes.py": ("os.environ", "the door for programs: it decides what they get"),
    "runtime/modules.py": ("open", "opens imports with the opener of the door"),
    "runtime/tasks/execution.py": ("sys.stdin", "the stream that `library/stdin.py` reads after asking"),
    # Builtins that ask first.
    "library/environment.py": ("os.environ platform", "asks for variables; the name of the machine needs nothing"),
    "library/files.py": ("os.chmod os.environ os.replace os.unlink shutil", "works on places; the name of TMPDIR"),
    "library/process.py": (ANY, "asks for the program and its folder; finds the user's shell"),
    "agent/loop/features/mcp.py": ("subprocess", "asks for the program of the server and its folder"),
    "agent/skills/catalog.py": ("os.environ", "asks for each variable"),
    "agent/workers/workflows.py": (ANY, "asks for the verify command, its folder and the path of the record"),
    # Stores.
    "agent/loop/features/daemon_snapshots.py": ("os.walk", "walks a place that nothing guards"),
    "library/json_files.py": (ANY, CHECKED),
    "library/testing.py": (ANY, "asks for the temporary folder of a test"),
    "library/value_snapshots.py": (ANY, CHECKED),
    "store/": (ANY, CHECKED + "; event logs are files that the host names"),
    # What the host reads for itself.
    "agent/reminder_providers/manifest_hooks.py": ("open", CONFIGURATION),
    "agent/skills/discovery.py": ("open os.environ os.path.isfile", CONFIGURATION),
    "library/indexing.py": (ANY, "a tool of the project's developers"),
    "library/terminal.py": ("os.environ", "NO_COLOR and FORCE_COLOR, of which a script sees only whether they are set"),
    "llm/addresses.py": ("os.environ", CONFIGURATION + "; the builtin that shows an address asks"),
    "llm/configuration.py": ("open os.environ", CONFIGURATION + "; whether keys are set"),
    "llm/dialects/": ("urllib.parse", "takes addresses apart; it sends nothing"),
    "llm/fixtures.py": (ANY, "the file of the option --llm-mock"),
    "llm/installed_backends.py": (ANY, "the packages that are installed with the interpreter"),
    "llm/keys.py": (ANY, "the keys of providers; a project's file needs scopes to name a variable or a command"),
    "llm/routes.py": ("os.environ os.path.isfile", SETTING + "; whether keys are set"),
    "runtime/environment_settings.py": ("os.environ", SETTING),
    "library/urls.py": ("urllib.parse", "encodes and decodes text"),
    "values/memory.py": (ANY, "the memory that this process uses, from the system"),
    "values/interrupts.py": ("time.sleep", "the thread that interrupts runs"),
    "runtime/tasks/pace.py": (
        "os.register_at_fork time.sleep",
        "a forked process forgets the threads that it lacks; the pause between two looks at the line",
    ),
}
"""The modules and packages with direct ways: which ways, or any, and why."""


def _imported(node: ast.Import | ast.ImportFrom) -> set[str]:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [str(node.module)]
    found = {name for name in names if name in WORLD or name.partition(".")[0] in WORLD}
    if isinstance(node, ast.ImportFrom) and node.module == "os":
        found |= {f"os.{alias.name}" for alias in node.names if alias.name not in PURE}
    if isinstance(node, ast.ImportFrom) and node.module in {"sys", "time", "io", "builtins"}:
        found |= {f"{node.module}.{alias.name}" for alias in node.names} & NAMES
    return found


def _attribute(node: ast.Attribute) -> str:
    """Return `os.path.isfile` and the like for an attribute of a module, or an empty text."""
    name = name_of(node)
    return "" if name == "os.path" or "(" in name else name


def _is_direct(name: str) -> bool:
    module, _, rest = name.partition(".")
    if module != "os":
        return name in NAMES
    parts = rest.split(".")
    known = ".".join(parts[:2]) if parts[0] == "path" else parts[0]
    return known not in PURE and not known.startswith(("O_", "SEEK_"))


def direct_ways(tree: ast.AST) -> set[str]:
    """Return the direct ways to the system that a module uses."""
    found: set[str] = set()
    places = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call) and _opens_place(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= _imported(node)
        elif isinstance(node, ast.Attribute) and _is_direct(_attribute(node)):
            found.add(_attribute(node).removesuffix(".get").removesuffix(".items"))
        elif isinstance(node, ast.Name) and node.id in {"open", "input"} and id(node) not in places:
            found.add(node.id)
    return found


def _opens_place(call: ast.Call) -> bool:
    return bool(call.args) and is_place(call.args[0])


def ways_of_modules() -> dict[str, set[str]]:
    """Return the direct ways that each module uses."""
    paths = [path for package in REACHED for path in sorted((PACKAGE / package).rglob("*.py"))]
    found = {path.relative_to(PACKAGE).as_posix(): direct_ways(ast.parse(path.read_bytes())) for path in paths}
    return {name: ways for name, ways in found.items() if ways}


def row_of(module: str) -> str | None:
    return next((row for row in ALLOWED if row == module or (row.endswith("/") and module.startswith(row))), None)


def ways_by_row() -> dict[str | None, set[str]]:
    found: dict[str | None, set[str]] = {}
    for module, ways in ways_of_modules().items():
        found.setdefault(row_of(module), set()).update(ways)
    return found


def test_nothing_goes_around_the_door():
    assert {module: ways for module, ways in ways_of_modules().items() if row_of(module) is None} == {}


def test_rows_are_exact():
    found = ways_by_row()
    assert set(ALLOWED) - set(found) == set()
    expected = {row: set(ways.split()) for row, (ways, _) in ALLOWED.items() if ways != ANY}
    assert {row: found[row] for row in expected} == expected


def test_every_direct_way_is_found():
    text = """
import subprocess, os.path, platform as p
from os import environ, sep
from time import sleep, monotonic
from urllib.request import urlopen
from harnlite.durable_files import LineFile
def f(x: os.stat_result):
    open(x); map(open, x); open(place.open(1)); input()
    os.path.join(x); os.path.isfile(x); os.stat(x).st_size; map(os.path.exists, x); os.O_RDONLY; os.environ["a"]
    sys.stdin.read(); os.environ.get(x); os.fstat(x).st_mode
"""
    assert direct_ways(ast.parse(text)) == {
        *("subprocess", "platform", "os.environ", "time.sleep", "urllib.request", "harnlite.durable_files", "open"),
        *("input", "os.path.isfile", "os.stat", "os.path.exists", "sys.stdin"),
    }
