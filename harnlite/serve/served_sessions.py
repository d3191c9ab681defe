"""The sessions of a server: which are open, which of those are in memory, and what is stored about them."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from contextlib import contextmanager
from typing import TYPE_CHECKING

from harnlite.agent.sessions.session import Session
from harnlite.runtime.tasks.clock import iso_time
from harnlite.serve.conversation_values import CwdMismatch, SessionInfo, SessionInUse, UnknownSession
from harnlite.serve.kept_session import KeptSession
from harnlite.store.conversation_store import StoredSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from harnlite.agent.sessions.open_sessions import SessionStore
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.store.conversation_store import ConversationStore

_HISTORY_PAGE = 500
_PATIENCE_SECONDS, _PAUSE_SECONDS = 2.0, 0.001


class ServedSessions:
    """The stored sessions. An open session that is not in memory is read from the store when it is used."""

    def __init__(
        self,
        run: Execution,
        store: ConversationStore,
        sessions: SessionStore,
        adopt: Callable[[Session], None],
    ) -> None:
        self._run = run
        self._store = store
        self._sessions = sessions
        self._adopt = adopt
        """A callback for each session that gets into memory."""
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._busy: set[str] = set()
        """The sessions that are being created, opened, closed or deleted."""
        self._opened: OrderedDict[str, None] = OrderedDict()
        """The open sessions, the one that was used last at the end."""

    # Stored sessions

    def create(self, cwd: str, session_id: str | None, mcp_servers: list[dict[str, Any]] | None) -> SessionInfo:
        """Create a session, which is open and claimed by this process."""
        new_id = session_id or self._run.ids.uuid7()
        with self._changing(new_id):
            if not self._store.claim(new_id):
                raise SessionInUse(new_id)
            row = StoredSession(new_id, cwd, iso_time(self._run.clock.now()), mcp_servers=mcp_servers or [])
            try:
                self._store.add_session(row)
            except BaseException:
                if not self.is_open(new_id):
                    self._store.release(new_id)
                raise
            self._use(new_id)
            self._sessions.release(self._adopted(row, is_new=True))
        return self._info(row)

    def open(self, session_id: str, cwd: str | None, mcp_servers: list[dict[str, Any]] | None) -> SessionInfo:
        """Open a stored session; raise UnknownSession, CwdMismatch or SessionInUse."""
        with self._changing(session_id):
            row = self._row(session_id)
            if cwd is not None and os.path.realpath(cwd) != os.path.realpath(row.cwd):
                raise CwdMismatch(row.cwd)
            if not self.is_open(session_id) and not self._store.claim(session_id):
                raise SessionInUse(session_id)
            if mcp_servers is not None and mcp_servers != row.mcp_servers:
                self._change_servers(session_id, mcp_servers)
            self._use(session_id)
        return self._info(row)

    def info(self, session_id: str) -> SessionInfo:
        """Return a stored session, open or not; raise UnknownSession."""
        return self._info(self._row(session_id))

    def listed(self, cwd: str | None, after: tuple[str, str] | None, limit: int) -> list[SessionInfo]:
        """Return sessions, newest `updated_at` first; `after` is the `(updated_at, id)` of the last one before."""
        with self._lock:
            opened = list(self._opened)
        return [self._info(row) for row in self._store.sessions(cwd=cwd, after=after, limit=limit, opened=opened)]

    def history(self, session_id: str) -> Iterator[dict[str, Any]]:
        """Yield the conversation that people saw, in order."""
        after = 0
        while page := self._store.history(session_id, after, _HISTORY_PAGE):
            yield from (item for _, item in page)
            after = page[-1][0]

    def close(self, session_id: str, stop: Callable[[], None]) -> None:
        """Close an open session; `stop` ends its turns. From the start, new requests are refused."""
        with self._changing(session_id):
            with self._lock:
                if session_id not in self._opened:
                    raise UnknownSession(session_id)
                del self._opened[session_id]
            self._end(session_id, stop)

    def delete(self, session_id: str, stop: Callable[[], None]) -> None:
        """Close a session if it is open, and remove it from the store; an unknown id is ignored."""
        with self._changing(session_id):
            with self._lock:
                was_open = session_id in self._opened
                self._opened.pop(session_id, None)
            if was_open:
                self._end(session_id, stop)
            elif self._store.session(session_id) is None:
                return
            if not self._store.claim(session_id):
                raise SessionInUse(session_id)
            try:
                self._store.delete_session(session_id)
            finally:
                self._store.release(session_id)

    def clear(self) -> None:
        """Note that no session is open, at the end of the server."""
        with self._lock:
            self._opened.clear()

    def _end(self, session_id: str, stop: Callable[[], None]) -> None:
        """End the turns of a session, also of requests that had begun before it was closed, and give it up."""
        deadline = self._run.clock.monotonic() + _PATIENCE_SECONDS
        stop()
        while (session := self._sessions.get(session_id)) is not None and session.holders:
            if self._run.clock.monotonic() > deadline:
                break
            time.sleep(_PAUSE_SECONDS)
            stop()
        self._sessions.remove(session_id)
        self._store.release(session_id)

    @contextmanager
    def _changing(self, session_id: str) -> Iterator[None]:
        """Wait until no other thread opens, closes or deletes a session, and keep them from it."""
        with self._changed:
            self._changed.wait_for(lambda: session_id not in self._busy)
            self._busy.add(session_id)
        try:
            yield
        finally:
            with self._changed:
                self._busy.discard(session_id)
                self._changed.notify_all()

    # Open sessions

    def is_open(self, session_id: str) -> bool:
        """Return whether a session is open."""
        with self._lock:
            return session_id in self._opened

    def last_used(self) -> str | None:
        """Return the id of the open session that was used last."""
        with self._lock:
            return next(reversed(self._opened), None)

    @contextmanager
    def held(self, session_id: str) -> Iterator[KeptSession]:
        """Hold an open session in memory, after reading it from the store if necessary."""
        with self._lock:
            if session_id not in self._opened:
                raise UnknownSession(session_id)
            self._opened.move_to_end(session_id)
        session = self._in_memory(session_id) or self._loaded(session_id)
        try:
            if not isinstance(session.keeper, KeptSession):
                raise UnknownSession(session_id)
            yield session.keeper
        finally:
            self._sessions.release(session)

    def kept(self, session_id: object) -> KeptSession | None:
        """Return a session in memory, or None."""
        session = self._sessions.get(session_id)
        return session.keeper if session is not None and isinstance(session.keeper, KeptSession) else None

    def _use(self, session_id: str) -> None:
        with self._lock:
            self._opened[session_id] = None
            self._opened.move_to_end(session_id)

    def _in_memory(self, session_id: str) -> Session | None:
        """Return a session held, unless it is not in memory. One that a script has opened by this id is another one."""
        session = self._sessions.hold(session_id)
        if session is not None and session.keeper is None:
            self._sessions.release(session)
            return None
        return session

    def _loaded(self, session_id: str) -> Session:
        """Read a session from the store, and return it held."""
        with self._loading:
            return self._in_memory(session_id) or self._adopted(self._row(session_id))

    def _adopted(self, row: StoredSession, *, is_new: bool = False) -> Session:
        """Add a stored session to those in memory, and return it held."""
        session = Session(row.id, self._run.clock.now())
        kept = KeptSession(session, self._store, row)
        if not is_new:
            kept.load(self._run)
        session.holders = 1
        self._sessions.adopt(session)
        self._adopt(session)
        return session

    def _change_servers(self, session_id: str, servers: list[dict[str, Any]]) -> None:
        self._store.update_session(session_id, mcp_servers=servers)
        kept = self.kept(session_id)
        if kept is not None:
            kept.change_row(mcp_servers=servers)

    def _row(self, session_id: str) -> StoredSession:
        row = self._store.session(session_id)
        if row is None:
            raise UnknownSession(session_id)
        return row

    def _info(self, row: StoredSession) -> SessionInfo:
        return SessionInfo(row.id, row.cwd, row.title, row.updated_at, row.meta, self.is_open(row.id), row.has_messages)
