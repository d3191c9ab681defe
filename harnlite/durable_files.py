"""Files that processes share: they are replaced as a whole or extended by complete lines, under a lock.

A process may be killed between any two instructions, a disk may be full, and other processes write to the same files.
Readers need no lock: they see the old or the new content of a replaced file, and ignore a last line without its end.
Locks work on POSIX only. Data is passed to the operating system, which survives the process, but not a power failure.

Paths are texts or places. Files at a guarded place are reached without following links.
"""

from __future__ import annotations

import errno
import os
import time
from _thread import get_ident

from harnlite.file_places import Entry, as_place, keep_access_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from harnlite.file_places import FilePlace

PATIENCE_SECONDS = 30.0
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.000_2, 0.001
RECHECK_SECONDS = 0.001
"""How long a file of lines counts as the one at its path, once that was checked, when data is appended in one step."""
_DRAFT_ENDING = ".harn-draft"
_OLD_SUFFIXES = ("harn", "harnc", "snap", "tables")
_CHUNK = 1 << 12
_READ = 1 << 20
_MODE = 0o666
_KIND, _FOLDER, _LINK = 0o170000, 0o040000, 0o120000
_BINARY = getattr(os, "O_BINARY", 0)

_swept: set[tuple[str, str | None]] = set()


def lock(file: int, path: str, patience: float | None = None) -> None:
    """Lock an open file or folder until it is closed. Raise OSError if another process keeps the lock for too long."""
    try:
        import fcntl
    except ImportError:
        return
    pause, waited = _FIRST_PAUSE_SECONDS, 0.0
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waited > (PATIENCE_SECONDS if patience is None else patience):
                raise OSError(errno.EAGAIN, "another process keeps it locked", path) from None
            time.sleep(pause)
            waited += pause
            pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)
        except OSError:
            return  # The file system has no locks: concurrent writers are not prevented.
        else:
            return


def _is_at(place: FilePlace, file: int) -> bool:
    """Return whether a place still is that of an open file or folder."""
    try:
        return os.path.samestat(place.status(), os.fstat(file))
    except FileNotFoundError:
        return False


class LockedFolder:
    """A context manager that locks a folder, so that one process at a time replaces files in it and below it.

    The folder must exist. Drafts that killed processes have left there are deleted. Drafts of earlier versions are
    deleted if their names begin with the name of the file `of`; other names could be those of other programs.

    Files are replaced relative to the open folder. In a guarded one, links are neither followed nor replaced.
    """

    __slots__ = ("_file", "_folder", "_of", "_patience", "_place")

    def __init__(self, path: str | FilePlace, *, of: str | None = None, patience: float | None = None) -> None:
        self._place = as_place(path or os.curdir)
        self._of = of
        self._patience = patience
        self._file = -1
        self._folder: int | None = None

    def __enter__(self) -> Self:
        while os.name == "posix":
            self._folder = self._file = self._place.open_folder()
            try:
                lock(self._file, self._place.path, self._patience)
                if _is_at(self._place, self._file):
                    self._sweep()
                    break
            except BaseException:
                os.close(self._file)
                raise
            os.close(self._file)
        return self

    def __exit__(self, *_: object) -> None:
        if self._file >= 0:
            os.close(self._file)

    def _sweep(self) -> None:
        """Delete the drafts in the folder, once per process: nobody else writes one while the lock is held."""
        folder = _swept_name(self._place)
        if (folder, self._of) not in _swept:
            _swept.add((folder, self._of))
            for name in _drafts_in(self._file, self._of):
                _remove(name, self._folder)

    def replace(self, name: str, data: bytes) -> None:
        """Replace the content of a file, or create it; on failure the old file remains. Raise OSError on failure."""
        self.replace_all({name: data})

    def replace_all(self, contents: dict[str, bytes]) -> None:
        """Replace the contents of files, in this order. Nothing changes before all contents are on the disk."""
        drafts: dict[str, str] = {}
        walks = self._place.is_guarded
        name = ""
        try:
            for name, data in contents.items():
                draft = self._reached(f".{os.getpid()}-{get_ident()}-{len(drafts)}{_DRAFT_ENDING}")
                drafts[draft] = name
                with Entry(self._reached(name), self._folder, walks=walks) as (folder, last):
                    mode = _mode_of(last, folder, is_guarded=walks)
                _write_draft(draft, data, mode, self._folder)
            for draft, name in drafts.items():
                with Entry(self._reached(name), self._folder, walks=walks) as (folder, last):
                    os.replace(draft, last, src_dir_fd=self._folder, dst_dir_fd=folder)
        except BaseException as error:
            for draft in drafts:
                _remove(draft, self._folder)
            if isinstance(error, OSError):
                raise OSError(error.errno, error.strerror, os.path.join(self._place.path, name)) from None
            raise

    def _reached(self, name: str) -> str:
        """Return a name for the functions of `os`: relative to the folder if that is open, else with its path."""
        return name if self._folder is not None else os.path.join(self._place.real or self._place.path, name)


def _swept_name(place: FilePlace) -> str:
    return place.real or os.path.abspath(place.path)


def _write_draft(draft: str, data: bytes, mode: int | None, folder: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
    try:
        file = os.open(draft, flags, _MODE, dir_fd=folder)
    except FileExistsError:
        _remove(draft, folder)
        file = os.open(draft, flags, _MODE, dir_fd=folder)
    try:
        write_all(file, data)
        if mode is not None:
            os.chmod(file if os.chmod in os.supports_fd else draft, mode)
    finally:
        os.close(file)


def _mode_of(path: str, folder: int | None, *, is_guarded: bool) -> int | None:
    """Return the permissions of a file, or None if it does not exist. Raise OSError if it may not be written."""
    try:
        mode = os.stat(path, dir_fd=folder, follow_symlinks=not is_guarded).st_mode
    except FileNotFoundError:
        return None
    if mode & _KIND == _FOLDER:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if mode & _KIND == _LINK:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    if not os.access(path, os.W_OK, dir_fd=folder):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return mode & 0o7777


def _remove(path: str, folder: int | None) -> None:
    try:
        os.unlink(path, dir_fd=folder)
    except OSError:
        return


def sweep(path: str | FilePlace, *, of: str | None = None) -> None:
    """Delete the drafts that killed processes have left in a folder, once per process, for one that only reads.

    It does not wait: a process that has locked the folder has deleted the drafts itself.
    """
    place = as_place(path)
    folder = _swept_name(place)
    if (folder, of) in _swept:
        return
    try:
        check_path(place.path)
        if any(_is_left(name, of) for name in place.names()):
            with LockedFolder(place, of=of, patience=0):
                return
        _swept.add((folder, of))
    except OSError:
        return


def is_draft(name: str) -> bool:
    """Return whether a file name is that of a draft, which no list of files should contain."""
    return name.endswith(_DRAFT_ENDING)


def _drafts_in(folder: int, of: str | None) -> Iterator[str]:
    return (name for name in os.listdir(folder) if _is_left(name, of))


def _is_left(name: str, of: str | None) -> bool:
    """Return whether a file name is that of a draft of this version or of an earlier one."""
    return is_draft(name) or _is_old_draft(name, of)


def _is_old_draft(name: str, of: str | None) -> bool:
    """Return whether a file is the draft of an earlier version, which added the id of its process to the name."""
    parts = ["", "", *name.split(".")]
    if parts[-1] == "tmp":
        is_ours, process = parts[-3] in _OLD_SUFFIXES or (of is not None and name.startswith(of)), parts[-2]
    elif parts[-2] in _OLD_SUFFIXES:
        is_ours, process = True, parts[-1]
    else:
        is_ours, process = parts[-3] in _OLD_SUFFIXES, parts[-2]
    return is_ours and process.isdecimal() and not _is_running(int(process))


def _is_running(process: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return process > 0


def check_path(path: str) -> None:
    """Raise OSError if a path cannot exist: the functions of `os` raise ValueError then."""
    try:
        is_valid = b"\0" not in os.fsencode(path)
    except UnicodeError:
        is_valid = False
    if not is_valid:
        raise OSError(errno.EINVAL, "the path contains a NUL byte or half a surrogate pair", path)


def replace_file(path: str | FilePlace, data: bytes) -> None:
    """Replace the content of a file, or create it. A symbolic link stays, and its target is replaced.

    A device or a pipe cannot be replaced; it receives the content.
    """
    place = as_place(path)
    check_path(place.path)
    if place.exists() and not place.is_file():
        file = place.open(os.O_WRONLY, _open_anything)
        try:
            write_all(file, data)
        finally:
            os.close(file)
        return
    target = place.resolved()
    with LockedFolder(target.folder(), of=target.name) as locked:
        locked.replace(target.name, data)


def _open_anything(path: str, flags: int, *, dir_fd: int | None = None) -> int:
    return os.open(path, flags, dir_fd=dir_fd)


def open_file(path: str | FilePlace) -> int:
    """Open a file to read it. Raise OSError for a folder, a pipe or a device, whose content may never end."""
    place = as_place(path)
    check_path(place.path)
    return place.open(os.O_RDONLY | _BINARY)


def read_all(file: int) -> bytes:
    """Return the bytes of an open file from its current position to its end."""
    parts = []
    while part := os.read(file, _READ):
        parts.append(part)
    return b"".join(parts)


def read_file(path: str | FilePlace) -> bytes:
    """Return the content of a file. Raise OSError for anything else than a regular file."""
    file = open_file(path)
    try:
        return read_all(file)
    finally:
        os.close(file)


def move_aside(path: str | FilePlace) -> str:
    """Rename a file that cannot be read, so that it is not overwritten. Return its new path."""
    place = as_place(path)
    number = 1
    with place.entry() as (folder, name):
        while _is_there(aside := f"{name}.unreadable-{number}", folder):
            number += 1
        os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)
    return f"{place.path}.unreadable-{number}"


def _is_there(path: str, folder: int | None) -> bool:
    try:
        os.stat(path, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def write_all(file: int, data: bytes) -> None:
    """Write all bytes. The operating system may accept fewer than asked, for example when the disk is nearly full."""
    count = os.write(file, data)
    view = memoryview(data)[count:]
    while view:
        view = view[os.write(file, view) :]


def _seek_and_read(file: int, count: int, start: int) -> bytes:
    os.lseek(file, start, os.SEEK_SET)
    return os.read(file, count)


_read_at = getattr(os, "pread", _seek_and_read)  # Windows lacks it


def _no_lock(_file: int, _how: int) -> None:
    """Do nothing, where the system has no such locks."""


class LineFile:
    """A file of lines that several processes append to. As a context manager it locks the file.

    Inside the context, the file is the one that its path names at that time: a file that was deleted or replaced is
    opened anew, and `opened` counts how often that was necessary. Outside, or if entering the context fails, the file
    that was opened last can still be read.
    """

    __slots__ = ("_check_at", "_file", "_flock", "_identity", "_now", "_path", "_place", "_size", "_unlocked", "opened")

    def __init__(self, path: str | FilePlace) -> None:
        self._place = as_place(path)
        self._path = self._place.path if self._place.real is None else None
        """The path, if the place is not guarded."""
        self._file = -1
        self._identity: tuple[int, ...] = ()
        self._size = 0
        self._flock: Callable[[int, int], object] = _no_lock
        self._now = self._unlocked = 0
        self._check_at = 0.0
        self.opened = 0

    def __enter__(self) -> Self:
        if self._file < 0:
            self._file = self._open()
        while True:
            try:
                try:
                    self._flock(self._file, self._now)
                except OSError:
                    lock(self._file, self._place.path)
                try:
                    found = self._place.status() if self._path is None else os.stat(self._path)
                except FileNotFoundError:
                    pass
                else:
                    self._size = found.st_size
                    if found[1:3] == self._identity:
                        return self
            except BaseException:
                self.__exit__()
                raise
            self.__exit__()
            replacement = self._open()
            os.close(self._file)
            self._file = replacement

    def _open(self) -> int:
        file = self._place.open(os.O_RDWR | os.O_APPEND | os.O_CREAT | _BINARY)
        try:
            import fcntl
        except ImportError:
            pass
        else:
            self._flock, self._now, self._unlocked = fcntl.flock, fcntl.LOCK_EX | fcntl.LOCK_NB, fcntl.LOCK_UN
            keep_access_time(file, fcntl)
        self._identity = os.fstat(file)[1:3]  # st_ino and st_dev
        self.opened += 1
        return file

    def __exit__(self, *_: object) -> None:
        if self._file >= 0:
            try:
                self._flock(self._file, self._unlocked)
            except OSError:
                return

    def size(self) -> int:
        """Return the size that the file had when it was locked, with what has been appended since."""
        return self._size

    def read(self, start: int, count: int) -> bytes:
        """Return bytes from an offset on, fewer than `count` at the end of the file. The file need not be locked."""
        found = _read_at(self._file, count, start)
        while 0 < len(found) < count and (more := _read_at(self._file, count - len(found), start + len(found))):
            found += more
        return found

    def append_after(self, start: int, end: bytes, data: bytes, now: float) -> bool:
        """Lock the file, and append to it if it has exactly the bytes `end` from an offset on; return whether it has.

        It returns False as well if anything else has to be done first. Then nothing has changed. `end` is not empty.

        Whether the path still names the file is checked once in RECHECK_SECONDS of a time that never decreases. Until
        then, the data is appended to a file that has been renamed, replaced or deleted.
        """
        file, path = self._file, self._path
        if file < 0 or path is None:
            return False
        try:
            self._flock(file, self._now)
        except OSError:
            return False  # another process has locked it, or the file system has no locks
        try:
            if _read_at(file, len(end) + 1, start) != end:  # one more byte, which must not be there
                return False
            if now >= self._check_at:
                if os.stat(path)[1:3] != self._identity:
                    return False
                self._check_at = now + RECHECK_SECONDS
            self._size = start + len(end)
            self.append(data)
        except FileNotFoundError:
            return False
        finally:
            self.__exit__()
        return True

    def lines(self, start: int) -> Iterator[bytes]:
        """Yield the lines from an offset on; the last one may lack its end. The file need not be locked."""
        with open(os.dup(self._file), "rb") as stream:
            stream.seek(start)
            yield from stream

    def repair_end(self, is_torn: Callable[[bytes], bool]) -> None:
        """Make the locked file end with a complete line.

        A last line without an end is the rest of a writer that was killed, because the lock excludes others. If it is
        torn, it is moved to a file beside this one: its writer never returned. Otherwise only its end is missing.
        """
        size = start = self._size
        if not size or self.read(size - 1, 1) == b"\n":
            return
        tail = b""
        while start and b"\n" not in tail:
            start -= (step := min(start, len(tail) or _CHUNK))  # twice as much each time: a line may have 100 MB
            tail = self.read(start, step) + tail
        line = tail.rpartition(b"\n")[2]
        if not is_torn(line):
            self.append(b"\n")
            return
        aside = self._place.beside(".torn").open(os.O_WRONLY | os.O_APPEND | os.O_CREAT | _BINARY)
        try:
            write_all(aside, line + b"\n")
        finally:
            os.close(aside)
        self._size -= len(line)
        os.ftruncate(self._file, self._size)

    def append(self, data: bytes) -> None:
        """Write to the end of the locked file: everything, or nothing if that fails. Raise OSError on failure."""
        try:
            count = os.write(self._file, data)
            if count != len(data):
                write_all(self._file, data[count:])
        except BaseException as error:
            os.ftruncate(self._file, min(self._size, os.fstat(self._file).st_size))
            if isinstance(error, OSError):
                raise OSError(error.errno, error.strerror, self._place.path) from None
            raise
        self._size += len(data)

    def close(self) -> None:
        """Close the file, which unlocks it."""
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)
