"""Payloads that are very deep or very long are read without an error."""

import sys

import pytest

from harnlite.agent_hooks.calls.agent_calls import Speech
from harnlite.agent_hooks.calls.json_text import parsed, well_formed, written
from harnlite.agent_hooks.formats.table import FORMATS, format_of
from tests.agent_hooks.formats.answer_schemas import problem


@pytest.fixture(autouse=True)
def _usual_recursion_limit():
    """Set the limit of a process that an agent starts."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(limit)


def nested(depth):
    value = "deep"
    for level in range(depth):
        value = {"content": [value]} if level % 2 else {"result": value}
    return value


@pytest.mark.parametrize("agent", FORMATS)
@pytest.mark.parametrize("key", ["tool_response", "toolResult", "tool_output", "output", "postToolUse", "tool_info"])
def test_a_deep_response_is_read(agent, key):
    form = format_of(agent)
    for native, event in form.events.items():
        data = {"tool_name": "Bash", "toolName": "bash", "tool": "bash", key: nested(900), "tool_input": nested(900)}
        call = form.read(data, native, {})
        assert call.event in {event, ""}


@pytest.mark.parametrize("agent", FORMATS)
def test_deep_arguments_are_not_given_to_the_agent(agent):
    form = format_of(agent)
    deep = {}
    for _ in range(5000):
        deep = {"a": deep}
    for native in form.changing:
        call = form.read({}, native, {})
        answer = form.answer(call, Speech("Text.", arguments=deep))
        assert problem(agent, call.native, answer.stdout, answer.status, answer.stderr) == ""


def test_a_long_prompt_is_read():
    form = format_of("gemini")
    prompt = "<hook_context>" * 50_000 + "x" * 8_000_000
    assert form.read({"prompt": prompt}, "BeforeAgent", {}).prompt == prompt
    blocks = "<hook_context>a</hook_context>" * 20_000 + "Fix it."
    assert form.read({"prompt": blocks}, "BeforeAgent", {}).prompt == "Fix it."


@pytest.mark.parametrize("text", ["", " ", "{", "[1", "nul", "1 2", '{"a":1}x', "\ud800", "'a'", "\xa01"])
def test_what_is_not_json_is_an_error(text):
    with pytest.raises(ValueError):  # noqa: PT011 -- the error has no text of its own
        parsed(text)


def test_json_is_parsed():
    assert parsed(' \n{"a": [1, 2.5, null, true, "\\u00e9\t"]} ') == {"a": [1, 2.5, None, True, "é\t"]}
    with pytest.raises((RecursionError, ValueError)):
        parsed("[" * 1_000_000)


def test_json_is_written():
    assert written({"a": [1, 2.5, None, True, float("nan"), 10**5000, object(), "é"], 1: ()}) == (
        '{"a":[1,2.5,null,true,null,null,null,"\\u00e9"],"1":[]}'
    )
    assert well_formed("a\ud83d\ude00b\ud800c") == "a\U0001f600b\ufffdc"


@pytest.mark.parametrize("result", ["3", "3\n", "a\n3", "Exit Code: 0", "x\nExit Code: 0\n", "x\nExit Code: (none)\n"])
def test_a_number_is_not_an_exit_code(result):
    for agent in ("claude-code", "gemini"):
        data = {"tool_name": "Bash", "tool_response": {"stdout": result, "llmContent": result}}
        assert (
            format_of(agent).read(data, "PostToolUse" if agent == "claude-code" else "AfterTool", {}).tools[0].error
            == ""
        )


def test_gemini_cuts_long_results_of_shells_after_the_hook():
    form = format_of("gemini")
    data = {"tool_name": "run_shell_command", "tool_response": {"llmContent": "x" * 40_001}}
    use = form.read(data, "AfterTool", {}).tools[0]
    assert (use.is_truncated, use.size) == (True, 40_001)
    data = {"tool_name": "read_file", "tool_response": {"llmContent": "x" * 40_001}}
    assert not form.read(data, "AfterTool", {}).tools[0].is_truncated
