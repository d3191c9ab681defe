"""A cached run imports very few modules, and every command only those that it needs."""

import importlib
import os
import subprocess
import sys

import pytest

from harnlite.cli import group

HEAVY = {
    "lark", "ast", "asyncio", "click", "dataclasses", "typing", "enum", "re", "json", "logging", "pathlib", "inspect",
    "traceback", "pydantic", "rich", "contextlib", "functools", "collections", "platformdirs", "regex", "yaml",
    "datetime", "decimal", "random", "subprocess", "threading", "hashlib", "_hashlib", "sqlite3", "tomllib", "uuid",
    "bisect", "heapq", "operator", "string", "shutil", "tempfile", "warnings", "importlib.metadata",
}  # fmt: skip
HELLO = 'pipeline default() {\n  let name = "world"\n  println("hello ${name}")\n}\n'
AGENT = """
register_reminder_provider({
  id: "guard",
  subscribes_to: ["post_agent_turn"],
  evaluate: { ctx -> {reminder: {body: "Keep going.", dedupe_key: "guard", ttl_turns: 1}} },
})
pipeline default(task) {
  for text in ["one", "two", "<done>##DONE##</done>"] { llm_mock({text: text}) }
  let result = agent_loop("work", "be brief", {provider: "mock", loop_until_done: true, max_iterations: 5})
  println("${result.status} after ${result.llm.iterations}")
}
"""
UNUSED = {
    "harnlite.agent.tools.dispatch",
    "harnlite.agent.tools.capability_policies",
    "harnlite.agent.compaction.compacting",
    "harnlite.agent.loop.state.stall",
    "harnlite.agent.loop.ending.judges",
    "harnlite.agent.skills.catalog",
    "harnlite.agent.workers.workers",
    "harnlite.agent.loop.features.daemon",
    "harnlite.library.facts",
    "harnlite.store.facts",
    "harnlite.store.sqlite_event_log",
    "harnlite.store.memory",
}
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


def loaded(folder, text, output):
    """Return the modules of a cached run."""
    program = folder / "main.harn"
    program.write_text(text)
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(2):
        command = [sys.executable, "-S", "-c", RUN, str(program)]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=folder)
    first, *modules = result.stdout.splitlines()
    assert first == output
    assert "harnlite.runtime.modules" in modules
    return set(modules)


@pytest.fixture(scope="module")
def hello(tmp_path_factory):
    return loaded(tmp_path_factory.mktemp("hello"), HELLO, "hello world")


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    return loaded(tmp_path_factory.mktemp("agent"), AGENT, "done after 3")


def test_nothing_heavy_is_loaded(hello, agent):
    assert not hello & HEAVY
    assert not agent & HEAVY


def test_no_http_library_is_loaded(hello, agent):
    libraries = {"httpx2", "httpcore2", "anyio", "h11", "ssl", "socket", "http", "urllib"}
    for modules in (hello, agent):
        assert not modules & libraries
        assert not {name for name in modules if name.startswith(("harnlite.http", "harnlite.llm.vendors"))}


FORMATS = {
    "base64", "binascii", "bz2", "configparser", "cryptography", "csv", "_csv", "defusedxml", "email", "glob", "gzip",
    "hmac", "html", "_json", "lzma", "mimetypes", "pickle", "_pickle", "secrets", "tarfile", "unicodedata", "xml",
    "zipfile", "zlib", "zoneinfo", "zstandard",
}  # fmt: skip
"""Modules behind the builtins for bytes, archives, URLs, CSV, XML and templates, beside those that are heavy anyway."""


def test_formats_templates_and_requests_are_not_loaded(hello):
    assert not hello & FORMATS
    own = ("harnlite.formats", "harnlite.http", "harnlite.template_language", "harnlite.templates", "harnlite.library.")
    assert {name for name in hello if name.startswith(own)} <= {
        "harnlite.library.index",
        "harnlite.library.native",
        "harnlite.library.output",
    }


def test_no_compiler_and_no_unused_builtins_are_loaded(hello, agent):
    for modules in (hello, agent):
        assert not {name for name in modules if name.startswith(("harnlite.syntax", "harnlite.analysis"))}
    assert {name for name in hello if name.startswith("harnlite.library.")} <= {
        "harnlite.library.index",
        "harnlite.library.native",
        "harnlite.library.output",
    }
    assert not {name for name in hello if name.startswith(("harnlite.agent", "harnlite.llm", "harnlite.store"))}


def test_a_loop_loads_only_what_it_needs(agent):
    assert "harnlite.agent.loop.loop" in agent
    assert not agent & UNUSED


ACP = """
import os
import sys
from harnlite.serve.acp.server import AcpServer
def answered(server):
    os.write(2, " ".join(sys.modules).encode())
    os._exit(0)
AcpServer._loaded = answered  # the part that serves sessions is loaded when `initialize` has been answered
sys.argv = ["harnlite", "acp", sys.argv[1]]
from harnlite.cli.entry import main
main()
"""
LSP_INITIALIZE = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
INITIALIZE = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n'


def test_initialize_is_answered_before_the_sessions_are_loaded(tmp_path):
    program = tmp_path / "main.harn"
    program.write_text(HELLO)
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-S", "-c", ACP, str(program)]
    result = subprocess.run(
        command, env=environment, input=INITIALIZE, capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert '"agentInfo"' in result.stdout
    own = {name for name in result.stderr.split() if name.startswith("harnlite.")}
    parts = {"agent", "analysis", "compiler", "formats", "host", "http", "llm", "runtime", "syntax", "values"}
    clock = {"harnlite.runtime", "harnlite.runtime.tasks", "harnlite.runtime.tasks.clock"}
    assert {name for name in own if name.split(".")[1] in parts} <= clock
    assert "harnlite.serve.conversations" not in own
    assert len(own) <= 50


LSP = """
import os
import sys
from harnlite.editor.lean_types import load_lean_types
load_lean_types()
from harnlite.editor.server import Server, serve
def answered(server):
    os.write(2, " ".join(sys.modules).encode())
    os._exit(0)
Server.files = property(answered)  # what reads files is loaded when `initialize` has been answered
serve()
"""
FRAME = f"Content-Length: {len(LSP_INITIALIZE)}\r\n\r\n{LSP_INITIALIZE}"


def test_an_editor_has_its_answer_before_the_analysis_is_loaded(tmp_path):
    command = [sys.executable, "-c", LSP]
    result = subprocess.run(command, input=FRAME, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert '"semanticTokensProvider"' in result.stdout
    own = {name for name in result.stderr.split() if name.startswith("harnlite.")}
    assert {name for name in own if name.startswith(("harnlite.analysis", "harnlite.syntax"))} == set()
    assert len(own) <= 20


COMMAND = """
import os
import sys
def leave(status):
    raise SystemExit(status)
os._exit = leave
sys.argv = ["harnlite", *sys.argv[1:]]
from harnlite.cli.entry import main
try:
    main()
except SystemExit as end:
    assert end.code in (0, 1, 5), end.code
os.write(2, ("\\n@" + " ".join(sys.modules)).encode())
"""
SLOW = {"asyncio", "httpx2", "lark", "lsprotocol", "pathspec", "prompt_toolkit", "pydantic", "pygls", "rich", "sqlite3"}
CLICK = {"click", "inspect", "uuid"}
CHECKER = {"harnlite.analysis.checking.check", "harnlite.syntax.parser"}
RULES = {"harnlite.analysis.linting.linter", "tomllib", "harnlite.options.manifest"}
RUNTIME = {"greenlet", "harnlite.runtime.tasks.scheduler", "harnlite.runtime.modules"}
EVERYTHING = SLOW | CLICK | CHECKER | RULES | RUNTIME
MOST = {
    "run main.harn": (110, EVERYTHING - RUNTIME | {"greenlet"}),
    "--version": (46, EVERYTHING | {"re", "typing", "enum"}),
    "--help": (130, EVERYTHING - CLICK),
    "-h": (130, EVERYTHING - CLICK),
    "lint main.harn": (295, SLOW | CLICK | RUNTIME | {"tomllib", "harnlite.options.manifest"}),
    "lint --fix main.harn": (340, SLOW | RUNTIME),
    "check main.harn": (320, SLOW),
    "compile --emit python main.harn": (315, SLOW),
    "fmt main.harn": (185, SLOW | RUNTIME | RULES | {"harnlite.analysis.checking.check"}),
    "test main.harn": (250, SLOW),
    "render main.harn": (550, SLOW - {"asyncio"}),
    "explain HARN-RMD-004": (135, SLOW | RUNTIME | CHECKER | RULES),
    "builtins len": (195, SLOW | RUNTIME),
    "schema": (225, SLOW | RUNTIME | CHECKER),
    "cache info": (125, SLOW | CHECKER),
    "completion bash": (135, SLOW | RUNTIME | CHECKER | RULES),
    "config": (270, SLOW | RUNTIME),
    "models": (385, SLOW - {"asyncio"} | CHECKER | RULES),
    "new --help": (155, SLOW | RUNTIME | CHECKER),
    "init": (150, SLOW | RUNTIME | CHECKER),
    "timeline events.jsonl": (155, SLOW | CHECKER),
    "repl": (330, SLOW | CLICK | RULES),
    "lsp": (500, {"tomllib", "click", "httpx2", "lark", "prompt_toolkit", "pydantic", "rich", "sqlite3"} | RUNTIME),
    "acp --help": (130, SLOW | CHECKER),
    "a2a --help": (130, SLOW | CHECKER),
    "hook list": (215, {"asyncio", "lark", "lsprotocol", "prompt_toolkit", "pygls"}),
    "doctor": (290, {"lark", "lsprotocol", "prompt_toolkit", "pygls"}),
}
"""For each command: the most modules that it loads, with those of Python, and modules that it must not load."""


def test_every_command_has_a_row():
    assert {line.split()[0] for line in MOST if line[0] != "-"} == set(group.COMMANDS)


@pytest.mark.parametrize("line", MOST)
def test_a_command_loads_few_modules(line, tmp_path):
    (tmp_path / "main.harn").write_text(HELLO)
    (tmp_path / "events.jsonl").write_text("")
    folders = {name: str(tmp_path / name.lower()) for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    environment = {**os.environ, **folders, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(2 if line.startswith("run") else 1):
        result = subprocess.run(
            [sys.executable, "-S", "-c", COMMAND, *line.split()],
            env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip
    assert result.returncode == 0, result.stderr
    loaded = set(result.stderr.rpartition("\n@")[2].split())
    most, banned = MOST[line]
    assert not loaded & banned
    assert len(loaded) <= most


REPL = """
import os
import sys
from harnlite.repl.prompt import Prompt
def shown(prompt, app):
    os.write(2, " ".join(sys.modules).encode())
    os._exit(0)
Prompt._load = shown  # what reads and runs an input is loaded when the prompt is on the screen
sys.argv = ["harnlite", "repl"]
from harnlite.cli.entry import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_a_session_prompts_before_the_compiler_is_loaded(tmp_path):
    ours, its = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "HARNLITE_REPL_HISTORY": "off"}
    command = [sys.executable, "-c", REPL]
    with subprocess.Popen(
        command, stdin=its, stdout=its, stderr=subprocess.PIPE, env=environment, cwd=tmp_path, text=True
    ) as process:
        loaded = set(process.communicate()[1].split())
    shown = os.read(ours, 1 << 16)
    os.close(its)
    os.close(ours)
    assert b"harn>" in shown
    assert "prompt_toolkit.shortcuts.prompt" in loaded
    unused = {"pygments", "lark", *CHECKER, "harnlite.compiler.compilation", "harnlite.repl.completion"}
    assert not loaded & unused
    assert not {name for name in loaded if name.startswith(("harnlite.analysis", "harnlite.syntax"))}


def test_the_list_of_commands_has_the_first_sentences_of_their_texts():
    for name, text in group.COMMANDS.items():
        command = importlib.import_module(f"harnlite.cli.{name}").command
        assert text == " ".join(command.help.strip().partition("\n\n")[0].split())
