"""The builtins behind std/testing: temporary folders for tests, and snapshots."""

from __future__ import annotations

import os

from harnlite.library.native import native
from harnlite.library.permissions import permitted_place
from harnlite.library.value_snapshots import check_snapshot
from harnlite.library.working_folders import os_text
from harnlite.values.display import display
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution


@native("__host_test_folder")
def make_test_folder(run: Execution, caller: object = None, files: object = None) -> str:
    """Create a temporary folder with files for a test and return its path; hooks for file edits are not called."""
    import tempfile

    name = display(caller)
    if files is not None and not isinstance(files, dict):
        raise runtime_error(f"{name}: files must be a dict from paths to texts")
    permitted_place(run, "write", name, tempfile.gettempdir())
    folder = os.path.realpath(tempfile.mkdtemp(prefix="harnlite-test-"))
    _folders(run).add(folder)
    try:
        for path, text in (files or {}).items():
            _write(name, folder, path, display(text))
    except BaseException:
        remove_test_folder(run, folder)
        raise
    return folder


def _write(caller: str, folder: str, path: str, text: str) -> None:
    place = os.path.normpath(os.path.join(folder, path))
    if not place.startswith(folder + os.sep):
        raise thrown(f"{caller}: path {path} is outside the folder of the test")
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except (OSError, ValueError) as error:
        raise thrown(f"{caller}: failed to write {path}: {os_text(error)}") from None


@native("__host_remove_test_folder")
def remove_test_folder(run: Execution, folder: object = None) -> None:
    """Remove a folder that `__host_test_folder` has created, with its contents."""
    import shutil

    place = display(folder)
    if place in _folders(run):
        _folders(run).discard(place)
        shutil.rmtree(place, ignore_errors=True)


def _folders(run: Execution) -> set[str]:
    return run.state("test_folders", set[str])


@native("__host_snapshot")
def snapshot(run: Execution, name: object = None, value: object = None) -> None:
    """Compare a value with its snapshot, and throw if they differ."""
    check_snapshot(run, name, value, lambda action, path: permitted_place(run, action, "assert_snapshot", path))
