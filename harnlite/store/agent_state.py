"""Durable files of a session: one text per key in a folder, with the last writer of each."""

from __future__ import annotations

import os

from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import json_text
from harnlite.regular_files import regular_file
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
    if any(part in {_META, _DRAFTS} for part in parts):
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

    def conflict(self, key: object, writer: Writer) -> str | None:
        """Return the conflict message if another writer wrote the key last, or None."""
        name, me = "/".join(key_parts(key)), writer.get("writer_id")
        before = self._last_writer(name)
        if before is None or me is None or before == me:
            return None
        return (
            f"agent_state.write: key '{name}' was previously written by '{before}' and is now being written by '{me}'"
        )

    def write(self, key: object, text: str, writer: Writer) -> None:
        """Write a text atomically: concurrent readers get the old or the new text."""
        parts = key_parts(key)
        self._replace(os.path.join(self._path, *parts), text)
        note = json_text({"key": "/".join(parts), "writer": writer})
        self._replace(self._meta("/".join(parts)), note)

    def read(self, key: object) -> str | None:
        """Return the text of a key, or None."""
        path = os.path.join(self._path, *key_parts(key))
        try:
            with open(path, encoding="utf-8", newline="", opener=regular_file) as file:
                return file.read()
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
        for entry in entries:
            if entry.name in {_META, _DRAFTS}:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from self._walk(entry.path, f"{prefix}{entry.name}/")
            else:
                yield prefix + entry.name

    def delete(self, key: object) -> None:
        """Delete the text of a key, and folders that become empty."""
        parts = key_parts(key)
        for path in (os.path.join(self._path, *parts), self._meta("/".join(parts))):
            try:
                os.remove(path)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise _failure("delete", path, error) from None
            self._prune(os.path.dirname(path))

    def _prune(self, folder: str) -> None:
        while folder.startswith(self._path + os.sep):
            try:
                os.rmdir(folder)
            except OSError:
                return
            folder = os.path.dirname(folder)

    def _meta(self, name: str) -> str:
        return os.path.join(self._path, _META, *f"{name}.json".split("/"))

    def _last_writer(self, name: str) -> str | None:
        try:
            with open(self._meta(name), encoding="utf-8", opener=regular_file) as file:
                known: Any = read_json(file.read())
            found = known["writer"]["writer_id"]
        except (OSError, JsonError, ValueError, KeyError, TypeError):
            return None
        return found if isinstance(found, str) else None

    def _replace(self, path: str, text: str) -> None:
        drafts = os.path.join(self._path, _DRAFTS)
        draft = os.path.join(drafts, f"{os.getpid()}.tmp")
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.makedirs(drafts, exist_ok=True)
            with open(draft, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
                file.write(text)
            os.replace(draft, path)
            os.rmdir(drafts)
        except OSError as error:
            raise _failure("write", path, error) from None


def _failure(what: str, path: str, error: Exception) -> ScriptError:
    reason = error.strerror if isinstance(error, OSError) else "stream did not contain valid UTF-8"
    return runtime_error(f"agent_state: cannot {what} {path}: {reason}")
