"""Loops of several turns: tools, thinking that is replayed, reminders, stop reasons, compaction and sessions."""

import pytest

from tests.llm.scenarios.runs import TOOLS, ids
from tests.vendors import Reply, Thinking, ToolCall, Usage, faults

SIGNATURES = ("c2lnMQ==", "c2lnMg==", "c2lnMw==")
VENDORS = [
    ("anthropic", "claude-sonnet-4-6"),
    ("anthropic", "claude-3-5-haiku-latest"),
    ("gemini", "gemini-2.5-pro"),
    ("gemini", "gemini-3-pro-preview"),
    ("ollama", "llama3.2"),
]
THINKING = [
    ("anthropic", "claude-sonnet-4-5", "thinking: true, interleaved_thinking: true"),
    ("anthropic", "claude-sonnet-4-6", "thinking: true"),
    ("anthropic", "claude-opus-4-6", 'thinking: "adaptive"'),
    ("anthropic", "claude-opus-4-6", 'thinking: "high"'),
    ("gemini", "gemini-3-pro-preview", 'thinking: "low"'),
    ("gemini", "gemini-2.5-pro", "thinking: true"),
    ("ollama", "qwen3", "thinking: true"),
]


def turns(body):
    return body.get("messages", body.get("contents"))


def look(at, **more):
    return ToolCall("look", {"at": at}, **more)


def look_reply(at):
    return Reply(look(at))


def thoughts(body):
    """Return the parts of a request by which a vendor recognises its thinking, in their order."""
    found = []
    for turn in turns(body):
        content = turn.get("content") or turn.get("parts") or []
        if "thinking" in turn:
            found.append(turn["thinking"])
        for block in content if isinstance(content, list) else ():
            found += [block[key] for key in ("signature", "data", "thoughtSignature") if key in block]
    return found


@pytest.mark.parametrize("stream", ["true", "false"])
@pytest.mark.parametrize(("name", "model"), VENDORS)
def test_tools(vendors, name, model, stream):
    ran = vendors[name].loop(
        f"stream: {stream}",
        Reply("Let me look.", look("a"), look("bad"), look("b")),
        look_reply("c"),
        Reply("All done. \u2603"),
        model=model,
    )
    found = ran.value
    assert ran.refusals == []
    assert (found["status"], found["stop"], found["text"]) == ("done", "natural", "All done. \u2603")
    assert [call["arguments"]["at"] for call in found["tools"]["calls"]] == ["a", "bad", "b", "c"]
    assert (found["tools"]["successful"], found["tools"]["rejected"]) == (["look"] * 3, ["look"])
    assert found["llm"]["iterations"] == len(ran.requests) == 3
    sent = str([turn for turn in turns(ran.bodies[1]) if turn["role"] != "system"])
    assert sent.index("seen a") < sent.index("no such place") < sent.index("seen b")


@pytest.mark.parametrize("concurrent", [1, 3])
@pytest.mark.parametrize(("name", "model"), VENDORS)
def test_results_keep_the_order_of_the_calls(vendors, name, model, concurrent):
    calls = Reply(*[look(f"p{number}") for number in range(8)])
    ran = vendors[name].loop(f"max_concurrent_tools: {concurrent}", calls, "done", model=model)
    sent = str(turns(ran.bodies[1]))
    places = [sent.index(f"seen p{number}") for number in range(8)]
    assert (places, ran.refusals) == (sorted(places), [])


@pytest.mark.parametrize(("name", "model"), VENDORS)
def test_calls_that_do_not_run(vendors, name, model):
    ran = vendors[name].loop('permissions: {deny: ["look"]}', Reply(ToolCall("nope"), look("x")), "ok", model=model)
    assert ran.value["tools"]["rejected"] == ["nope", "look"]
    sent = str(turns(ran.bodies[1]))
    assert "Tool 'nope' is not available" in sent
    assert "permission denied by deny rule: look" in sent
    assert ran.refusals == []


@pytest.mark.parametrize(("name", "model"), VENDORS)
def test_calls_as_text(vendors, name, model):
    calls = "<assistant_prose>Looking.</assistant_prose>\n<tool_call>look({ at: 'q' })</tool_call>"
    ran = vendors[name].loop('tool_format: "text"', calls, "<user_response>fine</user_response>", model=model)
    assert (ran.value["text"], ran.value["tools"]["mode"], ran.refusals) == ("fine", "text", [])
    assert all("tools" not in body for body in ran.bodies)
    assert "[result of look]" in str(turns(ran.bodies[1])[-1])


@pytest.mark.parametrize("stream", ["true", "false"])
@pytest.mark.parametrize(("name", "model", "options"), THINKING)
def test_thinking_is_replayed_unchanged(vendors, name, model, options, stream):
    first, second, third = SIGNATURES
    ran = vendors[name].loop(
        f"{options}, stream: {stream}",
        Reply(Thinking(text="one", signature=first), look("a")),
        Reply(Thinking(text="two", signature=second), "mid", look("b", signature=second), look("c")),
        Reply(Thinking(text="three", signature=third), "done"),
        model=model,
    )
    assert (ran.refusals, ran.notes) == ([], "")
    expected = ["one", "two"] if name == "ollama" else [first, second]
    assert [thoughts(body) for body in ran.bodies] == [[], expected[:1], expected]
    assert (ran.value["text"], ran.value["hidden"]) == ("done", None)


def test_redacted_thinking_goes_back_as_it_came(vendors):
    reply = Reply(Thinking(text="a", signature="c2ln"), Thinking(redacted=True, signature="cmVk"), look("a"))
    ran = vendors["anthropic"].loop("thinking: true", reply, "done")
    assert turns(ran.bodies[1])[1]["content"][:2] == [
        {"type": "thinking", "thinking": "a", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "cmVk"},
    ]


def test_a_turn_without_thinking_is_answered_without_it(vendors):
    ran = vendors["anthropic"].loop("thinking: true", look_reply("a"), "done")
    assert ("thinking" in ran.bodies[0], "thinking" in ran.bodies[1]) == (True, False)
    assert ran.notes.endswith("the tool calls that are being answered were made without it")
    assert ran.refusals == []


@pytest.mark.parametrize(("name", "model", "options"), THINKING)
def test_thinking_after_a_compaction(vendors, name, model, options):
    replies = [
        Reply(Thinking(text=f"t{number}", signature=f"c2lnM{number}=="), "w " * 300, look(f"y{number}"))
        for number in range(5)
    ]
    more = 'compact_threshold: 300, compact_keep_last: 3, compact_strategy: "truncate"'
    task = "go " + "why " * 400
    ran = vendors[name].loop(f"{options}, {more}", *replies, "end", model=model, task=task)
    assert (ran.value["status"], ran.value["text"], ran.refusals) == ("done", "end", [])
    last = thoughts(ran.bodies[-1])
    assert last
    assert last == (["t3", "t4"] if name == "ollama" else ["c2lnM3==", "c2lnM4=="])[-len(last) :]
    assert "auto-compacted" in str(turns(ran.bodies[-1])[0])


@pytest.mark.parametrize(("name", "model", "options"), THINKING)
def test_a_second_loop_on_the_session(vendors, name, model, options):
    loop = f"agent_loop(TASK, nil, {{provider: PROVIDER, model: MODEL, tools: tools, {options}, session_id: s}})"
    program = f"""{TOOLS}
    let s = agent_session_open()
    {loop.replace("TASK", '"one"')}
    println({loop.replace("TASK", '"two"')}.text)
    """
    first = Reply(Thinking(text="one", signature=SIGNATURES[0]), look("a"))
    second = Reply(Thinking(text="two", signature=SIGNATURES[1]), "done")
    ran = vendors[name].run(program, first, second, "second", model=model)
    assert (ran.out, ran.refusals, len(ran.requests)) == ("second", [], 3)
    assert thoughts(ran.bodies[2])[0] in ("one", SIGNATURES[0])


SAVING = """
let r = agent_loop("one", "Be terse.", {provider: PROVIDER, model: MODEL, tools: tools, OPTIONS})
write_file("FILE", transcript_export(r.transcript))
"""
RESUMING = """
let s = agent_session_open("again")
for m in transcript_import(read_file("FILE")).messages { agent_session_inject(s, m) }
println(agent_loop("two", nil, {provider: PROVIDER, model: MODEL, tools: tools, OPTIONS, session_id: s}).text)
"""


@pytest.mark.parametrize(("name", "model", "options"), THINKING)
@pytest.mark.parametrize("other", ["", "anthropic", "gemini", "ollama"])
def test_a_transcript_that_another_run_continues(vendors, tmp_path, name, model, options, other):
    def program(text):
        return TOOLS + text.replace("FILE", str(tmp_path / "t.json")).replace("OPTIONS", options)

    first = Reply(Thinking(text="one", signature=SIGNATURES[0]), look("a"))
    saved = vendors[name].run(program(SAVING), first, "done", model=model)
    assert saved.error == ""
    models = {"anthropic": "claude-sonnet-4-6", "gemini": "gemini-3-pro-preview", "ollama": "qwen3"}
    text = program(RESUMING)
    if other not in ("", name):
        text = text.replace(options, "llm_retries: 0")
    ran = vendors[other or name].run(text, "resumed", model=models[other] if other else model)
    assert (ran.out, ran.refusals, ran.error) == ("resumed", [], "")
    if not other:
        assert thoughts(ran.body)[0] in ("one", SIGNATURES[0])
    elif other != name:
        assert SIGNATURES[0] not in str(ran.body)


# the reply of the vendor, how the loop reports it to a host, and the stop reason of a single call
STOPS = [
    ("anthropic", Reply("x"), "end_turn", "end_turn"),
    ("anthropic", Reply("x", stop="max_tokens"), "max_tokens", "max_tokens"),
    ("anthropic", Reply("x", stop="context_window"), "max_tokens", "max_tokens"),
    ("anthropic", Reply("x", stop="stop_sequence"), "end_turn", "stop_sequence"),
    ("anthropic", Reply("x", stop="refusal"), "refusal", "refusal"),
    ("gemini", Reply("x"), "end_turn", "stop"),
    ("gemini", Reply("x", stop="max_tokens"), "max_tokens", "length"),
    ("gemini", Reply("x", stop="refusal"), "refusal", "content_filter"),
    ("ollama", Reply("x"), "end_turn", "stop"),
    ("ollama", Reply("x", stop="max_tokens"), "max_tokens", "length"),
]


@pytest.mark.parametrize(("name", "reply", "reported", "reason"), STOPS)
def test_stop_reasons(vendors, name, reply, reported, reason):
    assert vendors[name].call("", reply).value["stop_reason"] == reason
    found = vendors[name].loop("", reply).value
    assert (found["status"], found["acp"], found["text"]) == ("done", reported, "x")


@pytest.mark.parametrize(("name", "model"), VENDORS)
@pytest.mark.parametrize("before", [[], [look_reply("x")]], ids=["first", "after a tool"])
def test_an_empty_reply_ends_the_loop(vendors, name, model, before):
    found = vendors[name].loop("", *before, Reply(), model=model).value
    assert (found["status"], found["stop"], found["text"]) == ("done", "natural", "")


@pytest.mark.parametrize(("name", "model"), VENDORS)
def test_a_loop_whose_call_fails_after_a_tool(vendors, name, model):
    ran = vendors[name].loop("", look_reply("x"), Reply(fault=faults.error(400, "bad thing")), model=model)
    error = ran.value["error"]
    assert (ran.value["status"], ran.value["stop"]) == ("provider_error", "provider_error")
    assert (error["reason"], error["after_tool_result"], error["phase"]) == ("invalid_request", True, "llm_call")
    assert ran.notes.startswith(f"[harn] warning: agent_loop ended with provider_error: {name} HTTP 400")


# Reminders

HINTS = ("system", "developer", "user_block", "ephemeral_cache")
REMINDING = """
import { agent_session_inject_reminder } from "std/agent/state"
let s = agent_session_open()
let inject = agent_session_inject_reminder
"""


def reminding(vendor, model, hints, options=""):
    lines = [
        f'inject(s, {{body: "reminder-{at}", role_hint: "{hint}", dedupe_key: "{at}", ttl_turns: 9}})'
        for at, hint in enumerate(hints)
    ]
    loop = f"""
    println(agent_loop("go", "Be terse.", {{provider: PROVIDER, model: MODEL, tools: tools, session_id: s,
      reminders: false {options}}}).status)
    """
    replies = (look_reply("a"), Reply(look("b"), look("c")), "end")
    return vendor.run("\n".join([REMINDING, TOOLS, *lines, loop]), *replies, model=model)


@pytest.mark.parametrize("hints", [*[(hint,) for hint in HINTS], HINTS, HINTS * 2], ids=[*HINTS, "all", "twice"])
@pytest.mark.parametrize(("name", "model"), VENDORS)
def test_reminders_are_in_each_request(vendors, name, model, hints):
    ran = reminding(vendors[name], model, hints)
    assert (ran.out, ran.refusals, ran.error) == ("done", [], "")
    for body in ran.bodies:
        assert all(str(body).count(f"reminder-{at}") == 1 for at in range(len(hints)))


@pytest.mark.parametrize("count", [1, 4, 5, 9])
@pytest.mark.parametrize("cache", [True, False])
def test_at_most_four_cache_marks(vendors, count, cache):
    ran = reminding(
        vendors["anthropic"], "claude-sonnet-4-6", ["ephemeral_cache"] * count, ", cache: true" if cache else ""
    )
    kept = min(count, 1 if cache else 4)
    assert (ran.out, ran.refusals) == ("done", [])
    for body in ran.bodies:
        assert str(body).count("cache_control") == kept + (3 if cache else 0)
        marked = [
            block["text"].split("\n")[1]
            for block in turns(body)[0]["content"]
            if "cache_control" in block and "system-reminder" in block["text"]
        ]
        assert sorted(marked) == sorted(f"reminder-{at}" for at in range(count - kept, count))


# Usage and cost

USAGES = [
    ("anthropic", Usage(input_tokens=1000, output_tokens=100, cache_read_tokens=600, cache_write_tokens=300), 0.003105),
    ("gemini", Usage(input_tokens=1000, output_tokens=100, cache_read_tokens=600, thinking_tokens=40), None),
    ("ollama", Usage(input_tokens=1000, output_tokens=100), 0),
]


@pytest.mark.parametrize("stream", ["true", "false"])
@pytest.mark.parametrize(("name", "usage", "cost"), USAGES, ids=ids(USAGES))
def test_usage(vendors, name, usage, cost, stream):
    program = f"""
    let r = llm_call("q", nil, {{provider: PROVIDER, model: MODEL, stream: {stream}}})
    println(json_stringify({{usage: r.usage, cost: llm_session_cost().total_cost}}))
    """
    found = vendors[name].run(program, Reply("x", usage=usage)).value
    assert {key: found["usage"][key] for key in ("input_tokens", "output_tokens")} == {
        "input_tokens": 1000,
        "output_tokens": 100,
    }
    assert found["usage"]["cache_read_tokens"] == usage.cache_read_tokens
    assert found["usage"]["cache_write_tokens"] == usage.cache_write_tokens
    assert found["usage"]["cache_hit_ratio"] == usage.cache_read_tokens / 1000
    assert (found["usage"]["cache_savings_usd"] > 0) == bool(usage.cache_read_tokens)
    if cost is not None:
        assert found["cost"] == pytest.approx(cost)


@pytest.mark.parametrize(("name", "model"), VENDORS)
def test_a_budget_of_tokens_stops_a_loop(vendors, name, model):
    ran = vendors[name].loop("token_budget: 60", *[look_reply("x") for _ in range(9)], model=model)
    assert (ran.value["status"], ran.value["acp"], len(ran.requests)) == ("budget_exhausted", "max_tokens", 2)


@pytest.mark.parametrize("name", ["anthropic", "gemini"])
def test_a_call_over_budget_is_not_sent(vendors, name):
    ran = vendors[name].call("max_cost_usd: 0.00001")
    assert (ran.value["category"], ran.value["limit"], ran.requests) == ("budget_exceeded", "max_cost_usd", [])
