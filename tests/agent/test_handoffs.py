"""Handoffs: the contents of a record, its recipients, and the places where it is stored."""

import io

import pytest

from harnlite.agent.reminder_providers.handoffs import emitted_handoffs, make_handoff
from harnlite.agent.sessions.current import entering
from harnlite.agent.sessions.live_events import capturing
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.reminding import inject_spec
from harnlite.reminders.spec import ReminderSpec
from harnlite.runtime.tasks.execution import Execution


@pytest.fixture
def run():
    return Execution(stdout=io.StringIO(), stderr=io.StringIO())


@pytest.mark.parametrize(
    ("given", "target"),
    [
        ({}, {"kind": None, "id": None, "label": None, "uri": None}),
        ({"target": "ann"}, {"kind": "persona", "id": "ann", "label": "ann", "uri": None}),
        (
            {"target_persona_or_human": {"kind": "human", "uri": "x:y", "more": 1}},
            {"kind": "human", "id": None, "label": None, "uri": "x:y"},
        ),
    ],
)
def test_a_target_has_its_four_fields(run, given, target):
    assert make_handoff(run, given)["target_persona_or_human"] == target


def test_a_record_is_whole_whatever_is_given(run):
    record = make_handoff(run, {"task": 1, "open_questions": "why?", "metadata": "x", "confidence": 0.5, "extra": 1})
    assert (record["task"], record["open_questions"], record["metadata"]) == ("1", ["why?"], {})
    assert (record["confidence"], "extra" in record, record["id"].startswith("handoff_")) == (0.5, False, True)
    assert make_handoff(run, {"id": "handoff_mine"})["id"] == "handoff_mine"


def test_the_reminders_that_travel_go_with_it(run):
    session = sessions_of(run).open(run, "s")
    for propagate in ("all", "session", "none"):
        inject_spec(run, session, ReminderSpec(id=propagate, body="b", propagate=propagate, ttl_turns=2))
    inherited = ReminderSpec(id="old", body="b", source="inherited", originating_agent_id="root")
    inject_spec(run, session, inherited)
    inject_spec(run, session, inherited.changed(id="far", propagate="all"))
    with entering(run, session_id="s"), capturing(run, "s") as events:
        record = make_handoff(run, {"task": "t"})
    carried = [(one["id"], one["source"], one["originating_agent_id"]) for one in record["reminder_propagation"]]
    assert carried == [("all", "inherited", "s"), ("session", "inherited", "s"), ("far", "inherited", "root")]
    assert [(event["type"], event["artifact_id"]) for event in events] == [("handoff", record["id"])]
    assert emitted_handoffs(run) == [("s", record)]
    with entering(run, session_id="s"):
        assert make_handoff(run, {"reminder_propagation": []})["reminder_propagation"] == []
