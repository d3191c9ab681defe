"""What an installation has changed in the files of agents, so that removing it restores their bytes."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

from harnlite.agent_hooks.install.json_edits import TextEdit, reverted
from harnlite.agent_hooks.state_folder import make_private
from harnlite.durable_files import read_file, replace_file

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER = "installed"


class Record:
    """The steps from one content of a file to another, and the folders that were made for it.

    The steps are used only if the file still has that other content.
    """

    __slots__ = ("existed", "folders", "steps")

    def __init__(self, steps: Sequence[Sequence[TextEdit]] = (), *, existed: bool, folders: Sequence[str] = ()) -> None:
        self.steps = [list(step) for step in steps]
        self.existed = existed
        self.folders = list(folders)
        """The folders that did not exist before, the outermost one first."""

    def undone(self, text: str) -> str | None:
        """Return the text before the steps, or None if the file did not exist."""
        for step in reversed(self.steps):
            text = reverted(text, step)
        return text if self.existed else None


class InstallRecords:
    """The records in the state folder, one file for each changed file. They contain only what harnlite has written."""

    def __init__(self, state: str) -> None:
        self._folder = os.path.join(state, FOLDER)

    def read(self, path: str, content: bytes) -> Record | None:
        """Return the record of a file that still has the content that the installation wrote, or None."""
        try:
            found = self._found(path)
            if found["sha256"] != _digest(content):
                return None
            steps = [[TextEdit(*edit) for edit in step] for step in found["steps"]]
            return Record(steps, existed=bool(found["existed"]), folders=found["folders"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def folders(self, path: str) -> list[str]:
        """Return the folders that were made for a file, whatever its content is now."""
        try:
            return [str(folder) for folder in self._found(path)["folders"]]
        except (OSError, ValueError, KeyError, TypeError):
            return []

    def write(self, path: str, content: bytes, record: Record) -> None:
        """Keep a record for a file with this content. Without one, the entries are still found by their command."""
        steps = [[[edit.start, edit.old, edit.new] for edit in step] for step in record.steps]
        data = {"path": path, "sha256": _digest(content), "existed": record.existed, "folders": record.folders}
        try:
            make_private(self._folder)
            replace_file(self._place(path), (json.dumps({**data, "steps": steps}, indent=1) + "\n").encode())
        except OSError:
            self.forget(path)

    def forget(self, path: str) -> None:
        """Delete the record of a file."""
        try:
            os.unlink(self._place(path))
        except OSError:
            return

    def _found(self, path: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(read_file(self._place(path)))
        return found

    def _place(self, path: str) -> str:
        name = hashlib.sha256(os.fsencode(os.path.abspath(path))).hexdigest()[:24]
        return os.path.join(self._folder, f"{name}.json")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
