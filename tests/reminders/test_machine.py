"""Any sequence of steps, on new and old transcripts, agrees with the naive model."""

import random
from itertools import count

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

from harnlite.reminders import lifecycle, transcript_store
from harnlite.reminders.inbox import Inbox
from harnlite.reminders.propagation import inheritable
from harnlite.reminders.selector import Selector
from harnlite.reminders.spec import PROPAGATE, spec_from_payload
from harnlite.reminders.transcript import Transcript
from harnlite.reminders.wire import SCRIPT, check_reminder
from harnlite.values.data_types import type_name
from tests import samples

from . import model

KEYS, TAGS = ["k1", "k2", "k3"], ["t1", "t2"]
TURNS = st.integers(-1, 4)
FIELDS = st.fixed_dictionaries(
    {"tags": st.lists(st.sampled_from(TAGS), unique=True), "preserve_on_compact": st.booleans()},
    optional={
        "dedupe_key": st.sampled_from(KEYS),
        "ttl_turns": st.integers(1, 4),
        "propagate": st.sampled_from(PROPAGATE),
    },
)
MODES = st.sampled_from(["interrupt_immediate", "finish_step", "audit_only"])


def shape(event):
    """Return what the model has in the place of an event."""
    is_pending = event["kind"] == "system_reminder" and event["visibility"] == "public" and "body" in event["reminder"]
    if is_pending:
        assert event["metadata"] == event["reminder"]
        assert event["text"] == event["reminder"]["body"]
    return event["reminder"] if is_pending else event["id"]


class Reminders(RuleBasedStateMachine):
    """Pairs of a transcript and the list it should be; every rule takes any of them, however old."""

    pairs = Bundle("pairs")

    def __init__(self):
        super().__init__()
        self.ids = (f"id{number:04}" for number in count())
        self.inbox, self.queue, self.fates = Inbox(), [], {}
        self.known = []
        self.random = random.Random(1)
        # So that stores are made anew now and then.
        self.waste, transcript_store.WASTE = transcript_store.WASTE, 3

    def teardown(self):
        transcript_store.WASTE = self.waste

    def pair(self, transcript, events):
        self.known.append((transcript, events))
        return transcript, events

    def payload(self, fields, turn, body="b"):
        defaults = {"propagate": "session", "role_hint": "system", "source": "hook", "fired_at_turn": max(turn, 0)}
        return {"id": next(self.ids), "body": body, **defaults, **fields}

    @initialize(target=pairs)
    def begin(self):
        return self.pair(Transcript.new("t"), [])

    @rule(target=pairs, pair=pairs, several=st.lists(st.tuples(FIELDS, TURNS), min_size=1, max_size=4))
    def inject(self, pair, several):
        for fields, turn in several:
            payload = self.payload(fields, turn)
            change = lifecycle.inject(pair[0], spec_from_payload(payload))
            events, older = model.inject(pair[1], payload)
            kinds = ["deduped", "injected"] if older else ["injected"]
            assert [record.kind for record in change.records] == kinds
            assert change.deduped_count == len(older)
            if older:
                assert change.records[0].payload["replaced_ids"] == [event["id"] for event in older]
            pair = self.pair(change.transcript, events)
        return pair

    @rule(target=pairs, pair=pairs, fields=FIELDS, turn=TURNS)
    def append_as_it_is(self, pair, fields, turn):
        payload = self.payload(fields, turn)
        return self.pair(pair[0].with_event(spec_from_payload(payload).event()), [*pair[1], payload])

    @rule(target=pairs, pair=pairs, tag=st.sampled_from(TAGS), key=st.sampled_from([None, *KEYS]))
    def clear(self, pair, tag, key):
        change = lifecycle.clear(pair[0], Selector(tag=tag, dedupe_key=key))
        selector = {"tags": tag} if key is None else {"tags": tag, "dedupe_key": key}
        events, gone = model.clear(pair[1], selector)
        assert [record.payload["reminder_id"] for record in change.records] == [event["id"] for event in gone]
        assert change.removed_count == len(gone)
        return self.pair(change.transcript, events)

    @rule(target=pairs, pair=pairs, turns=st.lists(TURNS, min_size=1, max_size=4))
    def post_turn(self, pair, turns):
        for turn in turns:
            change = lifecycle.post_turn(pair[0], turn)
            events, expired, decremented, remaining = model.post_turn(pair[1], turn)
            told = [(record.payload["reminder_id"], record.payload["ttl_turns_before"]) for record in change.records]
            assert told == [(event["id"], event["ttl_turns"]) for event in expired]
            counts = (change.expired_count, change.decremented_count, change.remaining_count)
            assert counts == (len(expired), decremented, remaining)
            pair = self.pair(change.transcript, events)
        return pair

    @rule(target=pairs, pair=pairs)
    def restart(self, pair):
        return self.pair(lifecycle.restart_turns(pair[0]).transcript, model.restart(pair[1]))

    @rule(target=pairs, pair=pairs, is_exempt=st.booleans())
    def compact(self, pair, is_exempt):
        exempt = {event["id"] for event in model.pending(pair[1])[::2]} if is_exempt else set()
        change = lifecycle.compaction_pass(pair[0], exempt)
        events, survivors, expired, deduped = model.compact(pair[1], exempt)
        assert change.survivors == survivors
        by_kind = [record.payload["reminder_id"] for record in change.records if record.kind == "expired"]
        assert by_kind == [event["id"] for event in expired]
        collapsed = [record.payload for record in change.records if record.kind == "deduped"]
        assert {payload["dedupe_key"]: payload["dropped_count"] for payload in collapsed} == deduped
        assert (change.expired, change.deduped) == (len(expired), sum(deduped.values()))
        assert change.preserved == sum(event["id"] not in exempt for event in model.pending(events))
        return self.pair(change.transcript, events)

    @rule(target=pairs, pair=pairs, session=st.sampled_from(["s1", "s2"]))
    def propagate(self, pair, session):
        child, events = Transcript.new("child"), []
        for spec in inheritable(pair[0].pending(), session):
            child = lifecycle.inject(child, spec).transcript
        for payload in model.inherit(pair[1], session):
            events, _ = model.inject(events, payload)
        return self.pair(child, events)

    @rule(target=pairs, pair=pairs)
    def say(self, pair):
        event_id = next(self.ids)
        event = {"id": event_id, "kind": "message", "visibility": "public"}
        transcript = pair[0].with_message({"role": "user", "content": event_id}, event)
        assert transcript.messages()[-1]["content"] == event_id
        return self.pair(transcript, [*pair[1], event_id])

    @rule(target=pairs, pair=pairs)
    def rewrite(self, pair):
        events = [event for event in pair[0].events() if event["kind"] == "message"][-1:]
        transcript = pair[0].with_messages([{"role": "user", "content": "x"}] * len(events), events)
        said = {event["id"] for event in pair[0].events() if event["kind"] == "message"}
        rest = [event for event in pair[1] if isinstance(event, dict) or event not in said]
        return self.pair(transcript, [*(event["id"] for event in events), *rest])

    @rule(target=pairs, pair=pairs)
    def spoil(self, pair):
        event_id = next(self.ids)
        event = {"id": event_id, "kind": "system_reminder", "visibility": "public", "reminder": {"id": event_id}}
        transcript = pair[0].with_event(event)
        assert (event_id, event_id) in transcript.invalid()
        return self.pair(transcript, [*pair[1], event_id])

    @rule(target=pairs, pair=pairs)
    def drop_invalid(self, pair):
        spoiled = [reminder_id for _, reminder_id in pair[0].invalid()]
        change = lifecycle.drop_invalid(pair[0])
        assert [record.payload for record in change.records] == [
            {"reminder_id": reminder_id, "reason": "invalid"} for reminder_id in spoiled
        ]
        assert not change.transcript.invalid()
        return self.pair(change.transcript, model.without(pair[1], spoiled))

    @rule(fields=FIELDS, mode=MODES)
    def queue_reminder(self, fields, mode):
        checked, _ = check_reminder({"body": "q", "mode": mode, **fields}, type_name, SCRIPT)
        entry = (self.inbox.push_reminder(checked, next(self.ids)), mode, fields)
        self.queue.append(entry)
        self.fates[entry[0]] = "revoked"

    @rule(mode=MODES)
    def queue_message(self, mode):
        self.queue.append((self.inbox.push_message("hi", mode, next(self.ids)), mode, None))

    @rule(target=pairs, pair=pairs, seam=st.sampled_from(sorted(model.TAKES)), turn=TURNS)
    def drain(self, pair, seam, turn):
        taken = self.inbox.drain(seam)
        self.queue, expected = model.drain(self.queue, seam)
        assert [entry.id for entry in taken] == [entry[0] for entry in expected]
        made = []
        for entry, (reminder_id, _, fields) in zip(taken, expected, strict=True):
            if fields is None:
                continue
            self.fates[reminder_id] = "already_delivered"
            spec = entry.fields.spec(id=entry.id, source="bridge", fired_at_turn=max(turn, 0))
            payload = {**self.payload(fields, turn, "q"), "id": entry.id, "source": "bridge"}
            change = lifecycle.inject(pair[0], spec)
            pair = self.pair(change.transcript, model.inject(pair[1], payload)[0])
            made.append(pair)
        return multiple(*made)

    @rule(place=st.integers(0, 30))
    def revoke(self, place):
        ids = [*self.fates, "never"]
        reminder_id = ids[place % len(ids)]
        assert self.inbox.revoke(reminder_id) == self.fates.get(reminder_id, "unknown_reminder_id")
        if self.fates.get(reminder_id) == "revoked":
            self.fates[reminder_id] = "already_revoked"
            self.queue = [entry for entry in self.queue if entry[0] != reminder_id]

    @invariant()
    def the_inbox_shows_what_waits(self):
        shown = self.inbox.pending()
        assert [row["id"] for row in shown["injections"]] == [entry[0] for entry in self.queue]
        assert [row["position"] for row in shown["injections"]] == list(range(shown["pendingCount"]))

    @invariant()
    def old_and_new_transcripts_are_what_they_should_be(self):
        sample = self.random.sample(self.known, min(3, len(self.known)))
        for transcript, events in [*sample, *self.known[-2:]]:
            # A fresh handle, because one that was read before keeps its lists.
            fresh = transcript.with_fields()
            assert [spec.payload() for spec in fresh.pending()] == model.pending(events)
            assert [shape(event) for event in fresh.events()] == events
            assert (fresh.event_count, fresh.pending_count) == (len(events), len(model.pending(events)))
            assert len(fresh.messages()) == fresh.message_count
            again = Transcript.from_dict(fresh.as_dict())
            assert again.pending() == fresh.pending()
            for key in KEYS:
                assert fresh.pending_by_key(key) == [s for s in fresh.pending() if s.dedupe_key == key]


TestReminders = Reminders.TestCase
TestReminders.settings = settings(max_examples=samples.count(150, 30), stateful_step_count=50)
