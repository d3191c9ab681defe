"""The lifecycle of reminders from injection to removal, and its records."""

import pytest

from harnlite.reminders import lifecycle
from harnlite.reminders.selector import Selector
from harnlite.reminders.spec import ReminderSpec
from harnlite.reminders.transcript import Transcript


def spec(name, **fields):
    return ReminderSpec(id=name, body=f"body of {name}", **fields)


def holding(*specs):
    transcript = Transcript.new("t")
    for each in specs:
        transcript = transcript.with_reminder(each)
    return transcript


def ids(transcript):
    return [each.id for each in transcript.pending()]


def told(change):
    return [(record.kind, record.payload["reminder_id"]) for record in change.records]


BASE = {
    "reminder_id": "a",
    "tags": ["x"],
    "dedupe_key": "k",
    "source": "hook",
    "role_hint": "developer",
    "ttl_turns": 2,
    "propagate": "all",
    "originating_agent_id": None,
}
FULL = {
    "tags": ("x",),
    "dedupe_key": "k",
    "source": "hook",
    "role_hint": "developer",
    "ttl_turns": 2,
    "propagate": "all",
}


def test_injection():
    before = Transcript.new("t", messages=[{"role": "user", "content": "hi"}])
    change = lifecycle.inject(before, spec("a", **FULL), "e1")
    assert [(record.kind, record.payload) for record in change.records] == [("injected", BASE)]
    assert list(change.records[0].payload) == list(BASE)
    assert change.deduped_count == 0
    assert (before.event_count, change.transcript.event_count) == (0, 1)
    assert change.transcript.messages() == before.messages()
    assert change.transcript.events()[0]["id"] == "e1"
    assert change.transcript.events()[0]["reminder"]["id"] == "a"


def test_injection_replaces_those_with_the_key():
    before = holding(spec("a", dedupe_key="k"), spec("b"), spec("c", dedupe_key="k"), spec("d", dedupe_key="l"))
    change = lifecycle.inject(before, spec("e", dedupe_key="k"))
    assert ids(change.transcript) == ["b", "d", "e"]
    assert change.deduped_count == 2
    assert [record.kind for record in change.records] == ["deduped", "injected"]
    assert change.records[0].payload == {
        "reminder_id": "e",
        "replacing_id": "e",
        "replaced_id": "a",
        "replaced_ids": ["a", "c"],
        "dedupe_key": "k",
        "dropped_reminder_ids": ["a", "c"],
        "dropped_count": 2,
    }
    assert ids(before) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("selector", "left"),
    [
        (Selector(id="a"), ["b", "c", "d"]),
        (Selector(tag="x"), ["b", "d"]),
        (Selector(dedupe_key="k"), ["a", "d"]),
        (Selector(tag="x", dedupe_key="k"), ["a", "b", "d"]),
        (Selector(id="a", tag="y"), ["a", "b", "c", "d"]),
        (Selector(dedupe_key="none"), ["a", "b", "c", "d"]),
    ],
)
def test_clearing(selector, left):
    before = holding(
        spec("a", tags=("x",)), spec("b", dedupe_key="k"), spec("c", tags=("y", "x"), dedupe_key="k"), spec("d")
    )
    change = lifecycle.clear(before, selector)
    assert ids(change.transcript) == left
    assert change.removed_count == 4 - len(left)
    assert told(change) == [("expired", name) for name in "abcd" if name not in left]
    assert ids(before) == ["a", "b", "c", "d"]


def test_the_record_of_a_cleared_one():
    aged = lifecycle.post_turn(holding(spec("a", **FULL)), 0).transcript
    change = lifecycle.clear(aged, Selector(id="a"))
    assert change.records[0].payload == {**BASE, "ttl_turns": 1, "reason": "cleared"}


def prompts(reminder, first, last=8, enters_after=None):
    """Run a loop and return in which prompts the reminder is; it enters before the first or after a call."""
    transcript, shown = holding(*([reminder] if enters_after is None else [])), []
    for turn in range(first, last):
        if transcript.pending():
            shown.append(turn)
        if turn == enters_after:
            transcript = lifecycle.inject(transcript, reminder.changed(fired_at_turn=turn + 1)).transcript
        transcript = lifecycle.post_turn(transcript, turn).transcript
    return shown


@pytest.mark.parametrize("ttl", [1, 2, 3])
def test_a_ttl_of_n_means_n_prompts(ttl):
    assert prompts(spec("pipeline", ttl_turns=ttl), 0) == list(range(ttl))
    for call in range(3):
        expected = list(range(call + 1, call + 1 + ttl))
        assert prompts(spec("hook", ttl_turns=ttl), 0, enters_after=call) == expected


def test_no_ttl_means_every_prompt():
    assert prompts(spec("a"), 0, 5) == [0, 1, 2, 3, 4]


def test_a_pass():
    before = holding(
        spec("a", ttl_turns=1),
        spec("b", ttl_turns=2),
        spec("c"),
        spec("d", ttl_turns=1, fired_at_turn=4),
        spec("e", ttl_turns=0),
    )
    change = lifecycle.post_turn(before, 3)
    assert ids(change.transcript) == ["b", "c", "d"]
    assert [each.ttl_turns for each in change.transcript.pending()] == [1, None, 1]
    assert (change.expired_count, change.decremented_count, change.remaining_count) == (2, 1, 3)
    assert told(change) == [("expired", "a"), ("expired", "e")]
    payload = change.records[0].payload
    assert (payload["reason"], payload["ttl_turns_before"], payload["expired_at_turn"]) == ("ttl", 1, 3)
    assert change.records[1].payload["ttl_turns_before"] == 0
    assert [each.ttl_turns for each in before.pending()] == [1, 2, None, 1, 0]


def test_what_expires_together_is_told_in_order():
    transcript = holding(spec("a", ttl_turns=1, fired_at_turn=2), spec("b", ttl_turns=2))
    transcript = lifecycle.post_turn(transcript, 0).transcript
    assert told(lifecycle.post_turn(transcript, 2)) == [("expired", "a"), ("expired", "b")]


def test_turns_may_go_back():
    transcript = holding(spec("a", ttl_turns=3, fired_at_turn=2), spec("b", ttl_turns=5))
    left = []
    for turn in (2, 0, 1, 2, 3):
        transcript = lifecycle.post_turn(transcript, turn).transcript
        left.append([(each.id, each.ttl_turns) for each in transcript.pending()])
    assert left == [
        [("a", 2), ("b", 4)],
        [("a", 2), ("b", 3)],
        [("a", 2), ("b", 2)],
        [("a", 1), ("b", 1)],
        [],
    ]


def test_a_turn_below_everything_skips_everything():
    change = lifecycle.post_turn(holding(spec("a", ttl_turns=1)), -1)
    assert (change.expired_count, change.decremented_count, change.remaining_count) == (0, 0, 1)


def test_turns_start_anew():
    before = holding(spec("a", fired_at_turn=3, ttl_turns=2), spec("b"))
    after = lifecycle.restart_turns(before).transcript
    assert [each.fired_at_turn for each in after.pending()] == [0, 0]
    assert [event["reminder"]["fired_at_turn"] for event in after.events()] == [0, 0]
    assert [each.fired_at_turn for each in before.pending()] == [3, 0]
    assert lifecycle.restart_turns(after).transcript is after


BROKEN = [
    ({"reminder": {"id": "r", "body": 5}}, "r"),
    ({"reminder": {"body": "b"}, "id": "e"}, "e"),
    ({"reminder": {"id": 5}, "id": "e"}, "e"),
    ({"reminder": "text"}, "invalid-reminder"),
    ({}, "invalid-reminder"),
    ({"id": "e", "reminder": {"id": " "}}, " "),
    ({"reminder": {**spec("blank").payload(), "body": "  "}}, "blank"),
]


@pytest.mark.parametrize(("event", "reported"), BROKEN)
def test_what_no_prompt_can_show_is_dropped_once(event, reported):
    before = holding(spec("a")).with_event({"kind": "system_reminder", "role": "system", **event})
    assert before.invalid() == [(event.get("id"), reported)]
    change = lifecycle.drop_invalid(before)
    assert [record.payload for record in change.records] == [{"reminder_id": reported, "reason": "invalid"}]
    assert change.removed_count == 1
    assert ids(change.transcript) == ["a"]
    assert change.transcript.event_count == 1
    assert not lifecycle.drop_invalid(change.transcript).records


def test_an_internal_event_is_never_pending():
    transcript = holding().with_event(spec("a", ttl_turns=1).event(visibility="internal"))
    assert not transcript.pending()
    assert not transcript.invalid()
    for step in (
        lifecycle.drop_invalid,
        lifecycle.compaction_pass,
        lifecycle.restart_turns,
        lambda t: lifecycle.post_turn(t, 1),
        lambda t: lifecycle.clear(t, Selector(id="a")),
    ):
        change = step(transcript)
        assert not change.records
        assert change.transcript.events() == transcript.events()


def test_the_other_records():
    reminder = spec("a", originating_agent_id="root", propagate="all")
    records = [
        lifecycle.dropped("a", lifecycle.CAPABILITY_MISMATCH),
        lifecycle.inherited(reminder, "child"),
    ]
    assert [(record.kind, record.payload) for record in records] == [
        ("dropped", {"reminder_id": "a", "reason": "capability_mismatch"}),
        (
            "inherited",
            {"reminder_id": "a", "originating_agent_id": "root", "sub_agent_id": "child", "propagate": "all"},
        ),
    ]


# Compaction


def test_the_pass_before_compaction():
    before = holding(
        spec("gone", ttl_turns=1, preserve_on_compact=True),
        spec("old", dedupe_key="k", preserve_on_compact=True),
        spec("young", ttl_turns=5),
        spec("kept", ttl_turns=3, preserve_on_compact=True, fired_at_turn=9),
        spec("new", dedupe_key="k", preserve_on_compact=True),
        spec("last", dedupe_key="l"),
    )
    change = lifecycle.compaction_pass(before)
    assert [(each.id, each.ttl_turns) for each in change.transcript.pending()] == [("kept", 2), ("new", None)]
    assert [(payload["id"], payload.get("ttl_turns")) for payload in change.survivors] == [
        ("young", 4),
        ("kept", 2),
        ("new", None),
        ("last", None),
    ]
    assert told(change) == [("expired", "gone"), ("expired", "young"), ("expired", "last"), ("deduped", "new")]
    assert (change.decremented, change.expired, change.deduped, change.preserved) == (2, 3, 1, 2)
    by_ttl, by_compaction, _, collapsed = (record.payload for record in change.records)
    boundary = {"expired_at_boundary": "pre_compact", "phase": "pre_compact"}
    ends = {key: by_ttl[key] for key in ("reason", "ttl_turns_before", "expired_at_turn", *boundary)}
    assert ends == {"reason": "ttl", "ttl_turns_before": 1, "expired_at_turn": None, **boundary}
    assert by_compaction.items() >= {"reason": "compaction", "ttl_turns": 4, **boundary}.items()
    assert collapsed == {
        "reminder_id": "new",
        "replacing_id": "new",
        "replaced_id": "old",
        "replaced_ids": ["old"],
        "dedupe_key": "k",
        "dropped_reminder_ids": ["old"],
        "dropped_count": 1,
        "boundary": "pre_compact",
    }
    assert len(before.pending()) == 6


def test_what_is_exempt_takes_no_part():
    before = holding(
        spec("fresh", ttl_turns=1, dedupe_key="k"),
        spec("seen", ttl_turns=1),
        spec("older", dedupe_key="k", preserve_on_compact=True),
        spec("forever"),
    )
    change = lifecycle.compaction_pass(before, {"fresh", "forever"})
    assert [(each.id, each.ttl_turns) for each in change.transcript.pending()] == [
        ("fresh", 1),
        ("older", None),
        ("forever", None),
    ]
    assert [payload["id"] for payload in change.survivors] == ["fresh", "older", "forever"]
    assert told(change) == [("expired", "seen")]
    assert (change.decremented, change.expired, change.deduped, change.preserved) == (0, 1, 0, 1)


def test_nothing_pending_nothing_changed():
    before = Transcript.new("t", messages=[{"role": "user", "content": "hi"}])
    change = lifecycle.compaction_pass(before)
    assert change.transcript is before
    assert (change.records, change.survivors) == ([], [])
