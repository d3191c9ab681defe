"""Loops at OpenAI and compatible hosts: tools, reasoning that goes back, reminders, fallbacks and sessions."""

import json

import pytest

from tests.llm.openai_scenarios.vendor_runs import COMPATIBLE
from tests.vendors import Reply, Thinking, ToolCall, faults

TOOLS = """tool look(at: string, n: int = 3) -> string { description "Look."; return "saw " + at }
tool boom(x: string) { description "Fail."; throw "boom" }
let both = {_type: "tool_registry", tools: look.tools + boom.tools}
let o = {provider: "$P", model: "$M", tools: both, tool_format: "native", reminders: false, max_iterations: 5}
"""
LOOP = f"""{TOOLS}
let r = agent_loop("go", "be kind", o)
log(r.status, r.text, r.tools.successful, r.tools.rejected)
let q = agent_loop("again", nil, o + {{session_id: r.session_id}})
log(q.status, q.text)
"""
REPLIES = (
    Reply(
        Thinking(text="I think", signature="enc-1"),
        "Looking",
        ToolCall("look", {"at": "a"}),
        ToolCall("boom", {"x": "1"}),
        ToolCall("look", {"at": "ü"}),
    ),
    Reply(Thinking(text="more", signature="enc-2"), ToolCall("look", {"at": "c"})),
    "done",
    "again done",
)
EXPECTED = ["done done [look, look, look] [boom]", "done again done"]
NATIVE = [(name, None) for name in COMPATIBLE if name not in ("local", "fireworks", "together")]
MODELS = [
    *NATIVE,
    ("openai", "o3"),
    ("openai", "gpt-5"),
    ("deepseek", "deepseek-reasoner"),
    ("mistral", "magistral-medium-latest"),
]


def assistant_messages(body):
    return [message for message in body["messages"] if message["role"] == "assistant"]


@pytest.mark.parametrize(("vendor", "model"), MODELS)
def test_a_loop_of_many_turns(vendors, vendor, model):
    ran = vendors.run(vendor, LOOP, *REPLIES, model=model)
    assert (ran.lines, ran.refusals, ran.error) == (EXPECTED, [], "")
    messages = ran.bodies[2]["messages"]
    calls = [call["id"] for message in assistant_messages(ran.bodies[2]) for call in message["tool_calls"]]
    results = [message for message in messages if message["role"] == "tool"]
    assert [result["tool_call_id"] for result in results] == calls
    texts = [result["content"].split("\n")[1] for result in results]
    assert texts == ["saw a", "Thrown: boom", "saw ü", "saw c"]
    assert all("x-harn" not in json.dumps(body) for body in ran.bodies)
    role = "developer" if model in ("o3", "gpt-5") else "system"
    assert ran.bodies[3]["messages"][0]["role"] == role


@pytest.mark.parametrize(("vendor", "model"), [("openai", "o3"), ("openai", "gpt-4o"), ("azure_openai", None)])
def test_a_loop_in_the_responses_api(vendors, vendor, model):
    script = LOOP.replace("max_iterations: 5", 'max_iterations: 5, api_mode: "responses"')
    ran = vendors.run(vendor, script, *REPLIES, model=model)
    assert (ran.lines, ran.refusals, ran.error) == (EXPECTED, [], "")
    items = ran.bodies[2]["input"]
    calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
    assert [item["call_id"] for item in items if item.get("type") == "function_call_output"] == calls
    thoughts = [item["encrypted_content"] for item in items if item.get("type") == "reasoning"]
    assert thoughts == (["enc-1", "enc-2"] if model == "o3" else [])


REPLAYED = [
    ("deepseek", "deepseek-reasoner", "reasoning_content", "I think", False),
    ("openrouter", None, "reasoning_details", "enc-1", True),
    ("openai", "gpt-4o", None, "I think", False),
    ("groq", None, None, "I think", False),
]


@pytest.mark.parametrize(("vendor", "model", "field", "thought", "is_kept"), REPLAYED)
def test_reasoning_goes_back_within_its_turn(vendors, vendor, model, field, thought, is_kept):
    ran = vendors.run(vendor, LOOP, *REPLIES, model=model)
    within, after = (assistant_messages(ran.bodies[at])[0] for at in (1, 3))
    if field is None:
        assert thought not in json.dumps(ran.bodies)
    else:
        assert thought in json.dumps(within[field])
        assert (field in after) is is_kept
    assert "I think" not in "".join(ran.lines)


@pytest.mark.parametrize("vendor", COMPATIBLE)
def test_a_loop_with_text_tools(vendors, vendor):
    script = LOOP.replace('"native"', '"text"')
    replies = ('<tool_call>look({ at: "x" })</tool_call>', "<user_response>fine</user_response>", "more")
    ran = vendors.run(vendor, script, *replies)
    assert (ran.lines, ran.refusals) == (["done fine [look] []", "done more"], [])
    assert "tools" not in ran.body
    assert ran.bodies[1]["messages"][-1]["content"] == "[result of look]\nsaw x\n[end of look result]\n"


NAMES = [("fs.read/file", "fs_read_file_"), ("größe", "gr__e_"), ("n" * 80, "n" * 55 + "_"), ("a b", "a_b_")]


@pytest.mark.parametrize(("name", "start"), NAMES)
@pytest.mark.parametrize("vendor", ["openai", "mistral", "anthropic", "gemini"])
def test_names_of_tools_that_vendors_refuse(vendors, vendor, name, start):
    script = f"""let reg = tool_define(tool_registry(), "{name}", "Read.", {{
      parameters: {{p: "string"}}, handler: fn(a) {{ return "read " + a.p }}
    }})
    let o = {{provider: "$P", model: "$M", tools: reg, tool_format: "native", reminders: false}}
    let r = agent_loop("go", nil, o)
    log(r.status, r.text, r.tools.successful == ["{name}"])"""
    names = []

    def reply(request):
        body = json.dumps(request.json())
        if not names:
            at = body.index(start)
            names.append(body[at : body.index('"', at)])
            return Reply(ToolCall(names[0], {"p": "x"}))
        return "fine"

    ran = vendors.run(vendor, script, default=reply)
    assert (ran.lines, ran.refusals) == (["done fine true"], [])
    assert len(names[0]) <= 64
    assert "read x" in json.dumps(ran.body)


# Reminders

REMINDERS = [
    ("openai", "gpt-4o", "system"),
    ("openai", "o3", "developer"),
    ("openai", "gpt-5", "developer"),
    ("groq", None, "system"),
    ("mistral", None, "system"),
    ("local", None, "system"),
]


@pytest.mark.parametrize(("vendor", "model", "role"), REMINDERS)
def test_reminders_stand_in_the_role_of_the_model(vendors, vendor, model, role):
    script = """let s = agent_session_open()
    agent_session_inject(s, {role: "user", content: "before"})
    let w = register_session_hook("session_start", nil, fn(e) { return {reminder: {body: "Mind the gap."}} })
    let r = agent_loop("go", "kind", {provider: "$P", model: "$M", session_id: s, loop_until_done: false})
    log(r.status, r.text)"""
    ran = vendors.run(vendor, script, "fine", model=model)
    assert (ran.lines, ran.refusals, ran.error) == (["done fine"], [], "")
    reminded = [message["role"] for message in ran.body["messages"] if "Mind the gap." in str(message["content"])]
    assert reminded == [role]
    if vendor in ("mistral", "local"):
        assert [message["role"] for message in ran.body["messages"]].count("system") == 1


# Other vendors


@pytest.mark.parametrize("other", ["anthropic", "gemini", "mistral", "groq"])
@pytest.mark.parametrize("mode", ["chat", "responses"])
def test_a_fallback_gets_the_whole_conversation(vendors, monkeypatch, other, mode):
    second = vendors.configure(other, monkeypatch, default="from the other")
    script = f"""{TOOLS}
    let r = agent_loop("go", "kind", o + {{api_mode: "{mode}", llm_retries: 0, fallback_chain: ["{other}"]}})
    log(r.status, r.text, r.tools.successful)"""
    calls = (ToolCall("look", {"at": "1"}), ToolCall("look", {"at": "2"}))
    replies = (
        Reply(Thinking(text="t", signature="enc"), "Look", *calls),
        Reply("x", fault=faults.error(500)),
    )
    ran = vendors.run("openai", script, *replies, model="o3")
    assert (ran.lines, second.refusals) == (["done from the other [look, look]"], [])
    sent = json.dumps(second.requests[0].json())
    assert sent.count("saw ") == 2
    assert "enc" not in [word for word in sent.split('"') if word == "enc"]


def test_a_session_may_change_its_vendor_and_back(vendors, monkeypatch):
    second = vendors.configure("anthropic", monkeypatch, default="from anthropic")
    script = f"""{TOOLS}
    let own = o + {{api_mode: "responses"}}
    let r = agent_loop("go", "kind", own)
    let other = o + {{provider: "anthropic", model: "claude-sonnet-4-6", session_id: r.session_id}}
    let q = agent_loop("more", "kind", other)
    let p = agent_loop("again", "kind", own + {{session_id: r.session_id}})
    log(r.status, q.text, p.status, p.text)"""
    first = Reply(Thinking(text="t", signature="enc"), "Look", ToolCall("look", {"at": "1"}))
    ran = vendors.run("openai", script, first, "done", "back", model="o3")
    assert (ran.lines, ran.refusals, second.refusals) == (["done from anthropic done back"], [], [])
    assert "enc" not in json.dumps(second.requests[0].json()["messages"])
    kinds = [item.get("type", item.get("role")) for item in ran.body["input"]]
    assert kinds == [
        *("user", "reasoning", "assistant", "function_call", "function_call_output"),
        *("assistant", "user", "assistant", "user"),
    ]


def test_another_process_continues_a_conversation(vendors, tmp_path):
    first = f"""{TOOLS}
    let r = agent_loop("go", "kind", o + {{api_mode: "responses"}})
    write_file("t.json", transcript_export(r.transcript))
    log(r.text)"""
    called = Reply(Thinking(text="t", signature="enc"), ToolCall("look", {"at": "1"}))
    assert vendors.run("openai", first, called, "one", model="o3", cwd=str(tmp_path)).lines == ["one"]
    second = """let t = transcript_import(read_file("t.json"))
    let all = transcript_messages(t) + [{role: "user", content: "and now?"}]
    log(llm_call("", "kind", {provider: "$P", model: "$M", api_mode: "responses", messages: all}).text)"""
    ran = vendors.run("openai", second, "two", model="o3", cwd=str(tmp_path))
    assert (ran.lines, ran.refusals) == (["two"], [])
    kinds = [item.get("type", item.get("role")) for item in ran.body["input"]]
    assert kinds == ["user", "reasoning", "function_call", "function_call_output", "assistant", "user"]


def test_a_sub_agent_uses_another_provider(vendors, monkeypatch):
    second = vendors.configure("mistral", monkeypatch, default="sub")
    script = """let w = sub_agent_run("task", {provider: "mistral", model: "mistral-large-latest"})
    log(w.summary, llm_call("x", nil, {provider: "$P", model: "$M"}).text)"""
    ran = vendors.run("openai", script, "main")
    assert (ran.lines, len(second.requests), second.refusals) == (["sub main"], 1, [])


# Budgets and limits of the request

BUDGETS = [
    ("budget: {max_cost_usd: 0.0001}", "max_cost_usd"),
    ("max_input_tokens: 0", "max_input_tokens"),
    ("max_output_tokens: 10", "max_output_tokens"),
    ("budget: {total_budget_usd: 0.0001}", "total_budget_usd"),
]


@pytest.mark.parametrize(("options", "limit"), BUDGETS)
def test_budgets_stop_a_call_before_it_is_sent(vendors, options, limit):
    script = f'log(llm_call_safe("go", nil, {{provider: "$P", model: "$M", {options}}}).error.limit)'
    ran = vendors.run("openai", script, "x")
    assert (ran.lines, ran.requests) == ([limit], [])


@pytest.mark.parametrize("vendor", ["openai", "mistral", "groq"])
def test_long_and_odd_texts(vendors, vendor):
    script = """let o = {provider: "$P", model: "$M"}
    log(len(llm_call("x".repeat(1000000), nil, o).text), llm_call("a\\u{0}b \\u{1F600} ü", "s\\u{0}", o).text)"""
    ran = vendors.run(vendor, script, "y" * 10, "x😀y")
    assert (ran.lines, ran.refusals) == (["10 x😀y"], [])
    assert len(ran.bodies[0]["messages"][0]["content"]) == 1_000_000
    assert ran.body["messages"][-1]["content"] == "a\0b 😀 ü"
