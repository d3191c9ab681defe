"""Durable files of a session: one text per key in a folder, with the last writer of each."""

from __future__ import annotations

import os

from harnlite.durable_files import LockedFolder, is_draft, move_aside, read_file, sweep
from harnlite.file_places import as_place
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import json_text
from harnlite.store.path_parts import is_path_part, path_parts
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from harnlite.file_places import FilePlace
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


def session_path(root: str, session_id: str) -> str:
    """Return the path of the folder of a session; raise a runtime error for an id that is not a file name."""
    if not is_path_part(session_id):
        raise runtime_error(f"agent_state: session id '{session_id}' must be a single path component")
    return os.path.join(root, session_id)


class SessionFolder:
    """The folder that contains the texts of a session. In a guarded folder, links are not followed."""

    __slots__ = ("_place",)

    def __init__(self, path: str | FilePlace) -> None:
        self._place = as_place(path)

    def make(self) -> None:
        """Create the folder if it does not exist."""
        try:
            self._place.make_folders()
        except OSError as error:
            raise _failure("create", self._place.path, error) from None

    def exists(self) -> bool:
        """Return whether the folder exists."""
        return self._place.is_folder(follow=True)

    def write(self, key: object, text: str, writer: Writer, policy: str) -> list[str]:
        """Write a text, and note its writer: concurrent readers get the old or the new text.

        Return the warnings for the user. If another writer wrote the key last, the policy decides.
        """
        parts = key_parts(key)
        name = "/".join(parts)
        note = json_text({"key": name, "writer": writer})
        contents = {_meta(name): note.encode("utf-8", "replace"), name: text.encode("utf-8", "surrogatepass")}
        try:
            _make_folder(self._place)
            with LockedFolder(self._place) as folder:
                for key_name in contents:
                    _make_folder(self._place.child(key_name).folder())
                warnings = [] if policy == "ignore" else self._conflicts(name, writer, policy)
                if _content(self._place.child(_meta(name))) == contents[_meta(name)]:
                    del contents[_meta(name)]
                folder.replace_all(contents)
        except OSError as error:
            raise _failure("write", self._place.child(name).path, error) from None
        return warnings

    def _conflicts(self, name: str, writer: Writer, policy: str) -> list[str]:
        """Return the warnings about the last writer of a key, or raise the error if the policy is `error`."""
        place, me = self._place.child(_meta(name)), writer.get("writer_id")
        noted = _content(place)
        try:
            before = None if noted is None else _writer_in(noted)
        except (ValueError, JsonError, KeyError, TypeError, AttributeError):
            return [f"agent_state: {place.path} does not name a writer; it was renamed to {move_aside(place)}"]
        if before is None or me is None or before == me:
            return []
        conflict = (
            f"agent_state.write: key '{name}' was previously written by '{before}' and is now being written by '{me}'"
        )
        if policy == "error":
            raise runtime_error(conflict)
        return [conflict]

    def sweep(self) -> None:
        """Delete what killed writers have left."""
        sweep(self._place)
        drafts = self._place.child(_DRAFTS)
        if drafts.is_folder(follow=True):
            sweep(drafts, of="")
            _remove_folder(drafts)

    def read(self, key: object) -> str | None:
        """Return the text of a key, or None."""
        place = self._place.child("/".join(key_parts(key)))
        try:
            return read_file(place).decode("utf-8", "surrogatepass")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except (OSError, UnicodeError) as error:
            raise _failure("read", place.path, error) from None

    def keys(self) -> list[str]:
        """Return all keys, sorted."""
        return sorted(_walk(self._place, ""))

    def delete(self, key: object) -> None:
        """Delete the text of a key, and folders that become empty."""
        name = removed = "/".join(key_parts(key))
        try:
            with LockedFolder(self._place):
                for removed in (name, _meta(name)):
                    self._remove(removed)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise _failure("delete", self._place.child(removed).path, error) from None

    def _remove(self, name: str) -> None:
        try:
            self._place.child(name).remove()
        except (FileNotFoundError, NotADirectoryError):
            return
        while (name := os.path.dirname(name)) and _remove_folder(self._place.child(name)):
            continue


def _walk(folder: FilePlace, prefix: str) -> Iterator[str]:
    """Yield the keys below a folder."""
    try:
        entries = folder.entries()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise _failure("list", folder.path, error) from None
    for name, is_folder in entries:
        if name in {_META, _DRAFTS} or is_draft(name):
            continue
        if is_folder:
            yield from _walk(folder.child(name), f"{prefix}{name}/")
        else:
            yield prefix + name


def _make_folder(place: FilePlace) -> None:
    if not place.is_folder(follow=True):
        place.make_folders()


def _meta(name: str) -> str:
    """Return the key of the note about the last writer of a key."""
    return f"{_META}/{name}.json"


def _content(place: FilePlace) -> bytes | None:
    try:
        return read_file(place)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _writer_in(note: bytes) -> str | None:
    known: Any = read_json(note.decode())
    found = known["writer"].get("writer_id")
    return found if isinstance(found, str) else None


def _remove_folder(place: FilePlace) -> bool:
    """Delete a folder if it is empty, and return whether it was."""
    try:
        place.remove_folder()
    except OSError:
        return False
    return True


def _failure(what: str, path: str, error: Exception) -> ScriptError:
    reason = error.strerror if isinstance(error, OSError) else "stream did not contain valid UTF-8"
    return runtime_error(f"agent_state: cannot {what} {path}: {reason}")
