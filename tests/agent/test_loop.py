"""The agent loop as an embedding program sees it: prompts, sessions, failures, files, cancellation."""

import json
import textwrap

import pytest

from harnlite import Engine
from harnlite.runtime.tasks.clock import Clock


class FixedClock(Clock):
    """A clock that moves one second with each look at the time of day."""

    def __init__(self):
        self.time = 1_700_000_000.0

    def now(self):
        return self.time

    def monotonic(self):
        return 0.0


def play(body, *, head="", **engine):
    """Run a pipeline and return its lines."""
    program = f"{head}\npipeline default() {{\n{textwrap.dedent(body)}\n}}\n"
    result = Engine(cache=False, **engine).run(program)
    assert result.error is None, result.error
    return result.stdout.splitlines()


def fail(body, **engine):
    """Run a pipeline that fails and return what is said of it."""
    result = Engine(cache=False, **engine).run(f"pipeline default() {{\n{textwrap.dedent(body)}\n}}\n")
    assert result.error is not None, result.stdout
    return result.error, result.stdout.splitlines()


# Prompts


def test_messages_of_the_prompt_are_stamped_and_decorated_but_not_those_of_the_transcript():
    lines = play(
        """
        llm_mock({text: "one"})
        llm_mock({text: "two"})
        let options = {provider: "mock", model: "m", timestamp_messages: true, message_decorator: { message, place ->
          if message.role == "assistant" { return nil }
          return message + {content: "${message.content} #${place.index} ${place.iteration} ${place.timestamp}"}
        }, verify_completion: { payload -> payload.iteration == 2 }}
        let result = agent_loop("t", nil, options)
        for message in llm_mock_calls()[1].messages { println(json_stringify(message)) }
        println(json_stringify(result.transcript.messages))
        """,
        clock=FixedClock(),
    )
    stamp = "2023-11-14T22:13:20.000Z"
    assert json.loads(lines[0]) == {"role": "user", "content": f"[harn timestamp: {stamp}]\nt #0 2 {stamp}"}
    assert json.loads(lines[1]) == {"role": "assistant", "content": f"[harn timestamp: {stamp}]\none"}
    assert [message["content"] for message in json.loads(lines[2])] == ["t", "one", "two"]


class RunningClock(FixedClock):
    """A clock on which every look at the time of day is a second later."""

    def now(self):
        self.time += 1
        return self.time


def test_a_message_keeps_its_time_when_those_before_it_are_compacted():
    lines = play(
        """
        for text in ["one", "two", "three"] { llm_mock({text: text}) }
        agent_loop("t", nil, {provider: "mock", model: "m", timestamp_messages: true, compaction: "truncate",
          compact_threshold: 1, compact_keep_last: 1,
          verify_completion: { payload -> payload.iteration < 3 ? "again" : nil }})
        for call in llm_mock_calls() { println(json_stringify(call.messages.map({ message -> message.content }))) }
        """,
        clock=RunningClock(),
    )
    prompts = [json.loads(line) for line in lines]
    assert [len(prompt) for prompt in prompts] == [1, 2, 2]
    times = [message.split("]")[0] for prompt in prompts for message in prompt]
    assert times == sorted(set(times)), "every message here is a new one: a summary, or feedback"


def test_the_first_message_may_be_blocks():
    lines = play(
        """
        let blocks = [{type: "text", text: "look"}]
        llm_mock({text: "ok"})
        agent_loop("t", nil, {provider: "mock", initial_user_content: blocks})
        println(json_stringify(llm_mock_calls()[0].messages))
        """
    )
    assert json.loads(lines[0]) == [{"role": "user", "content": [{"type": "text", "text": "look"}]}]


def test_a_hook_may_change_the_prompt():
    lines = play(
        """
        register_session_hook("user_prompt_submit", { payload -> {modify: {prompt: "${payload.prompt} and more"}} })
        llm_mock({text: "ok"})
        let result = agent_loop("t", nil, {provider: "mock"})
        println(result.task)
        println(llm_mock_calls()[0].messages[0].content)
        """
    )
    assert lines == ["t and more", "t and more"]


def test_system_parts_stand_around_the_contract_and_later_loops_use_what_was_recorded():
    lines = play(
        """
        for _ in range(3) { llm_mock({text: "##DONE##"}) }
        let more = {provider: "mock", session_id: "s", loop_until_done: true, tool_format: "text"}
        agent_loop("one", "primary", more + {system_preamble: "before", system_suffix: "after"})
        agent_loop("two", nil, more)
        agent_loop("three", "other", more)
        for call in llm_mock_calls() {
          let parts = call.system.split("\\n\\n")
          println("${parts[0]}|${parts[1].split("\\n")[0]}|${parts[len(parts) - 1] == "after"}")
        }
        let prompts = transcript_events_by_kind(agent_session_snapshot("s"), "system_prompt")
        println(prompts.map({ event -> event.metadata.bytes }))
        println(agent_session_snapshot("s").metadata.system_prompt.content)
        println(contains(llm_mock_calls()[0].system, "emit `<done>##DONE##</done>` as its own top-level block"))
        """
    )
    assert lines == [
        "before|primary|true",
        "before|primary|false",
        "other|## Agent completion contract|false",
        "[22, 5]",
        "other",
        "true",
    ]


def test_prompts_of_the_runtime_can_be_replaced(tmp_path):
    (tmp_path / "contract.md").write_text("Say {{sentinel}} at the end.")
    lines = play(
        """
        for _ in range(3) { llm_mock({text: "##DONE##"}) }
        fn run(prompts) { agent_loop("t", nil, {provider: "mock", loop_until_done: true, prompts: prompts}) }
        run({"agent.loop_contract": "mine", "agent.tool_contract_text": {text: "tools: {{tools}}"}})
        run({"agent.loop_contract": {path: "contract.md"}})
        run({"agent.loop_contract": { given -> "closure ${given.sentinel}" }})
        println(llm_mock_calls()[0].system)
        println(llm_mock_calls()[1].system.split("\\n")[0])
        println(llm_mock_calls()[2].system.split("\\n")[0])
        """,
        cwd=str(tmp_path),
    )
    assert lines == [
        "mine",
        "",
        "tools: agent_await_resumption",
        "Say ##DONE## at the end.",
        "closure ##DONE##",
    ]


@pytest.mark.parametrize("entry", ["5", '{path: "missing.md"}'])
def test_a_prompt_that_is_none_is_an_error(entry):
    error, _ = fail(
        f"""
        agent_loop("t", nil, {{provider: "mock", loop_until_done: true, prompts: {{"agent.loop_contract": {entry}}}}})
        """
    )
    assert "prompts entry 'agent.loop_contract'" in error


# Sessions


def test_a_loop_takes_the_current_session_if_it_is_free_and_else_a_new_one():
    lines = play(
        """
        llm_mock({tool_calls: [{name: "inner", arguments: {}}]})
        llm_mock({text: "inner answer"})
        llm_mock({text: "outer answer"})
        let result = agent_loop("outer", nil, {provider: "mock", session_id: "outer", tools: inner})
        println(result.text)
        println(agent_session_length("outer"))
        println(agent_session_current_id())
        """,
        head="""
        tool inner() -> string {
          description "Runs a loop."
          let result = agent_loop("inner task", nil, {provider: "mock"})
          println(starts_with(result.session_id, "agent_session_"))
          let parent = agent_session_ancestry(result.session_id)?.parent_id
          println("${agent_session_current_id()} ${result.text} ${parent}")
          return result.text
        }
        """,
    )
    assert lines == ["true", "outer inner answer outer", "outer answer", "4", "nil"]


def test_reminders_count_turns_anew_in_each_loop():
    lines = play(
        """
        for text in ["a", "b"] { llm_mock({text: text}) }
        agent_session_open("s")
        agent_session_inject_reminder("s", {body: "twice", ttl_turns: 2})
        for _ in range(2) { agent_loop("t", nil, {provider: "mock", session_id: "s", reminders: false}) }
        println(llm_mock_calls().map({ call -> contains(call.system, "twice") }))
        println(transcript_events_by_kind(agent_session_snapshot("s"), "system_reminder"))
        """,
        head='import { agent_session_inject_reminder } from "std/agent/state"',
    )
    assert lines == ["[true, true]", "[]"]


# Failures


def test_what_a_hook_throws_ends_the_loop_and_leaves_the_session_usable():
    lines = play(
        """
        register_session_hook("session_end", { payload -> println("${payload.final_status} ${payload.stop_reason}") })
        register_session_hook("session_error", { payload -> println("error ${payload.error}") })
        register_session_hook("post_turn", { _ -> throw "no way" })
        llm_mock({text: "one"})
        try { agent_loop("t", nil, {provider: "mock", session_id: "s"}) } catch (e) { println("caught ${e}") }
        let kinds = agent_session_snapshot("s").events.map({ event -> event.kind })
        println(kinds.contains("agent_loop_terminal_error"))
        clear_session_hooks()
        llm_mock({text: "two"})
        println(agent_loop("t", nil, {provider: "mock", session_id: "s"}).text)
        println(agent_trace_summary().status)
        """
    )
    assert lines == ["error no way", "failed error", "caught no way", "true", "two", "done"]


def test_option_errors_of_a_later_call_are_thrown_as_they_are():
    error, _ = fail(
        """
        llm_mock({text: "<assistant_prose>a</assistant_prose>"})
        let callback = { _ -> {llm_options: {thinking: 5}} }
        agent_loop("t", nil, {provider: "mock", loop_until_done: true, post_turn_callback: callback})
        """
    )
    assert "thinking: expected" in error


@pytest.mark.parametrize("key", ["next_options", "llm_options"])
def test_a_callback_may_change_options_with_dicts_only(key):
    error, _ = fail(
        f"""
        llm_mock({{text: "a"}})
        agent_loop("t", nil, {{provider: "mock", post_turn_callback: {{ _ -> {{{key}: 5}} }}}})
        """
    )
    assert f"agent_loop: post_turn_callback `{key}` must be a dict" in error


def test_next_options_change_the_loop():
    lines = play(
        """
        for text in ["a", "b", "c", "d"] { llm_mock({text: text}) }
        var turns = 0
        let options = {provider: "mock", loop_until_done: true, max_iterations: 9}
        let result = agent_loop("t", nil, options + {post_turn_callback: { turn ->
          turns = turns + 1
          if turns == 1 { return {next_options: {max_iterations: 3, _iteration: 99}, prefill: "So"} }
          return nil
        }})
        println("${result.status} ${result.llm.iterations}")
        println(llm_mock_calls().map({ call -> call.messages[len(call.messages) - 1].content }))
        """
    )
    assert lines == ["budget_exhausted 3", "[t, So, So]"]


def test_a_task_that_is_cancelled_gives_its_session_back():
    lines = play(
        """
        agent_session_open("s")
        let task = spawn {
          agent_loop("t", nil, {provider: "mock", session_id: "s", llm_caller: { _ -> sleep(60000) }})
        }
        sleep(10)
        try { agent_loop("t", nil, {provider: "mock", session_id: "s"}) } catch (e) { println(e) }
        cancel(task)
        sleep(10)
        llm_mock({text: "free again"})
        println(agent_loop("t", nil, {provider: "mock", session_id: "s"}).text)
        """
    )
    assert lines == ["agent_loop: session 's' is already running a loop", "free again"]


# Traces and files


def test_the_trace_tells_of_calls_tools_and_loops():
    lines = play(
        """
        llm_mock({tool_calls: [{name: "note", arguments: {}}], input_tokens: 7, output_tokens: 2})
        llm_mock({text: "end", input_tokens: 9, output_tokens: 1})
        agent_loop("t", nil, {provider: "mock", tools: note})
        for entry in agent_trace() {
          println("${entry.type} ${entry?.iteration} ${entry?.input_tokens} ${entry?.tool_name} ${entry?.status}")
        }
        let sum = agent_trace_summary()
        println("${sum.status} ${sum.iterations} ${sum.llm_calls} ${sum.total_input_tokens} ${sum.tools_used}")
        """,
        head='tool note() -> string { description "Notes."; return "noted" }',
    )
    assert [line.split()[0] for line in lines[:4]] == ["llm_call", "tool_execution", "llm_call", "loop_complete"]
    assert lines[4] == "done 2 2 16 [note]"


def test_what_is_said_is_written_to_a_file_that_makes_a_session_again(tmp_path):
    lines = play(
        """
        llm_mock({text: "one"})
        llm_mock({text: "two"})
        let options = {provider: "mock", model: "m", llm_transcript_dir: "log"}
        agent_loop("t", "sys", options + {verify_completion: { p -> p.iteration == 2 }})
        let seeded = agent_session_seed_from_jsonl("log/llm_transcript.jsonl")
        println("${seeded.ok} ${seeded.messages_loaded} ${seeded.turns_loaded} ${seeded.provider} ${seeded.model}")
        println(agent_session_system_prompt(seeded.session_id))
        println(agent_session_snapshot(seeded.session_id).messages.map({ message -> message.content }))
        """,
        cwd=str(tmp_path),
    )
    assert lines == ["true 3 2 mock mock", "sys", "[t, one, two]"]
    records = [json.loads(line) for line in (tmp_path / "log" / "llm_transcript.jsonl").read_text().splitlines()]
    assert [record["type"] for record in records] == [
        "system_prompt",
        "message",
        "message",
        "llm_call",
        "message",
        "llm_call",
    ]


@pytest.mark.parametrize("option", ['llm_transcript_dir: "log"', 'daemon: true, persist_path: "d.json"'])
def test_files_need_the_capability(option, tmp_path):
    error, _ = fail(
        f"""
        llm_mock({{text: "one"}})
        agent_loop("t", nil, {{provider: "mock", {option}}})
        """,
        cwd=str(tmp_path),
        capabilities={"llm"},
    )
    assert "is not permitted" in error


def test_a_compacted_loop_goes_on_with_the_summary():
    lines = play(
        """
        for at in range(6) { llm_mock({text: "<tool_call>note({})</tool_call>"}) }
        llm_mock({text: "end"})
        let options = {compact_threshold: 20, compact_keep_last: 2, compact_strategy: "truncate"}
        let result = agent_loop("t", nil, options + {provider: "mock", model: "m", tools: note})
        println("${result.status} ${len(transcript_events_by_kind(result.transcript, "compaction")) > 0}")
        let first = llm_mock_calls()[6].messages[0].content
        println(starts_with(first, "[auto-compacted "))
        println(len(llm_mock_calls()[6].messages) < 8)
        """,
        head='tool note() -> string { description "Notes."; return "noted noted noted noted noted" }',
    )
    assert lines == ["done true", "true", "true"]


# Tools that come and go


DEFERRED = """
fn tools() {
  let near = tool_define(tool_registry(), "near", "Always there.", {handler: { _ -> "ok" }})
  return tool_define(near, "weather", "Tells the weather of a town.", {defer_loading: true, handler: { _ -> "rain" }})
}
fn offered(call) {
  let listings = call.system.split("### ").filter({ part -> contains(part, "Parameters: ") })
  return listings.map({ listing -> listing.split("\\n")[0] })
}
"""


def test_deferred_tools_are_offered_from_the_turn_after_they_were_found():
    lines = play(
        """
        llm_mock({text: "<tool_call>__harn_tool_search({ query: 'weather town' })</tool_call>"})
        llm_mock({text: "<tool_call>weather({})</tool_call>"})
        llm_mock({text: "<tool_call>__harn_tool_search({ query: 'zzz' })</tool_call>"})
        llm_mock({text: "end"})
        let options = {provider: "mock", model: "m", tool_format: "text", tools: tools(), tool_search: true}
        let result = agent_loop("t", nil, options)
        for call in llm_mock_calls() { println(offered(call)) }
        println(result.tools.successful)
        for event in result.transcript.events {
          if starts_with(event.kind, "tool_search") { println("${event.kind} ${event.role} ${event.metadata}") }
        }
        println(contains(result.transcript.messages[6].content, "no deferred tools matched the query"))
        """,
        head=DEFERRED,
    )
    search = "__harn_tool_search"
    assert lines[:4] == [
        f"[near, agent_await_resumption, {search}]",
        f"[near, agent_await_resumption, weather, {search}]",
        f"[near, agent_await_resumption, weather, {search}]",
        f"[near, agent_await_resumption, weather, {search}]",
    ]
    assert lines[4] == f"[{search}, weather, {search}]"
    assert lines[5] == (
        "tool_search_query assistant {mode: client, name: tool_search_tool_bm25, query: weather town, "
        "strategy: bm25, tool_use_id: tc_0}"
    )
    assert lines[6] == "tool_search_result tool {mode: client, promoted: [weather], strategy: bm25, tool_use_id: tc_0}"
    assert lines[-1] == "true"


def test_next_options_may_bring_other_tools():
    lines = play(
        """
        for _ in range(2) { llm_mock({text: "<tool_call>near({})</tool_call>"}) }
        llm_mock({text: "end"})
        let options = {provider: "mock", model: "m", tool_format: "text", tools: tools()}
        let result = agent_loop("t", nil, options + {post_turn_callback: { turn ->
          if turn.iteration == 0 { return {next_options: {tools: []}} }
          return nil
        }})
        for call in llm_mock_calls() { println(offered(call)) }
        println(result.tools.successful)
        """,
        head=DEFERRED,
    )
    assert lines == ["[near, weather, agent_await_resumption]", "[agent_await_resumption]", "[near]"]


def test_pieces_of_an_answer_are_told_once():
    lines = play(
        """
        agent_session_open("s")
        agent_subscribe("s", { event ->
          if ends_with(event.type, "_chunk") { println("${event.type} ${event.content}") }
        })
        llm_mock({text: "whole", thinking: "hmm"})
        agent_loop("t", nil, {provider: "mock", session_id: "s"})
        """
    )
    assert lines == ["agent_thought_chunk hmm", "agent_message_chunk whole"]


def test_loops_of_several_sessions_run_side_by_side():
    lines = play(
        """
        for _ in range(3) { llm_mock({text: "end", match: "*"}) }
        let waiting = { call ->
          sleep(20)
          return {ok: true, value: {text: "${call.turn.session_id} done"}}
        }
        let tasks = ["a", "b", "c"].map({ name -> spawn {
          agent_loop("t", nil, {provider: "mock", session_id: name, llm_caller: waiting}).text
        } })
        println(tasks.map({ task -> await(task) }))
        """
    )
    assert lines == ["[a done, b done, c done]"]
