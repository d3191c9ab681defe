"""Operations on the reminders of a session: injection, aging, rendering, and the records in the event log."""

from __future__ import annotations

from harnlite.agent.sessions.current import current_tool_call_id
from harnlite.agent.sessions.feedback import inject_feedback
from harnlite.agent.sessions.live_events import announce_message, emit, is_heard
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.reminders import lifecycle
from harnlite.reminders.inbox_entries import message_of
from harnlite.reminders.lifecycle import DEDUPED, EXPIRED, KIND_PREFIX, TOPIC
from harnlite.reminders.seams import FEEDBACK_SEAMS, IDLE_SEAMS, LOOP_EXIT, MODEL_CALL, POST_TURN, SESSION_START
from harnlite.reminders.spec import HOOK_SOURCE, INTERNAL, PROVIDER_SOURCE
from harnlite.store.event_log import log_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harnlite.agent.sessions.fired_records import FiredRecords
    from harnlite.agent.sessions.session import Keeper, Session
    from harnlite.reminders.capabilities import Capabilities
    from harnlite.reminders.inbox_entries import Entry
    from harnlite.reminders.lifecycle import Change, Passing, Record
    from harnlite.reminders.rendering import Rendered
    from harnlite.reminders.selector import Selector
    from harnlite.reminders.spec import ReminderSpec
    from harnlite.reminders.wire import Fields
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.store.event_log import Item, RepeatedRecords

_LIVE = {DEDUPED: "reminder_deduped", EXPIRED: "reminder_expired"}
"""The kinds of records that are also live events, with the types of those."""


class Report:
    """An injected reminder, and the number of older reminders that it replaced."""

    __slots__ = ("deduped_count", "spec")

    def __init__(self, spec: ReminderSpec, deduped_count: int) -> None:
        self.spec = spec
        self.deduped_count = deduped_count


class Delivery:
    """The items that were delivered at a seam: reminders, user messages, and the number of feedback entries."""

    __slots__ = ("feedback", "messages", "reminders")

    def __init__(self) -> None:
        self.reminders: list[Report] = []
        self.messages: list[dict[str, object]] = []
        self.feedback = 0

    def __bool__(self) -> bool:
        return bool(self.reminders or self.messages)

    @property
    def count(self) -> int:
        """Return the number of reminders and user messages."""
        return len(self.reminders) + len(self.messages)

    @property
    def reason(self) -> str:
        """Return `message` if a message was delivered, otherwise `reminder` or `none`."""
        if self.messages:
            return "message"
        return "reminder" if self.reminders else "none"


def write_records(run: Execution, session_id: str, records: Sequence[Record], *, is_live: bool = True) -> None:
    """Write the records about the reminders of a session, or of a transcript with that id, to the event log.

    The records of a session that say how reminders ended are also live events; those of a copy are not.
    """
    if not records:
        return
    _log_records(run, session_id, records)
    if is_live:
        ended = [record for record in records if record.kind in _LIVE]
        if ended and is_heard(run, session_id):
            for record in ended:
                emit(run, session_id, _LIVE[record.kind], {**record.payload})


def write_repeated(run: Execution, session_id: str, records: RepeatedRecords) -> None:
    """Write records about a session that are the same in most turns to the event log. They are not live events."""
    log = log_of(run)
    session = sessions_of(run).get(session_id) if log.detailed else None
    log.emit_repeated(TOPIC, records, _owner(run, session_id), None if session is None else _place(session))


def _log_records(run: Execution, session_id: str, records: Sequence[Record]) -> None:
    owner = _owner(run, session_id)
    log = log_of(run)
    if log.detailed:
        log.emit_many(TOPIC, _detailed(run, session_id, records, owner))
        return
    log.emit_series(TOPIC, tuple([KIND_PREFIX + record.kind for record in records]), _Payloads(owner, records))


class _Payloads:
    """The payloads of records, which are built when they are read."""

    __slots__ = ("_owner", "_records")

    def __init__(self, owner: dict[str, object], records: Sequence[Record]) -> None:
        self._owner = owner
        self._records = records

    def __call__(self, index: int) -> dict[str, object]:
        return {**self._owner, **self._records[index].payload}


def _owner(run: Execution, session_id: str) -> dict[str, object]:
    return {"session_id": session_id, "task_id": current_tool_call_id(run), "agent_id": session_id}


def _place(session: Session) -> dict[str, str]:
    return {"harn.seam": session.seam, "harn.turn": str(session.turn)}


def _detailed(run: Execution, session_id: str, records: Sequence[Record], owner: dict[str, object]) -> list[Item]:
    """Return the records with headers: the seam, the turn, and the body of a new reminder."""
    session = sessions_of(run).get(session_id)
    place = {} if session is None else _place(session)
    return [
        (
            KIND_PREFIX + record.kind,
            {**owner, **record.payload},
            place if record.body is None else {**place, "harn.body": record.body},
        )
        for record in records
    ]


def _apply(run: Execution, session: Session, change: Change) -> None:
    """Replace the transcript with that of a change, and write the records of the change."""
    session.transcript = change.transcript
    write_records(run, session.id, change.records)


def inject(run: Execution, session: Session, fields: Fields, source: str, maker: str | None = None) -> Report:
    """Inject a validated reminder into a session, with a new id and the current turn."""
    spec = fields.spec(id=run.ids.uuid7(), source=source, fired_at_turn=session.turn, maker=maker)
    return inject_spec(run, session, spec)


def inject_spec(run: Execution, session: Session, spec: ReminderSpec) -> Report:
    """Inject a reminder unchanged into a session; it replaces pending reminders with the same key."""
    injection = lifecycle.inject(session.transcript, spec)
    _apply(run, session, injection)
    return Report(spec, injection.deduped_count)


def inherit(run: Execution, child: Session, specs: Iterable[ReminderSpec]) -> list[Report]:
    """Inject the reminders that a child session inherits from its parent."""
    reports = []
    for spec in specs:
        reports.append(inject_spec(run, child, spec))
        write_records(run, child.id, [lifecycle.inherited(spec, child.id)])
    return reports


def clear(run: Execution, session: Session, selector: Selector) -> int:
    """Remove the reminders that match from a session, also those in its inbox; return their number."""
    count = request_clear(session, selector)
    carry_out_clears(run, session)
    return count


def request_clear(session: Session, selector: Selector) -> int:
    """Request the removal of the reminders that match, from any thread; return their number.

    From now on no seam delivers them. The thread that may change the transcript removes them before it uses it again,
    and writes the records.
    """
    return session.inbox.clear(selector, lambda: lifecycle.matching_ids(session.transcript, selector))


def carry_out_clears(run: Execution, session: Session) -> bool:
    """Remove the reminders whose removal was requested; return whether there were any."""
    if not session.inbox.has_cleared:
        return False
    withdrawn, ids = session.inbox.take_cleared()
    records = [lifecycle.cleared(spec) for entry in withdrawn if (spec := entry.spec(session.turn)) is not None]
    removal = lifecycle.clear_ids(session.transcript, ids)
    session.transcript = removal.transcript
    write_records(run, session.id, [*records, *removal.records])
    return True


def post_turn(run: Execution, session: Session, turn: int) -> Passing:
    """Age the reminders of a session after a turn; `turn` is the index of its model call."""
    carry_out_clears(run, session)
    session.seam = POST_TURN
    passing = lifecycle.post_turn(session.transcript, turn)
    _apply(run, session, passing)
    return passing


def restart_turns(session: Session) -> None:
    """Restart the turn counts of all pending reminders when a loop starts."""
    session.seam = SESSION_START
    session.transcript = lifecycle.restart_turns(session.transcript).transcript


def drain(run: Execution, session: Session, seam: str) -> Delivery:
    """Deliver the inbox entries for a seam; the seams around a compaction deliver posted feedback instead."""
    session.seam = seam
    delivery = Delivery()
    if seam in FEEDBACK_SEAMS:
        for entry in sessions_of(run).feedback.drain(session.id):
            inject_feedback(run, session, str(entry["kind"]), str(entry["content"]))
            delivery.feedback += 1
    entries = session.inbox.drain(seam)
    if seam in IDLE_SEAMS and not entries:
        entries = session.inbox.take_queued()
    deliver(run, session, entries, delivery, is_internal=seam == LOOP_EXIT)
    return delivery


def deliver(
    run: Execution,
    session: Session,
    entries: list[Entry],
    delivery: Delivery,
    *,
    is_internal: bool = False,
) -> None:
    """Deliver the entries that a drain of the inbox has returned to a session, and add them to a delivery.

    If a subscriber or the event log raises an error, the entries that have not entered the session wait again.
    """
    carry_out_clears(run, session)
    if not entries:
        return
    try:
        if session.keeper is None:
            while entries:
                entered = _enter(run, session, entries[0], is_internal=is_internal)
                del entries[0]
                _announce(run, session, entered, delivery)
        else:
            _deliver_stored(run, session, entries, delivery, session.keeper, is_internal=is_internal)
    finally:
        session.inbox.settle(entries)
        carry_out_clears(run, session)


class _Entered:
    """An entry that the transcript contains, with what is to be announced about it."""

    __slots__ = ("count", "message", "records", "spec")

    def __init__(
        self, message: dict[str, object] | None, spec: ReminderSpec | None, records: Sequence[Record], count: int
    ) -> None:
        self.message = message
        self.spec = spec
        self.records = records
        self.count = count


def _deliver_stored(
    run: Execution,
    session: Session,
    entries: list[Entry],
    delivery: Delivery,
    keeper: Keeper,
    *,
    is_internal: bool,
) -> None:
    """Deliver entries together: the keeper stores them all at once, before any of them is announced.

    If that fails, the session has its old transcript again. An error of a subscriber does not stop the announcements.
    """
    before = session.transcript
    try:
        entered = [_enter(run, session, entry, is_internal=is_internal) for entry in entries]
        keeper.delivered(entries)
    except BaseException:
        session.transcript = before
        raise
    entries.clear()
    failure: BaseException | None = None
    for one in entered:
        try:
            _announce(run, session, one, delivery)
        except BaseException as error:  # noqa: BLE001 - raised below; what is stored must be announced
            failure = failure or error
    if failure is not None:
        raise failure


def _enter(run: Execution, session: Session, entry: Entry, *, is_internal: bool) -> _Entered:
    """Add an entry to the transcript."""
    spec = entry.spec(session.turn)
    if spec is None:
        message = message_of(entry.id, entry.content)
        session.append_message(run, message)
        return _Entered(message, None, (), 0)
    if is_internal:
        session.append_event(spec.event(visibility=INTERNAL))
        return _Entered(None, spec, [lifecycle.injected(spec)], 0)
    injection = lifecycle.inject(session.transcript, spec)
    session.transcript = injection.transcript
    return _Entered(None, spec, injection.records, injection.deduped_count)


def _announce(run: Execution, session: Session, entered: _Entered, delivery: Delivery) -> None:
    """Report the delivery of an entry."""
    if entered.message is not None:
        delivery.messages.append(entered.message)
        announce_message(run, session, entered.message)
    elif entered.spec is not None:
        delivery.reminders.append(Report(entered.spec, entered.count))
        write_records(run, session.id, entered.records)


class SessionReminders:
    """The reminders of a session, rendered for model calls."""

    __slots__ = ("_fired", "_noted", "_rendered", "_run", "_session")

    def __init__(self, run: Execution, session: Session) -> None:
        self._run = run
        self._session = session
        # Most prompts show the same reminders on the same route as the previous prompt.
        self._rendered: tuple[list[ReminderSpec], Capabilities, Rendered] | None = None
        self._noted: Rendered | None = None
        self._fired: FiredRecords | None = None

    def rendered(self, capabilities: Capabilities) -> Rendered | None:
        """Return the pending reminders, rendered for a route with these capabilities, or None if there are none."""
        carry_out_clears(self._run, self._session)
        shown = self._session.transcript.shown()
        if not shown:
            return None
        from harnlite.reminders import rendering

        last = self._rendered
        if last is not None and last[1] is capabilities:
            if last[0] is shown:
                return last[2]
            rendered = rendering.render_after(last[0], last[2], shown, capabilities)
        else:
            rendered = rendering.render(shown, capabilities)
        self._rendered = shown, capabilities, rendered
        return rendered

    def sent(self, rendered: Rendered | None, turn_number: int) -> None:
        """Record that a model call is sent with these reminders."""
        run, session = self._run, self._session
        session.seam = MODEL_CALL
        write_records(run, session.id, self._dropped(rendered))
        if rendered is None or not rendered.fired:
            return
        self._write_fired(rendered, turn_number)
        # Only the turns of a loop have a number. A model call of a tool shows the reminders to another conversation.
        if turn_number and rendered is not self._noted:
            self._noted = rendered
            session.note_shown([spec.id for spec, _ in rendered.fired])
        if is_heard(run, session):
            now = {spec.id: spec for spec in session.transcript.pending()}
            for spec, role in rendered.fired:
                emit(run, session, "reminder_emitted", _shown_fields(now.get(spec.id, spec), role, turn_number))

    def _write_fired(self, rendered: Rendered, turn_number: int) -> None:
        """Write one `fired` record for each reminder in the prompt."""
        records = self._fired
        if records is None:
            from harnlite.agent.sessions.fired_records import FiredRecords

            records = self._fired = FiredRecords()
        log = log_of(self._run)
        common = {**_owner(self._run, self._session.id), "turn_number": turn_number}
        if log.detailed:
            log.emit_repeated(TOPIC, records.in_one(rendered.fired), common, _place(self._session))
            return
        for group in records.groups(rendered.fired):
            log.emit_repeated(TOPIC, group, common)

    def _dropped(self, rendered: Rendered | None) -> list[Record]:
        """Remove invalid reminders; return records for these, and for reminders that the route newly cannot show."""
        session = self._session
        records: list[Record] = []
        if session.transcript.invalid():
            change = lifecycle.drop_invalid(session.transcript)
            session.transcript = change.transcript
            records += change.records
        if rendered is not None:
            for spec in rendered.unrendered:
                if session.is_news(spec.id, rendered.route):
                    records.append(lifecycle.dropped(spec.id, lifecycle.CAPABILITY_MISMATCH))
        return records


def _shown_fields(spec: ReminderSpec, role: str, turn: int) -> dict[str, object]:
    return {
        "reminder_id": spec.id,
        "tags": list(spec.tags),
        "dedupe_key": spec.dedupe_key,
        "body": spec.body,
        "role_hint": spec.role_hint,
        "rendered_role": role,
        "source": spec.source,
        "provider_id": spec.maker if spec.source == PROVIDER_SOURCE else None,
        "hook_event": spec.maker if spec.source == HOOK_SOURCE else None,
        "ttl_turns": spec.ttl_turns,
        "fired_at_turn": spec.fired_at_turn,
        "turn": turn,
    }
