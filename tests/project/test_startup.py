"""A cached run imports very few modules."""

import os
import subprocess
import sys

import pytest

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
