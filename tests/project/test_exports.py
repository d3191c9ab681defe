"""The public names of `import harnlite`."""

import subprocess
import sys

import harnlite


def test_every_public_name_can_be_used():
    for name in harnlite.__all__:
        assert getattr(harnlite, name) is not None
    assert sorted(harnlite.__all__) == harnlite.__all__ == dir(harnlite)


def test_importing_loads_nothing_else():
    code = "import sys, harnlite; print([name for name in sys.modules if name.startswith('harnlite.')])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "['harnlite.version']\n"


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(harnlite, "nonsense")
