"""Backends of installed packages: found by their entry points, without importing `importlib.metadata` in vain."""

import os
import subprocess
import sys

import pytest

from harnlite.llm.installed_backends import installed_backend

MODULE = """
class Backend:
    name = "acme"

    def complete(self, run, request, on_delta):
        return None
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package with a backend into a folder of `sys.path`."""
    (tmp_path / "acme_backend.py").write_text(MODULE)
    information = tmp_path / "acme-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[harnlite.backends]\nacme = acme_backend:Backend\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("acme_backend", None)


@pytest.mark.usefixtures("package")
def test_an_entry_point_is_loaded():
    assert installed_backend("acme").name == "acme"
    assert installed_backend("other") is None


def test_a_package_that_is_installed_later_is_found(tmp_path, monkeypatch, request):
    monkeypatch.syspath_prepend(str(tmp_path))
    assert installed_backend("acme") is None
    request.getfixturevalue("package")
    assert installed_backend("acme").name == "acme"


def test_unusual_entries_of_the_path(tmp_path, monkeypatch):
    (tmp_path / "archive.zip").write_bytes(b"")
    (tmp_path / "a.dist-info").mkdir()
    os.mkfifo(tmp_path / "a.dist-info" / "entry_points.txt")
    for name in ("archive.zip", "missing", ""):
        monkeypatch.syspath_prepend(str(tmp_path / name) if name else "")
    assert installed_backend("acme") is None


def test_nothing_heavy_is_imported_in_vain():
    text = (
        "import sys; from harnlite.llm.installed_backends import installed_backend; "
        "assert installed_backend('acme') is None; assert 'importlib.metadata' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-S", "-c", text], env=environment, check=True)
