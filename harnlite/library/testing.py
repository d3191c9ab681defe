"""The builtins behind std/testing: temporary folders for tests, and snapshots."""

from __future__ import annotations

import os

from harnlite.file_places import FilePlace
from harnlite.library.files import remove_tree, temp_dir
from harnlite.library.native import native
from harnlite.library.permissions import permitted_place, require
from harnlite.library.value_snapshots import check_snapshot
from harnlite.library.working_folders import os_text
from harnlite.runtime.access_control import is_restricted
from harnlite.values.display import display
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_PREFIX, _PRIVATE = "harnlite-test-", 0o700
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


@native("__host_test_folder")
def make_test_folder(run: Execution, caller: object = None, files: object = None) -> str:
    """Create a temporary folder with files for a test and return its path; hooks for file edits are not called."""
    name = display(caller)
    if files is not None and not isinstance(files, dict):
        raise runtime_error(f"{name}: files must be a dict from paths to texts")
    place = _new_folder(run, name)
    _folders(run)[place.path] = place
    try:
        for path, text in (files or {}).items():
            _write(name, place, path, display(text))
    except BaseException:
        remove_test_folder(run, place.path)
        raise
    return place.path


def _new_folder(run: Execution, caller: str) -> FilePlace:
    """Create a folder with a new name for temporary files that only this user may access."""
    import tempfile

    require(run, "fs.write", caller)
    # Python finds the folder with a file that it writes there.
    above = permitted_place(
        run, "write", caller, temp_dir() if is_restricted(run, "fs.write") else tempfile.gettempdir()
    )
    if above.real is None:
        return FilePlace(os.path.realpath(tempfile.mkdtemp(prefix=_PREFIX)))
    while True:
        name = f"{_PREFIX}{run.ids.hex(8)}"
        place = FilePlace(os.path.join(above.real, name), os.path.join(above.real, name))
        try:
            place.make_folder(_PRIVATE)
        except FileExistsError:
            continue
        except OSError as error:
            raise thrown(f"{caller}: failed to create {place.path}: {os_text(error)}") from None
        return place


def _write(caller: str, folder: FilePlace, path: str, text: str) -> None:
    relative = os.path.relpath(os.path.normpath(os.path.join(folder.path, path)), folder.path)
    if relative == os.curdir or relative.split(os.sep)[0] == os.pardir:
        raise thrown(f"{caller}: path {path} is outside the folder of the test")
    place = folder.child(relative)
    try:
        place.folder().make_folders()
        with open(place.open(_CREATE), "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except (OSError, ValueError) as error:
        raise thrown(f"{caller}: failed to write {path}: {os_text(error)}") from None


@native("__host_remove_test_folder")
def remove_test_folder(run: Execution, folder: object = None) -> None:
    """Remove a folder that `__host_test_folder` has created, with its contents."""
    place = _folders(run).pop(display(folder), None)
    if place is None:
        return
    try:
        remove_tree(place, ignore_errors=True)
    except OSError:
        return  # The folder that contains it is gone, or is a link now.


def _folders(run: Execution) -> dict[str, FilePlace]:
    return run.state("test_folders", dict[str, FilePlace])


@native("__host_snapshot")
def snapshot(run: Execution, name: object = None, value: object = None) -> None:
    """Compare a value with its snapshot, and throw if they differ."""
    check_snapshot(run, name, value, lambda action, path: permitted_place(run, action, "assert_snapshot", path))
