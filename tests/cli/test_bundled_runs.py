"""The file with the code of the modules that `harnlite run` loads."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import harnlite
from harnlite.compiler.cache import entries

HELLO = 'println("hello")\n'
LOOP = """
for text in ["one", "<done>##DONE##</done>"] { llm_mock({text: text}) }
println(agent_loop("work", nil, {provider: "mock", loop_until_done: true}).llm.iterations)
"""
PROGRAM = """
import json, sys
sys.path.extend({places})
from harnlite import module_bundle
usual, sought = module_bundle.ModuleBundle.find_spec, []
def find_spec(bundle, name, path=None, target=None):
    sought.append(name)
    return usual(bundle, name, path, target)
module_bundle.ModuleBundle.find_spec = find_spec
write = module_bundle.write_bundle
def facts(module):
    spec = module.__spec__
    names = "__name__", "__file__", "__cached__", "__package__", "__path__", "__doc__"
    place = spec.origin, spec.cached, spec.parent, spec.has_location, spec.submodule_search_locations
    parent, _, last = module.__name__.rpartition(".")
    is_known = getattr(sys.modules.get(parent), last, None) is module
    return [getattr(module, name, None) for name in names] + [*place, is_known, is_known and sorted(vars(module))]
def write_bundle(bundle):
    loaders = {{name: one.__loader__ for name, one in sys.modules.items() if name.startswith("harnlite.")}}
    ours = [one for one in loaders.values() if type(one).__module__ == "harnlite.module_bundle"]
    missing = sum(one.usual is not None for one in ours)
    found = {{"is_used": bundle is not None, "bundled": len(ours) - missing, "missing": missing, "sought": len(sought),
             "facts": {{name: facts(sys.modules[name]) for name in loaders}}}}
    {then}
    sys.stderr.write(json.dumps(found))
    write(bundle)
module_bundle.write_bundle = write_bundle
sys.argv[0] = "harnlite"
from harnlite.cli.entry import main
{before}
main()
"""


class Runs:
    """Runs of a program with a cache of their own."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.script = folder / "main.harn"
        self.script.write_text(LOOP)
        self.places = [str(root), *(place for place in sys.path if "site-packages" in place)]

    def start(self, *options: str, before="", then="pass", **variables: str) -> subprocess.CompletedProcess:
        program = PROGRAM.format(places=self.places, before=before, then=then)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HARN", "PYTHON"))}
        return subprocess.run(
            [sys.executable, "-I", "-S", "-c", program, "run", *options, str(self.script)],
            env={**kept, "HARNLITE_CACHE": str(self.cache), **variables}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def run(self, **settings: str) -> dict:
        done = self.start(**settings)
        assert done.returncode == 0, done.stderr
        return {"out": done.stdout, **json.loads(done.stderr)}

    @property
    def bundle(self) -> Path:
        (found,) = self.cache.glob("run-*.harnb")
        return found


@pytest.fixture
def runs(tmp_path):
    return Runs(tmp_path, Path(harnlite.__file__).parents[1])


@pytest.fixture
def copied(tmp_path):
    """Runs of a copy of the package."""
    original = Path(harnlite.__file__).parents[1]
    kept = shutil.ignore_patterns("__pycache__", "editor", "serve", "docs")
    shutil.copytree(original / "harnlite", tmp_path / "root" / "harnlite", ignore=kept)
    for name in ("stdlib", "grammar"):
        (tmp_path / "root" / name).symlink_to(original / name)
    return Runs(tmp_path, tmp_path / "root")


def display_of(runs: Runs) -> Path:
    return runs.folder / "root" / "harnlite" / "values" / "display.py"


def test_the_third_run_finds_every_module_in_the_bundle(runs):
    first, second, third = runs.run(), runs.run(), runs.run()

    assert [one["out"] for one in (first, second, third)] == ["2\n"] * 3
    assert (second["bundled"], third["missing"]) == (0, 0)
    assert third["bundled"] == second["missing"] > 150
    assert third["sought"] < 25


def test_the_modules_are_those_that_python_loads(runs):
    runs.run()
    second, third = runs.run(), runs.run()

    assert third["facts"] == second["facts"]


def test_programs_share_the_bundle_and_load_only_what_they_need(runs):
    for _ in range(2):
        runs.run()
    size = runs.bundle.stat().st_size
    runs.script.write_text(HELLO)
    runs.run()
    small = runs.run()

    assert (small["out"], small["missing"]) == ("hello\n", 0)
    assert not [name for name in small["facts"] if name.startswith(("harnlite.agent", "harnlite.llm"))]
    assert runs.bundle.stat().st_size == size


def test_a_run_that_fails_or_compiles_writes_no_bundle(runs):
    runs.run()
    assert not list(runs.cache.glob("run-*.harnb"))
    runs.script.write_text("exit(3)\n")
    assert [runs.start().returncode for _ in range(3)] == [3] * 3
    assert not list(runs.cache.glob("run-*.harnb"))


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[:-1], lambda _: b"", lambda data: b"\0" * len(data),
     lambda data: data[:8] + b"x" * 8 + data[16:], lambda data: data[:-9000] + b"?" * 9000],
)  # fmt: skip
def test_a_damaged_bundle_is_written_again(runs, damage):
    runs.run(), runs.run()
    runs.bundle.write_bytes(damage(runs.bundle.read_bytes()))

    repaired, complete = runs.run(), runs.run()

    assert [repaired["out"], complete["out"]] == ["2\n"] * 2
    assert repaired["missing"]
    assert not complete["missing"]


def test_a_changed_module_is_loaded_from_its_source(copied):
    copied.run(), copied.run(), copied.run()
    path = display_of(copied)
    path.write_text(path.read_text() + "\n\nCHANGED = 1\n")

    changed, complete = copied.run(), copied.run()

    assert "CHANGED" in changed["facts"]["harnlite.values.display"][-1]
    assert "CHANGED" in complete["facts"]["harnlite.values.display"][-1]
    assert (bool(changed["missing"]), complete["missing"]) == (True, 0)


def test_a_module_that_changes_during_the_run_is_not_outdated_afterwards(copied):
    copied.run()
    copied.run(then=f"open({str(display_of(copied))!r}, 'a').write('\\n\\nCHANGED = 1\\n')")

    assert "CHANGED" in copied.run()["facts"]["harnlite.values.display"][-1]


def test_a_module_that_fails_is_reported_as_without_a_bundle(copied):
    path = display_of(copied)
    path.write_text(path.read_text() + "\nimport os\nif os.environ.get('IS_BROKEN'):\n    raise LookupError('here')\n")
    for _ in range(3):
        copied.run()

    broken = copied.start("--debug", IS_BROKEN="1")

    assert broken.returncode
    assert "    raise LookupError('here')\n" in broken.stderr
    assert broken.stderr.endswith("LookupError: here\n")
    assert copied.run()["missing"] == 0


def test_modules_can_be_inspected_and_loaded_again(runs):
    runs.run(), runs.run()
    then = """import importlib, importlib.resources, inspect
    display = sys.modules["harnlite.values.display"]
    found["source"] = inspect.getsource(display.float_text).partition("(")[0]
    found["again"] = importlib.reload(display) is display and display.__loader__.get_source(display.__name__)[:3]
    found["resource"] = importlib.resources.files("harnlite.values").joinpath("display.py").is_file()"""

    third = runs.run(then=then)

    assert (third["source"], third["again"], third["resource"]) == ("def float_text", '"""', True)


WAITING = """
import _thread, os, time
if os.environ.get("THREAD"):
    def imports():
        try:
            from harnlite.values.display import LAST
        except ImportError as error:
            os.write(1, str(error).encode())
        else:
            os.write(1, b"complete ")
        done.release()
    done = _thread.allocate_lock()
    done.acquire()
    _thread.start_new_thread(imports, ())
    time.sleep(0.2)
    LAST = 1
"""


def test_another_thread_waits_for_a_module(copied):
    display_of(copied).write_text(display_of(copied).read_text() + WAITING)
    for _ in range(3):
        copied.run()

    third = copied.run(THREAD="1", then="sys.modules['harnlite.values.display'].done.acquire()")

    assert third["out"] in {"complete 2\n", "2\ncomplete "}
    assert third["missing"] == 0
    assert third["sought"] < 30


def test_a_cache_that_is_off_or_belongs_to_others_is_not_used(runs):
    runs.run(), runs.run()
    before = runs.bundle.read_bytes()
    assert not runs.run(HARNLITE_CACHE="off")["is_used"]
    runs.cache.chmod(0o777)

    assert [runs.run()["bundled"] for _ in range(2)] == [0, 0]
    assert runs.bundle.read_bytes() == before


def test_a_folder_that_cannot_be_written_is_no_error(runs):
    runs.cache.write_text("a file")

    assert [runs.run()["out"] for _ in range(3)] == ["2\n"] * 3


FIRST = """
import os, sys
sys.path.extend({places})
from harnlite import module_bundle
library = os.path.dirname(os.__file__)
for places in {tried}:
    sys.path[:] = [place.replace("LIBRARY", library) for place in places]
    bundle = module_bundle.ModuleBundle("", {{}})
    assert bundle._takes("harnlite.version", "/x/version.py")
    assert not bundle._takes("lark", "/x/lark.py")
    print(int(bundle._takes("types", os.path.join(library, "types.py"))), end=" ")
"""


def test_the_standard_library_is_bundled_only_if_nothing_is_searched_before(runs):
    tried = ["LIBRARY", "/x"], ["/p.zip", "LIBRARY"], ["", "LIBRARY"], ["/x"]
    text = FIRST.format(places=runs.places, tried=tried)
    answers = [
        subprocess.run([sys.executable, *flags, "-S", "-c", text], capture_output=True, text=True, check=True).stdout
        for flags in ((), ("-I",))
    ]

    assert answers == ["1 1 0 0 ", "1 1 1 1 "]


def test_the_bundle_is_counted_and_cleared_with_the_code_cache(runs, monkeypatch):
    runs.run(), runs.run()
    monkeypatch.setenv("HARNLITE_CACHE", str(runs.cache))

    assert {path for path, _ in entries()} == {str(path) for path in runs.cache.iterdir()}
    assert str(runs.bundle) in {path for path, _ in entries()}
