"""File operations that follow no link out of what a run may access.

A place that was checked is reached again component by component, and no component may be a link: whoever exchanges a
folder for a link between the check and the use causes an error, not an access. Windows has no such operations; there
the resolved path is used.
"""

from __future__ import annotations

import os
import stat

from harnlite.regular_files import regular_file_of_any_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Protocol

    class Opener(Protocol):
        """A function of `regular_files`."""

        def __call__(self, path: str, flags: int, *, dir_fd: int | None = None) -> int:
            """Open a file, relative to an open folder if there is one."""


_CAN_WALK = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_ONLY_FOLDER = getattr(os, "O_DIRECTORY", 0)
_STEP = getattr(os, "O_PATH", os.O_RDONLY) | _ONLY_FOLDER | _NO_LINK
_DESCRIPTORS = "/proc/self/fd"


class FilePlace:
    """A path that a run may access. `path` is for messages; `real` is free of links, or None if nothing is guarded."""

    __slots__ = ("path", "real")

    def __init__(self, path: str, real: str | None = None) -> None:
        self.path = path
        self.real = real

    @property
    def name(self) -> str:
        """Return the name of the place in its folder, without links."""
        return os.path.basename(self.real or self.path)

    @property
    def is_guarded(self) -> bool:
        """Return whether the place is reached without following links."""
        return self.real is not None and _CAN_WALK

    def child(self, name: str) -> FilePlace:
        """Return the place of an entry of this folder. If it is a link, it is not followed."""
        return FilePlace(os.path.join(self.path, name), None if self.real is None else os.path.join(self.real, name))

    def beside(self, ending: str) -> FilePlace:
        """Return the place of another file in the same folder, whose name has an ending added."""
        return FilePlace(self.path + ending, None if self.real is None else self.real + ending)

    def folder(self) -> FilePlace:
        """Return the place of the folder that contains this entry."""
        real = None if self.real is None else os.path.dirname(self.real)
        return FilePlace(os.path.dirname(self.path) or os.curdir, real)

    def resolved(self) -> FilePlace:
        """Return the place that this one leads to, if it is a link; its messages name the target."""
        return FilePlace(os.path.realpath(self.path) if self.real is None else self.real, self.real)

    def entry(self) -> Entry:
        """Return a context manager for the folder of the place and the name in it, for calls with `dir_fd`."""
        return Entry(self.real or self.path, None, walks=self.real is not None and _CAN_WALK)

    def open(self, flags: int, opener: Opener = regular_file_of_any_size) -> int:
        """Open the file at the place with a function of `regular_files`, and return its descriptor."""
        if self.real is None or not _CAN_WALK:
            return opener(self.real or self.path, flags)
        try:
            with self.entry() as (folder, name):
                return opener(name, flags | _NO_LINK, dir_fd=folder)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.path) from None

    def open_folder(self) -> int:
        """Open the folder at the place, so that it can be locked and listed, and return its descriptor."""
        if self.real is None or not _CAN_WALK:
            return os.open(self.real or self.path, os.O_RDONLY | _ONLY_FOLDER)
        with self.entry() as (above, name):
            return os.open(name, os.O_RDONLY | _ONLY_FOLDER | _NO_LINK, dir_fd=above)

    def status(self, *, follow: bool = True) -> os.stat_result:
        """Return the status of the place. A guarded place has no links to follow."""
        if self.real is None:
            return os.stat(self.path, follow_symlinks=follow)
        with self.entry() as (folder, name):
            return os.stat(name, dir_fd=folder, follow_symlinks=follow and folder is None)

    def exists(self, *, follow: bool = True) -> bool:
        """Return whether there is anything at the place."""
        try:
            self.status(follow=follow)
        except (OSError, ValueError):
            return False
        return True

    def is_folder(self, *, follow: bool = False) -> bool:
        """Return whether a folder is at the place; a link to one counts only if links are followed."""
        if self.real is None and follow:
            return os.path.isdir(self.path)
        return stat.S_ISDIR(self._mode(follow=follow))

    def is_file(self) -> bool:
        """Return whether a regular file is at the place."""
        return stat.S_ISREG(self._mode(follow=True))

    def _mode(self, *, follow: bool) -> int:
        try:
            return self.status(follow=follow).st_mode
        except (OSError, ValueError):
            return 0

    def names(self) -> list[str]:
        """Return the names in the folder at the place."""
        if self.real is None or not _CAN_WALK:
            return os.listdir(self.real or self.path)
        folder = self.open_folder()
        try:
            return os.listdir(folder)
        finally:
            os.close(folder)

    def entries(self) -> list[tuple[str, bool]]:
        """Return the names in the folder at the place, each with whether it is a folder and not a link."""
        if self.real is None or not _CAN_WALK:
            with os.scandir(self.real or self.path) as found:
                return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
        folder = self.open_folder()
        try:
            with os.scandir(folder) as found:
                return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
        finally:
            os.close(folder)

    def make_folders(self) -> None:
        """Create the folder at the place and the missing ones above it."""
        if self.real is None or not _CAN_WALK:
            os.makedirs(self.real or self.path, exist_ok=True)
            return
        os.close(_opened_folder(self.real, make=True))

    def make_folder(self, mode: int) -> None:
        """Create the folder at the place; raise FileExistsError if there is anything."""
        with self.entry() as (folder, name):
            os.mkdir(name, mode, dir_fd=folder)

    def remove(self) -> None:
        """Delete the file at the place."""
        with self.entry() as (folder, name):
            os.unlink(name, dir_fd=folder)

    def remove_folder(self) -> None:
        """Delete the folder at the place, which must be empty."""
        with self.entry() as (folder, name):
            os.rmdir(name, dir_fd=folder)

    def as_working_folder(self) -> WorkingFolder:
        """Return a context manager for a path that leads a new process to the folder at the place."""
        return WorkingFolder(self)


class Entry:
    """A context manager for an entry below a folder: the open folder that contains the entry, and its name there.

    If `walks` is set, each component of the path is opened without following links; else the path is used as it is.
    """

    __slots__ = ("_opened", "_path", "_start", "_walks")

    def __init__(self, path: str, start: int | None, *, walks: bool) -> None:
        self._path = path
        self._start = start
        self._walks = walks
        self._opened = -1

    def __enter__(self) -> tuple[int | None, str]:
        if not self._walks:
            return self._start, self._path
        above, name = os.path.split(self._path)
        if not above and self._start is not None:
            return self._start, name
        self._opened = _opened_folder(above, self._start)
        return self._opened, name or os.curdir

    def __exit__(self, *_: object) -> None:
        if self._opened >= 0:
            os.close(self._opened)


class WorkingFolder:
    """A context manager for a path that leads a new process to a folder. The folder is open meanwhile."""

    __slots__ = ("_opened", "_place")

    def __init__(self, place: FilePlace) -> None:
        self._place = place
        self._opened = -1

    def __enter__(self) -> str:
        real = self._place.real
        if real is None or not _CAN_WALK or not os.path.isdir(_DESCRIPTORS):
            return real or self._place.path
        self._opened = _opened_folder(real)
        return os.path.join(_DESCRIPTORS, str(self._opened))

    def __exit__(self, *_: object) -> None:
        if self._opened >= 0:
            os.close(self._opened)


def as_place(path: str | FilePlace) -> FilePlace:
    """Return a place; a path alone is not guarded."""
    return path if isinstance(path, FilePlace) else FilePlace(path)


def _opened_folder(path: str, start: int | None = None, *, make: bool = False) -> int:
    """Open a folder from the root or an open folder on, one component at a time; none of them may be a link."""
    folder = os.open(os.sep if start is None else os.curdir, _STEP, dir_fd=start)
    for name in path.split(os.sep):
        if not name:
            continue
        try:
            below = _step(folder, name, make=make)
        finally:
            os.close(folder)
        folder = below
    return folder


def _step(folder: int, name: str, *, make: bool) -> int:
    try:
        return os.open(name, _STEP, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:
        pass
    return os.open(name, _STEP, dir_fd=folder)


def keep_access_time(file: int, fcntl: ModuleType) -> None:
    """Let reads of an open file not change its access time, where the system allows this to the process.

    A file that is written between its reads would otherwise get a new one with each read.
    """
    try:
        fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_NOATIME)
    except (AttributeError, OSError):
        return  # only Linux has this, for the owner of a file
