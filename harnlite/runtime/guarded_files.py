"""File operations that follow no link out of what a run may access.

A place that was checked is reached again component by component, and no component may be a link: whoever exchanges a
folder for a link between the check and the use causes an error, not an access. Windows has no such operations; there
the resolved path is used.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager

from harnlite.regular_files import regular_file_of_any_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    class Opener(Protocol):
        """A function of `regular_files`."""

        def __call__(self, path: str, flags: int, *, dir_fd: int | None = None) -> int:
            """Open a file, relative to an open folder if there is one."""


_CAN_WALK = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_DESCRIPTORS = "/proc/self/fd"


class FilePlace:
    """A path that a run may access. `path` is for messages; `real` is free of links, or None if nothing is guarded."""

    __slots__ = ("path", "real")

    def __init__(self, path: str, real: str | None = None) -> None:
        self.path = path
        self.real = real

    def child(self, name: str) -> FilePlace:
        """Return the place of an entry of this folder. If it is a link, it is not followed."""
        return FilePlace(os.path.join(self.path, name), None if self.real is None else os.path.join(self.real, name))

    @contextmanager
    def entry(self) -> Iterator[tuple[int | None, str]]:
        """Open the folder of the place; yield it and the name in it, for functions with the argument `dir_fd`."""
        if self.real is None or not _CAN_WALK:
            yield None, self.real or self.path
            return
        above, name = os.path.split(self.real)
        folder = _opened_folder(above)
        try:
            yield folder, name or os.curdir
        finally:
            os.close(folder)

    def open(self, flags: int, opener: Opener = regular_file_of_any_size) -> int:
        """Open the file at the place with a function of `regular_files`, and return its descriptor."""
        with self.entry() as (folder, name):
            return opener(name, flags if folder is None else flags | _NO_LINK, dir_fd=folder)

    def status(self, *, follow: bool = True) -> os.stat_result:
        """Return the status of the place. A guarded place has no links to follow."""
        with self.entry() as (folder, name):
            return os.stat(name, dir_fd=folder, follow_symlinks=follow and folder is None)

    def exists(self) -> bool:
        """Return whether there is anything at the place."""
        try:
            self.status()
        except (OSError, ValueError):
            return False
        return True

    def names(self) -> list[str]:
        """Return the names in the folder at the place."""
        if self.real is None or not _CAN_WALK:
            return os.listdir(self.real or self.path)
        with self.entry() as (above, name):
            folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | _NO_LINK, dir_fd=above)
        try:
            return os.listdir(folder)
        finally:
            os.close(folder)

    def make_folders(self) -> None:
        """Create the folder at the place and the missing ones above it."""
        if self.real is None or not _CAN_WALK:
            os.makedirs(self.real or self.path, exist_ok=True)
            return
        os.close(_opened_folder(self.real, make=True))

    @contextmanager
    def as_working_folder(self) -> Iterator[str]:
        """Yield a path that leads a new process to the folder at the place."""
        if self.real is None or not _CAN_WALK or not os.path.isdir(_DESCRIPTORS):
            yield self.real or self.path
            return
        folder = _opened_folder(self.real)
        try:
            yield os.path.join(_DESCRIPTORS, str(folder))
        finally:
            os.close(folder)

    def is_folder(self) -> bool:
        """Return whether a folder, not a link to one, is at the place."""
        try:
            return stat.S_ISDIR(self.status(follow=False).st_mode)
        except (OSError, ValueError):
            return False


def _opened_folder(real: str, *, make: bool = False) -> int:
    """Open a folder from the root on, one component at a time; none of them may be a link."""
    folder = os.open(os.sep, _FOLDER)
    for name in real.split(os.sep):
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
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:
        pass
    return os.open(name, _FOLDER, dir_fd=folder)
