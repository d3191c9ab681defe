"""User messages that a script queues: the next loop without a prompt takes them, one for each turn."""

import pytest

import harnlite

IMPORTS = """import "std/agent/state"
import { agent_capture_events } from "std/agent/events"
let s = agent_session_open("s")
let options = {session_id: s, provider: "mock", model: "mock", reminders: false}
fn said() { return agent_session_messages(s).filter({ m -> m.role == "user" }).map({ m -> m.content }) }
fn waiting() { return agent_session_pending_injections(s).injections.map({ row -> "${row.mode}: ${row.content}" }) }
"""


def run(program):
    result = harnlite.Engine(cache=False).run(IMPORTS + program)
    assert result.error is None, result.error
    return result.stdout.splitlines()


def test_each_queued_message_is_a_turn_of_its_own():
    assert run("""
      let one = agent_session_push_user_message(s, {content: "one", mode: "queue"})
      agent_session_push_user_message(s, {content: "two", mode: "wait_for_completion"})
      let events = agent_capture_events(s, { -> agent_loop(nil, nil, options).task })
      println(events.result)
      println(events.events.filter({ e -> e.type == "user_message" }).map({ e -> e.message_id == one }))
      println(agent_session_messages(s)[0].messageId == one)
      println(waiting())
      println(agent_loop("", nil, options).task)
      println(said())
      println(waiting())
    """) == ["one", "[true]", "true", "[queue: two]", "two", "[one, two]", "[]"]


def test_a_loop_with_a_prompt_leaves_queued_messages():
    assert run("""
      agent_session_push_user_message(s, {content: "later", mode: "queue"})
      agent_loop("now", nil, options)
      agent_loop(nil, nil, options + {initial_user_content: "given"})
      println(said())
      println(waiting())
    """) == ["[now, given]", "[queue: later]"]


def test_steer_enters_the_running_loop_and_queue_waits_for_its_end():
    assert run("""
      tool look() {
        description "Looks."
        agent_session_push_user_message(s, {content: "queued", mode: "queue"})
        agent_session_push_user_message(s, {content: "steered", mode: "steer"})
        return "seen"
      }
      llm_mock({tool_calls: [{name: "look", arguments: {}}]})
      llm_mock({text: "done"})
      agent_loop("go", nil, options + {tools: look, tool_format: "native"})
      println(said())
      println(waiting())
    """) == ["[go, steered]", "[queue: queued]"]


def test_a_steer_that_comes_too_late_is_in_the_next_loop():
    assert run("""
      agent_session_push_user_message(s, {content: "queued", mode: "queue"})
      agent_session_push_user_message(s, {content: "steered", mode: "steer"})
      agent_session_push_user_message(s, {content: "steered too", mode: "steer"})
      println(agent_loop(nil, nil, options).task)
      println(said())
      println(waiting())
    """) == ["steered", "[steered, steered too]", "[queue: queued]"]


def test_blocks_are_the_content_and_their_text_is_the_task():
    assert run("""
      let blocks = [{type: "text", text: "one"}, {type: "text", text: "two"}]
      agent_session_push_user_message(s, {content: blocks, mode: "queue"})
      println(json_stringify(agent_loop(nil, nil, options).task))
      println(said()[0] == blocks)
    """) == [r'"one\ntwo"', "true"]


@pytest.mark.parametrize(
    ("register", "options", "left"),
    [
        ('register_session_hook("user_prompt_submit", { _ -> throw "no" })', "{}", "[queue: one]"),
        ('register_session_hook("user_prompt_submit", { _ -> false })', "{}", "[]"),
        ("", "{max_iterations: -1}", "[queue: one]"),
        ("", "{tools: 5}", "[queue: one]"),
        ("", '{daemon: true, resume_path: "none.json"}', "[queue: one]"),
    ],
)
def test_a_loop_that_does_not_begin_loses_no_message(register, options, left):
    assert run(f"""
      {register}
      agent_session_push_user_message(s, {{content: "one", mode: "queue"}})
      try {{ agent_loop(nil, nil, options + {options}) }} catch (e) {{ nil }}
      println(said())
      println(waiting())
    """) == ["[]", left]


def test_a_hook_may_change_a_queued_prompt():
    assert run("""
      register_session_hook("user_prompt_submit", { event -> {modify: {prompt: event.prompt + "!"}} })
      agent_session_push_user_message(s, {content: "one", mode: "queue"})
      agent_loop(nil, nil, options)
      println(waiting())
      println(agent_session_messages(s)[0].content)
    """) == ["[]", "one!"]


def test_a_stepwise_loop_takes_a_queued_message_too():
    assert run("""
      agent_session_push_user_message(s, {content: "one", mode: "queue"})
      println(agent_session_init(nil, nil, options).task)
      agent_session_finalize(s)
      println(said())
      println(waiting())
    """) == ["one", "[one]", "[]"]


def test_an_idle_daemon_takes_one_queued_message_after_the_other():
    assert run("""
      agent_session_push_user_message(s, {content: "one", mode: "queue"})
      agent_session_push_user_message(s, {content: "two", mode: "queue"})
      agent_session_push_user_message(s, {content: "three", mode: "steer"})
      for text in ["a", "b", "c", "d"] { llm_mock({text: text}) }
      println(agent_loop("go", nil, options + {daemon: true}).status)
      println(agent_session_messages(s).map({ m -> m.content }))
    """) == ["idle", "[go, three, a, one, b, two, c]"]


def test_draining_by_hand():
    assert run("""
      for mode in ["queue", "steer", "finish_step"] { agent_session_push_user_message(s, {content: mode, mode: mode}) }
      println(agent_session_drain_bridge_injections(s).delivered)
      println(agent_session_drain_bridge_injections(s, "audit_only").delivered)
      println(agent_session_drain_bridge_injections(s, "queue").delivered)
      println(said())
    """) == ["2", "0", "1", "[finish_step, steer, queue]"]


def test_a_session_with_a_waiting_message_is_not_evicted():
    assert run("""
      agent_session_push_user_message(s, {content: "one", mode: "queue"})
      for n in 1 to 200 { agent_session_open("other ${n}") }
      println(waiting())
      println(agent_session_exists("other 1"))
    """) == ["[queue: one]", "false"]
