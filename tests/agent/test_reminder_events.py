"""The live events and records of reminders: who made them, and how they ended."""

import pytest

import harnlite
from harnlite.reminders.hook_events import ALL_EVENTS, pascal_case, snake_case

IMPORTS = """import "std/agent/state"
import { agent_capture_events } from "std/agent/events"
let s = agent_session_open("s")
let options = {session_id: s, provider: "mock", model: "gpt-4o", tool_format: "native", reminders: ["-grounded_review"]}
fn heard(run) {
  return agent_capture_events(s, run).events.filter({ event -> event.type.starts_with("reminder_") })
}
fn show(run) {
  for event in heard(run) {
    println("${event.type} ${event.dedupe_key} ${event?.reason ?? ""}".trim())
  }
}
"""


def run(program):
    result = harnlite.Engine(cache=False).run(IMPORTS + program)
    assert result.error is None, result.error
    return result.stdout.splitlines()


def test_each_end_of_a_reminder_is_a_live_event():
    assert run("""
      show({ ->
        agent_session_inject_reminder(s, {body: "A", dedupe_key: "a"})
        agent_session_inject_reminder(s, {body: "A2", dedupe_key: "a", ttl_turns: 1})
        agent_session_inject_reminder(s, {body: "B", dedupe_key: "b"})
        agent_session_push_bridge_injection(s, {body: "C", dedupe_key: "c", tags: ["t"]})
        agent_session_inject_reminder(s, {body: "D", dedupe_key: "d", tags: ["t"]})
        agent_session_apply_reminder_post_turn(s)
        agent_session_clear_reminders(s, {tag: "t"})
        for n in 1 to 8 { agent_session_inject(s, {role: n % 2 == 1 ? "user" : "assistant", content: "x"}) }
        agent_session_compact(s, {token_threshold: 1, keep_last: 2, compact_strategy: "truncate"})
      })
    """) == [
        "reminder_deduped a",
        "reminder_expired a ttl",
        "reminder_expired c cleared",
        "reminder_expired d cleared",
        "reminder_expired b compaction",
    ]


def test_the_fields_of_the_events():
    assert run("""
      let old = agent_session_inject_reminder(s, {body: "A", dedupe_key: "a"})
      var new = ""
      let deduped = heard({ -> new = agent_session_inject_reminder(s, {body: "B", dedupe_key: "a", ttl_turns: 1}) })[0]
      println(deduped == {
        type: "reminder_deduped", session_id: s, reminder_id: new, replacing_id: new, replaced_id: old,
        replaced_ids: [old], dedupe_key: "a", dropped_reminder_ids: [old], dropped_count: 1,
      })
      let expired = heard({ -> agent_session_apply_reminder_post_turn(s, 0) })[0]
      println(expired == {
        type: "reminder_expired", session_id: s, reminder_id: new, tags: [], dedupe_key: "a", source: "in_pipeline",
        role_hint: "system", ttl_turns: 1, propagate: "session", originating_agent_id: nil, reason: "ttl",
        ttl_turns_before: 1, expired_at_turn: 0,
      })
    """) == ["true", "true"]


def test_a_copy_of_a_session_has_no_live_events():
    assert (
        run("""
      agent_session_inject_reminder(s, {body: "A", dedupe_key: "a"})
      let copy = agent_session_snapshot(s)
      show({ ->
        transcript.inject_reminder(copy, {body: "B", dedupe_key: "a"})
        transcript.clear_reminders(copy, {dedupe_key: "a"})
        transcript_compact(copy, {strategy: "truncate", keep_last: 1})
      })
    """)
        == []
    )


LOOP = """
  register_reminder_provider({
    id: "mine", subscribes_to: "session_start",
    evaluate: { _ -> {body: "from the provider", dedupe_key: "p"} },
  })
  register_tool_hook({pattern: "look", post: { _ -> {body: "from the hook", dedupe_key: "h", ttl_turns: 1} }})
  tool look() { description "Looks."; return "seen" }
  agent_session_inject_reminder(s, {body: "from the script"})
  llm_mock({tool_calls: [{name: "look", arguments: {}}]})
  llm_mock({text: "done"})
"""


def test_what_is_shown_names_its_maker_its_key_and_its_turn():
    assert run(f"""{LOOP}
      let shown = heard({{ -> agent_loop("go", nil, options + {{tools: look}}) }})
      for event in shown.filter({{ event -> event.type == "reminder_emitted" }}) {{
        let maker = "${{event.source}} ${{event.provider_id}} ${{event.hook_event}}"
        println("${{event.turn}} ${{event.fired_at_turn}} ${{event.dedupe_key}} ${{maker}}")
      }}
    """) == [
        "1 0 nil in_pipeline nil nil",
        "1 0 p stdlib_provider mine nil",
        "2 0 nil in_pipeline nil nil",
        "2 0 p stdlib_provider mine nil",
        "2 1 h hook nil post_tool_use",
    ]


def test_records_of_providers_name_them():
    assert run(f"""{LOOP}
      agent_loop("go", nil, options + {{tools: look}})
      for record in event_log.subscribe({{topic: "transcript.reminder.lifecycle"}}) {{
        if record.kind.ends_with(".injected") {{
          let payload = record.payload
          println("${{payload.source}} ${{keys(payload).contains("provider_id")}} ${{payload?.provider_id}}")
        }}
      }}
    """) == ["in_pipeline false nil", "stdlib_provider true mine", "hook false nil"]


def test_the_maker_survives_aging_compaction_and_forks_but_is_not_inherited():
    assert run("""
      register_reminder_provider({
        id: "mine", subscribes_to: "session_start",
        evaluate: { _ -> {body: "b", ttl_turns: 9, preserve_on_compact: true, propagate: "all"} },
      })
      agent_reminder_providers_fire(s, "session_start")
      agent_session_apply_reminder_post_turn(s)
      for n in 1 to 8 { agent_session_inject(s, {role: n % 2 == 1 ? "user" : "assistant", content: "x"}) }
      agent_session_compact(s, {token_threshold: 1, keep_last: 2, compact_strategy: "truncate"})
      clear_reminder_providers()
      let fork = agent_session_fork(s)
      fn makers(session, run) {
        return agent_capture_events(session, run).events.filter({ e -> e.type == "reminder_emitted" })
          .map({ e -> "${e.source} ${e.provider_id}" })
      }
      for session in [s, fork] {
        println(makers(session, { -> llm_call("hi", nil, options + {session_id: session}) }))
      }
      agent_session_open("child")
      tool delegate() { description "Delegates."; return sub_agent_run("go", options + {session_id: "child"}).summary }
      llm_mock({tool_calls: [{name: "delegate", arguments: {}}]})
      let inherited = makers("child", { ->
        agent_loop("go", nil, options + {session_id: s, tools: delegate})
      })
      println([inherited[0], inherited[1]])
    """) == ["[stdlib_provider mine, stdlib_provider post_compact_recap]"] * 2 + ["[inherited nil, inherited nil]"]


@pytest.mark.parametrize("name", sorted(ALL_EVENTS))
def test_names_of_events_in_both_spellings(name):
    assert pascal_case(snake_case(name)) == name
