"""What an installation has changed in the files of agents, so that removing it restores their bytes."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

from harnlite.agent_hooks.install.json_edits import TextEdit, reverted
from harnlite.durable_files import replace_file

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER = "installed"


class Record:
    """The steps from one content of a file to another. A record is used only if the file has that other content."""

    def __init__(self, steps: Sequence[Sequence[TextEdit]], *, existed: bool) -> None:
        self.steps = [list(step) for step in steps]
        self.existed = existed

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
            with open(self._place(path), encoding="utf-8") as file:
                found: Any = json.load(file)
            if found["sha256"] != _digest(content):
                return None
            steps = [[TextEdit(*edit) for edit in step] for step in found["steps"]]
            return Record(steps, existed=bool(found["existed"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, path: str, content: bytes, record: Record) -> None:
        """Keep a record for a file with this content."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        steps = [[[edit.start, edit.old, edit.new] for edit in step] for step in record.steps]
        data = {"path": path, "sha256": _digest(content), "existed": record.existed, "steps": steps}
        replace_file(self._place(path), (json.dumps(data, indent=1) + "\n").encode())

    def forget(self, path: str) -> None:
        """Delete the record of a file."""
        try:
            os.unlink(self._place(path))
        except OSError:
            return

    def _place(self, path: str) -> str:
        return os.path.join(self._folder, hashlib.sha256(path.encode()).hexdigest()[:24] + ".json")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
