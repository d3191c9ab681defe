"""Reminders that are cleared while an agent works: by the script, by hooks and providers, and in copies."""

import pytest

import harnlite
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.reminding import Delivery, clear, deliver, drain, request_clear
from harnlite.reminders.selector import Selector
from harnlite.reminders.wire import BRIDGE, check_reminder
from harnlite.runtime.tasks.execution import Execution
from harnlite.store.event_log import log_of
from harnlite.values.data_types import type_name

IMPORTS = 'import "std/agent/state"\nlet s = agent_session_open("s")\n'
LOOP = 'agent_loop("go", nil, {session_id: s, provider: "mock", model: "mock", reminders: false})\n'
SHOW = """
fn shown() {
  return llm_mock_calls().map({ call ->
    (call.system ?? "").split("\\n\\n").filter({ text -> text.starts_with("System reminder:\\n") })
      .map({ text -> text.replace("System reminder:\\n", "") }).join(" ")
  })
}
fn ends() {
  var found = []
  for record in event_log.subscribe({topic: "transcript.reminder.lifecycle"}) {
    if record.kind.ends_with(".expired") {
      found = found + ["${record.payload.dedupe_key} ${record.payload.reason} in ${record.payload.session_id}"]
    }
  }
  return found
}
"""


def run(program):
    result = harnlite.Engine(cache=False).run(IMPORTS + SHOW + program)
    assert result.error is None, result.error
    return result.stdout.splitlines()


def test_a_script_clears_what_is_pending_and_what_waits():
    lines = run(f"""
      agent_session_inject_reminder(s, {{body: "A", dedupe_key: "a", tags: ["t"]}})
      agent_session_inject_reminder(s, {{body: "B", dedupe_key: "b"}})
      let waiting = agent_session_push_bridge_injection(s, {{body: "C", dedupe_key: "c", tags: ["t"], mode: "steer"}})
      println(agent_session_clear_reminders(s, {{tag: "t"}}))
      println(agent_session_clear_reminders(s, {{tag: "t"}}))
      println(agent_session_pending_injections(s).pendingCount)
      println(agent_session_revoke_reminder(s, waiting).status)
      {LOOP}
      println(shown())
      println(ends())
    """)
    assert lines == [
        "{removed_count: 2}",
        "{removed_count: 0}",
        "0",
        "already_revoked",
        "[B]",
        "[c cleared in s, a cleared in s]",
    ]


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ("{}", "at least one of id, tag, or dedupe_key is required"),
        ("nil", "options are required"),
        ('{key: "a"}', "unknown option(s): key"),
        ("{tag: 1}", "`tag` must be a string or nil, got int"),
    ],
)
def test_a_wrong_selector_is_an_error_at_every_producer(selector, text):
    (line,) = run(f"println(try {{ agent_session_clear_reminders(s, {selector}) }} catch (e) {{ e }})")
    assert line == f"agent_session_clear_reminders: HARN-RMD-001: {text}"
    if selector == "nil":
        return
    for register, context in (
        ('register_session_hook("session_start", { _ -> {clear: %s} })', "SessionStart hook reminder"),
        (
            'register_reminder_provider({id: "p", subscribes_to: "session_start", evaluate: { _ -> {clear: %s} }})',
            "SessionStart hook reminder",
        ),
    ):
        loop = LOOP.replace(", reminders: false", "")
        (line,) = run(f"{register % selector}\nprintln(try {{ {loop} }} catch (e) {{ e }})")
        assert line == f"{context}: HARN-RMD-001: {text}"


def test_a_clear_that_is_not_a_dict_is_an_error():
    (line,) = run(
        f'register_session_hook("session_start", {{ _ -> {{clear: "a"}} }})\n'
        f"println(try {{ {LOOP} }} catch (e) {{ e }})"
    )
    assert line == "SessionStart hook reminder: HARN-RMD-001: `clear` must be a dict, got string"


def test_worker_events_have_no_clear_effect():
    (line,) = run("""
      register_session_hook("session_start", { _ -> nil })
      register_reminder_provider({id: "p", subscribes_to: "worker_failed", evaluate: { _ -> {clear: {tag: "t"}} }})
      println(try { agent_reminder_providers_fire(s, "worker_failed") } catch (e) { e })
    """)
    assert line.startswith("WorkerFailed hook reminder: HARN-RMD-008: ")


@pytest.mark.parametrize(
    "register",
    [
        'register_tool_hook({pattern: "*", post: { _ -> EFFECT }})',
        'register_tool_hook({pattern: "*", pre: { _ -> EFFECT }})',
        'register_session_hook("post_turn", { _ -> EFFECT })',
        'register_reminder_provider({id: "p", subscribes_to: "post_tool_use", evaluate: { _ -> EFFECT }})',
    ],
)
@pytest.mark.parametrize(
    ("effect", "after"),
    [
        ('{clear: {tag: "build"}}', "other"),
        ('{clear: {dedupe_key: "red"}}', "other"),
        ('{clear: {tag: "build"}, reminder: {body: "green", tags: ["build"]}}', "other green"),
        ('{reminder: {body: "green", tags: ["build"]}, clear: {tag: "build"}}', "other green"),
        ('[{reminder: {body: "green", tags: ["build"]}}, {clear: {tag: "build"}}]', "other"),
        ('{effects: [{clear: {tag: "build"}}, {body: "green"}]}', "other green"),
        ("{clear: nil}", "red other"),
    ],
)
def test_hooks_and_providers_clear_first_and_then_inject(register, effect, after):
    lines = run(f"""
      {register.replace("EFFECT", effect)}
      tool build() {{ description "Builds."; return "ok" }}
      agent_session_inject_reminder(s, {{body: "red", dedupe_key: "red", tags: ["build"]}})
      agent_session_inject_reminder(s, {{body: "other"}})
      llm_mock({{tool_calls: [{{name: "build", arguments: {{}}}}]}})
      llm_mock({{text: "done"}})
      {LOOP.replace("reminders: false", 'tools: build, tool_format: "native", reminders: ["-grounded_review"]')}
      println(shown())
      println(ends().filter({{ text -> text.starts_with("red ") }}))
    """)
    assert lines == [
        f"[red other, {after}]",
        "[]" if "red" in after else "[red cleared in s]",
    ]


def test_the_id_of_a_reminder_is_a_selector_too():
    assert run("""
      let id = agent_session_inject_reminder(s, {body: "A"})
      register_session_hook("session_start", { _ -> {clear: {id: id}} })
      agent_loop("go", nil, {session_id: s, provider: "mock", model: "mock", reminders: false})
      println(shown())
    """) == ["[]"]


def test_a_deny_beside_a_clear_still_denies():
    lines = run(f"""
      register_tool_hook({{pattern: "*", pre: {{ _ -> {{clear: {{tag: "t"}}, deny: "not now"}} }}}})
      tool build() {{ description "Builds."; println("built"); return "ok" }}
      agent_session_inject_reminder(s, {{body: "A", tags: ["t"]}})
      llm_mock({{tool_calls: [{{name: "build", arguments: {{}}}}]}})
      llm_mock({{text: "done"}})
      {LOOP.replace("reminders: false", 'tools: build, tool_format: "native", reminders: false')}
      println(shown())
    """)
    assert lines == ["[A, ]"]


def test_clearing_a_copy_of_a_live_session_ends_nothing():
    lines = run("""
      agent_session_inject_reminder(s, {body: "live", dedupe_key: "live", tags: ["t"]})
      let copy = transcript.inject_reminder(agent_session_snapshot(s), {body: "copy", dedupe_key: "copy", tags: ["t"]})
      println(transcript.clear_reminders(copy.transcript, {tag: "t"}).removed_count)
      println(ends())
      println(agent_session_clear_reminders(s, {tag: "t"}).removed_count)
      println(ends())
    """)
    assert lines == ["2", "[copy cleared in s]", "1", "[copy cleared in s, live cleared in s]"]


def test_cleared_reminders_are_not_in_forks_snapshots_or_children():
    lines = run("""
      agent_session_inject_reminder(s, {body: "A", tags: ["t"], propagate: "all"})
      agent_session_clear_reminders(s, {tag: "t"})
      println(transcript_events_by_kind(agent_session_snapshot(s), "system_reminder"))
      println(transcript_events_by_kind(agent_session_snapshot(agent_session_fork(s)), "system_reminder"))
    """)
    assert lines == ["[]", "[]"]


# The session, between threads


def reminder(body, **more):
    fields, _ = check_reminder({"body": body, **more}, type_name, BRIDGE)
    return fields


def kinds(run_):
    return [
        (record["kind"].removeprefix("transcript.reminder."), record["payload"]["reminder_id"])
        for record in log_of(run_).read("transcript.reminder.lifecycle")
    ]


def test_a_request_is_carried_out_by_the_next_seam_and_recorded_once():
    run_ = Execution()
    session = sessions_of(run_).open(run_, "s")
    session.inbox.push_reminder(reminder("A", tags=["t"]), "a")
    drain(run_, session, "iteration_start")
    session.inbox.push_reminder(reminder("B", tags=["t"]), "b")
    assert request_clear(session, Selector(tag="t")) == 2
    assert request_clear(session, Selector(tag="t")) == 0
    session.inbox.push_reminder(reminder("C", tags=["t"]), "c")
    drain(run_, session, "iteration_end")
    drain(run_, session, "iteration_end")
    assert [spec.id for spec in session.transcript.pending()] == ["c"]
    assert kinds(run_) == [("injected", "a"), ("expired", "b"), ("expired", "a"), ("injected", "c")]


def test_what_is_entering_is_cleared_too():
    run_ = Execution()
    session = sessions_of(run_).open(run_, "s")
    for name in "ab":
        session.inbox.push_reminder(reminder(name), name)
    entries = session.inbox.drain("iteration_start")
    assert request_clear(session, Selector(id="b")) == 1
    deliver(run_, session, entries, Delivery())
    assert [spec.id for spec in session.transcript.pending()] == ["a"]
    assert kinds(run_) == [("injected", "a"), ("injected", "b"), ("expired", "b")]


def test_a_cleared_entry_that_could_not_enter_does_not_wait_again():
    run_ = Execution()
    session = sessions_of(run_).open(run_, "s")
    session.inbox.push_reminder(reminder("a"), "a")
    session.inbox.push_reminder(reminder("b"), "b")
    entries = session.inbox.drain("iteration_start")
    request_clear(session, Selector(id="a"))
    session.inbox.settle(entries)
    assert [row["id"] for row in session.inbox.pending()["injections"]] == ["b"]
    assert clear(run_, session, Selector(tag="none")) == 0
    assert kinds(run_) == [("expired", "a")]
    assert session.inbox.revoke("a") == "already_revoked"


def test_entries_after_a_failing_subscriber_wait_again():
    run_ = Execution()
    store = sessions_of(run_)
    session = store.open(run_, "s")

    def fail(_event):
        raise RuntimeError("stop")

    session.inbox.push_message("one", "finish_step", "m1")
    session.inbox.push_message("two", "finish_step", "m2")
    session.inbox.push_reminder(reminder("three"), "r3")
    stop = store.listen(fail)
    with pytest.raises(RuntimeError):
        drain(run_, session, "iteration_start")
    stop()
    assert [row["id"] for row in session.inbox.pending()["injections"]] == ["m2", "r3"]
    drain(run_, session, "iteration_start")
    assert [message["content"] for message in session.transcript.messages()] == ["one", "two"]
    assert [spec.id for spec in session.transcript.pending()] == ["r3"]
