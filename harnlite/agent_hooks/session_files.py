"""The sessions whose state is stored, and their deletion."""

from __future__ import annotations

import os
import time

from harnlite.agent_hooks.state_folder import session_name, sessions_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT_SECONDS = 14 * 86_400.0
SWEEP_SECONDS = 86_400.0
_MARK = ".swept"


class StoredSession:
    """A session with stored state; its id is known only as a digest."""

    __slots__ = ("agent", "path", "size", "used")

    def __init__(self, agent: str, path: str, used: float, size: int) -> None:
        self.agent = agent
        self.path = path
        self.used = used
        """The time of the last use, in seconds since 1970."""
        self.size = size

    @property
    def name(self) -> str:
        """Return the name of the folder: the agent and a digest of the session."""
        return os.path.basename(self.path)


def stored_sessions(agent: str | None = None) -> list[StoredSession]:
    """Return the sessions with stored state, last used first."""
    found = [_session(path) for path in _folders()]
    chosen = [one for one in found if agent is None or one.agent == agent]
    return sorted(chosen, key=lambda one: one.used, reverse=True)


def forget(agent: str | None = None, session: str | None = None) -> int:
    """Delete the state of a session, of all sessions of an agent, or of all; return the number of sessions."""
    count = 0
    for one in stored_sessions(agent):
        if session is None or one.name in {session, session_name(one.agent, session)}:
            remove_session(one.path)
            count += 1
    return count


def remove_session(path: str) -> None:
    """Delete the folder of a session. Raise OSError if that is not possible."""
    with os.scandir(path) as entries:
        names = [entry.path for entry in entries]
    for name in names:
        try:
            os.unlink(name)
        except FileNotFoundError:
            continue
    os.rmdir(path)


def sweep(now: float | None = None) -> None:
    """Delete the sessions that were not used for 14 days, at most once a day; errors are ignored."""
    moment = time.time() if now is None else now
    mark = os.path.join(sessions_folder(), _MARK)
    try:
        if moment - os.stat(mark).st_mtime < SWEEP_SECONDS:
            return
    except OSError:
        pass
    try:
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT, 0o600))
        os.utime(mark, (moment, moment))
    except OSError:
        return
    for path in _folders():
        try:
            if moment - _session(path).used > KEPT_SECONDS:
                remove_session(path)
        except OSError:
            continue


def _folders() -> Iterator[str]:
    try:
        with os.scandir(sessions_folder()) as entries:
            found = [entry.path for entry in entries if "-" in entry.name and entry.is_dir(follow_symlinks=False)]
    except OSError:
        return
    yield from found


def _session(path: str) -> StoredSession:
    used, size = 0.0, 0
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                facts = entry.stat(follow_symlinks=False)
                used, size = max(used, facts.st_mtime), size + facts.st_size
    except OSError:
        pass
    return StoredSession(os.path.basename(path).rpartition("-")[0], path, used, size)
