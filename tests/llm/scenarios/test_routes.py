"""Calls that involve several vendors: fallbacks, conversions of transcripts, parallel calls and sub-agents."""

import os

import pytest

from harnlite import Engine
from tests.commands import run_command
from tests.llm.scenarios.runs import MODELS, Vendor
from tests.vendors import Reply, Thinking, ToolCall, faults

NAMES = ("anthropic", "gemini", "ollama", "openai")
FROM = ("anthropic", "gemini", "ollama")
PAIRS = [(first, second) for first in FROM for second in NAMES if first != second]
DOWN = Reply(fault=faults.error(500))
THINKERS = {"anthropic": "claude-sonnet-4-6", "gemini": "gemini-3-pro-preview", "ollama": "qwen3", "openai": "o3"}
SIMPLE = {"anthropic": "claude-3-5-haiku-latest", "gemini": "gemini-2.0-flash", "ollama": "gemma2", "openai": "gpt-4o"}


def prepared(vendors, name, *replies):
    server = vendors[name].server
    server.requests.clear()
    server.refusals.clear()
    server.set_replies(*replies)
    return server


def messages(body):
    return body.get("messages", body.get("contents"))


@pytest.mark.parametrize("stream", ["true", "false"])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_fallback_continues_a_loop(vendors, first, second, stream):
    server = prepared(vendors, second, "by the second")
    calls = Reply(
        Thinking(text="secret", signature="c2lnMQ=="),
        "prose",
        ToolCall("look", {"at": "x"}),
        ToolCall("look", {"at": "y"}),
    )
    options = (
        f'llm_retries: 0, stream: {stream}, fallback_chain: ["{second}"], {second}: {{model: "{THINKERS[second]}"}}'
    )
    ran = vendors[first].loop(options, calls, DOWN, model=THINKERS[first])
    found = ran.value
    assert (found["status"], found["text"], server.refusals) == ("done", "by the second", [])
    sent = str(messages(server.requests[0].json()))
    assert sent.index("seen x") < sent.index("seen y")
    assert "prose" in sent
    assert "secret" not in sent
    assert "c2lnMQ" not in sent


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_fallback_that_does_not_think_gets_no_thinking(vendors, first, second):
    server = prepared(vendors, second, "plain")
    options = f'thinking: true, fallback_chain: "{second}", {second}: {{model: "{SIMPLE[second]}"}}'
    ran = vendors[first].call(options, DOWN, model=THINKERS[first])
    assert (ran.value["text"], ran.value["provider"], server.refusals) == ("plain", second, [])
    assert "option 'thinking' is not sent to " + second in ran.notes
    body = server.requests[0].json()
    assert not {"think", "thinking", "reasoning_effort"} & body.keys()
    assert "thinkingConfig" not in str(body)


@pytest.mark.parametrize("first", FROM)
def test_all_routes_fail_with_the_first_error(vendors, first):
    second = "gemini" if first != "gemini" else "anthropic"
    prepared(vendors, second, Reply(fault=faults.error(401, "the other")))
    ran = vendors[first].call(f'fallback_chain: "{second}"', Reply(fault=faults.error(503, "the first")))
    assert "the first" in ran.value["message"]
    assert ran.value["provider"] == first


@pytest.mark.parametrize("first", FROM)
def test_a_fallback_without_a_key_sends_nothing(vendors, first, monkeypatch):
    second = "gemini" if first != "gemini" else "anthropic"
    server = prepared(vendors, second, "never")
    monkeypatch.delenv(f"{second.upper()}_API_KEY")
    ran = vendors[first].call(f'fallback_chain: ["{second}"]', DOWN)
    assert (ran.value["provider"], len(server.requests)) == (first, 0)


@pytest.mark.parametrize("stream", ["true", "false"])
def test_parallel_calls_to_all_vendors(vendors, stream):
    for name in NAMES:
        prepared(vendors, name).set_replies(default=lambda request: Reply(request.body.decode()[-9:], latency=0.05))
    routes = ", ".join(f'{{provider: "{name}", model: "{MODELS[name]}", stream: {stream}}}' for name in NAMES)
    program = f"""
    let routes = [{routes}]
    let found = parallel each (0 to 40) {{ i -> llm_call("q${{i}}", nil, routes[i % 4]).provider }}
    println(json_stringify(found))
    """
    outcome = Engine(cache=False, deadline=60).run(program)
    assert outcome.error is None
    assert outcome.stdout.strip() == str([NAMES[number % 4] for number in range(41)]).replace("'", '"').replace(" ", "")


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_a_sub_agent_of_another_vendor(vendors, outer, inner):
    server = prepared(vendors, inner, "the answer of the sub-agent")
    program = f"""
    let tools = tool_define(tool_registry(), "ask", "Asks.", {{parameters: {{q: "question"}}, handler: {{ a ->
      sub_agent_run(a.q, {{provider: "{inner}", model: "{MODELS[inner]}"}}).summary }}}})
    println(agent_loop("go", nil, {{provider: PROVIDER, model: MODEL, tools: tools}}).text)
    """
    ran = vendors[outer].run(program, Reply(ToolCall("ask", {"q": "what is it?"})), "all done")
    assert (ran.out, ran.refusals, server.refusals) == ("all done", [], [])
    assert "what is it?" in str(server.requests[0].json())
    assert "the answer of the sub-agent" in str(messages(ran.bodies[1])[-1])


# The command line

CALL = 'println(llm_call("hi", nil, {provider: PROVIDER, model: MODEL}).text)'


def command(vendor: Vendor, *replies, program=CALL, **env):
    prepared({vendor.name: vendor}, vendor.name, *replies)
    text = program.replace("PROVIDER", f'"{vendor.name}"').replace("MODEL", f'"{MODELS[vendor.name]}"')
    return run_command("run", "-c", text, env={**os.environ, **env})


ENDINGS = [
    (Reply("hello"), 0, "hello\n", ""),
    (Reply(fault=faults.error(401)), 1, "", "HTTP 401 [auth_failure]"),
    (Reply(fault=faults.rate_limited(2)), 1, "", "retry_after_ms: 2000"),
    (Reply("hello", fault=faults.cut()), 1, "", "the stream ended without its end mark"),
    (Reply(fault=faults.html(502)), 1, "", "an HTML page: 502"),
    (Reply(fault=faults.reset()), 1, "", "connection reset"),
]


@pytest.mark.parametrize("name", FROM)
@pytest.mark.parametrize(("reply", "status", "out", "shown"), ENDINGS)
def test_runs_of_the_command_line(vendors, name, reply, status, out, shown):
    ran = command(vendors[name], reply)
    assert (ran.returncode, ran.stdout) == (status, out)
    assert shown in ran.stderr
    assert "Traceback" not in ran.stderr
    assert vendors[name].server.key not in ran.stdout + ran.stderr


@pytest.mark.parametrize("name", FROM)
def test_a_server_that_is_not_there(vendors, name):
    variable = {"anthropic": "ANTHROPIC_BASE_URL", "gemini": "GEMINI_BASE_URL", "ollama": "OLLAMA_HOST"}[name]
    ran = command(vendors[name], **{variable: "http://127.0.0.1:9"})
    assert ran.returncode == 1
    assert "cannot connect to 127.0.0.1:9: connection refused" in ran.stderr


@pytest.mark.parametrize("name", FROM)
def test_a_loop_of_the_command_line_that_fails(vendors, name):
    program = 'println(agent_loop("hi", nil, {provider: PROVIDER, model: MODEL}).status)'
    ran = command(vendors[name], Reply(fault=faults.error(401)), program=program)
    assert (ran.returncode, ran.stdout) == (0, "provider_error\n")
    assert f"agent_loop ended with provider_error: {name} HTTP 401" in ran.stderr


ADVICE = [
    ("anthropic", Reply(fault=faults.error(401)), "check the key in ANTHROPIC_API_KEY"),
    ("gemini", Reply(fault=faults.error(401)), "check the key in GEMINI_API_KEY"),
    (
        "anthropic",
        Reply(fault=faults.error(404)),
        "check the name of the model, and whether the key may use it; `harnlite models` lists known models",
    ),
    ("ollama", Reply(fault=faults.error(404)), "`ollama pull llama3.2` installs the model"),
    ("gemini", Reply(fault=faults.error(529)), "the option `llm_retries` repeats a call that fails in this way"),
    ("ollama", Reply("hi", fault=faults.cut()), "the option `llm_retries` repeats a call that fails in this way"),
    (
        "anthropic",
        Reply(fault=faults.error(400, "prompt is too long: 208310 tokens > 200000 maximum")),
        "shorten the prompt, or choose a model with a larger context window",
    ),
]


@pytest.mark.parametrize(("name", "reply", "line"), ADVICE)
def test_the_report_says_what_to_do(vendors, name, reply, line):
    assert f"  = help: {line}\n" in command(vendors[name], reply).stderr


ADDRESSES = [
    ({"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}, "anthropic", "check the address in ANTHROPIC_BASE_URL"),
    ({"OLLAMA_HOST": "127.0.0.1:9"}, "ollama", "check the address in OLLAMA_HOST"),
]


@pytest.mark.parametrize(("variables", "name", "line"), ADDRESSES)
def test_the_report_names_the_address(vendors, variables, name, line):
    assert f"  = help: {line}, and that its server runs\n" in command(vendors[name], **variables).stderr


def test_no_value_contains_the_advice(vendors):
    ran = vendors["anthropic"].call("", Reply(fault=faults.error(401)))
    assert "check the key" not in ran.out
