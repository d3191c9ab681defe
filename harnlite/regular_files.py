"""Openers for `open` that accept regular files of a bounded size only, and so never wait and never read for ever."""

from __future__ import annotations

import errno
import os
import stat

MOST_BYTES = 100_000_000
"""The size of the largest file that is read as a whole, in bytes."""
MOST_LOG_BYTES = 2_000_000_000
"""The size of the largest event log that is shown."""

_AT_ONCE = getattr(os, "O_NONBLOCK", 0)
_WRITES = os.O_WRONLY | os.O_RDWR
_PERMISSIONS = 0o666
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
}


def regular_file(path: str, flags: int, *, dir_fd: int | None = None) -> int:
    """Open a file for reading or writing; raise OSError if it is not a regular file, or too large to be read."""
    return _opened(path, flags, MOST_BYTES, dir_fd)


def regular_file_of_any_size(path: str, flags: int, *, dir_fd: int | None = None) -> int:
    """Open a file for reading or writing; raise OSError if it is not a regular file."""
    return _opened(path, flags, None, dir_fd)


def regular_log(path: str, flags: int) -> int:
    """Open an event log; raise OSError if it is not a regular file, or too large to be shown."""
    return _opened(path, flags, MOST_LOG_BYTES)


def file_or_device(path: str, flags: int, *, dir_fd: int | None = None) -> int:
    """Open a file for writing; devices such as /dev/null are accepted, but not pipes, whose readers may never come."""
    if _kind(path, dir_fd) == stat.S_IFCHR:
        return os.open(path, flags, _PERMISSIONS, dir_fd=dir_fd)
    return _opened(path, flags, None, dir_fd)


def file_or_pipe(path: str, flags: int) -> int:
    """Open a file for reading; pipes are accepted, as in `harnlite run <(command)`."""
    if _kind(path) == stat.S_IFIFO:
        return os.open(path, flags)
    return _opened(path, flags, MOST_BYTES)


def require_regular(path: str) -> None:
    """Raise OSError if there is something at a path that is not a regular file."""
    _refuse(path, _kind(path))


def too_large(path: str, most: int = MOST_BYTES) -> OSError:
    """Return the error for a file that is too large to be read."""
    return OSError(errno.EFBIG, f"it is larger than {most:,} bytes", path)


def _kind(path: str, dir_fd: int | None = None) -> int:
    """Return the kind of a file, or 0 if there is none. In an open folder, links are not followed."""
    try:
        return stat.S_IFMT(os.stat(path, dir_fd=dir_fd, follow_symlinks=dir_fd is None).st_mode)
    except OSError:
        return 0


def _opened(path: str, flags: int, most: int | None, dir_fd: int | None = None) -> int:
    # Opening a pipe, a socket or a device can wait or have an effect, so it is looked at before.
    _refuse(path, _kind(path, dir_fd))
    file = os.open(path, flags | _AT_ONCE, _PERMISSIONS, dir_fd=dir_fd)
    try:
        found = os.fstat(file)
        _refuse(path, stat.S_IFMT(found.st_mode))
        if most is not None and not flags & _WRITES and found.st_size > most:
            raise too_large(path, most)
    except OSError:
        os.close(file)
        raise
    return file


def _refuse(path: str, kind: int) -> None:
    if kind in _KINDS:
        raise OSError(errno.EINVAL, f"it is {_KINDS[kind]}, not a regular file", path)
    if kind == stat.S_IFDIR:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
