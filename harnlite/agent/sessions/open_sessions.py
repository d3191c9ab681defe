"""The sessions of a host, or of a run without one: found by id, the least recently used go first."""

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
    """Sessions by id. Several threads share one when a host has several turns at once."""

    __slots__ = ("_listeners", "_lock", "_sessions", "calls", "feedback", "on_open")

    def __init__(self) -> None:
        self._lock = _thread.RLock()
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._listeners: tuple[Listener, ...] = ()
        self.feedback = FeedbackQueues()
        self.calls = RunningCalls()
        self.on_open: Callable[[Session], object] | None = None
        """What is done with each new session before anybody sees it."""

    # Sessions

    def open(self, run: Execution, session_id: str | None = None, *, parent_id: str | None = None) -> Session:
        """Return the session of that id, made if it is new; without an id a new one."""
        with self._lock:
            session = self._sessions.get(session_id) if session_id is not None else None
            if session is None:
                session = self._add(Session(session_id or run.ids.uuid7(), run.clock.now()))
                if parent_id is not None:
                    self._link(parent_id, session)
            self._sessions.move_to_end(session.id)
        return session

    def get(self, session_id: object) -> Session | None:
        """Return the session of that id, which counts as a use of it."""
        with self._lock:
            session = self._sessions.get(session_id) if isinstance(session_id, str) else None
            if session is not None:
                self._sessions.move_to_end(session.id)
        return session

    def hold(self, session_id: object) -> Session | None:
        """Return the session of that id, which stays until it is released."""
        with self._lock:
            session = self.get(session_id)
            if session is not None:
                session.holders += 1
        return session

    def release(self, session: Session) -> None:
        """Let a session go when it has not been used for long."""
        with self._lock:
            session.holders -= 1
            self._trim(session)

    def adopt(self, session: Session) -> Session:
        """Take a session in that was made elsewhere or has gone meanwhile; one of that id that is here stays."""
        with self._lock:
            known = self._sessions.get(session.id)
            if known is None:
                session.closed = False
                known = self._add(session)
            self._sessions.move_to_end(session.id)
        return known

    def ids(self) -> list[str]:
        """Return the ids, least recently used first."""
        with self._lock:
            return list(self._sessions)

    def close(self, session_id: str) -> Session | None:
        """Take a session out."""
        with self._lock:
            session = self._sessions.pop(session_id, None)
        if session is not None:
            session.closed = True
            self.feedback.drain(session_id)
        return session

    def fork(
        self,
        run: Execution,
        source: Session,
        session_id: str | None = None,
        transcript: Transcript | None = None,
    ) -> Session:
        """Make a child that starts with the transcript of a session, or with a part of it."""
        child = Session(session_id or run.ids.uuid7(), run.clock.now())
        taken = transcript or source.transcript
        metadata = {**(taken.metadata or {}), PARENT_KEY: source.id}
        # A store of its own: another thread may go on with the child.
        child.transcript = taken.without_events(()).with_fields(id=child.id, metadata=metadata)
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
        """Let the least recently used sessions go that run no loop and that nobody holds."""
        if len(self._sessions) <= CAPACITY:
            return
        idle = [s for s in self._sessions.values() if s.loop is None and not s.holders and s is not used]
        for session in idle[: len(self._sessions) - CAPACITY]:
            del self._sessions[session.id]
            session.closed = True

    def _link(self, parent_id: str, child: Session) -> None:
        child.parent_id = parent_id
        parent = self._sessions.get(parent_id)
        if parent is not None and child.id not in parent.child_ids:
            parent.child_ids = [*parent.child_ids, child.id]

    def root_id(self, session: Session) -> str:
        """Return the id of the session at the top of a line of parents."""
        with self._lock:
            seen = {session.id}
            while session.parent_id is not None and session.parent_id not in seen:
                parent = self._sessions.get(session.parent_id)
                if parent is None:
                    return session.parent_id
                seen.add(parent.id)
                session = parent
        return session.id

    # Who hears the live events of all sessions

    @property
    def listeners(self) -> tuple[Listener, ...]:
        """Return what is called with each live event."""
        return self._listeners

    def listen(self, callback: Listener) -> Callable[[], None]:
        """Have something called with each live event, on the thread of the run; the result ends that."""
        with self._lock:
            self._listeners = (*self._listeners, callback)

        def stop() -> None:
            with self._lock:
                self._listeners = tuple(other for other in self._listeners if other is not callback)

        return stop


def sessions_of(run: Execution) -> SessionStore:
    """Return the sessions that a run sees: those of its host, else its own."""
    shared = run.context.get("sessions")
    return shared if isinstance(shared, SessionStore) else _own_store(run)


def _own_store(run: Execution) -> SessionStore:
    return run.state("agent_sessions", lambda: _watched(run))


def _watched(run: Execution) -> SessionStore:
    """Return a store that the host has been told of."""
    store = SessionStore()
    watch = run.context.get("watch_sessions")
    if callable(watch):
        watch(store)
    return store


def unknown_session(function: str, session_id: object) -> str:
    """Return what is said of an id that no session has."""
    return f"{function}: unknown session id '{session_id}'"


def require_session(run: Execution, function: str, session_id: object) -> Session:
    """Return the session of that id, or throw the error of a builtin."""
    session = sessions_of(run).get(session_id)
    if session is None:
        raise thrown(unknown_session(function, session_id))
    return session
