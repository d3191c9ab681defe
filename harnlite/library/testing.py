"""The Python behind std/testing: folders for one test, and snapshots."""

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
    """Make a folder for one test, with these files in it, and return its path; file hooks do not hear of it."""
    import tempfile

    name = display(caller)
    if files is not None and not isinstance(files, dict):
        raise runtime_error(f"{name}: files must be a dict of paths and texts")
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
        raise thrown(f"{caller}: path {path} leads out of the folder of the test")
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except (OSError, ValueError) as error:
        raise thrown(f"{caller}: failed to write {path}: {os_text(error)}") from None


@native("__host_remove_test_folder")
def remove_test_folder(run: Execution, folder: object = None) -> None:
    """Remove a folder that was made here, with all that is in it."""
    import shutil

    place = display(folder)
    if place in _folders(run):
        _folders(run).discard(place)
        shutil.rmtree(place, ignore_errors=True)


def _folders(run: Execution) -> set[str]:
    return run.state("test_folders", set[str])


@native("__host_snapshot")
def snapshot(run: Execution, name: object = None, value: object = None) -> None:
    """Compare a value with its snapshot."""
    check_snapshot(run, name, value, lambda action, path: permitted_place(run, action, "assert_snapshot", path))
