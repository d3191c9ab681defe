"""Files before and after a change: shown as a difference, then written."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from harnlite.diagnostics.source import Source
from harnlite.diagnostics.text_changes import difference
from harnlite.durable_files import replace_file

if TYPE_CHECKING:
    from harnlite.agent_hooks.install.install_records import InstallRecords, Record

_MARK = "\ufeff"


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
        return difference(Source(self.before or "", self.path), self.after or "")

    def apply(self, records: InstallRecords) -> None:
        """Write or delete the file, and keep the record of the change."""
        if self.after is None:
            _delete(self.path)
            records.forget(self.path)
            return
        content = self.after.encode()
        target = os.path.realpath(self.path)
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if os.path.exists(target) and not os.access(target, os.W_OK):
                raise PermissionError(13, "the file is read-only")
            replace_file(target, content)
            if self.is_program:
                os.chmod(target, 0o755)  # noqa: S103 - the agent executes it
        except OSError as error:
            raise UnusableFile(f"cannot write {self.path}: {error.strerror or error}") from None
        if self.record is None:
            records.forget(self.path)
        else:
            records.write(self.path, content, self.record)


def read_text(path: str) -> str | None:
    """Return the text of a file with its line ends and byte order mark, or None if it does not exist."""
    try:
        with open(path, "rb") as file:
            return file.read().decode()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnusableFile(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UnusableFile(f"cannot read {path}: byte {error.start + 1} is not UTF-8; nothing was changed") from None


def without_mark(text: str) -> tuple[str, str]:
    """Return the byte order mark of a text, if it has one, and the rest."""
    return (_MARK, text[1:]) if text.startswith(_MARK) else ("", text)


def _delete(path: str) -> None:
    """Delete a file, and the folders above it that are empty then, up to the one of the agent."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UnusableFile(f"cannot delete {path}: {error.strerror}") from None
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(path))
