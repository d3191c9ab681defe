"""The file with the code of the modules that run rules."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import harnlite
from tests.agent_hooks.core.processes import context_of

RULES = (
    'register_tool_hook({pattern: "*", post: { ctx -> {reminder: {body: "at ${ctx.tool_call_id}", ttl_turns: 1}} }})'
)
TIMED = RULES.replace("ctx.tool_call_id", "now_ms()")
PROGRAM = """
import sys
sys.path[:0] = {places}
from harnlite.agent_hooks import watchdog
watchdog.START_SECONDS = watchdog.RUN_SECONDS = 60
def supervised(work):
    result = work(lambda: None)
    loaders = [sys.modules[name].__loader__ for name in sys.modules if name.startswith("harnlite")]
    ours = [loader for loader in loaders if type(loader).__module__ == "harnlite.module_bundle"]
    missing = sum(loader.usual is not None for loader in ours)
    result.pop("after")()
    sys.stderr.write(f"{{len(ours) - missing}} {{missing}} {{len(imports)}}")
    return result
imports = []
def find_spec(bundle, name, path=None, target=None):
    if name.startswith("harnlite"):
        imports.append(name)
    return usual(bundle, name, path, target)
from harnlite.module_bundle import ModuleBundle
usual, ModuleBundle.find_spec = ModuleBundle.find_spec, find_spec
watchdog.supervised = supervised
from harnlite.agent_hooks.hook_process import run_hook
run_hook(sys.argv[1:])
"""


class Hooks:
    """Calls of one session with a copy of the package or with the package itself."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.folder = folder
        self.script = folder / "rules.harn"
        self.script.write_text(RULES)
        places = [str(root), *(place for place in sys.path if "site-packages" in place)]
        self.program = PROGRAM.format(places=places)
        self.count = 0

    def call(self, *, tool: str = "Read") -> tuple[str, int, int, int]:
        """Return the text for the model and three numbers of modules.

        They are those from the bundle, those that it lacked, and those that Python's machinery of imports looked for.
        """
        self.count += 1
        fields = {
            "session_id": "s",
            "hook_event_name": "PostToolUse",
            "tool_name": tool,
            "tool_input": {},
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HARN", "PYTHON"))}
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", self.program, "--agent", "claude-code", "--script", self.script, "x"],
            input=json.dumps({**fields, "tool_use_id": f"t{self.count}", "cwd": str(self.folder)}).encode(),
            capture_output=True,
            env={**kept, "HARNLITE_STATE_DIR": str(self.folder), "HARNLITE_CACHE": str(self.folder / "cache")},
            check=True,
        )
        assert done.stderr, (self.folder / "hook.log").read_text()
        loaded, missing, imports = map(int, done.stderr.split())
        text = context_of(done.stdout.decode())
        return text, loaded, missing, imports

    @property
    def bundle(self) -> Path:
        (found,) = (self.folder / "cache").glob("*.harnb")
        return found


@pytest.fixture
def hooks(tmp_path):
    return Hooks(tmp_path, Path(harnlite.__file__).parents[1])


def test_the_third_call_finds_every_module_in_the_bundle(hooks):
    compiled, cached, bundled = hooks.call(), hooks.call(), hooks.call()

    assert [compiled[0], cached[0], bundled[0]] == ["at t1", "at t2", "at t3"]
    assert cached[2] > 90
    assert bundled[1] == cached[2]
    assert bundled[2] == 0


def test_an_import_loads_what_it_needs_at_once(hooks):
    hooks.call(), hooks.call()
    text, loaded, _, imports = hooks.call()

    assert text == "at t3"
    assert imports < loaded / 5


def test_calls_of_other_tools_do_not_load_what_only_some_need(hooks):
    hooks.script.write_text("""
register_tool_hook({pattern: "*", post: { ctx ->
  let text = ctx.tool.kind == "shell" ? join(regex_split("a b", " "), "-") : "none"
  return {reminder: {body: "${text} at ${ctx.tool_call_id}", ttl_turns: 1}}
}})
""")
    for _ in range(3):
        reading, running = hooks.call(), hooks.call(tool="Bash")

    assert [reading[0], running[0]] == ["none at t5", "a-b at t6"]
    assert running[1] > reading[1] + 4
    assert [reading[2], running[2]] == [0, 0]


def test_modules_that_other_rules_need_are_added(hooks):
    hooks.call(), hooks.call()
    small = len(hooks.bundle.read_bytes())
    hooks.script.write_text(TIMED)
    hooks.call()

    added, complete = hooks.call(), hooks.call()

    assert added[2] > 0
    assert complete[2] == 0
    assert len(hooks.bundle.read_bytes()) > small


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda _: b"", lambda data: b"\0" * len(data)])
def test_a_damaged_bundle_is_written_again(hooks, damage):
    hooks.call(), hooks.call()
    hooks.bundle.write_bytes(damage(hooks.bundle.read_bytes()))

    repaired, complete = hooks.call(), hooks.call()

    assert (repaired[0], complete[0]) == ("at t3", "at t4")
    assert repaired[2] > 90
    assert complete[2] == 0


def test_a_changed_module_is_loaded_from_its_file(tmp_path):
    original = Path(harnlite.__file__).parents[1]
    shutil.copytree(original / "harnlite", tmp_path / "root" / "harnlite")
    for name in ("stdlib", "grammar"):
        (tmp_path / "root" / name).symlink_to(original / name)
    hooks = Hooks(tmp_path, tmp_path / "root")
    hooks.call(), hooks.call()
    path = tmp_path / "root" / "harnlite" / "agent_hooks" / "deliveries.py"
    path.write_text(path.read_text() + "\n_take = take_text\n\n\ndef take_text(actor):\n    return 'changed', []\n")

    changed, complete = hooks.call(), hooks.call()

    assert (changed[0], complete[0]) == ("changed", "changed")
    assert changed[2] > 0
    assert complete[2] == 0
