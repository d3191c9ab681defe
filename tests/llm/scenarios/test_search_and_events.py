"""Tools that are found by a search, the live events of a loop, and ceilings of a run."""

import pytest

from tests.llm.scenarios.runs import TOOLS
from tests.vendors import Reply, Thinking, ToolCall, Usage

VENDORS = ("anthropic", "gemini", "ollama")
DEFERRED = """
let all = tool_define(tools, "deep", "Digs deep.", {
  parameters: {at: "where"}, defer_loading: true, handler: { a -> "dug ${a.at}" },
})
"""
LOOP = 'println(agent_loop("go", nil, {provider: PROVIDER, model: MODEL, tools: all, tool_search: true}).text)'


def names(body):
    if "functionDeclarations" in str(body["tools"]):
        return [function["name"] for function in body["tools"][0]["functionDeclarations"]]
    return [tool.get("name") or tool["function"]["name"] for tool in body["tools"]]


def test_anthropic_searches_itself(vendors):
    ran = vendors["anthropic"].run(TOOLS + DEFERRED + LOOP, Reply(ToolCall("deep", {"at": "x"})), "done")
    assert (ran.out, ran.refusals) == ("done", [])
    tools = ran.bodies[0]["tools"]
    assert tools[0] == {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
    assert [tool["name"] for tool in tools if tool.get("defer_loading")] == ["deep"]
    assert "dug x" in str(ran.bodies[1])


@pytest.mark.parametrize(("name", "model"), [("gemini", None), ("ollama", None), ("anthropic", "claude-haiku-4-5")])
def test_others_get_a_tool_that_searches(vendors, name, model):
    search = Reply(ToolCall("__harn_tool_search", {"query": "dig deep"}))
    ran = vendors[name].run(TOOLS + DEFERRED + LOOP, search, Reply(ToolCall("deep", {"at": "x"})), "done", model=model)
    assert (ran.out, ran.refusals) == ("done", [])
    assert ("deep" in names(ran.bodies[0]), "deep" in names(ran.bodies[1])) == (False, True)
    assert "defer_loading" not in str(ran.bodies)


@pytest.mark.parametrize("name", VENDORS)
def test_events_of_a_loop(vendors, name):
    program = f"""{TOOLS}
    let s = agent_session_open()
    agent_subscribe(s, {{ e -> if e.type == "agent_message_chunk" {{ print("[${{e.content}}]") }} }})
    let r = agent_loop("go", nil, {{provider: PROVIDER, model: MODEL, tools: tools, session_id: s}})
    println("")
    println(r.text)
    """
    thinking = Thinking(text="secret", signature="c2ln")
    ran = vendors[name].run(program, Reply(thinking, "Let me see it now.", ToolCall("look", {"at": "x"})), "All done.")
    chunks, text = ran.out.split("\n")
    assert (chunks.replace("][", ""), text) == ("[Let me see it now.All done.]", "All done.")
    assert "][" in chunks


@pytest.mark.parametrize("name", ["anthropic", "gemini"])
def test_a_ceiling_for_the_run(vendors, name):
    program = """
    llm_budget(0.5)
    for i in 0 to 1 {
      println(json_stringify(llm_call_safe("q", nil, {provider: PROVIDER, model: MODEL, max_tokens: 10}).error.message))
    }
    """
    dear = Reply("a", usage=Usage(input_tokens=100_000, output_tokens=100_000))
    ran = vendors[name].run(program, dear, "never")
    first, second = ran.out.split("\n")
    assert first.startswith('"LLM budget exceeded: spent $')
    assert "would exceed total_budget_usd" in second
    assert len(ran.requests) == 1


@pytest.mark.parametrize("name", VENDORS)
def test_a_rate_limit_holds_calls_back(vendors, name):
    call = 'llm_call("q", nil, {provider: PROVIDER, model: MODEL})'
    program = f"""
    llm_rate_limit(PROVIDER, {{rpm: 2}})
    for i in 0 to 1 {{ {call} }}
    try {{ deadline 200ms {{ {call} }} }} catch (e) {{ println(e) }}
    """
    ran = vendors[name].run(program, default="ok")
    assert (ran.out, len(ran.requests)) == ("Deadline exceeded", 2)
