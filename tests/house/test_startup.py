"""A cached run loads next to nothing."""

import os
import subprocess
import sys

import pytest

HEAVY = {
    "lark", "ast", "asyncio", "click", "dataclasses", "typing", "enum", "re", "json", "logging", "pathlib", "inspect",
    "traceback", "pydantic", "rich", "contextlib", "functools", "collections", "platformdirs", "regex", "yaml",
    "datetime", "decimal", "random", "subprocess", "threading",
}  # fmt: skip
RUN = """
import os
import sys
def leave(status):
    raise SystemExit(status)
os._exit = leave  # the command line ends the process without taking the interpreter apart
sys.argv = ["harnlite", "run", sys.argv[1]]
from harnlite.cli.entry import main
try:
    main()
except SystemExit as end:
    assert end.code == 0, end.code
print("\\n".join(sorted({name.partition(".")[0] for name in sys.modules} | set(sys.modules))))
"""


@pytest.fixture
def loaded(tmp_path):
    program = tmp_path / "hello.harn"
    program.write_text('pipeline default() {\n  let name = "world"\n  println("hello ${name}")\n}\n')
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(2):
        command = [sys.executable, "-S", "-c", RUN, str(program)]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    first, *modules = result.stdout.splitlines()
    assert first == "hello world"
    assert "harnlite.runtime.modules" in modules
    return set(modules)


def test_nothing_heavy_is_loaded(loaded):
    assert not loaded & HEAVY


def test_no_compiler_and_no_unused_builtins_are_loaded(loaded):
    rooms = {name for name in loaded if name.startswith(("harnlite.syntax", "harnlite.analysis"))}
    assert not rooms
    assert {name for name in loaded if name.startswith("harnlite.library.")} <= {
        "harnlite.library.index",
        "harnlite.library.native",
        "harnlite.library.output",
    }
