"""Dicts in JSON files that several processes read and change: the store and the checkpoints of a project."""

from __future__ import annotations

import json
import os
import re
import time

from harnlite.durable_files import LockedFolder, move_aside, open_file, read_all, sweep
from harnlite.file_places import FilePlace
from harnlite.formats.json.nesting import depth_of
from harnlite.library.working_folders import os_text
from harnlite.runtime.access_control import is_restricted, place_of
from harnlite.store.state_version import check_version
from harnlite.values.errors import ScriptError, runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from harnlite.runtime.tasks.execution import Execution

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
    another file never has the same state. Each access is checked, for the builtin `name`.
    """

    __slots__ = ("_file", "_folder", "_label", "_name", "_path", "_root", "_run", "_state", "_values")

    def __init__(self, run: Execution, root: str, path: str, label: str) -> None:
        self._run = run
        self._root = root
        self._path = os.path.realpath(os.path.join(root, path))
        self._folder = FilePlace(self._path).folder()
        self._name = os.path.basename(self._path)
        self._label = label
        self._file = -1
        self._state: object = None
        self._values: Values = {}
        if not is_restricted(run, "fs.write"):
            sweep(self._folder, of=self._name)
        run.endings.append(self._close)

    def values(self, name: str) -> Values:
        """Return the values that the file contains now."""
        return self._values_at(place_of(self._run, "state.read", name, self._path), name)

    def change(self, name: str, apply: Callable[[Values], object], *, of: str | None = None) -> None:
        """Let a function change the values that the file contains now, and write them.

        `of` is the key that it changes if there is such a key; otherwise nothing is written.
        """
        place = place_of(self._run, "state.write", name, self._path)
        if of is not None and of not in self._values_at(place, name):
            return
        folder, file = self._parts(place)
        try:
            if not folder.is_folder(follow=True):
                folder.make_folders()
        except OSError as error:
            raise self._failure("mkdir", folder.path, error) from None
        try:
            check_version(self._run, self._root, name, writes=True)
            with LockedFolder(folder, of=file) as locked:
                self._refresh_or_move_aside(place)
                values = {**self._values}
                apply(values)
                locked.replace(file, _text_of(values))
                self._become(values, open_file(place))
        except OSError as error:
            raise self._failure("write", self._path, error) from None

    def remove(self, name: str) -> None:
        """Delete the file."""
        place = place_of(self._run, "state.write", name, self._path)
        check_version(self._run, self._root, name)
        try:
            with LockedFolder(place.folder(), of=place.name):
                place.remove()
        except FileNotFoundError:
            pass
        except OSError as error:
            raise self._failure("clear", self._path, error) from None
        self._close()

    def _parts(self, place: FilePlace) -> tuple[FilePlace, str]:
        """Return the place of the folder and the name of the file in it."""
        return (self._folder, self._name) if place.real is None else (place.folder(), place.name)

    def _values_at(self, place: FilePlace, name: str) -> Values:
        check_version(self._run, self._root, name)
        try:
            try:
                self._refresh(place)
            except _UnreadableError as reason:
                self._refresh_later(name, reason)
        except OSError as error:
            raise self._failure("read", self._path, error) from None
        return self._values

    def _refresh(self, place: FilePlace) -> None:
        """Read the file if it is not the one that was read last."""
        if self._state is not None and self._state == _state_at(place):
            return
        try:
            file = open_file(place)
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

    def _refresh_later(self, name: str, reason: _UnreadableError) -> None:
        """Read the file again, or rename it if it is unreadable; if it may not be renamed, that is an error."""
        try:
            place = place_of(self._run, "state.write", name, self._path)
        except ScriptError:
            raise OSError(f"it is not a JSON object ({reason})") from None
        time.sleep(_EDITOR_SECONDS)  # Perhaps an editor has written only a part of the file.
        with LockedFolder(place.folder(), of=place.name):
            self._refresh_or_move_aside(place)

    def _refresh_or_move_aside(self, place: FilePlace) -> None:
        """Read the file, or rename it if it is unreadable. The folder is locked."""
        try:
            self._refresh(place)
        except _UnreadableError as reason:
            aside = move_aside(place)
            self._close()
            text = f"{self._label}: {self._path} is not a JSON object ({reason}); it was renamed to {aside}"
            self._run.write_error(f"[harn] warning: {text}\n")

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


def _state_at(place: FilePlace) -> object:
    try:
        return _state_of(place.status())
    except OSError:
        return None


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
