"""Notices when a program or a configuration changes on disk."""

from __future__ import annotations

import os
import time

from harnlite.analysis.files.discovery import programs_in
from harnlite.resources import PROJECT_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Seen = Mapping[str, tuple[int, int]]

_PAUSE_SECONDS = 0.25


def snapshot(paths: Iterable[str]) -> Seen:
    """Return the state of all programs at and beside these paths, which is where their imports are."""
    seen: dict[str, tuple[int, int]] = {}
    for path in paths:
        folder = path if os.path.isdir(path) else os.path.dirname(path) or "."
        for file in (*programs_in(folder, lambda _path: False), os.path.join(folder, PROJECT_FILE)):
            try:
                facts = os.stat(file)
            except OSError:
                continue
            seen[file] = (facts.st_mtime_ns, facts.st_size)
    return seen


def wait_for_change(paths: Iterable[str], seen: Seen) -> None:
    """Return once these paths are not what was seen any more."""
    while snapshot(paths) == seen:
        time.sleep(_PAUSE_SECONDS)
