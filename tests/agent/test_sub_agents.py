"""Sub-agents: their tools, their policies and their inheritance."""

import textwrap

import pytest

from harnlite import Engine


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


HEAD = """
fn call(name, arguments = {}) { return {tool_calls: [{name: name, arguments: arguments}]} }
let base = {provider: "mock", model: "m", tool_format: "text"}
tool peek() -> string {
  description "Peeks."
  return "peeked"
}
tool poke() -> string {
  description "Pokes."
  return "poked"
}
"""


def play(body, *, head="", **engine):
    """Run a pipeline and return its lines."""
    program = f"{HEAD}{head}\npipeline default() {{\n{textwrap.dedent(body)}\n}}\n"
    result = Engine(cache=False, **engine).run(program)
    assert result.error is None, result.error
    return result.stdout.splitlines()


@pytest.mark.parametrize(
    ("options", "offered"),
    [
        ("{}", "[peek, poke]"),
        ("{tools: peek}", "[peek]"),
        ('{tools: ["poke"]}', "[poke]"),
        ('{allowed_tools: ["peek"]}', "[peek]"),
        ('{tools: peek.tools + poke.tools, allowed_tools: ["poke", "other"]}', "[poke]"),
        ("{tools: []}", "[]"),
    ],
)
def test_the_tools_are_those_of_the_caller_unless_others_are_given(options, offered):
    lines = play(
        f"""
        tool_bind({{_type: "tool_registry", tools: peek.tools + poke.tools}})
        println(sub_agent_request("t", {options}).options.tools.map({{ entry -> entry.name }}))
        """
    )
    assert lines == [offered]


def test_a_policy_of_the_parent_holds_for_its_children_too():
    lines = play(
        """
        let outer = tool_define(tool_registry(), "delegate", "", {parameters: {}, handler: { _ ->
          return sub_agent_run("t", base + {tools: poke, max_iterations: 1}).error.tool
        }})
        llm_mock(call("delegate"))
        llm_mock(call("poke"))
        llm_mock({text: "done"})
        let result = agent_loop("go", nil, base + {tools: outer, policy: {tools: ["delegate"]}})
        println(result.transcript.messages[2].content)
        """
    )
    assert lines[1] == "poke"


def test_a_child_that_asks_for_more_than_its_parent_may_do_fails():
    lines = play(
        """
        let outer = tool_define(tool_registry(), "delegate", "", {parameters: {}, handler: { _ ->
          return sub_agent_run("t", base + {tools: poke, policy: {tools: ["poke"]}}).error.message
        }})
        llm_mock(call("delegate"))
        llm_mock(call("poke"))
        llm_mock({text: "done"})
        let result = agent_loop("go", nil, base + {tools: outer, policy: {tools: ["delegate"]}})
        println(result.transcript.messages[2].content)
        """
    )
    assert lines[1] == "Runtime error: requested tools exceed host ceiling: poke"


def test_permissions_of_a_child_refuse_calls():
    lines = play(
        """
        llm_mock(call("poke"))
        llm_mock({text: "could not"})
        let rules = {tools: poke, permissions: {deny: ["poke"]}}
        let finished = sub_agent_run("t", base + rules)
        println("${finished.ok} ${finished.error} ${finished.summary}")
        println(finished.transcript.messages[2].content)
        llm_mock(call("poke"))
        println(sub_agent_run("t", base + rules + {max_iterations: 1}).error)
        """
    )
    assert lines == [
        "true nil could not",
        "[call to poke was refused]",
        (
            "The tool did not run, because this call is not permitted: permission denied by deny rule: poke. "
            "The same call will be refused again; use another tool, or finish without it."
        ),
        "[end of poke refusal]",
        "",
        "{category: permission_denied, message: permission denied by deny rule: poke, tool: poke}",
    ]


def test_a_child_without_a_parent_inherits_nothing_and_leaves_no_trace_elsewhere():
    lines = play(
        """
        agent_session_open("other")
        agent_session_inject("other", transcript_reminder_event({body: "not yours"}))
        llm_mock({text: "ok"})
        let envelope = sub_agent_run("t", base)
        println(len(transcript_events_by_kind(envelope.transcript, "system_reminder")))
        println(agent_session_ancestry(envelope.session_id).parent_id)
        println(agent_session_length("other"))
        """
    )
    assert lines == ["0", "nil", "0"]


def test_workers_inherit_as_sub_agents_do():
    lines = play(
        """
        let tools = tool_define(tool_registry(), "go", "", {parameters: {}, handler: { _ ->
          let handle = spawn_agent({task: "x", node: {mode: "llm"}, options: base, wait: true})
          return transcript_events_by_kind(handle.result.transcript, "system_reminder").map({ event ->
            let r = event.reminder
            return "${r.id} ${r.source} ${r.originating_agent_id} ${r.ttl_turns}"
          })
        }})
        agent_session_open("s")
        for kind in ["all", "session", "none"] {
          let fields = {id: kind, body: "to ${kind}", propagate: kind, ttl_turns: 5}
          agent_session_inject("s", transcript_reminder_event(fields))
        }
        llm_mock(call("go"))
        llm_mock({text: "worked"})
        llm_mock({text: "done"})
        println(agent_loop("t", nil, base + {session_id: "s", tools: tools}).transcript.messages[2].content)
        println(llm_mock_calls()[1].system)
        """
    )
    assert lines[1] == '["all inherited s 4","session inherited s 4"]'
    assert lines[-5:] == [
        "System reminder:",
        "to all",
        "",
        "System reminder:",
        "to session",
    ]


def test_a_child_in_a_session_that_runs_a_loop_is_refused():
    lines = play(
        """
        let tools = tool_define(tool_registry(), "go", "", {parameters: {}, handler: { _ ->
          return sub_agent_run("again", base + {session_id: "s"}).error
        }})
        llm_mock(call("go"))
        llm_mock({text: "done"})
        println(agent_loop("t", nil, base + {session_id: "s", tools: tools}).transcript.messages[2].content)
        """
    )
    assert lines[1] == '{"category":"runtime","message":"Thrown: agent_loop: session \'s\' is already running a loop"}'


def test_the_schema_of_the_answer_is_told_to_the_model():
    lines = play(
        """
        llm_mock({text: "{}"})
        sub_agent_run("t", base + {system: "Be kind.", returns: {schema: {type: "object"}}})
        println(starts_with(llm_mock_calls()[0].system, "Be kind."))
        println(contains(llm_mock_calls()[0].system, "{\\"type\\":\\"object\\"}"))
        """
    )
    assert lines == ["true", "true"]


def test_a_cancelled_program_does_not_become_an_envelope():
    engine = Engine(cache=False, deadline=0.3)
    program = """
    let tools = tool_define(tool_registry(), "hold", "", {parameters: {}, handler: { _ -> sleep(60s) }})
    pipeline default() {
      llm_mock({tool_calls: [{name: "hold", arguments: {}}]})
      println(sub_agent_run("t", {provider: "mock", model: "m", tool_format: "text", tools: tools}).ok)
    }
    """
    result = engine.run(textwrap.dedent(program))
    assert result.error is not None
    assert result.stdout == ""
