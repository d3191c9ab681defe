"""The places of the state of hooks: a folder for each session of an agent, and the log."""

from __future__ import annotations

import os
import sys

from harnlite.digests import sha256

SESSIONS, LOG = "hooks", "hook.log"
_PRIVATE = 0o700
_DIGITS = 24
_MAIN = "main"


def state_folder() -> str:
    """Return the folder for the state of hooks: HARNLITE_STATE_DIR, or else that of the user."""
    chosen = os.environ.get("HARNLITE_STATE_DIR") or os.environ.get("HARN_STATE_DIR")
    if chosen:
        return os.path.abspath(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    if not os.path.isabs(base):
        raise OSError("the user has no home folder for the state; HARNLITE_STATE_DIR can name a folder")
    return os.path.join(base, "harnlite")


def sessions_folder() -> str:
    """Return the folder that contains one folder for each session."""
    return os.path.join(state_folder(), SESSIONS)


def log_file() -> str:
    """Return the path of the log."""
    return os.path.join(state_folder(), LOG)


def short_digest(text: str) -> str:
    """Return a short digest of a text, which may be secret."""
    found: str = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return found


def session_name(agent: str, session: str) -> str:
    """Return the name of the folder of a session."""
    return f"{agent}-{short_digest(session)}"


def session_folder(agent: str, session: str) -> str:
    """Return the path of the folder of a session."""
    return os.path.join(sessions_folder(), session_name(agent, session))


def counter_file_name(rules: str, actor: str) -> str:
    """Return the name of the small state file of a set of rules in the main conversation or in a sub-agent."""
    return f"{rules}-{short_digest(actor) if actor else _MAIN}.json"


def make_private(folder: str) -> None:
    """Create a folder that only the user can read, and those above it. Raise OSError if that is not possible."""
    if not os.path.isdir(folder):
        above = os.path.dirname(folder)
        if above != folder:
            make_private(above)
        try:
            os.mkdir(folder, _PRIVATE)
        except FileExistsError:
            if not os.path.isdir(folder):
                raise
