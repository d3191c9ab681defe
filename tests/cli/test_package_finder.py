"""The finder of the modules of this package finds what Python's own finder finds."""

import importlib.util
import os
import subprocess
import sys
from importlib.machinery import PathFinder, SourceFileLoader

import pytest

import harnlite
from harnlite import package_finder
from harnlite.package_finder import PackageFinder

FILES = {
    "harnlite/__init__.py": "",
    "harnlite/inner/__init__.py": "LEVEL = 1\n",
    "harnlite/inner/deep.py": '"""Doc."""\nimport sys\nVALUE = 1\nPLACE = sys._getframe().f_code.co_filename\n',
}
SHOW = """
import sys
sys.path.insert(0, {folder!r})
import harnlite
sys.path.insert(1, {home!r})
harnlite.__path__.append({own!r})
from harnlite.package_finder import install
install()
assert len(sys.meta_path) == {finders}
from harnlite.inner import deep
print(type(deep.__loader__).__module__, deep.VALUE, deep.PLACE == deep.__file__, sys.modules["harnlite.inner"].LEVEL)
"""
QUICK, USUAL = "harnlite.package_finder", "_frozen_importlib_external"


def spec_of(name):
    parent = importlib.import_module(name.rpartition(".")[0])
    return PackageFinder.find_spec(name, parent.__path__), PathFinder.find_spec(name, parent.__path__)


@pytest.mark.parametrize(
    "name", ["harnlite.cli.entry", "harnlite.cli", "harnlite.syntax.nodes.base", "harnlite.version"]
)
def test_a_spec_is_that_of_python(name):
    ours, python = spec_of(name)
    for attribute in ("name", "origin", "cached", "submodule_search_locations", "has_location", "parent"):
        assert getattr(ours, attribute) == getattr(python, attribute)
    assert isinstance(ours.loader, SourceFileLoader)
    assert ours.loader.get_source(name) == python.loader.get_source(name)
    assert ours.loader.is_package(name) == python.loader.is_package(name)
    assert ours.loader.get_code(name) == python.loader.get_code(name)


@pytest.mark.parametrize("name", ["harnlite", "re", "harnlite_backend", "harnlite.none", "harnlite.cli.none"])
def test_others_are_left_to_python(name):
    path = harnlite.__path__ if "." in name else None
    assert PackageFinder.find_spec(name, path) is None


@pytest.fixture
def shown(tmp_path):
    """Return a function that loads a package in a new process; it returns what the process prints."""
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    own = os.path.dirname(harnlite.__file__)

    def show(*flags, finders, **variables):
        text = SHOW.format(folder=str(tmp_path), home=os.path.dirname(own), own=own, finders=finders)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        command = [sys.executable, "-S", *flags, "-c", text]
        result = subprocess.run(command, env={**environment, **variables}, capture_output=True, text=True, check=False)
        assert not result.stderr
        return result.stdout.split()

    return show


def test_a_changed_source_is_compiled_again(shown, tmp_path):
    module = tmp_path / "harnlite/inner/deep.py"
    for value in ("1", "2", "23"):
        module.write_text(FILES["harnlite/inner/deep.py"].replace("VALUE = 1", f"VALUE = {value}"))
        os.utime(module, (int(value), int(value)))
        for _ in range(2):
            assert shown(finders=4) == [QUICK, value, "True", "1"]


def test_a_moved_package_shows_its_new_place(shown, tmp_path):
    shown(finders=4)
    cache = tmp_path / "harnlite/inner/__pycache__"
    (compiled,) = cache.glob("deep*")
    data = compiled.read_bytes()
    assert str(tmp_path).encode() in data
    compiled.write_bytes(data.replace(str(tmp_path).encode(), b"/" + b"x" * (len(str(tmp_path)) - 1)))
    assert shown(finders=4) == [QUICK, "1", "True", "1"]


def test_a_damaged_file_is_compiled_again(shown, tmp_path):
    shown(finders=4)
    for compiled in (tmp_path / "harnlite/inner/__pycache__").iterdir():
        compiled.write_bytes(compiled.read_bytes()[:10])
    assert shown(finders=4) == [QUICK, "1", "True", "1"]


def test_unusual_places_of_compiled_files_are_left_to_python(shown, tmp_path):
    for flags, variables in ((["-O"], {}), ([], {"PYTHONPYCACHEPREFIX": str(tmp_path / "elsewhere")})):
        assert shown(*flags, finders=3, **variables) == [USUAL, "1", "True", "1"]


def test_it_knows_the_header_of_compiled_files():
    assert package_finder._START[:4] == importlib.util.MAGIC_NUMBER
