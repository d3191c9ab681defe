"""Workers as an embedding program sees them: separate tasks, hooks, live events, files that outlive the process."""

import json
import textwrap
from pathlib import Path

import pytest

from harnlite import Engine
from harnlite.agent.workers.workers import worker_of
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import ScriptError


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("HARNLITE_WORKER_STATE_DIR", raising=False)
    monkeypatch.chdir(tmp_path)


def play(body, *, head="", **engine):
    """Run a pipeline and return its lines."""
    program = f"{head}\npipeline default() {{\n{textwrap.dedent(body)}\n}}\n"
    result = Engine(cache=False, **engine).run(program)
    assert result.error is None, result.error
    return result.stdout.splitlines()


def kept(folder):
    """What the snapshots of a folder say, by the names of the workers."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in (folder / ".harn" / "workers").glob("*.json")]
    return {snapshot["worker"]["name"]: snapshot for snapshot in found}


HEAD = """
fn call(name, arguments = {}) { return {tool_calls: [{name: name, arguments: arguments}]} }

tool work() -> string {
  description "Works."
  return "worked"
}

let base = {provider: "mock", model: "m", tool_format: "text"}
"""


def test_a_worker_goes_on_in_another_process(tmp_path):
    lines = play(
        """
        llm_mock(call("agent_await_resumption", {reason: "lunch"}))
        let options = base + {background: true, name: "job", tools: work, system: "Be kind."}
        let handle = wait_agent(sub_agent_run("long job", options))
        println("${handle.status} ${handle.snapshot_path == handle.suspension.snapshot_ref}")
        println(handle.snapshot_path)
        """,
        head=HEAD,
    )
    assert lines[0] == "suspended true"
    assert kept(tmp_path)["job"]["worker"]["status"] == "suspended"
    going_on = """
        tool_bind(work)
        llm_mock(call("work"))
        llm_mock({text: "done"})
        let handle = wait_agent(resume_agent("PATH", "eaten"))
        println("${handle.status} ${handle.name} ${handle.result.summary} ${handle.history}")
        println(llm_mock_calls()[1].messages.map({ m -> m.role }))
        println(contains(llm_mock_calls()[0].system, "Be kind."))
        println(contains(llm_mock_calls()[0].system, "for reason: 'lunch'. You have been resumed by the operator"))
        println(contains(llm_mock_calls()[1].messages[-1].content, "worked"))
        println(len(list_agents()))
    """
    lines = play(going_on.replace("PATH", lines[1]), head=HEAD)
    assert lines[0] == "completed job done [long job, eaten]"
    assert lines[2:] == ["true", "true", "true", "1"]
    assert kept(tmp_path)["job"]["worker"]["status"] == "completed"


def test_a_worker_is_found_by_its_id_as_long_as_its_file_is_there():
    lines = play(
        """
        llm_mock(call("agent_await_resumption", {reason: "lunch"}))
        let parked = agent_loop("t", nil, base)
        println(parked.handle.id)
        """,
        head=HEAD,
    )
    lines = play(
        f"""
        llm_mock({{text: "done"}})
        let handle = wait_agent(resume_agent("{lines[0]}"))
        println("${{handle.mode}} ${{handle.name}} ${{handle.status}} ${{handle.result.text}}")
        """,
    )
    assert lines == ["top_level_agent top-level-agent completed done"]


def test_what_still_runs_when_the_program_ends_is_interrupted_and_can_go_on(tmp_path):
    head = (
        HEAD + 'let slow = tool_define(tool_registry(), "slow", "", {parameters: {}, handler: { _ -> sleep(60s) }})\n'
    )
    play(
        """
        llm_mock(call("slow"))
        sub_agent_run("a", base + {background: true, name: "started", tools: slow})
        spawn_agent({task: "b", name: "fresh", node: {mode: "llm"}, options: base})
        sleep(20ms)
        """,
        head=head,
    )
    found = kept(tmp_path)
    assert found["started"]["worker"]["status"] == "interrupted"
    path = tmp_path / ".harn" / "workers" / f"{found['started']['worker']['id']}.json"
    lines = play(
        f"""
        llm_mock({{text: "after all"}})
        println(wait_agent(resume_agent("{path}")).result.summary)
        """,
        head=head,
    )
    assert lines == ["after all"]


def test_nothing_is_kept_where_nothing_may_be_written(tmp_path):
    lines = play(
        """
        let off = spawn_agent({task: "x", node: {}, options: base, carry: {persist_state: false}})
        println("${off.snapshot_path} ${close_agent(off).status}")
        """,
        head=HEAD,
    )
    assert lines == ["nil cancelled"]
    lines = play(
        'println(spawn_agent({task: "x", node: {}, options: {provider: "mock"}, wait: true}).snapshot_path)',
        capabilities={"llm"},
    )
    assert lines == ["nil"]
    assert not (tmp_path / ".harn").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "it is not JSON"),
        ("[]", "it is not a worker snapshot"),
        ('{"_type": "worker_snapshot", "worker": {}, "session": {}}', "it is incomplete"),
        ('{"_type": "worker_snapshot", "worker": 1, "session": {}}', "it is not a worker snapshot"),
    ],
)
def test_a_file_that_is_no_snapshot_is_refused(tmp_path, text, said):
    (tmp_path / "s.json").write_text(text, encoding="utf-8")
    lines = play('println(try { resume_agent("s.json") } catch (e) { e })')
    assert lines == [f"Runtime error: HARN-SUS-004: resume_agent: failed to load snapshot `s.json`: {said}"]


CHANGED = "HARN-SUS-006: resume_agent: worker W changed before resume could complete"
BROKEN = [
    ("id", []),
    ("status", {}),
    ("plan", None),
    ("plan", {"kind": "dance"}),
    ("plan.kind", None),
    ("plan.options", 1),
    ("plan.stages", {}),
    ("plan.graph.nodes.act", []),
    ("plan.graph.edges", [1]),
    ("plan.graph.entry", "nowhere"),
    ("plan.left", ["nowhere"]),
    ("request", "x"),
    ("suspension", 5),
    ("execution", []),
    ("parent_session_id", 5),
]


def test_a_snapshot_that_was_tampered_with_is_refused(tmp_path):
    lines = play(
        """
        let config = {task: "x", graph: {act: {}}, options: base}
        println(suspend_agent(spawn_agent(config), "r").snapshot_path)
        """,
        head=HEAD,
    )
    good = Path(lines[0]).read_text(encoding="utf-8")
    for number, (path, value) in enumerate(BROKEN):
        snapshot = json.loads(good)
        *above, last = path.split(".")
        place = snapshot["worker"]
        for key in above:
            place = place[key]
        place[last] = value
        (tmp_path / f"{number}.json").write_text(json.dumps(snapshot), encoding="utf-8")
    lines = play(
        f"""
        for n in 0 to {len(BROKEN) - 1} {{ println(try {{ resume_agent("${{n}}.json").status }} catch (e) {{ e }}) }}
        """
    )
    assert lines == [
        f"Runtime error: HARN-SUS-004: resume_agent: failed to load snapshot `{number}.json`: it is incomplete"
        for number in range(len(BROKEN))
    ]


def test_a_workflow_that_goes_on_knows_what_it_has_done():
    lines = play(
        """
        llm_mock({text: "bad"})
        llm_mock(call("agent_await_resumption", {reason: "ask"}))
        let repair = {prompt: "Repair.", mode: "agent"}
        let graph = {provider: "mock", model: "m", act: {prompt: "Act."}, verify: {assert_text: "good"}, repair: repair}
        let handle = wait_agent(spawn_agent({task: "x", graph: graph, options: {persist_path: "/dev/null"}}))
        println(handle.result.run.stages.map({ stage -> stage.node_id }))
        llm_mock({text: "good"})
        let done = wait_agent(resume_agent(handle))
        println(done.result.run.stages.map({ stage -> "${stage.node_id} ${stage.status}" }))
        """,
        head=HEAD,
    )
    assert lines == ["[act, verify]", "[act completed, verify failed, repair completed, verify completed]"]


MANIFEST = """
[[hooks]]
event = "{event}"
handler = "hooks.harn::{function}"
"""
HOOKS = """
pub fn tell(ctx) {
  let worker = ctx.worker
  println("hook ${ctx.event} ${keys(worker)} ${worker.name} ${worker.mode} ${worker.status}")
}
pub fn remind(ctx) { return {body: "no"} }
pub fn fail(ctx) { throw "boom" }
pub fn shut(ctx) { close_agent(ctx.worker.id) }
"""


def with_hooks(folder, function, *events):
    text = "".join([MANIFEST.format(event=event, function=function) for event in events])
    (folder / "harn.toml").write_text(text, encoding="utf-8")
    (folder / "hooks.harn").write_text(HOOKS, encoding="utf-8")


def play_file(folder, body):
    script = folder / "main.harn"
    script.write_text(f"{HEAD}\npipeline default() {{\n{textwrap.dedent(body)}\n}}\n", encoding="utf-8")
    result = Engine(cache=False).run(script)
    assert result.error is None, result.error
    return result.stdout.splitlines()


def test_hooks_and_listeners_learn_what_happens_to_workers(tmp_path):
    with_hooks(tmp_path, "tell", "worker_spawned", "WorkerCompleted", "worker_suspended", "worker_resumed")
    lines = play_file(
        tmp_path,
        """
        register_persona_hook("*", "OnPersonaPaused", { ctx -> println("paused ${ctx.worker.name}") })
        register_persona_hook("*", "OnPersonaResumed", { ctx -> println("resumed ${ctx.worker.name}") })
        agent_session_open("top")
        agent_subscribe("top", { event ->
          if event.type == "worker_update" {
            let named = "${event.worker_name} ${event.worker_task}"
            println("event ${event.event} ${event.status} ${named} ${event.audit.parent_session_id}")
          }
        })
        let tools = tool_define(tool_registry(), "go", "", {parameters: {}, handler: { _ ->
          let handle = spawn_agent({task: "x", name: "w", node: {mode: "llm"}, options: base})
          println("by ${suspend_agent(handle, "hm").suspension.initiator}")
          return wait_agent(resume_agent(handle)).result.result.text
        }})
        llm_mock(call("go"))
        llm_mock({text: "worked"})
        llm_mock({text: "end"})
        agent_loop("t", nil, base + {session_id: "top", tools: tools})
        println(contains(llm_mock_calls()[1].system, "You have been resumed by your parent agent"))
        """,
    )
    worker = "[id, metadata, mode, name, status, task] w stage"
    assert [line for line in lines if line.startswith("hook")] == [
        f"hook WorkerSpawned {worker} running",
        f"hook WorkerSuspended {worker} suspended",
        f"hook WorkerResumed {worker} running",
        f"hook WorkerCompleted {worker} completed",
    ]
    assert [line for line in lines if line.startswith("event")] == [
        "event WorkerSpawned running w x top",
        "event WorkerSuspended suspended w x top",
        "event WorkerResumed running w x top",
        "event WorkerCompleted completed w x top",
    ]
    assert [line for line in lines if not line.startswith(("hook", "event"))] == [
        "paused w",
        "by parent",
        "resumed w",
        "true",
    ]


def test_hooks_of_workers_may_not_remind(tmp_path):
    with_hooks(tmp_path, "remind", "worker_spawned")
    lines = play_file(
        tmp_path,
        """
        println(try { spawn_agent({task: "x", node: {}, options: base}) } catch (e) { e })
        println(list_agents())
        """,
    )
    text = "WorkerSpawned does not support reminder effects; use a session, tool, step, or persona hook"
    assert lines == [f"WorkerSpawned hook reminder: HARN-RMD-008: {text}", "[]"]


def test_a_hook_that_fails_at_the_end_makes_the_worker_fail(tmp_path):
    with_hooks(tmp_path, "fail", "worker_completed")
    lines = play_file(
        tmp_path,
        """
        let handle = spawn_agent({task: "x", node: {}, options: base, wait: true})
        println("${handle.status} ${handle.error}")
        """,
    )
    assert lines == ["failed Thrown: boom"]


@pytest.mark.parametrize(
    ("event", "body", "said"),
    [
        ("worker_spawned", 'spawn_agent({task: "x", node: {}, options: base, wait: true}).status', "cancelled"),
        (
            "worker_resumed",
            'resume_agent(suspend_agent(spawn_agent({task: "x", node: {}, options: base})))',
            f"Runtime error: {CHANGED} (status=cancelled)",
        ),
        (
            "worker_progressed",
            'send_input(spawn_agent({task: "x", node: {}, options: base, wait: true}), "more").status',
            "cancelled",
        ),
    ],
)
def test_a_worker_that_a_hook_closes_does_not_go_on(tmp_path, event, body, said):
    with_hooks(tmp_path, "shut", event)
    lines = play_file(
        tmp_path,
        f"""
        let found = to_string(try {{ {body} }} catch (e) {{ e }})
        println(regex_replace_all("worker_[-0-9a-f]+", "W", found))
        println(wait_agent(list_agents()).map({{ handle -> handle.status }}))
        println(len(llm_mock_calls()))
        """,
    )
    assert lines == [said, "[cancelled]", "1" if event == "worker_progressed" else "0"]


def test_workers_run_side_by_side():
    lines = play(
        """
        // Each worker waits until all have come this far.
        let arrived = atomic(0)
        let tools = tool_define(tool_registry(), "nap", "", {parameters: {}, handler: { _ ->
          atomic_add(arrived, 1)
          while atomic_get(arrived) < 10 { sleep(1ms) }
        }})
        llm_mock({match: "*null*", text: "rested"})
        llm_mock({match: "nap*", tool_calls: [{name: "nap", arguments: {}}]})
        let configs = (1 to 10).map({ n -> {task: "nap ${n}", node: {tools: tools}, options: base} })
        let handles = configs.map({ config -> spawn_agent(config) }).to_list()
        let done = wait_agent(handles)
        println(done.map({ handle -> handle.result.result.text }).filter({ text -> text == "rested" }).count())
        println(done.map({ handle -> handle.provenance.session_id }).unique().count())
        """,
        head=HEAD,
        deadline=60,
    )
    assert lines == ["10", "10"]


def test_what_a_worker_prints_comes_when_it_is_waited_for():
    lines = play(
        """
        let handler = { _ -> println("from the worker") }
        let tools = tool_define(tool_registry(), "say", "", {parameters: {}, handler: handler})
        llm_mock(call("say"))
        llm_mock({text: "said"})
        let handle = spawn_agent({task: "x", node: {tools: tools}, options: base})
        sleep(5ms)
        println("before")
        wait_agent(handle)
        println("after")
        """,
        head=HEAD,
    )
    assert lines == ["before", "from the worker", "after"]


def test_closing_a_worker_closes_its_workers_and_runs_their_finally_blocks():
    lines = play(
        """
        let started = channel("started", 4)
        let inner = tool_define(tool_registry(), "hold", "", {parameters: {}, handler: { _ ->
          try { send(started, 1); sleep(60s) } finally { println("let go") }
        }})
        let outer = tool_define(tool_registry(), "delegate", "", {parameters: {}, handler: { _ ->
          return wait_agent(spawn_agent({task: "hold", name: "inner", node: {tools: inner}, options: base})).status
        }})
        llm_mock(call("delegate"))
        llm_mock(call("hold"))
        let handle = spawn_agent({task: "x", name: "outer", node: {tools: outer}, options: base})
        receive(started)
        println(close_agent(handle).status)
        println(list_agents().map({ one -> "${one.name} ${one.status} ${one.parent_worker_id == handle.id}" }))
        wait_agent(list_agents())
        """,
        head=HEAD,
    )
    assert lines == ["cancelled", "[outer cancelled false, inner cancelled true]", "let go"]


def test_a_worker_does_not_wait_for_itself():
    lines = play(
        """
        let own = channel("own", 1)
        let handler = { _ -> wait_agent(receive(own)) }
        let tools = tool_define(tool_registry(), "wait", "", {parameters: {}, handler: handler})
        llm_mock(call("wait"))
        llm_mock({text: "ok"})
        let handle = spawn_agent({task: "x", node: {tools: tools}, options: base})
        send(own, handle)
        let done = wait_agent(handle)
        println(contains(to_string(done.result.result.transcript.messages[2]), "cannot wait for itself"))
        """,
        head=HEAD,
    )
    assert lines == ["true"]


def test_a_loop_that_is_parked_by_a_worker_of_its_own_stops_at_its_next_turn():
    lines = play(
        """
        let own = channel("own", 1)
        let tools = tool_define(tool_registry(), "pause", "", {parameters: {}, handler: { _ ->
          return suspend_agent(receive(own), "enough for today").status
        }})
        llm_mock(call("pause"))
        let handle = spawn_agent({task: "x", node: {tools: tools}, options: base})
        send(own, handle)
        let paused = wait_agent(handle)
        println("${paused.status} ${paused.suspension.suspended_at_turn} ${paused.suspension.reason}")
        """,
        head=HEAD,
    )
    assert lines == ["suspended 1 enough for today"]


def test_unknown_workers_are_named():
    with pytest.raises(ScriptError, match="unknown worker: nobody"):
        worker_of(Execution(), {"id": "nobody"})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ('send_input("worker_x", 5)', "Type error: 'send_input' parameter `text` expects string, got int"),
        ('suspend_agent("worker_x", 5)', "Type error: 'suspend_agent' parameter `reason` expects string, got int"),
        ('send_input("worker_x", "text")', "Runtime error: unknown worker: worker_x"),
        ("agent_name(nil)", "Type error: 'agent_name' parameter `agent` expects dict, got nil"),
        (
            "agent_await_resumption(5)",
            "Type error: 'agent_await_resumption' parameter `reason` expects string, got int",
        ),
        ("agent_await_resumption()", "HARN-SUS-005: agent_await_resumption reason is required"),
    ],
)
def test_types_of_arguments_are_looked_at_first(call, said):
    assert play(f"println(try {{ {call} }} catch (e) {{ e }})") == [said]
