"""Files before and after a change: shown as a difference, then written."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

from harnlite.diagnostics.source import Source
from harnlite.diagnostics.text_changes import difference
from harnlite.durable_files import replace_file
from harnlite.regular_files import regular_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnlite.agent_hooks.install.install_records import InstallRecords, Record

_MARK = "\ufeff"
_PROGRAM = 0o755


class UnusableFile(Exception):
    """Raised if a file of an agent cannot be read or written."""


class FileChange:
    """The text of a file before and after; None for a file that does not exist."""

    __slots__ = ("after", "before", "is_program", "path", "record")

    def __init__(
        self,
        path: str,
        before: str | None,
        after: str | None,
        *,
        record: Record | None = None,
        is_program: bool = False,
    ) -> None:
        self.path = path
        self.before = before
        self.after = after
        self.record = record
        self.is_program = is_program

    @property
    def is_needed(self) -> bool:
        """Return whether the change changes anything."""
        return self.before != self.after

    def shown(self) -> str:
        """Return the change as a unified diff."""
        return difference(Source(self.before or "", self.path.lstrip("/")), self.after or "")

    def check(self) -> None:
        """Raise UnusableFile if the file has changed since it was read, or cannot be written."""
        if read_text(self.path) != self.before:
            raise UnusableFile(f"{self.path} was changed by another program; try again")
        target = os.path.realpath(self.path)
        try:
            mode = os.stat(target).st_mode
        except OSError:
            return
        if not mode & stat.S_IWUSR or not os.access(target, os.W_OK):
            raise UnusableFile(f"cannot write {self.path}: the file is read-only; nothing was changed")

    def apply(self, records: InstallRecords) -> None:
        """Write or delete the file, and keep the record of the change. A symbolic link stays."""
        target = os.path.realpath(self.path)
        if self.after is None:
            try:
                os.unlink(target)
            except OSError as error:
                raise UnusableFile(f"cannot delete {self.path}: {error.strerror}") from None
            return
        content = self.after.encode()
        folders = records.folders(self.path) or list(_missing(os.path.dirname(target)))
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            replace_file(target, content)
            if self.is_program:
                os.chmod(target, _PROGRAM)
        except OSError as error:
            raise UnusableFile(f"cannot write {self.path}: {error.strerror or error}") from None
        if self.record is not None:
            self.record.folders = folders
            records.write(self.path, content, self.record)


def apply_all(changes: Iterable[FileChange], records: InstallRecords) -> None:
    """Write the files of some changes, after all of them were found to be possible; raise UnusableFile if not."""
    needed = [change for change in changes if change.is_needed]
    for change in needed:
        change.check()
    for change in needed:
        change.apply(records)
    for change in needed:
        if change.record is None:
            for folder in reversed(records.folders(change.path)):
                with contextlib.suppress(OSError):  # it contains something else
                    os.rmdir(folder)
            records.forget(change.path)


def read_text(path: str) -> str | None:
    """Return the text of a file with its line ends and byte order mark, or None if it does not exist."""
    try:
        with open(path, "rb", opener=regular_file) as file:
            return file.read().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise UnusableFile(f"cannot read {path}: byte {error.start + 1} is not UTF-8; nothing was changed") from None
    except OSError as error:
        raise UnusableFile(f"cannot read {path}: {error.strerror}; nothing was changed") from None


def without_mark(text: str) -> tuple[str, str]:
    """Return the byte order mark of a text, if it has one, and the rest."""
    return (_MARK, text[1:]) if text.startswith(_MARK) else ("", text)


def _missing(folder: str) -> list[str]:
    """Return the folders that have to be made for a folder to exist, the outermost one first."""
    found: list[str] = []
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return found
