"""Where a run stands in the file system, and how texts of the host are told to a script."""

from __future__ import annotations

import os

from harnlite.runtime.settings import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.execution import Execution

PROJECT_FILE = "harn.toml"


def project_above(folder: str) -> str | None:
    """Return the nearest folder at or above this one that holds a project file."""
    here = os.path.abspath(folder)
    while not os.path.isfile(os.path.join(here, PROJECT_FILE)):
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent
    return here


def state_root(base: str) -> str:
    """Return the folder for what outlives a run, for a project or script in this base folder."""
    return os.path.join(base, setting("STATE_DIR") or ".harn")


def resolve(run: Execution, path: str) -> str:
    """Return a path as seen from the working directory, otherwise as it was written."""
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return run.cwd if path in {"", "."} else os.path.join(run.cwd, path)


def os_text(error: Exception) -> str:
    """Return the text of a failure of the operating system."""
    if isinstance(error, UnicodeError):
        return "stream did not contain valid UTF-8"
    if isinstance(error, OSError) and error.strerror is not None and error.errno is not None:
        return f"{error.strerror} (os error {error.errno})"
    if isinstance(error, ValueError):
        return "file name contained an unexpected NUL byte"
    return str(error)


def host_text(text: str) -> str:
    """Return a name the host gave, with what is not UTF-8 in it replaced."""
    return text if text.isascii() else os.fsencode(text).decode("utf-8", "replace")
