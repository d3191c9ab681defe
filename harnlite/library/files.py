"""Builtins for files and folders; relative paths are resolved against the working directory."""

from __future__ import annotations

import errno
import os
import stat as modes

from harnlite.agent.hooks.file_edits import queue_file_edit
from harnlite.file_places import FilePlace
from harnlite.library.globs import GlobError, compile_glob
from harnlite.library.native import MISSING, native
from harnlite.library.permissions import permitted_place, require
from harnlite.library.working_folders import host_text, os_text
from harnlite.regular_files import file_or_device
from harnlite.runtime.access_control import permissions_of
from harnlite.values.data_types import err, ok, type_name
from harnlite.values.display import display
from harnlite.values.errors import ScriptError, thrown
from harnlite.values.interrupts import BUILTINS
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.data_types import EnumValue

_FAILURES = (OSError, ValueError)
_WRITE_BITS = 0o222
_CHUNK = 1 << 20
_REPLACE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND


def _failed(what: str, error: Exception) -> ScriptError:
    return thrown(f"{what}: {os_text(error)}")


# Reading


def _bounded(file: IO[bytes]) -> bytes:
    """Read a file to its end; it may be longer than its reported size."""
    check_size(os.fstat(file.fileno()).st_size)
    data = bytearray()
    while chunk := file.read(_CHUNK):
        data += chunk
        check_size(len(data))
    return bytes(data)


def _contents(place: FilePlace) -> bytes:
    with open(place.open(os.O_RDONLY), "rb") as file:
        return _bounded(file)


@native("read_file")
def read_file(run: Execution, path: object = "") -> str:
    """Return the text of a file."""
    place = permitted_place(run, "read", "read_file", path)
    try:
        return _contents(place).decode("utf-8")
    except _FAILURES as error:
        raise _failed(f"Failed to read file {place.path}", error) from None


@native("read_file_result")
def read_file_result(run: Execution, path: object = "") -> EnumValue:
    """Return the text of a file as Ok, or the text of the error as Err."""
    place = permitted_place(run, "read", "read_file_result", path)
    try:
        return ok(_contents(place).decode("utf-8"))
    except _FAILURES as error:
        return err(f"Failed to read file {place.path}: {os_text(error)}")


@native("read_file_bytes")
def read_file_bytes(run: Execution, path: object = "") -> bytes:
    """Return the bytes of a file."""
    place = permitted_place(run, "read", "read_file_bytes", path)
    try:
        return _contents(place)
    except _FAILURES as error:
        raise _failed(f"Failed to read file {place.path}", error) from None


@native("read_lines")
def read_lines(run: Execution, path: object = "") -> list[object]:
    """Return the lines of a text file without their line breaks."""
    place = permitted_place(run, "read", "read_lines", path)
    try:
        lines = _contents(place).decode("utf-8").split("\n")
    except _FAILURES as error:
        raise _failed(f"read_lines: {place.path}", error) from None
    if not lines[-1]:
        lines.pop()
        return [line.removesuffix("\r") for line in lines]
    return [*(line.removesuffix("\r") for line in lines[:-1]), lines[-1]]


# Writing


def _write(run: Execution, place: FilePlace, data: bytes) -> None:
    try:
        with open(place.open(_REPLACE, file_or_device), "wb") as file:
            file.write(data)
    except _FAILURES as error:
        raise _failed(f"Failed to write file {place.path}", error) from None
    queue_file_edit(run, place.path, {"operation": "write", "bytes": len(data)})


@native("write_file")
def write_file(run: Execution, path: object = MISSING, text: object = MISSING) -> None:
    """Write the text of a value to a file, replacing its contents."""
    if text is not MISSING:
        _write(run, permitted_place(run, "write", "write_file", path), display(text).encode("utf-8", "replace"))


@native("write_file_bytes")
def write_file_bytes(run: Execution, path: object = MISSING, data: object = MISSING) -> None:
    """Write bytes to a file, replacing its contents."""
    if data is MISSING:
        return
    place = permitted_place(run, "write", "write_file_bytes", path)
    if not isinstance(data, bytes):
        raise thrown(f"write_file_bytes expects bytes content, got {type_name(data)}")
    _write(run, place, data)


@native("append_file")
def append_file(run: Execution, path: object = "", text: object = "") -> None:
    """Append the text of a value to a file; create the file if it does not exist."""
    place = permitted_place(run, "write", "append_file", path)
    try:
        file = open(place.open(_APPEND, file_or_device), "ab")  # noqa: SIM115 - opening and writing have different error texts
    except _FAILURES as error:
        raise _failed(f"Failed to open file {place.path}", error) from None
    data = display(text).encode("utf-8", "replace")
    try:
        with file:
            file.write(data)
    except OSError as error:
        raise _failed(f"Failed to append to file {place.path}", error) from None
    queue_file_edit(run, place.path, {"operation": "append", "bytes": len(data)})


@native("mkdir")
def mkdir(run: Execution, path: object = "") -> None:
    """Create a folder and its missing parent folders."""
    place = permitted_place(run, "write", "mkdir", path)
    try:
        place.make_folders()
    except _FAILURES as error:
        raise _failed(f"Failed to create directory {place.path}", error) from None
    queue_file_edit(run, place.path, {"operation": "mkdir"})


def _copy(source: FilePlace, target: FilePlace) -> int:
    """Copy the content and permissions of a file, and return its size."""
    if source.is_folder():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    with open(source.open(os.O_RDONLY), "rb") as before:
        status = os.fstat(before.fileno())
        if target.exists() and os.path.samestat(status, target.status()):
            return status.st_size
        with open(target.open(_REPLACE, file_or_device), "wb") as after:
            while chunk := before.read(_CHUNK):
                after.write(chunk)
            os.chmod(after.fileno() if os.chmod in os.supports_fd else target.path, modes.S_IMODE(status.st_mode))
            return after.tell()


@native("copy_file")
def copy_file(run: Execution, source: object = "", target: object = "") -> None:
    """Copy a file with its permissions."""
    here = permitted_place(run, "read", "copy_file", source)
    there = permitted_place(run, "write", "copy_file", target)
    try:
        size = _copy(here, there)
    except _FAILURES as error:
        raise _failed(f"Failed to copy {here.path} to {there.path}", error) from None
    queue_file_edit(run, there.path, {"operation": "copy", "bytes": size})


@native("move_file")
def move_file(run: Execution, source: object = MISSING, target: object = MISSING) -> None:
    """Move a file or folder; across file systems a file is copied and then deleted."""
    if target is MISSING:
        raise thrown("move_file: src and dst are required")
    here = permitted_place(run, "delete", "move_file", source, is_entry=True)
    if permissions_of(run) is not None:
        permitted_place(run, "read", "move_file", source, is_entry=True)  # or else moving would open it for reading
    there = permitted_place(run, "write", "move_file", target, is_entry=True)
    try:
        _rename(here, there)
    except _FAILURES:
        _copy_and_delete(here, there)
    queue_file_edit(run, there.path, {"operation": "move"})


def _rename(here: FilePlace, there: FilePlace) -> None:
    with here.entry() as (old_folder, old_name), there.entry() as (new_folder, new_name):
        os.replace(old_name, new_name, src_dir_fd=old_folder, dst_dir_fd=new_folder)


def _copy_and_delete(here: FilePlace, there: FilePlace) -> None:
    try:
        _copy(here, there)
    except _FAILURES as error:
        raise _failed("move_file: copy failed", error) from None
    try:
        _unlink(here)
    except OSError as error:
        raise _failed("move_file: remove src failed", error) from None


def _unlink(place: FilePlace) -> None:
    with place.entry() as (folder, name):
        os.unlink(name, dir_fd=folder)


def remove_tree(place: FilePlace, *, ignore_errors: bool = False) -> None:
    """Remove a folder with its contents."""
    import shutil

    with place.entry() as (folder, name):
        shutil.rmtree(name, ignore_errors=ignore_errors, dir_fd=folder)


@native("delete_file")
def delete_file(run: Execution, path: object = "") -> None:
    """Delete a file, or a folder with its contents."""
    require(run, "fs.delete", "delete_file")
    # A missing argument must not delete the working directory.
    place = permitted_place(run, "delete", "delete_file", path, is_entry=True) if display(path) else FilePlace("")
    is_folder = place.is_folder()
    try:
        if is_folder:
            remove_tree(place)
        else:
            _unlink(place)
    except _FAILURES as error:
        raise _failed(f"Failed to delete {'directory' if is_folder else 'file'} {place.path}", error) from None
    queue_file_edit(run, place.path, {"operation": "delete"})


# Listing and inspecting


@native("file_exists")
def file_exists(run: Execution, path: object = "") -> bool:
    """Return whether a file or folder exists at a path."""
    return permitted_place(run, "read", "file_exists", path).exists()


@native("list_dir")
def list_dir(run: Execution, path: object = ".") -> list[object]:
    """Return the names in a folder, sorted."""
    place = permitted_place(run, "read", "list_dir", path)
    try:
        return [*sorted(map(host_text, place.names()))]
    except _FAILURES as error:
        raise _failed(f"Failed to list directory {place.path}", error) from None


@native("stat")
def stat(run: Execution, path: object = "") -> dict[str, object]:
    """Return the kind, size and modification time of a file or folder."""
    place = permitted_place(run, "read", "stat", path)
    try:
        found = place.status()
    except _FAILURES as error:
        raise _failed(f"Failed to stat {place.path}", error) from None
    return {
        "is_dir": modes.S_ISDIR(found.st_mode),
        "is_file": modes.S_ISREG(found.st_mode),
        "modified": found.st_mtime,
        "readonly": not found.st_mode & _WRITE_BITS,
        "size": found.st_size,
    }


@native("temp_dir")
def temp_dir() -> str:
    """Return the folder for temporary files."""
    return os.environ.get("TMPDIR", os.environ.get("TEMP", ".") if os.name == "nt" else "/tmp")  # noqa: S108 - the default of the system


class _Walk:
    """A walk through a folder and the folders below it."""

    __slots__ = ("follow", "max_depth", "run")

    def __init__(self, run: Execution, max_depth: int | None = None, *, follow: bool = False) -> None:
        self.run = run
        self.max_depth = max_depth
        self.follow = follow

    def entries(self, root: FilePlace) -> Iterator[tuple[str, int, os.stat_result]]:
        """Yield the path, depth and status of the root and all entries below it, parents before children."""
        status = _status(root, follow=True)
        pending = [] if status is None else [(root, 0, status, frozenset[tuple[int, int]]())]
        while pending:
            if BUILTINS["_hintr"]:
                self.run.poll()
            place, depth, status, above = pending.pop()
            yield place.path, depth, status
            if not modes.S_ISDIR(status.st_mode) or depth == self.max_depth:
                continue
            inside = above | {(status.st_dev, status.st_ino)} if self.follow else above
            for child in reversed(_names(place)):
                below = self._below(place, child)
                found = None if below is None else _status(below, follow=self.follow)
                if below is not None and found is not None and (found.st_dev, found.st_ino) not in inside:
                    pending.append((below, depth + 1, found, inside))

    def _below(self, folder: FilePlace, name: str) -> FilePlace | None:
        """Return the place of an entry, or None if it is a link that leads out of what the run may read."""
        if not self.follow or folder.real is None:
            return folder.child(name)
        try:
            return permitted_place(self.run, "read", "walk_dir", os.path.join(folder.path, name))
        except ScriptError:
            return None


def _status(place: FilePlace, *, follow: bool) -> os.stat_result | None:
    try:
        return place.status(follow=follow)
    except _FAILURES:
        return None


def _names(place: FilePlace) -> list[str]:
    try:
        return place.names()
    except OSError:
        return []


@native("walk_dir")
def walk_dir(run: Execution, root: object = MISSING, options: object = None) -> list[object] | dict[str, object]:
    """Return the entries of a folder tree, starting with the folder itself."""
    if root is MISSING:
        raise thrown("walk_dir: root path is required")
    given = options if isinstance(options, dict) else {}
    depth = given.get("max_depth")
    walk = _Walk(run, depth if type(depth) is int and depth >= 0 else None, follow=given.get("follow_symlinks") is True)
    place = permitted_place(run, "read", "walk_dir", root)

    def entries() -> list[object]:
        return [
            {
                "depth": level,
                "is_dir": modes.S_ISDIR(status.st_mode),
                "is_file": modes.S_ISREG(status.st_mode),
                "path": host_text(path),
            }
            for path, level, status in walk.entries(place)
        ]

    return _execute(run, "walk_dir", {"operation": "walk_dir", "path": place.path}, given, entries)


@native("glob")
def glob(
    run: Execution, pattern: object = MISSING, base: object = ".", options: object = None
) -> list[object] | dict[str, object]:
    """Return the files and folders below a base folder whose relative path matches a pattern."""
    if pattern is MISSING:
        raise thrown("glob: pattern is required")
    if isinstance(base, dict):
        base, options = base.get("base", "."), base
    try:
        matches = compile_glob(display(pattern))
    except GlobError as error:
        raise thrown(f"glob: {error}") from None
    root = permitted_place(run, "read", "glob", base)

    def paths() -> list[object]:
        found = (host_text(path) for path, depth, _ in _Walk(run).entries(root) if depth)
        return [*sorted(path for path in found if matches(path[len(root.path) :].lstrip("/")))]

    descriptor: dict[str, object] = {"operation": "glob", "pattern": display(pattern), "base": root.path}
    return _execute(run, "glob", descriptor, options if isinstance(options, dict) else {}, paths)


def _execute(
    run: Execution,
    operation: str,
    descriptor: dict[str, object],
    options: dict[str, object],
    work: Callable[[], list[object]],
) -> list[object] | dict[str, object]:
    """Do the work and return its result; if the options ask for it, start it in the background and return a handle."""
    if options.get("long_running") is not True and options.get("background") is not True:
        return work()
    from harnlite.agent.tools.long_running import begin

    return begin(run, operation, descriptor, work)
