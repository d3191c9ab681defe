"""Dicts in JSON files that several processes read and change: the store and the checkpoints of a project."""

from __future__ import annotations

import json
import os
import re
import time

from harnlite.durable_files import LockedFolder, move_aside, open_file, read_all, sweep
from harnlite.formats.json.reading import depth_of
from harnlite.library.working_folders import os_text
from harnlite.store.state_version import check_version
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

    Values: TypeAlias = dict[str, object]

_INT_BITS, _LONGEST_INT = 64, 20
_EDITOR_SECONDS = 0.05

_DEEPEST = 1000
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


class _UnreadableError(Exception):
    """The reason why a file is not a JSON object."""


class JsonFile:
    """A dict in a JSON file below the state root of a project.

    Each read notices the changes of other processes. A change applies to what the file contains at that time, so that
    changes of other processes to other keys stay. The file that was read last stays open, which reserves its inode:
    another file never has the same state.
    """

    __slots__ = ("_file", "_folder", "_label", "_name", "_path", "_root", "_run", "_state", "_values")

    def __init__(self, run: Execution, root: str, name: str, label: str) -> None:
        self._run = run
        self._root = root
        self._path = os.path.realpath(os.path.join(root, name))
        self._folder, self._name = os.path.split(self._path)
        self._label = label
        self._file = -1
        self._state: object = None
        self._values: Values = {}
        check_version(run, root)
        sweep(self._folder, of=self._name)
        run.endings.append(self._close)

    def values(self) -> Values:
        """Return the values that the file contains now."""
        try:
            try:
                self._refresh()
            except _UnreadableError:
                time.sleep(_EDITOR_SECONDS)  # Perhaps an editor has written only a part of the file.
                with LockedFolder(self._folder, of=self._name):
                    self._refresh_or_move_aside()
        except OSError as error:
            raise self._failure("read", self._path, error) from None
        return self._values

    def change(self, apply: Callable[[Values], object]) -> None:
        """Let a function change the values that the file contains now, and write them."""
        try:
            if not os.path.isdir(self._folder):
                os.makedirs(self._folder, exist_ok=True)
        except OSError as error:
            raise self._failure("mkdir", self._folder, error) from None
        try:
            check_version(self._run, self._root, writes=True)
            with LockedFolder(self._folder, of=self._name) as folder:
                self._refresh_or_move_aside()
                values = {**self._values}
                apply(values)
                folder.replace(self._name, _text_of(values))
                self._become(values, open_file(self._path))
        except OSError as error:
            raise self._failure("write", self._path, error) from None

    def remove(self) -> None:
        """Delete the file."""
        try:
            with LockedFolder(self._folder, of=self._name):
                os.remove(self._path)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise self._failure("clear", self._path, error) from None
        self._close()

    def _refresh(self) -> None:
        """Read the file if it is not the one that was read last."""
        if self._state is not None and self._state == self._state_at_path():
            return
        try:
            file = open_file(self._path)
        except (FileNotFoundError, NotADirectoryError):
            self._close()
            return
        try:
            state = _state_of(os.fstat(file))
            values = _parsed(read_all(file))
            self._become(values, file, state)
        except BaseException:
            os.close(file)
            raise

    def _refresh_or_move_aside(self) -> None:
        """Read the file, or rename it if it is unreadable. The folder is locked."""
        try:
            self._refresh()
        except _UnreadableError as reason:
            aside = move_aside(self._path)
            self._close()
            text = f"{self._label}: {self._path} is not a JSON object ({reason}); it was renamed to {aside}"
            self._run.write_error(f"[harn] warning: {text}\n")

    def _state_at_path(self) -> object:
        try:
            return _state_of(os.stat(self._path))
        except OSError:
            return None

    def _become(self, values: Values, file: int, state: object = None) -> None:
        """Remember the values of an open file, which stays open in place of the previous one."""
        self._close()
        self._values, self._state = values, state or _state_of(os.fstat(file))
        if os.name == "posix":
            self._file = file
        else:
            os.close(file)  # Windows does not replace open files.

    def _close(self) -> None:
        file, self._file = self._file, -1
        self._values, self._state = {}, None
        if file >= 0:
            os.close(file)

    def _failure(self, action: str, path: str, error: OSError) -> ScriptError:
        return runtime_error(f"{self._label} {action} error: {os_text(error)}: {path}")


def _state_of(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


def _check_depth(data: bytes) -> None:
    """Raise OSError if JSON is nested so deeply that Python's scanner may exhaust the stack."""
    if data.count(b"[") + data.count(b"{") > _DEEPEST and depth_of(_STRING.sub(b"", data)) > _DEEPEST:
        raise OSError(f"it is nested more than {_DEEPEST} levels deep")


def _parsed(data: bytes) -> Values:
    _check_depth(data)
    try:
        found = json.loads(data.decode("utf-8-sig"), parse_int=_wrapped_int)
    except UnicodeDecodeError:
        raise _UnreadableError("it is not UTF-8") from None
    except ValueError as error:
        raise _UnreadableError(str(error)) from None
    if found.__class__ is not dict:
        raise _UnreadableError("it has another type")
    values: Values = found
    return values


def _wrapped_int(digits: str) -> int | float:
    if len(digits) > _LONGEST_INT:
        return float(digits)
    number = int(digits)
    return number if (number if number >= 0 else ~number).bit_length() < _INT_BITS else float(digits)


def _text_of(values: Values) -> bytes:
    """Return the values as JSON; a text with half a surrogate pair has no UTF-8, so it is escaped."""
    text = json.dumps(values, indent=2, sort_keys=True, ensure_ascii=False)
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = json.dumps(values, indent=2, sort_keys=True).encode()
    _check_depth(data)
    return data
