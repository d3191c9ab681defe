"""The folders of a run, and the conversion of texts from the operating system for scripts."""

from __future__ import annotations

import os

from harnlite.resources import PROJECT_FILE, project_above
from harnlite.runtime.environment_settings import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

__all__ = ["PROJECT_FILE", "host_text", "os_text", "project_above", "resolve", "state_root"]


def state_root(base: str) -> str:
    """Return the folder for files that persist between runs, for a project or script in a base folder."""
    return os.path.join(base, setting("STATE_DIR") or ".harn")


def resolve(run: Execution, path: str) -> str:
    """Return a path resolved against the working directory, without normalizing the rest of it."""
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return run.cwd if path in {"", "."} else os.path.join(run.cwd, path)


def os_text(error: Exception) -> str:
    """Return the text of an error of the operating system."""
    if isinstance(error, UnicodeError):
        return "stream did not contain valid UTF-8"
    if isinstance(error, OSError) and error.strerror is not None and error.errno is not None:
        return f"{error.strerror} (os error {error.errno})"
    if isinstance(error, ValueError):
        return "file name contained an unexpected NUL byte"
    return str(error)


def host_text(text: str) -> str:
    """Return a text from the operating system, with everything that is not UTF-8 replaced."""
    return text if text.isascii() else os.fsencode(text).decode("utf-8", "replace")
