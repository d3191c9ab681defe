"""The answer of the rules to one call of an agent, from the state of its session; no files of state are touched."""

from __future__ import annotations

from harnlite.agent.sessions.current import entering
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.reminding import inherit
from harnlite.agent_hooks.budget_readings import budget_at
from harnlite.agent_hooks.calls import agent_calls
from harnlite.agent_hooks.counters import COPIED, FRESH, MEASURED, reason_digest
from harnlite.agent_hooks.deliveries import absorb, take_text
from harnlite.agent_hooks.event_firing import EventFiring
from harnlite.agent_hooks.hook_settings import settings_for
from harnlite.agent_hooks.rule_scripts import RulesFailed, run_rules
from harnlite.agent_hooks.rule_sets import stamp_of
from harnlite.agent_hooks.session_state import MAIN
from harnlite.agent_hooks.shared_values import load_shared, save_shared
from harnlite.agent_hooks.wanted_events import enabled_providers, wanted_events, wanted_thresholds
from harnlite.known_keys import environment_keys
from harnlite.reminders.propagation import inheritable
from harnlite.reminders.transcript import Transcript
from harnlite.runtime.tasks.clock import Clock
from harnlite.store.redaction import Redactor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.sessions.session import Session
    from harnlite.agent_hooks.calls.agent_calls import AgentCall, Speech
    from harnlite.agent_hooks.formats.format import Format
    from harnlite.agent_hooks.rule_sets import RuleSet
    from harnlite.agent_hooks.session_state import ActorState, KeptReminder, SessionState
    from harnlite.reminders.spec import ReminderSpec
    from harnlite.runtime.tasks.execution import Execution

SILENT, SAID, WAITS, BLOCKED, CONTINUED, TWICE, FAILED = (
    *("silent", "said", "waits", "blocked", "continued", "twice", "error"),
)
"""The outcomes of a call in the log."""
_STOPS = frozenset({agent_calls.STOP, agent_calls.SUBAGENT_STOP})
_FALL = 0.8
"""The share to which the use of the context has fallen after a compaction that the agent does not report."""


class Reply:
    """The answer to a call."""

    __slots__ = ("error", "is_broken", "log", "outcome", "speech", "told", "waiting")

    def __init__(self) -> None:
        self.speech: Speech = agent_calls.Speech()
        self.told: list[KeptReminder] = []
        """The reminders in the text of the answer."""
        self.waiting = 0
        """The number of reminders that wait for an event which can show them."""
        self.outcome = SILENT
        self.error = ""
        self.is_broken = False
        """Whether the rules cannot be read or compiled."""
        self.log: list[str] = []
        """Lines for the log: what the rules have printed."""


def respond(
    rules: RuleSet,
    call: AgentCall,
    state: SessionState,
    *,
    form: Format | None = None,
    clock: Clock | None = None,
) -> Reply:
    """Run the rules for a call and return their answer; the state is that after the call.

    `form` is the format of the agent, which says what the event can express; `clock` is another one than the real one.
    """
    if form is None:
        from harnlite.agent_hooks.formats.table import format_of

        form = format_of(call.agent)
        if form is None:
            raise ValueError(f"there is no agent {call.agent!r}")
    reply = Reply()
    actor = state.actor(call.actor)
    is_new = not actor.counters.turn and not actor.reminders
    earlier = actor.counters.take_repeated(call, (clock or Clock()).now())
    if earlier is None:
        if call.event == agent_calls.SESSION_START and call.source == FRESH:
            actor.reset()
        elif call.event == agent_calls.POST_COMPACT:
            actor.compact()
            actor.counters.reported = True
        call.is_user_prompt = actor.counters.is_of_user(call)
        actor.counters.advance(call)
        actor.expire()
        parent = state.actor(MAIN) if call.actor and is_new else None
        try:
            _Run(rules, call, actor, parent, form, reply, clock).respond()
        except RulesFailed as failure:
            reply.outcome, reply.error, reply.is_broken = FAILED, str(failure), failure.is_broken
    else:
        reply.outcome = TWICE
    if not reply.error and earlier != call.native:
        _speak(call, actor, form, reply)
    reply.waiting = actor.counters.waiting = len(actor.untold)
    actor.counters.living = len(actor.reminders)
    return reply


def _speak(call: AgentCall, actor: ActorState, form: Format, reply: Reply) -> None:
    """Put the waiting reminders into the answer if the event can show them."""
    speech = reply.speech
    refused = speech.deny is not None and call.native not in getattr(form, "speaking_with_denial", ())
    if form.can_speak(call) and call.event not in _STOPS and not refused:
        speech.context, reply.told = take_text(actor)
    if speech.deny is not None:
        reply.outcome = BLOCKED
    elif speech.go_on is not None:
        reply.outcome = CONTINUED
    elif reply.told or speech.arguments is not None:
        reply.outcome = SAID
    elif actor.untold and reply.outcome == SILENT:
        reply.outcome = WAITS


def wanted(rules: RuleSet, cwd: str | None = None) -> tuple[dict[str, object], list[float]]:
    """Return the events of agents that the rules want, and their thresholds; raise RulesFailed if they do not run."""
    found: list[tuple[dict[str, object], list[float]]] = []

    settings = _settings(rules, cwd)

    def look(run: Execution) -> None:
        enabled = enabled_providers(run, settings)
        found.append((wanted_events(run, enabled), wanted_thresholds(run, enabled)))

    run_rules(rules, cwd, lambda _: None, look)
    return found[0]


def _settings(rules: RuleSet, cwd: str | None) -> dict[str, object]:
    try:
        return settings_for(rules, cwd)
    except (OSError, ValueError) as error:
        raise RulesFailed(f"the configuration cannot be used: {error}") from None


class _Run:
    """The run of the rules for one call."""

    __slots__ = ("_actor", "_call", "_clock", "_form", "_parent", "_reply", "_rules", "_settings")

    def __init__(
        self,
        rules: RuleSet,
        call: AgentCall,
        actor: ActorState,
        parent: ActorState | None,
        form: Format,
        reply: Reply,
        clock: Clock | None,
    ) -> None:
        self._rules = rules
        self._call = call
        self._actor = actor
        self._parent = parent
        self._form = form
        self._reply = reply
        self._clock = clock
        self._settings: dict[str, object] = {}

    def respond(self) -> None:
        call = self._call
        self._settings = _settings(self._rules, call.cwd)
        window = self._settings.get("context_window")
        self._actor.counters.window = window if isinstance(window, int) else 0
        opened: list[Session] = []
        done = run_rules(
            self._rules,
            call.cwd,
            lambda run: opened.append(self._open(run)),
            lambda run: self._work(run, opened[0]),
            self._clock,
        )
        self._actor.counters.stamp = stamp_of(done.files)
        self._reply.log = done.output.splitlines()

    def _open(self, run: Execution) -> Session:
        """Open the session of the call with its pending reminders and shared values, and make it the current one."""
        call = self._call
        sessions = sessions_of(run)
        session = sessions.open(run, call.session)
        if call.actor:
            session = sessions.open(run, f"{call.session}/{call.actor}", parent_id=call.session)
        _restore(session, self._actor)
        session.turn = self._actor.counters.turn
        if self._parent is not None:
            inherit(run, session, inheritable(_current_specs(self._parent), call.session))
        entering(run, session_id=session.id, parent_id=call.session if call.actor else None).__enter__()
        load_shared(run, session.id, self._actor)
        return session

    def _work(self, run: Execution, session: Session) -> None:
        """Fire the event, and take over what follows from it."""
        counters, call = self._actor.counters, self._call
        enabled = enabled_providers(run, self._settings)
        counters.wanted, counters.thresholds = wanted_events(run, enabled), wanted_thresholds(run, enabled)
        firing = EventFiring(run, call, session, counters, enabled)
        try:
            self._measure(firing, session)
            firing.fire()
        finally:
            # What other rules have made waits for the next event if one of them throws.
            absorb(self._actor, _pending(session), Redactor(environment_keys()))
            save_shared(run, session.id, self._actor)
        self._decide(firing)

    def _measure(self, firing: EventFiring, session: Session) -> None:
        """Look at the use of the context: fire a compaction that the agent has not reported, and new thresholds."""
        call, counters = self._call, self._actor.counters
        if call.event == agent_calls.PRE_COMPACT:
            budget = budget_at(call, counters)
            count = call.data.get("message_count")
            counters.compacting = [counters.turn, budget.used if budget else 0, count if isinstance(count, int) else 0]
        if call.event not in MEASURED:
            return
        before = counters.reading
        budget = budget_at(call, counters)
        is_new = bool(before and counters.reading and before[2] != counters.reading[2])
        if is_new and counters.reported:
            counters.reported, counters.compacting = False, []
        elif is_new or _has_compacted(counters.compacting, budget.used if budget else 0):
            archived = counters.compacting[2] if counters.compacting else 0
            reading = counters.reading
            absorb(self._actor, _pending(session), Redactor(environment_keys()))
            self._actor.compact()
            counters.reading = reading
            _restore(session, self._actor)
            firing.compacted(archived)
        elif counters.compacting and counters.turn > counters.compacting[0]:
            counters.compacting = []
        if budget is not None:
            crossed = counters.crossed(budget.used, budget.window)
            if crossed:
                firing.crossed(crossed, budget.used, budget.window)

    def _decide(self, firing: EventFiring) -> None:
        """Put the decisions of the hooks into the answer, as far as the event can express them."""
        call, counters, speech, form = self._call, self._actor.counters, self._reply.speech, self._form
        if firing.deny is not None and call.native in form.denying:
            speech.deny = firing.deny
        elif firing.arguments is not None and call.native in form.changing:
            speech.arguments = firing.arguments
        may_continue = call.native in form.continuing and not call.is_continuing
        if firing.go_on is not None and may_continue and counters.continued != counters.turn:
            speech.go_on = firing.go_on
            counters.continued, counters.reason = counters.turn, reason_digest(firing.go_on)
            counters.is_open = True


def _has_compacted(compacting: list[object], used: int) -> bool:
    """Return whether a compaction that had begun has been done."""
    if not compacting:
        return False
    earlier = compacting[1]
    return not used or not isinstance(earlier, int) or not earlier or used < _FALL * earlier


def _pending(session: Session) -> list[ReminderSpec]:
    return session.transcript.pending()


def _restore(session: Session, actor: ActorState) -> None:
    """Give a session the reminders of an actor."""
    session.transcript = Transcript.new(session.id, events=[spec.event() for spec in _current_specs(actor)])


def _current_specs(actor: ActorState) -> list[ReminderSpec]:
    """Return the reminders of an actor whose turns are not over, with those that are left."""
    turn = actor.counters.turn
    return [one.spec.changed(ttl_turns=one.left_at(turn)) for one in actor.reminders if one.lives_at(turn)]


def copy_of(source: SessionState, target: SessionState, call: AgentCall) -> None:
    """Copy the state of a session to its fork, if the fork has none."""
    if call.event == agent_calls.SESSION_START and call.source == COPIED and not target.actor(MAIN).counters.turn:
        target.actors[MAIN] = source.actor(MAIN).from_fields(source.actor(MAIN).fields())
