"""No byte reaches a model where calls are switched off or denied, whatever makes the call."""

import pytest

from tests.commands import run_command
from tests.security.vendor_routes import place_of

OPTIONS = 'provider: "openai", model: "gpt-4o", llm_retries: 0'
SCHEMA = '{type: "object", properties: {n: {type: "int"}}, required: ["n"]}'
CALLS = {
    "llm_call": f'llm_call("hi", nil, {{{OPTIONS}}})',
    "streamed": f'llm_call("hi", nil, {{{OPTIONS}, stream: true}})',
    "structured": f'llm_call_structured("hi", {SCHEMA}, {{{OPTIONS}}})',
    "repaired": f'llm_call("hi", nil, {{{OPTIONS}, output_schema: {SCHEMA}, schema_retries: 3}})',
    "completion": f'llm_completion("a", "b", nil, {{{OPTIONS}}})',
    "stream": f'for piece in llm_stream("hi", nil, {{{OPTIONS}}}) {{ println(piece) }}',
    "agent_loop": f'agent_loop("go", nil, {{{OPTIONS}}})',
    "sub_agent": f'sub_agent_run("go", {{{OPTIONS}}})',
    "background": f'wait_agent(sub_agent_run("go", {{{OPTIONS}, background: true}}))',
    "summary": f'transcript_summarize(transcript("s"), {{{OPTIONS}}})',
    "parallel": f'parallel each [1, 2] {{ x -> llm_call("hi", nil, {{{OPTIONS}}}) }}',
    "fallback": 'llm_call("hi", nil, {provider: "anthropic", model: "m", fallbacks: ["openai"], llm_retries: 0})',
}
DENIALS = {
    "deny llm": (("--deny", "llm"), "", {}),
    "deny net": (("--deny", "net"), "", {}),
    "sandbox": (("--sandbox",), "", {}),
    "file": ((), '[capabilities]\ndeny = ["llm"]\n', {}),
}
OFF = {
    "off": ((), "", {"HARNLITE_LLM": "off"}),
    "disabled": ((), "", {"HARN_LLM_CALLS_DISABLED": "1"}),
}
PROGRAM = """
let result = try {{ {call} }} catch (e) {{ println(json_stringify(e)) }}
println(json_stringify(result))
"""


def attempt(call, given, tmp_path):
    arguments, settings, variables = given
    with place_of("openai", tmp_path, default="fine") as place:
        (tmp_path / "harn.toml").write_text(settings)
        body = (
            PROGRAM.format(call=call) if "for piece" not in call else f"try {{ {call} }} catch (e) {{ println(e) }}\n"
        )
        (tmp_path / "main.harn").write_text(body)
        environment = {**place.environment, **variables, "ANTHROPIC_API_KEY": "some-other-key"}
        done = run_command("run", "main.harn", *arguments, cwd=tmp_path, env=environment)
        assert place.server.connections == 0
        return done


@pytest.mark.parametrize("name", [name for name in CALLS if name != "summary"])
@pytest.mark.parametrize("how", DENIALS)
def test_denied(how, name, tmp_path):
    done = attempt(CALLS[name], DENIALS[how], tmp_path)
    assert "Error [tool_rejected]" in done.stdout + done.stderr, done


@pytest.mark.parametrize("name", [name for name in CALLS if name != "summary"])
@pytest.mark.parametrize("how", OFF)
def test_off(how, name, tmp_path):
    done = attempt(CALLS[name], OFF[how], tmp_path)
    assert "LLM calls are disabled by HARN_LLM_CALLS_DISABLED; provider `" in done.stdout + done.stderr, done


@pytest.mark.parametrize("how", [*DENIALS, *OFF])
def test_summaries(how, tmp_path):
    attempt(CALLS["summary"], {**DENIALS, **OFF}[how], tmp_path)
