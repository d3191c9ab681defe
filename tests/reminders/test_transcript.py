"""Transcripts are immutable."""

import gc
import sys
import threading

import pytest

from harnlite.reminders import lifecycle, transcript_store
from harnlite.reminders.selector import Selector
from harnlite.reminders.spec import ReminderSpec
from harnlite.reminders.transcript import Transcript


def spec(name, **fields):
    return ReminderSpec(id=name, body=f"body of {name}", **fields)


def said(name):
    return {"role": "user", "content": name}, {"id": name, "kind": "message", "visibility": "public"}


def filled():
    transcript = Transcript.new("t").with_message(*said("hello"))
    for each in (spec("a", dedupe_key="k", ttl_turns=2), spec("b", ttl_turns=1, fired_at_turn=2), spec("c")):
        transcript = transcript.with_reminder(each)
    return transcript.with_event({"id": "x", "kind": "system_reminder", "reminder": None})


STEPS = {
    "inject": lambda t: lifecycle.inject(t, spec("d", dedupe_key="k")).transcript,
    "clear": lambda t: lifecycle.clear(t, Selector(id="c")).transcript,
    "post_turn": lambda t: lifecycle.post_turn(t, 2).transcript,
    "early": lambda t: lifecycle.post_turn(t, -1).transcript,
    "restart": lambda t: lifecycle.restart_turns(t).transcript,
    "compact": lambda t: lifecycle.compaction_pass(t).transcript,
    "drop": lambda t: lifecycle.drop_invalid(t).transcript,
    "say": lambda t: t.with_message(*said("more")),
    "event": lambda t: t.with_event({"id": "y", "kind": "note"}),
    "fields": lambda t: t.with_fields(summary="s", id="other"),
    "messages": lambda t: t.with_messages([said("new")[0]], [said("new")[1]]),
    "without": lambda t: t.without_events(["a", "hello"]),
}


def seen(transcript):
    fresh = transcript.with_fields()
    return (
        [dict(event) for event in fresh.events()],
        [each.payload() for each in fresh.pending()],
        [each.payload() for each in fresh.pending_by_key("k")],
        fresh.invalid(),
        fresh.messages(),
        fresh.messages_from(1),
        (fresh.id, fresh.summary, fresh.message_count, fresh.event_count, fresh.pending_count),
    )


@pytest.mark.parametrize("first", STEPS)
@pytest.mark.parametrize("second", STEPS)
def test_old_transcripts_stay_as_they_are(first, second):
    start = filled()
    before = seen(start)
    one = STEPS[first](start)
    after_one = seen(one)
    other = STEPS[second](start)
    after_other = seen(other)
    STEPS[second](one)
    STEPS[first](other)
    assert seen(start) == before
    assert seen(one) == after_one
    assert seen(other) == after_other


@pytest.mark.parametrize("step", STEPS)
def test_a_step_on_an_old_transcript_comes_to_the_same(step):
    start = filled()
    expected = seen(STEPS[step](filled()))
    STEPS["inject"](start)
    STEPS["post_turn"](start)
    assert seen(STEPS[step](start)) == expected


@pytest.mark.parametrize("step", STEPS)
def test_the_form_of_scripts_reads_back(step):
    transcript = STEPS[step](filled())
    again = Transcript.from_dict(transcript.as_dict())
    assert seen(again) == seen(transcript)
    assert seen(STEPS["post_turn"](again)) == seen(STEPS["post_turn"](transcript))


def test_lists_are_made_once():
    transcript = filled()
    assert transcript.events() is transcript.events()
    assert transcript.messages() is transcript.messages()
    assert transcript.pending() is transcript.pending()
    assert transcript.as_dict() is transcript.as_dict()
    assert transcript.as_dict()["events"] is transcript.events()


def test_the_form_of_scripts():
    transcript = Transcript.new("t", [said("hi")[0]], [said("hi")[1]], [{"id": "asset"}], "sum", {"m": 1}, "active")
    assert transcript.as_dict() == {
        "_type": "transcript",
        "version": 2,
        "id": "t",
        "messages": [said("hi")[0]],
        "events": [said("hi")[1]],
        "assets": [{"id": "asset"}],
        "summary": "sum",
        "metadata": {"m": 1},
        "state": "active",
    }
    assert set(Transcript.new("t").as_dict()) == {"_type", "version", "id", "messages", "events", "assets"}


def test_fields():
    transcript = Transcript.new("t", summary="s", metadata={"a": 1}, state="active")
    other = transcript.with_fields(summary=None, state="archived", parent_id="p")
    assert (other.summary, other.state, other.metadata) == (None, "archived", {"a": 1})
    assert "summary" not in other.as_dict()
    assert other.as_dict()["parent_id"] == "p"
    assert transcript.summary == "s"


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "transcript",
        {},
        {"_type": "other", "messages": []},
        {"_type": "transcript", "messages": "x"},
        {"_type": "transcript", "events": {}},
    ],
)
def test_what_is_no_transcript(value):
    assert Transcript.from_dict(value) is None


def test_a_transcript_made_by_hand():
    bare = Transcript.from_dict({"_type": "transcript", "messages": [], "events": []})
    assert (bare.id, bare.assets, bare.summary, bare.metadata, bare.state) == ("", [], None, None, None)
    assert bare.as_dict() == {"_type": "transcript", "messages": [], "events": []}
    odd = Transcript.from_dict({"_type": "transcript", "messages": ["x"], "events": [5, None, {}], "id": 7})
    assert odd.as_dict() == {"_type": "transcript", "messages": ["x"], "events": [5, None, {}], "id": 7}
    assert lifecycle.post_turn(odd, 0).transcript.events() == [5, None, {}]


def test_an_event_made_by_hand_keeps_what_is_its_own():
    event = {**spec("a", ttl_turns=2).event("e"), "origin": "me"}
    event["reminder"] = {**event["reminder"], "note": "n"}
    after = lifecycle.post_turn(Transcript.new("t").with_event(event), 0).transcript
    (changed,) = after.events()
    assert (changed["origin"], changed["id"]) == ("me", "e")
    assert changed["reminder"] == changed["metadata"] == {**event["reminder"], "ttl_turns": 1}
    assert event["reminder"]["ttl_turns"] == 2


def test_the_same_id_twice():
    twice = Transcript.new("t").with_reminder(spec("a")).with_reminder(spec("a", ttl_turns=1))
    assert [each.id for each in lifecycle.post_turn(twice, 0).transcript.pending()] == ["a"]
    assert lifecycle.clear(twice, Selector(id="a")).removed_count == 2


def test_message_events_come_first_after_a_rewrite():
    transcript = filled().with_message(*said("second"))
    rewritten = transcript.with_messages([said("only")[0]], [said("only")[1]])
    assert [event["id"] for event in rewritten.events()] == ["only", "a", "b", "c", "x"]
    assert rewritten.message_count == 1


def entries():
    """Return the number of entries of all transcripts, those of other tests among them."""
    gc.collect()
    return sum(isinstance(item, transcript_store.Entry) for item in gc.get_objects())


def test_what_is_gone_does_not_pile_up():
    before = entries()
    transcript = Transcript.new("t")
    for number in range(5_000):
        transcript = lifecycle.inject(transcript, spec(str(number), dedupe_key="k", ttl_turns=900)).transcript
        transcript = lifecycle.post_turn(transcript, 0).transcript
    assert entries() - before < 3 * transcript_store.WASTE


def test_a_loop_goes_on_with_one_store():
    transcript = filled()
    store = transcript._chronicle
    for turn in range(60):
        fresh = spec(str(turn), dedupe_key="k", ttl_turns=2, fired_at_turn=turn)
        transcript = lifecycle.inject(transcript, fresh).transcript
        transcript = transcript.with_message(*said(f"said {turn}"))
        transcript = lifecycle.post_turn(transcript, turn).transcript
        transcript = lifecycle.inject(transcript, spec(f"late {turn}", ttl_turns=1, fired_at_turn=turn + 1)).transcript
        assert transcript._chronicle is store


def test_a_thread_may_read_while_another_changes():
    newest, seen, is_done = filled(), [], threading.Event()

    def read():
        while not is_done.is_set():
            transcript = newest
            fresh = transcript.with_fields()
            counts = (fresh.pending_count, len(fresh.pending()), len(fresh.invalid()), len(fresh.events()))
            seen.append((transcript, counts))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(600):
        newest = lifecycle.inject(
            newest, spec(str(number), dedupe_key="k" if number % 2 else None, ttl_turns=3)
        ).transcript
        newest = lifecycle.post_turn(newest, 0).transcript
    is_done.set()
    for reader in readers:
        reader.join()
    sys.setswitchinterval(before)
    for transcript, counts in seen[:: max(1, len(seen) // 500)]:
        pending = len(transcript.pending())
        assert counts == (pending, pending, 1, transcript.event_count)
