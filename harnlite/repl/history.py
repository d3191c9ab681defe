"""The history file, which stores the inputs of all sessions and is readable only by its owner."""

from __future__ import annotations

import os
import sys

from harnlite.runtime.environment_settings import setting

_OFF = frozenset({"off", "0", "no", "false"})


def history_file() -> str | None:
    """Return the path of the history file, which is created if necessary; None if there is no history."""
    chosen = setting("REPL_HISTORY")
    if chosen and chosen.lower() in _OFF:
        return None
    folder = _state_folder()
    path = os.path.abspath(chosen) if chosen else folder and os.path.join(folder, "repl_history")
    if not path:
        return None
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_APPEND, 0o600))
        if not chosen:
            os.chmod(path, 0o600)
    except OSError:
        return None
    return path


def _state_folder() -> str:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(base, "harnlite") if os.path.isabs(base) else ""
