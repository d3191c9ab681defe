"""Tool calls of a model that name no tool: the model learns what was wrong, and the loop goes on."""

import json

import pytest

from harnlite import Engine

NAMELESS = {
    "{}": "nil",
    "{name: nil}": "nil",
    '{name: ""}': "an empty string",
    '{name: "  ", arguments: "x"}': "an empty string",
    "{name: 7, id: 7}": "int",
    '{name: ["work"], arguments: [1]}': "list",
    '{name: {a: 1}, id: ["x"], arguments: {x: 1}}': "dict",
}
PROGRAM = """
pipeline default() {
  let tools = tool_define(tool_registry(), "work", "", {parameters: {}, handler: { _ -> "worked" }})
  var count = 0
  let result = agent_loop("t", nil, {provider: "mock", model: "m", tools: tools, tool_format: "FORMAT",
    native_tool_fallback: "allow", stall_diagnostics: {}, max_concurrent_tools: 2,
    llm_caller: { _ ->
      count = count + 1
      let calls = [CALL, {name: "work", id: "w", arguments: {}}]
      return {ok: true, value: count == 1 ? {text: "", KEY: calls} : {text: "all is well"}}
    }})
  println(json_stringify(result))
}
"""


@pytest.mark.parametrize("tool_format", ["native", "text"])
@pytest.mark.parametrize("key", ["native_tool_calls", "tool_calls"])
@pytest.mark.parametrize("call", NAMELESS)
def test_a_call_without_a_usable_name_is_rejected_and_the_loop_goes_on(call, key, tool_format):
    program = PROGRAM.replace("FORMAT", tool_format).replace("KEY", key).replace("CALL", call)
    outcome = Engine(cache=False).run(program)
    assert outcome.error is None, outcome.error
    result = json.loads(outcome.stdout)
    assert (result["status"], result["text"]) == ("done", "all is well")
    assert result["tools"]["successful"] == ["work"]
    assert result["tools"]["rejected"] == ["unnamed_tool"]
    shown = json.dumps(result["transcript"]["messages"])
    assert f"its `name` must be a non-empty string, but it is {NAMELESS[call]}. Repeat the call" in shown
    assert "worked" in shown


def test_a_recorded_call_of_the_model_always_has_a_name():
    program = PROGRAM.replace("FORMAT", "native").replace("KEY", "native_tool_calls").replace("CALL", "{name: 7}")
    messages = json.loads(Engine(cache=False).run(program).stdout)["transcript"]["messages"]
    calls = next(message["tool_calls"] for message in messages if message.get("tool_calls"))
    assert [call["function"]["name"] for call in calls] == ["unnamed_tool", "work"]
    assert [message["name"] for message in messages if message["role"] == "tool"] == ["unnamed_tool", "work"]
