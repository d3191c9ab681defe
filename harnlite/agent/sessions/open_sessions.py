"""The store of the sessions of a host, or of a run without a host; it evicts the least recently used sessions."""

from __future__ import annotations

import _thread

from harnlite.agent.sessions.feedback import FeedbackQueues
from harnlite.agent.sessions.running_tools import RunningCalls
from harnlite.agent.sessions.session import PARENT_KEY, Session
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import OrderedDict
    from collections.abc import Callable
    from typing import TypeAlias

    from harnlite.reminders.transcript import Transcript
    from harnlite.runtime.tasks.execution import Execution

    Listener: TypeAlias = Callable[[dict[str, object]], object]
else:
    from _collections import OrderedDict

CAPACITY = 128


class SessionStore:
    """The sessions by id; threads share a store if a host runs several turns at the same time."""

    __slots__ = ("_listeners", "_lock", "_sessions", "calls", "feedback", "on_open")

    def __init__(self) -> None:
        self._lock = _thread.RLock()
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._listeners: tuple[Listener, ...] = ()
        self.feedback = FeedbackQueues()
        self.calls = RunningCalls()
        self.on_open: Callable[[Session], object] | None = None
        """A callback for each new session, called before the session is available."""

    # Sessions

    def open(self, run: Execution, session_id: str | None = None, *, parent_id: str | None = None) -> Session:
        """Return the session with an id and create it if it does not exist; without an id, create a new session."""
        with self._lock:
            session = self._sessions.get(session_id) if session_id is not None else None
            if session is None:
                session = self._add(Session(session_id or run.ids.uuid7(), run.clock.now()))
                if parent_id is not None:
                    self._link(parent_id, session)
            self._sessions.move_to_end(session.id)
        return session

    def get(self, session_id: object) -> Session | None:
        """Return the session with an id, or None, and mark it as recently used."""
        with self._lock:
            session = self._sessions.get(session_id) if isinstance(session_id, str) else None
            if session is not None:
                self._sessions.move_to_end(session.id)
        return session

    def hold(self, session_id: object) -> Session | None:
        """Return the session with an id, or None; the session cannot be evicted until it is released."""
        with self._lock:
            session = self.get(session_id)
            if session is not None:
                session.holders += 1
        return session

    def release(self, session: Session) -> None:
        """Release a held session, so that it can be evicted again."""
        with self._lock:
            session.holders -= 1
            self._trim(session)

    def adopt(self, session: Session) -> Session:
        """Add a session that was created elsewhere or evicted; if one with its id exists, return that one instead.

        A session that is stored replaces one that is not: a script may have opened a session by its id.
        """
        with self._lock:
            known = self._sessions.get(session.id)
            if known is None or (session.keeper is not None and known.keeper is None):
                session.closed = False
                known = self._add(session)
            self._sessions.move_to_end(session.id)
        return known

    def ids(self) -> list[str]:
        """Return the ids, least recently used first."""
        with self._lock:
            return list(self._sessions)

    def close(self, session_id: str) -> Session | None:
        """Remove a session, and return it; return None if no session has the id.

        A stored session stays, as its host decides when it is closed, but it loses its transcript.
        """
        with self._lock:
            session = self._sessions.get(session_id)
            if session is not None and session.keeper is not None:
                session.clear()
                self.feedback.drain(session_id)
                return session
        return self.remove(session_id)

    def remove(self, session_id: str) -> Session | None:
        """Remove a session, also if it is stored, and return it; return None if no session has the id."""
        with self._lock:
            session = self._sessions.pop(session_id, None)
        if session is not None:
            session.closed = True
            self.feedback.drain(session_id)
        return session

    def drop_transcripts(self) -> None:
        """Clear all sessions, which keep their ids and inboxes."""
        with self._lock:
            for session in self._sessions.values():
                session.clear()

    def fork(
        self,
        run: Execution,
        source: Session,
        session_id: str | None = None,
        transcript: Transcript | None = None,
    ) -> Session:
        """Create a child session with the transcript of a session, or with a part of it."""
        child = Session(session_id or run.ids.uuid7(), run.clock.now())
        copied = transcript or source.transcript
        metadata = {**(copied.metadata or {}), PARENT_KEY: source.id}
        # The child needs its own event storage, because another thread may continue it.
        child.transcript = copied.without_events(()).with_fields(id=child.id, metadata=metadata)
        child.system_prompt = source.system_prompt
        child.workspace_anchor = source.workspace_anchor
        child.workspace_policy = source.workspace_policy
        child.active_skills = source.active_skills
        child.shown = set(source.shown)
        with self._lock:
            self._add(child)
            self._link(source.id, child)
        return child

    def _add(self, session: Session) -> Session:
        if self.on_open is not None:
            self.on_open(session)
        self._sessions[session.id] = session
        self._trim(session)
        return session

    def _trim(self, used: Session) -> None:
        """Evict the least recently used sessions that are not held, run no loop, and have nothing to lose.

        A session loses its inbox unless that is stored.
        """
        if len(self._sessions) <= CAPACITY:
            return
        sessions = self._sessions.values()
        idle = [s for s in sessions if s.loop is None and not s.holders and _is_dispensable(s) and s is not used]
        for session in idle[: len(self._sessions) - CAPACITY]:
            del self._sessions[session.id]
            session.closed = True

    def _link(self, parent_id: str, child: Session) -> None:
        child.parent_id = parent_id
        parent = self._sessions.get(parent_id)
        if parent is not None and child.id not in parent.child_ids:
            parent.child_ids = [*parent.child_ids, child.id]

    def root_id(self, session: Session) -> str:
        """Return the id of the topmost ancestor of a session."""
        with self._lock:
            seen = {session.id}
            while session.parent_id is not None and session.parent_id not in seen:
                parent = self._sessions.get(session.parent_id)
                if parent is None:
                    return session.parent_id
                seen.add(parent.id)
                session = parent
        return session.id

    # Listeners to the live events of all sessions

    @property
    def listeners(self) -> tuple[Listener, ...]:
        """Return the callbacks that receive each live event."""
        return self._listeners

    def listen(self, callback: Listener) -> Callable[[], None]:
        """Register a callback for each live event, called on the thread of the run; return a function to remove it."""
        with self._lock:
            self._listeners = (*self._listeners, callback)

        def stop() -> None:
            with self._lock:
                self._listeners = tuple(other for other in self._listeners if other is not callback)

        return stop


def _is_dispensable(session: Session) -> bool:
    return session.keeper is not None or session.inbox.is_empty


def sessions_of(run: Execution) -> SessionStore:
    """Return the session store of a run: that of its host, or its own."""
    shared = run.context.get("sessions")
    return shared if isinstance(shared, SessionStore) else _own_store(run)


def _own_store(run: Execution) -> SessionStore:
    found: SessionStore | None = run.peek("agent_sessions")
    return run.state("agent_sessions", lambda: _announced_store(run)) if found is None else found


def _announced_store(run: Execution) -> SessionStore:
    """Return a new store, after passing it to the host's `watch_sessions` callback."""
    store = SessionStore()
    watch = run.context.get("watch_sessions")
    if callable(watch):
        watch(store)
    return store


def unknown_session(function: str, session_id: object) -> str:
    """Return the error text for an id that no session has."""
    return f"{function}: unknown session id '{session_id}'"


def require_session(run: Execution, function: str, session_id: object) -> Session:
    """Return the session with an id; throw the error of a builtin if it does not exist."""
    session = sessions_of(run).get(session_id)
    if session is None:
        raise thrown(unknown_session(function, session_id))
    return session
