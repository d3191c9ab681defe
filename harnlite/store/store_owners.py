"""The processes that use a store: each keeps a file locked in a folder beside it as long as it lives."""

from __future__ import annotations

import os
import sys
from secrets import token_hex
from weakref import WeakSet

_ENDING = ".lock"
_CHARACTERS = frozenset("0123456789abcdef-")
_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_STILL_ACTIVE = 259
_QUERY_LIMITED_INFORMATION = 0x1000


class StoreOwner:
    """An open store of this process, whose name other processes can check.

    The operating system drops the lock when the process ends, however it ends. A forked child closes its copy of the
    file, which would otherwise keep the lock. Without locks, the id of the process in the name is checked.
    """

    __slots__ = ("__weakref__", "_file", "_folder", "name")

    def __init__(self, store: str) -> None:
        self._folder = store + ".owners"
        os.makedirs(self._folder, _FOLDER_MODE, exist_ok=True)
        self.name = f"{os.getpid()}-{token_hex(8)}"
        self._file = _locked_file(self._path(self.name))
        _owners.add(self)
        self._sweep()

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name + _ENDING)

    def _sweep(self) -> None:
        """Delete the files of processes that have ended."""
        for each in os.listdir(self._folder):
            if each.endswith(_ENDING):
                self.is_alive(each.removesuffix(_ENDING))

    def is_alive(self, name: str) -> bool:
        """Return whether the process of an owner lives. Delete its file if not."""
        if name == self.name:
            return True
        if not name or not _CHARACTERS.issuperset(name):
            return False
        try:
            file = os.open(self._path(name), os.O_RDWR)
        except FileNotFoundError:
            return False
        except OSError:
            return _is_running(name)  # the file of another user
        try:
            if _is_held(file, name):
                return True
            if os.name == "posix":
                _remove(self._path(name))
        finally:
            os.close(file)
        if os.name != "posix":  # Windows keeps open files
            _remove(self._path(name))
        return False

    def forget(self) -> None:
        """Close the file without deleting it, in a child of the process."""
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)

    def close(self) -> None:
        """Delete the file, which ends all claims of this owner."""
        file, self._file = self._file, -1
        if file < 0:
            return
        if os.name == "posix":
            _remove(self._path(self.name))
        os.close(file)
        if os.name != "posix":
            _remove(self._path(self.name))


def _locked_file(path: str) -> int:
    """Create a file and lock it. Another process may take it for that of a dead owner before it is locked."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, _FILE_MODE)
        try:
            _lock(file)
            if os.path.samestat(os.fstat(file), os.stat(path)):
                return file
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _lock(file: int) -> None:
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError:
        return  # the file system has no locks


def _is_held(file: int, name: str) -> bool:
    """Return whether the owner of a file lives. Processes that check one file do not take each other for its owner."""
    try:
        import fcntl
    except ImportError:
        return _is_running(name)
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return _is_running(name)
    return False


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _is_running(name: str) -> bool:
    number = name.partition("-")[0]
    process = int(number) if number.isdecimal() and len(number) < len("1234567890") + 1 else 0
    if process <= 0:
        return False
    if sys.platform == "win32":
        return _is_running_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _is_running_on_windows(process: int) -> bool:
    """Return whether a process runs; `os.kill` would send it a signal."""
    import ctypes

    kernel = vars(ctypes)["windll"].kernel32  # only Windows has it
    handle = kernel.OpenProcess(_QUERY_LIMITED_INFORMATION, 0, process)
    if not handle:
        return False
    code = ctypes.c_ulong()
    is_known = kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return bool(is_known) and code.value == _STILL_ACTIVE


_owners: WeakSet[StoreOwner] = WeakSet()


def _forget_owners() -> None:
    for owner in _owners:
        owner.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_owners)
