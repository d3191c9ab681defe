"""Sessions and their store: identity, lineage, capacity, threads; the steps of a loop on a session."""

import threading

import pytest

from harnlite.agent.loop.state.session_claim import claim_tool_format, open_for_loop
from harnlite.agent.loop.state.totals import Totals, count_usage
from harnlite.agent.sessions.branching import fork_at, trim
from harnlite.agent.sessions.current import current_iteration, current_session_id, current_tool_call_id, entering
from harnlite.agent.sessions.open_sessions import CAPACITY, SessionStore, require_session, sessions_of
from harnlite.agent.sessions.recording import (
    assistant_message,
    pop_last_assistant,
    record_system_prompt,
    reply_text,
    tool_result_message,
)
from harnlite.agent.sessions.reminding import inject_spec
from harnlite.agent.sessions.seeding import Unreadable, seed
from harnlite.agent.sessions.session_snapshots import snapshot
from harnlite.reminders.spec import ReminderSpec
from harnlite.runtime.concurrency.entry_points import spawn
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import ScriptError


@pytest.fixture
def run():
    return Execution()


@pytest.fixture
def store(run):
    return sessions_of(run)


def talk(run, session, *texts):
    for text in texts:
        session.append_message(run, {"role": "user", "content": text})
    return session


def contents(session):
    return [message["content"] for message in session.transcript.messages()]


def test_an_id_finds_the_same_session(run, store):
    session = store.open(run, "s")
    assert store.open(run, "s") is session is store.get("s")
    assert store.open(run).id != store.open(run).id
    assert session.transcript.id == "s"
    assert store.get("other") is None is store.get(None)


def test_an_unknown_session_is_a_plain_error(run):
    with pytest.raises(ScriptError) as caught:
        require_session(run, "agent_session_length", "x")
    assert (caught.value.value, caught.value.thrown) == ("agent_session_length: unknown session id 'x'", True)


def test_the_least_recently_used_session_goes_unless_its_loop_runs(run, store):
    store.open(run, "running").loop = object()
    for number in range(CAPACITY - 1):
        store.open(run, f"s{number}")
    store.get("s0")
    store.open(run, "one more")
    assert len(store.ids()) == CAPACITY
    assert store.get("s1") is None
    assert store.get("s0") is not None is not store.get("running")


def test_a_run_sees_the_sessions_of_its_host():
    shared = SessionStore()
    first, second = (Execution(context={"sessions": shared}) for _ in range(2))
    session = sessions_of(first).open(first, "s")
    assert sessions_of(second).get("s") is session
    assert sessions_of(Execution()).get("s") is None


def test_many_threads_open_one_store():
    store = SessionStore()
    seen = []

    def work(number):
        run = Execution()
        for _ in range(50):
            seen.append(store.open(run, f"s{number % 2}"))
            store.fork(run, store.open(run, f"p{number}"), None)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, seen))) == 2
    assert len(store.ids()) == CAPACITY


def test_a_fork_is_a_copy_with_a_line(run, store):
    source = talk(run, store.open(run, "s"), "a", "b")
    inject_spec(run, source, ReminderSpec(id="r", body="b"))
    source.tool_format = "native"
    source.system_prompt = "sys"
    child = store.fork(run, source, "c")
    talk(run, child, "c")
    assert (contents(source), contents(child)) == (["a", "b"], ["a", "b", "c"])
    assert [spec.id for spec in child.transcript.pending()] == ["r"]
    assert child.transcript.metadata == {"parent_session_id": "s"}
    assert (child.parent_id, source.child_ids, child.tool_format, child.system_prompt) == ("s", ["c"], None, "sys")
    grandchild = store.fork(run, child, "g")
    assert store.root_id(grandchild) == "s"
    assert child.branched_at_event_index is None


def test_a_fork_at_a_message_keeps_the_first_ones(run, store):
    source = talk(run, store.open(run, "s"), "a")
    inject_spec(run, source, ReminderSpec(id="r", body="b"))
    talk(run, source, "b", "c")
    child = fork_at(run, source, 1, "c")
    assert (contents(child), child.branched_at_event_index) == (["a"], 2)
    assert [spec.id for spec in child.transcript.pending()] == ["r"]
    assert fork_at(run, source, 0).branched_at_event_index == 0
    assert fork_at(run, source, 9).branched_at_event_index == 4
    assert contents(source) == ["a", "b", "c"]


def test_trimming_keeps_the_last_messages_and_other_events(run, store):
    session = talk(run, store.open(run, "s"), "a", "b", "c")
    session.lifecycle(run, "note", "noted")
    assert trim(session, 2) == 2
    assert contents(session) == ["b", "c"]
    assert [event["kind"] for event in session.transcript.events()] == ["message", "message", "note"]
    assert trim(session, 9) == 2


def test_clearing_keeps_line_inbox_and_workspace(run, store):
    session = talk(run, store.open(run, "s", parent_id="p"), "a")
    inject_spec(run, session, ReminderSpec(id="r", body="b"))
    session.inbox.push_message("m", "finish_step", "m1")
    session.workspace_anchor = {"primary": "/w"}
    claim_tool_format(session, "text")
    session.clear()
    assert session.transcript.as_dict()["events"] == session.transcript.messages() == []
    assert session.transcript.pending() == []
    assert (session.parent_id, session.tool_format) == ("p", None)
    assert session.inbox.pending()["pendingCount"] == 1
    assert session.workspace_anchor is not None


def test_a_snapshot_stays_as_it_was(run, store):
    session = talk(run, store.open(run, "s"), "a")
    seen = snapshot(session)
    talk(run, session, "b")
    assert (seen["length"], len(seen["messages"]), seen["id"]) == (1, 1, "s")
    assert seen["workspace_policy"] == {"default_mount_mode": "read_only"}
    assert seen["created_at"] == str(int(session.created_at))


# On whose behalf


def test_scopes_nest_and_end(run):
    assert current_session_id(run) is None
    with entering(run, session_id="outer", iteration=2):
        with entering(run, tool_call_id="tc"):
            with entering(run, session_id="inner"):
                facts = run.task.facts
                assert (facts["parent_agent_session_id"], facts["root_agent_session_id"]) == ("outer", "outer")
                assert (current_tool_call_id(run), current_iteration(run)) == (None, None)
            assert (current_session_id(run), current_tool_call_id(run)) == ("outer", "tc")
        assert (current_iteration(run), current_tool_call_id(run)) == (2, None)
    assert current_session_id(run) is None


def test_tasks_start_in_the_scope_that_made_them(run):
    seen = []

    def main():
        with entering(run, session_id="s"):
            task = spawn(run, lambda *_: seen.append(current_session_id(run)))
            with entering(run, session_id="t"):
                run.sleep(0)
        assert task.done

    run.enter(main)
    assert seen == ["s"]


def test_the_session_of_a_hosts_turn_is_current():
    run = Execution(context={"agent_session_id": "wire"})
    assert current_session_id(run) == "wire"
    assert open_for_loop(run, None).id == "wire"


# The steps of a loop


def test_a_loop_takes_the_current_session_if_it_is_free(run, store):
    store.open(run, "s")
    with entering(run, session_id="s"):
        assert open_for_loop(run, None).id == "s"
        store.get("s").loop = object()
        other = open_for_loop(run, None)
    assert other.id.startswith("agent_session_")
    with pytest.raises(ScriptError, match="agent_loop: session 's' is already running a loop"):
        open_for_loop(run, "s")


def test_a_system_prompt_is_recorded_with_its_digest(run, store):
    session = store.open(run, "s")
    record_system_prompt(run, session, "é")
    (event,) = session.transcript.events()
    assert (event["kind"], event["visibility"], event["text"]) == ("system_prompt", "internal", "é")
    assert event["metadata"]["bytes"] == 2
    assert session.transcript.metadata["system_prompt"]["content"] == "é" == session.system_prompt
    assert session.transcript.metadata["system_prompt"]["sha256"] == event["metadata"]["sha256"]


def test_a_tool_format_is_claimed_once(run, store):
    session = store.open(run, "s")
    claim_tool_format(session, "text")
    claim_tool_format(session, "text")
    with pytest.raises(ScriptError) as caught:
        claim_tool_format(session, "native", "f: ")
    assert caught.value.value == (
        "Runtime error: f: agent session 's' is locked to tool_format='text', but this run requested "
        "tool_format='native'. Start a new session or fork/reset the transcript before changing tool mode."
    )


CALLS = [{"id": "c1", "name": "read", "arguments": {"path": "a"}}]


@pytest.mark.parametrize(
    ("wire", "message"),
    [
        (
            "anthropic",
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "hi"},
                    {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a"}},
                ],
            },
        ),
        (
            "openai",
            {
                "role": "assistant",
                "content": "hi",
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path":"a"}'}}
                ],
            },
        ),
    ],
)
def test_native_calls_are_recorded_as_the_wire_writes_them(wire, message):
    assert assistant_message("hi", CALLS, wire) == message
    assert assistant_message("hi", [], wire) == {"role": "assistant", "content": "hi"}


@pytest.mark.parametrize(
    ("tool_format", "wire", "message"),
    [
        ("text", "anthropic", {"role": "user", "content": "[result of read]"}),
        ("native", "anthropic", {"role": "tool_result", "tool_use_id": "c1", "content": "[result of read]"}),
        ("", "openai", {"role": "tool", "name": "read", "tool_call_id": "c1", "content": "[result of read]"}),
    ],
)
def test_results_of_tools_are_messages_of_the_route(tool_format, wire, message):
    result = {"tool_name": "read", "tool_call_id": "c1", "observation": "[result of read]", "rendered_result": "r"}
    assert tool_result_message(result, tool_format, wire) == message
    denied = {**result, "observation": None}
    assert tool_result_message(denied, tool_format, wire)["content"] == "r"


def test_what_is_recorded_of_a_reply():
    assert reply_text({"text": "raw", "prose": "said"}) == "said"
    assert reply_text({"text": "raw", "prose": " "}) == "raw"
    assert reply_text({"text": "raw", "prose": "said"}, "for you") == "for you"


def test_usage_adds_up(run, store):
    session, totals = store.open(run, "s"), Totals()
    for _ in range(2):
        reply = {"input_tokens": 3, "output_tokens": 4, "provider": "mock", "model": "m", "stop_reason": "stop"}
        count_usage(run, session, totals, reply, 0.5)
    assert (totals.tokens_used, totals.cost_usd, totals.iterations) == (14, 1.0, 2)
    event = session.transcript.events()[-1]
    assert event["kind"] == "llm_call"
    assert event["metadata"]["canonical_stop_reason"] == "end_turn"


def test_the_last_answer_can_be_taken_back(run, store):
    session = talk(run, store.open(run, "s"), "a")
    assert not pop_last_assistant(session)
    session.append_message(run, {"role": "assistant", "content": "b"})
    assert pop_last_assistant(session)
    assert contents(session) == ["a"]
    assert session.transcript.event_count == 1


# Seeding


TRANSCRIPT = """\
{"type": "system_prompt", "content": "be kind", "provider": "mock", "model": "m", "tool_format": "text"}
{"type": "message", "role": "user", "content": "hi", "iteration": 1}
{"type": "message", "message": {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]}}
{"type": "message", "role": "tool", "content": "r", "tool_call_id": "1"}
{"type": "message", "role": "assistant", "content": "done"}
"""


def test_a_session_is_made_of_a_transcript_file(run, store):
    loaded = seed(run, TRANSCRIPT, {"rename_session": "again"})
    session = store.get("again")
    assert [message["role"] for message in session.transcript.messages()] == ["user", "assistant", "tool", "assistant"]
    assert session.transcript.messages()[0] == {"role": "user", "content": "hi"}
    assert session.system_prompt == "be kind"
    assert loaded == {
        "ok": True,
        "session_id": "again",
        "turns_loaded": 2,
        "messages_loaded": 4,
        "source_records": 5,
        "source_format": "llm_transcript",
        "partial": False,
        "truncated": False,
        "provider": "mock",
        "model": "m",
        "tool_format": "text",
        "error": None,
    }
    with pytest.raises(Unreadable, match="session 'again' already exists"):
        seed(run, TRANSCRIPT, {"rename_session": "again"})


def test_tools_can_be_left_out_and_old_messages_too(run):
    plain = seed(run, TRANSCRIPT, {"drop_tool_calls": True})
    assert (plain["messages_loaded"], plain["truncated"]) == (2, False)
    last = seed(run, TRANSCRIPT, {"truncate_to_last": 2, "model": "other"})
    assert (last["messages_loaded"], last["truncated"], last["model"]) == (1, True, "other")


def test_a_line_that_is_cut_off_makes_it_partial(run):
    text = '{"role": "user", "content": "hi"}\n{"role": "assis'
    loaded = seed(run, text, {})
    assert (loaded["messages_loaded"], loaded["partial"], loaded["source_format"]) == (1, True, "messages")
    with pytest.raises(Unreadable, match="line 1 is not a transcript record"):
        seed(run, "nonsense\n" + text, {})
    assert seed(run, "nonsense\n" + text, {"validate": False})["messages_loaded"] == 1
