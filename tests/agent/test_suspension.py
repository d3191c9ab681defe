"""Suspended workers: the triggers that resume them, and the boundary at which a suspension starts."""

import io
import textwrap

import pytest

from harnlite import Engine
from harnlite.agent.hooks.hook_registry import EventHook, hooks_of
from harnlite.agent.loop.state.loop_state import Suspension
from harnlite.agent.loop.state.resume_conditions import read_conditions
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.workers import resumption
from harnlite.agent.workers.controls import close_worker, send_input
from harnlite.agent.workers.cycles import wait_for
from harnlite.agent.workers.loop_support import LOOP_SUPPORT
from harnlite.agent.workers.workers import Worker, workers_of
from harnlite.compiler.program import load
from harnlite.library import Natives
from harnlite.llm.mock import mocks_of
from harnlite.runtime.modules import Modules
from harnlite.runtime.tasks.execution import Execution
from harnlite.runtime.tasks.waiting import join
from harnlite.store.event_log import log_of
from harnlite.values.errors import ScriptError, thrown


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run():
    run = Engine(cache=False).execution(stdout=io.StringIO(), stderr=io.StringIO())
    run.context["modules"] = Modules(run, load, Natives())
    return run


def parked(run, conditions, options=None):
    """A worker of a stage, suspended under these conditions."""
    session = sessions_of(run).open(run, "w")
    plan = {"kind": "stage", "node": {"mode": "llm"}, "options": {"provider": "mock", **(options or {})}}
    worker = Worker(run, "w", "task", "stage", session, plan, LOOP_SUPPORT)
    worker.carry = {"persist_state": False}
    worker.park(run, Suspension("r", "self", read_conditions(conditions)), 2)
    workers_of(run).add(worker)
    resumption.arm(run, worker)
    return worker


def let_run(run, worker):
    """Wait until whatever was started for a worker has ended."""
    while run.scheduler.live:
        join(run, next(iter(run.scheduler.live)))
    wait_for(run, worker)


@pytest.mark.parametrize(
    ("action", "status", "error"),
    [
        ("fail", "failed", "was not resumed in time"),
        ("resume_with_summary", "completed", None),
        ("resume_with_input", "completed", None),
    ],
)
def test_a_timeout_does_what_it_was_told(run, action, status, error):
    def main():
        worker = parked(run, {"timeout": {"duration_minutes": 1, "on_timeout": action}})
        worker.timer.action()
        let_run(run, worker)
        return worker

    worker = run.enter(main)
    assert worker.status == status
    assert worker.suspension is None
    if error is None:
        (call,) = mocks_of(run).calls()
        assert "Your timeout elapsed; resuming with summary" in call["system"]
    else:
        assert error in worker.error


def test_a_timeout_that_cannot_resume_makes_the_worker_fail(run):
    def fail(_payload):
        raise thrown("not now")

    def main():
        worker = parked(run, {"timeout": {"duration_minutes": 1}})
        hooks_of(run).add_event("WorkerResumed", EventHook(fail, "*"))
        worker.timer.action()
        let_run(run, worker)
        return worker

    worker = run.enter(main)
    assert worker.status == "failed"
    assert worker.error == f"HARN-SUS-008: timeout action of worker {worker.id} failed: Thrown: not now"


def test_somebody_else_may_be_faster_than_the_timer(run):
    def main():
        worker = parked(run, {"timeout": {"duration_minutes": 1}})
        timer = worker.timer
        send_input(run, worker, "now")
        let_run(run, worker)
        assert timer.is_over
        return worker

    assert run.enter(main).history == ["task", "now"]


def test_an_event_resumes_once(run):
    def main():
        worker = parked(run, {"trigger": {"topic": "builds", "kind_prefix": "green", "id": "t1"}})
        log_of(run).emit("builds", "red", {})
        log_of(run).emit("builds", "green", {})
        log_of(run).emit("builds", "green", {})
        run.scheduler.yield_now()
        run.sleep(0.01)
        let_run(run, worker)
        return worker

    assert run.enter(main).status == "completed"
    (call,) = mocks_of(run).calls()
    assert "You have been resumed by trigger t1 matching event 2" in call["system"]


def test_a_closed_worker_is_not_resumed_by_its_timer(run):
    def main():
        worker = parked(run, {"timeout": {"duration_minutes": 1}, "on_event": "e"})
        action = worker.timer.action
        close_worker(run, worker)
        action()
        let_run(run, worker)
        return worker

    worker = run.enter(main)
    assert (worker.status, worker.watches, mocks_of(run).calls()) == ("cancelled", [], [])


def test_a_worker_may_be_named_by_what_stands_for_it(run):
    def main():
        worker = parked(run, None)
        assert resumption.resumable(run, worker.id, LOOP_SUPPORT) is worker
        assert resumption.resumable(run, {"id": worker.id}, LOOP_SUPPORT) is worker
        with pytest.raises(ScriptError, match="unknown worker: worker_x"):
            resumption.resumable(run, "worker_x", LOOP_SUPPORT)
        with pytest.raises(ScriptError, match="HARN-SUS-004"):
            resumption.resumable(run, {"id": "worker_x", "snapshot_path": "gone.json"}, LOOP_SUPPORT)

    run.enter(main)


def test_a_loop_is_paused_between_two_turns_and_keeps_what_it_has_done():
    program = """
    let turns = channel("turns", 9)
    let tools = tool_define(tool_registry(), "step", "", {parameters: {}, handler: { _ ->
      send(turns, 1)
      sleep(10ms)
      return "stepped"
    }})
    pipeline default() {
      llm_mock({match: "*", tool_calls: [{name: "step", arguments: {}}]})
      let options = {provider: "mock", model: "m", tool_format: "text"}
      let carry = {persist_state: false}
      let handle = spawn_agent({task: "go", node: {tools: tools}, options: options, carry: carry})
      receive(turns)
      receive(turns)
      let paused = suspend_agent(handle, "stop here")
      println("${paused.suspension.suspended_at_turn} ${paused.result.status} ${paused.result.result.status}")
      println(paused.result.result?.worker?.id == handle.id)
      let messages = agent_session_length(handle.provenance.session_id)
      llm_mock_clear()
      llm_mock({text: "done"})
      let done = wait_agent(resume_agent(handle))
      println("${messages} ${agent_session_length(handle.provenance.session_id)} ${done.result.result.text}")
    }
    """
    result = Engine(cache=False).run(textwrap.dedent(program))
    assert result.error is None, result.error
    assert result.stdout.splitlines() == ["2 suspended suspended", "true", "5 7 done"]


@pytest.mark.parametrize(("topic", "fault"), [("", "topic cannot be empty"), ("a b", "topic 'a b' contains")])
def test_an_event_that_cannot_come_is_refused(topic, fault):
    program = f"""
    pipeline default() {{
      let base = {{provider: "mock", model: "m", tool_format: "text"}}
      let conditions = {{on_event: "{topic}"}}
      llm_mock({{tool_calls: [{{name: "agent_await_resumption", arguments: {{reason: "r", conditions: conditions}}}}]}})
      llm_mock({{text: "went on"}})
      let result = agent_loop("t", nil, base)
      println("${{result.status}} ${{result.text}}")
      println(result.transcript.messages[2].content)
      let handle = spawn_agent({{task: "x", node: {{}}, options: base, carry: {{persist_state: false}}}})
      println(try {{ suspend_agent(handle, "r", {{conditions: conditions}}) }} catch (e) {{ e }})
    }}
    """
    result = Engine(cache=False).run(textwrap.dedent(program))
    assert result.error is None, result.error
    lines = result.stdout.splitlines()
    assert lines[0] == "done went on"
    told = "HARN-SUS-007: agent_await_resumption: the trigger cannot be registered: event_log: "
    assert lines[2].startswith(f"Invalid agent_await_resumption call: {told}{fault}")
    assert lines[-1].startswith("Runtime error: HARN-SUS-007: suspend_agent: the trigger of worker worker_")
    assert fault in lines[-1]


def test_native_calls_are_answered_before_the_model_is_told_that_it_cannot_park():
    program = """
    pipeline default() {
      llm_mock({tool_calls: [{name: "agent_await_resumption", arguments: {}}]})
      llm_mock({text: "went on"})
      let result = agent_loop("t", nil, {provider: "mock", model: "gpt-4o", tool_format: "native"})
      println(result.transcript.messages.map({ message -> message.role }))
    }
    """
    result = Engine(cache=False).run(textwrap.dedent(program))
    assert result.stdout.splitlines() == ["[user, assistant, tool, user, assistant]"]


def test_a_plain_execution_knows_no_workers():
    assert workers_of(Execution()).all() == []
