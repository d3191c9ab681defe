"""Live events, feedback, the trace, and the cancellation of running calls."""

import io

import pytest

import harnlite
from harnlite.agent.sessions.feedback import feedback_message
from harnlite.agent.sessions.live_events import capturing, emit, is_heard, record, subscribe
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.tools.cancellation import cancel_call
from harnlite.llm.run_trace import trace_of
from harnlite.runtime.concurrency.entry_points import spawn
from harnlite.runtime.tasks.execution import Execution
from harnlite.runtime.tasks.waiting import join
from harnlite.values.errors import thrown


@pytest.fixture
def run():
    return Execution(stdout=io.StringIO(), stderr=io.StringIO())


@pytest.fixture
def session(run):
    return sessions_of(run).open(run, "s")


def test_only_those_who_listen_to_a_session_hear_it(run, session):
    other = sessions_of(run).open(run, "other")
    heard, all_heard = [], []
    assert not is_heard(run, session)
    subscribe(run, "s", heard.append)
    assert (is_heard(run, session), is_heard(run, other)) == (True, False)
    stop = sessions_of(run).listen(all_heard.append)
    assert is_heard(run, other)
    emit(run, session, "plan", {"plan": 1})
    emit(run, other, "plan", {"plan": 2})
    stop()
    emit(run, other, "plan", {"plan": 3})
    assert heard == [{"type": "plan", "session_id": "s", "plan": 1}]
    assert [event["session_id"] for event in all_heard] == ["s", "other"]


def test_subscribers_stay_after_a_reset(run, session):
    heard = []
    subscribe(run, "s", heard.append)
    session.clear()
    emit(run, session, "plan", {})
    assert len(heard) == 1


def test_a_subscriber_that_fails_is_logged_only(run, session):
    def fail(_event):
        raise thrown("boom")

    heard = []
    subscribe(run, "s", fail)
    subscribe(run, "s", heard.append)
    emit(run, session, "plan", {})
    assert len(heard) == 1
    assert run.stderr.getvalue() == "[harn] warning: agent_subscribe: the subscriber of 's' failed: Thrown: boom\n"


def test_captures_nest_and_end(run, session):
    with capturing(run, "s") as outer:
        emit(run, session, "a", {})
        with capturing(run, "s") as inner:
            emit(run, session, "b", {})
        emit(run, session, "c", {})
    emit(run, session, "d", {})
    assert [event["type"] for event in outer] == ["a", "b", "c"]
    assert [event["type"] for event in inner] == ["b"]


def test_recorded_kinds_stand_in_the_transcript(run, session):
    with capturing(run, "s") as events:
        record(run, session, "tool_search_result", {"promoted": ["a"]})
    assert [event["promoted"] for event in events] == [["a"]]
    (event,) = session.transcript.events()
    assert (event["kind"], event["role"], event["visibility"]) == ("tool_search_result", "tool", "internal")
    assert event["metadata"] == {"promoted": ["a"]}


def test_feedback_has_the_voice_of_the_runtime():
    content = '<runtime_feedback kind="timer">\nwake\n</runtime_feedback>'
    assert feedback_message("timer", "wake") == {"role": "user", "content": content}
    assert feedback_message("prefill_assistant", "Sure") == {"role": "assistant", "content": "Sure"}


def test_posted_feedback_is_numbered_and_drained_once(run):
    queues = sessions_of(run).feedback
    queues.post(run, "nobody", "a", "1")
    queues.post(run, "nobody", "b", "2", "host.post_event")
    drained = queues.drain("nobody")
    assert [(entry["sequence"], entry["kind"], entry["content"], entry["source"]) for entry in drained] == [
        (1, "a", "1", "harn.post_event"),
        (2, "b", "2", "host.post_event"),
    ]
    assert all(isinstance(entry["ts_ms"], int) for entry in drained)
    assert queues.drain("nobody") == []


def test_the_trace_adds_up(run):
    trace = trace_of(run)
    trace.add("llm_call", input_tokens=3, output_tokens=2, duration_ms=10, iteration=1)
    trace.add("tool_execution", tool_name="read", duration_ms=5)
    trace.add("tool_execution", tool_name="read", duration_ms=5)
    trace.add("native_tool_fallback", accepted=False)
    assert trace.summary()["status"] == "unknown"
    trace.add("loop_complete", status="done", iterations=1, total_duration_ms=20)
    summary = trace.summary()
    assert {key: value for key, value in summary.items() if value} == {
        "status": "done",
        "tools_used": ["read"],
        "llm_calls": 1,
        "iterations": 1,
        "tool_executions": 2,
        "native_text_tool_fallbacks": 1,
        "native_text_tool_fallback_rejections": 1,
        "total_input_tokens": 3,
        "total_output_tokens": 2,
        "total_llm_duration_ms": 10,
        "total_tool_duration_ms": 10,
        "total_duration_ms": 20,
    }
    assert trace.entries()[0] == {
        "type": "llm_call",
        "input_tokens": 3,
        "output_tokens": 2,
        "duration_ms": 10,
        "iteration": 1,
    }


# Running calls


def test_a_running_call_is_called_off(run, session):
    ends = []

    def tool():
        with sessions_of(run).calls.running(run, "s", "c1", "slow") as call:
            try:
                run.sleep(60)
            finally:
                ends.append("finally")
        ends.append(call.reason)

    def main():
        task = spawn(run, lambda *_: tool())
        run.sleep(0.01)
        answer = cancel_call(run, "s", "c1", {"reason": "enough"})
        join(run, task)
        return answer

    assert run.enter(main) == {"status": "cancelled", "call_id": "c1", "tool": "slow", "reason": "enough"}
    assert ends == ["finally", "enough"]
    (row,) = session.inbox.pending()["injections"]
    assert row["body"] == "Tool call `slow` (call_id=c1) was cancelled by the host: enough"
    assert (row["mode"], row["tags"], row["dedupeKey"]) == ("interrupt_immediate", ["tool_call_cancelled"], "cancel:c1")
    assert sessions_of(run).calls.find("s", "c1") is None


def test_a_call_that_does_not_end_in_time(run, session):
    def tool():
        with sessions_of(run).calls.running(run, "s", "c1", "deaf"):
            try:
                run.sleep(60)
            finally:
                run.sleep(0.2)

    def main():
        task = spawn(run, lambda *_: tool())
        run.sleep(0.01)
        answer = cancel_call(run, "s", "c1", {"timeout_ms": 20, "inject_reminder": False})
        join(run, task)
        return answer

    assert run.enter(main)["status"] == "timeout"
    assert session.inbox.pending()["pendingCount"] == 0


def test_a_call_that_is_not_there(run):
    assert cancel_call(run, "s", "c1", {}) == {
        "status": "not_found",
        "call_id": "c1",
        "tool": None,
        "reason": "host cancelled in-flight tool call",
    }


def test_other_errors_pass_through_a_call(run):
    with pytest.raises(ZeroDivisionError), sessions_of(run).calls.running(run, "s", "c1", "t"):
        1 / 0  # noqa: B018
    assert sessions_of(run).calls.find("s", "c1") is None


def test_a_script_hears_that_a_call_is_not_there():
    program = """
    let s = agent_session_open("s")
    println(cancel_in_flight_tool_call(s, "none").status)
    """
    assert harnlite.Engine(cache=False).run(program).stdout == "not_found\n"
