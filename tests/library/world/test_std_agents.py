"""std/agents: graphs of actions, the workflows that run them, and the results of workflows."""

from __future__ import annotations

import pytest

from harnlite import Engine


@pytest.fixture
def values(tmp_path):
    """Run a program that imports std/agents and return the values of expressions."""

    def run(*expressions, before=""):
        source = f'import "std/agents"\n{before}\nreturn [{", ".join(expressions)}]\n'
        result = Engine(cwd=str(tmp_path), cache=False).run(source)
        assert result.error is None, result.error
        return result.value

    return run


GRAPH = """let graph = action_graph({task: "T", summary: "S", actions: [
  {title: "Look", instruction: "Inspect src/a.py", tools: ["read_file", "grep"], id: "x"},
  "Write the fix",
  {name: "Test it", kind: "QA", needs: ["WRITE the fix", 99, "zz", 3]},
  {task: "Edit b", tools: [{name: "edit_file"}, "run_tests"], after: "x"},
]})
"""


def test_the_actions_of_a_graph(values):
    [actions] = values("graph.actions", before=GRAPH)
    assert actions[0] == {
        "_type": "action_item",
        "depends_on": [],
        "id": "action-1",
        "instruction": "Inspect src/a.py",
        "metadata": {"source_id": "x"},
        "phase": "research",
        "title": "Look",
        "tool_class": "read",
        "tools": ["read_file", "grep"],
    }
    rows = [[one[key] for key in ("title", "phase", "tool_class", "depends_on", "tools")] for one in actions[1:]]
    assert rows == [
        ["Write the fix", "execute", "generic", ["action-1"], []],
        ["Test it", "verify", "verify", ["action-2"], []],
        ["Edit b", "execute", "mixed", ["action-1"], ["edit_file", "run_tests"]],
    ]


@pytest.mark.parametrize(
    ("raw", "rows"),
    [
        (r'"[\"a\", {}]"', [["a", "execute", []], ["Action 2", "execute", []]]),
        ('{title: "only"}', [["only", "execute", []]]),
        ('{plan: {steps: ["a"]}}', [["a", "execute", []]]),
        ('{tasks: [{name: " ", label: "b "}]}', [["b", "execute", []]]),
        ('{batches: [{actions: ["a"]}, {steps: ["b"]}]}', [["a", "execute", []], ["b", "execute", []]]),
        (
            '{verify: ["v"], research: ["r"], execute: [{title: "e"}]}',
            [["r", "research", []], ["e", "execute", ["action-1"]], ["v", "verify", ["action-2"]]],
        ),
        ('["Analyze x", "Check y"]', [["Analyze x", "research", []], ["Check y", "verify", ["action-1"]]]),
        ('[{title: "a", tools: ["searchDocs"]}]', [["a", "research", []]]),
        ('[{title: "a", dependsOn: 2}, {title: "b"}]', [["a", "execute", ["action-2"]], ["b", "execute", []]]),
        ("[]", []),
    ],
)
def test_where_actions_come_from(values, raw, rows):
    assert values(f"action_graph({raw}).actions.map({{ one -> [one.title, one.phase, one.depends_on] }})") == [rows]


def test_batches(values):
    ids = (
        "action_graph_batches({}).map({{ one -> [one.id, one.action_ids, one.depends_on, one.tool_class, one.count] }})"
    )
    loop = 'action_graph([{title: "a", needs: 2}, {title: "b", needs: 1}])'
    batches, rest, [first, *_], circle = values(
        ids.format("graph"),
        'action_graph_batches(graph, ["action-1", "action-4"]).map({ one -> one.action_ids })',
        "action_graph_batches(graph)",
        f"action_graph_batches({loop}).map({{ one -> one.action_ids }})",
        before=GRAPH,
    )
    assert batches == [
        ["batch-1", ["action-1"], [], "read", 1],
        ["batch-2", ["action-2"], ["action-1"], "generic", 1],
        ["batch-3", ["action-4"], ["action-1"], "mixed", 1],
        ["batch-4", ["action-3"], ["action-2"], "verify", 1],
    ]
    assert rest == [["action-2"], ["action-3"]]
    assert first["prompt"].splitlines()[1:] == [
        "Phase: research",
        "Tool class: read",
        "Available tools this batch: read_file, grep",
        "Target paths this batch: src/a.py",
        "Actions:",
        "- [action-1] Look: Inspect src/a.py",
    ]
    assert circle == [["action-1"], ["action-2"]]


def test_the_text_of_a_graph(values):
    [text, empty] = values(
        "action_graph_render(graph)", 'action_graph_render(action_graph([], {task: "T"}))', before=GRAPH
    )
    assert text == (
        "# Action Graph\n\nTask: T\n\nSummary: S\n\n"
        "## RESEARCH\n- [action-1] Look [read]\n\n"
        "## EXECUTE\n- [action-2] Write the fix [generic] (depends on: action-1)\n"
        "- [action-4] Edit b [mixed] (depends on: action-1)\n\n"
        "## VERIFY\n- [action-3] Test it [verify] (depends on: action-2)"
    )
    assert empty == "# Action Graph\n\nTask: T"


def test_a_graph_runs_as_a_workflow(values):
    before = """let graph = action_graph(["Research x", "Do y"])
    let flow = action_graph_flow(graph, {mode: "llm", verify: {assert_text: "ok"}, evaluate: {prompt: "E"}})
    llm_mock({text: "one"})
    llm_mock({text: "two"})
    let done = action_graph_run("T", graph, {mode: "llm"})
    """
    nodes, edges, entry, done = values(
        "keys(flow.nodes)", "flow.edges.map({ one -> [one.from, one.to] })", "flow.entry", "done", before=before
    )
    assert nodes == ["batch_1", "batch_2", "final_evaluate", "final_verify"]
    assert edges == [["batch_1", "batch_2"], ["batch_2", "final_verify"], ["final_verify", "final_evaluate"]]
    assert entry == "batch_1"
    assert (done["_type"], done["status"], done["visible_text"], len(done["batches"])) == (
        *("action_graph_run", "completed", "two", 2),
    )
    keys = "_type artifacts batches flow plan run runtime status task transcript visible_text"
    assert sorted(done) == keys.split()


def test_a_task_with_a_verification_and_a_repair(values):
    before = """llm_mock({text: "did"})
    llm_mock({text: "fixed ok"})
    let done = task_run("T", {act: {mode: "llm"}, verify: {assert_text: "ok"}, repair: {mode: "llm"}}, nil)
    llm_mock({text: "ok"})
    let short = task_run("T", {name: "w", act: {mode: "llm"}, verify: {assert_text: "ok"}}, {})
    """
    done, short = values("done", "short", before=before)
    assert [done[name]["node_id"] for name in ("act", "verification", "repair", "final_verification")] == [
        *("act", "verify", "repair", "verify")
    ]
    assert (done["status"], done["verification"]["status"], done["workflow"]) == (
        *("needs_attention", "failed", "workflow"),
    )
    assert (short["status"], short["repair"], short["text"], short["workflow"]) == ("completed", None, "ok", "w")


def test_results_of_workflows(values):
    texts = ['"x"', '{visible_text: "v"}', '{result: {text: "q"}}', "{text: [1]}", "nil", "{}"]
    assert values(*(f"workflow_result_text({one})" for one in texts)) == ["x", "v", "q", "[1]", "", ""]


def test_configs_of_stages(values):
    assert values(
        "workflow_model_spec({})",
        'workflow_options({model_tier: "small", temperature: 0.5, other: 1}).temperature',
        "workflow_options({context_filter: len}).context_callback == len",
        'stage_config({a: {x: 1}, y: 2}, {y: 3}, "a")',
        'stage_prompt("T", {system: "s", task_label: "L"}).prompt.contains("<label>L</label>")',
        "workflow(nil).nodes",
    ) == [None, 0.5, True, {"_stage": "a", "a": {"x": 1}, "x": 1, "y": 3}, True, {}]


def test_verifications(values):
    before = 'host_mock("process", "exec", {exit_code: 2, stdout: "out"})'
    assert values(
        "verify_command({})",
        'verify_command({command: "x"})',
        'verify_command({command: "x", expect_status: 2, expect_text: "out"})',
        'verify_result("t", {text: "abc"}, {assert_text: "b"})',
        'verify_result("t", {}, {})',
        'repair_task("T", {ok: false}, {prompt: "P"})',
        r'repair_task("T", {ok: false}, {}).contains("{\"ok\":false}")',
        before=before,
    ) == [
        None,
        {"kind": "command", "ok": False, "output": "out"},
        {"kind": "command", "ok": True, "output": "out"},
        {"kind": "text", "ok": True, "output": "abc"},
        *(None, "P", True),
    ]


def test_sessions(values, tmp_path):
    before = """llm_mock({text: "did"})
    let done = task_run("T", {name: "w", act: {mode: "llm"}}, nil)
    let session = workflow_session(done)
    """
    session, restored, archived, resumed, forked = values(
        "session",
        "workflow_session_restore(done.result.path)",
        "workflow_session_archive(session)",
        "workflow_session_resume(workflow_session_archive(session))",
        "workflow_session_fork(session)",
        before=before,
    )
    assert (session["status"], session["task"], session["workflow"], session["message_count"]) == (
        *("completed", "T", "w", 2),
    )
    assert (restored["status"], restored["transcript"], restored["workflow_id"]) == (
        *("completed", session["transcript"], session["workflow_id"]),
    )
    states = [(one["status"], one["transcript_state"]) for one in (archived, resumed, forked)]
    assert states == [("archived", "archived"), ("active", "active"), ("completed", "forked")]
    keys = (
        "_type asset_count event_count message_count persisted_path run status summary task transcript transcript_state"
    )
    assert sorted(session) == [*keys.split(), "usage", "workflow", "workflow_id"]


def test_new_sessions(values):
    before = """let old = transcript_from_messages([{role: "user", content: "Hi"}])
    llm_mock({text: "They met."})
    let short = workflow_compact({transcript: old}, {keep_last: 0, provider: "mock"})
    """
    assert values(
        "workflow_session_new({a: 1}).transcript.metadata",
        "workflow_session(nil).status",
        "len(continue_as_new(old).messages)",
        "short.summary",
        "continue_as_new(short).summary != nil",
        "len(continue_as_new(short, {carry_summary: false}).messages)",
        "workflow_session_reset(old).message_count",
        before=before,
    ) == [{"a": 1}, "active", 0, "They met.", True, 0, 0]


def test_a_handoff_is_an_artifact(values):
    named, plain = values(
        'handoff_artifact({task: "T", target_persona_or_human: {kind: "human", id: "ann", label: "Ann"}})',
        'handoff_artifact({target: "reviewer"})',
    )
    assert (named["_type"], named["kind"], named["title"], named["text"]) == (
        *("artifact", "handoff", "Handoff to Ann", "T"),
    )
    assert plain["title"] == "Handoff to reviewer"


def test_the_record_of_a_result_contains_its_text_once(values):
    made, kept, own = values(
        'workflow_result_run("T", "flow", {text: "done", status: "ok"})',
        'workflow_result_run("T", "flow", {text: "done"}, [{title: "x", text: "done"}])',
        'workflow_result_transcript("T", "flow", {transcript: transcript({a: 1}), text: "x"}, {b: 2}).metadata',
    )
    assert [(one["kind"], one["title"], one["text"]) for one in made["artifacts"]] == [
        ("summary", "Visible result", "done")
    ]
    assert (made["_type"], made["status"], made["workflow_name"], made["task"]) == ("run_record", "ok", "flow", "T")
    assert [one["content"] for one in made["transcript"]["messages"]] == ["T", "done"]
    assert [one["title"] for one in kept["artifacts"]] == ["x"]
    assert own.items() >= {"b": 2, "workflow": "flow"}.items()


def test_a_result_and_a_session_are_written_and_restored(values, tmp_path):
    [found, path, session, restored] = values(
        "found + {run: nil, transcript: nil}",
        "found.path",
        "session.persisted_path",
        "workflow_session_restore(session.persisted_path).status",
        before="""let options = {persist_path: "runs/a.json"}
let found = workflow_result_persist("T", "flow", {text: "done", status: "paused"}, nil, options)
let session = workflow_session_persist(found, "runs/b.json")
""",
    )
    assert (path, found["persisted_path"], found["visible_text"], found["status"]) == (
        *("runs/a.json", "runs/a.json", "done", "paused"),
    )
    assert (session, restored) == ("runs/b.json", "paused")
    assert (tmp_path / "runs/a.json").is_file()


def test_a_session_without_a_run_is_not_written(values, tmp_path):
    [path] = values('workflow_session_persist(workflow_session_new({a: 1}), "x.json").persisted_path')
    assert path is None
    assert not (tmp_path / "x.json").exists()
