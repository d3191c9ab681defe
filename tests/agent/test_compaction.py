"""Compaction of sessions: the effect on reminders, the order of the events, and the hooks that may veto it."""

import io

import pytest

import harnlite
from harnlite.agent.compaction.compacting import auto_compact, settings_of
from harnlite.agent.hooks.hook_registry import EventHook, hooks_of
from harnlite.agent.sessions.live_events import subscribe
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.reminding import SessionReminders, inject_spec
from harnlite.reminders.capabilities import capabilities_of
from harnlite.reminders.enabled_providers import Enabled
from harnlite.reminders.lifecycle import TOPIC
from harnlite.reminders.spec import ReminderSpec
from harnlite.runtime.tasks.execution import Execution
from harnlite.store.event_log import log_of

SILENT = Enabled(is_on=False)
SMALL = {"compact_threshold": 10, "compact_keep_last": 2, "compact_strategy": "truncate"}


class Bench:
    """A run with one session that holds a few turns."""

    def __init__(self, turns=4):
        self.run = Execution(stdout=io.StringIO())
        self.session = sessions_of(self.run).open(self.run, "s")
        for at in range(turns):
            self.session.append_message(self.run, {"role": "user", "content": f"question {at} {'long ' * 9}"})
            self.session.append_message(self.run, {"role": "assistant", "content": f"answer {at}"})

    def remind(self, name, *, shown=False, **fields):
        spec = ReminderSpec(id=name, body=name, **fields)
        inject_spec(self.run, self.session, spec)
        if shown:
            self.session.note_shown([name])

    def compact(self, options=None, **more):
        settings = settings_of({**SMALL, **(options or {}), **more})
        return auto_compact(self.run, self.session, settings, {}, {}, SILENT)

    def pending(self):
        return {spec.id: spec.ttl_turns for spec in self.session.transcript.pending()}

    def records(self):
        return [(row["kind"].rpartition(".")[2], row["payload"]) for row in log_of(self.run).read(TOPIC)]

    def last_event(self):
        return next(event for event in self.session.transcript.events() if event["kind"] == "compaction")


def test_reminders_that_no_prompt_has_shown_take_no_part():
    bench = Bench()
    bench.remind("new", ttl_turns=1)
    bench.remind("new key", dedupe_key="k")
    bench.remind("aged", shown=True, ttl_turns=3, preserve_on_compact=True)
    bench.remind("last", shown=True, ttl_turns=1, preserve_on_compact=True)
    bench.remind("loose", shown=True)
    before = len(bench.records())
    assert bench.compact()
    assert bench.pending() == {"new": 1, "new key": None, "aged": 2}
    told = [(kind, payload["reminder_id"], payload["reason"]) for kind, payload in bench.records()[before:]]
    assert told == [("expired", "last", "ttl"), ("expired", "loose", "compaction")]


def test_a_prompt_makes_a_reminder_known():
    bench = Bench()
    bench.remind("loose")
    source = SessionReminders(bench.run, bench.session)
    source.sent(source.rendered(capabilities_of("mock", "mock")), 1)
    assert bench.compact()
    assert bench.pending() == {}


def test_the_new_transcript():
    bench = Bench()
    bench.session.lifecycle(bench.run, "loop_checkpoint", "iteration_start")
    bench.remind("kept", preserve_on_compact=True, shown=True)
    old = bench.session.transcript
    assert bench.compact()
    new = bench.session.transcript
    assert [event["kind"] for event in new.events()] == [
        *("message",) * 3,
        "loop_checkpoint",
        "system_reminder",
        "compaction",
    ]
    assert new.messages()[0] == {"role": "user", "content": new.summary}
    assert new.messages()[1:] == old.messages()[-2:]
    event = bench.last_event()
    (asset,) = new.assets
    assert event["text"] == "Transcript compacted via truncate"
    assert (event["role"], event["visibility"]) == ("system", "internal")
    expected = {
        "mode": "auto",
        "strategy": "truncate",
        "keep_last": 2,
        "target_tokens": None,
        "archived_messages": 6,
        "snapshot_asset_id": asset["id"],
        "reminders_decremented": 0,
        "reminders_expired": 0,
        "reminders_deduped": 0,
        "reminders_preserved": 1,
    }
    assert expected.items() <= event["metadata"].items()
    assert set(event["metadata"]) - set(expected) == {"estimated_tokens_before", "estimated_tokens_after"}
    assert asset["id"].startswith("compaction-source-")
    assert asset["data"]["messages"] == old.messages()
    assert (asset["kind"], asset["visibility"]) == ("compaction_source_transcript", "internal")
    first = new.summary
    for at in range(4):
        bench.session.append_message(bench.run, {"role": "user", "content": f"more {at}"})
    assert bench.compact()
    assert bench.session.transcript.summary.startswith(f"{first}\n\n[auto-compacted ")
    assert len(bench.session.transcript.assets) == 2


def test_what_is_small_or_short_is_left_alone():
    bench = Bench()
    before = bench.session.transcript
    assert not bench.compact(compact_threshold=48_000)
    assert not bench.compact(compact_keep_last=8)
    assert bench.session.transcript is before


def test_hooks_and_live_events_in_order():
    bench = Bench()
    seen = []
    for event in ("PreCompact", "PostCompact"):
        hooks_of(bench.run).add_event(event, EventHook(lambda payload=None, *_: seen.append(payload)))
    subscribe(bench.run, "s", seen.append)
    assert bench.compact()
    pre, post, live = seen
    base = {"event", "session", "session_id", "strategy", "engine_strategy", "keep_last", "target_tokens"}
    base |= {"message_count", "estimated_tokens_before", "reason"}
    assert set(pre) == base
    assert set(post) - base == {
        *("remaining_messages", "archived_messages", "estimated_tokens_after", "summary", "new_summary_len"),
        *(
            "snapshot_asset_id",
            "reminders_decremented",
            "reminders_expired",
            "reminders_deduped",
            "reminders_preserved",
        ),
    }
    assert (pre["event"], post["event"], pre["session"], pre["reason"]) == (
        "PreCompact",
        "PostCompact",
        {"id": "s"},
        "threshold",
    )
    assert (pre["message_count"], post["remaining_messages"], post["archived_messages"]) == (8, 3, 6)
    assert post["new_summary_len"] == len(post["summary"])
    assert (live["type"], live["mode"], live["reason"], live["archived_messages"]) == (
        "transcript_compacted",
        "auto",
        "threshold",
        6,
    )


def test_a_hook_that_blocks_leaves_everything_as_it_was():
    bench = Bench()
    bench.remind("loose", shown=True)
    hooks_of(bench.run).add_event("PreCompact", EventHook(lambda *_: False))
    messages = bench.session.transcript.messages()
    assert not bench.compact()
    assert bench.session.transcript.messages() == messages
    assert bench.pending() == {"loose": None}


def test_what_comes_in_while_a_compactor_works_stays():
    bench = Bench()
    bench.remind("loose", shown=True)

    def compactor(v_messages=None, v_reminders=None, *_):
        bench.remind("late", ttl_turns=1)
        bench.session.append_message(bench.run, {"role": "user", "content": "late"})
        return "short"

    assert bench.compact(compact_strategy="custom", compact_callback=compactor)
    assert bench.pending() == {"late": 1}
    assert bench.session.transcript.messages()[-1]["content"] == "late"


def test_an_error_of_a_compactor_leaves_everything_as_it_was():
    bench = Bench()
    bench.remind("loose", shown=True)
    before = bench.session.transcript

    def compactor(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        bench.compact(compact_strategy="custom", compact_callback=compactor)
    assert bench.session.transcript is before
    assert [kind for kind, _ in bench.records()] == ["injected"]


# Through scripts

TALK = """
fn talk(id, n) {
  for i in 1 to n {
    agent_session_inject(id, {role: "user", content: "question ${i}"})
    agent_session_inject(id, {role: "assistant", content: "answer ${i}"})
  }
}
fn kinds(first) {
  var out = []
  for record in event_log.subscribe({topic: "transcript.reminder.lifecycle", from_cursor: first}) {
    let p = record.payload
    let kind = record.kind.replace("transcript.reminder.", "")
    out = out.push([kind, p.provider_id ?? p.reason ?? p.source, p.session_id])
  }
  return out
}
"""


def shown(body: str) -> list[str]:
    result = harnlite.Engine(cache=False).run(f"{TALK}pipeline main() {{\n{body}\n}}\n")
    assert result.exit_code == 0, result.error
    return result.stdout.splitlines()


def test_a_session_gets_the_recap_and_the_pass_makes_no_exception():
    lines = shown("""
  let s = agent_session_open("s1")
  talk(s, 4)
  agent_session_inject(s, transcript_reminder_event({body: "unshown"}))
  println(agent_session_compact(s, {token_threshold: 1, keep_last: 2, compact_strategy: "truncate"}))
  let t = agent_session_snapshot(s)
  println(transcript_events_by_kind(t, "system_reminder").map({ e -> e.text.split(":")[0] }))
  println(transcript_events_by_kind(t, "compaction")[0].metadata.mode)
  println(kinds(0))
  println(agent_session_compact(s, {token_threshold: 100000}))
  println(agent_trace_summary().compactions)
""")
    assert lines == [
        "3",
        "[Transcript compacted. Current recap]",
        "manual",
        "[[expired, compaction, s1], [provider_evaluated, post_compact_recap, s1], [injected, post_compact_recap, s1]]",
        "3",
        "1",
    ]


def test_the_transcript_of_a_session_is_compacted_apart_from_it():
    lines = shown("""
  let s = agent_session_open("s1")
  talk(s, 4)
  let before = agent_session_snapshot(s)
  let t = transcript.inject_reminder(before, {body: "pure"}).transcript
  let first = event_log.latest("transcript.reminder.lifecycle")
  let c = transcript_compact(t, {strategy: "truncate", keep_last: 2})
  println([len(c.messages), c.id, transcript_events_by_kind(c, "system_reminder")])
  println(kinds(first))
  println(agent_session_length(s))
  println(transcript_events_by_kind(agent_session_snapshot(s), "system_reminder").count)
""")
    assert lines == [
        "[3, s1, []]",
        "[[expired, compaction, s1], [provider_evaluated, post_compact_recap, s1], [injected, post_compact_recap, s1]]",
        "8",
        "1",
    ]
