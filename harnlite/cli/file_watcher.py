"""Detection of changes to programs and configurations on disk."""

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
    """Return the state of all programs at and next to these paths, where their imports usually are."""
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
    """Wait until the state of these paths differs from the given one."""
    while snapshot(paths) == seen:
        time.sleep(_PAUSE_SECONDS)
