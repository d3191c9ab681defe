"""Durable files of a session: one text per key in a folder, with the last writer of each."""

from __future__ import annotations

import os

from harnlite.durable_files import LockedFolder, is_draft, move_aside, read_file, sweep
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import json_text
from harnlite.store.path_parts import is_path_part, path_parts
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from harnlite.values.errors import ScriptError

    Writer: TypeAlias = dict[str, str | None]

HANDOFF_KEY = "__handoff.json"
_META, _DRAFTS = ".agent_state_meta", ".agent_state_tmp"
_POLICIES = {
    "": "ignore",
    "ignore": "ignore",
    "off": "ignore",
    "warn": "warn",
    "warning": "warn",
    "error": "error",
    "strict": "error",
}


def policy_of(value: str) -> str:
    """Return the policy for a second writer of a key: ignore, warn or error."""
    if value not in _POLICIES:
        raise runtime_error(f"agent_state: unknown conflict policy '{value}'")
    return _POLICIES[value]


def key_parts(key: object) -> list[str]:
    """Check a key and return its path components below the session folder."""
    if not isinstance(key, str) or not key:
        raise runtime_error("agent_state: key must be a non-empty relative path")
    if os.path.isabs(key) or key.startswith("/"):
        raise runtime_error(f"agent_state: key '{key}' must be relative")
    parts = path_parts(key)
    if parts is None:
        raise runtime_error(f"agent_state: key '{key}' must not escape the session root")
    if any(part in {_META, _DRAFTS} or is_draft(part) for part in parts):
        raise runtime_error(f"agent_state: key '{key}' uses a reserved internal path")
    if not parts:
        raise runtime_error("agent_state: key must contain at least one path component")
    return parts


class SessionFolder:
    """The folder that contains the texts of a session."""

    __slots__ = ("_path",)

    def __init__(self, root: str, session_id: str) -> None:
        if not is_path_part(session_id):
            raise runtime_error(f"agent_state: session id '{session_id}' must be a single path component")
        self._path = os.path.join(root, session_id)

    def make(self) -> None:
        """Create the folder if it does not exist."""
        try:
            os.makedirs(self._path, exist_ok=True)
        except OSError as error:
            raise _failure("create", self._path, error) from None

    def exists(self) -> bool:
        """Return whether the folder exists."""
        return os.path.isdir(self._path)

    def write(self, key: object, text: str, writer: Writer, policy: str) -> list[str]:
        """Write a text, and note its writer: concurrent readers get the old or the new text.

        Return the warnings for the user. If another writer wrote the key last, the policy decides.
        """
        parts = key_parts(key)
        name, path, note = "/".join(parts), self._file(parts), json_text({"key": "/".join(parts), "writer": writer})
        contents = {_meta(name): note.encode("utf-8", "replace"), name: text.encode("utf-8", "surrogatepass")}
        try:
            _make_folder(self._path)
            with LockedFolder(self._path) as folder:
                for key_name in contents:
                    _make_folder(os.path.dirname(self._file([key_name])))
                warnings = [] if policy == "ignore" else self._conflicts(name, writer, policy)
                if _content(self._file([_meta(name)])) == contents[_meta(name)]:
                    del contents[_meta(name)]
                folder.replace_all(contents)
        except OSError as error:
            raise _failure("write", path, error) from None
        return warnings

    def _conflicts(self, name: str, writer: Writer, policy: str) -> list[str]:
        """Return the warnings about the last writer of a key, or raise the error if the policy is `error`."""
        path, me = self._file([_meta(name)]), writer.get("writer_id")
        noted = _content(path)
        try:
            before = None if noted is None else _writer_in(noted)
        except (ValueError, JsonError, KeyError, TypeError, AttributeError):
            return [f"agent_state: {path} does not name a writer; it was renamed to {move_aside(path)}"]
        if before is None or me is None or before == me:
            return []
        conflict = (
            f"agent_state.write: key '{name}' was previously written by '{before}' and is now being written by '{me}'"
        )
        if policy == "error":
            raise runtime_error(conflict)
        return [conflict]

    def _file(self, parts: list[str]) -> str:
        return os.path.join(self._path, *parts)

    def sweep(self) -> None:
        """Delete what killed writers have left."""
        sweep(self._path)
        drafts = os.path.join(self._path, _DRAFTS)
        if os.path.isdir(drafts):
            sweep(drafts, of="")
            _remove_folder(drafts)

    def read(self, key: object) -> str | None:
        """Return the text of a key, or None."""
        path = os.path.join(self._path, *key_parts(key))
        try:
            return read_file(path).decode("utf-8", "surrogatepass")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except (OSError, UnicodeError) as error:
            raise _failure("read", path, error) from None

    def keys(self) -> list[str]:
        """Return all keys, sorted."""
        return sorted(self._walk(self._path, ""))

    def _walk(self, folder: str, prefix: str) -> Iterator[str]:
        try:
            entries = list(os.scandir(folder))
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise _failure("list", folder, error) from None
        for entry in entries:
            if entry.name in {_META, _DRAFTS} or is_draft(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from self._walk(entry.path, f"{prefix}{entry.name}/")
            else:
                yield prefix + entry.name

    def delete(self, key: object) -> None:
        """Delete the text of a key, and folders that become empty."""
        parts = key_parts(key)
        path = self._file(parts)
        try:
            with LockedFolder(self._path):
                for path in (self._file(parts), self._file([_meta("/".join(parts))])):
                    self._remove(path)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise _failure("delete", path, error) from None

    def _remove(self, path: str) -> None:
        try:
            os.remove(path)
        except (FileNotFoundError, NotADirectoryError):
            return
        self._prune(os.path.dirname(path))

    def _prune(self, folder: str) -> None:
        while folder.startswith(self._path + os.sep) and _remove_folder(folder):
            folder = os.path.dirname(folder)


def _make_folder(path: str) -> None:
    if not os.path.isdir(path):
        os.makedirs(path, exist_ok=True)


def _meta(name: str) -> str:
    """Return the key of the note about the last writer of a key."""
    return f"{_META}/{name}.json"


def _content(path: str) -> bytes | None:
    try:
        return read_file(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _writer_in(note: bytes) -> str | None:
    known: Any = read_json(note.decode())
    found = known["writer"].get("writer_id")
    return found if isinstance(found, str) else None


def _remove_folder(path: str) -> bool:
    """Delete a folder if it is empty, and return whether it was."""
    try:
        os.rmdir(path)
    except OSError:
        return False
    return True


def _failure(what: str, path: str, error: Exception) -> ScriptError:
    reason = error.strerror if isinstance(error, OSError) else "stream did not contain valid UTF-8"
    return runtime_error(f"agent_state: cannot {what} {path}: {reason}")
