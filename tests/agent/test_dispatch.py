"""Dispatch of tool calls: order, events, retries, backends, cancellation, and the records in trace and transcript."""

import pytest

from harnlite import Engine
from harnlite.agent.sessions.live_events import capturing
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.tools.dispatch import dispatch_batch
from harnlite.agent.tools.dispatch_options import DispatchOptions
from harnlite.llm.run_trace import trace_of
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import ScriptError


@pytest.fixture
def run():
    return Execution()


@pytest.fixture
def session(run):
    return sessions_of(run).open(run, "s")


def entry(name="t", handler=None, **fields):
    return {"name": name, "description": "", "parameters": {}, "handler": handler, **fields}


def dispatch(run, entries, *calls, **options):
    made = [
        {"id": f"c{number}", "name": name, "arguments": arguments} for number, (name, arguments) in enumerate(calls)
    ]
    return dispatch_batch(run, made, entries, DispatchOptions(**options))


def one(run, tool, arguments=None, **options):
    return dispatch(run, [tool], (tool["name"], arguments or {}), **options)[0]


def failing(text):
    def handler(_arguments):
        raise ScriptError(text, thrown=True)

    return handler


def test_the_whole_result_of_a_good_call(run):
    result = one(run, entry(handler=lambda arguments: arguments), {"a": 1})
    assert result.pop("execution_duration_ms") >= 0
    assert result == {
        "ok": True,
        "status": "ok",
        "tool_name": "t",
        "tool_call_id": "c0",
        "arguments": {"a": 1},
        "result": '{"a":1}',
        "rendered_result": '{"a":1}',
        "observation": '[result of t]\n{"a":1}\n[end of t result]\n',
        "error": None,
        "error_category": None,
        "executor": {"kind": "harn_builtin"},
        "approval": None,
        "tool_output_truncated": False,
        "original_size": 7,
        "final_size": 7,
        "reminder_provider_report": None,
    }


@pytest.mark.parametrize(
    ("value", "text", "is_cut"),
    [(None, "null", False), ("", "", False), (1.5, "1.5", False), ({"truncated": True}, '{"truncated":true}', True)],
)
def test_texts_of_answers(run, value, text, is_cut):
    result = one(run, entry(handler=lambda _: value))
    assert (result["result"], result["tool_output_truncated"]) == (text, is_cut)


def test_a_value_without_a_json_form_is_shown_as_its_text():
    program = """
    enum Color { Red }
    tool look() { description "Looks."; return {color: Color.Red, took: 500ms, ratio: 0.0 / 0.0, all: [1s]} }
    println(agent_dispatch_tool_call({name: "look", arguments: {}}, look.tools).result)
    """
    result = Engine(cache=False).run(program)
    assert result.stdout == '{"all":["1s"],"color":"Color.Red","ratio":"NaN","took":"500ms"}\n', result.error


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({"error": "permission_denied", "reason": "no"}, "no"),
        ({"error": "permission_denied"}, "permission_denied"),
        ({"blocked": True}, "blocked"),
        ({"status": "blocked", "message": "later"}, "later"),
    ],
)
def test_answers_that_say_that_they_are_rejections(run, answer, error):
    result = one(run, entry(handler=lambda _: answer))
    assert (result["ok"], result["status"], result["error_category"], result["error"]) == (
        False,
        "error",
        "tool_rejected",
        error,
    )
    assert result["observation"].startswith("[result of t]\n")


@pytest.mark.parametrize(
    ("error", "category"),
    [("boom", "generic"), ("connection reset by peer", "transient_network"), ("HTTP 429", "rate_limit")],
)
def test_errors_have_the_category_of_their_text(run, error, category):
    result = one(run, entry(handler=failing(error)))
    assert result["error"] == result["rendered_result"] == f"Thrown: {error}"
    assert result["error_category"] == category


def test_failures_are_tried_again_after_growing_delays(run):
    waited, tries = [], []
    run_sleep = Execution.sleep
    try:
        Execution.sleep = lambda _run, seconds: waited.append(seconds)

        def handler(_arguments):
            tries.append(1)
            if len(tries) < 9:
                raise ScriptError("no", thrown=True)
            return "yes"

        assert one(run, entry(handler=handler), retries=8, backoff_ms=10)["result"] == "yes"
    finally:
        Execution.sleep = run_sleep
    assert waited == [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.32, 0.32]


def test_live_events_and_the_trace(run, session):
    tools = [entry("good", lambda _: "fine", annotations={"kind": "read"}), entry("bad", failing("boom"))]
    tools.append(entry("strict", lambda _: "never", parameters={"a": "a text"}))
    with capturing(run, "s") as events:
        dispatch(run, tools, ("good", {}), ("bad", {}), ("strict", {}), session=session, iteration=3)
    seen = [
        (event["type"], event["tool_call_id"], event.get("status"), event.get("error_category")) for event in events
    ]
    assert seen == [
        ("tool_call", "c0", "pending", None),
        ("tool_call_update", "c0", "in_progress", None),
        ("tool_call_update", "c0", "completed", None),
        ("tool_call", "c1", "pending", None),
        ("tool_call_update", "c1", "in_progress", None),
        ("tool_call_update", "c1", "failed", "tool_error"),
        ("tool_call", "c2", "pending", None),
        ("tool_call_update", "c2", "failed", "schema_validation"),
    ]
    assert (events[0]["kind"], events[3]["kind"]) == ("read", "other")
    assert events[2]["raw_output"] == "fine"
    assert events[2]["executor"] == {"kind": "harn_builtin"}
    traced = [(row["type"], row["tool_name"], row["iteration"]) for row in trace_of(run).entries()]
    assert traced == [("tool_execution", "good", 3), ("tool_execution", "bad", 3), ("tool_rejected", "strict", 3)]


@pytest.mark.parametrize("executor", ["host_bridge", "mcp_server", "provider_native"])
def test_a_declared_backend_that_is_missing(run, executor):
    result = one(run, entry(executor=executor))
    assert result["executor"] == {"kind": executor}
    assert result["error_category"] == "tool_rejected"
    name = executor.replace("_", " ")
    assert result["error"] == (
        f"Error [tool_rejected]: tool 't' is declared executor: \"{executor}\" but no {name} is connected "
        "to this environment"
    )


class Bridge:
    """A host that answers."""

    def __init__(self, answer, *, may=True):
        self.answer = answer
        self.may = may
        self.asked = []

    def call_tool(self, _run, call):
        self.asked.append((call.name, call.arguments))
        return self.answer

    def request_permission(self, _run, _session, call):
        self.asked.append(call.name)
        return self.may


def test_the_host_carries_out_what_is_declared_for_it():
    bridge = Bridge(None)
    run = Execution(context={"bridge": bridge})
    result = one(run, entry(executor="host_bridge", host_capability="fs.read"), {"p": 1})
    assert result["result"] == "(no output)"
    assert result["executor"] == {"kind": "host_bridge", "host_capability": "fs.read"}
    assert bridge.asked == [("t", {"p": 1})]


@pytest.mark.parametrize("may", [True, False])
def test_the_host_is_asked_for_approval(may):
    bridge = Bridge("x", may=may)
    run = Execution(context={"bridge": bridge})
    result = one(run, entry(handler=lambda _: "done"), approval_policy={"require_approval": ["*"]})
    assert (result["ok"], result["approval"]) == (may, {"decision": "approved" if may else "denied"})
    assert bridge.asked == ["t"]


def test_an_unknown_tool_is_told_as_one(run):
    result = dispatch(run, [], ("nope", {}))[0]
    assert result["executor"] is None
    assert result["error"] == (
        "Error [tool_rejected]: Tool 'nope' is not available in the current environment. "
        "Use only the tools listed in the tool-calling contract."
    )


def test_a_call_without_a_name_is_an_error(run):
    with pytest.raises(ScriptError) as caught:
        dispatch_batch(run, [{"name": " "}], [], DispatchOptions())
    assert caught.value.value == "Runtime error: __host_agent_dispatch_tool_call: call.name must be a non-empty string"


CONCURRENT = """
// Each call waits until all have started, and until it is its turn to end.
var started = 0
var ended = 0
tool nap(place: int) -> string {
  description "Naps"
  println("start ${place}")
  started += 1
  while started < 3 || ended < place { sleep(1ms) }
  ended += 1
  return "slept ${place}"
}
let calls = [2, 0, 1].map({ place -> {name: "nap", arguments: {place: place}} })
println(agent_dispatch_tool_batch(calls, nap, {max_concurrent_tools: 3}).map({ r -> r.result }))
println(agent_dispatch_tool_batch(calls, nap).map({ r -> r.tool_call_id }))
"""


def test_calls_side_by_side_keep_their_order():
    result = Engine(cache=False, deadline=60).run(CONCURRENT)
    assert result.error is None
    lines = result.stdout.splitlines()
    assert lines[:4] == ["start 2", "start 0", "start 1", "[slept 2, slept 0, slept 1]"]
    assert lines[-1] == "[tc_0, tc_1, tc_2]"


CANCELLED = """
tool nap(ms: int) -> string { description "Naps"; sleep(ms); return "slept" }
let s = agent_session_open("s")
let other = spawn { sleep(30); cancel_in_flight_tool_call(s, "c1", {reason: "too slow"}) }
let r = agent_dispatch_tool_call({id: "c1", name: "nap", arguments: {ms: 60000}}, nap, {session_id: s})
println("${r.ok} ${r.status} ${r.cancelled} ${r.cancellation_reason} ${r.error_category}")
println(r.observation)
println(await(other))
"""


def test_a_running_call_can_be_cancelled():
    result = Engine(cache=False).run(CANCELLED)
    assert result.error is None
    assert result.stdout == (
        "false cancelled true too slow cancelled\n[cancelled call to nap]\ntoo slow\n[end of nap cancellation]\n\n"
        "{call_id: c1, reason: too slow, status: cancelled, tool: nap}\n"
    )


def test_a_tool_sees_its_session_and_records_name_the_call():
    text = """
    tool look() -> string { description "Looks"; return agent_session_current_id() }
    register_tool_hook({pre: { ctx -> {body: "x"} }})
    let s = agent_session_open("s")
    println(agent_dispatch_tool_call({id: "c7", name: "look", arguments: {}}, look, {session_id: s}).result)
    println(agent_session_current_id())
    for record in event_log.subscribe({topic: "transcript.reminder.lifecycle"}) {
      println("${record.kind} ${record.payload.task_id}")
    }
    println(try { agent_dispatch_tool_call({name: "look"}, look, {session_id: "gone"}) } catch (e) { e })
    """
    result = Engine(cache=False).run(text)
    assert result.error is None
    lines = result.stdout.splitlines()
    assert lines[:3] == ["s", "nil", "transcript.reminder.injected c7"]
    assert lines[-1] == "agent_dispatch_tool_call: unknown session id 'gone'"
