"""Reminders of sessions: their records in the event log, and the order of these records."""

import pytest

from harnlite.agent.sessions.current import entering
from harnlite.agent.sessions.live_events import capturing
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.reminding import (
    TOPIC,
    SessionReminders,
    drain,
    inherit,
    inject,
    inject_spec,
    post_turn,
    restart_turns,
)
from harnlite.reminders.capabilities import Capabilities
from harnlite.reminders.propagation import inheritable
from harnlite.reminders.spec import ReminderSpec
from harnlite.reminders.wire import BRIDGE, PIPELINE, check_reminder
from harnlite.runtime.tasks.execution import Execution
from harnlite.store.event_log import log_of
from harnlite.values.data_types import type_name


@pytest.fixture
def run():
    return Execution()


@pytest.fixture
def session(run):
    return sessions_of(run).open(run, "s")


def fields(producer=PIPELINE, **options):
    found, faults = check_reminder(options, type_name, producer)
    assert not faults
    return found


def records(run, *keys):
    """What the log says: kinds without prefix, with some fields of the payload."""
    return [
        (record["kind"].removeprefix("transcript.reminder."), *(record["payload"].get(key) for key in keys))
        for record in log_of(run).read(TOPIC)
    ]


def push(run, session, body, mode=None, **options):
    given = {"body": body, **options, **({"mode": mode} if mode else {})}
    return session.inbox.push_reminder(fields(BRIDGE, **given), run.ids.uuid7())


def test_an_injection_is_recorded_with_all_its_keys(run, session):
    report = inject(run, session, fields(body="b", tags=["t"], ttl_turns=2), "in_pipeline")
    (record,) = log_of(run).read(TOPIC)
    assert record["kind"] == "transcript.reminder.injected"
    assert record["payload"] == {
        "session_id": "s",
        "task_id": None,
        "agent_id": "s",
        "reminder_id": report.spec.id,
        "tags": ["t"],
        "dedupe_key": None,
        "source": "in_pipeline",
        "role_hint": "system",
        "ttl_turns": 2,
        "propagate": "session",
        "originating_agent_id": None,
    }


def test_what_enters_is_stamped_with_the_turn_and_the_tool_call(run, session):
    session.turn = 3
    with entering(run, session_id="s", tool_call_id="tc_1"):
        report = inject(run, session, fields(body="b"), "hook")
    assert (report.spec.fired_at_turn, report.spec.source) == (3, "hook")
    assert records(run, "task_id") == [("injected", "tc_1")]


def test_a_newer_one_of_a_key_takes_the_place_of_older_ones(run, session):
    first = inject(run, session, fields(body="1", dedupe_key="k"), "in_pipeline")
    second = inject(run, session, fields(body="2", dedupe_key="k"), "in_pipeline")
    assert (first.deduped_count, second.deduped_count) == (0, 1)
    assert records(run, "reminder_id", "replaced_ids") == [
        ("injected", first.spec.id, None),
        ("deduped", second.spec.id, [first.spec.id]),
        ("injected", second.spec.id, None),
    ]
    assert [spec.body for spec in session.transcript.pending()] == ["2"]


def test_the_post_turn_pass_skips_what_is_younger(run, session):
    inject(run, session, fields(body="old", ttl_turns=1), "hook")
    session.turn = 1
    inject(run, session, fields(body="new", ttl_turns=1), "hook")
    passing = post_turn(run, session, 0)
    assert (passing.expired_count, passing.decremented_count, passing.remaining_count) == (1, 0, 1)
    assert records(run, "reason", "ttl_turns_before", "expired_at_turn")[-1] == ("expired", "ttl", 1, 0)
    restart_turns(session)
    assert [spec.fired_at_turn for spec in session.transcript.pending()] == [0]


def test_a_seam_takes_immediate_ones_first_and_stamps_them(run, session):
    session.turn = 2
    push(run, session, "later", ttl_turns=1, fired_at_turn=9)
    push(run, session, "now", "interrupt_immediate")
    push(run, session, "audit", "audit_only")
    delivery = drain(run, session, "iteration_start")
    assert [report.spec.body for report in delivery.reminders] == ["now", "later"]
    assert {(report.spec.source, report.spec.fired_at_turn) for report in delivery.reminders} == {("bridge", 2)}
    assert (delivery.count, delivery.reason, bool(delivery)) == (2, "reminder", True)
    assert session.inbox.pending()["pendingCount"] == 1


def test_user_messages_win_the_reason_and_are_announced(run, session):
    push(run, session, "r")
    session.inbox.push_message("hello", "finish_step", "msg_inj_1")
    with capturing(run, "s") as events:
        delivery = drain(run, session, "post_tool_dispatch")
    assert (delivery.count, delivery.reason) == (2, "message")
    assert session.transcript.messages() == [{"role": "user", "content": "hello", "messageId": "msg_inj_1"}]
    (event,) = events
    assert event == {
        "type": "user_message",
        "session_id": "s",
        "message_id": "msg_inj_1",
        "content": [{"type": "text", "text": "hello"}],
    }


def test_what_is_only_for_audit_never_becomes_pending(run, session):
    inject(run, session, fields(body="shown", dedupe_key="k"), "hook")
    push(run, session, "audit", "audit_only", dedupe_key="k", ttl_turns=1)
    delivery = drain(run, session, "loop_exit")
    assert delivery.count == 1
    assert [kind for (kind,) in records(run)] == ["injected", "injected"]
    assert [spec.body for spec in session.transcript.pending()] == ["shown"]
    event = session.transcript.events()[-1]
    assert (event["visibility"], event["text"], event["kind"]) == ("internal", "audit", "system_reminder")
    assert SessionReminders(run, session).rendered(Capabilities()).system == ["System reminder:\nshown"]


def test_feedback_waits_for_the_seams_around_a_compaction(run, session):
    sessions_of(run).feedback.post(run, "s", "timer", "wake")
    assert not drain(run, session, "iteration_start").feedback
    delivery = drain(run, session, "pre_compact")
    assert (delivery.feedback, delivery.count) == (1, 0)
    content = '<runtime_feedback kind="timer">\nwake\n</runtime_feedback>'
    assert session.transcript.messages() == [{"role": "user", "content": content}]
    assert drain(run, session, "post_compact").feedback == 0


def test_a_child_gets_copies_with_two_records_each(run, session):
    inject(run, session, fields(body="a", propagate="all"), "hook")
    inject(run, session, fields(body="n", propagate="none"), "hook")
    child = sessions_of(run).open(run, "c", parent_id="s")
    inherit(run, child, inheritable(session.transcript.pending(), "s"))
    assert records(run, "session_id", "sub_agent_id", "originating_agent_id")[2:] == [
        ("injected", "c", None, "s"),
        ("inherited", "c", "c", "s"),
    ]
    assert [spec.source for spec in child.transcript.pending()] == ["inherited"]


# What a model call shows


def test_a_call_records_drops_before_what_it_shows(run, session):
    session.append_event({"kind": "system_reminder", "role": "system", "id": "e1", "reminder": {"body": "no id"}})
    report = inject(run, session, fields(body="b", tags=["t"], dedupe_key="k", ttl_turns=1), "hook", "post_tool_use")
    source = SessionReminders(run, session)
    rendered = source.rendered(Capabilities())
    with capturing(run, "s") as events:
        source.sent(rendered, 4)
    assert records(run, "reminder_id", "reason", "turn_number", "rendered_role")[1:] == [
        ("dropped", "e1", "invalid", None, None),
        ("fired", report.spec.id, None, 4, "system"),
    ]
    assert events == [
        {
            "type": "reminder_emitted",
            "session_id": "s",
            "reminder_id": report.spec.id,
            "tags": ["t"],
            "dedupe_key": "k",
            "body": "b",
            "role_hint": "system",
            "rendered_role": "system",
            "source": "hook",
            "provider_id": None,
            "hook_event": "post_tool_use",
            "ttl_turns": 1,
            "fired_at_turn": 0,
            "turn": 4,
        }
    ]
    assert session.shown == {report.spec.id}
    source.sent(source.rendered(Capabilities()), 5)
    assert [kind for (kind,) in records(run)].count("dropped") == 1


def test_an_invalid_reminder_is_dropped_though_nothing_is_shown(run, session):
    session.append_event({"kind": "system_reminder", "role": "system", "reminder": {}})
    source = SessionReminders(run, session)
    source.sent(source.rendered(Capabilities()), 0)
    assert records(run, "reminder_id", "reason") == [("dropped", "invalid-reminder", "invalid")]
    assert session.transcript.events() == []


def test_a_route_without_a_slot_is_reported_once_for_each_reminder(run, session):
    report = inject(run, session, fields(body="b"), "hook")
    source = SessionReminders(run, session)
    for route in ("a:m", "a:m", "b:m"):
        source.sent(source.rendered(Capabilities(route, accepts_system=False)), 1)
    mismatch = ("dropped", report.spec.id, "capability_mismatch")
    assert records(run, "reminder_id", "reason")[1:] == [mismatch, mismatch]
    assert [spec.id for spec in session.transcript.pending()] == [report.spec.id]
    assert session.shown == set()


def test_ids_of_what_is_gone_are_forgotten(run, session):
    source = SessionReminders(run, session)
    for number in range(200):
        inject_spec(run, session, ReminderSpec(id=f"r{number}", body="b", ttl_turns=1, fired_at_turn=number))
        session.turn = number
        source.sent(source.rendered(Capabilities()), number)
        post_turn(run, session, number)
    assert len(session.shown) < 30


def test_records_of_one_step_are_written_at_once(run, session):
    class Log:
        detailed = False
        calls = 0

        def emit_repeated(self, _topic, records, _common, _headers=None):
            self.calls += 1
            self.last = len(records.parts)

    for number in range(50):
        inject(run, session, fields(body=str(number)), "hook")
    run.context["event_log"] = log = Log()
    source = SessionReminders(run, session)
    source.sent(source.rendered(Capabilities()), 1)
    assert (log.calls, log.last) == (1, 50)


def test_nothing_is_told_when_nobody_listens(run, session, monkeypatch):
    inject(run, session, fields(body="b"), "hook")
    monkeypatch.setattr("harnlite.agent.sessions.reminding._shown_fields", lambda *_: pytest.fail("an event was built"))
    source = SessionReminders(run, session)
    source.sent(source.rendered(Capabilities()), 1)
